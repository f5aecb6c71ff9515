// Plays a game on from a board, on layouts that fit the board, to measure how often a player wins
// from this board. A way to begin is a list of cells that are opened first. Every layout is played
// once for every way to begin, so that the ways can be compared on the same layouts.
//
// If few layouts fit, each of them is played to the end of the game, and the result is exact for
// this player. If many fit, layouts are drawn. Then a game ends early when the player has searched
// all layouts that are still possible: the win chance from this search is the result, in place of a
// win or a loss. Such results have the same mean and less noise.
#pragma once

#include <cstdint>
#include <vector>

#include "playing/advice.hpp"
#include "playing/player.hpp"

namespace mines {

struct Continuing {
    Asked asked;  // with a total; every mark on the board is proved
    Strength strength;
    std::vector<std::vector<std::int32_t>> openings;  // the ways to begin, as plain indices
    // If at most `most_listed` layouts fit and can be listed, all of them are played. Otherwise
    // `count` layouts are drawn.
    std::int64_t most_listed = 0, count = 0;
    std::uint64_t seed = 0;
};

struct Continued {
    Status status = Status::fits;
    bool all = false;  // every layout was played
    std::int64_t layouts = 0;
    // For each layout and each way to begin: the result (1 for a win, 0 for a loss, or the win
    // chance), or -1 if the way opens a mine.
    std::vector<double> results;
};

// Plays the games as the head of this file says. Needs no GIL. Throws what `patience` throws.
Continued continue_games(Continuing& wanted, Patience& patience);

}  // namespace mines
