// Propagation: what single clues, and pairs of clues, prove before anything is counted.
//
// Keeps, for every cell, how many hidden cells and how many known mines lie around it (one byte: the
// low half counts hidden cells, the high half mines), and rewrites proved cells in the grid. Sound
// under every clue model. A contradiction that it meets is reported; one that it does not meet is
// left to the counting.
#pragma once

#include <cstdint>

#include "buffer.hpp"
#include "grid.hpp"
#include "model.hpp"

namespace mines {

struct Propagation {
    Buffer<std::uint8_t> storage;   // hidden and mines around each cell
    Buffer<std::uint8_t> scratch;
    Buffer<std::uint8_t> trigger;
    Buffer<std::int32_t> queue;
    std::int32_t queued = 0;

    std::uint8_t* around() { return storage.data() + Grid::slack; }

    // Counts what lies around every cell and applies each clue alone until nothing changes.
    // False: no layout fits.
    bool single(Grid& grid, Model model);

    // Applies pairs of exact clues (the mines of A outside B against those of B outside A), and
    // single clues again, until nothing changes. `clues` are the positions that still have hidden
    // neighbours. True when a cell was proved.
    bool pairs(Grid& grid, const std::int32_t* clues, std::int32_t count);

  private:
    void count_around(const Grid& grid);
    bool round(Grid& grid);
    void drain(Grid& grid, Model model);
    void prove(Grid& grid, Model model, std::int32_t position, bool mine);
    void consider(const Grid& grid, Model model, std::int32_t position);
    bool pair(Grid& grid, std::int32_t a, std::int32_t b, int rows, int cols);
};

}  // namespace mines
