// A view of consecutive entries of a list of numbers. The list must outlive the view.
#pragma once

#include <cassert>
#include <cstdint>
#include <vector>

namespace mines {

struct Stretch {
    const std::int32_t* from;
    const std::int32_t* to;

    static Stretch of(const std::vector<std::int32_t>& all) {
        return {all.data(), all.data() + all.size()};
    }
    // Returns `count` entries of a list, from index `first` on.
    static Stretch of(const std::int32_t* list, std::int64_t first, std::int32_t count) {
        return {list + first, list + first + count};
    }
    const std::int32_t* begin() const { return from; }
    const std::int32_t* end() const { return to; }
    std::int32_t size() const { return static_cast<std::int32_t>(to - from); }
    std::int32_t operator[](std::int32_t i) const {
        assert(i >= 0 && i < size());
        return from[i];
    }
};

}  // namespace mines
