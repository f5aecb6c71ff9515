// Decides exactly which numbers of mines the regions and the sea can have together.
//
// Each leaf (a counted region, see combine.hpp) has a set of possible numbers of mines. A gap of
// this set is a run of missing numbers between two numbers of the set. The solid part consists of
// the sea and all leaves whose sets have no gaps; these are its members. Its possible sums of mines
// form an interval. The width of an interval is its largest number minus its smallest; the width of
// a gap is how many numbers are missing. If an interval is added to a set, it fills all gaps that
// are not wider than the interval. So the possible sums of all leaves and the sea nearly always
// form an interval, too, which two numbers describe.
//
// Some questions leave out one leaf or the sea, and this may make the solid part narrower. There
// are two exceptional cases. If the solid part without its widest member is narrower than the
// widest gap, a bit set holds the possible sums of all leaves with gaps. If even the solid part
// with all members is narrower than the widest gap, leave_out() also finds for each shape how many
// mines one leaf of this shape can have. The shape of a leaf is its set, with the least number
// subtracted from every number.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "combining/combine.hpp"
#include "resources/patience.hpp"

namespace mines {

class Support {
  public:
    // `mines` is the number of mines that all leaves and the sea must have together.
    Support(const Leaf* leaves, std::int32_t count, std::int64_t mines, std::int64_t sea,
            Patience& patience);

    std::int64_t least() const { return least_; }
    std::int64_t most() const { return most_; }
    // Whether all leaves and the sea can have `mines` mines together.
    bool attainable() const;
    // The same as attainable(), if the leaf has `above` mines more than its least number.
    bool attainable_with(std::int32_t leaf, std::int32_t above) const;
    // The verdict of the sea cells.
    Verdict sea_verdict() const;

  private:
    // A set of numbers that are 0 or positive, as bits.
    class Bits {
      public:
        Bits() : words_(1, 1), size_(1) {}  // just 0
        std::int64_t size() const { return size_; }
        // Whether any number from `low` to `high` is in the set.
        bool any(std::int64_t low, std::int64_t high) const;
        // All sums n + m with n in this set and m in `shape`. The shape is a set that is written
        // as a string: m belongs to it if its character m is '1'.
        Bits plus(const std::string& shape, Patience& patience) const;

      private:
        void add_shifted(const Bits& other, std::int64_t shift);
        std::vector<std::uint64_t> words_;
        std::int64_t size_;  // one more than the largest possible number
    };
    struct Shape {
        std::int32_t count = 0;
        // attainable[m]: whether one leaf of this shape can have m mines more than its least
        // number. Empty if leave_out() was not needed.
        std::vector<char> attainable;
    };
    using Shapes = std::map<std::string, Shape>;

    static std::int32_t widest_gap(const std::string& shape);
    Bits all_of(Shapes::iterator begin, Shapes::iterator end, const Bits& others,
                Patience& patience) const;
    void leave_out(Shapes::iterator begin, Shapes::iterator end, const Bits& others,
                   Patience& patience);
    bool in_gapped(std::int64_t above, std::int64_t width) const;

    const Leaf* leaves_;
    std::int64_t sea_, least_ = 0, most_, above_ = 0;  // above_: wanted mines minus least_
    std::int64_t solid_;                               // width of the solid part
    std::int32_t widest_gap_ = 0;
    std::vector<std::string> shapes_;  // the shape of each leaf; "" for a leaf without gaps
    Shapes gapped_;                    // the shapes of the leaves with gaps
    // The possible sums of mines of all leaves with gaps, not counting their least numbers. Not
    // computed if the solid part fills all gaps even without its widest member.
    Bits sums_;
};

}  // namespace mines
