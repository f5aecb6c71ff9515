// Which numbers of mines regions and sea can have together: exact reasoning on supports.
//
// The sums of intervals are an interval, and an interval as wide as the gaps of another set fills
// them. So nearly always the sums are an interval and two numbers per question answer it; the rest
// is computed as bit sets.
#pragma once

#include <cstdint>
#include <vector>

#include "combine.hpp"

namespace mines {

class Support {
  public:
    Support(const Leaf* leaves, std::int32_t count, std::int64_t sea);

    std::int64_t least() const { return least_; }
    std::int64_t most() const { return most_; }
    // Can all leaves and the sea have `mines` together?
    bool attainable(std::int64_t mines) const;
    // Can all but leaf `leaf`?
    bool attainable_without(std::int32_t leaf, std::int64_t mines) const;
    // What is certain of sea cells when everything has `mines` together.
    Verdict sea_verdict(std::int64_t mines) const;

  private:
    using Bits = std::vector<bool>;

    std::int32_t gap(std::int32_t leaf) const;
    Bits sums(std::int32_t skip, std::int64_t sea) const;
    bool contains(const Bits& sums, std::int64_t above) const;

    const Leaf* leaves_;
    std::int32_t count_;
    std::int64_t sea_, least_ = 0, most_ = 0;
    std::int64_t solid_ = 0;          // width of the sum of all sets without gaps
    std::vector<std::int32_t> gaps_;  // widest gap per leaf
    std::int32_t widest_gap_ = 0;
    mutable Bits cached_;
    mutable std::int32_t cached_skip_ = -2;
};

}  // namespace mines
