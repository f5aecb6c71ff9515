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

    // The 53 bits of the next number that numpy's `random` would give.
    std::uint64_t next_bits();

  private:
    void step();

    unsigned __int128 state_ = 0, increment_ = 0;
};

}  // namespace mines
