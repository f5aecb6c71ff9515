// Keys of states, and the table that finds a state by its key while a layer of states is made. A
// key has the residuals of the open constraints, packed into words (see elimination.hpp).
#pragma once

#include <cassert>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "resources/buffer.hpp"

namespace mines {

inline constexpr int most_words = 1024;  // of a key

// Rounds a number of words up to the next length that keys may have. There are only a few such
// lengths, so that loops over keys can be unrolled. Above most_words, the number is not changed.
inline int words_for(int words) {
    for (const int length : {1, 2, 4, 16, 128, most_words})
        if (words <= length) return length;
    return words;
}

// Calls visit(integral_constant<int, N>()) with N = `words`. `words` must be a result of
// words_for() that is at most most_words.
template <class Visit>
auto with_words(int words, Visit visit) {
    assert(words == words_for(words) && words <= most_words);
    switch (words) {
        case 1: return visit(std::integral_constant<int, 1>());
        case 2: return visit(std::integral_constant<int, 2>());
        case 4: return visit(std::integral_constant<int, 4>());
        case 16: return visit(std::integral_constant<int, 16>());
        case 128: return visit(std::integral_constant<int, 128>());
        default: return visit(std::integral_constant<int, most_words>());
    }
}

class KeyTable {
  public:
    // Forgets the states of the previous layer.
    void begin_layer() {
        if (++generation_ == 0) bits_ = 0;
    }
    // The number of the state that has this key. A new state gets the next number, and its key is
    // added to `keys`, which has the keys of the layer's `count` states and room for one more.
    template <int N>
    std::uint32_t find_or_add(const std::uint64_t* key, std::uint64_t* keys, std::uint32_t& count) {
        if (bits_ == 0 || (std::uint64_t{count} << 1) >> bits_ != 0) rebuild<N>(keys, count);
        std::uint64_t hash = key[0];
        for (int w = 1; w < N; ++w) hash = (hash ^ hash >> 29) * 0xBF58476D1CE4E5B9u + key[w];
        hash *= 0x9E3779B97F4A7C15u;
        const std::uint32_t mask = (std::uint32_t{1} << bits_) - 1;
        for (std::uint32_t slot = static_cast<std::uint32_t>(hash >> (64 - bits_));;
             slot = (slot + 1) & mask) {
            const std::uint64_t entry = table_[slot];
            if (entry >> 32 != generation_) {
                table_[slot] = std::uint64_t{generation_} << 32 | count;
                std::uint64_t* fresh = keys + std::int64_t{count} * N;
                for (int w = 0; w < N; ++w) fresh[w] = key[w];
                return count++;
            }
            const std::uint32_t state = static_cast<std::uint32_t>(entry);
            const std::uint64_t* known = keys + std::int64_t{state} * N;
            bool equal = true;
            for (int w = 0; w < N; ++w) equal &= known[w] == key[w];
            if (equal) return state;
        }
    }
    void trim(std::size_t bytes) {
        if (table_.bytes() > bytes) table_.trim(bytes), bits_ = 0;
    }
    std::size_t bytes() const { return table_.bytes(); }
    // The bytes of a new table after a layer of `states` states. A table that held a larger layer
    // before may be larger.
    static std::size_t bytes_for(std::uint32_t states) {
        std::uint32_t bits = least_bits;
        while ((std::uint64_t{states} << 1) >> bits != 0) ++bits;
        return sizeof(std::uint64_t) << bits;
    }

  private:
    static constexpr std::uint32_t least_bits = 8;

    template <int N>
    void rebuild(std::uint64_t* keys, std::uint32_t count) {
        const std::uint32_t bits = bits_ == 0 ? least_bits : bits_ + 1;
        const std::size_t size = std::size_t{1} << bits;
        std::memset(table_.need(size), 0, size * sizeof(std::uint64_t));
        bits_ = bits;
        generation_ = 1;
        for (std::uint32_t state = 0; state < count;)
            find_or_add<N>(keys + std::int64_t{state} * N, keys, state);
    }

    Buffer<std::uint64_t> table_;  // generation << 32 | state; an older generation means empty
    std::uint32_t bits_ = 0, generation_ = 0;
};

}  // namespace mines
