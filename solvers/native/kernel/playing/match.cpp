#include "playing/match.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "board/single_clue.hpp"
#include "playing/safest.hpp"

namespace mines {

namespace {

constexpr std::int64_t worth_remembering = 2000;  // cells; counts of smaller boards are not kept
constexpr std::size_t memory_bytes = 64u << 20;

}  // namespace

Record Match::play(const Rules& rules, Patience& patience) {
    patience_ = &patience;
    begin(rules);
    game.begin();
    if (game.fresh_count > 0) note(Move::start, game.fresh[0], 0, 0);
    see_fresh();
    while (!done() && think()) {
    }
    record_.close(game);
    return record_;
}

void Match::look_around(const Rules& rules, const Grid& seen) {
    outset_.seen = &seen;
    game.resume(seen);
    begin(rules);
    for (std::int32_t i = 0; i < game.board.size; ++i) {
        if (game.board.code()[i] >= 0) take(i);
        if (game.board.code()[i] == marked) disclose(i, true);
    }
    const std::size_t size = static_cast<std::size_t>(game.board.size);
    std::copy(notes_.data(), notes_.data() + size, outset_.notes.need(size));
    std::copy(queue_.data(), queue_.data() + queue_count_, outset_.queue.need(queue_count_));
    outset_.queue_count = queue_count_;
    outset_.hidden_left = hidden_left_;
    outset_.mines_found = mines_found_;
}

void Match::return_to_outset() {
    game.resume(*outset_.seen);
    std::copy(outset_.notes.data(), outset_.notes.data() + game.board.size, notes_.data());
    std::copy(outset_.queue.data(), outset_.queue.data() + outset_.queue_count, queue_.data());
    queue_begin_ = 0;
    queue_count_ = outset_.queue_count;
    hidden_left_ = outset_.hidden_left;
    mines_found_ = outset_.mines_found;
    record_ = Record{};
    work = game.board.size;
}

double Match::play_on(const std::int32_t* openings, std::int32_t count, Patience& patience) {
    patience_ = &patience;
    return_to_outset();
    known_chance_ = -1;
    if (thoughts != nullptr) thoughts->next_playout();
    for (std::int32_t i = 0; i < count && !game.over(); ++i) {
        if (game.board.code()[openings[i]] != hidden) continue;  // a flood has opened it
        game.open(openings[i]);
        see_fresh();
    }
    while (!done() && think()) {
    }
    const double result = known_chance_ >= 0 ? known_chance_ : game.won();
    if (thoughts != nullptr) thoughts->end(result);
    return result;
}

void Match::begin(const Rules& rules) {
    const std::int64_t cells = static_cast<std::int64_t>(rules.rows) * rules.cols;
    const std::size_t size = static_cast<std::size_t>(game.board.size);
    std::fill_n(notes_.need(size), size, Note{});
    queue_.need(static_cast<std::size_t>(cells) + 1);
    safe_.need(cells);
    mines_.need(cells);
    probabilities_.need(cells);
    memory_.reset(cells >= worth_remembering ? new Memory(memory_bytes) : nullptr);
    for (std::int32_t r = 0; r < rules.rows; ++r)
        for (std::int32_t c = 0; c < rules.cols; ++c) {
            const std::int32_t at = game.board.position(r, c);
            notes_[at].unknown = static_cast<std::uint8_t>(game.board.degree(at));
        }
    for (const std::int32_t hole : rules.holes)
        for (const std::int32_t other : game.board.beside(game.board.position(hole)))
            --notes_[other].unknown;
    rules_ = rules;
    record_ = Record{};
    work = game.board.size;
    queue_begin_ = queue_count_ = safe_count_ = mine_count_ = 0;
    hidden_left_ = cells - static_cast<std::int64_t>(rules.holes.size());
    mines_found_ = 0;
}

void Match::note(Move::Kind kind, std::int32_t position, double risk, double chance) {
    record_.count(Deed{kind, kind == Move::mark ? 0 : game.fresh_count});
    if (moves != nullptr) moves->push_back(Move{kind, game.board.plain(position), risk, chance});
}

void Match::see_fresh() {
    for (std::int32_t i = 0; i < game.fresh_count; ++i) take(game.fresh[i]);
}

// Lets the player see a cell that has just opened. The game opens a whole flood at once, but the
// player sees its cells one by one. So the player may look at a clue before it has seen all open
// cells around the clue. This does no harm: what is proved about open cells is ignored.
void Match::take(std::int32_t position) {
    const std::int8_t code = game.board.code()[position];
    disclose(position, code == opened);
    notes_[position].listed = 2;
    if (code >= 0) look_at(position);
}

void Match::disclose(std::int32_t position, bool mine) {
    --hidden_left_;
    mines_found_ += mine;
    assert(hidden_left_ >= 0);
    for (const std::int32_t other : game.board.beside(position)) {
        --notes_[other].unknown;
        notes_[other].known = static_cast<std::uint8_t>(notes_[other].known + mine);
        if (notes_[other].listed == 2 && game.board.code()[other] >= 0) look_at(other);
    }
}

void Match::look_at(std::int32_t clue) {
    if (notes_[clue].unknown == 0 || notes_[clue].queued != 0) return;
    notes_[clue].queued = 1;
    const std::int32_t room = static_cast<std::int32_t>(game.board.rows * game.board.cols) + 1;
    assert(queue_count_ < room);  // a clue is in the queue at most once
    queue_[(queue_begin_ + queue_count_++) % room] = clue;
}

void Match::mark_known(std::int32_t position) {
    mines_[mine_count_++] = position;
    game.board.code()[position] = marked;
    disclose(position, true);
}

// Thinks once: acts on all proofs or, without any proof, guesses. False: the match must end.
bool Match::think() {
    safe_count_ = mine_count_ = 0;
    if (single() || by_total()) return carry_out();
    return thoughts != nullptr ? think_again() : think_anew();
}

bool Match::think_anew() {
    if (!by_analysis()) return false;
    if (safe_count_ + mine_count_ > 0) return carry_out();
    return open_guess(choose());
}

// Acts on the thought that was kept about this board. Without one, thinks anew, keeps the thought
// and acts on it. If an earlier playout on the current layout reached this board, too, the match
// ends with the result of that playout. False: the match must end.
bool Match::think_again() {
    Thought thought;
    thought.key = Thoughts::key_of(game.board);
    work += game.board.size / 8;
    const std::int32_t known = thoughts->find(thought.key);
    if (known < 0) {
        if (!by_analysis()) return false;
        thought.safe_count = safe_count_;
        thought.mine_count = mine_count_;
        if (safe_count_ + mine_count_ == 0) thought.choice = choose();
        thoughts->keep(thought, safe_.data(), mines_.data());
    } else {
        thought = (*thoughts)[known];
        if (thoughts->ended(thought)) {
            known_chance_ = thought.result;
            return false;
        }
        const std::int32_t* const cells = thoughts->cells(thought);
        safe_count_ = thought.safe_count;
        std::copy(cells, cells + safe_count_, safe_.data());
        for (std::int32_t i = 0; i < thought.mine_count; ++i) mark_known(cells[safe_count_ + i]);
    }
    return safe_count_ + mine_count_ > 0 ? carry_out() : open_guess(thought.choice);
}

// Applies each clue of the queue alone; a proved mine puts the clues around it into the queue
// again. Lists in safe_ the cells that are proved safe. True: some cell was proved safe or a mine.
bool Match::single() {
    const std::int32_t room = static_cast<std::int32_t>(game.board.rows * game.board.cols) + 1;
    const std::int8_t* code = game.board.code();
    while (queue_count_ > 0) {
        const std::int32_t clue = queue_[queue_begin_];
        queue_begin_ = (queue_begin_ + 1) % room;
        --queue_count_;
        notes_[clue].queued = 0;
        const Proof proof = single_clue(code[clue] - notes_[clue].known, notes_[clue].unknown);
        if (proof == Proof::nothing) continue;
        for (const std::int32_t other : game.board.beside(clue)) {
            if (code[other] != hidden) continue;
            if (proof == Proof::all_mines)
                mark_known(other);
            else if (notes_[other].listed == 0)
                notes_[other].listed = 1, safe_[safe_count_++] = other;
        }
    }
    return safe_count_ + mine_count_ > 0;
}

// Deduces from the total alone: no mine is left, or every hidden cell is a mine. False: neither.
bool Match::by_total() {
    if (!told_total) return false;
    const std::int64_t left = rules_.mines - mines_found_;
    if (left == 0) {
        game.board.each(hidden, [&](std::int32_t at) { safe_[safe_count_++] = at; });
    } else if (left == hidden_left_) {
        game.board.each(hidden, [&](std::int32_t at) { mark_known(at); });
    }
    return safe_count_ + mine_count_ > 0;
}

bool Match::by_analysis() {
    work_.grid.copy(game.board);
    Question question;
    question.prior = {told_total, rules_.mines};
    question.max_states = max_states;
    question.memory = memory_.get();
    answer_ = work_.analyse(question, probabilities_.data(), *patience_);
    work += work_of(answer_, game.board);
    switch (answer_.status) {
        case Status::fits: collect_certain(); return true;
        case Status::too_wide: record_.ending = Ending::too_wide; return false;
        case Status::interrupted: throw Interrupted{};
        case Status::out_of_time: throw OutOfTime{};
        default: record_.ending = Ending::unsound; return false;
    }
}

void Match::collect_certain() {
    const std::int8_t* const code = work_.grid.code();
    for (std::int32_t i = 0; i < work_.grid.size; ++i) {
        const Verdict verdict = answer_.verdict_of(code[i]);
        if (verdict == Verdict::safe) safe_[safe_count_++] = i;
        if (verdict == Verdict::mine) mark_known(i);
    }
}

// Acts on what the player has proved: first marks the mines, then opens the safe cells, until the
// game ends. False: a proof was wrong.
bool Match::carry_out() {
    for (std::int32_t i = 0; i < safe_count_; ++i)
        if (notes_[safe_[i]].listed == 1) notes_[safe_[i]].listed = 0;
    for (std::int32_t i = 0; i < mine_count_ && !game.over(); ++i) {
        if (!game.is_mine(mines_[i])) record_.ending = Ending::unsound;
        game.mark(mines_[i]);
        note(Move::mark, mines_[i], 1, std::numeric_limits<double>::quiet_NaN());
    }
    for (std::int32_t i = 0; i < safe_count_ && !game.over(); ++i) {
        if (game.board.code()[safe_[i]] != hidden) continue;  // a flood has opened it
        if (game.is_mine(safe_[i])) record_.ending = Ending::unsound;
        game.open(safe_[i]);
        note(Move::deduced, safe_[i], 0, std::numeric_limits<double>::quiet_NaN());
        see_fresh();
    }
    return record_.ending == Ending::finished;
}

std::int32_t Match::lowest_risk() const {
    const auto any = [](std::int32_t) { return [](std::int32_t) { return true; }; };
    const Safest best = safest_of(probabilities_.data(), game.board, alike, any);
    return game.board.position(best.row, best.col);
}

Choice Match::choose() const {
    if (player != nullptr)
        return player->choose(
            Position{game.board, told_total, rules_.mines, max_states, *patience_}, answer_,
            probabilities_.data());
    Choice choice;
    choice.position = lowest_risk();
    choice.chance = std::numeric_limits<double>::quiet_NaN();
    return choice;
}

bool Match::open_guess(const Choice& choice) {
    const bool known = until == Until::exact ? choice.exact : !std::isnan(choice.chance);
    if (until != Until::end && known) {
        known_chance_ = choice.chance;
        return false;
    }
    const double risk = probabilities_[game.board.plain(choice.position)];
    game.open(choice.position);
    note(Move::guess, choice.position, risk, choice.chance);
    see_fresh();
    return true;
}

}  // namespace mines
