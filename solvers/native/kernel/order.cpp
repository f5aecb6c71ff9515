#include "order.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace mines {

namespace {

constexpr double cheap_per_box = 24;  // states per box below which the first order is taken
constexpr double effort = 1;          // constraints looked at per state of the best order so far
constexpr double budget = 3e7;        // constraints looked at in searching, for a whole board

}  // namespace

double Order::choose(Frontier& frontier, const Region& region, bool thorough, Patience& patience) {
    patience_ = &patience;
    frontier_ = &frontier;
    region_ = &region;
    done_.need(frontier.constraint_count);
    left_.need(frontier.constraint_count);
    emitted_.need(frontier.box_count);
    open_.need(region.constraint_count + 1);
    order_.need(region.box_count);
    best_.need(region.box_count);
    work_ = 0;
    best_cost_ = std::numeric_limits<double>::infinity();
    // The last constraint that the search for the region reached lies at its rim.
    const std::int32_t rim =
        frontier.region_constraints[region.first_constraint + region.constraint_count - 1];
    run(rim, Rule::nearly_closed, hopeless, std::numeric_limits<double>::infinity());
    work_ = 0;
    if (thorough && best_cost_ > cheap_per_box * region.box_count) search(rim);
    if (best_cost_ >= hopeless) return hopeless;
    std::copy(best_.data(), best_.data() + region.box_count,
              frontier.region_boxes.data() + region.first_box);
    return best_cost_;
}

// What is left for searching: not more than the sweep it may shorten, nor than the board's budget.
double Order::work_allowed() const {
    return std::min(effort * best_cost_, budget - spent_);
}

void Order::search(std::int32_t cheap_start) {
    const std::int32_t n = region_->constraint_count;
    // Starts from both ends of the list inwards: its ends lie at the rim.
    for (std::int32_t i = 0; i < n && work_ <= work_allowed(); ++i) {
        const std::int32_t at = i % 2 == 0 ? i / 2 : n - 1 - i / 2;
        const std::int32_t start = frontier_->region_constraints[region_->first_constraint + at];
        for (int rule = 0; rule < rule_count && work_ <= work_allowed(); ++rule)
            if (start != cheap_start || rule != 0)
                run(start, static_cast<Rule>(rule), std::min(best_cost_, hopeless),
                    budget - spent_);
    }
    spent_ += work_;
}

void Order::begin() {
    for (std::int32_t i = 0; i < region_->constraint_count; ++i) {
        const std::int32_t c = frontier_->region_constraints[region_->first_constraint + i];
        done_[c] = 0;
        left_[c] = frontier_->constraints[c].box_count;
    }
    for (std::int32_t i = 0; i < region_->box_count; ++i)
        emitted_[frontier_->region_boxes[region_->first_box + i]] = 0;
    open_count_ = count_ = 0;
    product_ = 1;
    cost_ = 0;
}

void Order::run(std::int32_t start, Rule rule, double give_up, double most_work) {
    begin();
    const auto goes_on = [&] {
        patience_->spend(64);
        return count_ < region_->box_count && cost_ < give_up && work_ <= most_work;
    };
    if (rule == Rule::small_product) {
        emit(frontier_->constraints[start].boxes[0]);
        while (goes_on()) emit(next_box());
    } else {
        finish_constraint(start);
        while (goes_on()) finish_constraint(next_constraint(rule));
    }
    if (count_ < region_->box_count || cost_ >= best_cost_) return;
    best_cost_ = cost_;
    std::copy(order_.data(), order_.data() + count_, best_.data());
}

// Number of values the constraint's residual can take; 1 when nothing or everything is eliminated.
double Order::range(std::int32_t constraint) const {
    const Constraint& c = frontier_->constraints[constraint];
    const int done = done_[constraint], rest = c.cells - done;
    if (done == 0 || rest == 0) return 1;
    const int count = std::min<int>(c.high, done) - std::max(0, c.low - rest) + 1;
    return count > 1 ? count : 1;
}

void Order::touch(std::int32_t constraint, int cells) {
    const double before = range(constraint);
    if (done_[constraint] == 0) open_[open_count_++] = constraint;
    done_[constraint] = static_cast<std::int8_t>(done_[constraint] + cells);
    product_ *= range(constraint) / before;
    if (--left_[constraint] == 0)
        open_count_ = static_cast<std::int32_t>(
            std::remove(open_.data(), open_.data() + open_count_, constraint) - open_.data());
}

void Order::emit(std::int32_t box) {
    const Box& b = frontier_->boxes[box];
    work_ += b.constraint_count;
    emitted_[box] = 1;
    order_[count_++] = box;
    for (int i = 0; i < b.constraint_count; ++i) touch(b.constraints[i], b.size);
    cost_ += product_;
}

// Emits what is left of a constraint; the box that it has to itself comes last, where it is forced.
void Order::finish_constraint(std::int32_t constraint) {
    const Constraint& c = frontier_->constraints[constraint];
    std::int32_t own = -1;
    for (int i = 0; i < c.box_count; ++i) {
        const std::int32_t box = c.boxes[i];
        if (emitted_[box] != 0) continue;
        if (frontier_->boxes[box].constraint_count == 1)
            own = box;
        else
            emit(box);
    }
    if (own >= 0) emit(own);
}

// Constraints that finishing this one would open.
int Order::opens(std::int32_t constraint) const {
    const Constraint& c = frontier_->constraints[constraint];
    int count = 0;
    for (int i = 0; i < c.box_count; ++i) {
        if (emitted_[c.boxes[i]] != 0) continue;
        const Box& box = frontier_->boxes[c.boxes[i]];
        for (int j = 0; j < box.constraint_count; ++j) count += done_[box.constraints[j]] == 0;
    }
    return count;
}

std::int32_t Order::next_constraint(Rule rule) const {
    std::int32_t best = open_[0];
    int best_score = std::numeric_limits<int>::max();
    for (std::int32_t i = 0; i < open_count_; ++i) {
        const int left = left_[open_[i]];
        work_ += rule == Rule::few_opened ? 8 : 1;
        const int score = rule == Rule::few_opened ? 16 * opens(open_[i]) + left : left;
        if (score >= best_score) continue;
        best_score = score;
        best = open_[i];
    }
    return best;
}

double Order::product_after(const Box& box) const {
    double change = 1;
    work_ += box.constraint_count;
    for (int j = 0; j < box.constraint_count; ++j) {
        const std::int32_t c = box.constraints[j];
        const Constraint& constraint = frontier_->constraints[c];
        const int done = done_[c] + box.size, rest = constraint.cells - done;
        double after = 1;
        if (rest > 0)
            after = std::min<int>(constraint.high, done) - std::max(0, constraint.low - rest) + 1;
        change *= (after > 1 ? after : 1) / range(c);
    }
    return change;
}

// The box next to an open constraint that leaves the smallest product; the oldest one on a tie.
std::int32_t Order::next_box() const {
    std::int32_t best = -1;
    double best_change = std::numeric_limits<double>::infinity();
    for (std::int32_t i = 0; i < open_count_; ++i) {
        const Constraint& c = frontier_->constraints[open_[i]];
        for (int k = 0; k < c.box_count; ++k) {
            if (emitted_[c.boxes[k]] != 0) continue;
            const double change = product_after(frontier_->boxes[c.boxes[k]]);
            if (change >= best_change) continue;
            best_change = change;
            best = c.boxes[k];
        }
    }
    return best;
}

}  // namespace mines
