#include "support.hpp"

#include <algorithm>

namespace mines {

Support::Support(const Leaf* leaves, std::int32_t count, std::int64_t sea)
    : leaves_(leaves), count_(count), sea_(sea), most_(sea), solid_(sea) {
    gaps_.resize(static_cast<std::size_t>(count));
    for (std::int32_t i = 0; i < count; ++i) {
        least_ += leaves[i].low;
        most_ += leaves[i].low + leaves[i].length - 1;
        gaps_[static_cast<std::size_t>(i)] = gap(i);
        widest_gap_ = std::max(widest_gap_, gaps_[static_cast<std::size_t>(i)]);
        if (gaps_[static_cast<std::size_t>(i)] == 0) solid_ += leaves[i].length - 1;
    }
}

// The longest run of absent numbers inside a leaf's support.
std::int32_t Support::gap(std::int32_t leaf) const {
    std::int32_t widest = 0, run = 0;
    for (std::int32_t m = 0; m < leaves_[leaf].length; ++m) {
        run = leaves_[leaf].zero(m) ? run + 1 : 0;
        widest = std::max(widest, run);
    }
    return widest;
}

// Attainable sums above the least, leaving one leaf out (-1: none).
Support::Bits Support::sums(std::int32_t skip, std::int64_t sea) const {
    Bits reached(static_cast<std::size_t>(sea) + 1, true);
    for (std::int32_t i = 0; i < count_; ++i) {
        if (i == skip || leaves_[i].length == 1) continue;
        Bits next(reached.size() + static_cast<std::size_t>(leaves_[i].length) - 1, false);
        for (std::int32_t m = 0; m < leaves_[i].length; ++m)
            if (!leaves_[i].zero(m))
                for (std::size_t s = 0; s < reached.size(); ++s)
                    if (reached[s]) next[s + static_cast<std::size_t>(m)] = true;
        reached.swap(next);
    }
    return reached;
}

bool Support::contains(const Bits& sums, std::int64_t above) const {
    return above >= 0 && above < static_cast<std::int64_t>(sums.size()) &&
           sums[static_cast<std::size_t>(above)];
}

bool Support::attainable(std::int64_t mines) const {
    if (mines < least_ || mines > most_) return false;
    if (solid_ >= widest_gap_) return true;
    return contains(sums(-1, sea_), mines - least_);
}

bool Support::attainable_without(std::int32_t leaf, std::int64_t mines) const {
    const Leaf& out = leaves_[leaf];
    const std::int64_t least = least_ - out.low, most = most_ - out.low - (out.length - 1);
    if (mines < least || mines > most) return false;
    const std::int64_t solid =
        gaps_[static_cast<std::size_t>(leaf)] == 0 ? solid_ - (out.length - 1) : solid_;
    if (solid >= widest_gap_) return true;
    if (cached_skip_ != leaf) {
        cached_ = sums(leaf, sea_);
        cached_skip_ = leaf;
    }
    return contains(cached_, mines - least);
}

// The sea is safe when the leaves must take all mines, mined when they must take the fewest that
// leave exactly `sea` over.
Verdict Support::sea_verdict(std::int64_t mines) const {
    if (sea_ == 0) return Verdict::open;
    const std::int64_t leaves_most = most_ - sea_;
    const bool solid = solid_ - sea_ >= widest_gap_;
    const auto leaves_can = [&](std::int64_t n) {
        if (n < least_ || n > leaves_most) return false;
        return solid || contains(sums(-1, 0), n - least_);
    };
    bool some_mine = false, some_safe = false;
    const std::int64_t first = std::max(least_, mines - sea_), last = std::min(leaves_most, mines);
    for (std::int64_t n = first; n <= last && !(some_mine && some_safe); ++n) {
        if (!leaves_can(n)) continue;
        some_mine |= mines - n > 0;
        some_safe |= mines - n < sea_;
    }
    return !some_mine ? Verdict::safe : !some_safe ? Verdict::mine : Verdict::open;
}

}  // namespace mines
