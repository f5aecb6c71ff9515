// The state of a Markov chain of the sampler: a layout.
#pragma once

#include <cstdint>
#include <vector>

namespace mines {

struct Chain {
    std::vector<std::int32_t> mines;  // of every box
    std::vector<std::int32_t> sums;   // of every constraint
    std::int64_t all = 0;
};

}  // namespace mines
