// Counting any region exactly: the solutions by their number of mines, and the mines of every box.
//
// The states and transitions are those of counting/graph.hpp. Their values are residues modulo
// primes (field.hpp); the largest count decides how many primes are needed. A polynomial in the
// number of mines is represented by its values at roots of unity, called points. A pass over the
// states costs one addition or multiplication per transition and point, while multiplying
// polynomials would cost the product of their lengths. One transform per box gives the
// coefficients. The number of mines in disjoint exact constraints is known, so only the mines in
// other boxes are counted. This needs fewer points.
//
// How large the counts are: no count is negative, and the numbers of solutions add up to the weight
// of all solutions. So every coefficient is at most this weight or, for the mines of a box, this
// weight times the size of the box. One more pass, in floating point, computes the weight of all
// solutions. It only adds and multiplies positive numbers, so each rounding changes the result by a
// factor of at most 1 + 2^-52. There are fewer than 2^40 roundings, so the error is less than half
// of the result, and one additional bit covers the error.
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
    std::int32_t length = 0;  // number of coefficients; the first and the last are not 0
    std::int32_t boxes = 0;   // 0 when only solutions were counted
    std::size_t primes = 0;
    // For each prime: the number of solutions with m mines, for every m; then, for each box and
    // every m, the mines of the box, summed over these solutions.
    std::vector<std::uint64_t> residues;
    // Two solutions: for each, the number of mines in every box. The boxes get their mines in
    // elimination order. In the first solution, each box gets the smallest number that still leads
    // to a solution; in the second solution, each box gets the largest such number.
    std::vector<std::int32_t> witnesses[2];

    std::size_t row() const { return static_cast<std::size_t>(length) * (1 + boxes); }
};

class ExactCount {
  public:
    static constexpr std::int32_t largest_box = 1000;  // C(size, k) fits into a double

    // Counts a region, with its boxes in the given order. Without `boxes`, only solutions are
    // counted. Status::fault: the mines of the boxes do not add up to the mines of the region.
    Status count(const Hypergraph& region, const std::int32_t* order, bool boxes,
                 const Limits& limits, Patience& patience, RegionTally& tally);
    std::uint32_t states() const { return graph_.state_count(); }

  private:
    struct Range {
        std::int32_t least, most;  // mines to come in counted boxes; no solution if least > most
    };
    // Boxes of one kind have the same size, and their mines are all counted or all not counted. So
    // the same number of mines gives each of them the same factor.
    struct Kind {
        std::int32_t size;
        bool counted, plain;  // plain: all factors of this kind are 1
        std::size_t first_way;
    };
    // One prime, and some of the points.
    struct Pass {
        const Field& field;
        std::int32_t first, points;  // index of the first point, and number of points
        bool boxes;
    };
    static constexpr std::int32_t most_points = 8;  // in one pass

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
    std::vector<std::int32_t> kinds_;    // per box: index into kind_
    std::vector<Kind> kind_;
    std::vector<std::uint64_t> ways_;  // per kind and number of mines k: C(size, k)
    // Per kind, number of mines k and point of the pass: the factor for k mines in a box.
    std::vector<Factor> factors_;
    std::vector<Factor> multiples_;  // 0, 1, 2, …
    // Per state and point of the pass: the weight of all ways to the state (reached_, all layers),
    // or from the state to the end (ahead_ and here_, one layer each).
    std::vector<std::uint64_t> reached_, ahead_, here_;
    // The values of several polynomials, each at all points. The first polynomial counts the
    // solutions. Then there is one for each box: it sums the mines of the box over the solutions.
    std::vector<std::uint64_t> values_;
    std::int32_t point_count_ = 1;
};

}  // namespace mines
