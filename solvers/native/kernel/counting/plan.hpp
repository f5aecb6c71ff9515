// How the boxes of any region are taken one after the other, and how each box changes a state.
//
// A state has the residual of every open constraint: how many mines the constraint may still take.
// The residuals are packed into words. If a constraint has no weights and its bounds will be met
// whatever follows, its exact residual does not matter. All such residuals of the constraint are
// stored as the same number.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <utility>

#include "counting/hypergraph.hpp"
#include "counting/slots.hpp"
#include "resources/buffer.hpp"

namespace mines {

// How one of the constraints of a box changes when the box is taken.
struct Touch {
    std::int32_t word, shift;
    std::int32_t opens;  // first residual if the constraint begins with this box, else -1
    std::int32_t limit;  // largest residual after this box with which the bounds can still be met
    // If the residual after this box is from `met_from` to `met_to`, the bounds will be met
    // whatever follows.
    std::int32_t met_from, met_to;
    std::int32_t constraint, high;
    bool closes, weighs;  // weighs: the constraint ends with this box and has weights
};

struct PlanStep {
    std::int32_t box, size;
    std::int32_t first_touch, touch_count;
    bool weighs;
};

class Plan {
  public:
    // Plans to take the boxes of `region` in the given order.
    void make(const Hypergraph& region, const std::int32_t* order);

    const PlanStep& step(std::int32_t i) const { return steps_[i]; }
    std::int32_t step_count() const { return step_count_; }
    int words() const { return words_; }  // words that a state needs

    // The smallest and the largest number of mines that a box can take in a state.
    std::pair<std::int32_t, std::int32_t> possible(const PlanStep& step,
                                                   const std::uint64_t* key) const {
        std::int32_t least = 0, most = step.size;
        for (std::int32_t j = 0; j < step.touch_count; ++j) {
            const Touch& touch = touches_[step.first_touch + j];
            const std::int32_t left = residual(touch, key);
            most = std::min(most, left);
            least = std::max(least, left - touch.limit);
        }
        return {least, most};
    }
    // Computes the state after the box has taken k mines. `next` must be a copy of `key`: only the
    // residuals of the box's constraints are written.
    void take(const PlanStep& step, int k, const std::uint64_t* key, std::uint64_t* next) const {
        for (std::int32_t j = 0; j < step.touch_count; ++j) {
            const Touch& touch = touches_[step.first_touch + j];
            std::int32_t left = residual(touch, key) - k;
            if (touch.closes)
                left = 0;
            else if (left >= touch.met_from && left <= touch.met_to)
                left = touch.met_to;
            assert(left >= 0 && static_cast<std::uint64_t>(left) <= mask_);
            next[touch.word] &= ~(mask_ << touch.shift);
            next[touch.word] |= static_cast<std::uint64_t>(left) << touch.shift;
        }
    }
    // Calls visit(constraint, mines) for every constraint with weights that ends with this box.
    // `mines` is the number of mines in the constraint if the box takes k mines in the state.
    template <class Visit>
    void each_weight(const PlanStep& step, const std::uint64_t* key, int k, Visit visit) const {
        for (std::int32_t j = 0; j < step.touch_count; ++j) {
            const Touch& touch = touches_[step.first_touch + j];
            if (touch.weighs) visit(touch.constraint, touch.high - (residual(touch, key) - k));
        }
    }

  private:
    Touch touch(const Hypergraph& region, std::int32_t constraint, std::int32_t box);
    std::int32_t residual(const Touch& touch, const std::uint64_t* key) const {
        if (touch.opens >= 0) return touch.opens;
        return static_cast<std::int32_t>(key[touch.word] >> touch.shift & mask_);
    }

    Buffer<PlanStep> steps_;
    Buffer<Touch> touches_;
    Slots slots_;  // this line and the next: only for make()
    Buffer<std::int32_t> slot_of_, cells_left_;
    std::int32_t step_count_ = 0, touch_count_ = 0;
    int width_ = 1, words_ = 1;  // bits of a residual, words of a state
    std::uint64_t mask_ = 1;
};

}  // namespace mines
