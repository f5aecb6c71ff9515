#include "combining/support.hpp"

#include <algorithm>
#include <iterator>

namespace mines {

Support::Support(const Leaf* leaves, std::int32_t count, std::int64_t mines, std::int64_t sea,
                 Patience& patience)
    : leaves_(leaves),
      sea_(sea),
      most_(sea),
      solid_(sea),
      shapes_(static_cast<std::size_t>(count)) {
    for (std::int32_t i = 0; i < count; ++i) {
        const Leaf& leaf = leaves[i];
        least_ += leaf.low;
        most_ += leaf.low + leaf.length - 1;
        std::string shape(static_cast<std::size_t>(leaf.length), '0');
        for (std::int32_t m = 0; m < leaf.length; ++m)
            if (!leaf.zero(m)) shape[m] = '1';
        const std::int32_t gap = widest_gap(shape);
        if (gap == 0) {
            solid_ += leaf.length - 1;
            continue;
        }
        widest_gap_ = std::max(widest_gap_, gap);
        ++gapped_[shape].count;
        shapes_[i] = std::move(shape);
    }
    above_ = mines - least_;
    // attainable_with() leaves out one leaf, and sea_verdict() leaves out the sea. sums_ is needed
    // if the solid part without its widest member is too narrow to fill the widest gap.
    std::int64_t widest_solid = 0;
    for (std::int32_t i = 0; i < count; ++i)
        if (shapes_[i].empty())
            widest_solid = std::max<std::int64_t>(widest_solid, leaves[i].length - 1);
    if (solid_ - std::max(widest_solid, sea_) >= widest_gap_) return;
    sums_ = all_of(gapped_.begin(), gapped_.end(), Bits(), patience);
    if (solid_ < widest_gap_) leave_out(gapped_.begin(), gapped_.end(), Bits(), patience);
}

std::int32_t Support::widest_gap(const std::string& shape) {
    std::int32_t widest = 0, run = 0;
    for (const char present : shape) {
        run = present == '1' ? 0 : run + 1;
        widest = std::max(widest, run);
    }
    return widest;
}

bool Support::Bits::any(std::int64_t low, std::int64_t high) const {
    low = std::max<std::int64_t>(low, 0);
    high = std::min(high, size_ - 1);
    for (std::int64_t n = low; n <= high; ++n)
        if (words_[n / 64] >> (n % 64) & 1) return true;
    return false;
}

// Adds the number n + shift to this set for every n in `other`. This set must have room for them.
void Support::Bits::add_shifted(const Bits& other, std::int64_t shift) {
    const std::size_t whole = static_cast<std::size_t>(shift / 64);
    const int part = static_cast<int>(shift % 64);
    for (std::size_t i = 0; i < other.words_.size(); ++i) {
        const std::uint64_t word = other.words_[i];
        words_[i + whole] |= word << part;
        if (part != 0 && word >> (64 - part) != 0) words_[i + whole + 1] |= word >> (64 - part);
    }
}

// For a run of consecutive numbers in `shape`, the sums are found by doubling: first the sums with
// 0..1, then those with 0..3, and so on.
Support::Bits Support::Bits::plus(const std::string& shape, Patience& patience) const {
    Bits result;
    result.size_ = size_ + static_cast<std::int64_t>(shape.size()) - 1;
    result.words_.assign((result.size_ + 63) / 64, 0);
    const std::int64_t end = static_cast<std::int64_t>(shape.size());
    for (std::int64_t first = 0; first < end; ++first) {
        if (shape[first] != '1') continue;
        std::int64_t run = 1;
        while (first + run < end && shape[first + run] == '1') ++run;
        Bits spread = *this;
        for (std::int64_t width = 1; width < run;) {
            const std::int64_t step = std::min(width, run - width);
            Bits wider;
            wider.size_ = spread.size_ + step;
            wider.words_.assign((wider.size_ + 63) / 64, 0);
            wider.add_shifted(spread, 0);
            wider.add_shifted(spread, step);
            spread = std::move(wider);
            width += step;
        }
        result.add_shifted(spread, first);
        patience.spend(8 * result.words_.size());
        first += run;
    }
    return result;
}

Support::Bits Support::all_of(Shapes::iterator begin, Shapes::iterator end, const Bits& others,
                              Patience& patience) const {
    Bits sums = others;
    for (Shapes::iterator at = begin; at != end; ++at)
        for (std::int32_t i = 0; i < at->second.count; ++i) sums = sums.plus(at->first, patience);
    return sums;
}

// Finds, for every shape from `begin` to `end`, the numbers of mines that one leaf of this shape
// can have, given all other leaves and the sea. `others` has the possible sums of mines of all
// leaves with gaps whose shapes are outside this range. The least numbers of the leaves are not
// counted.
void Support::leave_out(Shapes::iterator begin, Shapes::iterator end, const Bits& others,
                        Patience& patience) {
    if (std::next(begin) != end) {
        const Shapes::iterator middle = std::next(begin, std::distance(begin, end) / 2);
        leave_out(begin, middle, all_of(middle, end, others, patience), patience);
        leave_out(middle, end, all_of(begin, middle, others, patience), patience);
        return;
    }
    Shape& shape = begin->second;
    Bits rest = others;
    for (std::int32_t i = 1; i < shape.count; ++i) rest = rest.plus(begin->first, patience);
    for (std::size_t m = 0; m < begin->first.size(); ++m) {
        const std::int64_t left = above_ - static_cast<std::int64_t>(m);
        shape.attainable.push_back(begin->first[m] == '1' && rest.any(left - solid_, left));
    }
}

// Whether `above` is a sum a + b, where a is a number from 0 to `width`, and b is a possible sum of
// mines of all leaves with gaps, not counting their least numbers.
bool Support::in_gapped(std::int64_t above, std::int64_t width) const {
    if (width >= widest_gap_) {
        std::int64_t reach = width;
        for (const auto& [shape, leaves] : gapped_)
            reach += leaves.count * (static_cast<std::int64_t>(shape.size()) - 1);
        return above >= 0 && above <= reach;
    }
    return sums_.any(above - width, above);
}

bool Support::attainable() const {
    return in_gapped(above_, solid_);
}

bool Support::attainable_with(std::int32_t leaf, std::int32_t above) const {
    const std::string& shape = shapes_[leaf];
    if (leaves_[leaf].zero(above)) return false;
    if (shape.empty()) return in_gapped(above_ - above, solid_ - (leaves_[leaf].length - 1));
    const Shape& found = gapped_.at(shape);
    if (!found.attainable.empty()) return found.attainable[above] != 0;
    // This leaf has gaps, and the solid part is wide enough to fill the gaps of all other leaves.
    // So these leaves and the sea can have any number of mines from 0 to `rest`, not counting the
    // least numbers of the leaves.
    const std::int64_t rest = most_ - least_ - (leaves_[leaf].length - 1), left = above_ - above;
    return left >= 0 && left <= rest;
}

// The sea is safe if all mines must be in the leaves. It is full of mines if every possible number
// of mines in the leaves requires a mine at every cell of the sea.
Verdict Support::sea_verdict() const {
    if (sea_ == 0) return Verdict::open;
    bool some_mine = false, some_safe = false;
    const std::int64_t leaves_most = most_ - sea_ - least_;
    const std::int64_t first = std::max<std::int64_t>(0, above_ - sea_),
                       last = std::min(leaves_most, above_);
    for (std::int64_t n = first; n <= last && !(some_mine && some_safe); ++n) {
        if (!in_gapped(n, solid_ - sea_)) continue;
        some_mine |= above_ - n > 0;
        some_safe |= above_ - n < sea_;
    }
    return verdict_from(some_mine, some_safe);
}

}  // namespace mines
