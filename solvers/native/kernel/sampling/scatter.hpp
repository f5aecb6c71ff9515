// Moves of the sampler for loose boxes. A box is loose if it is small and each of its constraints,
// such as a noisy clue, allows more than one number of mines. A group of pairs of boxes is drawn
// together. Boxes of different pairs in a group share no constraint.
//
// Given all boxes outside the group, its pairs depend on each other only through the total. So
// their joint posterior is a product: one factor for each pair, and one for the total. One pass
// over the pairs sums this product for each number of mines; then the group is drawn exactly. The
// expected mines of each box are recorded, because they vary far less than its drawn mines. The two
// boxes of one pair share a constraint. So a mine can move from one box of the pair to the other
// even if the constraint is at its bound, where neither box could change alone. A box without a
// partner is drawn like a pair.
//
// All other boxes are left to the moves of blocks. A round divides all loose boxes at random into
// pairs, and the pairs into groups, independently of the state. It draws every group once. So a
// round preserves the posterior.
#pragma once

#include <cstdint>
#include <vector>

#include "randomness/splitmix.hpp"
#include "sampling/chain.hpp"
#include "sampling/outside.hpp"
#include "sampling/sampler.hpp"

namespace mines {

class Scatter {
  public:
    explicit Scatter(const SampleProblem& problem);

    bool empty() const { return boxes_.empty(); }
    bool has(std::size_t box) const { return loose_[box] != 0; }

    // Draws every loose box once. Returns the work, in steps of about 4 ns.
    //
    // If `record` is not null, adds to record[b], for every loose box b, `share` times the expected
    // mines of the box. With a total, also adds to record[B + n], for every n, `share` times the
    // probability that all boxes together have n mines. B is the number of all boxes.
    std::uint64_t redraw(Chain& chain, Stream& random, double share, double* record);

  private:
    static constexpr int most_cells = 32;   // in a group
    static constexpr int most_in_pair = 8;  // cells in a pair
    static constexpr int most_groups = 64;  // `groups_of_` has a bit for each of them
    static constexpr int row = most_in_pair + 1;

    struct Pair {
        std::int32_t box, other;  // `other` is -1 for a box alone
        std::int32_t cells;
    };
    using Group = std::vector<Pair>;

    // Weights and probabilities of a pair while its group is drawn.
    struct Odds {
        double factor[row];      // the weights of all numbers of mines; the greatest is 1
        double first[row][row];  // [m][k]: the weight of k mines in `box` if the pair has m
        double marginal[row];    // probability of each number, given all boxes outside the group
    };

    bool is_loose(std::int32_t box) const;
    void deal(std::size_t begin, std::size_t end, Stream& random);
    std::int32_t partner(std::int32_t box, Stream& random) const;
    void add(const Pair& pair, std::size_t start, std::size_t usual);
    std::uint64_t groups_near(std::int32_t box) const;
    void draw(const Group& group, Chain& chain, Stream& random, double share, double* record);
    void weigh(const Pair& pair, const Chain& chain, Odds& odds);
    void weigh_box(std::int32_t box, std::int32_t apart_from, const Chain& chain, double* factor);
    void weigh_shared(const Pair& pair, const Chain& chain, double* factor);
    void apart(const Group& group, Stream& random);
    bool together(const Group& group, std::int64_t others, Stream& random);
    void weigh_outside(std::int64_t others, int cells, double* weights) const;
    void sum_forward(const Group& group, std::int64_t others);
    void take(const Pair& pair, const Odds& odds, int mines, Chain& chain, Stream& random,
              double share, double* record);
    bool share_constraint(std::int32_t c, std::int32_t other) const;

    const double* beta(std::size_t place) const { return beta_.data() + place * (most_cells + 1); }
    double* beta(std::size_t place) { return beta_.data() + place * (most_cells + 1); }

    const SampleProblem& problem_;
    const Hypergraph& region_;
    const Outside outside_;
    std::vector<std::uint8_t> loose_;
    std::vector<std::uint8_t> dealt_;  // per box: not loose, or in a Pair of this round
    std::vector<std::int32_t> boxes_;  // the loose boxes, in an order that changes
    std::vector<std::vector<double>>
        ways_;  // [size][k]: the weight of k mines in a box of this size
    std::vector<std::uint64_t> groups_of_;  // per constraint: groups with its boxes, as bits
    std::vector<Group> groups_;
    std::vector<int> cells_of_;  // per group: the number of its cells
    std::vector<Odds> odds_;     // per pair of the group that is being drawn
    std::vector<double> beta_;   // the entries beta(i)[n]: see together()
    std::vector<int> drawn_;     // per pair of the group that is being drawn: its mines
    // The probability of each number of mines in all boxes together, summed over groups.
    std::vector<double> likely_;
    std::uint64_t work_ = 0;
};

}  // namespace mines
