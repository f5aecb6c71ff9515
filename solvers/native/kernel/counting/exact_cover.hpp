// Disjoint exact constraints of a region: each has low = high, and no two share a cell. The
// number of mines in all their boxes is known. So a count of solutions by their number of mines
// needs to count only the mines in the other boxes. A polynomial in the number of mines then has at
// most one coefficient more than the other boxes have cells.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "counting/hypergraph.hpp"
#include "resources/stretch.hpp"

namespace mines {

// Chooses disjoint exact constraints, large ones first. Clears `counted` for their boxes, and sets
// it for all other boxes of the region. Returns the number of mines in the chosen constraints.
// `Graph` is a Frontier or a Hypergraph.
template <class Graph>
std::int32_t split_off_exact(const Graph& graph, Stretch constraints, std::uint8_t* counted) {
    std::vector<std::int32_t> exact;
    for (const std::int32_t c : constraints) {
        for (const std::int32_t box : graph.boxes_of(c)) counted[box] = 1;
        if (graph.low_of(c) == graph.high_of(c)) exact.push_back(c);
    }
    std::stable_sort(exact.begin(), exact.end(), [&](std::int32_t a, std::int32_t b) {
        return graph.cells_of(a) > graph.cells_of(b);
    });
    std::int32_t mines = 0;
    for (const std::int32_t c : exact) {
        const Stretch boxes = graph.boxes_of(c);
        const auto free = [&](std::int32_t box) { return counted[box] != 0; };
        if (!std::all_of(boxes.begin(), boxes.end(), free)) continue;
        for (const std::int32_t box : boxes) counted[box] = 0;
        mines += graph.low_of(c);
    }
    return mines;
}

// The same for all constraints of a region.
inline std::int32_t split_off_exact(const Hypergraph& region, std::vector<std::uint8_t>& counted) {
    std::vector<std::int32_t> all(region.low.size());
    std::iota(all.begin(), all.end(), 0);
    counted.assign(region.sizes.size(), 0);
    return split_off_exact(region, Stretch::of(all), counted.data());
}

}  // namespace mines
