// How a game went: its moves, its counters and its end.
#pragma once

#include <cstdint>

#include "playing/game.hpp"

namespace mines {

// One move of a game whose moves are recorded.
struct Move {
    enum Kind : std::uint8_t { start, mark, deduced, guess };
    Kind kind;
    std::int32_t cell;  // a plain index
    double risk;        // the probability that the cell is a mine
    double chance;      // the player's estimate of the win chance; nan if it has none
};

// One step of a game, with the facts that the counters need.
struct Deed {
    Move::Kind kind;
    std::int32_t opened;  // how many cells show something new
};

// The counters of a game, one line each. each_step(NAME, AMOUNT) adds to the counter at every step;
// AMOUNT is computed from the Deed `deed`. at_end(NAME, VALUE) sets the counter when the Game
// `game` is over. The binding shows all counters to Python, where csp_mines/games/compiled.py
// copies them by name into a `Record`.
// clang-format off
#define MINES_COUNTERS(each_step, at_end)                                       \
    each_step(deduced, deed.kind == Move::mark || deed.kind == Move::deduced)   \
    each_step(guesses, deed.kind == Move::guess)                                \
    each_step(steps, 1)                                                         \
    at_end(opened, game.opened_cells)                                           \
    at_end(exploded, game.exploded)                                             \
    at_end(marked, game.marked_cells)
// clang-format on

enum class Ending : std::uint8_t {
    finished,
    no_room,   // there are more mines than cells that may have a mine
    too_wide,  // counting a position would take too many states
    unsound,   // a proof was wrong
};

#define MINES_DECLARE(name, value) std::int64_t name = 0;
#define MINES_ADD(name, amount) name += amount;
#define MINES_SET(name, value) name = value;
#define MINES_VISIT(name, value) visit(#name, &Record::name);
#define MINES_NOTHING(name, value)

struct Record {
    Ending ending = Ending::finished;
    bool won = false;
    MINES_COUNTERS(MINES_DECLARE, MINES_DECLARE)

    void count(const Deed& deed) { MINES_COUNTERS(MINES_ADD, MINES_NOTHING) }
    void close(const Game& game) {
        won = game.won();
        MINES_COUNTERS(MINES_NOTHING, MINES_SET)
    }

    // Calls visit(name, member) for every field.
    template <class Visit>
    static void each_field(Visit visit) {
        visit("ending", &Record::ending);
        visit("won", &Record::won);
        MINES_COUNTERS(MINES_VISIT, MINES_VISIT)
    }
};

#undef MINES_DECLARE
#undef MINES_ADD
#undef MINES_SET
#undef MINES_VISIT
#undef MINES_NOTHING

}  // namespace mines
