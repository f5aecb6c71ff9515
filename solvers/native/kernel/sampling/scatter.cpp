#include "sampling/scatter.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace mines {

namespace {

constexpr std::size_t dealt_at_once = 1024;  // boxes; more would not fit into most_groups groups
constexpr std::size_t usual_boxes = 24;      // a group gets about this many boxes

// Draws a number from 0 to `most`. The probability of a number is its weight divided by `sum`, the
// sum of all weights. At least one weight must not be zero.
template <typename Weight>
int draw_one(double sum, int most, Stream& random, const Weight& weight) {
    double mark = random.unit() * sum;
    int k = 0;
    while (k < most && (mark -= weight(k)) >= 0) ++k;
    while (weight(k) == 0.0) k = k > 0 ? k - 1 : most;  // rounding led to a number with weight 0
    return k;
}

}  // namespace

Scatter::Scatter(const SampleProblem& problem)
    : problem_(problem), region_(problem.region), outside_(problem) {
    loose_.assign(problem.box_count(), 0);
    dealt_.assign(problem.box_count(), 1);
    for (std::size_t b = 0; b < loose_.size(); ++b) {
        if (!is_loose(static_cast<std::int32_t>(b))) continue;
        loose_[b] = 1;
        boxes_.push_back(static_cast<std::int32_t>(b));
    }
    const double odds = outside_.total() ? 1.0 : problem.odds;
    for (int size = 0; size <= most_in_pair; ++size) {
        std::vector<double> ways{1};
        for (int k = 0; k < size; ++k) ways.push_back(ways[k] * odds * (size - k) / (k + 1));
        ways_.push_back(std::move(ways));
    }
    groups_of_.assign(problem.constraint_count(), 0);
    odds_.resize(most_cells);
    beta_.resize((most_cells + 1) * (most_cells + 1));
    drawn_.resize(most_cells);
    likely_.resize(outside_.counts());
}

bool Scatter::is_loose(std::int32_t box) const {
    if (region_.sizes[box] > most_in_pair) return false;
    for (const std::int32_t c : region_.constraints_of(box)) {
        int allowed = 0;
        for (std::int32_t i = problem_.first_weight[c]; i < problem_.first_weight[c + 1]; ++i)
            allowed += problem_.weights[i] > 0.0;
        if (allowed < 2) return false;
    }
    return true;
}

std::uint64_t Scatter::redraw(Chain& chain, Stream& random, double share, double* record) {
    work_ = 0;
    for (std::size_t i = boxes_.size(); i > 1; --i)
        std::swap(boxes_[i - 1], boxes_[random.below(i)]);
    for (const std::int32_t box : boxes_) dealt_[box] = 0;
    std::fill(likely_.begin(), likely_.end(), 0.0);
    double drawn = 0;
    for (std::size_t begin = 0; begin < boxes_.size(); begin += dealt_at_once) {
        deal(begin, std::min(begin + dealt_at_once, boxes_.size()), random);
        for (const Group& group : groups_)
            if (!group.empty()) draw(group, chain, random, share, record), drawn += 1;
    }
    if (record != nullptr)
        for (std::size_t n = 0; n < likely_.size(); ++n)
            record[loose_.size() + n] += share * likely_[n] / drawn;
    return work_;
}

// Deals the loose boxes from `begin` to `end` into pairs, and the pairs into groups. No two pairs
// of a group share a constraint.
void Scatter::deal(std::size_t begin, std::size_t end, Stream& random) {
    const std::size_t usual =
        std::clamp((end - begin) / usual_boxes, std::size_t{1}, std::size_t{most_groups});
    groups_.resize(most_groups);
    for (Group& group : groups_) group.clear();
    cells_of_.assign(most_groups, 0);
    std::fill(groups_of_.begin(), groups_of_.end(), 0);
    for (std::size_t i = begin; i < end; ++i) {
        const std::int32_t box = boxes_[i];
        if (dealt_[box] != 0) continue;
        dealt_[box] = 1;
        const std::int32_t other = partner(box, random);
        if (other >= 0) dealt_[other] = 1;
        add({box, other, region_.sizes[box] + (other < 0 ? 0 : region_.sizes[other])}, i % usual,
            usual);
    }
}

// Tries one random box that shares a constraint with `box`. Returns it if it is not dealt yet and
// the pair is not too large, else -1.
std::int32_t Scatter::partner(std::int32_t box, Stream& random) const {
    const Stretch of = region_.constraints_of(box);
    if (of.size() == 0) return -1;
    const std::int32_t c = of[random.below(static_cast<std::size_t>(of.size()))];
    const Stretch boxes = region_.boxes_of(c);
    const std::int32_t other = boxes[random.below(static_cast<std::size_t>(boxes.size()))];
    const bool fits = region_.sizes[box] + region_.sizes[other] <= most_in_pair;
    return dealt_[other] == 0 && fits ? other : -1;
}

std::uint64_t Scatter::groups_near(std::int32_t box) const {
    std::uint64_t near = 0;
    for (const std::int32_t c : region_.constraints_of(box)) near |= groups_of_[c];
    return near;
}

// Puts a pair into the first group that has room for the pair and shares no constraint with it. The
// groups are tried in this order: `start` to `usual` - 1, 0 to `start` - 1, then `usual` and all
// later ones. If no group fits, the pair gets a new group for itself alone.
void Scatter::add(const Pair& pair, std::size_t start, std::size_t usual) {
    std::uint64_t taken = groups_near(pair.box);
    if (pair.other >= 0) taken |= groups_near(pair.other);
    const auto fits = [&](std::size_t g) {
        return (taken >> g & 1) == 0 && cells_of_[g] + pair.cells <= most_cells;
    };
    std::size_t group = start;
    for (std::size_t looked = 0; looked < most_groups && !fits(group); ++looked)
        group = looked < usual ? (group + 1) % usual : looked;
    if (!fits(group)) {
        groups_.push_back({pair});
        return;
    }
    groups_[group].push_back(pair);
    cells_of_[group] += pair.cells;
    for (const std::int32_t box : {pair.box, pair.other})
        if (box >= 0)
            for (const std::int32_t c : region_.constraints_of(box))
                groups_of_[c] |= std::uint64_t{1} << group;
}

void Scatter::draw(const Group& group, Chain& chain, Stream& random, double share, double* record) {
    std::int64_t others = chain.all;  // mines in all boxes outside the group
    for (std::size_t i = 0; i < group.size(); ++i) {
        const Pair& pair = group[i];
        drawn_[i] = chain.mines[pair.box] + (pair.other < 0 ? 0 : chain.mines[pair.other]);
        others -= drawn_[i];
        weigh(pair, chain, odds_[i]);
    }
    if (!outside_.total()) {
        apart(group, random);
    } else if (!together(group, others, random)) {  // the group stays unchanged: see together()
        for (std::size_t i = 0; i < group.size(); ++i)
            for (int n = 0; n <= group[i].cells; ++n) odds_[i].marginal[n] = n == drawn_[i];
        likely_[chain.all] += 1;
    }
    for (std::size_t i = 0; i < group.size(); ++i)
        take(group[i], odds_[i], drawn_[i], chain, random, share, record);
}

// Computes the weight of every number of mines in a pair, given the mines of all other boxes.
void Scatter::weigh(const Pair& pair, const Chain& chain, Odds& odds) {
    double box[row], other[row] = {1}, shared[row];
    const int size = region_.sizes[pair.box];
    weigh_box(pair.box, pair.other, chain, box);
    if (pair.other >= 0) weigh_box(pair.other, pair.box, chain, other);
    if (pair.other >= 0) weigh_shared(pair, chain, shared);
    double greatest = 0;
    for (int n = 0; n <= pair.cells; ++n) {
        double sum = 0;
        for (int k = 0; k <= size; ++k) {
            const bool fits = k <= n && n - k <= pair.cells - size;
            odds.first[n][k] = fits ? box[k] * other[n - k] : 0.0;
            sum += odds.first[n][k];
        }
        odds.factor[n] = pair.other < 0 ? sum : sum * shared[n];
        greatest = std::max(greatest, odds.factor[n]);
    }
    for (int n = 0; n <= pair.cells; ++n) odds.factor[n] /= greatest;
    work_ += 20 + 2 * static_cast<std::uint64_t>(pair.cells + 1) * (size + 1);
}

// Computes factor[k]: the weight of k mines in a box, without the constraints that the box shares
// with the box `apart_from` (-1: no such box).
void Scatter::weigh_box(std::int32_t box, std::int32_t apart_from, const Chain& chain,
                        double* factor) {
    const int size = region_.sizes[box];
    for (int k = 0; k <= size; ++k) factor[k] = ways_[size][k];
    for (const std::int32_t c : region_.constraints_of(box)) {
        if (apart_from >= 0 && share_constraint(c, apart_from)) continue;
        const double* weights = problem_.weights_of(c) + chain.sums[c] - chain.mines[box];
        for (int k = 0; k <= size; ++k) factor[k] *= weights[k];
        work_ += 1 + size;
    }
}

void Scatter::weigh_shared(const Pair& pair, const Chain& chain, double* factor) {
    for (int n = 0; n <= pair.cells; ++n) factor[n] = 1;
    for (const std::int32_t c : region_.constraints_of(pair.box)) {
        if (!share_constraint(c, pair.other)) continue;
        const double* weights = problem_.weights_of(c) + chain.sums[c] - chain.mines[pair.box] -
                                chain.mines[pair.other];
        for (int n = 0; n <= pair.cells; ++n) factor[n] *= weights[n];
        work_ += 1 + pair.cells;
    }
}

bool Scatter::share_constraint(std::int32_t c, std::int32_t other) const {
    const Stretch of = region_.constraints_of(other);
    return std::find(of.begin(), of.end(), c) != of.end();
}

// Draws every pair separately, because there is no total.
void Scatter::apart(const Group& group, Stream& random) {
    for (std::size_t i = 0; i < group.size(); ++i) {
        double sum = 0;
        for (int n = 0; n <= group[i].cells; ++n) sum += odds_[i].factor[n];
        for (int n = 0; n <= group[i].cells; ++n) odds_[i].marginal[n] = odds_[i].factor[n] / sum;
        drawn_[i] =
            draw_one(1.0, group[i].cells, random, [&](int n) { return odds_[i].marginal[n]; });
    }
}

// Draws all pairs of a group together, with a total. All boxes outside the group have `others`
// mines. beta(i)[n] is the weight of all ways to go on after n mines in the pairs before pair i.
// Returns false if the weights are too small for a double. Then the group must stay unchanged.
// Whether this happens depends only on the boxes outside the group, so the posterior is preserved.
bool Scatter::together(const Group& group, std::int64_t others, Stream& random) {
    int cells = 0;
    for (const Pair& pair : group) cells += pair.cells;
    weigh_outside(others, cells, beta(group.size()));
    int before = cells;
    for (std::size_t i = group.size(); i-- > 0;) {
        const double* factor = odds_[i].factor;
        const double* after = beta(i + 1);
        double* here = beta(i);
        before -= group[i].cells;
        for (int n = 0; n <= before; ++n) here[n] = factor[0] * after[n];
        for (int k = 1; k <= group[i].cells; ++k)
            for (int n = 0; n <= before; ++n) here[n] += factor[k] * after[n + k];
        work_ += static_cast<std::uint64_t>(before + 1) * group[i].cells;
    }
    if (!std::isnormal(beta(0)[0])) return false;
    sum_forward(group, others);
    int mines = 0;
    for (std::size_t i = 0; i < group.size(); ++i) {
        const double* after = beta(i + 1) + mines;
        drawn_[i] = draw_one(beta(i)[mines], group[i].cells, random,
                             [&](int k) { return odds_[i].factor[k] * after[k]; });
        mines += drawn_[i];
    }
    return true;
}

// Computes weights[n]: the number of layouts of the outside (see outside.hpp) if the group has n
// mines, up to a factor that is the same for all n.
void Scatter::weigh_outside(std::int64_t others, int cells, double* weights) const {
    const double never = -std::numeric_limits<double>::infinity();
    double greatest = never;
    for (int n = 0; n <= cells; ++n) {
        weights[n] = outside_.log_weight(others + n);
        greatest = std::max(greatest, weights[n]);
    }
    for (int n = 0; n <= cells; ++n)
        weights[n] = weights[n] == never ? 0.0 : std::exp(weights[n] - greatest);
}

// Computes the probability of every number of mines in every pair. In the loop, alpha[n] is the
// weight of all ways to have n mines in the pairs before pair i.
void Scatter::sum_forward(const Group& group, std::int64_t others) {
    const double all = beta(0)[0];
    double rows[2][most_cells + 1] = {{1}};
    double *alpha = rows[0], *next = rows[1];
    int before = 0;
    for (std::size_t i = 0; i < group.size(); ++i) {
        const int cells = group[i].cells;
        const double* after = beta(i + 1);
        std::fill_n(next, before + cells + 1, 0.0);
        for (int k = 0; k <= cells; ++k) {
            double ways = 0;
            for (int n = 0; n <= before; ++n) {
                const double reached = odds_[i].factor[k] * alpha[n];
                next[n + k] += reached;
                ways += reached * after[n + k];
            }
            odds_[i].marginal[k] = ways / all;
        }
        std::swap(alpha, next);
        before += cells;
    }
    const double* end = beta(group.size());
    for (int n = 0; n <= before; ++n)
        if (end[n] > 0.0) likely_[others + n] += alpha[n] * end[n] / all;
}

// Divides the mines of a pair between its boxes, and records the expected mines of both.
void Scatter::take(const Pair& pair, const Odds& odds, int mines, Chain& chain, Stream& random,
                   double share, double* record) {
    double expected = 0, expected_first = 0, drawn_sum = 1;
    const int size = region_.sizes[pair.box];
    for (int n = 0; n <= pair.cells; ++n) {
        double sum = 0, first = 0;
        for (int k = 0; k <= size; ++k) sum += odds.first[n][k], first += k * odds.first[n][k];
        if (sum > 0) expected_first += odds.marginal[n] * first / sum;
        expected += n * odds.marginal[n];
        if (n == mines) drawn_sum = sum;
    }
    if (record != nullptr) {
        record[pair.box] += share * expected_first;
        if (pair.other >= 0) record[pair.other] += share * (expected - expected_first);
    }
    const int first =
        pair.other < 0
            ? mines
            : draw_one(drawn_sum, size, random, [&](int k) { return odds.first[mines][k]; });
    chain.set(region_, pair.box, first);
    if (pair.other >= 0) chain.set(region_, pair.other, mines - first);
}

}  // namespace mines
