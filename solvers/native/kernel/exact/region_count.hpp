// Counting any region exactly: the solutions by their number of mines, and the mines of every box.
//
// The states and transitions are those of counting/graph.hpp; the numbers on them are residues
// modulo primes (field.hpp), as many primes as the largest count needs. A polynomial in the number
// of mines is held by its values at roots of unity: a pass for some points costs one addition or
// multiplication per transition and point, where multiplying polynomials would cost the product of
// their lengths, and one transform per box brings the coefficients back. To have few points, mines
// are only counted in boxes outside disjoint exact constraints: inside them their number is known.
//
// The size: no term is negative, so every coefficient is at most the weight of all solutions,
// and of a box at most its size times as much. That weight comes from one more pass in floating
// point. Its sums and products of positive numbers are off by a factor (1 + 2^-52) for each of the
// roundings on the way at most, fewer than 2^40 of them: less than half. One bit is added for that.
#pragma once

#include <cstdint>
#include <vector>

#include "counting/graph.hpp"
#include "counting/hypergraph.hpp"
#include "exact/field.hpp"
#include "resources/patience.hpp"

namespace mines {

struct RegionTally {
    std::int32_t low = 0;     // mines of the first coefficient
    std::int32_t length = 0;  // coefficients; first and last are positive
    std::int32_t boxes = 0;   // 0 when only solutions were counted
    std::size_t primes = 0;
    // Per prime, the solutions by number of mines, then, box by box, their mines in the box.
    std::vector<std::uint64_t> residues;
    // Two solutions, as the mines of every box: with the fewest in each box in turn, and the most.
    std::vector<std::int32_t> witnesses[2];

    std::size_t row() const { return static_cast<std::size_t>(length) * (1 + boxes); }
};

class ExactCount {
  public:
    static constexpr std::int32_t largest_box = 1000;  // C(size, k) is a double

    // Boxes in the order given. Status::fault: the boxes do not add up to the mines.
    Status count(const Hypergraph& region, const std::int32_t* order, bool boxes,
                 const Limits& limits, Patience& patience, RegionTally& tally);
    std::uint32_t states() const { return graph_.state_count(); }

  private:
    struct Range {
        std::int32_t least, most;  // mines to come in counted boxes; least > most: no solution
    };
    struct Kind {
        std::int32_t size;
        bool counted, plain;  // plain: nothing multiplies
        std::size_t first_way;
    };
    // One prime, and some of the points.
    struct Pass {
        const Field& field;
        std::int32_t first, points;  // of all the points
        bool boxes;
    };
    static constexpr std::int32_t block = 8;  // points that are passed at once

    std::int32_t split_off_exact();
    void find_kinds();
    double bits_at_most() const;
    bool leads_to_solution(const PlanStep& step, std::uint32_t state, std::int32_t t) const;
    template <class V>
    double survey(Patience& patience);
    std::vector<std::int32_t> witness(bool most) const;
    void prepare(const Field& field);
    void prepare_points(const Pass& pass, std::uint64_t root);
    template <int B>
    void run(const Pass& pass, Patience& patience);
    template <int B>
    void forward(const Field& field, Patience& patience);
    template <int B>
    void backward(const Pass& pass, Patience& patience);
    template <int B>
    void lead_on(const Field& field, const PlanStep& step, std::uint32_t state, std::int32_t k,
                 const std::uint64_t* in, std::uint64_t* out) const;
    void residues_of(const Field& field, int order, bool boxes, std::uint64_t* row,
                     const RegionTally& tally, Patience& patience);
    bool adds_up(const Field& field, const std::uint64_t* row, const RegionTally& tally) const;

    Graph graph_;
    const Hypergraph* region_ = nullptr;
    std::vector<std::uint8_t> counted_;  // per box: whether its mines are counted
    std::vector<Range> ranges_;          // per state
    std::vector<Factor> settled_;        // the weights of the constraints, as factors
    std::vector<std::int32_t> kinds_;    // per box: boxes of one kind multiply alike
    std::vector<Kind> kind_;
    std::vector<std::uint64_t> ways_;  // per kind and number of mines: C(size, k)
    std::vector<Factor> factors_;      // per kind, number of mines and point of the block
    std::vector<Factor> multiples_;    // 0, 1, 2, …
    std::vector<std::uint64_t> reached_, ahead_, here_;  // per state of a layer or all, and point
    std::vector<std::uint64_t> values_;                  // per row of the tally, at every point
    std::int32_t point_count_ = 1;
};

}  // namespace mines
