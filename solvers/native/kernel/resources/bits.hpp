// Counts the elements of a set that is stored as the bits of a word.
#pragma once

#include <cstdint>

namespace mines {

inline int count_bits(std::uint64_t word) {
    return __builtin_popcountll(word);
}

}  // namespace mines
