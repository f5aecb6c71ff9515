#include "randomness/pcg64.hpp"

namespace mines {

namespace {

constexpr int pool_words = 4;

// hash() and mix() are the mixing functions of numpy's SeedSequence. Every use of hash() changes
// the constant.
std::uint32_t hash(std::uint32_t value, std::uint32_t& constant, std::uint32_t multiplier) {
    value ^= constant;
    constant *= multiplier;
    value *= constant;
    return value ^ value >> 16;
}

std::uint32_t mix(std::uint32_t x, std::uint32_t y) {
    const std::uint32_t mixed = 0xca01f9ddu * x - 0x4973f715u * y;
    return mixed ^ mixed >> 16;
}

void fill_pool(const std::uint8_t* seed, std::uint32_t* pool) {
    std::uint32_t constant = 0x43b0d7e5u;
    const auto hashed = [&](std::uint32_t value) { return hash(value, constant, 0x931e8875u); };
    for (int i = 0; i < pool_words; ++i) {
        const std::uint8_t* word = seed + 4 * (pool_words - 1 - i);
        pool[i] = hashed(static_cast<std::uint32_t>(word[0]) << 24 | word[1] << 16 | word[2] << 8 |
                         word[3]);
    }
    for (int from = 0; from < pool_words; ++from)
        for (int to = 0; to < pool_words; ++to)
            if (from != to) pool[to] = mix(pool[to], hashed(pool[from]));
}

}  // namespace

Pcg64::Pcg64(const std::uint8_t* seed) {
    std::uint32_t pool[pool_words];
    fill_pool(seed, pool);
    std::uint64_t words[4];
    std::uint32_t constant = 0x8b51f9ddu;
    for (int i = 0; i < 4; ++i) {
        const std::uint64_t low = hash(pool[2 * i % pool_words], constant, 0x58f38dedu);
        const std::uint64_t high = hash(pool[(2 * i + 1) % pool_words], constant, 0x58f38dedu);
        words[i] = high << 32 | low;
    }
    const auto joined = [](std::uint64_t high, std::uint64_t low) {
        return static_cast<unsigned __int128>(high) << 64 | low;
    };
    increment_ = joined(words[2], words[3]) << 1 | 1;
    step();
    state_ += joined(words[0], words[1]);
    step();
}

void Pcg64::step() {
    constexpr unsigned __int128 multiplier =
        static_cast<unsigned __int128>(2549297995355413924u) << 64 | 4865540595714422341u;
    state_ = state_ * multiplier + increment_;
}

std::uint64_t Pcg64::next_bits() {
    step();
    const std::uint64_t folded =
        static_cast<std::uint64_t>(state_ >> 64) ^ static_cast<std::uint64_t>(state_);
    const unsigned turn = static_cast<unsigned>(state_ >> 122);
    return (folded >> turn | folded << (-turn & 63)) >> 11;
}

}  // namespace mines
