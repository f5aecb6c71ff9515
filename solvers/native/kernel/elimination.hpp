// Counting a region: the elimination of its boxes, one after the other.
//
// A state is, for every open constraint, how many mines it may still take, four bits each, packed
// into as many words as the order needs. Its value is a polynomial over its support: coefficient m
// is the (weighted) number of ways to reach the state with m mines. `forward` leaves the region's
// polynomial and a trace of states and transitions; `backward` walks the trace with a weight for
// every number of mines of the whole region and gives the probability of a mine in each box. The
// weight of the layouts with a mine in a box, and of those with a safe cell, is zero exactly when
// there is none, provided the weights are zero or large enough not to underflow (see combine.hpp);
// so the verdicts are exact.
#pragma once

#include <cstdint>

#include "buffer.hpp"
#include "frontier.hpp"
#include "keys.hpp"
#include "numbers.hpp"
#include "patience.hpp"
#include "slots.hpp"

namespace mines {

enum class Status : std::uint8_t { fits, contradiction, too_wide, out_of_time, fault, interrupted };

struct Limits {
    std::uint64_t states = 0;  // of one region, all kept for the backward pass
    std::uint64_t bytes = 0;   // of everything that is kept
};

struct Polynomial {
    std::int64_t at = 0;   // of its first coefficient
    std::int32_t low = 0;  // mines of the first coefficient
    std::int32_t length = 0;
};

struct Step {
    std::int32_t box;
    std::uint8_t size, constraint_count;
    bool closes_range;  // some constraint whose bounds differ ends here
    std::uint16_t slot[8];
    std::int8_t limit[8];       // largest residual after this box that can still be met
    std::int8_t opens[8];       // residual to start with, or -1
    std::int8_t high[8];        // most mines the constraint takes
    std::int32_t closes[8];     // constraint whose range ends here, or -1
    std::uint32_t first_state;  // of the layer before this box
};

struct Trace {
    std::int32_t first_step = 0, step_count = 0;
    std::uint32_t end_state = 0;  // the one state after the last box
    std::int64_t first_key = 0;
    std::int32_t words = 1;
    bool wide = false;  // coefficients are Wide
    // Roundings on the way to any coefficient, and to any share, at most.
    double forward_depth = 0, backward_depth = 0;
    Polynomial polynomial;
};

enum class Verdict : std::uint8_t { open, safe, mine };

struct Share {
    double probability;
    Verdict verdict;
};

class Elimination {
  public:
    // Forgets all traces.
    void reset();
    // Lays out the steps of a region whose boxes are in elimination order.
    void plan(const Frontier& frontier, const Region& region, Trace& trace);
    // Counts along a planned trace. `weights` is null to count layouts without likelihoods.
    Status forward(Trace& trace, const Likelihood* weights, const Limits& limits,
                   Patience& patience);
    // `weight` has one entry per coefficient of the region's polynomial; `shares` is indexed by
    // box.
    void backward(Trace& trace, const Likelihood* weights, const double* weight, Share* shares,
                  Patience& patience);
    void backward(Trace& trace, const Likelihood* weights, const Wide* weight, Share* shares,
                  Patience& patience);

    std::uint64_t states() const { return state_count_; }
    // States of the region at which forward() gave up as too wide.
    std::uint64_t widest() const { return widest_; }
    const double* narrow(const Trace& trace) const { return narrow_.data() + trace.polynomial.at; }
    const Wide* wide(const Trace& trace) const { return wide_.data() + trace.polynomial.at; }
    // Numbers the boxes of a trace anew: box b becomes number[b].
    void relabel(const Trace& trace, const std::int32_t* number);
    void trim(std::size_t bytes);
    // Frees what only forward() needs; unweighted traces only.
    void drop_forward_scratch();
    std::size_t bytes() const;

  private:
    struct State {
        std::int64_t at;   // of its polynomial
        std::int32_t low;  // mines of the first coefficient
        // Number of coefficients; while its layer is being made, one past the highest (see place).
        std::int32_t length;
        std::uint32_t first;        // its first transition
        std::uint8_t least, count;  // mines of the box in its transitions: least, least + 1, ...
    };
    template <class V>
    struct Pull;  // what one step of the backward pass reads and writes
    template <class V>
    Buffer<V>& coefficient_buffer();
    template <class V>
    std::int64_t& coefficient_count();
    template <class V>
    Buffer<V>& adjoint_buffer(int which);
    std::int8_t plan_constraint(const Frontier& frontier, std::int32_t id, int size, int place,
                                Step& step);
    template <class V, int N>
    Status build(Trace& trace, const Limits& limits, Patience& patience);
    template <class V, int N, bool Weighted>
    Status forward_as(Trace& trace, const Likelihood* weights, const Limits& limits,
                      Patience& patience);
    template <class V, int N, bool Weighted>
    void backward_as(Trace& trace, const Likelihood* weights, const V* weight, Share* shares,
                     Patience& patience);
    template <class V, bool Weighted, class Unpacked>
    void pull(const Pull<V>& pulled, const Step& plan, const Unpacked& step,
              const std::uint64_t* key, const Likelihood* weights, std::uint32_t s, V& mines,
              V& safe) const;
    template <int N>
    bool expand(const Step& step, const Trace& trace, std::uint32_t first_state,
                std::uint32_t begin, std::uint32_t end, const Limits& limits, Patience& patience);
    void reach(const State& from, int k, std::uint32_t target, bool fresh);
    template <class V>
    void place(std::uint32_t layer);
    template <class V, int N, bool Weighted>
    void flow(const Step& step, const Likelihood* weights, const std::uint64_t* keys,
              std::uint32_t begin, std::uint32_t end, Patience& patience);
    bool too_wide(const Limits& limits, std::uint32_t first_state);

    Buffer<Step> steps_;
    Buffer<State> states_;
    Buffer<std::uint64_t> keys_;
    Buffer<std::uint32_t> targets_;
    KeyTable table_;
    Buffer<double> narrow_, narrow_adjoint_[2];
    Buffer<Wide> wide_, wide_adjoint_[2];
    Slots slots_;
    Buffer<std::uint16_t> slot_of_;
    Buffer<std::int8_t> cells_left_;
    std::int32_t step_count_ = 0;
    std::uint32_t state_count_ = 0, target_count_ = 0;
    std::int64_t key_count_ = 0, narrow_count_ = 0, wide_count_ = 0;
    std::uint64_t widest_ = 0;
};

}  // namespace mines
