// PCG64, the generator of numpy, seeded as numpy seeds it: games made here and games made in Python
// have the same layouts.
#pragma once

#include <cstdint>

namespace mines {

class Pcg64 {
  public:
    static constexpr int seed_bytes = 16;

    // The seed is one integer, its most significant byte first.
    explicit Pcg64(const std::uint8_t* seed);

    std::uint64_t next();
    // The 53 bits of a number in [0, 1) that numpy's `random` would give.
    std::uint64_t next_bits() { return next() >> 11; }
    // A number in 0..bound-1; `bound` is small against 2^32.
    std::uint32_t below(std::uint32_t bound) {
        return static_cast<std::uint32_t>((next() >> 32) * bound >> 32);
    }

  private:
    void step();

    unsigned __int128 state_ = 0, increment_ = 0;
};

}  // namespace mines
