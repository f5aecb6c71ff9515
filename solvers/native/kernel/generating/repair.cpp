#include "generating/repair.hpp"

#include <algorithm>

#include "resources/threads.hpp"

namespace mines {

namespace {

constexpr std::int32_t reach = 2;         // how far a mine moves, in steps from cell to cell
constexpr std::uint64_t patience = 3000;  // games without progress before a new layout is drawn
// stir() plays one game for every `mines_per_stir` mines, and then at most `grade_patience` more
// games until the grade of the layout matches the wish.
constexpr std::uint64_t mines_per_stir = 4, grade_patience = 600;
// Makes the random streams differ from those of uniform().
constexpr std::uint64_t own_stream = 0x72e9a1c5d30bf864;

}  // namespace

Repair::Repair(const Wish& wish) : wish_(wish), layouts_(wish.start) {
    game_.max_states = wish.max_states;
    shape_.set(wish.start.rows, wish.start.cols, wish.start.table);
    if (shape_.table == nullptr) return;
    for (const std::int32_t cell : layouts_.room()) {
        find_near(cell);
        most_near_ = std::max(most_near_, near_.size());
    }
}

// Fills near_ with the other cells that are at most two steps away from `cell`.
void Repair::find_near(std::int32_t cell) {
    near_.clear();
    const std::int32_t at = shape_.position(cell);
    for (const std::int32_t next : shape_.beside(at)) {
        near_.push_back(shape_.plain(next));
        for (const std::int32_t other : shape_.beside(next))
            if (other != at) near_.push_back(shape_.plain(other));
    }
    std::sort(near_.begin(), near_.end());
    near_.erase(std::unique(near_.begin(), near_.end()), near_.end());
}

bool Repair::wins() {
    last_ = game_.quick(wish_.start, layouts_.mines(), wish_.hardest);
    if (plays_ > 0) --plays_;
    return last_.won;
}

// Fills stuck_ with the cells at which the last game got stuck: the unknown cells next to clues. If
// mines enclose all unknown cells, stuck_ gets these mines and the unknown cells next to them.
void Repair::find_stuck() {
    stuck_.clear();
    collect(Knowledge::unknown, Knowledge::open);
    if (!stuck_.empty()) return;
    collect(Knowledge::mine, Knowledge::unknown);
    collect(Knowledge::unknown, Knowledge::mine);
}

// Adds to stuck_ the cells with the state `wanted` that touch a cell with the state `beside`. Cells
// that must not have a mine are left out.
void Repair::collect(Knowledge::State wanted, Knowledge::State beside) {
    const Knowledge& known = game_.known();
    for (const std::int32_t cell : layouts_.room()) {
        const std::int32_t at = known.position(cell);
        if (known.state(at) != wanted) continue;
        bool touches = false;
        for (const std::int32_t next : known.beside(at)) touches |= known.state(next) == beside;
        if (touches) stuck_.push_back(cell);
    }
}

void Repair::change(std::int32_t cell, std::int32_t other) {
    std::swap(layouts_.mines()[cell], layouts_.mines()[other]);
    changed_.emplace_back(cell, other);
}

void Repair::take_back() {
    for (; !changed_.empty(); changed_.pop_back())
        std::swap(layouts_.mines()[changed_.back().first],
                  layouts_.mines()[changed_.back().second]);
}

// Swaps `cell` with a random cell near it: a mine with a safe cell, or a safe cell with a mine.
// Does nothing if there is no such cell.
void Repair::change_near(std::int32_t cell, Stream& random) {
    const Beginning& start = wish_.start;
    const std::uint8_t* mines = layouts_.mines();
    if (start.table != nullptr) {
        find_near(cell);
    } else {
        const std::int32_t row = cell / start.cols, col = cell % start.cols;
        const std::int32_t last_row = std::min(start.rows - 1, row + reach);
        const std::int32_t last_col = std::min(start.cols - 1, col + reach);
        near_.clear();
        for (std::int32_t r = std::max(0, row - reach); r <= last_row; ++r)
            for (std::int32_t c = std::max(0, col - reach); c <= last_col; ++c)
                near_.push_back(r * start.cols + c);
    }
    near_.erase(std::remove_if(near_.begin(), near_.end(),
                               [&](std::int32_t other) {
                                   return mines[other] == mines[cell] ||
                                          !layouts_.may_be_mine(other);
                               }),
                near_.end());
    if (!near_.empty()) change(cell, near_[random.below(near_.size())]);
}

// Draws a random cell and a random step, and swaps the cell with the cell at this step if exactly
// one of them is a mine. Every change is as likely as the change that undoes it. False: no swap.
bool Repair::change_anywhere(Stream& random) {
    if (layouts_.room().empty()) return false;
    const std::int32_t cell = layouts_.room()[random.below(layouts_.room().size())];
    const std::int32_t other = random_near(cell, random);
    if (other < 0 || !layouts_.may_be_mine(other)) return false;
    if (layouts_.mines()[cell] == layouts_.mines()[other]) return false;
    change(cell, other);
    return true;
}

// Draws a step to a cell near `cell`. Returns that cell, or -1 if the step leads to no cell.
std::int32_t Repair::random_near(std::int32_t cell, Stream& random) {
    const Beginning& start = wish_.start;
    if (start.table != nullptr) {
        if (most_near_ == 0) return -1;
        const std::size_t chosen = static_cast<std::size_t>(random.below(most_near_));
        find_near(cell);
        return chosen < near_.size() ? near_[chosen] : -1;
    }
    const std::int32_t row = cell / start.cols + random.below(2 * reach + 1) - reach;
    const std::int32_t col = cell % start.cols + random.below(2 * reach + 1) - reach;
    if (row < 0 || row >= start.rows || col < 0 || col >= start.cols) return -1;
    return row * start.cols + col;
}

// Changes the layout until it can be won. False: `patience` games in a row made no progress, make()
// allows no more games, or `stop` was set.
bool Repair::mend(Stream& random, const std::atomic<bool>& stop) {
    if (wins()) return true;
    std::int32_t furthest = last_.opened;
    find_stuck();
    for (std::uint64_t idle = 0; idle < patience && plays_ > 0 && !stop; ++idle) {
        changed_.clear();
        do
            if (!stuck_.empty()) change_near(stuck_[random.below(stuck_.size())], random);
        while (random.below(2) == 0);
        if (changed_.empty()) continue;
        if (wins()) return true;
        if (last_.opened < furthest) {
            take_back();
            continue;
        }
        if (last_.opened > furthest) idle = 0;
        furthest = last_.opened;
        find_stuck();
    }
    return false;
}

// Makes random changes to a layout that can be won, and takes back every change after which the
// layout cannot be won. One change is tried for every four mines, and then more until the grade of
// the layout matches the wish. False: this took too many games, or `stop` was set.
bool Repair::stir(Stream& random, const std::atomic<bool>& stop, Made& made) {
    const std::uint64_t stirs = static_cast<std::uint64_t>(wish_.start.mines) / mines_per_stir;
    std::uint64_t games = 0;
    bool fresh = true;
    for (std::uint64_t tries = 0; tries < 100 * (stirs + grade_patience); ++tries) {
        if (games >= stirs && fresh) {
            made.outcome = game_.graded(wish_.start, layouts_.mines(), wish_.hardest);
            if (wish_.grants(made.outcome)) return true;
            fresh = false;
        }
        if (games >= stirs + grade_patience || plays_ == 0 || stop) return false;
        changed_.clear();
        if (!change_anywhere(random)) continue;
        ++games;
        if (wins())
            fresh = true;
        else
            take_back();
    }
    return false;
}

bool Repair::make(std::uint64_t number, std::uint64_t plays, const std::atomic<bool>& stop,
                  Made& made) {
    Stream random(wish_.key ^ own_stream, number);
    plays_ = plays;
    made.number = number;
    while (plays_ > 0 && !stop) {
        layouts_.draw(random);
        if (!mend(random, stop) || !stir(random, stop, made)) continue;
        made.mines.assign(layouts_.mines(), layouts_.mines() + wish_.start.cells());
        return true;
    }
    return false;
}

std::vector<Made> repaired(const Wish& wish, std::uint64_t begin, std::uint64_t end,
                           std::uint64_t plays, int threads,
                           const std::function<bool()>& asked_to_stop) {
    std::vector<Made> all(static_cast<std::size_t>(end - begin));
    on_threads(std::min<std::uint64_t>(all.size(), std::max(threads, 1)), asked_to_stop,
               [&](std::atomic<std::uint64_t>& next, std::atomic<bool>& stop) {
                   Repair repair(wish);
                   for (std::uint64_t i = next++; i < all.size() && !stop; i = next++) {
                       Made made;
                       if (repair.make(begin + i, plays, stop, made)) all[i] = std::move(made);
                   }
               });
    all.erase(std::remove_if(all.begin(), all.end(), [](const Made& m) { return m.mines.empty(); }),
              all.end());
    return all;
}

}  // namespace mines
