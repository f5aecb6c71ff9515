#include "playing/game.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

#include "board/flood.hpp"

namespace mines {

namespace {

// √cells, rounded.
std::int64_t shown_at_start(std::int64_t cells) {
    std::int64_t root = static_cast<std::int64_t>(std::sqrt(4.0 * static_cast<double>(cells)));
    while (root * root > 4 * cells) --root;
    while ((root + 1) * (root + 1) <= 4 * cells) ++root;
    return (root + 1) / 2;
}

}  // namespace

void Game::shape(const Rules& rules) {
    rules_ = rules;
    board.shape(rules.rows, rules.cols, rules.table);
    const std::size_t room = static_cast<std::size_t>(board.size) + 2 * Grid::slack;
    shows_.need(room);
    fresh.need(board.cells());
    mine_.need(board.cells());
    clear_.need(board.cells());
    for (std::int32_t r = 0; r < rules.rows; ++r) std::memset(board.row(r), hidden, rules.cols);
    for (const std::int32_t hole : rules.holes) board.code()[board.position(hole)] = blank;
    cells_ = board.cells() - static_cast<std::int64_t>(rules.holes.size());
    opened_cells = marked_cells = exploded = 0;
    fresh_count = 0;
}

bool Game::deal(const Rules& rules, const std::uint8_t* seed, const std::uint8_t* started) {
    shape(rules);
    started_ = started;
    std::memset(clear_.data(), 0, board.cells());
    if (rules.start == Start::safe || rules.start == Start::zero) keep_clear(first_cell());
    for (const std::int32_t hole : rules.holes) clear_[hole] = 1;
    const std::int64_t kept = std::count(clear_.data(), clear_.data() + board.cells(), 1);
    if (rules.mines > board.cells() - kept) return false;
    place_mines(seed);
    count();
    return true;
}

void Game::deal_given(const Rules& rules, const std::uint8_t* flags) {
    shape(rules);
    std::copy(flags, flags + board.cells(), mine_.data());
    count();
}

void Game::resume(const Grid& seen) {
    opened_cells = marked_cells = exploded = 0;
    fresh_count = 0;
    std::memcpy(board.code(), seen.code(), board.size);
    for (std::int32_t i = 0; i < board.size; ++i) {
        if (board.code()[i] == opened) board.code()[i] = marked;
        marked_cells += board.code()[i] == marked;
        opened_cells += board.code()[i] >= 0;
    }
}

void Game::keep_clear(std::int32_t first) {
    clear_[first] = 1;
    if (rules_.start != Start::zero) return;
    for (const std::int32_t other : board.beside(board.position(first)))
        if (board.on_board(other)) clear_[board.plain(other)] = 1;
}

// The seed gives every cell a random number. Of the cells that may have a mine, those with the
// smallest random numbers get a mine. Among equal numbers, the cell that comes first in reading
// order counts as smaller.
void Game::place_mines(const std::uint8_t* seed) {
    Pcg64 random(seed);
    numbers_.need(board.cells());
    candidates_.need(board.cells());
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < board.cells(); ++i) {
        numbers_[i] = random.next_bits();
        if (clear_[i] == 0) candidates_[count++] = numbers_[i];
    }
    std::memset(mine_.data(), 0, board.cells());
    if (rules_.mines == 0) return;
    std::uint64_t* last = candidates_.data() + rules_.mines - 1;
    std::nth_element(candidates_.data(), last, candidates_.data() + count);
    std::int64_t left = rules_.mines;  // mines that are not placed yet
    for (std::int64_t i = 0; i < board.cells(); ++i)
        if (clear_[i] == 0 && numbers_[i] < *last) mine_[i] = 1, --left;
    for (std::int64_t i = 0; left > 0; ++i)
        if (clear_[i] == 0 && numbers_[i] == *last) mine_[i] = 1, --left;
}

void Game::count() {
    std::memset(shows_.data(), 0, static_cast<std::size_t>(board.size) + 2 * Grid::slack);
    for (std::int64_t i = 0; i < board.cells(); ++i) {
        if (mine_[i] == 0) continue;
        const std::int32_t position = board.position(static_cast<std::int32_t>(i));
        for (const std::int32_t other : board.beside(position)) ++shows()[other];
    }
    for (std::int64_t i = 0; i < board.cells(); ++i)
        if (mine_[i] != 0) shows()[board.position(static_cast<std::int32_t>(i))] = opened;
}

bool Game::over() const {
    if (rules_.sweep) return opened_cells + exploded + marked_cells == cells_;
    return exploded > 0 || won();
}

// The player marks only proved mines, so no mark is wrong.
bool Game::won() const {
    if (exploded > 0) return false;
    if (rules_.sweep) return over();
    return opened_cells == cells_ - rules_.mines ||
           (marked_cells > 0 && marked_cells == rules_.mines);
}

void Game::begin() {
    fresh_count = 0;
    if (rules_.start == Start::sqrt)
        show_some();
    else if (rules_.first >= 0 || rules_.start != Start::any)
        open(board.position(first_cell()));
}

// The start of kind sqrt: gives every safe cell a random number, and opens the cells with the
// smallest random numbers. `shown_at_start` says how many.
void Game::show_some() {
    Pcg64 random(started_);
    order_.need(board.cells());
    numbers_.need(board.cells());
    std::int32_t safe = 0;
    for (std::int32_t i = 0; i < board.cells(); ++i)
        if (mine_[i] == 0 && board.code()[board.position(i)] == hidden)
            order_[safe++] = i, numbers_[i] = random.next_bits();
    std::stable_sort(order_.data(), order_.data() + safe,
                     [&](std::int32_t a, std::int32_t b) { return numbers_[a] < numbers_[b]; });
    const std::int64_t wanted = std::min<std::int64_t>(safe, shown_at_start(cells_));
    std::int32_t shown = 0;
    for (std::int64_t i = 0; i < wanted && !over(); ++i) {
        const std::int32_t position = board.position(order_[i]);
        if (board.code()[position] != hidden) continue;
        fresh_count = shown;
        flood_from(position);
        shown = fresh_count;
    }
}

void Game::open(std::int32_t position) {
    assert(board.code()[position] == hidden);
    fresh_count = 0;
    if (is_mine(position)) {
        ++exploded;
        board.code()[position] = opened;
        fresh[fresh_count++] = position;
        return;
    }
    flood_from(position);
}

// Opens a hidden safe cell and, if the rules have floods, its flood. Adds these cells to `fresh`.
void Game::flood_from(std::int32_t position) {
    const std::int32_t first = fresh_count;
    const auto show = [&](std::int32_t at) { board.code()[at] = shows()[at]; };
    if (rules_.flood)
        flood(
            board, shows(), position, fresh.data(), fresh_count,
            [&](std::int32_t at) { return board.code()[at] == hidden; }, show);
    else
        show(position), fresh[fresh_count++] = position;
    assert(fresh_count <= board.cells());
    opened_cells += fresh_count - first;
}

void Game::mark(std::int32_t position) {
    board.code()[position] = marked;
    ++marked_cells;
}

}  // namespace mines
