// SplitMix64: a stream of random numbers for every key and stream number. A stream is the same on
// every machine.
// csp_mines/generation/draws.py draws the same numbers.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>

namespace mines {

inline constexpr std::uint64_t splitmix_step = 0x9e3779b97f4a7c15;

// Mixes the bits of a number: different numbers give very different results.
inline std::uint64_t splitmix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

class Stream {
  public:
    explicit Stream(std::uint64_t key, std::uint64_t number = 0)
        : state_(splitmix(key + splitmix(number + splitmix_step))) {}

    std::uint64_t next() { return splitmix(state_ += splitmix_step); }
    // A number in 0 <= x < 1, each multiple of 2^-53 equally likely.
    double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
    // A number in 0 .. bound - 1. Its bias is below bound / 2^64.
    std::int32_t below(std::size_t bound) {
        assert(bound > 0 && bound <= std::size_t{1} << 31);
        return static_cast<std::int32_t>(static_cast<unsigned __int128>(next()) * bound >> 64);
    }

  private:
    std::uint64_t state_;
};

}  // namespace mines
