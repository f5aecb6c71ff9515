// Sets of joined hidden cells. Two cells around the same clue are joined, and so are two cells that
// are joined with the same third cell.
#pragma once

#include <cstdint>

#include "board/grid.hpp"
#include "resources/buffer.hpp"

namespace mines {

class Joined {
  public:
    Buffer<std::int32_t> cells, clues;  // positions, in the order in which they were reached
    std::int32_t cell_count = 0, clue_count = 0;

    // Forgets all cells and clues, and begins with a new board.
    void begin(const Grid& board);
    // Whether a cell was reached since begin().
    bool has(std::int32_t position) const { return reached_[position] != 0; }
    // Adds a hidden cell, the hidden cells that are joined with it, and the clues that join them.
    // With `touching`, hidden cells that touch are joined, too.
    void add(const Grid& board, std::int32_t start, bool touching);

  private:
    void add_cell(const Grid& board, std::int32_t position);

    Buffer<std::uint8_t> reached_;
};

}  // namespace mines
