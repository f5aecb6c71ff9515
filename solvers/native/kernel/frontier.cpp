#include "frontier.hpp"

#include <algorithm>
#include <cstring>

namespace mines {

namespace {

template <class Visit>
void each_set(const std::uint8_t* flags, std::int32_t begin, std::int32_t end, Visit visit) {
    for (std::int32_t i = begin; i < end; i += 8) {
        std::uint64_t word;
        std::memcpy(&word, flags + i, 8);
        for (; word != 0; word &= word - 1) visit(i + (__builtin_ctzll(word) >> 3));
    }
}

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
    active_storage.need(room);
    touched_storage.need(room);
    constraint_at.need(room);
    constraint_count = box_count = region_count = cells = 0;
    if (!find_active(grid, propagation, model)) return false;
    find_boxes(grid);
    if (!merge_equal(model)) return false;
    find_regions();
    return true;
}

// Flags the clues that still have hidden neighbours, and checks the bounds of every clue.
bool Frontier::find_active(const Grid& grid, Propagation& propagation, Model model) {
    std::uint8_t* active = active_storage.data() + Grid::slack;
    const std::int8_t* code = grid.code();
    const std::uint8_t* count = propagation.around();
    const std::int32_t begin = grid.stride, end = grid.size - grid.stride;
    std::memset(active - Grid::slack, 0, begin + Grid::slack);
    std::memset(active + end, 0, begin + Grid::slack);
    // A clue t fits when known <= t (not for optimistic) and t <= known + hidden (not for cautious).
    const std::uint8_t upper = model == Model::cautious ? 0 : 1, lower = model == Model::optimistic ? 0 : 1;
    std::uint8_t bad = 0;
    for (std::int32_t i = begin; i < end; ++i) {
        const std::int8_t clue = code[i];
        const std::int8_t cells_around = static_cast<std::int8_t>(count[i] & 15);
        const std::int8_t known = static_cast<std::int8_t>(count[i] >> 4);
        const std::uint8_t over = clue > static_cast<std::int8_t>(known + cells_around) ? upper : 0;
        const std::uint8_t under = clue < known ? lower : 0;
        bad |= clue >= 0 ? static_cast<std::uint8_t>(over | under) : std::uint8_t{0};
        active[i] = (clue >= 0) & (cells_around > 0) ? 1 : 0;
    }
    if (bad != 0) return false;
    each_set(active, begin, end,
             [&](std::int32_t i) { add_constraint(grid, count[i], model, i); });
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
        weight.of[k] = k >= b.low && k <= b.high ? likelihood(model, k + known) : 0.0;
}

void Frontier::find_boxes(const Grid& grid) {
    const std::uint8_t* active = active_storage.data() + Grid::slack;
    std::uint8_t* touched = touched_storage.data() + Grid::slack;
    const std::int8_t* code = grid.code();
    const std::int32_t stride = grid.stride, begin = stride, end = grid.size - stride;
    std::uint8_t* line = reinterpret_cast<std::uint8_t*>(seen.need(
                             grid.size + 2 * Grid::slack)) + Grid::slack;
    for (std::int32_t i = 0; i < grid.size; ++i)
        line[i] = static_cast<std::uint8_t>(active[i - 1] | active[i] | active[i + 1]);
    std::int32_t all_hidden = 0, mines = 0;
    for (std::int32_t i = begin; i < end; ++i) {
        const std::int8_t c = code[i];
        const bool mine = (c == marked) | (c == opened) | (c == proved_mine);
        all_hidden += c == hidden;
        mines += mine;
        const std::uint8_t near = static_cast<std::uint8_t>(line[i - stride] | line[i] | line[i + stride]);
        touched[i] = c == hidden ? near : std::uint8_t{0};
    }
    std::memset(touched + end, 0, 8);
    std::int32_t offsets[13];
    for (int bit = 0; bit < 13; ++bit) offsets[bit] = (bit / 5 - 1) * stride + bit % 5 - 1;
    each_set(touched, begin, end, [&](std::int32_t i) { add_cell(grid, offsets, i); });
    sea = all_hidden - cells;
    known_mines = mines;
}

// The constraints around a cell as bits of a 3 x 5 raster, shifted so that the first is bit 0: two
// cells with the same first constraint and the same bits have the same constraints.
void Frontier::add_cell(const Grid& grid, const std::int32_t* offsets, std::int32_t position) {
    const std::uint8_t* active = active_storage.data() + Grid::slack + position;
    const std::uint32_t mask = three(active - grid.stride - 1) | three(active - 1) << 5 |
                               three(active + grid.stride - 1) << 10;
    const int first_bit = __builtin_ctz(mask);
    const std::int32_t first = constraint_at[position + offsets[first_bit]];
    const std::uint64_t signature = static_cast<std::uint64_t>(first) << 16 | mask >> first_bit;
    ++cells;
    const Constraint& home = constraints[first];
    for (int i = 0; i < home.box_count; ++i) {
        Box& box = boxes[home.boxes[i]];
        if (box.signature != signature) continue;
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
        constraint.boxes[constraint.box_count++] = id;
        box.constraints[count++] = c;
    }
    box.constraint_count = count;
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
        for (int k = 0; k <= 8; ++k)
            likelihoods[keep].of[k] *= likelihoods[drop].of[k];
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
}

}  // namespace mines
