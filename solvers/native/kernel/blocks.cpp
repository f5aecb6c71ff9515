#include "blocks.hpp"

#include <algorithm>

namespace mines {

namespace {

constexpr std::size_t max_states = 1 << 20;  // of a block in all: bounds its tables
constexpr std::size_t least_blocks = 24;
constexpr std::size_t most_blocks = 64;  // but for those that only bring in a missing box
constexpr int enough = 3;                // blocks that a box is in, as a rule

}  // namespace

Blocks::Blocks(const SampleProblem& problem, double max_width, Xoshiro& random)
    : problem_(problem), max_width_(max_width) {
    const std::size_t boxes = problem.sizes.size(), constraints = problem.first.size() - 1;
    first_of_box_.assign(boxes + 1, 0);
    for (const std::int32_t box : problem.members) ++first_of_box_[box + 1];
    for (std::size_t b = 0; b < boxes; ++b) first_of_box_[b + 1] += first_of_box_[b];
    of_box_.resize(problem.members.size());
    std::vector<std::int32_t> at(first_of_box_.begin(), first_of_box_.end() - 1);
    for (std::size_t c = 0; c < constraints; ++c)
        for (std::int32_t i = problem.first[c]; i < problem.first[c + 1]; ++i)
            of_box_[at[problem.members[i]]++] = static_cast<std::int32_t>(c);
    pooled_.assign(boxes, 0);
    std::vector<int> covered(boxes, 0);
    for (std::size_t next = 0; next < boxes;) {
        const bool early = blocks_.size() < most_blocks;
        std::int32_t start = random.below(boxes);
        if (blocks_.size() >= least_blocks) {
            while (next < boxes && covered[next] >= (early ? enough : 1)) ++next;
            if (next == boxes) break;
            start = static_cast<std::int32_t>(next);
        }
        const std::vector<std::int32_t> order = choose(start, random);
        for (const std::int32_t box : order) ++covered[box];
        blocks_.push_back(build(order));
    }
}

// The boxes of a block in the order they are swept. Boxes that keep the sweep narrow are taken as
// they come; when none of those at hand does, one of them, any, stays as it is.
std::vector<std::int32_t> Blocks::choose(std::int32_t start, Xoshiro& random) {
    const std::size_t boxes = problem_.sizes.size(), constraints = problem_.first.size() - 1;
    place_.assign(boxes, undecided);
    taken_.assign(constraints, 0);
    waiting_.resize(constraints);
    for (std::size_t c = 0; c < constraints; ++c)
        waiting_[c] = problem_.first[c + 1] - problem_.first[c];
    open_.clear();
    std::vector<std::int32_t> order;
    double states = 0;
    const std::int32_t turn = random.below(boxes);  // where to look for the next region
    std::size_t looked = 0;
    decide(start, free);
    order.push_back(start);
    while (states < max_states) {
        collect_pool();
        if (pool_.empty()) {
            std::int32_t box = 0;
            do box = static_cast<std::int32_t>((turn + looked) % boxes);
            while (place_[box] != undecided && ++looked < boxes);
            if (looked >= boxes) break;
            pool_.push_back(box);
        }
        double best = 0;
        std::int32_t chosen = -1;
        for (const std::int32_t box : pool_) {
            const double width = width_after(box) * (1 + 0.2 * random.unit());
            if (chosen < 0 || width < best) best = width, chosen = box;
        }
        const double width = width_after(chosen);
        if (width > max_width_ && pool_.size() > 1) {
            decide(pool_[random.below(pool_.size())], fixed);
            continue;
        }
        if (width > max_width_ && !open_.empty()) {
            decide(chosen, fixed);
            continue;
        }
        decide(chosen, free);
        order.push_back(chosen);
        states += width;
    }
    return order;
}

void Blocks::decide(std::int32_t box, Place place) {
    place_[box] = place;
    for (std::int32_t i = first_of_box_[box]; i < first_of_box_[box + 1]; ++i) {
        const std::int32_t c = of_box_[i];
        const bool was_open = taken_[c] > 0;
        --waiting_[c];
        if (place == free) {
            taken_[c] += problem_.sizes[box];
            if (!was_open && waiting_[c] > 0) open_.push_back(c);
        }
    }
    open_.erase(std::remove_if(open_.begin(), open_.end(),
                               [&](std::int32_t c) { return waiting_[c] == 0; }),
                open_.end());
}

// An upper bound on the states after taking the box as well.
double Blocks::width_after(std::int32_t box) const {
    double width = 1;
    for (const std::int32_t c : open_) width *= taken_[c] + 1;
    for (std::int32_t i = first_of_box_[box]; i < first_of_box_[box + 1]; ++i) {
        const std::int32_t c = of_box_[i];
        if (taken_[c] > 0) width /= taken_[c] + 1;
        if (waiting_[c] > 1) width *= taken_[c] + problem_.sizes[box] + 1;
    }
    return width;
}

void Blocks::collect_pool() {
    pool_.clear();
    for (const std::int32_t c : open_)
        for (std::int32_t i = problem_.first[c]; i < problem_.first[c + 1]; ++i) {
            const std::int32_t box = problem_.members[i];
            if (place_[box] != undecided || pooled_[box] != 0) continue;
            pooled_[box] = 1;
            pool_.push_back(box);
        }
    for (const std::int32_t box : pool_) pooled_[box] = 0;
}

namespace {

// A constraint while it is open: how many of its cells were taken, and what one mine in it adds to
// the number of the state.
struct Open {
    std::int32_t constraint;
    std::int32_t cells;
    std::int32_t stride;
};

}  // namespace

Block Blocks::build(const std::vector<std::int32_t>& order) const {
    Block block;
    const std::size_t constraints = problem_.first.size() - 1;
    std::vector<std::int32_t> opens(constraints, -1), closes(constraints, -1);
    for (std::size_t step = 0; step < order.size(); ++step)
        for (std::int32_t i = first_of_box_[order[step]]; i < first_of_box_[order[step] + 1]; ++i) {
            const std::int32_t c = of_box_[i];
            if (opens[c] < 0)
                opens[c] = static_cast<std::int32_t>(step), block.constraints.push_back(c);
            closes[c] = static_cast<std::int32_t>(step);
        }
    std::vector<Open> before, after;
    std::int32_t states = 1;
    for (std::size_t at = 0; at < order.size(); ++at) {
        const std::int32_t box = order[at], time = static_cast<std::int32_t>(at);
        BlockStep step{};
        step.box = box;
        step.states = states;
        step.next = block.next.size();
        step.beta = block.states;
        step.first_closing = static_cast<std::int32_t>(block.closing.size());
        step.first_alone = static_cast<std::int32_t>(block.alone.size());
        const auto mine = [&](std::int32_t c) {
            return std::find(of_box_.begin() + first_of_box_[box],
                             of_box_.begin() + first_of_box_[box + 1],
                             c) != of_box_.begin() + first_of_box_[box + 1];
        };
        after.clear();
        std::int32_t width = 1;
        const auto stay = [&](std::int32_t c, std::int32_t cells) {
            after.push_back({c, cells, width});
            if (mine(c)) step.stride += width;
            width *= cells + 1;
        };
        for (const Open& one : before)
            if (closes[one.constraint] != time)
                stay(one.constraint, one.cells + (mine(one.constraint) ? problem_.sizes[box] : 0));
        for (std::int32_t i = first_of_box_[box]; i < first_of_box_[box + 1]; ++i) {
            const std::int32_t c = of_box_[i];
            if (opens[c] != time) continue;
            if (closes[c] == time)
                block.alone.push_back(c);
            else
                stay(c, problem_.sizes[box]);
        }
        block.next.resize(step.next + states, 0);
        for (const Open& one : before) {
            const auto kept = std::find_if(after.begin(), after.end(), [&](const Open& other) {
                return other.constraint == one.constraint;
            });
            const std::size_t counts = block.counts.size();
            if (kept == after.end()) {
                block.closing.push_back({one.constraint, counts});
                block.counts.resize(counts + states);
            }
            for (std::int32_t state = 0; state < states; ++state) {
                const std::int32_t count = state / one.stride % (one.cells + 1);
                if (kept == after.end())
                    block.counts[counts + state] = static_cast<std::uint16_t>(count);
                else
                    block.next[step.next + state] += count * kept->stride;
            }
        }
        step.closing_count = static_cast<std::int32_t>(block.closing.size()) - step.first_closing;
        step.alone_count = static_cast<std::int32_t>(block.alone.size()) - step.first_alone;
        block.states += static_cast<std::size_t>(states);
        block.steps.push_back(step);
        before.swap(after);
        states = width;
    }
    return block;
}

}  // namespace mines
