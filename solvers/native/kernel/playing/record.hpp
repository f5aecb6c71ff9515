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

enum class Ending : std::uint8_t {
    finished,
    no_room,   // there are more mines than cells that may have a mine
    too_wide,  // counting a position would take too many states
    unsound,   // a proof was wrong
};

// The fields other than `ending` and `won` are counters. The binding shows all fields to Python,
// where csp_mines/games/compiled.py copies them by name into a `Record`.
struct Record {
    Ending ending = Ending::finished;
    bool won = false;
    std::int64_t deduced = 0, guesses = 0, steps = 0;   // counted at every step
    std::int64_t opened = 0, exploded = 0, marked = 0;  // set at the end

    void count(Move::Kind kind) {
        deduced += kind == Move::mark || kind == Move::deduced;
        guesses += kind == Move::guess;
        ++steps;
    }
    void close(const Game& game) {
        won = game.won();
        opened = game.opened_cells;
        exploded = game.exploded;
        marked = game.marked_cells;
    }
};

}  // namespace mines
