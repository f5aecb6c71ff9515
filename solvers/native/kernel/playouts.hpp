// Playouts: how often a game is won after opening a cell, estimated by playing it to its end on
// layouts drawn from all that are possible.
//
// All cells are tried on the same layouts, so that luck is the same for all of them, and the worse
// half of them is dropped after every round. A playout opens the safest cell when nothing is
// proved; where few layouts are left it ends with the exact chance to win instead. The numbers
// drawn follow from the position alone: the same position gives the same result on every machine.
#pragma once

#include <cstdint>

#include "game.hpp"
#include "match.hpp"
#include "posterior.hpp"

namespace mines {

// A cell that is tried: what its promise is in proportion to that of others, and how it went.
struct Trial {
    std::int32_t cell;
    double promise;
    double value;  // the sum of the results; of the best in the end: the chance to win
};

class Playouts {
  public:
    static constexpr int most_cells = 6;

    Playouts();

    // Reads a position with a known number of mines. False when it is too large. `work` bounds what
    // all playouts may cost.
    bool read(const Position& position, std::int64_t work);
    // The best of up to most_cells cells; its cell is -1 when there was not even work for the first
    // round. The promise counts as `prior` playouts. Reorders the trials.
    Trial best(Trial* trials, int count, double prior);
    // What the playouts since read() cost: at most what was allowed, and one playout more of each
    // cell.
    std::int64_t work() const { return work_; }

  private:
    bool round(Trial* trials, int count, int playouts);

    Posterior posterior_;
    Match match_;
    Player safest_;
    Rules rules_;
    const Position* position_ = nullptr;
    std::int64_t work_ = 0, most_work_ = 0;
    Xoshiro random_;
    Buffer<std::uint8_t> flags_;
};

}  // namespace mines
