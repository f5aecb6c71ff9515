// Finds the move of a player on one board.
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
    std::int32_t row = -1, col = -1;  // -1: no cell is left to open
    double risk = 0;
    Choice choice{-1, std::nan(""), false, Reason::proved, 0};
    std::int64_t look_ahead = 0, search = 0, playouts = 0;  // steps of work
};

// Analyses a board, marks the proved mines on it, and returns the analysis. If its status is not
// `fits`, the board stays unchanged. Needs no GIL.
Answer mark_proved(Asked& asked, Workspace& work, Patience& patience);

// Chooses the move on `asked.board`, on which the analysis wrote its verdicts. Needs no GIL.
Advice choose_move(Asked& asked, const Answer& answer, const double* probabilities, Player& player,
                   Patience& patience);

}  // namespace mines
