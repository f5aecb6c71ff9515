// The Python side of the generation of layouts.
#include <nanobind/nanobind.h>

#include "generating/generation.hpp"
#include "generating/repair.hpp"
#include "python/arrays.hpp"

namespace nb = nanobind;

namespace mines {
namespace {

// Asked without the GIL, now and then: has somebody pressed Ctrl-C?
bool signalled() {
    const nb::gil_scoped_acquire locked;
    return PyErr_CheckSignals() != 0;
}

// (rows, cols, mines, row and column of the first cell, whether it starts with a zero)
Beginning read_start(const nb::tuple& size) {
    Beginning start;
    start.rows = nb::cast<std::int32_t>(size[0]);
    start.cols = nb::cast<std::int32_t>(size[1]);
    start.mines = nb::cast<std::int32_t>(size[2]);
    start.row = nb::cast<std::int32_t>(size[3]);
    start.col = nb::cast<std::int32_t>(size[4]);
    start.zero = nb::cast<bool>(size[5]);
    if (start.rows < 1 || start.cols < 1 ||
        static_cast<std::int64_t>(start.rows) * start.cols > max_game_cells)
        throw nb::value_error("no such size");
    if (start.row < 0 || start.row >= start.rows || start.col < 0 || start.col >= start.cols)
        throw nb::value_error("the first cell is not on the board");
    return start;
}

Grade read_grade(int rank) {
    if (rank < none || rank > total) throw nb::value_error("a grade has a rank from -1 to 5");
    return static_cast<Grade>(rank);
}

nb::tuple rounds_of(const Outcome& outcome) {
    const std::int32_t* n = outcome.rounds;
    return nb::make_tuple(n[0], n[1], n[2], n[3], n[4], n[5]);
}

nb::list listed(const std::vector<Made>& made) {
    nb::list list;
    for (const Made& layout : made)
        list.append(
            nb::make_tuple(layout.number, nb::bytes(layout.mines.data(), layout.mines.size()),
                           static_cast<int>(layout.outcome.grade), rounds_of(layout.outcome)));
    return list;
}

Wish read_wish(const nb::tuple& size, int easiest, int hardest, std::uint64_t key,
               std::uint64_t max_states) {
    Wish wish;
    wish.start = read_start(size);
    wish.easiest = read_grade(easiest);
    wish.hardest = read_grade(hardest);
    wish.key = key;
    wish.max_states = max_states;
    if (wish.hardest == none) wish.hardest = single;  // every game is played by some engine
    const std::int64_t room = static_cast<std::int64_t>(Layouts(wish.start).room().size());
    if (wish.start.mines < 0 || wish.start.mines > room)
        throw nb::value_error("the mines have no room");
    return wish;
}

nb::tuple uniform_layouts(const nb::tuple& size, int easiest, int hardest, std::uint64_t key,
                          std::uint64_t begin, std::uint64_t end, std::uint64_t max_states,
                          int threads) {
    const Wish wish = read_wish(size, easiest, hardest, key, max_states);
    if (end < begin) throw nb::value_error("begin must not be after end");
    Tried tried;
    {
        const nb::gil_scoped_release unlocked;
        tried = uniform(wish, begin, end, threads, signalled);
    }
    if (PyErr_Occurred()) throw nb::python_error();
    return nb::make_tuple(listed(tried.made), tried.too_wide);
}

nb::list repaired_layouts(const nb::tuple& size, int easiest, int hardest, std::uint64_t key,
                          std::uint64_t begin, std::uint64_t end, std::uint64_t plays,
                          std::uint64_t max_states, int threads) {
    const Wish wish = read_wish(size, easiest, hardest, key, max_states);
    if (end < begin) throw nb::value_error("begin must not be after end");
    std::vector<Made> made;
    {
        const nb::gil_scoped_release unlocked;
        made = repaired(wish, begin, end, plays, threads, signalled);
    }
    if (PyErr_Occurred()) throw nb::python_error();
    return listed(made);
}

nb::list script_of(const NoGuess& game) {
    nb::list rounds;
    for (const NoGuess::Round& round : game.script()) {
        nb::list cells;
        for (const std::int32_t cell : round.cells) cells.append(cell);
        rounds.append(nb::make_tuple(static_cast<int>(round.grade), cells));
    }
    return rounds;
}

nb::tuple play_layout(const nb::tuple& size, const nb::bytes& mines, int hardest,
                      std::uint64_t max_states) {
    const Beginning start = read_start(size);
    const std::size_t cells =
        static_cast<std::size_t>(start.rows) * static_cast<std::size_t>(start.cols);
    if (mines.size() != cells) throw nb::value_error("a layout has one byte a cell");
    const std::uint8_t* layout = reinterpret_cast<const std::uint8_t*>(mines.c_str());
    if (layout[start.row * start.cols + start.col])
        throw nb::value_error("the first cell is a mine");
    Beginning counted = start;
    counted.mines = 0;
    for (std::size_t i = 0; i < cells; ++i) counted.mines += layout[i] != 0;
    NoGuess game;
    game.max_states = max_states;
    game.keep_script = true;
    Outcome outcome;
    {
        const nb::gil_scoped_release unlocked;
        outcome = game.graded(counted, layout, read_grade(hardest));
    }
    return nb::make_tuple(outcome.won, outcome.too_wide, static_cast<int>(outcome.grade),
                          rounds_of(outcome), script_of(game));
}

void show_board(const Grid& grid, Knowledge& known) {
    known.begin(grid.rows, grid.cols);
    for (std::int32_t i = grid.stride; i < grid.size - grid.stride; ++i) {
        const std::int8_t code = grid.code()[i];
        const std::int32_t col = i % grid.stride;
        if (col == 0 || col == grid.stride - 1) continue;
        if (code == marked || code == opened) known.learn(i, Knowledge::mine);
        if (code == blank) known.learn(i, Knowledge::outside);
        if (code >= 0) known.show(i, code);
    }
    known.changes().clear();
}

// What the engine of a grade proves on a board: safe cells and mines, plain; None when too wide.
nb::object deduce_board(nb::handle board, int engine, std::int64_t mines,
                        std::uint64_t max_states) {
    Grid grid;
    if (!read_board(board.ptr(), grid)) throw nb::python_error();
    if (static_cast<std::int64_t>(grid.rows) * grid.cols > max_game_cells)
        throw nb::value_error("the board is too large");
    const Grade grade = read_grade(engine);
    Knowledge known;
    NoGuess game;
    game.max_states = max_states;
    bool counted = false;
    {
        const nb::gil_scoped_release unlocked;
        show_board(grid, known);
        counted = game.deduce(known, grade, mines);
    }
    if (!counted) return nb::none();
    nb::list safe, certain;
    for (const Knowledge::Change& change : known.changes())
        (known.state(change.position) == Knowledge::safe ? safe : certain)
            .append(known.plain(change.position));
    return nb::make_tuple(safe, certain);
}

}  // namespace

void bind_generation(nb::module_& m) {
    m.def("uniform_layouts", &uniform_layouts, nb::arg("size"), nb::arg("easiest"),
          nb::arg("hardest"), nb::arg("key"), nb::arg("begin"), nb::arg("end"),
          nb::arg("max_states"), nb::arg("threads"));
    m.def("repaired_layouts", &repaired_layouts, nb::arg("size"), nb::arg("easiest"),
          nb::arg("hardest"), nb::arg("key"), nb::arg("begin"), nb::arg("end"), nb::arg("plays"),
          nb::arg("max_states"), nb::arg("threads"));
    m.def("play_layout", &play_layout, nb::arg("size"), nb::arg("mines"), nb::arg("hardest"),
          nb::arg("max_states"));
    m.def("deduce_board", &deduce_board, nb::arg("board"), nb::arg("engine"), nb::arg("mines"),
          nb::arg("max_states"));
}

}  // namespace mines
