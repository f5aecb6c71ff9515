// Passes over the whole board, one byte for each cell. Compilers make vector code of their loops.
// Every array has Grid::slack bytes of room at both ends. Large boards are processed in bands that
// fit into the cache: each stage runs one row ahead of the next stage.
#pragma once

#include <cstdint>
#include <cstring>

#include "board/grid.hpp"
#include "board/model.hpp"

namespace mines {

// What `inspect` found among all clues.
struct Findings {
    bool contradiction = false;  // some clue cannot be true
    bool triggered = false;      // some clue proves its hidden cells
};

// Fills two arrays. kind: 1 for a hidden cell, 16 for a known mine, else 0. around: the sum of kind
// over a cell and its eight neighbours.
void count_around(const Grid& grid, std::uint8_t* kind, std::uint8_t* line, std::uint8_t* around);

// Fills two arrays. active: 1 for a clue with hidden cells around it. trigger: 1 if these cells are
// all mines, 16 if they are all safe; only exact clues write it.
Findings inspect(const Grid& grid, Model model, const std::uint8_t* around, std::uint8_t* active,
                 std::uint8_t* trigger);

// Proves every hidden cell next to a trigger. False: a cell was proved both safe and a mine.
bool apply(Grid& grid, const std::uint8_t* trigger, std::uint8_t* line);

// Fills the array touched: 1 for a hidden cell next to an active clue.
void touch(const Grid& grid, const std::uint8_t* active, std::uint8_t* line, std::uint8_t* touched);

// Counts the bytes of `kind` with bit 0 (hidden cells) and those with bit 4 (known mines).
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
