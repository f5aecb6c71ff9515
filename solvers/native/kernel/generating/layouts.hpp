// Layouts by the number: which mines the n-th layout of a seed has, and a quick look that finds
// many layouts which nobody can win without a guess.
#pragma once

#include <cstdint>
#include <vector>

#include "randomness/splitmix.hpp"

namespace mines {

// Largest number of cells that games are played on: bits of a board are counted in 32 bits.
inline constexpr std::int64_t max_game_cells = 1'000'000;

// The size of a game and where it begins.
struct Beginning {
    std::int32_t rows = 0, cols = 0, mines = 0;
    std::int32_t row = 0, col = 0;  // of the first cell
    bool zero = false;              // no mine around the first cell either

    bool clear(std::int32_t r, std::int32_t c) const {
        const std::int32_t high = r > row ? r - row : row - r, wide = c > col ? c - col : col - c;
        return (high > wide ? high : wide) <= (zero ? 1 : 0);
    }
};

// Stream layouts; one for each number, all those without a mine where the start is clear alike.
class Layouts {
  public:
    explicit Layouts(const Beginning& start);

    // One byte a cell, row by row, 1 for a mine.
    const std::uint8_t* draw(Stream& random);
    std::uint8_t* mines() { return mines_.data(); }
    // Where mines may be, in plain cells.
    const std::vector<std::int32_t>& room() const { return room_; }

    // True is a proof that the layout of the last draw cannot be won without a guess, whatever
    // engine plays: a mine and a safe cell could change places and no other safe cell would show
    // it. With `total_unknown` also a safe cell all of whose neighbours are mines proves that.
    bool hopeless(bool total_unknown);

  private:
    using Line = std::uint64_t;

    void set_lines();
    Line shifted(std::int32_t row, int columns) const;
    bool swappable(int down, int right, Line first_cell) const;
    bool walled_in() const;

    Beginning start_;
    std::vector<std::int32_t> room_, order_;
    std::vector<std::uint8_t> mines_;
    std::vector<Line> lines_;  // mines and everything outside the board, with two rows on each side
};

}  // namespace mines
