// Draws layouts of a position whose regions can be counted. Every layout that fits the clues and
// the total is equally likely, and draws are independent.
//
// A region may have too many layouts to list them (see posterior.hpp). So a layout is drawn region
// by region: first the number of mines of the region, then one of its layouts with that number, by
// going back through the states of its elimination. The mines of the sea are drawn last.
#pragma once

#include <cstdint>

#include "analysis/analysis.hpp"
#include "board/grid.hpp"
#include "counting/elimination.hpp"
#include "randomness/splitmix.hpp"
#include "resources/buffer.hpp"
#include "resources/patience.hpp"
#include "searching/shares.hpp"

namespace mines {

class Draws {
  public:
    // Reads a position with `mines` mines in all. If the status is not `fits`, nothing can be
    // drawn.
    Status read(const Grid& board, std::int64_t mines, std::uint64_t max_states,
                Patience& patience);
    // Draws a layout: writes 1 for a mine and 0 for any other cell, row by row.
    void draw(Stream& random, std::uint8_t* flags);

  private:
    void sort_cells();
    Status count_regions(std::uint64_t max_states, Patience& patience);
    void place(const Region& region, Stream& random, std::uint8_t* flags);

    Workspace work_;
    Elimination elimination_;
    Buffer<Trace> traces_;        // one per region
    Buffer<std::uint8_t> known_;  // row by row: 1 for a known mine
    Buffer<std::uint8_t> taken_;  // per box: the mines of the layout that is being drawn
    Buffer<std::int32_t> sea_;    // its cells, as plain indices
    std::int32_t sea_count_ = 0;
    std::int64_t left_ = 0;  // mines that are not known
    Shares shares_;
};

}  // namespace mines
