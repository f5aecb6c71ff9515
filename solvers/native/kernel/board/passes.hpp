// Passes over the whole board, in arrays of one byte for each cell. Compilers make vector code of
// their loops. Every array has Grid::slack bytes of room at both ends. Large boards are processed
// in bands that fit into the cache: each stage of a pass runs one row ahead of the following stage.
#pragma once

#include <cstdint>
#include <cstring>

#include "board/grid.hpp"
#include "board/model.hpp"
#include "resources/buffer.hpp"

namespace mines {

// The number of hidden cells and the number of known mines around a cell.
struct Around {
    std::uint8_t hidden, mines;
};

// The number of hidden cells and the number of known mines around every cell. On the square grid
// one byte holds both numbers: hidden cells in the low half, mines in the high half. So the passes
// over the board can be vector code. On a grid with a table, a cell may have more neighbours
// than half a byte can count. There each number is a byte, and only clues have these numbers.
class Surroundings {
  public:
    void shape(const Grid& grid) {
        listed_here_ = grid.table != nullptr;
        const std::size_t room = grid.size + 2 * Grid::slack;
        if (listed_here_)
            listed_.need(room);
        else
            packed_.need(room);
    }
    Around at(std::int32_t position) const {
        if (listed_here_) return listed()[position];
        const std::uint8_t both = packed()[position];
        return {static_cast<std::uint8_t>(both & 15), static_cast<std::uint8_t>(both >> 4)};
    }
    // Records that a hidden cell beside the cell at `position` was proved safe or a mine.
    void prove(std::int32_t position, bool mine) {
        if (listed_here_) {
            --listed()[position].hidden;
            listed()[position].mines = static_cast<std::uint8_t>(listed()[position].mines + mine);
        } else {
            packed()[position] = static_cast<std::uint8_t>(packed()[position] + (mine ? 15 : -1));
        }
    }
    std::uint8_t* packed() { return packed_.data() + Grid::slack; }
    const std::uint8_t* packed() const { return packed_.data() + Grid::slack; }
    Around* listed() { return listed_.data() + Grid::slack; }
    const Around* listed() const { return listed_.data() + Grid::slack; }

  private:
    bool listed_here_ = false;
    Buffer<std::uint8_t> packed_;
    Buffer<Around> listed_;
};

// What `inspect` reports about all clues together.
struct Findings {
    bool contradiction = false;  // some clue cannot be true
    bool triggered = false;      // some clue proves its hidden cells safe or mines
};

// Fills the array kind (1 for a hidden cell, 16 for a known mine, else 0), and counts the hidden
// cells and the known mines around every cell. On the square grid, a cell that is hidden or a mine
// also counts itself. That does no harm, because only the counts of clues are used.
void count_around(const Grid& grid, std::uint8_t* kind, std::uint8_t* line, Surroundings& around);

// Fills two arrays. active: 1 for a clue with hidden cells around it. trigger: 1 for an exact clue
// that proves that these cells are all mines, 16 for one that proves them all safe, else 0.
Findings inspect(const Grid& grid, Model model, const Surroundings& around, std::uint8_t* active,
                 std::uint8_t* trigger);

// Applies the array trigger: if it is not 0 at a clue, gives every hidden cell beside the clue the
// code proved_mine or proved_safe. False: some cell was proved both safe and a mine.
bool apply(Grid& grid, const std::uint8_t* trigger, std::uint8_t* line);

// Fills the array touched: 1 for a hidden cell next to an active clue.
void touch(const Grid& grid, const std::uint8_t* active, std::uint8_t* line, std::uint8_t* touched);

// Counts the hidden cells (bit 0 of a byte of `kind`) and the known mines (bit 4).
void tally(const Grid& grid, const std::uint8_t* kind, std::int64_t& hidden_cells,
           std::int64_t& mine_cells);

// Calls visit(i) for every i in begin..end-1 whose flag is not 0. Up to 7 flags after the end are
// read and must be 0.
template <class Visit>
void each_set(const std::uint8_t* flags, std::int32_t begin, std::int32_t end, Visit visit) {
    for (std::int32_t i = begin; i < end; i += 8) {
        std::uint64_t word;
        std::memcpy(&word, flags + i, 8);
        while (word != 0) {
            const int byte = __builtin_ctzll(word) >> 3;
            word &= ~(std::uint64_t{255} << 8 * byte);
            visit(i + byte);
        }
    }
}

}  // namespace mines
