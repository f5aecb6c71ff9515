// The Python side of an analysis. One call reads the board, analyses it and holds the outcome in a
// Result; what a caller may not ask for (masks, sets, the logarithm) is made when asked for.
#include "analysis/analysis.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <tuple>

#include "playing/advice.hpp"
#include "playing/safest.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"
#include "python/long_work.hpp"

namespace nb = nanobind;

namespace mines {

namespace {

// How things stand on a board that some layout fits.
enum class Outlook : std::uint8_t {
    progress,  // something is proved
    guess,     // nothing is
    solved,    // nothing is hidden
};

// The cell to open, its risk, how many are as safe and whether it is proved.
using Chosen = std::tuple<std::tuple<std::int32_t, std::int32_t>, double, std::int32_t, bool>;

class Result {
  public:
    Answer answer;
    Doubles probabilities;
    const double* probabilities_data = nullptr;  // held by `probabilities`
    std::int32_t rows = 0, cols = 0;
    std::unique_ptr<std::int8_t[]> codes;  // rows x (cols + 2), from the first cell on

    void keep_codes(Grid& grid) {
        rows = grid.rows;
        cols = grid.cols;
        const std::size_t bytes =
            rows > 0 ? static_cast<std::size_t>(rows) * static_cast<std::size_t>(grid.stride) : 1;
        codes.reset(new std::int8_t[bytes]);
        if (rows > 0) std::memcpy(codes.get(), grid.row(0), bytes - 2);
    }

    template <class Visit>
    void each_certain(Verdict verdict, Visit visit) const {
        const std::int8_t wanted = verdict == Verdict::safe ? proved_safe : proved_mine;
        const bool sea = answer.sea_verdict == verdict;
        for (std::int32_t r = 0; r < rows; ++r) {
            const std::int8_t* row = codes.get() + static_cast<std::ptrdiff_t>(r) * (cols + 2);
            for (std::int32_t c = 0; c < cols; ++c)
                if (row[c] == wanted || (sea && row[c] == hidden)) visit(r, c);
        }
    }
    Flags mask(Verdict verdict) const {
        bool* flags = nullptr;
        Flags array = made<Flags>(new_flags(rows, cols, &flags));
        std::memset(flags, 0, static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
        each_certain(verdict, [&](std::int32_t r, std::int32_t c) {
            flags[static_cast<std::int64_t>(r) * cols + c] = true;
        });
        return array;
    }
    // The board as it was given: everything that was proved is hidden again.
    Codes board() const {
        std::int8_t* out = nullptr;
        Codes array = made<Codes>(new_codes(rows, cols, &out));
        const std::int32_t width = cols;
        for (std::int32_t r = 0; r < rows; ++r, out += width) {
            const std::int8_t* row = codes.get() + static_cast<std::ptrdiff_t>(r) * (width + 2);
            for (std::int32_t c = 0; c < width; ++c)
                out[c] = row[c] <= proved_mine ? std::int8_t{hidden} : row[c];
        }
        return array;
    }
    Outlook outlook() const {
        bool any = false;
        const std::int8_t sea_code = answer.sea_verdict == Verdict::open ? hidden : 0;
        for (std::int32_t r = 0; r < rows; ++r) {
            const std::int8_t* row = codes.get() + static_cast<std::ptrdiff_t>(r) * (cols + 2);
            for (std::int32_t c = 0; c < cols; ++c) {
                if (row[c] == proved_safe || row[c] == proved_mine) return Outlook::progress;
                if (row[c] == hidden && sea_code == 0) return Outlook::progress;
                any |= row[c] == hidden || row[c] == frontier_open;
            }
        }
        return any ? Outlook::guess : Outlook::solved;
    }
    // The cell to open. None when there is nothing but proved mines.
    std::optional<Chosen> safest(double alike) const {
        const Analysed board{codes.get(), rows, cols, answer.sea_verdict};
        const SafestMove move = safest_move(board, probabilities_data, alike);
        const Safest& cell = move.cell;
        if (cell.count == 0) return std::nullopt;
        return Chosen({cell.row, cell.col}, cell.risk, cell.count, move.proved);
    }
    // Where a player moves that is told the number of mines, -1 for none.
    Advice best_move(std::int64_t mines, const Strength& strength, std::uint64_t max_states) const {
        if (rows == 0) throw nb::value_error("there is no cell");
        Asked asked;
        asked.board.shape(rows, cols);
        asked.total = mines >= 0;
        asked.mines = mines;
        asked.max_states = max_states;
        const std::size_t bytes =
            static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols + 2);
        std::memcpy(asked.board.row(0), codes.get(), bytes - 2);
        Lease<Player> player;
        (*player).strength = strength;
        Listener listener;
        Advice advice;
        listener.run([&] {
            advice = choose_move(asked, answer, probabilities_data, *player, listener.patience);
        });
        return advice;
    }
    CellSet cells(Verdict verdict) const {
        nb::list list;
        each_certain(verdict,
                     [&](std::int32_t r, std::int32_t c) { list.append(nb::make_tuple(r, c)); });
        return made<CellSet>(PyFrozenSet_New(list.ptr()));
    }
};

struct Terms {
    std::int64_t mines;  // -1: no total
    double odds;
    Model model;
    std::uint64_t max_states;
    std::uint64_t max_bytes;
    double seconds;  // infinite: no limit

    Question question() const {
        Question question;
        question.prior.total = mines >= 0;
        question.prior.mines = mines;
        question.prior.odds = odds;
        question.model = model;
        question.max_states = max_states;
        question.max_bytes = max_bytes;
        return question;
    }
};

void check(const Terms& terms) {
    if (terms.mines < -1) throw nb::value_error("mines must not be negative");
    if (!(terms.odds > 0) || std::isinf(terms.odds))
        throw nb::value_error("odds must be positive and finite");
    if (!(terms.seconds >= 0)) throw nb::value_error("seconds must not be negative");
}

// A result with room for the probabilities of the board in `grid`.
std::unique_ptr<Result> new_result(const Grid& grid, double** probabilities) {
    auto result = std::make_unique<Result>();
    result->probabilities = made<Doubles>(new_doubles(grid.rows, grid.cols, probabilities));
    freeze(result->probabilities.ptr());
    result->probabilities_data = *probabilities;
    return result;
}

Result* analyze(nb::handle board, std::int64_t mines, double odds, Model model,
                std::uint64_t max_states, double seconds, Memory* memory, std::uint64_t max_bytes) {
    const Terms terms{mines, odds, model, max_states, max_bytes, seconds};
    check(terms);
    Lease<Workspace> lease;
    Workspace& work = *lease;
    if (!read_board(board.ptr(), work.grid)) throw nb::python_error();
    double* probabilities = nullptr;
    std::unique_ptr<Result> result = new_result(work.grid, &probabilities);
    {
        Patience patience;
        LongWork long_work(patience, seconds);
        Question question = terms.question();
        question.memory = memory;
        question.count_others = true;
        result->answer = work.analyse(question, probabilities, patience);
    }
    if (result->answer.status == Status::interrupted) throw nb::python_error();
    result->keep_codes(work.grid);
    return result.release();
}

void bind_enums(Scope& kernel) {
    nb::enum_<Status>(kernel, "Status", nb::is_arithmetic(), "How an analysis ended.")
        .value("FITS", Status::fits)
        .value("CONTRADICTION", Status::contradiction)
        .value("TOO_WIDE", Status::too_wide)
        .value("OUT_OF_TIME", Status::out_of_time)
        .value("FAULT", Status::fault, "The answer breaks a law that every answer keeps.");
    nb::enum_<Outlook>(kernel, "Outlook", "How things stand on a board that some layout fits.")
        .value("PROGRESS", Outlook::progress)
        .value("GUESS", Outlook::guess)
        .value("SOLVED", Outlook::solved);
    nb::enum_<Model>(kernel, "Model", "What a clue says; EXACT serves silent clues, too.")
        .value("EXACT", Model::exact)
        .value("OPTIMISTIC", Model::optimistic)
        .value("CAUTIOUS", Model::cautious);
}

void bind_result(Scope& kernel) {
    nb::class_<Result>(
        kernel, "Result",
        "What an analysis found. Unless its status is FITS only `states` and `board`\n"
        "mean anything; with TOO_WIDE, so many states were kept when it gave up.")
        .def_prop_ro("status", [](const Result& r) { return r.answer.status; })
        .def_prop_ro("states", [](const Result& r) { return r.answer.states; })
        .def_prop_ro("outlook", &Result::outlook)
        .def("safest", &Result::safest, nb::arg("alike"),
             "The cell to open by the rule of `csp_mines.analysis.move`, its risk, how many cells\n"
             "are as safe (risks that differ by less than `alike` are equal) and whether it is\n"
             "proved.")
        .def("best_move", &Result::best_move, nb::arg("mines"), nb::arg("strength"),
             nb::arg("max_states"), "Of the board that was analysed.")
        .def_prop_ro(
            "error", [](const Result& r) { return r.answer.error; },
            "Bounds the error of every probability.")
        .def_prop_ro("log_solutions", [](const Result& r) { return r.answer.log_count(); })
        .def_prop_ro("probabilities", [](const Result& r) { return r.probabilities; })
        .def_prop_ro("board", &Result::board)
        .def_prop_ro("safe", [](const Result& r) { return r.cells(Verdict::safe); })
        .def_prop_ro("mines", [](const Result& r) { return r.cells(Verdict::mine); })
        .def_prop_ro("safe_mask", [](const Result& r) { return r.mask(Verdict::safe); })
        .def_prop_ro("mine_mask", [](const Result& r) { return r.mask(Verdict::mine); });
}

void bind_memory(Scope& kernel) {
    nb::class_<Memory>(kernel, "Memory", "Regions counted before, kept between calls.")
        .def(nb::init<std::size_t>(), nb::arg("max_bytes"))
        .def("__len__", &Memory::size)
        .def_prop_ro("bytes", &Memory::bytes)
        .def_prop_ro("hits", &Memory::hits)
        .def_prop_ro("misses", &Memory::misses);
}

}  // namespace

void bind_analysis(Scope& kernel) {
    bind_enums(kernel);
    bind_result(kernel);
    bind_memory(kernel);
    kernel.def_static(
        "analyze", &analyze, nb::arg("board").none(), nb::arg("mines"), nb::arg("odds"),
        nb::arg("model"), nb::arg("max_states"), nb::arg("seconds"), nb::arg("memory").none(),
        nb::arg("max_bytes") = default_bytes, nb::rv_policy::take_ownership,
        "Analyse a board. `mines` is -1 without a total; then every cell is a mine with odds\n"
        "`odds` to one. Raises TypeError and ValueError for what is no board.");
}

}  // namespace mines
