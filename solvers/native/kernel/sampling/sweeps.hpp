// Estimates by sweeps with a bounded number of states.
//
// A sweep is the elimination of all boxes, one after the other (counting/plan.hpp). If a layer has
// more than `width` states, some are dropped at random. Each state is kept with some probability p,
// and then weighs 1 / p times as much. The heavier a state, the larger its p, up to 1; with a
// total, p also depends on the mines so far (see choose_chances). So the weight at the end of a
// sweep is an unbiased estimate of the weight of all layouts. For each box, a sweep also estimates
// the sum, over all layouts, of the weight times the mines in the box. Both estimates are summed
// over many sweeps. The second sum divided by the first estimates the expected mines of the box. A
// sweep that drops no state is exact.
//
// Sweeps are independent of each other, so they need no time to forget a start, as a Markov chain
// does. Sweeps fail if their weights differ too much, but the weights show the failure.
//
// With a total, a state also counts the mines that were taken so far, but not those in the boxes of
// disjoint exact constraints: the number of these mines is known in advance. Every counted mine has
// a weight that brings the sweep near the total.
#pragma once

#include <cstdint>
#include <vector>

#include "counting/hypergraph.hpp"
#include "counting/keys.hpp"
#include "counting/plan.hpp"
#include "randomness/splitmix.hpp"
#include "resources/buffer.hpp"
#include "resources/patience.hpp"
#include "sampling/outside.hpp"
#include "sampling/sampler.hpp"

namespace mines {

struct Swept {
    bool fits = false;           // some layout was reached; else the rest means nothing
    bool exact = false;          // nothing was dropped
    double log_weight = 0;       // estimates the logarithm of the weight of all layouts
    std::vector<double> values;  // expected mines of every box, then the risks of Outside's groups
};

class Sweep {
  public:
    Sweep(const SampleProblem& problem, Patience& patience);

    // Whether sweeps can be made: states fit into keys, and weights of boxes fit into doubles.
    bool possible() const;
    Swept run(std::uint32_t width, Stream& random, Patience& patience);
    // Draws a layout (the mines of every box) from the states of the last sweep, which must have
    // reached a layout.
    std::vector<std::int32_t> draw(Stream& random);
    // The work of all sweeps so far, in steps of about 4 ns.
    std::uint64_t work() const { return work_; }
    // Sorts the regions by the width of their widest layer in the last sweep, the widest first.
    // With a total, states also differ in the number of mines so far. This number has few values
    // early in a sweep, so a wide region has fewer states there.
    void take_wide_regions_first();
    // After a sweep, changes the weight of a mine so that the next sweep comes nearer to the total.
    void adapt();

  private:
    struct Layer {
        std::size_t first_state, first_edge, end_edge;
    };
    struct State {
        double reached;  // the weight of the ways to this state, up to a factor for its layer
        double ahead;    // the weight of the ways from it to the end, up to another factor
        std::uint32_t edges, count;
        std::int32_t least;  // mines that the state's first edge puts into the box
    };
    struct Edge {
        std::uint32_t target;  // index within the next layer, or `dropped`
        double factor;
    };
    static constexpr std::uint32_t dropped = ~std::uint32_t{0};

    void arrange();
    template <int N>
    bool forward(std::uint32_t width, Stream& random, Patience& patience);
    template <int N>
    void expand(std::int32_t step, Patience& patience);
    template <int N>
    void choose_chances();
    template <int N>
    void prune(std::uint32_t width, Stream& random);
    void settle_layer(std::size_t first_edge);
    bool weigh_end(int words);
    void measure_end(const std::vector<std::int64_t>& counted);
    void backward(Swept& swept, Patience& patience);
    double weight_of(const PlanStep& step, const std::uint64_t* key, int k,
                     const double* ways) const;

    const SampleProblem& problem_;
    Outside outside_;
    const Hypergraph& region_;
    Plan plan_;
    std::vector<std::uint8_t> counted_;  // per box: whether states count its mines
    std::int64_t known_ = 0;             // mines in the boxes that states do not count
    int words_ = 1;
    double tilt_ = 0;  // logarithm of the weight of a mine

    std::vector<std::vector<std::int32_t>> orders_;  // of the boxes of every region
    std::vector<std::size_t> widths_;  // per step: states after it, before any were dropped

    std::vector<Layer> layers_;
    std::vector<State> states_;
    std::vector<Edge> edges_;
    // For each state of the newest layer:
    std::vector<double> weights_;
    std::vector<double> chances_;         // the chance of the state to be kept, up to a factor
    std::vector<std::uint32_t> renamed_;  // the new index of the state, or `dropped`
    std::vector<double> raised_;          // the factor for the weight of the state if it is kept

    Buffer<std::uint64_t> keys_[2];  // of the newest layer, and of the next
    int newest_ = 0;
    std::uint32_t key_count_ = 0;
    KeyTable table_;
    bool dropped_any_ = false;
    double log_scale_ = 0, end_weight_ = 0;
    // The number of counted mines in the last layer: see measure_end().
    double end_mean_ = 0, end_variance_ = 1, wanted_mean_ = 0;
    std::vector<double> likely_;  // with a total: the probability of n mines in all boxes
    std::uint64_t work_ = 0;
};

// Estimates by as many sweeps as `bounds` allow. Trial sweeps come first and show how wide the main
// sweeps can be. The estimate is made from the main sweeps or, if a sweep is exact, from this sweep
// alone. If sweeps are not possible or not reliable, the result has `started` false. Every sweep
// that reaches a layout and is not exact appends one layout to `starts`, until there is one for
// each chain.
SampleResult sweep(const SampleProblem& problem, const SampleBounds& bounds, Stream& random,
                   std::vector<std::int32_t>& starts, Patience& patience);

}  // namespace mines
