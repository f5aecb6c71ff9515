// Floods: opening a 0 opens the cells around it, and every 0 among these does the same.
#pragma once

#include <algorithm>
#include <cstdint>

#include "board/grid.hpp"

namespace mines {

// Shows a cell and, ring by ring, the cells that the flood opens from there. `numbers` has the
// number of each cell, by position. `show(position)` shows a cell; `closed(position)` says whether
// a cell is not shown yet. The cells are added to `shown` in order, from index `count` on. If a
// ring has many zeros, the next ring is sorted into reading order, as in csp_mines.games.game.
template <class Closed, class Show>
void flood(const Shape& board, const std::int8_t* numbers, std::int32_t position,
           std::int32_t* shown, std::int32_t& count, Closed closed, Show show) {
    constexpr std::int32_t many = 256;
    std::int32_t zeros = 0;
    const auto add = [&](std::int32_t at) {
        show(at);
        shown[count++] = at;
        zeros += numbers[at] == 0;
    };
    std::int32_t ring = count;
    add(position);
    while (zeros > 0) {
        const bool sorted = zeros >= many;
        const std::int32_t end = count;
        zeros = 0;
        for (; ring < end; ++ring) {
            if (numbers[shown[ring]] != 0) continue;
            for (const std::int32_t other : board.beside(shown[ring]))
                if (closed(other)) add(other);
        }
        if (sorted) std::sort(shown + end, shown + count);
    }
}

}  // namespace mines
