#include "board/passes.hpp"

#include <algorithm>
#include <cstring>

#include "board/single_clue.hpp"

namespace mines {

namespace {

using Byte = std::uint8_t;

constexpr std::int32_t band = 8192;

// Runs the stages first(begin, end), second and third over [0, size), band by band. At an index,
// `second` may use the results of `first` up to the next index, and `third` may use the results of
// `second` up to one row further. `third` leaves out the first and the last row.
template <class First, class Second, class Third>
void in_bands(std::int32_t size, std::int32_t stride, First first, Second second, Third third) {
    std::int32_t first_done = 0, second_done = 0, third_done = stride;
    while (third_done < size - stride) {
        const std::int32_t end = std::min(third_done + std::max(band, 2 * stride), size - stride);
        const std::int32_t second_end = std::min(end + stride, size),
                           first_end = std::min(second_end + 1, size);
        first(first_done, first_end);
        second(second_done, second_end);
        third(third_done, end);
        first_done = first_end, second_done = second_end, third_done = end;
    }
}

void add_three(const Byte* __restrict value, Byte* __restrict line, std::int32_t begin,
               std::int32_t end) {
    for (std::int32_t i = begin; i < end; ++i)
        line[i] = static_cast<Byte>(value[i - 1] + value[i] + value[i + 1]);
}

void or_three(const Byte* __restrict value, Byte* __restrict line, std::int32_t begin,
              std::int32_t end) {
    for (std::int32_t i = begin; i < end; ++i)
        line[i] = static_cast<Byte>(value[i - 1] | value[i] | value[i + 1]);
}

// Calls third(above, here, below, begin, count) for stretches of the board. The three arrays say
// which cells of the rows above, here and below have a flag beside them in their row, or on them.
template <class Third>
void beside_flags(const Grid& grid, const Byte* flags, Byte* line, Third third) {
    const std::int32_t stride = grid.stride;
    in_bands(
        grid.size, stride, [](std::int32_t, std::int32_t) {},
        [&](std::int32_t b, std::int32_t e) { or_three(flags, line, b, e); },
        [&](std::int32_t b, std::int32_t e) {
            third(line + b - stride, line + b, line + b + stride, b, e - b);
        });
}

// Sixteen bytes that GCC and Clang compute with at once. A comparison gives a byte with all bits
// set where it holds, else 0.
using Lanes = std::int8_t __attribute__((vector_size(16)));

Lanes lanes(const void* from) {
    Lanes value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

// Whether some byte is not 0.
bool any(const Lanes& value) {
    std::uint64_t halves[2];
    std::memcpy(halves, &value, sizeof value);
    return (halves[0] | halves[1]) != 0;
}

// This also fills up to 15 bytes beyond `end`; the array has room for them.
void kinds(const std::int8_t* code, Byte* kind, std::int32_t begin, std::int32_t end) {
    for (std::int32_t i = begin; i < end; i += static_cast<std::int32_t>(sizeof(Lanes))) {
        const auto is = [here = lanes(code + i)](std::int8_t wanted) { return here == wanted; };
        const Lanes mine = is(marked) | is(opened) | is(proved_mine);
        const Lanes kinds_here = (is(hidden) & 1) | (mine & 16);
        std::memcpy(kind + i, &kinds_here, sizeof kinds_here);
    }
}

// Clears the first and the last row of an array, which belong to the border.
void clear_ends(Byte* flags, std::int32_t stride, std::int32_t size) {
    std::memset(flags - 1, 0, static_cast<std::size_t>(stride) + 1);
    std::memset(flags + size - stride, 0, static_cast<std::size_t>(stride) + 8);
}

// Examines up to 15 bytes beyond `end`, too. They belong to the border, so they are no clues.
Findings inspect_exact(const std::int8_t* code, const Byte* around, Byte* active, Byte* trigger,
                       std::int32_t begin, std::int32_t end) {
    Lanes worst{}, fired{};
    for (std::int32_t i = begin; i < end; i += static_cast<std::int32_t>(sizeof(Lanes))) {
        const Lanes clue = lanes(code + i), near = lanes(around + i);
        const Lanes cells = near & 15, left = clue - (near >> 4 & 15);
        const Lanes is_clue = clue >= 0, open = is_clue & (cells > 0);
        const Lanes fires = open & ((proves_mines(left, cells) & 1) | (proves_safe(left) & 16));
        worst |= is_clue & ((left < 0) | (left > cells));
        fired |= fires;
        const Lanes active_here = open & 1;
        std::memcpy(active + i, &active_here, sizeof active_here);
        std::memcpy(trigger + i, &fires, sizeof fires);
    }
    return {any(worst), any(fired)};
}

// Around a clue t, `known` cells are mines and `cells` are hidden. An optimistic clue can be true
// if t <= known + cells, a cautious clue if t >= known. Returns 1 if some clue cannot be true.
Byte inspect_noisy(const std::int8_t* __restrict code, const Byte* __restrict around,
                   Byte* __restrict active, std::int32_t begin, std::int32_t end, bool optimistic) {
    Byte bad = 0;
    for (std::int32_t i = begin; i < end; ++i) {
        const int clue = code[i], cells = around[i] & 15, known = around[i] >> 4;
        const bool wrong = optimistic ? clue > known + cells : clue < known;
        bad |= clue >= 0 && wrong ? 1 : 0;
        active[i] = clue >= 0 && cells > 0 ? 1 : 0;
    }
    return bad;
}

Byte prove_next_to(const Byte* __restrict above, const Byte* __restrict here,
                   const Byte* __restrict below, std::int8_t* __restrict code, std::int32_t count) {
    Byte clash = 0;
    for (std::int32_t i = 0; i < count; ++i) {
        const Byte hit = above[i] | here[i] | below[i];
        const Byte mask = code[i] == hidden ? 0xFF : 0;
        const Byte reached = mask & (hit != 0 ? 0xFF : 0);
        const Byte proved =
            hit == 1 ? static_cast<Byte>(proved_mine) : static_cast<Byte>(proved_safe);
        clash |= mask & (hit == 17 ? 1 : 0);
        code[i] = static_cast<std::int8_t>(
            (reached & proved) | (static_cast<Byte>(~reached) & static_cast<Byte>(code[i])));
    }
    return clash;
}

void hidden_and(const Byte* __restrict above, const Byte* __restrict here,
                const Byte* __restrict below, const std::int8_t* __restrict code,
                Byte* __restrict touched, std::int32_t count) {
    for (std::int32_t i = 0; i < count; ++i)
        touched[i] = (above[i] | here[i] | below[i]) & (code[i] == hidden ? 0xFF : 0);
}

// The same passes, cell by cell, on a grid with a table of neighbours.

void count_by_table(const Grid& grid, Byte* kind, Around* around) {
    kinds(grid.code(), kind, 0, grid.size);
    for (std::int32_t i = grid.stride; i < grid.size - grid.stride; ++i) {
        if (grid.code()[i] < 0) continue;
        int unknown = 0, mines = 0;
        for (const std::int32_t other : grid.beside(i)) {
            unknown += kind[other] & 1;
            mines += kind[other] >> 4;
        }
        around[i] = {static_cast<Byte>(unknown), static_cast<Byte>(mines)};
    }
}

Findings inspect_by_table(const Grid& grid, Model model, const Around* around, Byte* active,
                          Byte* trigger) {
    Findings found;
    for (std::int32_t i = grid.stride; i < grid.size - grid.stride; ++i) {
        active[i] = trigger[i] = 0;
        const int clue = grid.code()[i];
        if (clue < 0) continue;
        const int cells = around[i].hidden;
        const Bounds fits = bounds(model, clue, around[i].mines, cells);
        found.contradiction |= fits.low > cells || fits.high < 0;
        active[i] = cells > 0;
        if (model != Model::exact) continue;
        const Proof proof = single_clue(fits, cells);
        trigger[i] = proof == Proof::all_mines ? 1 : proof == Proof::all_safe ? 16 : 0;
        found.triggered |= trigger[i] != 0;
    }
    return found;
}

bool apply_by_table(Grid& grid, const Byte* trigger, Byte* line) {
    std::memset(line, 0, grid.size);
    each_set(trigger, grid.stride, grid.size - grid.stride, [&](std::int32_t i) {
        for (const std::int32_t other : grid.beside(i)) line[other] |= trigger[i];
    });
    Byte clash = 0;
    std::int8_t* const code = grid.code();
    for (std::int32_t i = grid.stride; i < grid.size - grid.stride; ++i) {
        if (line[i] == 0 || code[i] != hidden) continue;
        clash |= line[i] == 17;
        code[i] = line[i] == 1 ? proved_mine : proved_safe;
    }
    return clash == 0;
}

void touch_by_table(const Grid& grid, const Byte* active, Byte* touched) {
    std::memset(touched, 0, static_cast<std::size_t>(grid.size) + 8);
    each_set(active, grid.stride, grid.size - grid.stride, [&](std::int32_t i) {
        for (const std::int32_t other : grid.beside(i))
            if (grid.code()[other] == hidden) touched[other] = 1;
    });
}

}  // namespace

void count_around(const Grid& grid, Byte* kind, Byte* line, Surroundings& around) {
    const std::int32_t stride = grid.stride;
    kind[-1] = kind[grid.size] = 0;
    if (grid.table != nullptr) return count_by_table(grid, kind, around.listed());
    in_bands(
        grid.size, stride, [&](std::int32_t b, std::int32_t e) { kinds(grid.code(), kind, b, e); },
        [&](std::int32_t b, std::int32_t e) { add_three(kind, line, b, e); },
        [&](std::int32_t b, std::int32_t e) {
            const Byte* __restrict from = line;
            Byte* __restrict to = around.packed();
            for (std::int32_t i = b; i < e; ++i)
                to[i] = static_cast<Byte>(from[i - stride] + from[i] + from[i + stride]);
        });
}

Findings inspect(const Grid& grid, Model model, const Surroundings& around, Byte* active,
                 Byte* trigger) {
    const std::int32_t begin = grid.stride, end = grid.size - grid.stride;
    clear_ends(active, grid.stride, grid.size);
    clear_ends(trigger, grid.stride, grid.size);
    if (grid.table != nullptr)
        return inspect_by_table(grid, model, around.listed(), active, trigger);
    const Byte* const packed = around.packed();
    if (model == Model::exact)
        return inspect_exact(grid.code(), packed, active, trigger, begin, end);
    const bool optimistic = model == Model::optimistic;
    return {inspect_noisy(grid.code(), packed, active, begin, end, optimistic) != 0, false};
}

bool apply(Grid& grid, const Byte* trigger, Byte* line) {
    if (grid.table != nullptr) return apply_by_table(grid, trigger, line);
    Byte clash = 0;
    beside_flags(grid, trigger, line, [&](auto above, auto here, auto below, auto b, auto count) {
        clash |= prove_next_to(above, here, below, grid.code() + b, count);
    });
    return clash == 0;
}

void touch(const Grid& grid, const Byte* active, Byte* line, Byte* touched) {
    if (grid.table != nullptr) return touch_by_table(grid, active, touched);
    beside_flags(grid, active, line, [&](auto above, auto here, auto below, auto b, auto count) {
        hidden_and(above, here, below, grid.code() + b, touched + b, count);
    });
    std::memset(touched + grid.size - grid.stride, 0, 8);
}

void tally(const Grid& grid, const Byte* kind, std::int64_t& hidden_cells,
           std::int64_t& mine_cells) {
    constexpr std::uint64_t ones = 0x0101010101010101u;
    constexpr std::int32_t words = 15;  // so many sums of one bit fit into half a byte
    std::uint64_t low = 0, high = 0;
    std::int32_t i = 0;
    while (i + 8 <= grid.size) {
        const std::int32_t end = std::min(i + 8 * words, grid.size - 7);
        std::uint64_t sums = 0;
        for (; i < end; i += 8) {
            std::uint64_t word;
            std::memcpy(&word, kind + i, 8);
            sums += word;
        }
        low += ((sums & 15 * ones) * ones) >> 56;
        high += ((sums >> 4 & 15 * ones) * ones) >> 56;
    }
    for (; i < grid.size; ++i) low += kind[i] & 1, high += kind[i] >> 4;
    hidden_cells = static_cast<std::int64_t>(low);
    mine_cells = static_cast<std::int64_t>(high);
}

}  // namespace mines
