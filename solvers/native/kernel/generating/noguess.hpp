// Games by deduction alone: whether a layout can be won from its first cell without a guess, and
// which of the graded engines that takes.
//
// A game goes in rounds. A round opens every cell that the weakest engine proves safe which proves
// any; engines know nothing but the clues on the board. The grade of a game is the hardest engine
// that a round needed, as in csp_mines/analysis/grades.py.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/analysis.hpp"
#include "deducing/gauss.hpp"
#include "deducing/knowledge.hpp"
#include "deducing/subtraction.hpp"
#include "generating/layouts.hpp"

namespace mines {

enum Grade : std::int8_t { none = -1, single, pair, subtraction, gauss, search, total };
inline constexpr int grade_count = 6;

struct Outcome {
    bool won = false;
    bool too_wide = false;  // a position could not be counted; the game was given up there
    std::int8_t grade = none;
    std::int32_t rounds[grade_count] = {};
    std::int32_t opened = 0;  // safe cells
};

class NoGuess {
  public:
    std::uint64_t max_states = 2'000'000;

    // Plays with the engines up to `hardest`. The grade and the rounds are those of the weakest
    // engine at every step.
    Outcome graded(const Beginning& start, const std::uint8_t* mines, Grade hardest);
    // The same game without asking for the grade, as fast as can be: won or not, and where it ends.
    Outcome quick(const Beginning& start, const std::uint8_t* mines, Grade hardest);

    // After a game: what the player knew at its end.
    const Knowledge& known() const { return known_; }
    // Of a graded game: per round its grade, and the cells (plain) that it proved safe.
    struct Round {
        Grade grade;
        std::vector<std::int32_t> cells;
    };
    bool keep_script = false;
    const std::vector<Round>& script() const { return script_; }

    // What one engine proves on a board that is shown in `known`, changes and all: see
    // Knowledge::changes. `mines` is the total, -1 when nobody knows it. False: too wide to count.
    bool deduce(Knowledge& known, Grade engine, std::int64_t mines);

  private:
    void begin(const Beginning& start, const std::uint8_t* mines);
    void open(std::int32_t position);
    bool open_safe(Grade grade, bool forget);
    bool count(Knowledge& known, std::int64_t mines);
    Outcome outcome();

    Knowledge known_;
    Subtraction subtraction_;
    Gauss gauss_;
    Workspace work_;
    Buffer<double> probabilities_;
    Buffer<std::int8_t> shows_;  // per position, -1 for a mine
    std::vector<std::int32_t> flood_, safe_;
    std::vector<Round> script_;
    Outcome outcome_;
    std::int32_t to_open_ = 0;
};

}  // namespace mines
