// The single-clue rule: what one clue proves by itself about the hidden cells around it.
// Propagation, its passes over the whole board, the graded engine `single` and games all apply this
// rule. Each keeps its own queue of clues: a game must deduce in the order of
// csp_mines.games.knowledge, a graded engine must be able to undo its deductions, and propagation
// must keep nothing between boards.
#pragma once

#include <cstdint>

#include "board/model.hpp"

namespace mines {

enum class Proof : std::uint8_t { nothing, all_safe, all_mines };

// Whether a clue that allows `low` to `high` mines among `cells` hidden cells proves that all of
// them are safe, or that all of them are mines. Other code reports a clue that cannot be true.
template <class Int>
constexpr bool proves_safe(Int high) {
    return high == 0;
}
template <class Int>
constexpr bool proves_mines(Int low, Int cells) {
    return low == cells;
}

constexpr Proof single_clue(const Bounds& bounds, int cells) {
    if (cells == 0) return Proof::nothing;
    if (proves_safe(bounds.high)) return Proof::all_safe;
    return proves_mines(bounds.low, cells) ? Proof::all_mines : Proof::nothing;
}

// The same for an exact clue with `left` mines to find among `cells` hidden cells.
constexpr Proof single_clue(int left, int cells) {
    return single_clue(Bounds{left, left}, cells);
}

}  // namespace mines
