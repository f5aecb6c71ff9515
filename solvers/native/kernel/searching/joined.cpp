#include "searching/joined.hpp"

#include <cstring>

namespace mines {

void Joined::begin(const Grid& board) {
    const std::size_t size = static_cast<std::size_t>(board.size);
    std::memset(reached_.need(size), 0, size);
    cells.need(size);
    clues.need(size);
    cell_count = clue_count = 0;
}

void Joined::add_cell(const Grid& board, std::int32_t position) {
    if (board.code()[position] != hidden || reached_[position] != 0) return;
    reached_[position] = 1;
    cells[cell_count++] = position;
}

void Joined::add(const Grid& board, std::int32_t start, bool touching) {
    std::int32_t at = cell_count;
    for (add_cell(board, start); at < cell_count; ++at)
        for (const std::int32_t other : board.beside(cells[at])) {
            if (touching) add_cell(board, other);
            if (board.code()[other] < 0 || reached_[other] != 0) continue;
            reached_[other] = 1;
            clues[clue_count++] = other;
            for (const std::int32_t cell : board.beside(other)) add_cell(board, cell);
        }
}

}  // namespace mines
