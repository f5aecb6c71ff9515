// Layouts without guesses by repair: a random layout is played until it sticks, mines near that
// place change places with safe cells near them, and the whole game is played again from its first
// cell; a change that gets less far is taken back.
//
// Mines move a few cells only, so their density stays everywhere what chance made it: no seam where
// the repairs went along, no pile at the far end. A layout that is won is then stirred: changes
// anywhere are made and kept where the game can still be won, which leads from the layouts that
// repair happens to find towards all layouts alike.
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

    // The layout of a number. False: not within `plays` games, or stopped.
    bool make(std::uint64_t number, std::uint64_t plays, const std::atomic<bool>& stop, Made& made);

  private:
    bool mend(Stream& random, const std::atomic<bool>& stop);
    bool stir(Stream& random, const std::atomic<bool>& stop, Made& made);
    bool wins();
    void find_stuck();
    void collect(Knowledge::State wanted, Knowledge::State beside);
    void change_near(std::int32_t cell, Stream& random);
    bool change_anywhere(Stream& random);
    void change(std::int32_t cell, std::int32_t other);
    void take_back();

    Wish wish_;
    Layouts layouts_;
    NoGuess game_;
    Outcome last_;                            // of the last game
    std::uint64_t plays_ = 0;                 // that may still be made
    std::vector<std::int32_t> stuck_, near_;  // plain cells
    std::vector<std::pair<std::int32_t, std::int32_t>> changed_;
};

// The layouts of the numbers begin..end-1, without those that took more than `plays` games.
std::vector<Made> repaired(const Wish& wish, std::uint64_t begin, std::uint64_t end,
                           std::uint64_t plays, int threads,
                           const std::function<bool()>& asked_to_stop);

}  // namespace mines
