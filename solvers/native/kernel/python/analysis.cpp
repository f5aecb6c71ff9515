// The Python side of an analysis. One call reads the board, analyses it and keeps the answer in a
// Result. The masks and sets of cells, and the logarithm of the number of solutions, are computed
// when the caller reads them.
#include "analysis/analysis.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <optional>
#include <tuple>

#include "playing/advice.hpp"
#include "playing/safest.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"
#include "python/checks.hpp"
#include "python/long_work.hpp"
#include "resources/threads.hpp"

namespace nb = nanobind;

namespace mines {

namespace {

// What remains to do on a board, if the board has a solution.
enum class Outlook : std::uint8_t {
    progress,  // some cell is proved
    guess,     // no cell is proved
    solved,    // no cell is hidden
};

// The cell to open, its risk, the number of equally safe cells, and whether the cell is proved
// safe.
using Chosen = std::tuple<std::tuple<std::int32_t, std::int32_t>, double, std::int32_t, bool>;

class Result {
  public:
    Answer answer;
    Doubles probabilities;
    const double* probabilities_data = nullptr;  // held by `probabilities`
    Grid grid;                                   // as rewritten by the analysis

    template <class Visit>
    void each_certain(Verdict verdict, Visit visit) const {
        for (std::int32_t r = 0; r < grid.rows; ++r)
            for (std::int32_t c = 0; c < grid.cols; ++c)
                if (answer.verdict_of(grid.row(r)[c]) == verdict) visit(r, c);
    }
    Flags mask(Verdict verdict) const {
        bool* flags = nullptr;
        Flags array = made<Flags>(new_flags(grid.rows, grid.cols, &flags));
        std::memset(flags, 0, grid.cells());
        each_certain(verdict, [&](std::int32_t r, std::int32_t c) {
            flags[static_cast<std::int64_t>(r) * grid.cols + c] = true;
        });
        return array;
    }
    // The board as the caller gave it: proved cells are hidden again.
    Codes board() const { return made<Codes>(new_codes(grid, false)); }
    Outlook outlook() const {
        const bool sea = grid.has(hidden);
        if (grid.has(proved_safe) || grid.has(proved_mine)) return Outlook::progress;
        if (sea && answer.sea_verdict != Verdict::open) return Outlook::progress;
        return sea || grid.has(frontier_open) ? Outlook::guess : Outlook::solved;
    }
    // The cell to open. None: no cell is hidden, or all hidden cells are proved mines. Risks that
    // differ by less than `alike` are equal.
    std::optional<Chosen> safest(double alike) const {
        const SafestMove move = safest_move(grid, answer.sea_verdict, probabilities_data, alike);
        const Safest& cell = move.cell;
        if (cell.count == 0) return std::nullopt;
        return Chosen({cell.row, cell.col}, cell.risk, cell.count, move.proved);
    }
    // The move of a player with this strength. `mines` is -1 if the player is not told the total.
    Advice best_move(std::int64_t mines, const Strength& strength, std::uint64_t max_states) const {
        Asked asked;
        asked.board.copy(grid);
        asked.total = mines >= 0;
        asked.mines = mines;
        asked.max_states = max_states;
        Lease<Player> player;
        (*player).strength = strength;
        return while_listening([&](Patience& patience) {
            return choose_move(asked, answer, probabilities_data, *player, patience);
        });
    }
    CellSet cells(Verdict verdict) const {
        nb::list list;
        each_certain(verdict,
                     [&](std::int32_t r, std::int32_t c) { list.append(nb::make_tuple(r, c)); });
        return made<CellSet>(PyFrozenSet_New(list.ptr()));
    }
};

Result* analyze(nb::handle board, std::int64_t mines, double odds, Model model,
                std::uint64_t max_states, double seconds, Memory* memory, std::uint64_t max_bytes,
                const HeldTable* table) {
    require(mines >= -1, "mines must not be negative");
    check_odds(odds);
    check_seconds(seconds);
    Lease<Workspace> lease;
    Workspace& work = *lease;
    if (!read_board(board.ptr(), work.grid, table_of(table))) throw nb::python_error();
    auto result = std::make_unique<Result>();
    double* probabilities = nullptr;
    result->probabilities =
        made<Doubles>(new_doubles(work.grid.rows, work.grid.cols, &probabilities));
    freeze(result->probabilities.ptr());
    result->probabilities_data = probabilities;
    {
        Patience patience;
        LongWork long_work(patience, seconds);
        Question question;
        question.prior = {mines >= 0, mines, odds};
        question.model = model;
        question.max_states = max_states;
        question.max_bytes = max_bytes;
        question.memory = memory;
        question.count_others = true;
        result->answer = work.analyse(question, probabilities, patience);
    }
    if (result->answer.status == Status::interrupted) throw nb::python_error();
    result->grid.copy(work.grid);
    return result.release();
}

void bind_analysis_enums(Scope& kernel) {
    nb::enum_<Status>(kernel, "Status", nb::is_arithmetic(), "How an analysis ended.")
        .value("FITS", Status::fits)
        .value("CONTRADICTION", Status::contradiction)
        .value("TOO_WIDE", Status::too_wide)
        .value("OUT_OF_TIME", Status::out_of_time)
        .value("FAULT", Status::fault,
               "The probabilities do not fit the clues and the total: a defect.");
    nb::enum_<Outlook>(kernel, "Outlook", "What can be done on a board that some layout fits.")
        .value("PROGRESS", Outlook::progress)
        .value("GUESS", Outlook::guess)
        .value("SOLVED", Outlook::solved);
    nb::enum_<Model>(kernel, "Model", "The clue models. EXACT also serves silent clues.")
        .value("EXACT", Model::exact)
        .value("OPTIMISTIC", Model::optimistic)
        .value("CAUTIOUS", Model::cautious);
}

void bind_result(Scope& kernel) {
    nb::class_<Result>(
        kernel, "Result",
        "The answer of an analysis. If its status is not FITS, only `states` and `board` mean\n"
        "anything. With TOO_WIDE, `states` is the number at which counting gave up; then\n"
        "`probabilities` has the risks of the regions that are not too wide, without the total.")
        .def_prop_ro("status", [](const Result& r) { return r.answer.status; })
        .def_prop_ro("states", [](const Result& r) { return r.answer.states; })
        .def_prop_ro("outlook", &Result::outlook)
        .def("safest", &Result::safest, nb::arg("alike"),
             "Return the cell to open by the rule of `csp_mines.analysis.move`, its risk, the\n"
             "number of equally safe cells (risks that differ by less than `alike` are equal),\n"
             "and whether it is proved safe. Return None if all hidden cells are proved mines.")
        .def("best_move", &Result::best_move, nb::arg("mines"), nb::arg("strength"),
             nb::arg("max_states"),
             "Return the player's move on the board. `mines` is -1 without a total.")
        .def_prop_ro(
            "error", [](const Result& r) { return r.answer.error; },
            "A bound on the error of every probability.")
        .def_prop_ro("log_solutions", [](const Result& r) { return r.answer.log_count(); })
        .def_prop_ro("probabilities", [](const Result& r) { return r.probabilities; })
        .def_prop_ro("board", &Result::board)
        .def_prop_ro("safe", [](const Result& r) { return r.cells(Verdict::safe); })
        .def_prop_ro("mines", [](const Result& r) { return r.cells(Verdict::mine); })
        .def_prop_ro("safe_mask", [](const Result& r) { return r.mask(Verdict::safe); })
        .def_prop_ro("mine_mask", [](const Result& r) { return r.mask(Verdict::mine); });
}

void bind_table(Scope& kernel) {
    using Numbers = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
    nb::class_<HeldTable>(kernel, "Table",
                          "The neighbours of all cells of a board, at most 99 each.")
        .def(
            "__init__",
            [](HeldTable* made, std::int32_t rows, std::int32_t cols, int most,
               const Numbers& starts, const Numbers& cells) {
                new (made) HeldTable{std::make_shared<NeighbourTable>(
                    rows, cols, most, starts.data(), starts.size(), cells.data(), cells.size())};
            },
            nb::arg("rows"), nb::arg("cols"), nb::arg("most"), nb::arg("starts"), nb::arg("cells"),
            "Make a table. The neighbours of cell i are `cells[starts[i]:starts[i + 1]]`; `most`\n"
            "is the largest clue of the grid. Raises ValueError if the lists do not fit this.");
}

void bind_memory(Scope& kernel) {
    nb::class_<Memory>(kernel, "Memory", "Counted regions that are kept between calls.")
        .def(nb::init<std::size_t>(), nb::arg("max_bytes"))
        .def("__len__", &Memory::size)
        .def_prop_ro("bytes", &Memory::bytes)
        .def_prop_ro("hits", &Memory::hits)
        .def_prop_ro("misses", &Memory::misses);
}

}  // namespace

void bind_analysis(Scope& kernel) {
    bind_analysis_enums(kernel);
    bind_table(kernel);
    bind_result(kernel);
    bind_memory(kernel);
    kernel.def_static(
        "analyze", &analyze, nb::arg("board").none(), nb::arg("mines"), nb::arg("odds"),
        nb::arg("model"), nb::arg("max_states"), nb::arg("seconds"), nb::arg("memory").none(),
        nb::arg("max_bytes") = default_bytes, nb::arg("table").none() = nb::none(),
        nb::rv_policy::take_ownership,
        "Analyse a board. `mines` is -1 without a total; then the odds of a mine at any cell are\n"
        "`odds` to one. Without a `table`, the grid is square. Raises TypeError or ValueError if\n"
        "`board` is not a valid board.");
}

}  // namespace mines
