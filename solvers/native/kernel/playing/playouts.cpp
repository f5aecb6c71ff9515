#include "playing/playouts.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace mines {

namespace {

constexpr std::int32_t known_layouts =
    100;  // with so few layouts left, a playout ends with the exact chance
constexpr int round_layouts = 50;
constexpr double clearly = 1;                  // standard errors
constexpr double negligible = 0.001;           // a smaller difference is not worth more playouts
constexpr std::uint64_t most_states = 20'000;  // a playout counts as lost if a position needs more

}  // namespace

Playouts::Playouts() : random_(0) {
    Strength& s = safest_.strength;
    s.next_step = s.influence = s.wide = s.closed = s.search = s.opening = s.playouts = false;
    s.exact_layouts = known_layouts;
    match_.player = &safest_;
    match_.until = Until::known;
    match_.thoughts = &thoughts_;
}

bool Playouts::read(const Position& position, std::int64_t work) {
    work_ = 0;
    most_work_ = work;
    position_ = &position;
    if (!posterior_.read(position.board, position.mines)) return false;
    random_ = Stream(Thoughts::key_of(position.board));
    thoughts_.clear();
    played_ = 0;
    match_.max_states = std::min(position.max_states, most_states);
    rules_ = Rules::of(position.board, position.mines);
    flags_.need(position.board.size);
    return true;
}

// Plays one more round: tries every cell on `layouts` layouts. False: the work was used up.
bool Playouts::round(Trial* trials, int count, int layouts) {
    results_.need(static_cast<std::size_t>(played_ + layouts) * most_cells);
    for (int i = 0; i < layouts; ++i) {
        if (work_ >= most_work_) return false;
        posterior_.draw(random_, flags_.data());
        match_.game.deal_given(rules_, flags_.data());
        if (played_ == 0) match_.look_around(rules_, position_->board);
        thoughts_.next_layout();
        float* const results =
            results_.data() + static_cast<std::ptrdiff_t>(played_++) * most_cells;
        for (int c = 0; c < count; ++c) {
            Trial& trial = trials[c];
            results[trial.column] = -1;
            if (flags_[position_->board.plain(trial.cell)] != 0) continue;
            const double result = match_.play_on(&trial.cell, 1, position_->patience);
            results[trial.column] = static_cast<float>(result);
            trial.won += result;
            ++trial.safe;
            work_ += match_.work;
        }
    }
    return true;
}

// Computes the win chances of the trials and sorts them, the best first. The probability that a
// cell is safe is known exactly, so only the mean result on layouts where it is safe is estimated.
void Playouts::rank(Trial* trials, int count, double prior) const {
    double scale = 0;  // the mean of (win chance by playouts / score) over all trials
    for (int i = 0; i < count; ++i) scale += trials[i].safety * trials[i].mean() / trials[i].score;
    scale /= count;
    for (int i = 0; i < count; ++i) {
        Trial& trial = trials[i];
        trial.chance = (prior * scale * trial.score + played_ * trial.safety * trial.mean()) /
                       (prior + played_);
    }
    std::stable_sort(trials, trials + count,
                     [](const Trial& a, const Trial& b) { return a.standing() > b.standing(); });
}

// The standard error of the difference of two win chances. Each layout contributes the difference
// of two deviations, one for each cell. The deviation is the result of the cell minus its mean
// result, or 0 on a layout where the cell is a mine.
double Playouts::error_of_difference(const Trial& a, const Trial& b) const {
    const double mean_a = a.mean(), mean_b = b.mean();
    double sum = 0;
    for (int i = 0; i < played_; ++i) {
        const float* const results = results_.data() + static_cast<std::ptrdiff_t>(i) * most_cells;
        const double rest_a = results[a.column] < 0 ? 0 : results[a.column] - mean_a;
        const double rest_b = results[b.column] < 0 ? 0 : results[b.column] - mean_b;
        sum += (rest_a - rest_b) * (rest_a - rest_b);
    }
    return std::sqrt(sum) / played_;
}

// Keeps the trials that are still worth playing: the leader, and those that may beat the leader by
// more than a negligible amount. Returns how many are kept.
int Playouts::keep(Trial* trials, int count) const {
    int kept = 1;
    for (int i = 1; i < count; ++i) {
        const double reach = clearly * error_of_difference(trials[0], trials[i]);
        if (trials[i].standing() + reach > trials[0].standing() + negligible)
            trials[kept++] = trials[i];
    }
    return kept;
}

Trial Playouts::best(Trial* trials, int count, int layouts, double prior) {
    Trial leader;
    assert(count <= most_cells);
    for (int i = 0; i < count; ++i) trials[i].column = i;
    while (count > 1 && played_ < layouts) {
        if (!round(trials, count, std::min(round_layouts, layouts - played_))) break;
        rank(trials, count, prior);
        leader = trials[0];
        count = keep(trials, count);
    }
    return leader;
}

}  // namespace mines
