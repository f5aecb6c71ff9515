#include "propagate.hpp"

#include <cstring>

namespace mines {

namespace {

constexpr int whole_rounds = 2;  // rounds over the whole board before single cells are followed

// sum[i] = the nine values around i, itself included. Both arrays have slack at both ends.
void sum_nine(const std::uint8_t* value, std::uint8_t* line, std::uint8_t* sum, std::int32_t stride,
              std::int32_t size) {
    for (std::int32_t i = 0; i < size; ++i)
        line[i] = static_cast<std::uint8_t>(value[i - 1] + value[i] + value[i + 1]);
    for (std::int32_t i = stride; i < size - stride; ++i)
        sum[i] = static_cast<std::uint8_t>(line[i - stride] + line[i] + line[i + stride]);
}

}  // namespace

void Propagation::count_around(const Grid& grid) {
    const std::int8_t* code = grid.code();
    std::uint8_t* value = trigger.data() + Grid::slack;
    const std::int32_t size = grid.size;
    for (std::int32_t i = -1; i <= size; ++i) {
        const std::int8_t c = code[i];
        const bool mine = (c == marked) | (c == opened) | (c == proved_mine);
        value[i] = static_cast<std::uint8_t>((c == hidden ? 1 : 0) | (mine ? 16 : 0));
    }
    sum_nine(value, scratch.data() + Grid::slack, around(), grid.stride, size);
}

// One round of the single rule for exact clues, over the whole board at once. False: contradiction.
bool Propagation::round(Grid& grid) {
    std::int8_t* code = grid.code();
    std::uint8_t* value = trigger.data() + Grid::slack;
    std::uint8_t* line = scratch.data() + Grid::slack;
    const std::uint8_t* count = around();
    const std::int32_t size = grid.size, stride = grid.stride;
    std::memset(value - 1, 0, static_cast<std::size_t>(stride) + 1);
    std::memset(value + size - stride, 0, static_cast<std::size_t>(stride) + 1);
    for (std::int32_t i = stride; i < size - stride; ++i) {
        const std::uint8_t left = static_cast<std::uint8_t>(code[i] - (count[i] >> 4));
        const std::uint8_t cells = count[i] & 15;
        const std::uint8_t all = left == cells ? 1 : 0, none = left == 0 ? 16 : 0;
        value[i] = (code[i] >= 0) & (cells > 0) ? static_cast<std::uint8_t>(all | none) : std::uint8_t{0};
    }
    for (std::int32_t i = 0; i < size; ++i)
        line[i] = static_cast<std::uint8_t>(value[i - 1] | value[i] | value[i + 1]);
    std::uint8_t clash = 0;
    for (std::int32_t i = stride; i < size - stride; ++i) {
        const std::uint8_t hit = static_cast<std::uint8_t>(line[i - stride] | line[i] | line[i + stride]);
        const bool here = code[i] == hidden;
        clash |= here && hit == 17 ? 1 : 0;
        const std::int8_t proved = hit & 1 ? proved_mine : proved_safe;
        code[i] = here && hit != 0 ? proved : code[i];
    }
    return clash == 0;
}

bool Propagation::single(Grid& grid, Model model) {
    const std::size_t room = static_cast<std::size_t>(grid.size) + 2 * Grid::slack;
    storage.need(room);
    scratch.need(room);
    trigger.need(room);
    queued = 0;
    count_around(grid);
    if (model == Model::exact) {
        for (int i = 0; i < whole_rounds; ++i) {
            if (!round(grid)) return false;
            count_around(grid);
        }
    }
    const std::int8_t* code = grid.code();
    for (std::int32_t i = grid.stride; i < grid.size - grid.stride; ++i)
        if (code[i] >= 0 && (around()[i] & 15) != 0) consider(grid, model, i);
    drain(grid, model);
    return true;
}

// Puts the clue in the queue when it proves all of its hidden cells.
void Propagation::consider(const Grid& grid, Model model, std::int32_t position) {
    const int cells = around()[position] & 15;
    const Bounds b = bounds(model, grid.code()[position], around()[position] >> 4, cells);
    if (cells == 0 || (b.high != 0 && b.low != cells)) return;
    queue.need(static_cast<std::size_t>(queued) + 1)[queued] = position;
    ++queued;
}

void Propagation::prove(Grid& grid, Model model, std::int32_t position, bool mine) {
    grid.code()[position] = mine ? proved_mine : proved_safe;
    for (const std::int32_t offset : grid.around) {
        const std::int32_t next = position + offset;
        around()[next] = static_cast<std::uint8_t>(around()[next] + (mine ? 15 : -1));
        if (grid.code()[next] >= 0) consider(grid, model, next);
    }
}

void Propagation::drain(Grid& grid, Model model) {
    while (queued > 0) {
        const std::int32_t position = queue[--queued];
        const int cells = around()[position] & 15;
        if (cells == 0) continue;
        const Bounds b = bounds(model, grid.code()[position], around()[position] >> 4, cells);
        if (b.high != 0 && b.low != cells) continue;
        for (const std::int32_t offset : grid.around)
            if (grid.code()[position + offset] == hidden)
                prove(grid, model, position + offset, b.high != 0);
    }
}

// Two clues `rows` and `cols` apart. When A needs as many mines more than B as it has cells outside
// B, those are all mines and B has none outside A.
bool Propagation::pair(Grid& grid, std::int32_t a, std::int32_t b, int rows, int cols) {
    const std::uint8_t count_a = around()[a], count_b = around()[b];
    const int more = (grid.code()[a] - (count_a >> 4)) - (grid.code()[b] - (count_b >> 4));
    std::int32_t only_a[8], only_b[8];
    int size_a = 0, size_b = 0;
    for (int dr = -1; dr <= 1; ++dr)
        for (int dc = -1; dc <= 1; ++dc) {
            const std::int32_t step = dr * grid.stride + dc;
            const bool far_a = std::abs(dr - rows) > 1 || std::abs(dc - cols) > 1;
            const bool far_b = std::abs(dr + rows) > 1 || std::abs(dc + cols) > 1;
            if (far_a && grid.code()[a + step] == hidden) only_a[size_a++] = a + step;
            if (far_b && grid.code()[b + step] == hidden) only_b[size_b++] = b + step;
        }
    const bool first = more == size_a, second = -more == size_b;
    if (!(first || second) || size_a + size_b == 0) return false;
    for (int i = 0; i < size_a; ++i)
        if (grid.code()[only_a[i]] == hidden) prove(grid, Model::exact, only_a[i], first);
    for (int i = 0; i < size_b; ++i)
        if (grid.code()[only_b[i]] == hidden) prove(grid, Model::exact, only_b[i], !first);
    return true;
}

bool Propagation::pairs(Grid& grid, const std::int32_t* clues, std::int32_t count) {
    bool ever = false;
    for (bool again = true; again;) {
        again = false;
        for (std::int32_t i = 0; i < count; ++i) {
            const std::int32_t a = clues[i];
            for (int dr = 0; dr <= 2; ++dr)
                for (int dc = dr == 0 ? 1 : -2; dc <= 2; ++dc) {
                    const std::int32_t b = a + dr * grid.stride + dc;
                    if (b >= grid.size || (around()[a] & 15) == 0) continue;
                    if (grid.code()[b] < 0 || (around()[b] & 15) == 0) continue;
                    if (!pair(grid, a, b, dr, dc)) continue;
                    drain(grid, Model::exact);
                    again = ever = true;
                }
        }
    }
    return ever;
}

}  // namespace mines
