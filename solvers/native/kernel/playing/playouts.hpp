// Playouts: how often a game is won after opening a cell, estimated by playing it to its end on
// layouts drawn from all that are possible.
//
// All cells are tried on the same layouts, so that luck is the same for all of them. After every
// round the cells that are behind the leader by more than the standard error of the difference are
// dropped. A cell may have a lead that the others must win back. A playout opens the safest cell
// when nothing is proved; where few layouts are left it ends with the exact chance to win instead.
// The numbers drawn follow from the position alone: the same position gives the same result on
// every machine.
#pragma once

#include <cstdint>

#include "playing/game.hpp"
#include "playing/match.hpp"
#include "playing/thoughts.hpp"
#include "searching/posterior.hpp"

namespace mines {

// A cell that is tried, and how it went.
struct Trial {
    std::int32_t cell = -1;
    double safety = 0;                  // exact
    double promise = 0;                 // in proportion to that of other cells
    std::int32_t column = 0, safe = 0;  // of the results; layouts on which the cell is safe
    double won = 0;                     // the sum of the results
    double chance = 0;                  // to win, by playouts and promise
    double lead = 0;                    // added to the chance when cells are compared

    // Of a layout on which the cell is safe.
    double mean() const { return safe > 0 ? won / safe : 0; }
    double standing() const { return chance + lead; }
};

class Playouts {
  public:
    static constexpr int most_cells = 10;

    Playouts();

    // Reads a position with a known number of mines. False when it is too large. `work` bounds what
    // all playouts may cost.
    bool read(const Position& position, std::int64_t work);
    // The best of up to most_cells cells, tried on up to `layouts` layouts; its cell is -1 when
    // there was not even work for the first round. The promise counts as `prior` playouts. Reorders
    // the trials.
    Trial best(Trial* trials, int count, int layouts, double prior);
    // What the playouts since read() cost: at most what was allowed, and one playout more of each
    // cell.
    std::int64_t work() const { return work_; }

  private:
    bool round(Trial* trials, int count, int layouts);
    void rank(Trial* trials, int count, double prior) const;
    int keep(Trial* trials, int count) const;
    double error_of_difference(const Trial& a, const Trial& b) const;

    Posterior posterior_;
    Match match_;
    Thoughts thoughts_;
    Player safest_;
    Rules rules_;
    const Position* position_ = nullptr;
    std::int64_t work_ = 0, most_work_ = 0;
    int played_ = 0;
    Stream random_;
    Buffer<std::uint8_t> flags_;
    Buffer<float> results_;  // per layout and column: -1 where the cell has a mine
};

}  // namespace mines
