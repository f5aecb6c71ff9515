// The board as the kernel holds it: one signed byte per cell in an array with a border of one cell,
// so that every cell has eight neighbours and no loop tests for an edge.
//
// Codes: 0..8 a clue; `hidden`, `marked` (a mine somebody marked), `opened` (a mine somebody
// opened), `blank` (safe, shows no clue; also the border). Propagation rewrites hidden cells to
// `proved_mine` and `proved_safe`.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>

#include "resources/buffer.hpp"

namespace mines {

enum Code : std::int8_t {
    hidden = -1,
    marked = -2,
    opened = -3,
    blank = -4,
    proved_mine = -5,
    proved_safe = -6,
    frontier_open = -7,  // after an analysis: a frontier cell that is not certain
};

struct Grid {
    std::int32_t rows = 0;
    std::int32_t cols = 0;
    std::int32_t stride = 0;  // cols + 2
    std::int32_t size = 0;    // (rows + 2) * stride
    std::uint64_t reciprocal = 0;
    std::int32_t around[8] = {};  // offsets of the eight neighbours, row by row
    Buffer<std::int8_t> storage;

    // Shapes the grid and clears the border. The codes are then filled in by the caller.
    void shape(std::int32_t row_count, std::int32_t col_count);

    std::int8_t* code() { return storage.data() + slack; }
    const std::int8_t* code() const { return storage.data() + slack; }
    std::int8_t* row(std::int32_t r) { return code() + (r + 1) * stride + 1; }

    std::int32_t row_of(std::int32_t position) const {
        return static_cast<std::int32_t>((static_cast<unsigned __int128>(reciprocal) *
                                          static_cast<std::uint32_t>(position)) >>
                                         64) -
               1;
    }
    // Where a position of the padded array lies in a plain rows x cols array.
    std::int32_t plain(std::int32_t position) const {
        assert(on_board(position));
        return position - stride - 1 - 2 * row_of(position);
    }

    // Whether a position is a cell, not the border.
    bool on_board(std::int32_t position) const {
        const std::int32_t row = position / stride, col = position % stride;
        return row >= 1 && row <= rows && col >= 1 && col <= cols;
    }

    static constexpr std::size_t slack = 64;  // room for reading past either end
};

// How many cells lie around a cell of a board of this size.
constexpr int neighbours(std::int32_t row, std::int32_t col, std::int32_t rows, std::int32_t cols) {
    const int down = 1 + (row > 0) + (row + 1 < rows), right = 1 + (col > 0) + (col + 1 < cols);
    return down * right - 1;
}

// Largest number of cells a grid holds.
inline constexpr std::int64_t max_cells = 1'000'000'000;

}  // namespace mines
