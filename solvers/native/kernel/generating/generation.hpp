// Draws numbered layouts on several threads, and keeps the no-guess games that match a wish. The
// key of the wish and the number of a draw determine its layout.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "generating/noguess.hpp"

namespace mines {

struct Wish {
    Beginning start;
    Grade easiest = none, hardest = total;  // bounds on the grade
    std::uint64_t key = 0;                  // of the random streams; follows from the seed
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
    std::uint64_t too_wide = 0;  // how many draws had a position that was too wide to count
};

// Returns the layouts among draws begin..end-1 that match the wish. Stops early if `asked_to_stop`
// returns true.
Tried uniform(const Wish& wish, std::uint64_t begin, std::uint64_t end, int threads,
              const std::function<bool()>& asked_to_stop);

}  // namespace mines
