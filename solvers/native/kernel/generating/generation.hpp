// Layouts without guesses by the hundred: on all cores, in the order of their numbers, and stopped
// when somebody asks.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "generating/noguess.hpp"

namespace mines {

struct Wish {
    Beginning start;
    Grade easiest = none, hardest = total;  // bounds on the grade
    std::uint64_t key = 0;                  // of the seed
    std::uint64_t max_states = 2'000'000;

    bool grants(const Outcome& outcome) const {
        return outcome.won && outcome.grade >= easiest && outcome.grade <= hardest;
    }
};

struct Made {
    std::uint64_t number = 0;  // of the draw
    Outcome outcome;
    std::vector<std::uint8_t> mines;
};

struct Tried {
    std::vector<Made> made;      // by number
    std::uint64_t too_wide = 0;  // layouts given up because a position could not be counted
};

// The layouts of the draws begin..end-1 that the wish grants.
Tried uniform(const Wish& wish, std::uint64_t begin, std::uint64_t end, int threads,
              const std::function<bool()>& asked_to_stop);

// Calls work(i, stop) for i in 0..count-1 on some threads. The calling thread asks meanwhile
// whether to stop; then `stop` is set, no further call is begun, and the answer is false. An
// exception of `work` ends everything and is thrown again here.
bool on_threads(std::uint64_t count, int threads, const std::function<bool()>& asked_to_stop,
                const std::function<void(std::uint64_t, const std::atomic<bool>&)>& work);

}  // namespace mines
