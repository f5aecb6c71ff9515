// Checks of arguments that several bindings take. They raise ValueError.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <vector>

#include "board/grid.hpp"
#include "counting/hypergraph.hpp"

namespace mines {

inline void require(bool good, const char* what) {
    if (!good) throw nanobind::value_error(what);
}

inline void check_odds(double odds) {
    require(odds > 0 && !std::isinf(odds), "odds must be positive and finite");
}

inline void check_seconds(double seconds) {
    require(seconds >= 0, "seconds must not be negative");
}

// Checks that a table is for boards of this size. Null means the square grid, which fits any size.
inline void check_table(const NeighbourTable* table, std::int64_t rows, std::int64_t cols) {
    require(table == nullptr || (table->row_count == rows && table->col_count == cols),
            "the table is for boards of another size");
}

// Checks the lists of a region, so that nothing is read beyond their ends. The weights of
// constraint c have the indices first_weight[c] .. first_weight[c + 1] - 1. `weights` is the number
// of weights of all constraints.
inline void check_lists(const Hypergraph& region, std::int32_t largest_box,
                        const std::vector<std::int32_t>& first_weight, std::size_t weights) {
    const auto& [sizes, first, members] = std::tie(region.sizes, region.first, region.members);
    require(!first.empty() && first_weight.size() == first.size(),
            "first and first_weight need one entry per constraint, and one more");
    require(first[0] == 0 && first_weight[0] == 0, "first and first_weight must begin with 0");
    for (std::size_t c = 1; c < first.size(); ++c) {
        require(first[c] > first[c - 1], "a constraint needs boxes");
        require(first_weight[c] >= first_weight[c - 1], "first_weight must not decrease");
    }
    require(static_cast<std::size_t>(first.back()) == members.size(),
            "members must end with the boxes of the last constraint");
    require(static_cast<std::size_t>(first_weight.back()) == weights,
            "weights must end with those of the last constraint");
    for (const std::int32_t size : sizes)
        require(size >= 1 && size <= largest_box, "a box is empty or too large");
    std::vector<bool> inside(sizes.size());
    for (const std::int32_t box : members) {
        require(box >= 0 && static_cast<std::size_t>(box) < sizes.size(), "there is no such box");
        inside[box] = true;
    }
    require(std::find(inside.begin(), inside.end(), false) == inside.end(),
            "every box must be in some constraint");
}

}  // namespace mines
