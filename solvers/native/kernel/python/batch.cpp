// The Python side of the analysis of many boards at once: arrays in, arrays out, and no Python
// object per board.
#include "analysis/batch.hpp"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <string>

#include "playing/safest.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"
#include "python/checks.hpp"
#include "python/long_work.hpp"

namespace nb = nanobind;

namespace mines {

namespace {

template <class T, int dimensions>
using Dense = nb::ndarray<T, nb::ndim<dimensions>, nb::c_contig, nb::device::cpu>;

template <class Array>
void require_shape(const Array& array, const Boards& boards, bool cells, const char* what) {
    bool good = static_cast<std::int64_t>(array.shape(0)) == boards.count;
    if (cells)
        good = good && static_cast<std::int64_t>(array.shape(1)) == boards.rows &&
               static_cast<std::int64_t>(array.shape(2)) == boards.cols;
    require(good, what);
}

void check(const Boards& boards, double odds, double seconds) {
    const std::int64_t rows = boards.rows, cols = boards.cols;
    require(rows >= 1 && cols >= 1 && (rows + 2) * (cols + 2) <= max_cells,
            "a board must have at least one cell, and not too many");
    // The largest code, counted from `blank` on. A code below `blank` wraps to a large number.
    std::uint8_t highest = 0;
    for (std::int64_t i = 0; i < boards.count * boards.cells(); ++i)
        highest = std::max(highest, static_cast<std::uint8_t>(boards.codes[i] - blank));
    const int largest = boards.table == nullptr ? square_neighbours : boards.table->most;
    require(highest <= largest - blank,
            ("a code must be -4 to " + std::to_string(largest)).c_str());
    for (std::int64_t i = 0; i < boards.count; ++i)
        require(boards.totals[i] >= -1, "mines must not be negative");
    check_odds(odds);
    check_seconds(seconds);
}

void analyze_batch(const Dense<const std::int8_t, 3>& codes,
                   const Dense<const std::int64_t, 1>& totals, double odds, Model model,
                   std::uint64_t max_states, double seconds, int threads, std::uint64_t max_bytes,
                   double alike, const Dense<double, 3>& probabilities, const Dense<bool, 3>& safe,
                   const Dense<bool, 3>& mine, const Dense<std::int32_t, 2>& moves,
                   const Dense<std::int8_t, 1>& statuses, const Dense<double, 1>& log_counts,
                   const Dense<double, 1>& errors, const Dense<std::int64_t, 1>& states,
                   const HeldTable* table) {
    require(codes.shape(1) <= max_cells && codes.shape(2) <= max_cells, "the boards are too large");
    const Boards boards{codes.data(),
                        totals.data(),
                        static_cast<std::int64_t>(codes.shape(0)),
                        static_cast<std::int32_t>(codes.shape(1)),
                        static_cast<std::int32_t>(codes.shape(2)),
                        table_of(table)};
    check_table(boards.table.get(), boards.rows, boards.cols);
    require_shape(totals, boards, false, "expected one total for each board");
    require_shape(probabilities, boards, true, "probabilities have the wrong shape");
    require_shape(safe, boards, true, "safe has the wrong shape");
    require_shape(mine, boards, true, "mines have the wrong shape");
    require_shape(moves, boards, false, "moves have the wrong shape");
    require_shape(statuses, boards, false, "statuses have the wrong shape");
    require_shape(log_counts, boards, false, "log_counts have the wrong shape");
    require_shape(errors, boards, false, "errors have the wrong shape");
    require_shape(states, boards, false, "states have the wrong shape");
    require(moves.shape(1) == 2, "moves have the wrong shape");
    check(boards, odds, seconds);
    Question question;
    question.prior.odds = odds;
    question.model = model;
    question.max_states = max_states;
    question.max_bytes = max_bytes;
    const Answers answers{probabilities.data(),
                          safe.data(),
                          mine.data(),
                          moves.data(),
                          reinterpret_cast<BoardStatus*>(statuses.data()),
                          log_counts.data(),
                          errors.data(),
                          states.data()};
    const auto choose = [alike](Workspace& work, const Answer& answer, const double* risks,
                                std::int32_t* move) {
        const Safest cell = safest_move(work.grid, answer.sea_verdict, risks, alike).cell;
        move[0] = cell.row;
        move[1] = cell.col;
    };
    without_gil(
        [&] { analyse_boards(boards, question, seconds, threads, answers, choose, signalled); });
}

}  // namespace

void bind_batch(Scope& kernel) {
    nb::enum_<BoardStatus>(kernel, "BoardStatus", nb::is_arithmetic(),
                           "How an analysis ended: one of the first three if some layout fits.")
        .value("PROGRESS", BoardStatus::progress)
        .value("GUESS", BoardStatus::guess)
        .value("SOLVED", BoardStatus::solved)
        .value("CONTRADICTION", BoardStatus::contradiction)
        .value("TOO_WIDE", BoardStatus::too_wide)
        .value("OUT_OF_TIME", BoardStatus::out_of_time)
        .value("FAULT", BoardStatus::fault,
               "The probabilities do not fit the clues and the total: a defect.");
    kernel.def_static(
        "analyze_batch", &analyze_batch, nb::arg("boards").noconvert(),
        nb::arg("totals").noconvert(), nb::arg("odds"), nb::arg("model"), nb::arg("max_states"),
        nb::arg("seconds"), nb::arg("threads"), nb::arg("max_bytes"), nb::arg("alike"),
        nb::arg("probabilities").noconvert(), nb::arg("safe").noconvert(),
        nb::arg("mine").noconvert(), nb::arg("moves").noconvert(), nb::arg("statuses").noconvert(),
        nb::arg("log_counts").noconvert(), nb::arg("errors").noconvert(),
        nb::arg("states").noconvert(), nb::arg("table").none() = nb::none(),
        "Analyse boards of one size on several threads, and write the answers into arrays.\n"
        "A total is -1 if there is none; then the odds of a mine at any cell are `odds` to one.\n"
        "If the status of a board is not one of the first three, its probabilities are nan, its\n"
        "masks are False, and its move is -1, -1.");
}

}  // namespace mines
