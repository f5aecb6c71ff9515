// Estimates the risks of problems that are too wide to count: by sweeps (sweeps.hpp) or, if those
// fail, by Markov chains over layouts. A move of a chain draws a block of boxes exactly.
//
// The state of a chain is the number of mines in every box. A move frees a block of boxes, usually
// most of the problem. The block alone is narrow: while its boxes are taken in order, there are at
// most `max_width` states. All other boxes keep their mines. So one backward pass sums the
// posterior of the block exactly, and layouts of the block are drawn from it independently. Blocks
// are planned once, at random. They are chosen at random, too, independently of the state. So every
// move preserves the posterior.
//
// A total connects all boxes and would make every pass wider. Instead, several layouts of the block
// are drawn with a fixed weight per mine. Then one of them, or the previous layout, is kept. The
// probability of each is proportional to the number of layouts outside that fit it. (This is
// iterated sampling importance resampling, which also preserves the posterior.) The weighted mean
// of all of them is recorded.
//
// Noisy clues are loose constraints. With them, every move of a block is followed by draws of boxes
// that share no constraint (scatter.hpp). These draws are exact and respect the total, and the
// expected mines are recorded.
//
// Several chains start from different layouts: from those that sweeps reached (sweeps.hpp) or, if
// there are none, from layouts that moves find while the constraints are soft, so that a layout may
// break them. Standard
// errors come from the means of batches of moves, over all chains.
#pragma once

#include <cstdint>
#include <vector>

#include "counting/hypergraph.hpp"
#include "resources/patience.hpp"

namespace mines {

inline constexpr int chains = 4;  // and the number of layouts drawn as their starts

// The weight of m mines in constraint c is weights[first_weight[c] + m], which is zero outside the
// bounds of c.
struct SampleProblem {
    Hypergraph region;  // its constraints have weights there if not all within the bounds are equal
    std::vector<std::int32_t> first_weight;
    std::vector<double> weights;
    // With a total: for every number of mines in all boxes, the logarithm of the number of layouts
    // outside the boxes, up to a constant. Without a total: empty.
    std::vector<double> log_ways;
    std::vector<double> risks;  // one row like log_ways per group of cells outside
    double odds = 1;            // of a mine; with a total, only at the beginning

    // Finds the bounds of the constraints, and completes the region. Call this when its boxes and
    // the other fields are filled in.
    void index();
    std::size_t box_count() const { return region.sizes.size(); }
    std::size_t constraint_count() const { return first_weight.size() - 1; }
    const double* weights_of(std::int32_t constraint) const {
        return weights.data() + first_weight[constraint];
    }
};

// A run ends when it reaches one of these bounds: `moves` of all chains together, `work` in steps
// of about 4 ns, or `seconds`. If only the first two are used, the run is the same on every
// machine.
struct SampleBounds {
    std::uint64_t seed = 0;
    std::uint64_t moves = 0;
    std::uint64_t work = 0;
    double seconds = 0;
    bool sweeps = true;  // if false, only chains are used
};

struct SampleResult {
    bool started = false;       // whether a layout was found; if not, the rest is empty
    std::vector<double> means;  // expected mines of every box, then the risk of every group outside
    std::vector<double> errors;  // their standard errors
    std::uint64_t moves = 0;     // that were recorded
    std::int32_t batches = 0;    // from which the errors come
    std::uint64_t work = 0;      // of sweeps that failed
};

// `starts` has layouts to start from, one after the other: the number of mines in every box. If
// there are more chains than layouts, layouts are used again. Without layouts, every chain finds
// its own start.
SampleResult sample(const SampleProblem& problem, const SampleBounds& bounds,
                    const std::vector<std::int32_t>& starts, Patience& patience);

}  // namespace mines
