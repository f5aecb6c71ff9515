// Draws layouts of a position. Every layout that fits the clues and the total is equally likely,
// and draws are independent.
//
// The layouts of every region are listed by their number of mines. A layout is drawn region by
// region: first the number of mines of the region (shares.hpp), then one of its layouts with that
// number. The mines of the sea are drawn last.
#pragma once

#include <cstdint>

#include "board/grid.hpp"
#include "randomness/splitmix.hpp"
#include "resources/buffer.hpp"
#include "searching/fitting.hpp"
#include "searching/joined.hpp"
#include "searching/shares.hpp"

namespace mines {

class Posterior {
  public:
    // Reads a position with `mines` mines in all. False: some region has more than
    // Fitting::max_cells cells or too many layouts, or no layout fits.
    bool read(const Grid& board, std::int64_t mines);
    // Draws a layout: one flag for each cell, row by row.
    void draw(Stream& random, std::uint8_t* flags);

  private:
    // A region whose layouts are listed.
    struct Part {
        std::int32_t first_cell;  // index into joined_.cells
        std::int32_t cells;
        std::int64_t first_way;  // index into ways_, which has the layouts by number of mines
        // begin[k]: where the layouts with k mines begin, counted from first_way.
        std::int32_t begin[Fitting::max_cells + 2];
    };

    void begin(const Grid& board);
    bool gather(const Grid& board, std::int32_t start);
    bool list_part(const Grid& board);
    void place_ways(Part& part);

    Fitting fitting_;
    std::int32_t rows_ = 0, cols_ = 0;
    Buffer<std::uint8_t> known_;  // row by row: 1 for a known mine
    Joined joined_;  // cells by region: positions until its layouts are listed, then plain indices
    Buffer<std::int32_t> sea_;  // plain indices (see Shape)
    Buffer<Part> parts_;
    Buffer<std::uint64_t> ways_;
    Shares shares_;
    std::int32_t sea_count_ = 0, part_count_ = 0;
    std::int64_t way_count_ = 0, left_ = 0;
};

}  // namespace mines
