// The move of a player on one board that somebody asked about.
#pragma once

#include <cmath>
#include <cstdint>

#include "analysis/analysis.hpp"
#include "board/grid.hpp"
#include "playing/player.hpp"

namespace mines {

struct Asked {
    Grid board;
    bool total;
    std::int64_t mines;
    std::uint64_t max_states;
};

struct Advice {
    Status status = Status::fits;
    std::int32_t row = -1, col = -1;  // -1: nothing to open
    double risk = 0, chance = std::nan("");
    bool exact = false;
    Reason reason = Reason::proved;
    std::int64_t layouts = 0;                               // that were searched
    std::int64_t look_ahead = 0, search = 0, playouts = 0;  // steps of work
};

// Turns what an analysis made of a board into a position: proved mines are marked, everything else
// that was hidden is hidden again.
void settle(Grid& board, const Answer& answer);

// The move on a board as an analysis left it, with what that found. Needs no GIL.
Advice choose_move(Asked& asked, const Answer& answer, const double* probabilities, Player& player,
                   Patience& patience);

}  // namespace mines
