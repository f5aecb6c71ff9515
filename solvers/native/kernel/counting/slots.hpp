// Places of constraints in the key of a state, assigned while a region is planned. A constraint has
// a slot from its first box to its last. Then another constraint may use the slot.
#pragma once

#include <cassert>
#include <cstdint>

#include "resources/buffer.hpp"

namespace mines {

class Slots {
  public:
    // Forgets all slots and begins with a region that has this many constraints.
    void begin(std::int32_t constraints) {
        free_.need(static_cast<std::size_t>(constraints) + 1);
        free_count_ = count_ = 0;
    }
    std::int32_t take() { return free_count_ > 0 ? free_[--free_count_] : count_++; }
    // Frees a slot. Call this only after all constraints of a box have their slots: a constraint
    // that begins with the box must not get the slot of one that ends with it.
    void give_back(std::int32_t slot) {
        assert(slot >= 0 && slot < count_ && free_count_ < count_);
        free_[free_count_++] = slot;
    }
    // The most slots that were taken at the same time.
    std::int32_t count() const { return count_; }

  private:
    Buffer<std::int32_t> free_;
    std::int32_t free_count_ = 0, count_ = 0;
};

}  // namespace mines
