#include "generating/noguess.hpp"

#include <cstring>

#include "board/flood.hpp"

namespace mines {

void NoGuess::begin(const Beginning& start, const std::uint8_t* mines) {
    known_.begin(start.rows, start.cols, start.table, start.holes);
    const std::size_t cells = static_cast<std::size_t>(known_.size);
    std::memset(shows_.need(cells), 0, cells);
    flood_.need(cells);
    for (std::int32_t r = 0; r < start.rows; ++r)
        for (std::int32_t c = 0; c < start.cols; ++c)
            if (*mines++) {
                const std::int32_t position = known_.position(r, c);
                shows_[position] = -100;  // stays negative: the mines around a mine add at most 99
                for (const std::int32_t next : known_.beside(position)) ++shows_[next];
            }
    outcome_ = Outcome{};
    script_.clear();
    to_open_ = static_cast<std::int32_t>(start.cells() - start.holes.size()) - start.mines;
    open(known_.position(start.row, start.col));
}

// Opens a safe cell and, if the cell shows 0, the cells that its flood opens.
void NoGuess::open(std::int32_t position) {
    std::int32_t count = 0;
    const auto closed = [&](std::int32_t at) {
        return known_.state(at) == Knowledge::unknown || known_.state(at) == Knowledge::safe;
    };
    flood(known_, shows_.data(), position, flood_.data(), count, closed,
          [&](std::int32_t at) { known_.show(at, shows_[at]); });
    outcome_.opened += count;
}

// Plays a round: opens the cells that were proved safe since the last round. With `forget`,
// everything else that was deduced is forgotten. False: there was nothing to open.
bool NoGuess::open_safe(Grade grade, bool forget) {
    safe_.clear();
    if (known_.safe_cells() > 0)
        for (const Knowledge::Change& change : known_.changes())
            if (known_.state(change.position) == Knowledge::safe) safe_.push_back(change.position);
    if (forget)
        known_.take_back(0);
    else
        known_.changes().clear();
    if (safe_.empty()) return false;
    if (keep_script) {
        script_.push_back(Round{grade, {}});
        for (const std::int32_t position : safe_)
            script_.back().cells.push_back(known_.plain(position));
    }
    for (const std::int32_t position : safe_)
        if (known_.state(position) != Knowledge::open) open(position);
    if (grade > outcome_.grade) outcome_.grade = grade;
    ++outcome_.rounds[grade];
    return true;
}

// A complete engine: finds everything that follows from the clues and, unless `mines` is -1, the
// total. False: the board is too wide to count.
bool NoGuess::count(Knowledge& known, std::int64_t mines) {
    Grid& grid = work_.grid;
    grid.shape(known.rows, known.cols, known.table);
    static constexpr std::int8_t codes[] = {hidden, marked, blank, 0, blank};
    std::int8_t* const code = grid.code();
    for (std::int32_t i = 0; i < known.size; ++i) {
        const Knowledge::State state = known.state(i);
        code[i] = state == Knowledge::open ? static_cast<std::int8_t>(known.clue(i)) : codes[state];
    }
    Question question;
    question.prior = {mines >= 0, mines};
    question.max_states = max_states;
    double* probabilities = probabilities_.need(static_cast<std::size_t>(known.rows) *
                                                static_cast<std::size_t>(known.cols));
    Patience patience;  // never stops: max_states bounds the work; callers may stop between games
    const Answer answer = work_.analyse(question, probabilities, patience);
    if (answer.status != Status::fits) return false;
    for (std::int32_t i = known.stride; i < known.size - known.stride; ++i) {
        const Verdict verdict = answer.verdict_of(code[i]);
        if (verdict != Verdict::open) known.prove(i, verdict == Verdict::mine);
    }
    return true;
}

bool NoGuess::deduce(Knowledge& known, Grade engine, std::int64_t mines) {
    switch (engine) {
        case pair: known.pairs(false); return true;
        case subtraction: subtraction_.deduce(known); return true;
        case gauss: gauss_.deduce(known); return true;
        case search: known.singles(); return count(known, -1);
        case total: known.singles(); return count(known, mines);
        default: known.singles(); return true;
    }
}

Outcome NoGuess::outcome() {
    outcome_.won = outcome_.opened == to_open_;
    return outcome_;
}

Outcome NoGuess::graded(const Beginning& start, const std::uint8_t* mines, Grade hardest) {
    begin(start, mines);
    while (outcome_.opened < to_open_) {
        bool opened = false;
        for (int grade = single; grade <= hardest && !opened; ++grade) {
            const Grade engine = static_cast<Grade>(grade);
            if (!deduce(known_, engine, start.mines)) {
                outcome_.too_wide = true;
                return outcome();
            }
            opened = open_safe(engine, engine != single);
        }
        if (!opened) break;
    }
    return outcome();
}

// Keeps all deductions from round to round, because no engine proves less if more cells are open.
// Skips the engines between `pair` and `hardest`, because `hardest` proves everything that they
// prove. The exception is `gauss`: kept deductions change the rows that it reduces, and so may
// change its results. If `hardest` is `gauss`, the game is played as graded() plays it.
Outcome NoGuess::quick(const Beginning& start, const std::uint8_t* mines, Grade hardest) {
    if (hardest == gauss) return graded(start, mines, hardest);
    begin(start, mines);
    while (outcome_.opened < to_open_) {
        known_.singles();
        if (open_safe(single, false)) continue;
        if (hardest == single) break;
        known_.pairs(hardest >= search);
        if (open_safe(pair, false)) continue;
        if (hardest == pair) break;
        if (!deduce(known_, hardest, start.mines)) {
            outcome_.too_wide = true;
            break;
        }
        if (!open_safe(hardest, false)) break;
    }
    return outcome();
}

}  // namespace mines
