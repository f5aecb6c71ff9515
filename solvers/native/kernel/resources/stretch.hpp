// A stretch of a list of numbers that somebody else holds.
#pragma once

#include <cassert>
#include <cstdint>

namespace mines {

struct Stretch {
    const std::int32_t* from;
    const std::int32_t* to;

    const std::int32_t* begin() const { return from; }
    const std::int32_t* end() const { return to; }
    std::int32_t size() const { return static_cast<std::int32_t>(to - from); }
    std::int32_t operator[](std::int32_t i) const {
        assert(i >= 0 && i < size());
        return from[i];
    }
};

}  // namespace mines
