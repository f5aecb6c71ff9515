// Moves of the sampler for loose constraints, such as noisy clues. Boxes and pairs of boxes that
// share no constraint are drawn together.
//
// Given everything else such pairs are independent but for the total, so their joint posterior is
// a product, cut to the total by one pass over the number of mines: they are drawn exactly, and
// what is recorded is not what was drawn but the mines that each box was to expect. That varies
// far less than a drawing, since one noisy clue says little. The two boxes of a pair do share
// constraints: a mine moves from one to the other where a bound that is reached would keep both.
//
// A box is loose when none of its constraints allows just one number: others would never move. A
// round deals all loose boxes into pairs and groups of them anew, at random, whatever the state,
// and draws every group once: it leaves the posterior as it is.
#pragma once

#include <cstdint>
#include <vector>

#include "randomness/splitmix.hpp"
#include "sampling/blocks.hpp"
#include "sampling/chain.hpp"
#include "sampling/outside.hpp"
#include "sampling/sampler.hpp"

namespace mines {

class Scatter {
  public:
    Scatter(const SampleProblem& problem, const Blocks& blocks);

    bool empty() const { return boxes_.empty(); }
    bool has(std::size_t box) const { return loose_[box] != 0; }

    // Draws every loose box once. A `record` that is not null gets `share` times the expected mines
    // of each of them and, behind the boxes, `share` times the probability of every number of mines
    // in all boxes. Returns the work, in steps of about 4 ns.
    std::uint64_t redraw(Chain& chain, Stream& random, double share, double* record);

  private:
    static constexpr int most_cells = 32;   // of a group
    static constexpr int most_in_pair = 8;  // cells
    static constexpr int most_groups = 64;  // dealt at a time: a bit each
    static constexpr int row = most_in_pair + 1;

    struct Pair {
        std::int32_t box, other;  // `other` is -1 for a box alone
        std::int32_t cells;
    };
    using Group = std::vector<Pair>;

    // What is known of a pair while its group is drawn.
    struct Odds {
        double factor[row];      // how much every number of mines weighs; the greatest is 1
        double first[row][row];  // for a number of mines: so many of them in `box`
        double marginal[row];    // the weight of every number of mines when the group is summed
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
    void change(std::int32_t box, std::int32_t mines, Chain& chain) const;
    bool share_constraint(std::int32_t c, std::int32_t other) const;

    const double* beta(std::size_t place) const { return beta_.data() + place * (most_cells + 1); }
    double* beta(std::size_t place) { return beta_.data() + place * (most_cells + 1); }

    const SampleProblem& problem_;
    const Blocks& blocks_;
    const Outside outside_;
    std::vector<std::uint8_t> loose_;
    std::vector<std::uint8_t> dealt_;        // per box, in this round
    std::vector<std::int32_t> boxes_;        // the loose ones, in an order that changes
    std::vector<std::vector<double>> ways_;  // per size: how much each number of mines weighs
    std::vector<std::uint64_t> groups_of_;   // per constraint: the groups it is in, as bits
    std::vector<Group> groups_;
    std::vector<int> cells_of_;   // per group
    std::vector<Odds> odds_;      // of the pairs of a group
    std::vector<double> beta_;    // per place in a group and mines before it
    std::vector<int> drawn_;      // mines of the pairs of a group
    std::vector<double> likely_;  // every number of mines in all boxes, summed over groups
    std::uint64_t work_ = 0;
};

}  // namespace mines
