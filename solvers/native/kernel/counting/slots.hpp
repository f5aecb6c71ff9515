// Where constraints lie in the key of a state while a region is planned: a slot each from the first
// of its boxes to the last, after which the slot serves another.
#pragma once

#include <cassert>
#include <cstdint>

#include "resources/buffer.hpp"

namespace mines {

class Slots {
  public:
    // Of a region with so many constraints.
    void begin(std::int32_t constraints) {
        free_.need(static_cast<std::size_t>(constraints) + 1);
        free_count_ = count_ = 0;
    }
    std::int32_t take() { return free_count_ > 0 ? free_[--free_count_] : count_++; }
    // To be called when all constraints of a box have theirs: a slot that ends with the box must
    // not serve one that begins with it.
    void give_back(std::int32_t slot) {
        assert(slot >= 0 && slot < count_ && free_count_ < count_);
        free_[free_count_++] = slot;
    }
    // How many there are in all.
    std::int32_t count() const { return count_; }

  private:
    Buffer<std::int32_t> free_;
    std::int32_t free_count_ = 0, count_ = 0;
};

}  // namespace mines
