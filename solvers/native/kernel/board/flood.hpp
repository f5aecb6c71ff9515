// Floods: opening a 0 opens the cells around it, and so on.
#pragma once

#include <algorithm>
#include <cstdint>

#include "board/grid.hpp"

namespace mines {

// Shows a cell and, ring by ring, what floods open from there. `numbers` has what each cell shows,
// by position. `show(position)` shows a cell; `closed(position)` tells whether it is not shown yet.
// Adds the cells to `shown` in order, from `count` on. As in csp_mines.games.game, a ring around
// many zeros goes in reading order.
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
            for (const std::int32_t offset : board.around)
                if (closed(shown[ring] + offset)) add(shown[ring] + offset);
        }
        if (sorted) std::sort(shown + end, shown + count);
    }
}

}  // namespace mines
