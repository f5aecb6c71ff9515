// The states of any region: constraints over any number of cells, and boxes of any size. The
// frontier of a grid has an elimination of its own (elimination.hpp): its constraints have at most
// 99 cells, so a step can change the residuals of all constraints of a box at once, which is
// several times faster.
//
// Boxes are taken one after the other, as planned by plan.hpp. A state has one transition for every
// number of mines that its box can take.
#pragma once

#include <cstdint>

#include "counting/elimination.hpp"
#include "counting/hypergraph.hpp"
#include "counting/keys.hpp"
#include "counting/plan.hpp"
#include "resources/buffer.hpp"
#include "resources/patience.hpp"

namespace mines {

class Graph {
  public:
    struct State {
        std::uint32_t first;        // its first transition
        std::int32_t least, count;  // mines of the box in its transitions: least, least + 1, …
    };

    // Makes the states of `region`, whose boxes are taken in the given order.
    Status build(const Hypergraph& region, const std::int32_t* order, const Limits& limits,
                 Patience& patience);

    const PlanStep& step(std::int32_t i) const { return plan_.step(i); }
    std::int32_t step_count() const { return plan_.step_count(); }
    const State& state(std::uint32_t s) const { return states_[s]; }
    const std::uint32_t* targets(const State& from) const { return targets_.data() + from.first; }
    std::uint32_t state_count() const { return state_count_; }
    std::uint32_t end_state() const { return state_count_ - 1; }  // after the last box
    // The first state of the layer before a step.
    std::uint32_t layer_begin(std::int32_t step) const { return layers_[step]; }
    std::uint32_t layer_end(std::int32_t step) const {
        return step + 1 < step_count() ? layers_[step + 1] : end_state();
    }
    std::uint32_t widest_layer() const;
    // Calls visit(constraint, mines) for every constraint with weights that ends with this box.
    // `mines` is the number of mines in the constraint if the box takes k mines in this state.
    template <class Visit>
    void each_weight(const PlanStep& step, std::uint32_t state, int k, Visit visit) const {
        plan_.each_weight(step, keys_.data() + std::int64_t{state} * words_, k, visit);
    }
    std::uint64_t bytes() const;

  private:
    template <int N>
    Status expand_all(const Limits& limits, Patience& patience);
    template <int N>
    bool expand(const PlanStep& step, std::uint32_t begin, std::uint32_t end, const Limits& limits,
                Patience& patience);

    Plan plan_;
    Buffer<std::uint32_t> layers_;  // per step, the first state of the layer before it
    Buffer<State> states_;
    Buffer<std::uint64_t> keys_;
    Buffer<std::uint32_t> targets_;
    KeyTable table_;
    std::uint32_t state_count_ = 0, target_count_ = 0;
    int words_ = 1;  // of a key
};

}  // namespace mines
