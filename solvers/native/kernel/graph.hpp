// The states of any region: like the elimination of a grid's frontier (elimination.hpp), for
// constraints over any number of cells and boxes of any size.
//
// A state is, for every open constraint, how many mines it may still take. Boxes are taken one
// after the other; each state leads on by every number of mines that its box can take. A range
// without weights that can no longer be missed is written as if nothing of it had been taken: how
// exactly it is met does not matter.
#pragma once

#include <cstdint>

#include "buffer.hpp"
#include "elimination.hpp"
#include "hypergraph.hpp"
#include "keys.hpp"
#include "patience.hpp"
#include "slots.hpp"

namespace mines {

// What taking a box does to one of its constraints.
struct Touch {
    std::int32_t word, shift;
    std::int32_t opens;  // residual to start with, or -1
    std::int32_t limit;  // largest residual after this box that can still be met
    // A residual from `met_from` to `met_to` after this box can no longer miss the bounds.
    std::int32_t met_from, met_to;
    std::int32_t constraint, high;
    bool closes, weighs;  // weighs: it closes, and its number of mines has a weight
};

struct GraphStep {
    std::int32_t box, size;
    std::int32_t first_touch, touch_count;
    std::uint32_t first_state;  // of the layer before this box
    bool weighs;
};

class Graph {
  public:
    struct State {
        std::uint32_t first;        // its first transition
        std::int32_t least, count;  // mines of the box in its transitions: least, least + 1, …
    };

    // Makes the states of `region` when its boxes are taken in this order.
    Status build(const Hypergraph& region, const std::int32_t* order, const Limits& limits,
                 Patience& patience);

    const Buffer<GraphStep>& steps() const { return steps_; }
    std::int32_t step_count() const { return step_count_; }
    const State& state(std::uint32_t s) const { return states_[s]; }
    const std::uint32_t* targets(const State& from) const { return targets_.data() + from.first; }
    std::uint32_t state_count() const { return state_count_; }
    std::uint32_t end_state() const { return state_count_ - 1; }  // after the last box
    std::uint32_t layer_end(std::int32_t step) const {
        return step + 1 < step_count_ ? steps_[step + 1].first_state : end_state();
    }
    std::uint32_t widest_layer() const;
    // Calls visit(constraint, mines) for every weight that taking k mines from a state settles.
    template <class Visit>
    void each_weight(const GraphStep& step, std::uint32_t state, int k, Visit visit) const {
        const std::uint64_t* key = keys_.data() + std::int64_t{state} * words_;
        for (std::int32_t j = 0; j < step.touch_count; ++j) {
            const Touch& touch = touches_[step.first_touch + j];
            if (touch.weighs) visit(touch.constraint, touch.high - (residual(touch, key) - k));
        }
    }
    std::uint64_t bytes() const;

  private:
    void plan(const Hypergraph& region, const std::int32_t* order);
    Touch touch(const Hypergraph& region, std::int32_t constraint, std::int32_t box);
    template <int N>
    Status expand_all(const Limits& limits, Patience& patience);
    template <int N>
    bool expand(const GraphStep& step, std::uint32_t begin, std::uint32_t end, const Limits& limits,
                Patience& patience);
    template <int N>
    void after(const GraphStep& step, const std::uint64_t* key, int k, std::uint64_t* next) const;
    std::int32_t residual(const Touch& touch, const std::uint64_t* key) const {
        if (touch.opens >= 0) return touch.opens;
        return static_cast<std::int32_t>(key[touch.word] >> touch.shift & mask_);
    }

    Buffer<GraphStep> steps_;
    Buffer<Touch> touches_;
    Buffer<State> states_;
    Buffer<std::uint64_t> keys_;
    Buffer<std::uint32_t> targets_;
    KeyTable table_;
    Slots slots_;  // these while a region is planned
    Buffer<std::int32_t> slot_of_, cells_left_;
    std::int32_t step_count_ = 0, touch_count_ = 0;
    std::uint32_t state_count_ = 0, target_count_ = 0;
    int width_ = 1, words_ = 1;  // bits of a residual, words of a key
    std::uint64_t mask_ = 1;
};

}  // namespace mines
