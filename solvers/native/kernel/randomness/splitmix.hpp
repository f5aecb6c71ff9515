// SplitMix64: a stream of random numbers for every key and number, the same on every machine.
// csp_mines/generation/draws.py draws the same numbers.
#pragma once

#include <cassert>
#include <cstdint>

namespace mines {

inline constexpr std::uint64_t splitmix_step = 0x9e3779b97f4a7c15;

// Spreads the bits of any number: equal numbers give equal results, near ones give distant ones.
inline std::uint64_t splitmix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

class Draws {
  public:
    Draws(std::uint64_t key, std::uint64_t number)
        : state_(splitmix(key + splitmix(number + splitmix_step))) {}

    std::uint64_t next() { return splitmix(state_ += splitmix_step); }
    // A number below `bound`, which is not 0; the bias is below bound / 2^64.
    std::uint64_t below(std::uint64_t bound) {
        assert(bound > 0);
        return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
    }

  private:
    std::uint64_t state_;
};

}  // namespace mines
