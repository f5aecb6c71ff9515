// The state of a Markov chain of the sampler: a layout, as the number of mines in every box.
#pragma once

#include <cstdint>
#include <vector>

#include "counting/hypergraph.hpp"

namespace mines {

struct Chain {
    std::vector<std::int32_t> mines;  // of every box
    std::vector<std::int32_t> sums;   // of every constraint
    std::int64_t all = 0;             // of all boxes

    // Changes the mines of a box.
    void set(const Hypergraph& region, std::int32_t box, std::int32_t count) {
        const std::int32_t change = count - mines[box];
        if (change == 0) return;
        mines[box] = count;
        all += change;
        for (const std::int32_t c : region.constraints_of(box)) sums[c] += change;
    }
};

}  // namespace mines
