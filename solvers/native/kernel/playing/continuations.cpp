#include "playing/continuations.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "playing/match.hpp"
#include "playing/thoughts.hpp"
#include "searching/draws.hpp"
#include "searching/fitting.hpp"

namespace mines {

namespace {

constexpr std::int64_t continuation_list_steps = 2'000'000;
constexpr std::int64_t fresh_thoughts = 1'000;  // after so many layouts, thoughts_ is cleared

class Table {
  public:
    Table(Continuing& wanted, Patience& patience)
        : wanted_(wanted), patience_(patience), rules_(Rules::of(board(), wanted.asked.mines)) {
        player_.strength = wanted.strength;
        match_.player = &player_;
        match_.max_states = wanted.asked.max_states;
        match_.thoughts = &thoughts_;
        flags_.resize(board().cells());
        for (const std::vector<std::int32_t>& cells : wanted.openings) {
            ways_.emplace_back();
            for (const std::int32_t cell : cells) ways_.back().push_back(board().position(cell));
        }
    }

    Continued play() {
        const auto work = std::make_unique<Workspace>();
        const Answer answer = mark_proved(wanted_.asked, *work, patience_);
        done_.status = answer.status;
        if (done_.status != Status::fits) return done_;
        const double most = static_cast<double>(wanted_.most_listed);
        if (answer.log_count() <= std::log(most) + 1e-6 && list())
            play_listed();
        else
            play_drawn();
        return done_;
    }

  private:
    Grid& board() { return wanted_.asked.board; }

    bool list() {
        const std::vector<std::int32_t> cells = board().all(hidden);
        if (cells.size() > Fitting::max_cells) return false;
        return layouts_->list(board(), cells.data(), static_cast<int>(cells.size()),
                              rules_.mines - board().known_mines(), wanted_.most_listed,
                              continuation_list_steps);
    }

    void play_listed() {
        done_.all = true;
        match_.until = Until::end;
        for (std::int64_t i = 0; i < layouts_->size() && done_.status == Status::fits; ++i) {
            take_known();
            for (int c = 0; c < layouts_->cells(); ++c)
                flags_[board().plain(layouts_->position(c))] = (*layouts_)[i] >> c & 1;
            play_layout();
        }
    }

    void take_known() {
        for (std::size_t i = 0; i < flags_.size(); ++i)
            flags_[i] = known_mine(board().code()[board().position(static_cast<std::int32_t>(i))]);
    }

    void play_drawn() {
        const auto draws = std::make_unique<Draws>();
        done_.status = draws->read(board(), rules_.mines, match_.max_states, patience_);
        match_.until = Until::exact;
        Stream random(wanted_.seed);
        while (done_.status == Status::fits && done_.layouts < wanted_.count) {
            draws->draw(random, flags_.data());
            play_layout();
        }
    }

    void play_layout() {
        match_.game.deal_given(rules_, flags_.data());
        if (done_.layouts == 0) match_.look_around(rules_, board());
        if (done_.layouts % fresh_thoughts == 0) thoughts_.clear();
        thoughts_.next_layout();
        ++done_.layouts;
        for (const std::vector<std::int32_t>& way : ways_) {
            const bool mine = std::any_of(way.begin(), way.end(),
                                          [&](std::int32_t at) { return match_.game.is_mine(at); });
            done_.results.push_back(mine ? -1 : play_way(way));
        }
    }

    double play_way(const std::vector<std::int32_t>& way) {
        const double result =
            match_.play_on(way.data(), static_cast<std::int32_t>(way.size()), patience_);
        patience_.spend(game_work);
        if (match_.ending() == Ending::too_wide) done_.status = Status::too_wide;
        if (match_.ending() == Ending::unsound) done_.status = Status::fault;
        return result;
    }

    Continuing& wanted_;
    Patience& patience_;
    Continued done_;
    Rules rules_;
    Match match_;
    Player player_;
    Thoughts thoughts_;
    std::unique_ptr<Fitting> layouts_ = std::make_unique<Fitting>();
    std::vector<std::uint8_t> flags_;
    std::vector<std::vector<std::int32_t>> ways_;  // positions
};

}  // namespace

Continued continue_games(Continuing& wanted, Patience& patience) {
    return std::make_unique<Table>(wanted, patience)->play();
}

}  // namespace mines
