#include "playing/player.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

#include "playing/playouts.hpp"
#include "playing/safest.hpp"
#include "resources/bits.hpp"

namespace mines {

namespace {

constexpr std::int32_t part_cells = 32;
constexpr std::int64_t part_layouts = 200;
// The player does not know the number of mines in a closed part. It plays the part now only if its
// chance to clear the part is at least this share of its chance if it knew the number.
constexpr double part_worth = 0.995;
constexpr std::int64_t choice_list_steps = 200'000;
constexpr std::int32_t small_sea = 12;
constexpr int few_neighbours = 3;
constexpr double least_pattern = 0.02;  // patterns less likely than this are not counted
const double nothing = std::numeric_limits<double>::quiet_NaN();

}  // namespace

Player::Player() = default;
Player::~Player() = default;

Choice Player::choose(const Position& position, const Answer& answer, const double* probabilities) {
    position_ = &position;
    answer_ = &answer;
    probabilities_ = probabilities;
    log_count_ = answer.log_count();
    work_left_ = strength.work;
    search_left_ = strength.search_work;
    playout_work_ = 0;
    list_unknown();
    Choice choice;
    choice.chance = nothing;
    // The steps are numbered as in docs/winning.md.
    if (by_search(choice)) return choice;        // 1. end game
    if (by_opening(choice)) return choice;       // 2. opening
    if (by_closed_part(choice)) return choice;   // 3. closed parts
    find_influence();                            // 4. influence
    list_candidates();                           // 5. candidates
    const double best = by_score(choice);        // 6. score
    if (plays_out()) by_playouts(choice, best);  // 7. playouts
    assert(choice.position >= 0 && is_hidden(choice.position));
    return choice;
}

void Player::list_unknown() {
    const Grid& board = position_->board;
    unknown_.need(board.size);
    unknown_count_ = 0;
    double least = 1;
    board.each(hidden, [&](std::int32_t at) {
        unknown_[unknown_count_++] = at;
        least = std::min(least, risk(at));
    });
    best_safety_ = 1 - least;
}

// The end game: searches all layouts that are left. Returns whether it chose a cell, like the other
// steps that return a bool. False: there are too many layouts, or they take too much work.
bool Player::by_search(Choice& choice) {
    const std::int64_t most = strength.search    ? strength.search_layouts
                              : strength.endgame ? strength.exact_layouts
                                                 : 0;
    if (most == 0 || unknown_count_ > Fitting::max_cells) return false;
    if (!(log_count_ <= std::log(static_cast<double>(most)) + 1e-6)) return false;
    const std::int64_t left =
        position_->total ? position_->mines - position_->board.known_mines() : -1;
    if (!list(unknown_.data(), unknown_count_, left, most)) return false;
    search_.load(layouts_, nullptr);
    const bool exact = layouts_.size() <= strength.exact_layouts && strength.endgame;
    const Found found = search_.best(limits(exact ? 0 : strength.beam));
    if (found.cell < 0) {
        search_left_ = search_.work_left();
        return false;
    }
    int cell = found.cell;
    if (found.exact && found.risky) {  // if several cells win equally often, take the safest
        const int safest = safest_listed();
        if (safest != cell && search_.wins_as_much(safest, found.value)) cell = safest;
    }
    search_left_ = search_.work_left();
    choice.position = layouts_.position(cell);
    choice.chance = found.value / search_.total();
    choice.exact = found.exact;
    choice.reason = Reason::endgame;
    choice.layouts = layouts_.size();
    return true;
}

// Returns the safest of the listed cells, by the rule of safest.hpp. All layouts weigh the same, so
// risks that are not equal differ by at least the share of one layout.
int Player::safest_listed() const {
    const Grid& board = position_->board;
    const double most = 1 - best_safety_ + 0.5 / static_cast<double>(layouts_.size());
    int safest = -1, fewest = 0;
    for (int c = 0; c < layouts_.cells(); ++c) {
        const std::int32_t at = layouts_.position(c);
        if (risk(at) > most) continue;
        const int around = board.degree(at);
        const bool first =
            safest < 0 || around < fewest || (around == fewest && at < layouts_.position(safest));
        if (first) safest = c, fewest = around;
    }
    return safest;
}

// Opens a corner that touches no clue, because a corner is more likely to be a 0 than other cells.
// The player does this until a 0 is open, because before that there is little to deduce from.
bool Player::by_opening(Choice& choice) {
    const Grid& board = position_->board;
    if (!strength.opening || board.rows < 4 || board.cols < 4) return false;
    if (board.table != nullptr) return false;  // other grids need not have corners
    if (board.has(Code{0})) return false;
    const std::int32_t right = board.cols - 1, down = board.rows - 1;
    for (const std::int32_t corner : {board.position(0, 0), board.position(0, right),
                                      board.position(down, 0), board.position(down, right)}) {
        int unknown = 0;
        for (const std::int32_t other : board.beside(corner)) unknown += is_hidden(other);
        if (!is_hidden(corner) || unknown < 3) continue;
        if (1 - risk(corner) < strength.keep_sea * best_safety_) continue;
        choice.position = corner;
        choice.reason = Reason::opening;
        return true;
    }
    return false;
}

bool Player::by_closed_part(Choice& choice) {
    if (!strength.closed) return false;
    part_.begin(position_->board);
    for (std::int32_t i = 0; i < unknown_count_; ++i) {
        if (part_.has(unknown_[i])) continue;
        part_.cell_count = part_.clue_count = 0;
        part_.add(position_->board, unknown_[i], true);
        if (part_.cell_count <= part_cells && play_part(choice)) return true;
    }
    return false;
}

// Finds, for every number of mines that part_ can have, the logarithm of the number of layouts
// outside the part; -inf if there is none. Without a total, all these logarithms are equal, and
// 0 is used for each. False: the layouts could not be counted.
bool Player::weigh_part(double* log_weight) {
    std::fill(log_weight, log_weight + part_cells + 1, -std::numeric_limits<double>::infinity());
    std::uint64_t sizes = 0;
    for (std::int64_t i = 0; i < layouts_.size(); ++i)
        sizes |= std::uint64_t{1} << count_bits(layouts_[i]);
    for (int k = 0; k <= part_cells; ++k) {
        if ((sizes >> k & 1) == 0) continue;
        if (!position_->total) {
            log_weight[k] = 0;
            continue;
        }
        look_.grid.copy(position_->board);
        for (std::int32_t i = 0; i < part_.cell_count; ++i)
            look_.grid.code()[part_.cells[i]] = blank;
        for (std::int32_t i = 0; i < part_.clue_count; ++i)
            look_.grid.code()[part_.clues[i]] = blank;
        Answer answer;
        if (!ask(answer, position_->mines - k, Depth::count)) return false;
        if (answer.status == Status::fits) log_weight[k] = answer.log_count();
    }
    return true;
}

// Chooses the best cell of part_, unless knowing the number of mines in the part would help much.
bool Player::play_part(Choice& choice) {
    if (!list(part_.cells.data(), part_.cell_count, -1, part_layouts)) return false;
    double log_weight[part_cells + 1];
    if (!weigh_part(log_weight)) return false;
    const double top = *std::max_element(log_weight, log_weight + part_cells + 1);
    const std::int32_t count = static_cast<std::int32_t>(layouts_.size());
    weights_.need(count);
    rows_.need(count);
    for (std::int32_t i = 0; i < count; ++i)
        weights_[i] = std::exp(log_weight[count_bits(layouts_[i])] - top);
    search_.load(layouts_, weights_.data());
    const Found blind = search_.best(limits(strength.beam));
    search_left_ = search_.work_left();
    if (blind.cell < 0 || !blind.finished) return false;
    double knowing = 0;
    for (int k = 0; k <= part_cells; ++k) {
        std::int32_t some = 0;
        for (std::int32_t i = 0; i < count; ++i)
            if (count_bits(layouts_[i]) == k && weights_[i] > 0) rows_[some++] = i;
        if (some == 0) continue;
        knowing += search_.best_of(rows_.data(), some, limits(strength.beam)).value;
        search_left_ = search_.work_left();
    }
    if (blind.value < part_worth * knowing) return false;
    choice.position = layouts_.position(blind.cell);
    choice.reason = Reason::closed;
    return true;
}

// Lists in layouts_ the layouts of these cells with `mines` mines (-1: any number). False: there
// are more than `most`, or listing them is too much work.
bool Player::list(const std::int32_t* cells, std::int32_t count, std::int64_t mines,
                  std::int64_t most) {
    if (search_left_ <= 0) return false;
    const bool listed = layouts_.list(position_->board, cells, count, mines, most,
                                      std::min(choice_list_steps, search_left_));
    search_left_ -= layouts_.steps() + layouts_.size();
    return listed;
}

SearchLimits Player::limits(std::int32_t beam) const {
    SearchLimits limits;
    limits.beam = beam;
    limits.work = search_left_;
    limits.patience = &position_->patience;
    return limits;
}

// Analyses the board in look_, for a look-ahead. False: this takes too much work.
bool Player::ask(Answer& answer, std::int64_t mines, Depth depth) {
    if (work_left_ <= 0) return false;
    Question question;
    question.prior = {position_->total, mines};
    question.max_states =
        std::min<std::uint64_t>(position_->max_states, static_cast<std::uint64_t>(work_left_));
    question.depth = depth;
    if (position_->total && mines < 0) {
        answer.status = Status::contradiction;
        return true;
    }
    answer = look_.analyse(question, nullptr, position_->patience);
    work_left_ -= work_of(answer, position_->board);
    return answer.status == Status::fits || answer.status == Status::contradiction;
}

bool Player::plays_out() const {
    return strength.playouts && strength.next_step && position_->total &&
           unknown_count_ <= strength.playout_cells;
}

// Chooses the candidate with the best score, and returns this score. Also finds the scores of
// candidates that are nearly as good, because playouts may prefer them.
double Player::by_score(Choice& choice) {
    Candidate* const list = candidates_.data();
    const double kept = plays_out() ? 1 - strength.playout_margin : 1;
    double best = -1;
    for (std::int32_t i = 0; i < candidate_count_; ++i) {
        if (list[i].bound <= kept * best) continue;
        const double value = strength.next_step ? score(list[i], kept * best) : list[i].bound;
        list[i].score = value;
        if (value > best) best = value, choice.position = list[i].position;
        if (work_left_ <= 0) break;
    }
    if (choice.position < 0) choice.position = list[0].position;
    choice.reason = strength.next_step ? Reason::next_step : Reason::safest;
    return best;
}

// Tries the cells with the best scores on random layouts. A score counts as much as playout_prior
// playouts.
void Player::by_playouts(Choice& choice, double best) {
    Candidate* const list = candidates_.data();
    std::stable_sort(list, list + candidate_count_,
                     [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
    Trial trials[Playouts::most_cells];
    int count = 0;
    while (count < Playouts::most_cells && count < candidate_count_ &&
           list[count].score >= (1 - strength.playout_margin) * best) {
        trials[count].cell = list[count].position;
        trials[count].safety = list[count].safety;
        trials[count].score = list[count].score;
        ++count;
    }
    if (count < 2) return;
    trials[0].lead = strength.playout_lead;
    if (playouts_ == nullptr) playouts_ = std::make_unique<Playouts>();
    if (!playouts_->read(*position_, strength.playout_work)) return;
    const Trial trial =
        playouts_->best(trials, count, strength.playout_layouts, strength.playout_prior);
    playout_work_ = playouts_->work();
    if (trial.cell < 0) return;
    choice.position = trial.cell;
    choice.chance = trial.chance;
    choice.reason = Reason::playouts;
}

// Whether a sea cell touches a frontier cell or has few hidden neighbours. Opening such a cell
// tells more than opening another sea cell.
bool Player::reaches(std::int32_t position) const {
    int unknown = 0;
    for (const std::int32_t other : position_->board.beside(position)) {
        if (!is_hidden(other)) continue;
        if (clued_[other] != 0) return true;
        ++unknown;
    }
    return unknown <= few_neighbours;
}

void Player::add_candidate(std::int32_t position, double influence) {
    const double safety = 1 - risk(position);
    const double factor =
        (1 + strength.pull * influence / safety) * std::pow(safety, -strength.temper);
    candidates_[candidate_count_++] = Candidate{position, safety, factor, safety * factor, -1};
}

void Player::list_candidates() {
    candidates_.need(unknown_count_);
    candidate_count_ = 0;
    for (std::int32_t i = 0; i < unknown_count_; ++i) {
        const std::int32_t cell = unknown_[i];
        const double safety = 1 - risk(cell), influence = influence_[cell];
        if (clued_[cell] != 0) {
            const double reached = strength.wide ? safety + influence : safety;
            if (reached >= strength.keep * best_safety_) add_candidate(cell, influence);
        } else if (safety >= strength.keep_sea * best_safety_ &&
                   (sea_count_ <= small_sea || reaches(cell))) {
            add_candidate(cell, influence);
        }
    }
    if (candidate_count_ == 0)  // then take the safest cells, though they tell little
        for (std::int32_t i = 0; i < unknown_count_; ++i)
            if (1 - risk(unknown_[i]) >= best_safety_) add_candidate(unknown_[i], 0);
    std::stable_sort(candidates_.data(), candidates_.data() + candidate_count_,
                     [](const Candidate& a, const Candidate& b) { return a.bound > b.bound; });
}

// Whether these cells may all be mines: each is a known mine, off the board, or hidden. Adds the
// hidden cells to `may_be`. False also if it is too unlikely that all of them are mines.
bool Player::may_be_mines(std::initializer_list<std::int32_t> cells, std::int32_t* may_be,
                          int& count) const {
    double rough = 1;
    for (const std::int32_t cell : cells) {
        const std::int8_t code = position_->board.code()[cell];
        if (code == hidden)
            rough *= risk(cell), may_be[count++] = cell;
        else if (!known_mine(code) && position_->board.on_board(cell))
            return false;
    }
    return rough >= least_pattern;
}

// Returns the probability that the cells `mine_cells` are mines and the cells `safe` are safe, or 0
// if this is too unlikely or takes too much work to count. The callers pass one outcome of a guess
// that cannot be avoided. Such a guess has two outcomes, which are equally likely. Each cell of the
// guess is safe in one of them. So the result is also what the guess adds to the influence of each
// of its cells: the probability that the guess cannot be avoided and the cell is safe.
double Player::pattern(const std::int32_t* mine_cells, int mine_count, const std::int32_t* safe,
                       int safe_count) {
    double rough = 1;
    for (int i = 0; i < mine_count; ++i)
        if (is_hidden(mine_cells[i])) rough = std::min(rough, risk(mine_cells[i]));
    if (rough < least_pattern || work_left_ < strength.work / 2) return 0;
    look_.grid.copy(position_->board);
    for (int i = 0; i < mine_count; ++i) look_.grid.code()[mine_cells[i]] = marked;
    for (int i = 0; i < safe_count; ++i) look_.grid.code()[safe[i]] = blank;
    Answer answer;
    if (!ask(answer, position_->mines, Depth::count) || answer.status != Status::fits) return 0;
    return std::exp(answer.log_count() - log_count_);
}

// Raises the influence of two neighbours, `a` and `a + step`. They are a guess that cannot be
// avoided if one of them is a mine, and every cell that touches only one of them is a mine or off
// the board. `step` leads along the pair, `side` at a right angle to it.
void Player::pair_influence(std::int32_t a, std::int32_t step, std::int32_t side) {
    const std::int32_t b = a + step;
    const std::int32_t before = a - step, after = b + step;
    std::int32_t mine_cells[7];
    int missing = 0;
    if (!may_be_mines({before - side, before, before + side, after - side, after, after + side},
                      mine_cells, missing))
        return;
    mine_cells[missing++] = a;
    const double chance = pattern(mine_cells, missing, &b, 1);
    influence_[a] += chance;
    influence_[b] += chance;
}

// Raises the influence of two by two cells, of which `a` is the first. They are a guess that cannot
// be avoided if two opposite corners are mines, and each of the four cells that touch only one
// corner is a mine or off the board.
void Player::box_influence(std::int32_t a) {
    const std::int32_t stride = position_->board.stride;
    std::int32_t mine_cells[6];
    int missing = 0;
    if (!may_be_mines({a - stride - 1, a - stride + 2, a + 2 * stride - 1, a + 2 * stride + 2},
                      mine_cells, missing))
        return;
    mine_cells[missing++] = a;
    mine_cells[missing++] = a + stride + 1;
    const std::int32_t safe[2] = {a + 1, a + stride};
    const double chance = pattern(mine_cells, missing, safe, 2);
    for (const std::int32_t cell : {a, a + 1, a + stride, a + stride + 1})
        influence_[cell] += chance;
}

// Sets clued_ for the unknown cells beside a clue, and counts the other unknown cells: the sea.
void Player::find_clued() {
    const Grid& board = position_->board;
    const std::size_t size = static_cast<std::size_t>(board.size);
    std::memset(clued_.need(size), 0, size);
    sea_count_ = 0;
    for (std::int32_t i = 0; i < unknown_count_; ++i) {
        for (const std::int32_t other : board.beside(unknown_[i]))
            clued_[unknown_[i]] |= board.code()[other] >= 0;
        sea_count_ += clued_[unknown_[i]] == 0;
    }
}

void Player::find_influence() {
    find_clued();
    const std::int32_t stride = position_->board.stride;
    const std::size_t size = static_cast<std::size_t>(position_->board.size);
    std::fill_n(influence_.need(size), size, 0.0);
    // The shapes that are tested below are unavoidable guesses only on the square grid.
    if (!strength.influence || position_->board.table != nullptr) return;
    for (std::int32_t i = 0; i < unknown_count_; ++i) {
        const std::int32_t a = unknown_[i];
        const bool right = is_hidden(a + 1), down = is_hidden(a + stride);
        const auto touched = [&](std::int32_t b) { return clued_[a] != 0 || clued_[b] != 0; };
        if (right && touched(a + 1)) pair_influence(a, 1, stride);
        if (down && touched(a + stride)) pair_influence(a, stride, 1);
        if (right && down && is_hidden(a + stride + 1) && touched(a + stride + 1)) box_influence(a);
    }
    for (std::int32_t i = 0; i < unknown_count_; ++i)
        influence_[unknown_[i]] = std::min(influence_[unknown_[i]], 1.0);
}

// The score of a cell. For each number that the cell may show, the probability of the number is
// multiplied by the outlook of the board with this number. The score is the sum of these products,
// times a factor that is greater if the cell belongs to a guess that cannot be avoided. Stops early
// when the score cannot exceed `best`.
double Player::score(const Candidate& candidate, double best) {
    const Grid& board = position_->board;
    int least = 0, most = 0;
    double expected = 0;
    for (const std::int32_t other : board.beside(candidate.position)) {
        const std::int8_t code = board.code()[other];
        const bool mine = known_mine(code);
        least += mine;
        most += mine || code == hidden;
        expected += mine ? 1 : code == hidden ? risk(other) : 0;
    }
    int below = static_cast<int>(std::lround(expected)), above = below + 1;
    double value = 0, left = candidate.safety;
    while (below >= least || above <= most) {
        const bool down = above > most || (below >= least && expected - below <= above - expected);
        const int number = down ? below-- : above++;
        if (number < least || number > most) continue;
        look_.grid.copy(position_->board);
        look_.grid.code()[candidate.position] = static_cast<std::int8_t>(number);
        Answer answer;
        if (!ask(answer, position_->mines, Depth::risks)) break;
        if (answer.status != Status::fits) continue;
        const double weight = std::exp(answer.log_count() - log_count_);
        value += weight * outlook(look_.lowest_risks(answer));
        left -= weight;
        if ((value + std::max(left, 0.0)) * candidate.factor <= best || left < 1e-9) break;
    }
    return value * candidate.factor;
}

// The outlook of a board in a look-ahead: the weighted mean of the safety of the two safest cells.
// If only one hidden cell can be safe, it counts twice. If none can be safe, the outlook is 1.
double Player::outlook(const LowestRisks& risks) const {
    if (risks.least >= 1) return 1;
    const double second = risks.second >= 1 ? risks.least : risks.second;
    return strength.first * (1 - risks.least) + (1 - strength.first) * (1 - second);
}

}  // namespace mines
