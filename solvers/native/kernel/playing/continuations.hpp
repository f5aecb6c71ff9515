// Plays a game on from a board, on layouts that fit it, to measure how often a player wins from
// there. Every layout is played once for every way to begin, so that the ways can be compared on
// the same layouts.
//
// If few layouts fit, each of them is played to the end of the game, and the result is exact for
// this player. Otherwise layouts are drawn. Then a game ends early when the player has searched all
// layouts that are left: the win chance that it found replaces a win or a loss. That has the same
// mean and less noise.
#pragma once

#include <cstdint>
#include <vector>

#include "playing/advice.hpp"
#include "playing/player.hpp"

namespace mines {

struct Continuing {
    Asked asked;  // with a total; the board has no marks that are not proved
    Strength strength;
    std::vector<std::vector<std::int32_t>> openings;  // plain cells that each way opens first
    std::int64_t most_listed = 0;  // play all layouts if there are at most so many
    std::int64_t count = 0;        // otherwise draw so many
    std::uint64_t seed = 0;
};

struct Continued {
    Status status = Status::fits;
    bool all = false;  // every layout was played
    std::int64_t layouts = 0;
    // For each layout and each way: the win chance, or -1 if the way opens a mine.
    std::vector<double> results;
};

// Needs no GIL. Throws what `patience` throws.
Continued continue_games(Continuing& wanted, Patience& patience);

}  // namespace mines
