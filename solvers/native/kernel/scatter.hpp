// Moves of the sampler for constraints that are loose, as noisy clues are: boxes that share no
// constraint are drawn together.
//
// Given everything else such boxes are independent but for the total, so their joint posterior is
// a product, cut to the total by one pass over the number of mines: they are drawn exactly, and
// what is recorded is not what was drawn but the mines that each of them was to expect. That varies
// far less than a drawing, since one noisy clue says little.
//
// A box is loose when none of its constraints allows just one number: others would never move. A
// sweep deals all loose boxes into groups anew, at random, whatever the state, and draws every
// group once: it leaves the posterior as it is.
#pragma once

#include <cstdint>
#include <vector>

#include "blocks.hpp"
#include "chain.hpp"
#include "sampler.hpp"
#include "xoshiro.hpp"

namespace mines {

class Scatter {
  public:
    Scatter(const SampleProblem& problem, const Blocks& blocks);

    bool empty() const { return boxes_.empty(); }
    bool has(std::size_t box) const { return loose_[box] != 0; }

    // Draws every loose box once. Where `record` is not null, it gets for each of them, and last
    // for the sea, `share` times the mines to expect. Returns the work done, in steps of some 4 ns.
    std::uint64_t sweep(Chain& chain, Xoshiro& random, double share, double* record);

  private:
    static constexpr int most_cells = 32;   // of a group
    static constexpr int most_groups = 64;  // dealt at a time: a bit each

    bool is_loose(std::int32_t box) const;
    void deal(std::size_t begin, std::size_t end);
    double draw(const std::vector<std::int32_t>& group, Chain& chain, Xoshiro& random, double share,
                double* record);
    void weigh(const std::vector<std::int32_t>& group, const Chain& chain);
    void apart(const std::vector<std::int32_t>& group, Xoshiro& random);
    bool together(const std::vector<std::int32_t>& group, std::int64_t left, Xoshiro& random);
    void weigh_sea(std::int64_t left, int cells, double* weights) const;
    void sum_forward(const std::vector<std::int32_t>& group);

    const double* beta(std::size_t place) const { return beta_.data() + place * (most_cells + 1); }
    double* beta(std::size_t place) { return beta_.data() + place * (most_cells + 1); }

    const SampleProblem& problem_;
    const Blocks& blocks_;
    const Sea sea_;
    std::vector<std::uint8_t> loose_;
    std::vector<std::int32_t> boxes_;        // the loose ones, in an order that changes
    std::vector<std::vector<double>> ways_;  // per size: how much each number of mines weighs
    std::vector<std::uint64_t> groups_of_;   // per constraint: the groups it is in, as bits
    std::vector<std::vector<std::int32_t>> groups_;
    std::vector<int> cells_of_;     // per group
    std::vector<double> factors_;   // of the boxes of a group, a row each
    std::vector<double> beta_;      // per place in a group and mines before it
    std::vector<double> expected_;  // mines, per box of a group
    std::vector<std::int32_t> drawn_;
    std::uint64_t work_ = 0;
};

}  // namespace mines
