#include "counting/order.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>

namespace mines {

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();
constexpr double cheap_per_box = 24;     // cost per box up to which the first order is taken
constexpr double effort = 1;             // constraints to examine, per unit of the best cost so far
constexpr double work_per_box = 3e4;     // constraints to examine in a region, per box
constexpr double budget = 3e7;           // constraints to examine in all regions of a board
constexpr double worth_improving = 2e7;  // improve() is called if the cost exceeds this
constexpr double improving = 0.1;        // constraints examined by improve() per unit of the cost
constexpr std::int32_t farthest = 60;    // boxes are moved by at most this many places
constexpr std::int32_t most_moved = 4;   // at most this many boxes are moved together

}  // namespace

template <class Graph>
double Order<Graph>::choose(const Graph& graph, Stretch constraints, std::int32_t* boxes,
                            std::int32_t box_count, std::int32_t constraint_bound,
                            std::int32_t box_bound, bool thorough, Patience& patience) {
    patience_ = &patience;
    graph_ = &graph;
    constraints_ = constraints;
    box_count_ = box_count;
    done_.need(constraint_bound);
    left_.need(constraint_bound);
    emitted_.need(box_bound);
    open_.need(constraints.size() + 1);
    order_.need(box_count);
    best_.need(box_count);
    work_ = 0;
    best_cost_ = unlimited;
    // The last constraint of the list lies at an edge of the region.
    const std::int32_t last = constraints[constraints.size() - 1];
    run(last, Rule::nearly_closed, unlimited, unlimited);
    work_ = 0;
    if (thorough && best_cost_ > cheap_per_box * box_count) search(last);
    if (thorough && best_cost_ > worth_improving && best_cost_ < unlimited) improve();
    spent_ += work_;
    assert(is_order(best_.data()));
    std::copy(best_.data(), best_.data() + box_count, boxes);
    return best_cost_;
}

// Whether the order has every box of the region exactly once.
template <class Graph>
bool Order<Graph>::is_order(const std::int32_t* boxes) const {
    std::vector<std::int32_t> listed(boxes, boxes + box_count_), all;
    for (const std::int32_t constraint : constraints_)
        for (const std::int32_t box : graph_->boxes_of(constraint)) all.push_back(box);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    std::sort(listed.begin(), listed.end());
    return listed == all;
}

// How many constraints the search may examine in this region. Three things limit this: the cost of
// the elimination that the search may shorten, the number of boxes, and the board's unspent budget.
template <class Graph>
double Order<Graph>::work_allowed() const {
    return std::min({effort * best_cost_, work_per_box * box_count_, budget - spent_});
}

template <class Graph>
void Order<Graph>::search(std::int32_t cheap_start) {
    const std::int32_t n = constraints_.size();
    // The first and the last constraint of the list lie at edges of the region, so they are the
    // first starts.
    for (std::int32_t i = 0; i < n && work_ <= work_allowed(); ++i) {
        const std::int32_t at = i % 2 == 0 ? i / 2 : n - 1 - i / 2;
        const std::int32_t start = constraints_[at];
        for (int rule = 0; rule < rule_count && work_ <= work_allowed(); ++rule)
            if (start != cheap_start || rule != 0)
                run(start, static_cast<Rule>(rule), best_cost_, budget - spent_);
    }
}

// Moves boxes to other places in the best order so far, for as long as that pays.
template <class Graph>
void Order<Graph>::improve() {
    changed_.need(box_count_);
    random_ = Stream(1);  // the same region has the same order every time
    const double before = work_;
    while (work_ - before <= improving * best_cost_ && work_ <= work_allowed()) {
        work_ += 1;
        std::copy(best_.data(), best_.data() + box_count_, changed_.data());
        if (!move_boxes()) continue;
        const double cost = cost_of(changed_.data(), best_cost_);
        if (cost > best_cost_) continue;
        best_cost_ = cost;
        std::copy(changed_.data(), changed_.data() + box_count_, best_.data());
    }
}

// Moves some consecutive boxes to another place in `changed_`. False: nothing changed.
template <class Graph>
bool Order<Graph>::move_boxes() {
    const std::int32_t count = std::min<std::int32_t>(1 + random_.below(most_moved), box_count_);
    const std::int32_t from = random_.below(box_count_ - count + 1);
    const std::int32_t span = 1 + random_.below(farthest);
    std::int32_t* boxes = changed_.data();
    if (random_.below(2) == 0) {
        const std::int32_t to = std::max(0, from - span);
        std::rotate(boxes + to, boxes + from, boxes + from + count);
        return to < from;
    }
    const std::int32_t to = std::min(box_count_ - count, from + span);
    std::rotate(boxes + from, boxes + from + count, boxes + to + count);
    return to > from;
}

// The cost of an order. If the cost exceeds `give_up`, returns any number above `give_up`.
template <class Graph>
double Order<Graph>::cost_of(const std::int32_t* order, double give_up) {
    begin();
    for (std::int32_t i = 0; i < box_count_ && cost_ <= give_up; ++i) emit(order[i]);
    patience_->spend(static_cast<std::uint64_t>(16 * count_));
    return cost_;
}

template <class Graph>
void Order<Graph>::begin() {
    for (const std::int32_t c : constraints_) {
        const Stretch boxes = graph_->boxes_of(c);
        done_[c] = 0;
        left_[c] = boxes.size();
        for (const std::int32_t box : boxes) emitted_[box] = 0;
    }
    open_count_ = count_ = 0;
    product_ = 1;
    cost_ = 0;
}

template <class Graph>
void Order<Graph>::run(std::int32_t start, Rule rule, double give_up, double most_work) {
    begin();
    const auto goes_on = [&] {
        patience_->spend(64);
        return count_ < box_count_ && cost_ <= give_up && work_ <= most_work;
    };
    if (rule == Rule::small_product) {
        emit(graph_->boxes_of(start)[0]);
        while (goes_on()) emit(next_box());
    } else {
        finish_constraint(start);
        while (goes_on()) finish_constraint(next_constraint(rule));
    }
    // Of orders whose costs exceed the range of a double, the newest is taken.
    if (count_ < box_count_ || (cost_ >= best_cost_ && best_cost_ < unlimited)) return;
    best_cost_ = cost_;
    std::copy(order_.data(), order_.data() + count_, best_.data());
}

// How many values the residual of a constraint can have after `done` of its cells are eliminated.
// If none or all cells are eliminated, the residual has one value.
template <class Graph>
double Order<Graph>::range(std::int32_t constraint, std::int32_t done) const {
    const std::int32_t rest = graph_->cells_of(constraint) - done;
    if (done == 0 || rest == 0) return 1;
    const std::int32_t count = std::min(graph_->high_of(constraint), done) -
                               std::max(0, graph_->low_of(constraint) - rest) + 1;
    return count > 1 ? count : 1;
}

template <class Graph>
void Order<Graph>::touch(std::int32_t constraint, int cells) {
    const double before = range(constraint, done_[constraint]);
    if (done_[constraint] == 0) open_[open_count_++] = constraint;
    done_[constraint] += cells;
    product_ *= range(constraint, done_[constraint]) / before;
    if (--left_[constraint] == 0)
        open_count_ = static_cast<std::int32_t>(
            std::remove(open_.data(), open_.data() + open_count_, constraint) - open_.data());
}

template <class Graph>
void Order<Graph>::emit(std::int32_t box) {
    const Stretch constraints = graph_->constraints_of(box);
    work_ += constraints.size();
    emitted_[box] = 1;
    order_[count_++] = box;
    for (const std::int32_t constraint : constraints) touch(constraint, graph_->box_size(box));
    cost_ += product_;
}

// Takes the remaining boxes of a constraint. A box that is in no other constraint comes last: if
// the constraint is exact, its other boxes then determine the mines of the last box.
template <class Graph>
void Order<Graph>::finish_constraint(std::int32_t constraint) {
    std::int32_t own = -1;
    for (const std::int32_t box : graph_->boxes_of(constraint)) {
        if (emitted_[box] != 0) continue;
        if (graph_->constraints_of(box).size() == 1)
            own = box;
        else
            emit(box);
    }
    if (own >= 0) emit(own);
}

// How many constraints would open if the remaining boxes of `constraint` were taken. A constraint
// that several of these boxes would open counts several times.
template <class Graph>
int Order<Graph>::opens(std::int32_t constraint) const {
    int count = 0;
    for (const std::int32_t box : graph_->boxes_of(constraint)) {
        if (emitted_[box] != 0) continue;
        for (const std::int32_t other : graph_->constraints_of(box)) count += done_[other] == 0;
    }
    return count;
}

template <class Graph>
std::int32_t Order<Graph>::next_constraint(Rule rule) const {
    std::int32_t best = open_[0];
    int best_score = std::numeric_limits<int>::max();
    for (std::int32_t i = 0; i < open_count_; ++i) {
        const int left = left_[open_[i]];
        work_ += rule == Rule::few_opened ? 8 : 1;
        const int score =
            rule == Rule::few_opened ? (most_neighbours + 1) * opens(open_[i]) + left : left;
        if (score >= best_score) continue;
        best_score = score;
        best = open_[i];
    }
    return best;
}

// The factor by which the bound on the states changes if a box is taken.
template <class Graph>
double Order<Graph>::product_after(std::int32_t box) const {
    double change = 1;
    const Stretch constraints = graph_->constraints_of(box);
    work_ += constraints.size();
    for (const std::int32_t c : constraints)
        change *= range(c, done_[c] + graph_->box_size(box)) / range(c, done_[c]);
    return change;
}

// The next box, chosen from the boxes of all open constraints: taking this box leaves the smallest
// bound on the states. On a tie, the box of the constraint that was opened first.
template <class Graph>
std::int32_t Order<Graph>::next_box() const {
    std::int32_t best = -1;
    double best_change = unlimited;
    for (std::int32_t i = 0; i < open_count_; ++i) {
        for (const std::int32_t box : graph_->boxes_of(open_[i])) {
            if (emitted_[box] != 0) continue;
            const double change = product_after(box);
            if (change >= best_change) continue;
            best_change = change;
            best = box;
        }
    }
    return best;
}

template class Order<Frontier>;
template class Order<Hypergraph>;

std::vector<std::int32_t> elimination_order(const Hypergraph& region, Patience& patience) {
    const auto from = [&](std::int32_t first) {
        std::vector<std::uint8_t> seen(region.low.size(), 0);
        return region.reached_from(first, seen);
    };
    const std::vector<std::int32_t> end_to_end = from(from(0).back());
    std::vector<std::int32_t> boxes(region.sizes.size());
    Order<Hypergraph> order;
    order.choose(region, Stretch::of(end_to_end), boxes.data(), region.box_count(),
                 region.constraint_count(), region.box_count(), true, patience);
    return boxes;
}

}  // namespace mines
