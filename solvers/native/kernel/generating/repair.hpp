// Repairs random layouts until they can be won without a guess. A layout is played until the game
// is stuck. Some cells where it is stuck are swapped with cells near them, always a mine with a
// safe cell, and the game is played again from its first cell. If fewer cells can be opened after a
// change, the change is undone.
//
// Mines move by at most two cells, so the repaired places are as dense as the rest of the board. A
// layout that can be won is then stirred: random mines are moved, and a move is kept if the layout
// can still be won. This makes all layouts that can be won more nearly equally likely.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "generating/generation.hpp"

namespace mines {

class Repair {
  public:
    explicit Repair(const Wish& wish);

    // Makes the layout with this number. False: it took more than `plays` games, or `stop` was set.
    bool make(std::uint64_t number, std::uint64_t plays, const std::atomic<bool>& stop, Made& made);

  private:
    bool mend(Stream& random, const std::atomic<bool>& stop);
    bool stir(Stream& random, const std::atomic<bool>& stop, Made& made);
    bool wins();
    void find_stuck();
    void collect(Knowledge::State wanted, Knowledge::State beside);
    void find_near(std::int32_t cell);
    void change_near(std::int32_t cell, Stream& random);
    bool change_anywhere(Stream& random);
    std::int32_t random_near(std::int32_t cell, Stream& random);
    void change(std::int32_t cell, std::int32_t other);
    void take_back();

    Wish wish_;
    Layouts layouts_;
    NoGuess game_;
    Outcome last_;                            // of the last game
    std::uint64_t plays_ = 0;                 // games that may still be played
    std::vector<std::int32_t> stuck_, near_;  // plain cells
    Shape shape_;
    std::size_t most_near_ = 0;  // with a NeighbourTable: the most cells near any cell
    std::vector<std::pair<std::int32_t, std::int32_t>> changed_;
};

// Returns the layouts with the numbers begin..end-1, except those that took more than `plays`
// games.
std::vector<Made> repaired(const Wish& wish, std::uint64_t begin, std::uint64_t end,
                           std::uint64_t plays, int threads,
                           const std::function<bool()>& asked_to_stop);

}  // namespace mines
