// Many boards at once, on several threads. Needs no GIL.
#pragma once

#include <cstdint>
#include <functional>

#include "analysis/analysis.hpp"

namespace mines {

// Calls work(workspace, i, patience) for i in 0..count-1, on `threads` threads (at least one). Each
// thread has its own workspace. The calling thread works only if no other thread can be started.
// It calls `asked_to_stop` several times a second; if that is true, all threads stop soon. `work`
// must not use Python. If `work` throws Interrupted, all threads stop. If it throws std::bad_alloc,
// only the thread that called it stops.
void in_parallel(std::int64_t count, int threads,
                 const std::function<void(Workspace&, std::int64_t, Patience&)>& work,
                 const std::function<bool()>& asked_to_stop);

// How the analysis of a board ended. The first three mean that some layout fits.
enum class BoardStatus : std::int8_t {
    progress,  // something is proved
    guess,     // nothing is proved
    solved,    // nothing is hidden
    contradiction,
    too_wide,
    out_of_time,
    fault,
};

// Boards of one size, one after the other, each row by row. The total of a board is -1 if it is
// unknown.
struct Boards {
    const std::int8_t* codes;
    const std::int64_t* totals;
    std::int64_t count;
    std::int32_t rows, cols;
    std::shared_ptr<const NeighbourTable> table;  // null: the square grid

    std::int64_t cells() const { return static_cast<std::int64_t>(rows) * cols; }
};

// Arrays for the answers, in the order of the boards. An unknown value is nan or false; an unknown
// move is -1, -1; an unknown number of states is -1.
struct Answers {
    double* probabilities;  // per cell; nan if the cell is not hidden
    bool* safe;             // per cell
    bool* mines;            // per cell
    std::int32_t* moves;    // per board, row and column
    BoardStatus* statuses;  // per board
    double* log_counts;     // per board, the logarithm of the number of layouts
    double* errors;         // per board, a bound on the error of its probabilities
    std::int64_t* states;   // per board, how many were counted
};

// Writes the cell to open on the board just analysed, as row and column; -1, -1 if there is none.
using Choose =
    std::function<void(Workspace&, const Answer&, const double* probabilities, std::int32_t* move)>;

// Answers the question about every board. Each board has its own total, and each may take
// `seconds`. The threads divide the allowed states and bytes between them. A board that needs more
// than one thread's share is analysed again at the end, alone. Stops soon after `asked_to_stop`
// returns true.
void analyse_boards(const Boards& boards, const Question& question, double seconds, int threads,
                    const Answers& answers, const Choose& choose,
                    const std::function<bool()>& asked_to_stop);

}  // namespace mines
