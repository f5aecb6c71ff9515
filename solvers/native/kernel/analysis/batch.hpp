// Many boards at once, on several threads. Needs no GIL.
#pragma once

#include <cstdint>
#include <functional>

#include "analysis/analysis.hpp"

namespace mines {

// Calls work(workspace, i, patience) for i in 0..count-1 from `threads` threads (at least one),
// each with a workspace of its own. The calling thread works, too, unless there are others; it asks
// `asked_to_stop` several times a second, and when that says yes everybody stops soon. `work` may
// throw what a Patience throws, which ends the work of its thread, and must not touch Python.
void in_parallel(std::int64_t count, int threads,
                 const std::function<void(Workspace&, std::int64_t, Patience&)>& work,
                 const std::function<bool()>& asked_to_stop);

// How the analysis of one of many boards ended. The first three are outlooks: some layout fits.
enum class BoardStatus : std::int8_t {
    progress,  // something is proved
    guess,     // nothing is
    solved,    // nothing is hidden
    contradiction,
    too_wide,
    out_of_time,
    fault,
};

// Boards of one size, one after the other, each row by row. A total is -1 where there is none.
struct Boards {
    const std::int8_t* codes;
    const std::int64_t* totals;
    std::int64_t count;
    std::int32_t rows, cols;

    std::int64_t cells() const { return static_cast<std::int64_t>(rows) * cols; }
};

// Where the answers go, in the order of the boards. What is not known of a board is nan, false, a
// cell of -1, -1 and -1 states.
struct Answers {
    double* probabilities;  // per cell; nan where it is not hidden
    bool* safe;             // per cell
    bool* mines;            // per cell
    std::int32_t* moves;    // per board, row and column
    BoardStatus* statuses;  // per board
    double* log_counts;     // per board, the logarithm of the number of layouts
    double* errors;         // per board, a bound on the error of its probabilities
    std::int64_t* states;   // per board, those that were counted
};

// The cell to open, as row and column, of the board just analysed; -1, -1 if there is none.
using Choose =
    std::function<void(Workspace&, const Answer&, const double* probabilities, std::int32_t* move)>;

// Answers the question about every board, each with its own total and within `seconds`. Several
// threads share the states and bytes of the question; a board that needs more than a share is
// analysed again afterwards, alone. Stops soon after `asked_to_stop` says yes.
void analyse_boards(const Boards& boards, const Question& question, double seconds, int threads,
                    const Answers& answers, const Choose& choose,
                    const std::function<bool()>& asked_to_stop);

}  // namespace mines
