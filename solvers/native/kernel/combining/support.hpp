// Decides exactly which numbers of mines the regions and the sea can have together.
//
// Each leaf (a counted region, see combine.hpp) has a set of possible numbers of mines. The sums of
// numbers from two intervals form an interval. If a set has gaps, adding an interval at least as
// wide as the gaps fills them. So the possible sums nearly always form an interval, which two
// numbers describe. The solid part is the sea and all leaves whose sets have no gaps; its sums are
// an interval. If the solid part may be too narrow to fill the gaps, a bit set holds the sums of
// all leaves with gaps. The shape of a leaf is its set, with the least number subtracted from every
// number. If even the whole solid part is too narrow, leave_out() finds for each shape how many
// mines one leaf of this shape can have.
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
        std::vector<char>
            attainable;  // [m]: one leaf of the shape can have m mines above its least
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
    std::vector<std::string> shapes_;  // per leaf; empty for leaves without gaps
    Shapes gapped_;
    Bits sums_;  // of all leaves with gaps; not computed if the solid part surely fills the gaps
};

}  // namespace mines
