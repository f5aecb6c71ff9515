// The single-clue rule: what one clue proves by itself about the hidden cells around it.
// Three classes apply this rule: Propagation, Knowledge (for the graded engines) and Match (for
// games). Each keeps a queue of clues of its own: Match must deduce in the order of
// csp_mines.games.knowledge, Knowledge must be able to undo its deductions, and Propagation must
// keep nothing between boards. The passes over the whole board (passes.hpp) apply the rule, too.
#pragma once

#include <cstdint>

#include "board/model.hpp"

namespace mines {

enum class Proof : std::uint8_t { nothing, all_safe, all_mines };

// These functions are about a clue that allows `low` to `high` mines among `cells` hidden cells.
// They say whether the clue proves all of the cells safe, or proves all of them mines. They do not
// detect a clue that cannot be true. Passes over the whole board ask for 16 clues at once.
template <class Int>
constexpr auto proves_safe(Int high) {
    return high == 0;
}
template <class Int>
constexpr auto proves_mines(Int low, Int cells) {
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
