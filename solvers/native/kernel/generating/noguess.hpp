// Plays games by deduction alone. A game shows whether its layout can be won from the first cell
// without a guess, and which of the graded engines are needed.
//
// Each round opens every cell proved safe by the weakest engine that can prove any. Engines get
// only the clues on the board. The grade of a game is the strongest engine that some round needed,
// as in csp_mines/analysis/grades.py.
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
// The names of the grades in Python, by rank.
inline constexpr const char* grade_names[grade_count] = {"SINGLE", "PAIR",   "SUBTRACTION",
                                                         "GAUSS",  "SEARCH", "TOTAL"};

struct Outcome {
    bool won = false;
    bool too_wide = false;  // the game ended at a position that was too wide to count
    Grade grade = none;
    std::int32_t rounds[grade_count] = {};
    std::int32_t opened = 0;  // safe cells
};

class NoGuess {
  public:
    std::uint64_t max_states = 2'000'000;

    // Plays a game with the engines up to `hardest`. Every round tries the weakest engine first.
    Outcome graded(const Beginning& start, const std::uint8_t* mines, Grade hardest);
    // Plays the same game as graded() without finding its grade, which is faster. The outcome only
    // says whether the game was won and how many cells were opened.
    Outcome quick(const Beginning& start, const std::uint8_t* mines, Grade hardest);

    // The knowledge at the end of the last game.
    const Knowledge& known() const { return known_; }
    // A round of a graded game: its grade, and the cells proved safe, as plain indices (grid.hpp).
    struct Round {
        Grade grade;
        std::vector<std::int32_t> cells;
    };
    bool keep_script = false;
    const std::vector<Round>& script() const { return script_; }

    // Adds the deductions of one engine to `known`; Knowledge::changes lists them. `mines` is the
    // total, or -1 if it is unknown. False: the board is too wide to count.
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
    Buffer<std::int8_t> shows_;   // per position: the clue, or negative for a mine
    Buffer<std::int32_t> flood_;  // the cells that one opening shows
    std::vector<std::int32_t> safe_;
    std::vector<Round> script_;
    Outcome outcome_;
    std::int32_t to_open_ = 0;
};

}  // namespace mines
