#include "scatter.hpp"

#include <cmath>
#include <utility>

namespace mines {

namespace {

constexpr int most_in_box = 8;               // cells of a loose box
constexpr std::size_t dealt_at_once = 1024;  // boxes, so that groups are not full
constexpr std::size_t usual_boxes = 24;      // of a group
constexpr int row = most_in_box + 1;

}  // namespace

Scatter::Scatter(const SampleProblem& problem, const Blocks& blocks)
    : problem_(problem), blocks_(blocks), sea_(problem) {
    loose_.assign(problem.sizes.size(), 0);
    for (std::size_t b = 0; b < loose_.size(); ++b) {
        if (!is_loose(static_cast<std::int32_t>(b))) continue;
        loose_[b] = 1;
        boxes_.push_back(static_cast<std::int32_t>(b));
    }
    const double odds = sea_.total() ? 1.0 : problem.odds;
    for (int size = 0; size <= most_in_box; ++size) {
        std::vector<double> ways{1};
        for (int k = 0; k < size; ++k) ways.push_back(ways[k] * odds * (size - k) / (k + 1));
        ways_.push_back(std::move(ways));
    }
    groups_of_.assign(problem.first.size() - 1, 0);
    factors_.resize(most_cells * row);
    beta_.resize((most_cells + 1) * (most_cells + 1));
    expected_.resize(most_cells);
    drawn_.resize(most_cells);
}

bool Scatter::is_loose(std::int32_t box) const {
    if (problem_.sizes[box] > most_in_box) return false;
    for (const std::int32_t c : blocks_.of(box)) {
        int allowed = 0;
        for (std::int32_t i = problem_.first_weight[c]; i < problem_.first_weight[c + 1]; ++i)
            allowed += problem_.weights[i] > 0.0;
        if (allowed < 2) return false;
    }
    return true;
}

std::uint64_t Scatter::sweep(Chain& chain, Xoshiro& random, double share, double* record) {
    work_ = 0;
    for (std::size_t i = boxes_.size(); i > 1; --i)
        std::swap(boxes_[i - 1], boxes_[random.below(i)]);
    double drawn = 0, sea = 0;
    for (std::size_t begin = 0; begin < boxes_.size(); begin += dealt_at_once) {
        deal(begin, std::min(begin + dealt_at_once, boxes_.size()));
        for (const auto& group : groups_)
            if (!group.empty()) sea += draw(group, chain, random, share, record), drawn += 1;
    }
    if (record != nullptr) record[loose_.size()] += share * sea / drawn;
    return work_;
}

// Deals boxes into groups in which no two share a constraint. A box that fits in none of them is a
// group of its own.
void Scatter::deal(std::size_t begin, std::size_t end) {
    const std::size_t usual =
        std::clamp((end - begin) / usual_boxes, std::size_t{1}, std::size_t{most_groups});
    groups_.resize(most_groups);
    for (auto& group : groups_) group.clear();
    cells_of_.assign(most_groups, 0);
    for (std::size_t i = begin; i < end; ++i)
        for (const std::int32_t c : blocks_.of(boxes_[i])) groups_of_[c] = 0;
    for (std::size_t i = begin; i < end; ++i) {
        const std::int32_t box = boxes_[i];
        std::uint64_t taken = 0;
        for (const std::int32_t c : blocks_.of(box)) taken |= groups_of_[c];
        std::size_t group = i % usual;
        const auto fits = [&](std::size_t g) {
            return (taken >> g & 1) == 0 && cells_of_[g] + problem_.sizes[box] <= most_cells;
        };
        std::size_t looked = 0;
        for (; looked < most_groups && !fits(group); ++looked)
            group = looked < usual ? (group + 1) % usual : looked;
        if (!fits(group)) {
            groups_.push_back({box});
            continue;
        }
        groups_[group].push_back(box);
        cells_of_[group] += problem_.sizes[box];
        for (const std::int32_t c : blocks_.of(box)) groups_of_[c] |= std::uint64_t{1} << group;
    }
}

// Draws a group; the mines to expect in the sea.
double Scatter::draw(const std::vector<std::int32_t>& group, Chain& chain, Xoshiro& random,
                     double share, double* record) {
    std::int64_t left = sea_.left(chain.all);
    for (const std::int32_t box : group) left += chain.mines[box];
    weigh(group, chain);
    if (!sea_.total())
        apart(group, random);
    else if (!together(group, left, random)) {  // stays: see `together`
        for (std::size_t i = 0; i < group.size(); ++i)
            expected_[i] = drawn_[i] = chain.mines[group[i]];
    }
    double sea = static_cast<double>(left);
    for (std::size_t i = 0; i < group.size(); ++i) {
        const std::int32_t box = group[i];
        sea -= expected_[i];
        if (record != nullptr) record[box] += share * expected_[i];
        const std::int32_t change = drawn_[i] - chain.mines[box];
        if (change == 0) continue;
        chain.mines[box] += change;
        chain.all += change;
        for (const std::int32_t c : blocks_.of(box)) chain.sums[c] += change;
    }
    return sea;
}

// How much every number of mines in every box weighs, given all other boxes. The greatest is 1.
void Scatter::weigh(const std::vector<std::int32_t>& group, const Chain& chain) {
    for (std::size_t i = 0; i < group.size(); ++i) {
        const std::int32_t box = group[i], size = problem_.sizes[box];
        double* factor = factors_.data() + i * row;
        for (int k = 0; k <= size; ++k) factor[k] = ways_[size][k];
        for (const std::int32_t c : blocks_.of(box)) {
            const double* weights = problem_.weights.data() + problem_.first_weight[c] +
                                    chain.sums[c] - chain.mines[box];
            for (int k = 0; k <= size; ++k) factor[k] *= weights[k];
            work_ += 1 + size;
        }
        double greatest = 0;
        for (int k = 0; k <= size; ++k) greatest = std::max(greatest, factor[k]);
        for (int k = 0; k <= size; ++k) factor[k] /= greatest;
    }
    work_ += 25 * group.size();
}

// Without a total every box is drawn for itself.
void Scatter::apart(const std::vector<std::int32_t>& group, Xoshiro& random) {
    for (std::size_t i = 0; i < group.size(); ++i) {
        const int size = problem_.sizes[group[i]];
        const double* factor = factors_.data() + i * row;
        double sum = 0, mines = 0;
        for (int k = 0; k <= size; ++k) sum += factor[k], mines += k * factor[k];
        double mark = random.unit() * sum;
        int k = 0;
        while (k < size && (mark -= factor[k]) >= 0) ++k;
        while (factor[k] == 0.0) --k;
        drawn_[i] = k;
        expected_[i] = mines / sum;
    }
}

// With a total: `left` mines for the group and the sea. beta(i)[n] is the weight of all ways to go
// on after n mines in the boxes before i. False when all of it is too small for a double; that
// depends on the other boxes only, so to leave such a group as it is does no harm.
bool Scatter::together(const std::vector<std::int32_t>& group, std::int64_t left, Xoshiro& random) {
    int cells = 0;
    for (const std::int32_t box : group) cells += problem_.sizes[box];
    weigh_sea(left, cells, beta(group.size()));
    int before = cells;
    for (std::size_t i = group.size(); i-- > 0;) {
        const int size = problem_.sizes[group[i]];
        const double* factor = factors_.data() + i * row;
        const double* after = beta(i + 1);
        double* here = beta(i);
        before -= size;
        for (int n = 0; n <= before; ++n) here[n] = factor[0] * after[n];
        for (int k = 1; k <= size; ++k)
            for (int n = 0; n <= before; ++n) here[n] += factor[k] * after[n + k];
        work_ += static_cast<std::uint64_t>(before + 1) * size;
    }
    if (!std::isnormal(beta(0)[0])) return false;
    sum_forward(group);
    int mines = 0;
    for (std::size_t i = 0; i < group.size(); ++i) {
        const int size = problem_.sizes[group[i]];
        const double* factor = factors_.data() + i * row;
        const double* after = beta(i + 1) + mines;
        double mark = random.unit() * beta(i)[mines];
        int k = 0;
        while (k < size && (mark -= factor[k] * after[k]) >= 0) ++k;
        while (factor[k] * after[k] == 0.0) --k;
        drawn_[i] = k;
        mines += k;
    }
    return true;
}

// weights[n]: the ways of the sea when the group takes n of the `left` mines, up to a factor.
void Scatter::weigh_sea(std::int64_t left, int cells, double* weights) const {
    double ways = 1;
    for (int n = 0; n <= cells; ++n) {
        const std::int64_t mines = left - n;
        weights[n] = mines < 0 || mines > sea_.cells() ? 0.0 : ways;
        if (weights[n] > 0.0)
            ways *= static_cast<double>(mines) / static_cast<double>(sea_.cells() - mines + 1);
    }
}

// The mines to expect in every box: alpha[n] is the weight of all ways to have n mines before it.
void Scatter::sum_forward(const std::vector<std::int32_t>& group) {
    const double all = beta(0)[0];
    double rows[2][most_cells + 1] = {{1}};
    double *alpha = rows[0], *next = rows[1];
    int before = 0;
    for (std::size_t i = 0; i < group.size(); ++i) {
        const int size = problem_.sizes[group[i]];
        const double* factor = factors_.data() + i * row;
        const double* after = beta(i + 1);
        std::fill_n(next, before + size + 1, 0.0);
        double mines = 0;
        for (int k = 0; k <= size; ++k) {
            double ways = 0;
            for (int n = 0; n <= before; ++n) {
                const double reached = factor[k] * alpha[n];
                next[n + k] += reached;
                ways += reached * after[n + k];
            }
            mines += k * ways;
        }
        expected_[i] = mines / all;
        std::swap(alpha, next);
        before += size;
    }
}

}  // namespace mines
