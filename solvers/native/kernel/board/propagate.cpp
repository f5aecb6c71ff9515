#include "board/propagate.hpp"

#include <algorithm>
#include <cassert>

namespace mines {

void Propagation::recount(const Grid& grid) {
    count_around(grid, kind(), line(), around_);
    tally(grid, kind(), hidden_cells, known_mines);
}

bool Propagation::survey(const Grid& grid, Model model) {
    return !inspect(grid, model, around_, active(), trigger()).contradiction;
}

// The first round is one pass over the whole board. Afterwards only clues near changed cells are
// examined.
bool Propagation::single(Grid& grid, Model model) {
    const std::size_t room = grid.size + 2 * Grid::slack;
    around_.shape(grid);
    for (Buffer<std::uint8_t>* buffer : {&active_, &line_, &kind_, &trigger_}) buffer->need(room);
    queued_ = 0;
    recount(grid);
    Findings found = inspect(grid, model, around_, active(), trigger());
    if (found.contradiction) return false;
    if (model != Model::exact) {
        each_set(active(), grid.stride, grid.size - grid.stride,
                 [&](std::int32_t i) { consider(grid, model, i); });
        if (queued_ == 0) return true;
        drain(grid, model);
        return survey(grid, model);
    }
    if (!found.triggered) return true;
    if (!apply(grid, trigger(), line())) return false;
    recount(grid);
    found = inspect(grid, model, around_, active(), trigger());
    if (found.contradiction) return false;
    if (!found.triggered) return true;
    each_set(trigger(), grid.stride, grid.size - grid.stride,
             [&](std::int32_t i) { consider(grid, model, i); });
    drain(grid, model);
    return survey(grid, model);
}

Proof Propagation::proof_of(const Grid& grid, Model model, std::int32_t position) {
    const Around near = around(position);
    return single_clue(bounds(model, grid.code()[position], near.mines, near.hidden), near.hidden);
}

// Puts the clue into the queue if it proves the hidden cells around it all safe or all mines.
void Propagation::consider(const Grid& grid, Model model, std::int32_t position) {
    if (proof_of(grid, model, position) == Proof::nothing) return;
    queue_.need(queued_ + 1)[queued_] = position;
    ++queued_;
}

void Propagation::prove(Grid& grid, Model model, std::int32_t position, bool mine) {
    assert(grid.code()[position] == hidden && hidden_cells > 0);
    grid.code()[position] = mine ? proved_mine : proved_safe;
    --hidden_cells;
    known_mines += mine;
    for (const std::int32_t next : grid.beside(position)) {
        around_.prove(next, mine);
        if (grid.code()[next] >= 0) consider(grid, model, next);
    }
}

void Propagation::drain(Grid& grid, Model model) {
    while (queued_ > 0) {
        const std::int32_t position = queue_[--queued_];
        const Proof proof = proof_of(grid, model, position);
        if (proof == Proof::nothing) continue;  // meanwhile other clues proved cells around it
        for (const std::int32_t next : grid.beside(position))
            if (grid.code()[next] == hidden) prove(grid, model, next, proof == Proof::all_mines);
    }
}

// Compares two clues that lie `rows` and `cols` apart on the square grid. True: a cell was proved.
bool Propagation::pair(Grid& grid, std::int32_t a, std::int32_t b, int rows, int cols) {
    assert(rows >= 0);
    int shared = 0;  // hidden cells around both
    for (int dr = rows - 1; dr <= 1; ++dr)
        for (int dc = std::max(cols, 0) - 1; dc <= std::min(cols, 0) + 1; ++dc)
            shared += grid.code()[a + dr * grid.stride + dc] == hidden;
    if (heavier(grid, a, b, around(a).hidden - shared, around(b).hidden - shared) == 0)
        return false;
    std::int32_t only_a[square_neighbours], only_b[square_neighbours];
    int size_a = 0, size_b = 0;
    for (int dr = -1; dr <= 1; ++dr)
        for (int dc = -1; dc <= 1; ++dc) {
            const std::int32_t step = dr * grid.stride + dc;
            const bool far_a = std::abs(dr - rows) > 1 || std::abs(dc - cols) > 1;
            const bool far_b = std::abs(dr + rows) > 1 || std::abs(dc + cols) > 1;
            if (far_a && grid.code()[a + step] == hidden) only_a[size_a++] = a + step;
            if (far_b && grid.code()[b + step] == hidden) only_b[size_b++] = b + step;
        }
    return compare(grid, {a, only_a, size_a}, {b, only_b, size_b});
}

// The same as pair(), for a grid with a NeighbourTable.
bool Propagation::pair_of_table(Grid& grid, std::int32_t a, std::int32_t b) {
    std::int32_t only_a[most_neighbours], only_b[most_neighbours];
    const auto only = [&](std::int32_t clue, std::int32_t other, std::int32_t* cells) {
        int size = 0;
        for (const std::int32_t cell : grid.beside(clue)) {
            if (grid.code()[cell] != hidden) continue;
            bool shared = false;
            for (const std::int32_t near : grid.beside(other)) shared |= near == cell;
            if (!shared) cells[size++] = cell;
        }
        return size;
    };
    const int size_a = only(a, b, only_a), size_b = only(b, a, only_b);
    return compare(grid, {a, only_a, size_a}, {b, only_b, size_b});
}

// Suppose that clue A needs n mines more than clue B, and that n hidden cells touch A but not B.
// Then these n cells are mines, and cells that touch only B are safe. `only_a` hidden cells touch
// only A, and `only_b` touch only B. Returns 1 if the cells of A are mines, -1 if those of B are
// mines, 0 if nothing is proved.
int Propagation::heavier(const Grid& grid, std::int32_t a, std::int32_t b, int only_a,
                         int only_b) const {
    const int more = (grid.code()[a] - around(a).mines) - (grid.code()[b] - around(b).mines);
    if (only_a + only_b == 0) return 0;
    return more == only_a ? 1 : -more == only_b ? -1 : 0;
}

// Applies this rule. True: a cell was proved.
bool Propagation::compare(Grid& grid, const Alone& a, const Alone& b) {
    const int sign = heavier(grid, a.clue, b.clue, a.size, b.size);
    if (sign == 0) return false;
    for (const Alone* side : {&a, &b})
        for (int i = 0; i < side->size; ++i)
            if (grid.code()[side->cells[i]] == hidden)
                prove(grid, Model::exact, side->cells[i], (side == &a) == (sign > 0));
    return true;
}

bool Propagation::pairs(Grid& grid, const std::int32_t* clues, std::int32_t count) {
    bool ever = false, again = true;
    const auto apply = [&](std::int32_t a, std::int32_t b, int rows, int cols) {
        if (grid.code()[b] < 0 || around(a).hidden == 0 || around(b).hidden == 0) return;
        if (!(grid.table == nullptr ? pair(grid, a, b, rows, cols) : pair_of_table(grid, a, b)))
            return;
        drain(grid, Model::exact);
        again = ever = true;
    };
    while (again) {
        again = false;
        for (std::int32_t i = 0; i < count; ++i) {
            const std::int32_t a = clues[i];
            for (int dr = 0; dr <= 2 && grid.table == nullptr; ++dr)
                for (int dc = dr == 0 ? 1 : -2; dc <= 2; ++dc)
                    if (a + dr * grid.stride + dc < grid.size)
                        apply(a, a + dr * grid.stride + dc, dr, dc);
            if (grid.table == nullptr) continue;
            for (const std::int32_t cell : grid.beside(a))
                for (const std::int32_t b : grid.beside(cell))
                    if (b > a) apply(a, b, 0, 0);
        }
    }
    return ever;
}

}  // namespace mines
