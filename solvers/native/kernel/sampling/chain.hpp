// The state of a Markov chain of the sampler: a layout, as the number of mines in every box.
#pragma once

#include <cstdint>
#include <vector>

namespace mines {

struct Chain {
    std::vector<std::int32_t> mines;  // of every box
    std::vector<std::int32_t> sums;   // of every constraint
    std::int64_t all = 0;             // of all boxes
};

}  // namespace mines
