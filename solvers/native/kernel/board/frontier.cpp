#include "board/frontier.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "board/passes.hpp"

namespace mines {

namespace {

// The three flags (0 or 1) from `flags` on, as bits 0..2.
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
    const std::uint8_t* count = propagation.around();
    each_set(propagation.active(), grid.stride, grid.size - grid.stride,
             [&](std::int32_t i) { add_constraint(grid, count[i], model, i); });
    find_boxes(grid, propagation);
    if (!merge_equal(model)) return false;
    find_regions();
    return true;
}

void Frontier::add_constraint(const Grid& grid, std::uint8_t count, Model model,
                              std::int32_t position) {
    const int around = count & 15, known = count >> 4;
    const Bounds b = bounds(model, grid.code()[position], known, around);
    const std::int32_t id = constraint_count;
    Constraint& c = constraints.need(id + 1)[id];
    c.position = position;
    c.low = static_cast<std::int8_t>(b.low);
    c.high = static_cast<std::int8_t>(b.high);
    c.cells = static_cast<std::int8_t>(around);
    c.box_count = 0;
    clues.need(id + 1)[id] = position;
    constraint_at[position] = constraint_count++;
    if (model == Model::exact) return;
    Likelihood& weight = likelihoods.need(id + 1)[id];
    for (int k = 0; k <= 8; ++k)
        weight.of[k] =
            k >= b.low && k <= b.high ? likelihood(model, k + known, grid.largest_clue()) : 0.0;
}

void Frontier::find_boxes(const Grid& grid, Propagation& propagation) {
    std::uint8_t* touched = touched_.data() + Grid::slack;
    touch(grid, propagation.active(), propagation.line(), touched);
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

// Describes the constraints around a cell as bits of a 3 x 5 raster, shifted so that the first
// constraint is bit 0. Two cells with the same first constraint and the same bits have the same
// constraints, so they belong to the same box.
void Frontier::add_cell(const Grid& grid, const std::uint8_t* active, const std::int32_t* offsets,
                        std::int32_t position) {
    const std::uint32_t mask = three(active - grid.stride - 1) | three(active - 1) << 5 |
                               three(active + grid.stride - 1) << 10;
    assert(mask != 0 && grid.code()[position] == hidden);
    const int first_bit = __builtin_ctz(mask);
    const std::int32_t first = constraint_at[position + offsets[first_bit]];
    const std::uint64_t signature = static_cast<std::uint64_t>(first) << 16 | mask >> first_bit;
    ++cells;
    const Constraint& home = constraints[first];
    for (int i = 0; i < home.box_count; ++i) {
        Box& box = boxes[home.boxes[i]];
        if (box.signature != signature) continue;
        assert(box.size < 8);
        box.cells[box.size++] = position;
        return;
    }
    const std::int32_t id = box_count++;
    Box& box = boxes.need(id + 1)[id];
    box.signature = signature;
    box.size = 1;
    box.cells[0] = position;
    int count = 0;
    for (std::uint32_t bits = mask; bits != 0; bits &= bits - 1) {
        const std::int32_t c = constraint_at[position + offsets[__builtin_ctz(bits)]];
        Constraint& constraint = constraints[c];
        assert(constraint.box_count < 8 && count < 8);
        constraint.boxes[constraint.box_count++] = id;
        box.constraints[count++] = c;
    }
    box.constraint_count = count;
}

// The same on a grid with a table: the constraints of a cell are listed and compared one by one.
void Frontier::add_cell_by_table(const Grid& grid, const std::uint8_t* active,
                                 std::int32_t position) {
    std::int32_t around[most_neighbours];
    int count = 0;
    for (const std::int32_t other : grid.beside(position))
        if (active[other] != 0) around[count++] = constraint_at[other];
    assert(count > 0 && grid.code()[position] == hidden);
    ++cells;
    const Constraint& home = constraints[around[0]];
    for (int i = 0; i < home.box_count; ++i) {
        Box& box = boxes[home.boxes[i]];
        const std::int32_t* const same = box.constraints;
        if (box.constraint_count != count || !std::equal(around, around + count, same)) continue;
        box.cells[box.size++] = position;
        return;
    }
    const std::int32_t id = box_count++;
    Box& box = boxes.need(id + 1)[id];
    box.signature = 0;
    box.size = 1;
    box.cells[0] = position;
    box.constraint_count = count;
    for (int i = 0; i < count; ++i) {
        Constraint& constraint = constraints[around[i]];
        constraint.boxes[constraint.box_count++] = id;
        box.constraints[i] = around[i];
    }
}

bool Frontier::merge_equal(Model model) {
    for (std::int32_t i = 0; i < constraint_count; ++i) {
        const Constraint& a = constraints[i];
        if (a.box_count == 0) continue;
        const Box& box = boxes[a.boxes[0]];
        for (int j = box.constraint_count - 1; j >= 0 && box.constraints[j] > i; --j) {
            const Constraint& b = constraints[box.constraints[j]];
            if (b.box_count != a.box_count || b.cells != a.cells) continue;
            if (!std::equal(a.boxes, a.boxes + a.box_count, b.boxes)) continue;
            if (!merge(i, box.constraints[j], model)) return false;
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
    if (model != Model::exact)
        for (int k = 0; k <= 8; ++k) likelihoods[keep].of[k] *= likelihoods[drop].of[k];
    for (int i = 0; i < b.box_count; ++i) {
        Box& box = boxes[b.boxes[i]];
        std::int32_t* end = box.constraints + box.constraint_count;
        std::remove(box.constraints, end, drop);
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
            const Constraint& c = constraints[region_constraints[at]];
            for (int i = 0; i < c.box_count; ++i) {
                std::uint8_t& box_seen = seen[nc + c.boxes[i]];
                if (box_seen != 0) continue;
                box_seen = 1;
                region_boxes[boxed++] = c.boxes[i];
                const Box& box = boxes[c.boxes[i]];
                region.cells += box.size;
                for (int j = 0; j < box.constraint_count; ++j) {
                    std::uint8_t& next = seen[box.constraints[j]];
                    if (next != 0) continue;
                    next = 1;
                    region_constraints[listed++] = box.constraints[j];
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
