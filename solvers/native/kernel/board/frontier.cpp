#include "board/frontier.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "board/passes.hpp"

namespace mines {

namespace {

// Packs the next three flags from `flags` on, each 0 or 1, into bits 0..2.
std::uint32_t three(const std::uint8_t* flags) {
    std::uint32_t word;
    std::memcpy(&word, flags, 4);
    word &= 0x010101;
    return (word | word >> 7 | word >> 14) & 7;
}

}  // namespace

bool Frontier::build(const Grid& grid, Propagation& propagation, Model model) {
    const std::size_t room = grid.size + 2 * Grid::slack;
    touched_.need(room);
    constraint_at.need(room);
    constraint_count = box_count = region_count = cells = 0;
    constraint_boxes_used_ = box_constraints_used_ = box_cells_used_ = 0;
    likelihood_length_ = grid.largest_clue() + 1;
    each_set(propagation.active(), grid.stride, grid.size - grid.stride,
             [&](std::int32_t i) { add_constraint(grid, propagation.around(i), model, i); });
    find_boxes(grid, propagation);
    if (!merge_equal(model)) return false;
    find_regions();
    return true;
}

void Frontier::add_constraint(const Grid& grid, Around around, Model model, std::int32_t position) {
    const Bounds b = bounds(model, grid.code()[position], around.mines, around.hidden);
    const std::int32_t id = constraint_count;
    Constraint& c = constraints.need(id + 1)[id];
    c.position = position;
    c.low = static_cast<std::int8_t>(b.low);
    c.high = static_cast<std::int8_t>(b.high);
    c.cells = static_cast<std::int8_t>(around.hidden);
    c.box_count = 0;
    c.first_box = constraint_boxes_used_;
    constraint_boxes_used_ += around.hidden;  // room for one box per hidden cell
    clues.need(id + 1)[id] = position;
    constraint_at[position] = constraint_count++;
    if (model == Model::exact) return;
    clue_counts_.need(id + 1)[id] = 1;
    const std::int64_t at = static_cast<std::int64_t>(id) * likelihood_length_;
    double* const weight = likelihoods_.need(at + likelihood_length_) + at;
    for (int k = 0; k < likelihood_length_; ++k) {
        const bool fits = k >= b.low && k <= b.high;
        weight[k] = fits ? likelihood(model, k + around.mines, grid.largest_clue()) : 0.0;
    }
}

void Frontier::find_boxes(const Grid& grid, Propagation& propagation) {
    std::uint8_t* touched = touched_.data() + Grid::slack;
    touch(grid, propagation.active(), propagation.line(), touched);
    constraint_boxes_.need(constraint_boxes_used_);
    const std::int32_t stride = grid.stride;
    std::int32_t offsets[13];
    for (int bit = 0; bit < 13; ++bit) offsets[bit] = (bit / 5 - 1) * stride + bit % 5 - 1;
    each_set(touched, stride, grid.size - stride, [&](std::int32_t i) {
        if (grid.table == nullptr)
            add_cell(grid, propagation.active() + i, offsets, i);
        else
            add_cell_by_table(grid, propagation.active(), i);
    });
    sea = propagation.hidden_cells - cells;
    assert(sea >= 0);
    known_mines = propagation.known_mines;
}

// Adds a cell to its box. The signature of the cell has the index of its first constraint, and a
// bit for each of its constraints: bit 5 r + c if the clue of the constraint lies r rows below the
// first clue and c columns to its right (c may be negative). Cells with the same signature have the
// same constraints, so they belong to the same box.
void Frontier::add_cell(const Grid& grid, const std::uint8_t* active, const std::int32_t* offsets,
                        std::int32_t position) {
    const std::uint32_t mask = three(active - grid.stride - 1) | three(active - 1) << 5 |
                               three(active + grid.stride - 1) << 10;
    assert(mask != 0 && grid.code()[position] == hidden);
    const int first_bit = __builtin_ctz(mask);
    const std::int32_t first = constraint_at[position + offsets[first_bit]];
    const std::uint64_t signature = static_cast<std::uint64_t>(first) << 16 | mask >> first_bit;
    ++cells;
    for (const std::int32_t number : boxes_of(first)) {
        Box& box = boxes[number];
        if (box.signature != signature) continue;
        assert(box.size < constraints[first].cells);
        box_cells_[box.first_cell + box.size++] = position;
        return;
    }
    std::int32_t around[square_neighbours];
    int count = 0;
    for (std::uint32_t bits = mask; bits != 0; bits &= bits - 1)
        around[count++] = constraint_at[position + offsets[__builtin_ctz(bits)]];
    add_box(position, signature, around, count);
}

// The same on a grid with a table of neighbours. Here the lists of constraints are compared.
void Frontier::add_cell_by_table(const Grid& grid, const std::uint8_t* active,
                                 std::int32_t position) {
    std::int32_t around[most_neighbours];
    int count = 0;
    for (const std::int32_t other : grid.beside(position))
        if (active[other] != 0) around[count++] = constraint_at[other];
    assert(count > 0 && grid.code()[position] == hidden);
    ++cells;
    for (const std::int32_t number : boxes_of(around[0])) {
        Box& box = boxes[number];
        const std::int32_t* const same = box_constraints_.data() + box.first_constraint;
        if (box.constraint_count != count || !std::equal(around, around + count, same)) continue;
        box_cells_[box.first_cell + box.size++] = position;
        return;
    }
    add_box(position, 0, around, count);
}

// Adds a box of one cell, which lies in the constraints `around`.
void Frontier::add_box(std::int32_t position, std::uint64_t signature, const std::int32_t* around,
                       int count) {
    const std::int32_t id = box_count++;
    Box& box = boxes.need(id + 1)[id];
    box.signature = signature;
    box.size = 1;
    box.constraint_count = count;
    box.first_constraint = box_constraints_used_;
    box.first_cell = box_cells_used_;
    box_constraints_used_ += count;
    box_cells_used_ += constraints[around[0]].cells;  // a box fits into its first constraint
    std::copy(around, around + count,
              box_constraints_.need(box_constraints_used_) + box.first_constraint);
    box_cells_.need(box_cells_used_)[box.first_cell] = position;
    for (int i = 0; i < count; ++i) {
        Constraint& constraint = constraints[around[i]];
        assert(constraint.box_count < constraint.cells);
        constraint_boxes_[constraint.first_box + constraint.box_count++] = id;
    }
}

bool Frontier::merge_equal(Model model) {
    for (std::int32_t i = 0; i < constraint_count; ++i) {
        const Constraint& a = constraints[i];
        if (a.box_count == 0) continue;
        const Stretch mine = boxes_of(a);
        const Box& box = boxes[mine[0]];
        for (int j = box.constraint_count - 1; j >= 0; --j) {
            const std::int32_t other = box_constraints_[box.first_constraint + j];
            if (other <= i) break;
            const Constraint& b = constraints[other];
            if (b.box_count != a.box_count || b.cells != a.cells) continue;
            if (!std::equal(mine.begin(), mine.end(), boxes_of(b).begin())) continue;
            if (!merge(i, other, model)) return false;
        }
    }
    return true;
}

bool Frontier::merge(std::int32_t keep, std::int32_t drop, Model model) {
    Constraint& a = constraints[keep];
    Constraint& b = constraints[drop];
    a.low = std::max(a.low, b.low);
    a.high = std::min(a.high, b.high);
    if (a.low > a.high) return false;
    if (model != Model::exact) {
        double* const all = likelihoods_.data();
        double* const kept = all + static_cast<std::int64_t>(keep) * likelihood_length_;
        const double* const dropped = all + static_cast<std::int64_t>(drop) * likelihood_length_;
        for (int k = 0; k < likelihood_length_; ++k) kept[k] *= dropped[k];
        clue_counts_[keep] += clue_counts_[drop];
    }
    for (const std::int32_t number : boxes_of(b)) {
        Box& box = boxes[number];
        std::int32_t* const first = box_constraints_.data() + box.first_constraint;
        std::remove(first, first + box.constraint_count, drop);
        --box.constraint_count;
    }
    b.box_count = 0;
    return true;
}

void Frontier::find_regions() {
    const std::size_t nc = constraint_count, nb = box_count;
    region_constraints.need(nc);
    region_boxes.need(nb);
    std::memset(seen.need(nc + nb), 0, nc + nb);
    std::int32_t listed = 0, boxed = 0;
    for (std::int32_t start = 0; start < constraint_count; ++start) {
        if (seen[start] != 0 || constraints[start].box_count == 0) continue;
        Region region{listed, 0, boxed, 0, 0};
        seen[start] = 1;
        region_constraints[listed++] = start;
        for (std::int32_t at = region.first_constraint; at < listed; ++at) {
            for (const std::int32_t number : boxes_of(region_constraints[at])) {
                std::uint8_t& box_seen = seen[nc + number];
                if (box_seen != 0) continue;
                box_seen = 1;
                region_boxes[boxed++] = number;
                region.cells += boxes[number].size;
                for (const std::int32_t other : constraints_of(number)) {
                    std::uint8_t& next = seen[other];
                    if (next != 0) continue;
                    next = 1;
                    region_constraints[listed++] = other;
                }
            }
        }
        region.constraint_count = listed - region.first_constraint;
        region.box_count = boxed - region.first_box;
        regions.need(region_count + 1)[region_count] = region;
        ++region_count;
    }
    assert(boxed == box_count);  // every box lies in one region
}

}  // namespace mines
