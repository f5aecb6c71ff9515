#include "searching/fitting.hpp"

#include <algorithm>

#include "resources/bits.hpp"

namespace mines {

bool Fitting::list(const Grid& board, const std::int32_t* cells, int count, std::int64_t mines,
                   std::int64_t limit, std::int64_t steps) {
    size_ = way_count_ = 0;
    if (count > max_cells) return false;
    count_ = count;
    limit_ = limit;
    steps_ = allowed_ = steps;
    mines_ = mines;
    std::copy(cells, cells + count, cells_);
    survey(board);
    if (!list_groups()) return false;
    // reach_[i]: bit k says that all groups from i on and the free cells can have k mines together.
    reach_[group_count_] = (Numbers{1} << (count_bits(free_) + 1)) - 1;
    for (int i = group_count_ - 1; i >= 0; --i) {
        reach_[i] = 0;
        for (int k = 0; k <= max_cells; ++k)
            if ((groups_[i].sizes >> k & 1) != 0) reach_[i] |= reach_[i + 1] << k;
    }
    return join(0, 0, mines);
}

// Finds, for every listed cell, the listed cells and the known mines around it. Also finds the
// clues beside the listed cells.
void Fitting::survey(const Grid& board) {
    clue_count_ = 0;
    std::fill(clued_, clued_ + count_, 0);
    for (int i = 0; i < count_; ++i) {
        near_[i] = 0;
        known_[i] = 0;
        for (const std::int32_t other : board.beside(cells_[i])) {
            const std::int8_t code = board.code()[other];
            if (known_mine(code)) ++known_[i];
            if (code >= 0) add_clue(board, other);
            if (code == hidden) near_[i] |= bit_of(other);
        }
    }
}

// The set of just this cell; empty if the cell is not listed.
std::uint64_t Fitting::bit_of(std::int32_t cell) const {
    const std::int32_t* at = std::find(cells_, cells_ + count_, cell);
    return at == cells_ + count_ ? 0 : std::uint64_t{1} << (at - cells_);
}

void Fitting::add_clue(const Grid& board, std::int32_t clue) {
    const std::int32_t* known = clue_positions_.data();
    if (clue_count_ > 0 && std::find(known, known + clue_count_, clue) != known + clue_count_)
        return;
    Clue found{0, board.code()[clue]};
    for (const std::int32_t other : board.beside(clue)) {
        if (known_mine(board.code()[other])) --found.mines;
        found.cells |= bit_of(other);
    }
    clue_positions_.need(clue_count_ + 1)[clue_count_] = clue;
    clues_.need(clue_count_ + 1)[clue_count_] = found;
    ++clue_count_;
    for (std::uint64_t left = found.cells; left != 0; left &= left - 1)
        clued_[__builtin_ctzll(left)] |= found.cells;
}

bool Fitting::list_groups() {
    group_count_ = 0;
    free_ = 0;
    std::uint64_t seen = 0;
    for (int i = 0; i < count_; ++i) {
        if ((seen >> i & 1) != 0) continue;
        if (clued_[i] == 0) {
            free_ |= std::uint64_t{1} << i;
            continue;
        }
        std::uint64_t cells = std::uint64_t{1} << i;
        for (std::uint64_t grown = clued_[i]; grown != cells;) {
            cells = grown;
            for (std::uint64_t left = cells; left != 0; left &= left - 1)
                grown |= clued_[__builtin_ctzll(left)];
        }
        seen |= cells;
        Group& group = groups_[group_count_++];
        group = Group{cells, way_count_, way_count_, 0};
        if (!list_group(group, 0, cells)) return false;
        group.end = way_count_;
    }
    return true;
}

// Lists the ways to place mines on the cells `left` of a group if the cells `chosen` are mines.
// Branches on the clue with the fewest cells left, to find dead ends early. False: the steps are
// used up.
bool Fitting::list_group(Group& group, std::uint64_t chosen, std::uint64_t left) {
    if (--steps_ < 0) return false;
    int next = -1, fewest = 99;
    for (int i = 0; i < clue_count_; ++i) {
        const std::uint64_t cells = clues_[i].cells;
        if ((cells & group.cells) == 0) continue;
        const int open = count_bits(cells & left),
                  need = clues_[i].mines - count_bits(cells & chosen);
        if (need < 0 || need > open) return true;
        if (open == 0) continue;
        const int freedom = need == 0 || need == open ? 0 : open;
        if (freedom < fewest) fewest = freedom, next = i;
    }
    if (next < 0) {
        if (left != 0) return false;  // impossible: every cell of a group has a clue
        ways_.need(way_count_ + 1)[way_count_] = chosen;
        ++way_count_;
        group.sizes |= Numbers{1} << count_bits(chosen);
        return true;
    }
    const std::uint64_t open = clues_[next].cells & left;
    const int need = clues_[next].mines - count_bits(clues_[next].cells & chosen);
    if (need == 0) return list_group(group, chosen, left & ~open);
    if (need == count_bits(open)) return list_group(group, chosen | open, left & ~open);
    const std::uint64_t cell = open & -open;
    return list_group(group, chosen | cell, left & ~cell) &&
           list_group(group, chosen, left & ~cell);
}

bool Fitting::join(int group, std::uint64_t chosen, std::int64_t mines) {
    if (mines_ >= 0 && (mines < 0 || mines > max_cells || (reach_[group] >> mines & 1) == 0))
        return true;
    if (group == group_count_) return fill_free(chosen, free_, mines);
    for (std::int64_t i = groups_[group].first; i < groups_[group].end; ++i)
        if (!join(group + 1, chosen | ways_[i], mines - count_bits(ways_[i]))) return false;
    return true;
}

// Adds every way to place `mines` mines (without a total: any number) on the free cells in `left`.
// False: there are too many layouts.
bool Fitting::fill_free(std::uint64_t chosen, std::uint64_t left, std::int64_t mines) {
    const bool any = mines_ < 0;
    if (any ? left == 0 : mines == 0) return add(chosen);
    if (!any && mines == count_bits(left)) return add(chosen | left);
    const std::uint64_t cell = left & -left;
    return fill_free(chosen | cell, left & ~cell, mines - 1) &&
           fill_free(chosen, left & ~cell, mines);
}

bool Fitting::add(std::uint64_t layout) {
    if (size_ >= limit_) return false;
    layouts_.need(size_ + 1)[size_] = layout;
    ++size_;
    return true;
}

}  // namespace mines
