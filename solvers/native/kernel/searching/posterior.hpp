// Drawing layouts of a position: independently, each that fits the clues and the total as likely as
// any other.
//
// The layouts of every region are listed, by the number of their mines. A layout is drawn region by
// region: first how many mines the region has, in proportion to what the other regions and the sea
// make of that, then one of its layouts with so many; last the mines of the sea.
#pragma once

#include <cstdint>

#include "board/grid.hpp"
#include "randomness/splitmix.hpp"
#include "resources/buffer.hpp"
#include "searching/fitting.hpp"

namespace mines {

class Posterior {
  public:
    // Reads a position with `mines` mines in all. False when it is too large: a region of more than
    // Fitting::max_cells cells, or too many layouts of one.
    bool read(const Grid& board, std::int64_t mines);
    // A layout as flags, row by row.
    void draw(Stream& random, std::uint8_t* flags);

  private:
    struct Part {
        std::int32_t first_cell;  // in cells_
        std::int32_t cells;
        std::int64_t first_way;  // in ways_, which lie by the number of their mines
        std::int32_t
            begin[Fitting::max_cells + 2];  // where those with k mines begin, from first_way
    };

    void begin(const Grid& board);
    bool gather(const Grid& board, std::int32_t start);
    bool list_part(const Grid& board);
    void place_ways(Part& part);
    bool weigh(std::int64_t mines);
    double* weights_from(std::int32_t part) {
        return weights_.data() + static_cast<std::ptrdiff_t>(part) * (most_ + 1);
    }
    void draw_sea(Stream& random, std::int64_t mines, std::uint8_t* flags);

    Fitting fitting_;
    std::int32_t rows_ = 0, cols_ = 0;
    Buffer<std::uint8_t> known_;    // the mines that are known, row by row
    Buffer<std::uint8_t> visited_;  // padded
    Buffer<std::int32_t> cells_;    // of all parts, padded positions while listing, then plain
    Buffer<std::int32_t> sea_;      // plain
    Buffer<Part> parts_;
    Buffer<std::uint64_t> ways_;
    // weights_from(i)[m]: ways to place m mines in the parts from i on and the sea, all times the
    // same constant.
    Buffer<double> weights_;
    std::int32_t cell_count_ = 0, sea_count_ = 0, part_count_ = 0;
    std::int64_t way_count_ = 0, left_ = 0, most_ = 0;
};

}  // namespace mines
