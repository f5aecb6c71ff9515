// The Python side of the kernel. One call reads the board, analyses it and holds the outcome in a
// Result; what a caller may not ask for (masks, sets, the logarithm) is made when asked for.
#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/analysis.hpp"
#include "analysis/batch.hpp"
#include "counting/memory.hpp"
#include "playing/safest.hpp"
#include "python/arrays.hpp"
#include "python/counting.hpp"
#include "python/games.hpp"
#include "python/long_work.hpp"
#include "sampling/sampler.hpp"

namespace nb = nanobind;

namespace mines {

void bind_generation(nb::module_& m);  // generation.cpp

namespace {

class Result {
  public:
    Answer answer;
    nb::object probabilities;
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
    nb::object mask(Verdict verdict) const {
        bool* flags = nullptr;
        nb::object array = nb::steal(new_flags(rows, cols, &flags));
        if (!array) throw nb::python_error();
        std::memset(flags, 0, static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
        each_certain(verdict, [&](std::int32_t r, std::int32_t c) {
            flags[static_cast<std::int64_t>(r) * cols + c] = true;
        });
        return array;
    }
    // The board as it was given: everything that was proved is hidden again.
    nb::object board() const {
        std::int8_t* out = nullptr;
        nb::object array = nb::steal(new_codes(rows, cols, &out));
        if (!array) throw nb::python_error();
        const std::int32_t width = cols;
        for (std::int32_t r = 0; r < rows; ++r, out += width) {
            const std::int8_t* row = codes.get() + static_cast<std::ptrdiff_t>(r) * (width + 2);
            for (std::int32_t c = 0; c < width; ++c)
                out[c] = row[c] <= proved_mine ? std::int8_t{hidden} : row[c];
        }
        return array;
    }
    // 0: something is proved; 1: nothing is; 2: nothing is hidden.
    int outlook() const {
        bool any = false;
        const std::int8_t sea_code = answer.sea_verdict == Verdict::open ? hidden : 0;
        for (std::int32_t r = 0; r < rows; ++r) {
            const std::int8_t* row = codes.get() + static_cast<std::ptrdiff_t>(r) * (cols + 2);
            for (std::int32_t c = 0; c < cols; ++c) {
                if (row[c] == proved_safe || row[c] == proved_mine) return 0;
                if (row[c] == hidden && sea_code == 0) return 0;
                any |= row[c] == hidden || row[c] == frontier_open;
            }
        }
        return any ? 1 : 2;
    }
    // The cell to open. None when there is nothing but proved mines.
    nb::object safest(double alike) const {
        const Analysed board{codes.get(), rows, cols, answer.sea_verdict};
        const SafestMove move = safest_move(board, probabilities_data, alike);
        if (move.cell.count == 0) return nb::none();
        return nb::make_tuple(nb::make_tuple(move.cell.row, move.cell.col), move.cell.risk,
                              move.cell.count, move.proved);
    }
    // Where a player moves that is told the number of mines, -1 for none.
    nb::object best_move(std::int64_t mines, const Strength& strength,
                         std::uint64_t max_states) const {
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
        return shown(advice, asked.board);
    }
    nb::object cells(Verdict verdict) const {
        nb::list list;
        each_certain(verdict,
                     [&](std::int32_t r, std::int32_t c) { list.append(nb::make_tuple(r, c)); });
        return nb::steal(PyFrozenSet_New(list.ptr()));
    }
};

struct Terms {
    std::int64_t mines;  // -1: no total
    double odds;
    int model;
    std::uint64_t max_states;
    std::uint64_t max_bytes;
    double seconds;  // infinite: no limit

    Question question() const {
        Question question;
        question.prior.total = mines >= 0;
        question.prior.mines = mines;
        question.prior.odds = odds;
        question.model = static_cast<Model>(model);
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
    if (terms.model < 0 || terms.model > 2) throw nb::value_error("model must be 0, 1 or 2");
}

// A result with room for the probabilities of the board in `grid`.
std::unique_ptr<Result> new_result(const Grid& grid, double** probabilities) {
    auto result = std::make_unique<Result>();
    result->probabilities = nb::steal(new_doubles(grid.rows, grid.cols, probabilities));
    if (!result->probabilities) throw nb::python_error();
    freeze(result->probabilities.ptr());
    result->probabilities_data = *probabilities;
    return result;
}

Result* analyze(nb::handle board, std::int64_t mines, double odds, int model,
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

struct Item {
    Grid grid;
    double* probabilities = nullptr;
    Result* result = nullptr;
};

// What there is no memory for is left undone: analysed alone it may have enough, or says so.
void analyse_item(Workspace& work, Item& item, const Question& question, Patience& patience) {
    try {
        work.grid.shape(item.grid.rows, item.grid.cols);
        std::memcpy(work.grid.code(), item.grid.code(), static_cast<std::size_t>(item.grid.size));
        item.result->answer = work.analyse(question, item.probabilities, patience);
        item.result->keep_codes(work.grid);
    } catch (const std::bad_alloc&) {
        item.result->answer.status = Status::too_wide;
    }
}

nb::list analyze_many(nb::sequence boards, nb::sequence mines, double odds, int model,
                      std::uint64_t max_states, double seconds, int threads,
                      std::uint64_t max_bytes) {
    const std::size_t count = nb::len(boards);
    if (nb::len(mines) != count) throw nb::value_error("boards and mines must be as many");
    std::vector<Terms> terms;
    std::vector<std::unique_ptr<Item>> items;
    nb::list results;
    for (std::size_t i = 0; i < count; ++i) {
        terms.push_back(
            Terms{nb::cast<std::int64_t>(mines[i]), odds, model, max_states, max_bytes, seconds});
        check(terms.back());
        items.push_back(std::make_unique<Item>());
        Item& item = *items.back();
        if (!read_board(nb::object(boards[i]).ptr(), item.grid)) throw nb::python_error();
        item.result = new_result(item.grid, &item.probabilities).release();
        item.result->answer.status = Status::too_wide;  // until it is analysed
        results.append(nb::cast(item.result, nb::rv_policy::take_ownership));
    }
    bool signalled = false;
    {
        nb::gil_scoped_release unlocked;
        in_parallel(
            static_cast<std::int64_t>(count), threads,
            [&](Workspace& work, std::int64_t i, Patience& patience) {
                const Terms& asked = terms[static_cast<std::size_t>(i)];
                patience.deadline = LongWork::deadline_after(asked.seconds);
                analyse_item(work, *items[static_cast<std::size_t>(i)], asked.question(), patience);
            },
            [&] {
                nb::gil_scoped_acquire locked;
                signalled = signalled || PyErr_CheckSignals() != 0;
                return signalled;
            });
    }
    if (signalled) throw nb::python_error();
    return results;
}

// What cannot be a problem would be read outside its arrays.
// Tables by number of mines have an entry for every number that the boxes can have.
void check_outside(const SampleProblem& problem) {
    const std::vector<double>& ways = problem.log_ways;
    std::int64_t cells = 0;
    for (const std::int32_t size : problem.sizes) cells += size;
    if (!ways.empty() && static_cast<std::int64_t>(ways.size()) != cells + 1)
        throw nb::value_error("ways for every number of mines are needed");
    if (ways.empty() ? !problem.risks.empty() : problem.risks.size() % ways.size() != 0)
        throw nb::value_error("risks for every number of mines are needed");
    const auto too_much = [](double ways) {
        return std::isnan(ways) || (ways > 0 && std::isinf(ways));
    };
    const auto no_risk = [](double risk) { return !(risk >= 0 && risk <= 1); };
    if (std::any_of(ways.begin(), ways.end(), too_much))
        throw nb::value_error("logarithms of ways are numbers or -inf");
    if (std::any_of(problem.risks.begin(), problem.risks.end(), no_risk))
        throw nb::value_error("risks lie between 0 and 1");
}

void check(const SampleProblem& problem) {
    const auto fail = [](const char* why) { throw nb::value_error(why); };
    const std::size_t constraints = problem.first.empty() ? 0 : problem.first.size() - 1;
    if (problem.first.empty() || problem.first_weight.size() != problem.first.size())
        fail("one more beginning than constraints is needed");
    if (problem.first[0] != 0 || problem.first_weight[0] != 0) fail("lists begin at 0");
    for (const std::int32_t size : problem.sizes)
        if (size < 1 || size > 4000) fail("a box has 1 to 4000 cells");
    for (std::size_t c = 0; c < constraints; ++c) {
        if (problem.first[c + 1] <= problem.first[c]) fail("a constraint needs boxes");
        if (static_cast<std::size_t>(problem.first[c + 1]) > problem.members.size())
            fail("boxes are missing");
        std::int64_t cells = 0;
        for (std::int32_t i = problem.first[c]; i < problem.first[c + 1]; ++i) {
            const std::int32_t box = problem.members[i];
            if (box < 0 || static_cast<std::size_t>(box) >= problem.sizes.size())
                fail("there is no such box");
            cells += problem.sizes[box];
        }
        if (problem.first_weight[c + 1] - problem.first_weight[c] != cells + 1)
            fail("a weight for every number of mines is needed");
    }
    if (static_cast<std::size_t>(problem.first_weight.back()) != problem.weights.size())
        fail("as many weights as the constraints have are needed");
    if (!(problem.odds > 0) || std::isinf(problem.odds)) fail("odds must be positive and finite");
    check_outside(problem);
}

nb::object sample_problem(std::vector<std::int32_t> sizes, std::vector<std::int32_t> first,
                          std::vector<std::int32_t> members, std::vector<std::int32_t> first_weight,
                          std::vector<double> weights, std::vector<double> log_ways,
                          std::vector<double> risks, double odds, std::vector<std::int32_t> starts,
                          std::uint64_t seed, std::uint64_t moves, std::uint64_t work,
                          double seconds, bool sweeps) {
    const SampleProblem problem{
        std::move(sizes),   std::move(first),    std::move(members), std::move(first_weight),
        std::move(weights), std::move(log_ways), std::move(risks),   odds};
    check(problem);
    SampleResult result;
    try {
        Patience patience;
        LongWork long_work(patience, std::numeric_limits<double>::infinity());
        result =
            sample(problem, SampleBounds{seed, moves, work, seconds, sweeps}, starts, patience);
    } catch (const Interrupted&) {
        throw nb::python_error();
    }
    if (!result.started) return nb::none();
    return nb::make_tuple(result.means, result.errors, result.moves, result.batches);
}

void bind_result(nb::module_& m) {
    nb::class_<Result>(m, "Result")
        .def_prop_ro("status", [](const Result& r) { return static_cast<int>(r.answer.status); })
        .def_prop_ro("states", [](const Result& r) { return r.answer.states; })
        .def_prop_ro("outlook", &Result::outlook)
        .def("safest", &Result::safest, nb::arg("alike"))
        .def("best_move", &Result::best_move, nb::arg("mines"), nb::arg("strength"),
             nb::arg("max_states"))
        .def_prop_ro("error", [](const Result& r) { return r.answer.error; })
        .def_prop_ro("log_solutions", [](const Result& r) { return r.answer.log_count(); })
        .def_prop_ro("probabilities", [](const Result& r) { return r.probabilities; })
        .def_prop_ro("board", [](const Result& r) { return r.board(); })
        .def_prop_ro("safe", [](const Result& r) { return r.cells(Verdict::safe); })
        .def_prop_ro("mines", [](const Result& r) { return r.cells(Verdict::mine); })
        .def_prop_ro("safe_mask", [](const Result& r) { return r.mask(Verdict::safe); })
        .def_prop_ro("mine_mask", [](const Result& r) { return r.mask(Verdict::mine); });
}

void bind_memory(nb::module_& m) {
    nb::class_<Memory>(m, "Memory")
        .def(nb::init<std::size_t>(), nb::arg("max_bytes"))
        .def("__len__", &Memory::size)
        .def_prop_ro("bytes", &Memory::bytes)
        .def_prop_ro("hits", &Memory::hits)
        .def_prop_ro("misses", &Memory::misses);
}

}  // namespace

NB_MODULE(_kernel, m) {
    m.doc() = "The compiled kernel of the native engine.";
    bind_result(m);
    bind_memory(m);
    bind_generation(m);
    bind_games(m);
    bind_counting(m);
    m.def("analyze", &analyze, nb::arg("board").none(), nb::arg("mines"), nb::arg("odds"),
          nb::arg("model"), nb::arg("max_states"), nb::arg("seconds"), nb::arg("memory").none(),
          nb::arg("max_bytes") = default_bytes, nb::rv_policy::take_ownership);
    m.def("analyze_many", &analyze_many, nb::arg("boards"), nb::arg("mines"), nb::arg("odds"),
          nb::arg("model"), nb::arg("max_states"), nb::arg("seconds"), nb::arg("threads"),
          nb::arg("max_bytes") = default_bytes);
    m.def("sample", &sample_problem, nb::arg("sizes"), nb::arg("first"), nb::arg("members"),
          nb::arg("first_weight"), nb::arg("weights"), nb::arg("log_ways"), nb::arg("risks"),
          nb::arg("odds"), nb::arg("starts"), nb::arg("seed"), nb::arg("moves"), nb::arg("work"),
          nb::arg("seconds"), nb::arg("sweeps") = true);
}

}  // namespace mines
