// The Python side of whole games: batches of games by seed, games played on from a board, random
// layouts of a board, and win chances by search.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "playing/advice.hpp"
#include "playing/continuations.hpp"
#include "playing/match.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"
#include "python/checks.hpp"
#include "python/long_work.hpp"
#include "resources/bits.hpp"
#include "searching/posterior.hpp"

namespace nb = nanobind;

namespace mines {
namespace {

Rules read_rules(nb::handle terms) {
    const auto get = [&](const char* name) { return nb::object(terms[name]); };
    Rules rules;
    rules.rows = nb::cast<std::int32_t>(get("rows"));
    rules.cols = nb::cast<std::int32_t>(get("cols"));
    rules.mines = nb::cast<std::int64_t>(get("mines"));
    rules.sweep = nb::cast<bool>(get("sweep"));
    rules.start = static_cast<Start>(nb::cast<int>(get("start")));
    rules.flood = nb::cast<bool>(get("flood"));
    rules.first = nb::cast<std::int32_t>(get("first"));
    const std::int64_t cells = static_cast<std::int64_t>(rules.rows) * rules.cols;
    require(rules.rows >= 1 && rules.cols >= 1 && cells <= max_cells, "no board has this size");
    require(rules.mines >= 0 && rules.mines <= cells, "mines do not fit the board");
    require(static_cast<int>(rules.start) <= 3, "start must be 0 to 3");
    require(rules.first >= -1 && rules.first < cells, "first is off the board");
    return rules;
}

// Adds the grid and the holes of a game to its rules.
void read_grid(Rules& rules, const TablePointer& table, std::vector<std::int32_t> holes) {
    const std::int64_t cells = static_cast<std::int64_t>(rules.rows) * rules.cols;
    check_table(table.get(), rules.rows, rules.cols);
    rules.table = table;
    std::sort(holes.begin(), holes.end());
    for (std::size_t i = 0; i < holes.size(); ++i) {
        const bool twice = i > 0 && holes[i] == holes[i - 1];
        require(holes[i] >= 0 && holes[i] < cells && !twice && holes[i] != rules.first,
                "holes must be different places on the board, not the first cell");
        if (holes[i] == rules.corner) ++rules.corner;
    }
    const std::int64_t left = cells - static_cast<std::int64_t>(holes.size());
    require(left >= 1 && rules.mines <= left, "mines do not fit the board");
    rules.holes = std::move(holes);
}

// Returns the usual strength with the fields in `changes` changed.
Strength read_strength(const nb::kwargs& changes) {
    Strength strength;
    std::size_t known = 0;
    Strength::each_field([&](const char* name, auto member) {
        if (!changes.contains(name)) return;
        ++known;
        strength.*member = nb::cast<std::decay_t<decltype(strength.*member)>>(changes[name]);
    });
    if (known < changes.size()) throw nb::type_error("a strength has no such field");
    return strength;
}

// Returns the seeds of all games, one after the other: a pointer into `bytes`.
const std::uint8_t* read_seeds(const nb::bytes& bytes, std::size_t games) {
    require(bytes.size() == games * Pcg64::seed_bytes, "expected 16 bytes for each game");
    return reinterpret_cast<const std::uint8_t*>(bytes.c_str());
}

// Kind, cell, risk and win chance of a move.
using ShownMove = std::tuple<Move::Kind, std::int32_t, double, double>;

using Terms = nb::typed<nb::dict, nb::str, double>;
using OptionalBytes = std::optional<nb::bytes>;

// Plays games of one player under the same rules, each with a layout of its own. Returns the
// records of all games and, if `watched`, the moves of each game.
auto play_games(const Terms& terms, const Strength* strength, std::size_t count,
                const nb::bytes& seeds, const OptionalBytes& start_seeds, bool watched,
                const HeldTable* table, std::vector<std::int32_t> holes) {
    Rules rules = read_rules(terms);
    read_grid(rules, table_of(table), std::move(holes));
    require(rules.start != Start::sqrt || start_seeds,
            "a start of kind sqrt needs seeds of its own");
    const std::uint8_t* const layouts = read_seeds(seeds, count);
    const std::uint8_t* const starts = start_seeds ? read_seeds(*start_seeds, count) : nullptr;
    const auto match = std::make_unique<Match>();
    const auto player = std::make_unique<Player>();
    match->told_total = nb::cast<bool>(nb::object(terms["told_total"]));
    match->max_states = nb::cast<std::uint64_t>(nb::object(terms["max_states"]));
    match->alike = nb::cast<double>(nb::object(terms["alike"]));
    if (strength != nullptr) player->strength = *strength, match->player = player.get();
    std::vector<Record> records(count);
    std::vector<std::vector<Move>> played(watched ? count : 0);
    while_listening([&](Patience& patience) {
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t at = i * Pcg64::seed_bytes;
            match->moves = watched ? &played[i] : nullptr;
            if (match->game.deal(rules, layouts + at, starts == nullptr ? nullptr : starts + at))
                records[i] = match->play(rules, patience);
            else
                records[i].ending = Ending::no_room;
            patience.spend(game_work);
        }
    });
    std::vector<std::vector<ShownMove>> moves(played.size());
    for (std::size_t i = 0; i < moves.size(); ++i)
        for (const Move& move : played[i])
            moves[i].emplace_back(move.kind, move.cell, move.risk, move.chance);
    return std::make_pair(std::move(records), std::move(moves));
}

// Reads a board and its number of mines (-1: unknown). Checks `max_layouts`, too.
void read_asked(nb::handle board, std::int64_t mines, std::int64_t max_layouts, Asked& asked,
                const HeldTable* table) {
    require(max_layouts >= 1 && max_layouts <= 1'000'000, "max_layouts must be 1 to 1,000,000");
    require(mines >= -1, "mines must not be negative");
    if (!read_board(board.ptr(), asked.board, table_of(table))) throw nb::python_error();
    asked.total = mines >= 0;
    asked.mines = mines;
}

// Draws `count` layouts of a board, as flags, one layout after the other. None: there is no total,
// no layout fits, or the layouts of some region cannot be listed.
OptionalBytes draw_layouts(nb::handle board, std::int64_t mines, std::size_t count,
                           std::uint64_t seed, const HeldTable* table) {
    Asked asked;
    read_asked(board, mines, 1, asked, table);
    const auto posterior = std::make_unique<Posterior>();
    if (!asked.total || !posterior->read(asked.board, mines)) return std::nullopt;
    const std::size_t cells = static_cast<std::size_t>(asked.board.cells());
    std::vector<std::uint8_t> flags(count * cells);
    Stream random(seed);
    for (std::size_t i = 0; i < count; ++i) posterior->draw(random, flags.data() + i * cells);
    return nb::bytes(reinterpret_cast<const char*>(flags.data()), flags.size());
}

// Continues games from a board. The list of results has, layout by layout, a result for each way to
// begin (see playing/continuations.hpp).
auto play_on(nb::handle board, std::int64_t mines, const Strength& strength,
             std::vector<std::vector<std::int32_t>> openings, std::int64_t most_listed,
             std::int64_t count, std::uint64_t seed, std::uint64_t max_states,
             const HeldTable* table) {
    Continuing wanted;
    read_asked(board, mines, std::max<std::int64_t>(1, most_listed), wanted.asked, table);
    require(mines >= 0, "playing on needs the number of mines");
    require(count >= 1, "count must be positive");
    const Grid& seen = wanted.asked.board;
    for (const std::vector<std::int32_t>& cells : openings)
        for (const std::int32_t cell : cells)
            require(cell >= 0 && cell < seen.cells() && seen.code()[seen.position(cell)] == hidden,
                    "only hidden cells can be opened");
    wanted.asked.max_states = max_states;
    wanted.strength = strength;
    wanted.openings = std::move(openings);
    wanted.most_listed = most_listed;
    wanted.count = count;
    wanted.seed = seed;
    Continued done =
        while_listening([&](Patience& patience) { return continue_games(wanted, patience); });
    return std::make_tuple(done.status, done.all, done.layouts, std::move(done.results));
}

// How a search of all layouts ended.
enum class Searched : std::uint8_t {
    found,
    contradiction,
    too_many_cells,
    too_many_layouts,
    too_long
};

// How the search ended, the plain index of the best cell (-1: nothing to open), the number of
// layouts that are won if this cell is opened first, and the number of all layouts.
using Chance = std::tuple<Searched, std::int32_t, std::int64_t, std::int64_t>;

// A hidden cell that is safe in every layout, or -1.
int safe_in_all(const Fitting& layouts) {
    std::uint64_t ever = 0;
    for (std::int64_t i = 0; i < layouts.size(); ++i) ever |= layouts[i];
    for (int c = 0; c < layouts.cells(); ++c)
        if ((ever >> c & 1) == 0) return c;
    return -1;
}

// Whether every clue by itself can be true. (Fitting::list() checks only clues beside hidden
// cells.)
bool clues_can_hold(const Grid& board) {
    for (std::int32_t i = board.stride; i < board.size - board.stride; ++i) {
        if (board.code()[i] < 0) continue;
        int known = 0, unknown = 0;
        for (const std::int32_t other : board.beside(i)) {
            const std::int8_t code = board.code()[other];
            known += known_mine(code);
            unknown += code == hidden;
        }
        if (board.code()[i] < known || board.code()[i] > known + unknown) return false;
    }
    return true;
}

constexpr std::uint64_t settling_states = 100'000;

// Lists all layouts that fit a board, or returns why there is no such list. May mark proved mines
// on the board.
Searched list_all(Asked& asked, std::int64_t max_layouts, std::int64_t work, Fitting& layouts,
                  Patience& patience) {
    Grid& board = asked.board;
    if (!clues_can_hold(board)) return Searched::contradiction;
    std::vector<std::int32_t> cells = board.all(hidden);
    if (cells.size() > Fitting::max_cells) {
        Lease<Workspace> lease;
        asked.max_states = settling_states;
        mark_proved(asked, *lease, patience);
        cells = board.all(hidden);
    }
    if (cells.size() > Fitting::max_cells) return Searched::too_many_cells;
    std::int64_t left = asked.mines - board.known_mines();
    if (asked.total && left < 0) left = Fitting::max_cells + 1;  // too many marks: no layout fits
    if (!layouts.list(board, cells.data(), static_cast<int>(cells.size()), asked.total ? left : -1,
                      max_layouts, work))
        return Searched::too_many_layouts;
    return layouts.size() == 0 ? Searched::contradiction : Searched::found;
}

// The layouts of a board, and a search of these layouts.
struct Searching {
    std::unique_ptr<Fitting> layouts = std::make_unique<Fitting>();
    std::unique_ptr<SetSearch> search = std::make_unique<SetSearch>();

    Searched load(Asked& asked, std::int64_t max_layouts, std::int64_t work, Patience& patience) {
        const Searched status = list_all(asked, max_layouts, work, *layouts, patience);
        if (status == Searched::found) search->load(*layouts, nullptr);
        return status;
    }
};

// Searches all layouts for the best cell. Needs no GIL.
Chance search_all(Asked& asked, std::int64_t max_layouts, std::int64_t work, Patience& patience) {
    Searching all;
    const Searched status = all.load(asked, max_layouts, work, patience);
    if (status != Searched::found) return {status, -1, 0, 0};
    const Fitting& layouts = *all.layouts;
    SearchLimits limits;
    limits.work = work;
    limits.patience = &patience;
    const Found found = all.search->best(limits);
    const int safe = safe_in_all(layouts);
    const int cell = found.cell >= 0 && !(safe >= 0 && found.risky) ? found.cell : safe;
    return {found.exact ? Searched::found : Searched::too_long,
            cell < 0 ? -1 : asked.board.plain(layouts.position(cell)),
            static_cast<std::int64_t>(found.value), layouts.size()};
}

auto win_chance(nb::handle board, std::int64_t mines, std::int64_t max_layouts, std::int64_t work,
                const HeldTable* table) {
    Asked asked;
    read_asked(board, mines, max_layouts, asked, table);
    return while_listening(
        [&](Patience& patience) { return search_all(asked, max_layouts, work, patience); });
}

// Pairs of the plain index of a cell and the number of layouts that are won if the cell is opened
// first. The number is -1 if the search takes too long.
using CellChances = std::vector<std::pair<std::int32_t, std::int64_t>>;
// How the search ended, the number of all layouts, and a pair for every searched cell.
using AllChances = std::tuple<Searched, std::int64_t, CellChances>;

// How many layouts are won if `cell` is opened and play is optimal from then on. -1: the search
// takes more work than allowed.
std::int64_t won_by(const Fitting& layouts, int cell, SetSearch& search, const SearchLimits& limits,
                    std::vector<std::int32_t>& rows) {
    double won = 0;
    const int most = layouts.known(cell) + count_bits(layouts.near(cell));
    for (int number = 0; number <= most; ++number) {
        rows.clear();
        for (std::int64_t i = 0; i < layouts.size(); ++i) {
            const std::uint64_t layout = layouts[i];
            if ((layout >> cell & 1) != 0) continue;
            const int near = count_bits(layout & layouts.near(cell));
            if (layouts.known(cell) + near == number) rows.push_back(static_cast<std::int32_t>(i));
        }
        if (rows.empty()) continue;
        const Found found =
            search.best_of(rows.data(), static_cast<std::int32_t>(rows.size()), limits);
        if (!found.exact) return -1;
        won += found.value;
    }
    return static_cast<std::int64_t>(won);
}

// Counts, for each cell, the layouts that are won if the cell is opened first. `wanted` has the
// plain indices of the cells; if `wanted` is empty, all hidden cells are searched. Every cell gets
// an equal share of the work, so that the order of the cells does not matter. Needs no GIL.
AllChances search_cells(Asked& asked, const std::vector<std::int32_t>& wanted,
                        std::int64_t max_layouts, std::int64_t work, Patience& patience) {
    Searching all;
    const Searched status = all.load(asked, max_layouts, work, patience);
    if (status != Searched::found) return {status, 0, {}};
    const Fitting& layouts = *all.layouts;
    std::vector<int> chosen;
    for (int c = 0; c < layouts.cells(); ++c) {
        const std::int32_t plain = asked.board.plain(layouts.position(c));
        if (wanted.empty() || std::find(wanted.begin(), wanted.end(), plain) != wanted.end())
            chosen.push_back(c);
    }
    SearchLimits limits;
    limits.work = work / std::max<std::int64_t>(1, static_cast<std::int64_t>(chosen.size()));
    limits.patience = &patience;
    std::vector<std::int32_t> rows;
    CellChances cells;
    for (const int c : chosen)
        cells.emplace_back(asked.board.plain(layouts.position(c)),
                           won_by(layouts, c, *all.search, limits, rows));
    return {status, layouts.size(), std::move(cells)};
}

auto win_chances(nb::handle board, std::int64_t mines, std::vector<std::int32_t> wanted,
                 std::int64_t max_layouts, std::int64_t work, const HeldTable* table) {
    Asked asked;
    read_asked(board, mines, max_layouts, asked, table);
    return while_listening([&](Patience& patience) {
        return search_cells(asked, wanted, max_layouts, work, patience);
    });
}

void bind_game_enums(Scope& kernel) {
    nb::enum_<Reason>(kernel, "Reason", "Why the player chose its move.")
        .value("SAFEST", Reason::safest)
        .value("ENDGAME", Reason::endgame)
        .value("CLOSED", Reason::closed)
        .value("NEXT_STEP", Reason::next_step)
        .value("OPENING", Reason::opening)
        .value("PROVED", Reason::proved)
        .value("PLAYOUTS", Reason::playouts);
    nb::enum_<Searched>(kernel, "Searched", "How an exact search ended.")
        .value("FOUND", Searched::found)
        .value("CONTRADICTION", Searched::contradiction)
        .value("TOO_MANY_CELLS", Searched::too_many_cells)
        .value("TOO_MANY_LAYOUTS", Searched::too_many_layouts)
        .value("TOO_LONG", Searched::too_long);
    nb::enum_<Ending>(kernel, "Ending", "How a game ended.")
        .value("FINISHED", Ending::finished)
        .value("NO_ROOM", Ending::no_room,
               "The cells that may have a mine are fewer than the mines.")
        .value("TOO_WIDE", Ending::too_wide, "To count some position would take too many states.")
        .value("UNSOUND", Ending::unsound, "A proof was wrong.");
    nb::enum_<Move::Kind>(kernel, "MoveKind", "What a move of a game does.")
        .value("START", Move::start)
        .value("MARK", Move::mark)
        .value("DEDUCED", Move::deduced)
        .value("GUESS", Move::guess);
}

void bind_strength(Scope& kernel) {
    nb::class_<Strength> strength(kernel, "Strength",
                                  "What the player does when no cell is proved safe, and how much "
                                  "work it may spend. Work is\n"
                                  "counted in steps, not in time, so the same position gives the "
                                  "same move on every machine.");
    strength.def(
        "__init__",
        [](Strength* made, const nb::kwargs& changes) {
            new (made) Strength(read_strength(changes));
        },
        nb::sig("def __init__(self, **changes: float) -> None"),
        "Make the usual strength with the given fields changed. Raises TypeError for other names.");
    Strength::each_field([&](const char* name, auto member) { strength.def_ro(name, member); });
}

void bind_record(Scope& kernel) {
    nb::class_<Record> record(kernel, "Record",
                              "How a game went. The fields other than `ending` and `marked` are\n"
                              "those of `csp_mines.games.playing.Record`.");
    Record::each_field([&](const char* name, auto member) { record.def_ro(name, member); });
}

using Cell = std::tuple<std::int32_t, std::int32_t>;

void bind_advice(Scope& kernel) {
    nb::class_<Advice>(kernel, "Advice", "The move of a player.")
        .def_ro("status", &Advice::status)
        .def_prop_ro("cell",
                     [](const Advice& a) {
                         return a.row < 0 ? std::nullopt : std::optional<Cell>({a.row, a.col});
                     })
        .def_ro("risk", &Advice::risk)
        .def_prop_ro(
            "chance",
            [](const Advice& a) {
                const double chance = a.choice.chance;
                return std::isnan(chance) ? std::nullopt : std::optional<double>(chance);
            },
            "The player's estimate of the win chance; None if it has none.")
        .def_prop_ro(
            "exact", [](const Advice& a) { return a.choice.exact; },
            "Whether no player has a better win chance.")
        .def_prop_ro("reason", [](const Advice& a) { return a.choice.reason; })
        .def_prop_ro(
            "layouts", [](const Advice& a) { return a.choice.layouts; },
            "The number of layouts that were searched.")
        .def_ro("look_ahead", &Advice::look_ahead, "Steps of work in look-aheads.")
        .def_ro("search", &Advice::search, "Steps of work in listing and searching layouts.")
        .def_ro("playouts", &Advice::playouts, "Steps of work in playouts.");
}

}  // namespace

void bind_games(Scope& kernel) {
    bind_game_enums(kernel);
    bind_strength(kernel);
    bind_record(kernel);
    bind_advice(kernel);
    kernel.def_static(
        "play_games", &play_games, nb::arg("terms"), nb::arg("strength").none(), nb::arg("count"),
        nb::arg("seeds"), nb::arg("start_seeds").none(), nb::arg("watched"),
        nb::arg("table").none() = nb::none(), nb::arg("holes") = std::vector<std::int32_t>(),
        "Play `count` games. `seeds` has 16 bytes for each, and so has `start_seeds`,\n"
        "which only the start sqrt needs. Without a strength, the player opens the\n"
        "safest cell. Return the record of each game and, if `watched`, the moves of\n"
        "each game: kind, cell (counted row by row), risk and win chance.");
    kernel.def_static(
        "draw_layouts", &draw_layouts, nb::arg("board").none(), nb::arg("mines"), nb::arg("count"),
        nb::arg("seed"), nb::arg("table").none() = nb::none(),
        "Draw `count` layouts that fit, with one byte for each cell. Return None if `mines`\n"
        "is -1 or some region is too large.");
    kernel.def_static(
        "play_on", &play_on, nb::arg("board").none(), nb::arg("mines"), nb::arg("strength"),
        nb::arg("openings"), nb::arg("most_listed"), nb::arg("count"), nb::arg("seed"),
        nb::arg("max_states"), nb::arg("table").none() = nb::none(),
        "Play games on from a board. Each layout is played once for each list of cells in\n"
        "`openings`: these cells are opened first. The board must have no marks. If there are\n"
        "at most `most_listed` layouts and they can be listed, all of them are played. Otherwise\n"
        "`count` random layouts are played.\n"
        "Return the status, whether all layouts were played, how many were, and for each layout\n"
        "and list of cells: 1 (won), 0 (lost), a win chance, or -1 if one of the cells is a mine.");
    kernel.def_static(
        "win_chance", &win_chance, nb::arg("board").none(), nb::arg("mines"),
        nb::arg("max_layouts"), nb::arg("work"), nb::arg("table").none() = nb::none(),
        "Search all layouts. Return how the search ended, the best cell (counted row by\n"
        "row; -1: none), how many layouts optimal play wins, and how many there are.");
    kernel.def_static(
        "win_chances", &win_chances, nb::arg("board").none(), nb::arg("mines"), nb::arg("cells"),
        nb::arg("max_layouts"), nb::arg("work"), nb::arg("table").none() = nb::none(),
        "Search all layouts for the win chances of `cells` (empty: of all hidden cells). Return\n"
        "how the search ended, the number of all layouts, and for each cell the number of layouts\n"
        "that are won if it is opened first (-1: to find out takes too long).");
}

}  // namespace mines
