// What a clue says, under each clue model, about the hidden cells around it; and the prior.
#pragma once

#include <algorithm>
#include <cstdint>

namespace mines {

enum class Model : std::uint8_t {
    exact,       // also `silent`: its blank cells carry no information
    optimistic,  // shows a number uniform in 0..t
    cautious,    // shows a number uniform in t..8
};

// With a total: mines of the whole board, marked and opened ones included. Without: every cell is a
// mine with odds `odds` to one.
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
// it. Not clipped: no number fits when low > cells, high < 0 or low > high.
inline Bounds bounds(Model model, int clue, int known, int cells) {
    const int left = clue - known;
    switch (model) {
        case Model::optimistic: return {std::max(left, 0), cells};
        case Model::cautious: return {0, std::min(left, cells)};
        default: return {left, left};
    }
}

// How likely the clue is when `count` mines lie around it, up to a constant.
inline double likelihood(Model model, int count) {
    switch (model) {
        case Model::optimistic: return 1.0 / (count + 1);
        case Model::cautious: return 1.0 / (9 - count);
        default: return 1.0;
    }
}

}  // namespace mines
