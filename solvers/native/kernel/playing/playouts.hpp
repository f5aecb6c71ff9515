// Playouts estimate how often a game is won after opening a cell. A playout plays the game to its
// end on a random layout that fits the board.
//
// All cells are tried on the same layouts, so that luck affects them alike. After every round,
// cells that are behind the leader by more than the standard error of the difference are dropped. A
// cell may have a lead, which is added to its win chance when cells are compared. A playout opens
// the safest cell when nothing is proved. When few layouts are left, the playout ends with the
// exact win chance. The random numbers follow from the position alone, so the results are the same
// on every machine.
#pragma once

#include <cstdint>

#include "playing/game.hpp"
#include "playing/match.hpp"
#include "playing/thoughts.hpp"
#include "searching/posterior.hpp"

namespace mines {

// A cell that is tried, and its results.
struct Trial {
    std::int32_t cell = -1;
    double safety = 0;                  // exact
    double score = 0;                   // by Player::score(); only ratios between cells matter
    std::int32_t column = 0, safe = 0;  // column of results_; on how many layouts the cell was safe
    double won = 0;                     // the sum of the results
    double chance = 0;                  // the win chance, by playouts and score
    double lead = 0;                    // added to the chance when cells are compared

    // The mean result over the layouts on which the cell is safe.
    double mean() const { return safe > 0 ? won / safe : 0; }
    double standing() const { return chance + lead; }
};

class Playouts {
  public:
    static constexpr int most_cells = 10;

    Playouts();

    // Reads a position with a known number of mines. `work` bounds the work of all playouts. False:
    // no layout can be drawn, because some region is too large or no layout fits.
    bool read(const Position& position, std::int64_t work);
    // Tries `count` cells (at most most_cells) on at most `layouts` layouts. Returns the trial with
    // the highest standing, or a trial with the cell -1 if the work is used up in the first round.
    // The win chance of a cell is a weighted mean of its playouts and an estimate from its score;
    // the estimate counts as much as `prior` playouts. Reorders the trials.
    Trial best(Trial* trials, int count, int layouts, double prior);
    // The work of the playouts since read(). It may exceed the allowed work, by at most one
    // playout of each cell.
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
    // Per layout and Trial::column: the result of the playout, or -1 if the cell is a mine.
    Buffer<float> results_;
};

}  // namespace mines
