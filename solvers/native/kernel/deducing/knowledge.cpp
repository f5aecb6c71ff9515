#include "deducing/knowledge.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "resources/bits.hpp"

namespace mines {

namespace {

// A window has the 7 x 7 cells around a clue, seven bits per row. It contains all neighbours of
// this clue and of every clue that shares a cell with this clue. The clue itself is bit 24.
constexpr int window_side = 7, window_middle = 24;

constexpr std::uint64_t ring(int middle) {
    std::uint64_t cells = 0;
    for (int row = -1; row <= 1; ++row)
        for (int col = -1; col <= 1; ++col)
            if (row != 0 || col != 0)
                cells |= std::uint64_t{1} << (middle + row * window_side + col);
    return cells;
}

}  // namespace

// Prepares a board of this shape with every cell unknown, once for many games.
void Knowledge::shape(std::int32_t row_count, std::int32_t col_count,
                      const std::shared_ptr<const NeighbourTable>& neighbours,
                      const std::vector<std::int32_t>& holes) {
    Shape::set(row_count, col_count, neighbours);
    holes_ = holes;
    words_ = (stride + 2 * margin + 63) / 64 + 1;
    const std::size_t cells = static_cast<std::size_t>(size);
    const std::size_t words = static_cast<std::size_t>(rows + 2 + 2 * margin) * words_;
    std::memset(fresh_states_.need(cells), outside, cells);
    std::memset(fresh_unknown_.need(cells), 0, cells);
    std::memset(bits_.need(words), 0, words * sizeof(std::uint64_t));
    bit_of_.need(cells);
    for (std::int32_t i = 0; i < size; ++i)
        bit_of_[i] = (i / stride + margin) * words_ * 64 + i % stride + margin;
    for (std::int32_t r = 0; r < rows; ++r)
        for (std::int32_t c = 0; c < cols; ++c) {
            fresh_states_[position(r, c)] = unknown;
            fresh_unknown_[position(r, c)] = static_cast<std::int8_t>(degree(position(r, c)));
            flip_bit(position(r, c));
        }
    for (const std::int32_t hole : holes_) {
        const std::int32_t at = position(hole);
        fresh_states_[at] = outside;
        flip_bit(at);
        for (const std::int32_t next : beside(at)) --fresh_unknown_[next];
    }
    std::memcpy(fresh_bits_.need(words), bits_.data(), words * sizeof(std::uint64_t));
}

void Knowledge::begin(std::int32_t row_count, std::int32_t col_count,
                      const std::shared_ptr<const NeighbourTable>& neighbours,
                      const std::vector<std::int32_t>& holes) {
    if (row_count != rows || col_count != cols || neighbours != table || holes != holes_)
        shape(row_count, col_count, neighbours, holes);
    const std::size_t cells = static_cast<std::size_t>(size);
    const std::size_t words = static_cast<std::size_t>(rows + 2 + 2 * margin) * words_;
    std::memcpy(states_.need(cells), fresh_states_.data(), cells);
    std::memcpy(unknown_.need(cells), fresh_unknown_.data(), cells);
    std::memcpy(bits_.data(), fresh_bits_.data(), words * sizeof(std::uint64_t));
    std::memset(clues_.need(cells), 0, cells);
    std::memset(mines_.need(cells), 0, cells);
    std::memset(touched_.need(cells), 0, cells);
    queue_.clear();
    waiting_.clear();
    changes_.clear();
    safe_cells_ = 0;
}

void Knowledge::flip_bit(std::int32_t position) {
    const std::int32_t bit = bit_of_[position];
    bits_[bit >> 6] ^= std::uint64_t{1} << (bit & 63);
}

// The unknown cells of the window around a cell of the board.
std::uint64_t Knowledge::window(std::int32_t position) const {
    const std::int32_t first = bit_of_[position] - 3 * words_ * 64 - 3;
    const std::int32_t word = first >> 6, shift = first & 63;
    std::uint64_t cells = 0;
    for (int row = 0; row < window_side; ++row) {
        const std::int32_t at = row * words_ + word;
        std::uint64_t line = bits_[at] >> shift;
        if (shift > 64 - window_side) line |= bits_[at + 1] << (64 - shift);
        cells |= (line & 127) << (row * window_side);
    }
    return cells;
}

void Knowledge::touch(std::int32_t position) {
    if (touched_[position]) return;
    touched_[position] = 1;
    waiting_.push_back(position);
}

// Looks at a clue. If no unknown cell is around it, does nothing. If the clue alone proves the
// unknown cells safe or mines, puts the clue into queue_. Otherwise makes pairs() examine the clue.
void Knowledge::consider(std::int32_t position) {
    if (unknown_[position] == 0) return;
    if (proof_of(position) == Proof::nothing)
        touch(position);
    else
        queue_.push_back(position);
}

// Gives a cell a state other than `unknown`, and updates the counts of the cells around it.
void Knowledge::set(std::int32_t position, State state) {
    assert(state != unknown);
    const State before = states_[position];
    states_[position] = state;
    const bool was_unknown = before == unknown;
    if (was_unknown) flip_bit(position);
    const int mines = (state == mine) - (before == mine);
    for (const std::int32_t next : beside(position)) {
        unknown_[next] = static_cast<std::int8_t>(unknown_[next] - was_unknown);
        mines_[next] = static_cast<std::int8_t>(mines_[next] + mines);
        if (states_[next] == open) consider(next);
    }
}

void Knowledge::show(std::int32_t position, int clue) {
    if (states_[position] == safe) {
        states_[position] = open;  // the counts around it changed when it became safe
        --safe_cells_;
    } else {
        set(position, open);
    }
    clues_[position] = static_cast<std::int8_t>(clue);
    consider(position);
}

void Knowledge::learn(std::int32_t position, State state) {
    changes_.push_back(Change{position, states_[position]});
    safe_cells_ += state == safe;
    set(position, state);
}

void Knowledge::settle(std::int32_t position) {
    const Proof proof = proof_of(position);
    if (proof == Proof::nothing) return;
    for (const std::int32_t next : beside(position)) prove(next, proof == Proof::all_mines);
}

std::vector<std::int32_t> Knowledge::unknown_around(std::int32_t position) const {
    std::vector<std::int32_t> cells;
    for (const std::int32_t next : beside(position))
        if (states_[next] == unknown) cells.push_back(next);
    return cells;
}

void Knowledge::singles() {
    while (!queue_.empty()) {
        const std::int32_t position = queue_.back();
        queue_.pop_back();
        settle(position);
    }
}

void Knowledge::learn_window(std::int32_t position, std::uint64_t cells, State state) {
    for (; cells != 0; cells &= cells - 1) {
        const int bit = __builtin_ctzll(cells);
        learn(position + (bit / window_side - 3) * stride + bit % window_side - 3, state);
    }
}

// Compares the clue at `position` with every clue that shares a cell with it. `cells` is the
// window of `position`; `wide` is explained at pairs(). Returns true as soon as some cells are
// proved, because `cells` is then out of date.
bool Knowledge::pair_with(std::int32_t position, std::uint64_t cells, bool wide) {
    constexpr std::uint64_t middle_ring = ring(window_middle);
    const std::uint64_t own_cells = cells & middle_ring;
    const int left = mines_left(position);
    for (int row = -2; row <= 2; ++row) {
        for (int col = -2; col <= 2; ++col) {
            const std::int32_t other = position + row * stride + col;
            if (other < 0 || other >= size || states_[other] != open) continue;
            if (unknown_[other] == 0 || other == position) continue;
            const int shift = row * window_side + col;
            const std::uint64_t their_cells =
                cells & (shift >= 0 ? middle_ring << shift : middle_ring >> -shift);
            const std::uint64_t only_own = own_cells & ~their_cells;
            const std::uint64_t only_theirs = their_cells & ~own_cells;
            if (!wide && only_own != 0 && only_theirs != 0) continue;
            if ((only_own | only_theirs) == 0) continue;
            const int more = left - mines_left(other);
            const bool first = more == count_bits(only_own);
            if (!first && -more != count_bits(only_theirs)) continue;
            learn_window(position, only_own, first ? mine : safe);
            learn_window(position, only_theirs, first ? safe : mine);
            return true;
        }
    }
    return false;
}

// The same as pair_with(), for a grid with a NeighbourTable.
bool Knowledge::pair_by_table(std::int32_t position, bool wide) {
    own_cells_.clear();
    for (const std::int32_t cell : beside(position))
        if (states_[cell] == unknown) own_cells_.push_back(cell);
    for (const std::int32_t cell : own_cells_)
        for (const std::int32_t other : beside(cell))
            if (other != position && states_[other] == open && pair_by_table(position, other, wide))
                return true;
    return false;
}

// Compares the clue at `position` with the clue at `other`. The caller has put the unknown cells
// around `position` into own_cells_. Returns whether some cells were proved.
bool Knowledge::pair_by_table(std::int32_t position, std::int32_t other, bool wide) {
    only_theirs_.clear();
    int shared = 0;
    for (const std::int32_t cell : beside(other)) {
        if (states_[cell] != unknown) continue;
        if (std::binary_search(own_cells_.begin(), own_cells_.end(), cell))
            ++shared;
        else
            only_theirs_.push_back(cell);
    }
    const int only_own = static_cast<int>(own_cells_.size()) - shared;
    const int only_theirs = static_cast<int>(only_theirs_.size());
    if (only_own + only_theirs == 0) return false;
    if (!wide && only_own != 0 && only_theirs != 0) return false;
    const int more = mines_left(position) - mines_left(other);
    const bool first = more == only_own;
    if (!first && -more != only_theirs) return false;
    const Beside theirs = beside(other);
    for (const std::int32_t cell : own_cells_)
        if (!std::binary_search(theirs.first, theirs.last, cell)) learn(cell, first ? mine : safe);
    for (const std::int32_t cell : only_theirs_) learn(cell, first ? safe : mine);
    return true;
}

void Knowledge::pairs(bool wide) {
    singles();
    while (!waiting_.empty()) {
        const std::int32_t position = waiting_.back();
        waiting_.pop_back();
        touched_[position] = 0;
        if (states_[position] != open || unknown_[position] == 0) continue;
        const bool proved = table == nullptr ? pair_with(position, window(position), wide)
                                             : pair_by_table(position, wide);
        if (proved) {
            touch(position);
            singles();
        }
    }
}

void Knowledge::take_back(std::size_t kept) {
    while (changes_.size() > kept) {
        const Change last = changes_.back();
        changes_.pop_back();
        const State now = states_[last.position];
        assert(now != open);
        states_[last.position] = last.before;
        safe_cells_ -= now == safe;
        const bool unknown_again = last.before == unknown;
        if (unknown_again) flip_bit(last.position);
        const int mines = (now == mine) - (last.before == mine);
        for (const std::int32_t next : beside(last.position)) {
            unknown_[next] = static_cast<std::int8_t>(unknown_[next] + unknown_again);
            mines_[next] = static_cast<std::int8_t>(mines_[next] - mines);
            if (states_[next] == open && unknown_[next] > 0) touch(next);
        }
    }
}

const std::vector<std::int32_t>& Knowledge::active() {
    active_.clear();
    for (std::int32_t i = stride; i < size - stride; ++i)
        if (states_[i] == open && unknown_[i] > 0) active_.push_back(i);
    return active_;
}

}  // namespace mines
