#include "playouts.hpp"

#include <algorithm>

namespace mines {

namespace {

constexpr std::int32_t known_layouts = 100;    // a playout with so many left ends with their chance
constexpr int rounds[] = {120, 120, 200};      // playouts of every cell that is left
constexpr std::uint64_t most_states = 20'000;  // a playout through wider positions is lost

std::uint64_t seed_of(const Grid& board) {
    std::uint64_t seed = 0xcbf29ce484222325u;
    for (std::int32_t i = 0; i < board.size; ++i)
        seed = (seed ^ static_cast<std::uint8_t>(board.code()[i])) * 0x100000001b3u;
    return seed;
}

}  // namespace

Playouts::Playouts() : random_(0) {
    Strength& s = safest_.strength;
    s.next_step = s.influence = s.wide = s.closed = s.search = s.opening = s.playouts = false;
    s.exact_layouts = known_layouts;
    match_.player = &safest_;
    match_.until_known = true;
}

bool Playouts::read(const Position& position, std::int64_t work) {
    work_ = 0;
    most_work_ = work;
    position_ = &position;
    if (!posterior_.read(position.board, position.mines)) return false;
    random_ = Xoshiro(seed_of(position.board));
    match_.max_states = std::min(position.max_states, most_states);
    rules_ = Rules{};
    rules_.rows = position.board.rows;
    rules_.cols = position.board.cols;
    rules_.mines = position.mines;
    flags_.need(static_cast<std::size_t>(position.board.size));
    return true;
}

// One more round. False when the work is used up before its end.
bool Playouts::round(Trial* trials, int count, int playouts) {
    for (int i = 0; i < playouts; ++i) {
        if (work_ >= most_work_) return false;
        posterior_.draw(random_, flags_.data());
        for (int c = 0; c < count; ++c) {
            if (flags_[position_->board.plain(trials[c].cell)] != 0) continue;
            match_.game.resume(rules_, flags_.data(), position_->board);
            trials[c].value += match_.play_on(rules_, trials[c].cell, position_->patience);
            work_ += match_.work;
        }
    }
    return true;
}

Trial Playouts::best(Trial* trials, int count, double prior) {
    Trial leader{-1, 0, 0};
    int played = 0;
    for (const int playouts : rounds) {
        if (!round(trials, count, playouts)) return leader;
        played += playouts;
        double scale = 0;  // what a promise of 1 would win
        for (int i = 0; i < count; ++i) scale += trials[i].value / trials[i].promise;
        scale /= static_cast<double>(count) * played;
        const auto value = [&](const Trial& trial) {
            return (prior * scale * trial.promise + trial.value) / (prior + played);
        };
        std::stable_sort(trials, trials + count,
                         [&](const Trial& a, const Trial& b) { return value(a) > value(b); });
        leader = trials[0];
        leader.value = value(leader);
        count = std::max(2, (count + 1) / 2);
    }
    return leader;
}

}  // namespace mines
