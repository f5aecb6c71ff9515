// How many mines each region and the sea get when a layout is drawn.
//
// A number of mines in a region is weighted by the number of layouts that the region has with so
// many mines, times the number of layouts that the later regions and the sea have with the rest of
// the mines. The caller then draws one of the region's layouts with the drawn number of mines, each
// with the same chance. So every layout with the right total is equally likely.
#pragma once

#include <cstdint>

#include "randomness/splitmix.hpp"
#include "resources/buffer.hpp"

namespace mines {

class Shares {
  public:
    void clear() { count_ = ways_count_ = 0; }
    // Adds a region that may have `low` to `low` + `length` - 1 mines. Returns an array into which
    // the caller writes, for each number of mines, how many layouts the region has. The caller may
    // multiply all of these by one constant. The array is valid until the next region is added.
    double* add(std::int32_t low, std::int32_t length);
    // Computes the weights if all regions and a sea of `sea` cells have `mines` mines together.
    // False: nothing fits, or the weights leave the range of a double.
    bool weigh(std::int64_t mines, std::int32_t sea);
    // Draws the number of mines of a region if this region, all later regions and the sea have
    // `left` mines together.
    std::int32_t draw(std::int32_t region, std::int64_t left, Stream& random) const;

  private:
    struct Ways {
        std::int32_t low, length;
        std::int64_t first;  // in ways_
    };
    // from(i)[m]: the number of layouts that the sea and the regions from i on have with m mines
    // together, times a constant.
    double* from(std::int32_t region) {
        return weights_.data() + static_cast<std::ptrdiff_t>(region) * (mines_ + 1);
    }
    const double* from(std::int32_t region) const {
        return weights_.data() + static_cast<std::ptrdiff_t>(region) * (mines_ + 1);
    }

    Buffer<Ways> regions_;
    Buffer<double> ways_, weights_;
    std::int32_t count_ = 0;
    std::int64_t ways_count_ = 0, mines_ = 0;
};

// Draws `mines` of the `count` cells of a sea as mines, and sets their flags. Reorders the cells.
void draw_sea(std::int32_t* cells, std::int32_t count, std::int64_t mines, Stream& random,
              std::uint8_t* flags);

}  // namespace mines
