// Layouts by number: the mines of layout n of a seed, and a quick test that finds many layouts that
// cannot be won without a guess.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "board/grid.hpp"
#include "randomness/splitmix.hpp"

namespace mines {

// The most cells that a game may have. This bounds the indices of the bits in Knowledge, which must
// fit into 32 bits.
inline constexpr std::int64_t max_game_cells = 1'000'000;

// The size, the mines, the grid and the first cell of a game.
struct Beginning {
    std::int32_t rows = 0, cols = 0, mines = 0;
    std::int32_t row = 0, col = 0;  // of the first cell
    bool zero = false;              // whether the cells around the first cell have no mine, either
    std::vector<std::int32_t> holes;              // plain indices, in ascending order
    std::shared_ptr<const NeighbourTable> table;  // null on the square grid

    std::size_t cells() const {
        return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
    }
};

// Draws layouts without a mine at the first cell and, with Beginning::zero, around it. All such
// layouts are equally likely.
class Layouts {
  public:
    explicit Layouts(const Beginning& start);

    // Draws a layout: one byte per cell, row by row, 1 for a mine.
    const std::uint8_t* draw(Stream& random);
    std::uint8_t* mines() { return mines_.data(); }
    // The plain indices of the cells that may have a mine.
    const std::vector<std::int32_t>& room() const { return room_; }
    bool may_be_mine(std::int32_t cell) const { return may_be_mine_[cell] != 0; }

    // True proves that the layout of the last draw cannot be won without a guess, whatever the
    // engine. The reason is a mine and a safe cell that could change places without changing the
    // number of any other safe cell. With `total_unknown`, a safe cell that has only mines around
    // it is a reason, too. Only square grids without holes are tested, up to 56 columns wide.
    bool hopeless(bool total_unknown);

  private:
    // A row as bits: 1 for a mine or a place outside the board, 0 for a safe cell.
    using Line = std::uint64_t;

    void set_lines();
    Line shifted(std::int32_t row, int columns) const;
    bool swappable(int down, int right, Line first_cell) const;
    bool walled_in() const;

    Beginning start_;
    std::vector<std::int32_t> room_, order_;
    std::vector<std::uint8_t> mines_, may_be_mine_;
    std::vector<Line> lines_;  // of all rows, and of rows above and below the board
};

}  // namespace mines
