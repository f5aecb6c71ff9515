// A small generator of random numbers (xoshiro256++), the same on every machine.
#pragma once

#include <cassert>
#include <cstdint>

#include "randomness/splitmix.hpp"

namespace mines {

class Xoshiro {
  public:
    explicit Xoshiro(std::uint64_t seed) {
        for (std::uint64_t& word : state_) word = splitmix(seed += splitmix_step);
    }
    std::uint64_t bits() {
        const std::uint64_t result = turn(state_[0] + state_[3], 23) + state_[0];
        const std::uint64_t t = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= t;
        state_[3] = turn(state_[3], 45);
        return result;
    }
    // Even over 0 <= x < 1.
    double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
    // Even over 0 .. count - 1; the bias for the counts met here is below 2^-32.
    std::int32_t below(std::size_t count) {
        assert(count > 0);
        return static_cast<std::int32_t>(static_cast<unsigned __int128>(bits()) * count >> 64);
    }

  private:
    static std::uint64_t turn(std::uint64_t x, int by) { return x << by | x >> (64 - by); }

    std::uint64_t state_[4];
};

}  // namespace mines
