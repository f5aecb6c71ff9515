// The Python side of the generation of layouts.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "generating/generation.hpp"
#include "generating/repair.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"
#include "python/checks.hpp"
#include "python/long_work.hpp"

namespace nb = nanobind;

namespace mines {
namespace {

// Rows, columns, mines, row and column of the first cell, and whether the start is zero.
using Size = std::tuple<std::int32_t, std::int32_t, std::int32_t, std::int32_t, std::int32_t, bool>;

using Holes = std::vector<std::int32_t>;

Beginning read_start(const Size& size, const Holes& holes, const HeldTable* table) {
    Beginning start;
    std::tie(start.rows, start.cols, start.mines, start.row, start.col, start.zero) = size;
    require(start.rows >= 1 && start.cols >= 1 &&
                static_cast<std::int64_t>(start.rows) * start.cols <= max_game_cells,
            "a board must have 1 to 1,000,000 cells");
    require(start.row >= 0 && start.row < start.rows && start.col >= 0 && start.col < start.cols,
            "the first cell is not on the board");
    start.holes = holes;
    start.table = table_of(table);
    check_table(start.table.get(), start.rows, start.cols);
    for (std::size_t i = 0; i < holes.size(); ++i) {
        const bool rising = i == 0 || holes[i] > holes[i - 1];
        require(rising && holes[i] >= 0 && static_cast<std::size_t>(holes[i]) < start.cells() &&
                    holes[i] != start.row * start.cols + start.col,
                "holes must be ascending places on the board, not the first cell");
    }
    return start;
}

Grade read_grade(int rank) {
    require(rank >= none && rank <= total, "a grade has a rank from -1 to 5");
    return static_cast<Grade>(rank);
}

// The number of rounds of each grade, by the rank of the grade.
Numbers rounds_of(const Outcome& outcome) {
    return tuple_of<Numbers>(grade_count,
                             [&](Py_ssize_t i) { return nb::int_(outcome.rounds[i]); });
}

Wish read_wish(const Size& size, int easiest, int hardest, std::uint64_t key,
               std::uint64_t max_states, const Holes& holes, const HeldTable* table) {
    Wish wish;
    wish.start = read_start(size, holes, table);
    wish.easiest = read_grade(easiest);
    wish.hardest = read_grade(hardest);
    wish.key = key;
    wish.max_states = max_states;
    if (wish.hardest == none) wish.hardest = single;  // a game needs at least one engine
    const std::int64_t room = static_cast<std::int64_t>(Layouts(wish.start).room().size());
    require(wish.start.mines >= 0 && wish.start.mines <= room,
            "the mines are more than the cells that may have one");
    return wish;
}

std::pair<std::vector<Made>, std::uint64_t> uniform_layouts(const Size& size, int easiest,
                                                            int hardest, std::uint64_t key,
                                                            std::uint64_t begin, std::uint64_t end,
                                                            std::uint64_t max_states, int threads,
                                                            const Holes& holes,
                                                            const HeldTable* table) {
    const Wish wish = read_wish(size, easiest, hardest, key, max_states, holes, table);
    require(begin <= end, "begin must not be after end");
    Tried tried;
    without_gil([&] { tried = uniform(wish, begin, end, threads, signalled); });
    return {std::move(tried.made), tried.too_wide};
}

std::vector<Made> repaired_layouts(const Size& size, int easiest, int hardest, std::uint64_t key,
                                   std::uint64_t begin, std::uint64_t end, std::uint64_t plays,
                                   std::uint64_t max_states, int threads, const Holes& holes,
                                   const HeldTable* table) {
    const Wish wish = read_wish(size, easiest, hardest, key, max_states, holes, table);
    require(begin <= end, "begin must not be after end");
    std::vector<Made> made;
    without_gil([&] { made = repaired(wish, begin, end, plays, threads, signalled); });
    return made;
}

using Script = std::vector<std::pair<Grade, std::vector<std::int32_t>>>;

Script script_of(const NoGuess& game) {
    Script script;
    for (const NoGuess::Round& round : game.script()) script.emplace_back(round.grade, round.cells);
    return script;
}

// Whether the game was won, whether a position was too wide, the grade, the number of rounds of
// each grade, and for each round its grade and the cells that it proved safe.
using Played = std::tuple<bool, bool, Grade, Numbers, Script>;

Played play_layout(const Size& size, const nb::bytes& mines, int hardest, std::uint64_t max_states,
                   const Holes& holes, const HeldTable* table) {
    const Beginning start = read_start(size, holes, table);
    const std::size_t cells = start.cells();
    require(mines.size() == cells, "a layout needs one byte for each cell");
    const std::uint8_t* layout = reinterpret_cast<const std::uint8_t*>(mines.c_str());
    require(layout[start.row * start.cols + start.col] == 0, "the first cell is a mine");
    Beginning counted = start;
    counted.mines = 0;
    for (std::size_t i = 0; i < cells; ++i) counted.mines += layout[i] != 0;
    for (const std::int32_t hole : holes) require(layout[hole] == 0, "a hole must not have a mine");
    NoGuess game;
    game.max_states = max_states;
    game.keep_script = true;
    Outcome outcome;
    const Grade most = read_grade(hardest);
    without_gil([&] { outcome = game.graded(counted, layout, most); });
    return {outcome.won, outcome.too_wide, outcome.grade, rounds_of(outcome), script_of(game)};
}

void show_board(const Grid& grid, Knowledge& known) {
    known.begin(grid.rows, grid.cols, grid.table);
    for (std::int32_t i = grid.stride; i < grid.size - grid.stride; ++i) {
        const std::int8_t code = grid.code()[i];
        if (!grid.on_board(i)) continue;
        if (known_mine(code)) known.learn(i, Knowledge::mine);
        if (code == blank) known.learn(i, Knowledge::outside);
        if (code >= 0) known.show(i, code);
    }
    known.changes().clear();
}

// Cells as plain indices, which count row by row.
using Cells = std::vector<std::int32_t>;

std::optional<std::pair<Cells, Cells>> deduce_board(nb::handle board, int engine,
                                                    std::int64_t mines, std::uint64_t max_states,
                                                    const HeldTable* table) {
    Grid grid;
    if (!read_board(board.ptr(), grid, table_of(table))) throw nb::python_error();
    require(grid.cells() <= max_game_cells, "the board is too large");
    const Grade grade = read_grade(engine);
    Knowledge known;
    NoGuess game;
    game.max_states = max_states;
    bool counted = false;
    without_gil([&] {
        show_board(grid, known);
        counted = game.deduce(known, grade, mines);
    });
    if (!counted) return std::nullopt;
    Cells safe, certain;
    for (const Knowledge::Change& change : known.changes())
        (known.state(change.position) == Knowledge::safe ? safe : certain)
            .push_back(known.plain(change.position));
    return std::make_pair(std::move(safe), std::move(certain));
}

}  // namespace

void bind_generation(Scope& kernel) {
    nb::enum_<Grade> grades(kernel, "Grade", nb::is_arithmetic(),
                            "The ranks of `Grade` in Python.");
    grades.value("NONE", none);
    for (int rank = 0; rank < grade_count; ++rank)
        grades.value(grade_names[rank], static_cast<Grade>(rank));
    nb::class_<Made>(kernel, "Made", "A generated layout, and how it is won.")
        .def_ro("number", &Made::number, "The number of the layout among the draws of its key.")
        .def_prop_ro(
            "mines", [](const Made& m) { return nb::bytes(m.mines.data(), m.mines.size()); },
            "One byte for each cell.")
        .def_prop_ro("grade", [](const Made& m) { return m.outcome.grade; })
        .def_prop_ro(
            "rounds", [](const Made& m) { return rounds_of(m.outcome); },
            "How many rounds had each grade, by the rank of the grade.");
    kernel.def_static(
        "uniform_layouts", &uniform_layouts, nb::arg("size"), nb::arg("easiest"),
        nb::arg("hardest"), nb::arg("key"), nb::arg("begin"), nb::arg("end"), nb::arg("max_states"),
        nb::arg("threads"), nb::arg("holes") = Holes(), nb::arg("table").none() = nb::none(),
        "Draw the layouts with the numbers `begin` to `end` - 1. Return those that can be won\n"
        "without a guess at a grade from `easiest` to `hardest` (ranks), and the number of draws\n"
        "that had a position that was too wide. `size` is rows, columns, mines, row and column of\n"
        "the first cell, and whether the start is zero; `holes` are the places that are not\n"
        "cells. Without a `table`, the grid is square. Raises ValueError for invalid arguments,\n"
        "OverflowError if numbers in a row reduction become too large.");
    kernel.def_static(
        "repaired_layouts", &repaired_layouts, nb::arg("size"), nb::arg("easiest"),
        nb::arg("hardest"), nb::arg("key"), nb::arg("begin"), nb::arg("end"), nb::arg("plays"),
        nb::arg("max_states"), nb::arg("threads"), nb::arg("holes") = Holes(),
        nb::arg("table").none() = nb::none(),
        "Make a layout by repair for each number from `begin` to `end` - 1. A number is left out\n"
        "if `plays` games did not lead to a layout.");
    kernel.def_static(
        "play_layout", &play_layout, nb::arg("size"), nb::arg("mines"), nb::arg("hardest"),
        nb::arg("max_states"), nb::arg("holes") = Holes(), nb::arg("table").none() = nb::none(),
        "Play a layout, given as one byte for each cell. Return whether it was won, whether a\n"
        "position was too wide, the grade of the game, the number of rounds of each grade, and\n"
        "for each round its grade and the cells that it proved safe.");
    kernel.def_static(
        "deduce_board", &deduce_board, nb::arg("board"), nb::arg("engine"), nb::arg("mines"),
        nb::arg("max_states"), nb::arg("table").none() = nb::none(),
        "Return the cells that the engine of a grade proves safe, and those that it proves mines,\n"
        "counted row by row. Return None if the board is too wide to count.");
}

}  // namespace mines
