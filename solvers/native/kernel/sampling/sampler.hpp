// Estimates the risks of problems that are too wide to count: by sweeps (sweeps.hpp) or, if those
// fail, by Markov chains over layouts. A move of a chain draws a block of boxes exactly.
//
// The state of a chain is the number of mines in every box. A move frees a block of boxes, usually
// most of the problem. All other boxes keep their mines. The block alone is narrow: while its boxes
// are taken in order, there are at most `max_width` states. So one backward pass sums the posterior
// of the block exactly, and layouts of the block are drawn from it independently. Blocks are
// planned once, at random. They are chosen at random, too, independently of the state. So every
// move preserves the posterior.
//
// A total connects all boxes and would make every pass wider. Instead, several layouts of the block
// are drawn with a fixed weight per mine. They and the previous layout of the block are called
// drawings. One drawing is kept. The probability to keep a drawing is w / v up to a constant: w is
// the number of ways to place the remaining mines outside all boxes, v is the weight of the mines
// in the drawing. (This is iterated sampling importance resampling, which also preserves the
// posterior.) The mean of the drawings, weighted by these probabilities, is recorded.
//
// Noisy clues allow several numbers of mines. A small box is loose if each of its constraints
// allows several numbers of mines. After every recorded move of a block, the loose boxes are drawn
// again, in groups (scatter.hpp). These draws are exact and respect the total, and the expected
// mines are recorded.
//
// Several chains start from different layouts: from those that sweeps reached (sweeps.hpp). If
// sweeps reached none, each chain begins with random mines. Its constraints are soft at first, so
// that a layout may break them, until a move reaches a layout that fits. The recorded moves of each
// chain are divided into batches of consecutive moves. Standard errors are computed from the means
// of the batches of all chains.
#pragma once

#include <cstdint>
#include <vector>

#include "counting/hypergraph.hpp"
#include "resources/patience.hpp"

namespace mines {

inline constexpr int chains = 4;  // sweeps draw a layout for each chain to start from

// The weight of m mines in constraint c is weights[first_weight[c] + m]; it is zero outside the
// bounds of c.
struct SampleProblem {
    Hypergraph region;  // region.weighted(c): the weights of c within its bounds differ
    std::vector<std::int32_t> first_weight;
    std::vector<double> weights;
    // With a total: for every number of mines in all boxes, the logarithm of the number of layouts
    // outside the boxes, up to a constant. Without a total: empty.
    std::vector<double> log_ways;
    std::vector<double> risks;  // per group of cells outside: a risk for each entry of log_ways
    double odds = 1;            // of a mine; with a total, only a first guess

    // Finds the bounds of the constraints, and completes the region. Call this when the boxes of
    // the region and the other fields are filled in.
    void index();
    std::size_t box_count() const { return region.sizes.size(); }
    std::size_t constraint_count() const { return first_weight.size() - 1; }
    const double* weights_of(std::int32_t constraint) const {
        return weights.data() + first_weight[constraint];
    }
};

// A run ends when it reaches one of these bounds: `moves` of all chains together, `work` in steps
// of about 4 ns, or `seconds`. If `seconds` is infinite, the run is the same on every machine.
struct SampleBounds {
    std::uint64_t seed = 0;
    std::uint64_t moves = 0;
    std::uint64_t work = 0;
    double seconds = 0;
    bool sweeps = true;  // if false, only chains are used
};

struct SampleResult {
    bool started = false;       // whether a layout was found; if not, only `work` is set
    std::vector<double> means;  // expected mines of every box, then the risk of every group outside
    std::vector<double> errors;  // the standard errors of `means`
    // The number of recorded moves on which `means` are based. For sweeps: their number times their
    // width (sweeps.hpp); for an exact sweep: 1.
    std::uint64_t moves = 0;
    // The number of batches of moves, or the number of sweeps, from which `errors` are computed.
    std::int32_t batches = 0;
    std::uint64_t work = 0;  // the work of sweeps that failed
};

// Estimates the risks of `problem` within `bounds`. Chains start from the layouts in `starts`. Each
// layout is the number of mines in every box, and the layouts are written one after the other. If
// there are more chains than layouts, layouts are used again. If `starts` is empty, chains start
// from layouts that sweeps or the chains find.
SampleResult sample(const SampleProblem& problem, const SampleBounds& bounds,
                    const std::vector<std::int32_t>& starts, Patience& patience);

}  // namespace mines
