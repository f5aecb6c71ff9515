// The clue models, which say what a clue means for the hidden cells around it; and the prior.
#pragma once

#include <algorithm>
#include <cstdint>

namespace mines {

enum class Model : std::uint8_t {
    exact,       // also serves `silent`, because its blank cells tell nothing
    optimistic,  // with t mines around it, shows any number in 0..t
    cautious,    // with t mines around it, shows any number in t..most
};

// If `total` is true, `mines` is the number of mines on the whole board, including marked and
// opened ones. If not, the odds of a mine at any cell are `odds` to one.
struct Prior {
    bool total = false;
    std::int64_t mines = 0;
    double odds = 1.0;
};

struct Bounds {
    int low;
    int high;
};

// Bounds on the mines among `cells` hidden neighbours of a clue that has `known` other mines around
// it. The bounds are not clipped: if low > cells, high < 0 or low > high, no number fits.
inline Bounds bounds(Model model, int clue, int known, int cells) {
    const int left = clue - known;
    switch (model) {
        case Model::optimistic: return {std::max(left, 0), cells};
        case Model::cautious: return {0, std::min(left, cells)};
        default: return {left, left};
    }
}

// The likelihood of a clue with `count` mines around it, up to a constant. `most` is the largest
// clue of the grid.
inline double likelihood(Model model, int count, int most) {
    switch (model) {
        case Model::optimistic: return 1.0 / (count + 1);
        case Model::cautious: return 1.0 / (most + 1 - count);
        default: return 1.0;
    }
}

}  // namespace mines
