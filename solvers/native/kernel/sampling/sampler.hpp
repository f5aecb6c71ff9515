// Estimates the risks of problems that are too wide to count: by sweeps (sweeps.hpp), and if those
// fail, by Markov chains over layouts that move exactly inside blocks.
//
// The chain's state is the number of mines of every box. A move frees a block of boxes, most of the
// problem as a rule, chosen so that the free part alone is narrow: while the block is taken in its
// order, the numbers that its open constraints can have multiply to `max_width` states at most.
// The rest stays as it is, so the block's own posterior is summed exactly by one backward pass,
// and layouts of the block are drawn from it independently. Blocks are planned once, at random, and
// chosen at random, whatever the state: every move leaves the posterior as it is.
//
// A total ties everything together and would widen every pass. Instead the block is drawn with a
// fixed weight per mine, and of several drawings and the layout that was there one is kept, with
// probabilities in proportion to the layouts outside that go with each (iterated sampling
// importance resampling, which leaves the posterior as it is too). Their weighted mean is recorded.
//
// Noisy clues are loose constraints: there boxes that share none of them are drawn, too, after
// every move of a block (scatter.hpp), exactly and with the total, and their expectations recorded.
//
// Several chains start apart: from layouts that sweeps reached (sweeps.hpp), else from layouts that
// are found by the same moves while the constraints are soft. Standard errors come from means over
// batches of moves, of all chains.
#pragma once

#include <cstdint>
#include <vector>

#include "resources/patience.hpp"

namespace mines {

// Constraint c is about the boxes members[first[c] .. first[c + 1]); having m mines weighs
// weights[first_weight[c] + m], zero outside its bounds.
struct SampleProblem {
    std::vector<std::int32_t> sizes;  // of the boxes
    std::vector<std::int32_t> first, members;
    std::vector<std::int32_t> first_weight;
    std::vector<double> weights;
    // With a total, for every number of mines in all boxes: the logarithm of the layouts of
    // everything outside them, up to a constant. Without one: empty.
    std::vector<double> log_ways;
    std::vector<double> risks;  // of groups of cells outside, as many rows of that length
    double odds = 1;            // of a mine; with a total, to begin with
};

// A run ends when any of its bounds is reached: `moves` of all chains, `work` in steps of some
// 4 ns, `seconds`. The first two make it the same run everywhere.
struct SampleBounds {
    std::uint64_t seed = 0;
    std::uint64_t moves = 0;
    std::uint64_t work = 0;
    double seconds = 0;
    bool sweeps = true;  // without, chains walk where sweeps would do
};

struct SampleResult {
    bool started = false;       // whether a layout was found; if not, the rest is empty
    std::vector<double> means;  // expected mines of every box, then the risk of every group outside
    std::vector<double> errors;  // their standard errors
    std::uint64_t moves = 0;     // that were recorded
    std::int32_t batches = 0;    // of which the errors come
    std::uint64_t work = 0;      // of sweeps that failed
};

// `starts` has layouts to start from, one after the other: the number of mines in every box. If
// there are more chains than layouts, layouts serve again. Without layouts, chains look for their
// own.
SampleResult sample(const SampleProblem& problem, const SampleBounds& bounds,
                    const std::vector<std::int32_t>& starts, Patience& patience);

}  // namespace mines
