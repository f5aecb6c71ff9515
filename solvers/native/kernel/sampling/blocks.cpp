#include "sampling/blocks.hpp"

#include <algorithm>
#include <utility>

namespace mines {

namespace {

// A block gets no more boxes once its steps have this many states together. This bounds its tables.
constexpr std::size_t max_states = 1 << 20;
// Blocks are made until there are `least_blocks` blocks and every box is in `enough` of them. Once
// there are `most_blocks` blocks, more are made only for boxes that are in no block.
constexpr std::size_t least_blocks = 24;
constexpr std::size_t most_blocks = 64;
constexpr int enough = 3;

}  // namespace

Blocks::Blocks(const SampleProblem& problem, double max_width, Stream& random)
    : region_(problem.region), max_width_(max_width) {
    const std::size_t boxes = problem.box_count();
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

// Chooses the boxes of a block, in the order in which they are taken. The pool has the boxes that
// may come next. The box of the pool that leads to the fewest states is taken into the block, if
// there are at most max_width_ of these states. If not, a random box of the pool is fixed: it is
// left out of the block and keeps its mines. A box is waiting until it is taken or fixed.
std::vector<std::int32_t> Blocks::choose(std::int32_t start, Stream& random) {
    begin_block();
    std::vector<std::int32_t> order{start};
    double states = 0;
    const std::int32_t turn = random.below(region_.sizes.size());
    std::size_t looked = 0;
    decide(start, free);
    while (states < max_states) {
        collect_pool();
        if (pool_.empty() && !begin_region(turn, looked)) break;
        const std::int32_t chosen = narrowest(random);
        const double width = width_after(chosen);
        if (width > max_width_ && pool_.size() > 1) {
            decide(pool_[random.below(pool_.size())], fixed);
        } else if (width > max_width_ && !open_.empty()) {
            decide(chosen, fixed);
        } else {  // even if too wide by itself: every box must be in some block
            decide(chosen, free);
            order.push_back(chosen);
            states += width;
        }
    }
    return order;
}

void Blocks::begin_block() {
    place_.assign(region_.sizes.size(), waiting);
    taken_.assign(region_.low.size(), 0);
    waiting_.resize(region_.low.size());
    for (std::int32_t c = 0; c < region_.constraint_count(); ++c)
        waiting_[c] = region_.boxes_of(c).size();
    open_.clear();
}

// Puts the next waiting box into the empty pool. Each box is examined once: those from number
// `turn` to the last, then those from 0 on. `looked` counts the boxes examined so far. False: no
// box is waiting.
bool Blocks::begin_region(std::int32_t turn, std::size_t& looked) {
    const std::size_t boxes = region_.sizes.size();
    for (; looked < boxes; ++looked) {
        const std::size_t box = (static_cast<std::size_t>(turn) + looked) % boxes;
        if (place_[box] != waiting) continue;
        pool_.push_back(static_cast<std::int32_t>(box));
        return true;
    }
    return false;
}

// The box of the pool that leads to the fewest states. The numbers of states are increased at
// random by up to a fifth, so that blocks differ.
std::int32_t Blocks::narrowest(Stream& random) const {
    double best = 0;
    std::int32_t chosen = -1;
    for (const std::int32_t box : pool_) {
        const double width = width_after(box) * (1 + 0.2 * random.unit());
        if (chosen < 0 || width < best) best = width, chosen = box;
    }
    return chosen;
}

void Blocks::decide(std::int32_t box, Place place) {
    place_[box] = place;
    for (const std::int32_t c : region_.constraints_of(box)) {
        const bool was_open = taken_[c] > 0;
        --waiting_[c];
        if (place == free) {
            taken_[c] += region_.sizes[box];
            if (!was_open && waiting_[c] > 0) open_.push_back(c);
        }
    }
    open_.erase(std::remove_if(open_.begin(), open_.end(),
                               [&](std::int32_t c) { return waiting_[c] == 0; }),
                open_.end());
}

// An upper bound on the number of states after `box`, if it is taken next.
double Blocks::width_after(std::int32_t box) const {
    double width = 1;
    for (const std::int32_t c : open_) width *= taken_[c] + 1;
    for (const std::int32_t c : region_.constraints_of(box)) {
        if (taken_[c] > 0) width /= taken_[c] + 1;
        if (waiting_[c] > 1) width *= taken_[c] + region_.sizes[box] + 1;
    }
    return width;
}

void Blocks::collect_pool() {
    pool_.clear();
    for (const std::int32_t c : open_)
        for (const std::int32_t box : region_.boxes_of(c)) {
            if (place_[box] != waiting || pooled_[box] != 0) continue;
            pooled_[box] = 1;
            pool_.push_back(box);
        }
    for (const std::int32_t box : pool_) pooled_[box] = 0;
}

namespace {

// An open constraint: how many of its cells were taken, and how much each of its mines adds to the
// number of a state.
struct Open {
    std::int32_t constraint;
    std::int32_t cells;
    std::int32_t stride;
};

// Makes the steps of a block, box by box. A state is numbered by the mines so far in every open
// constraint, in mixed radix: the digit of a constraint with n cells taken is 0..n.
class Layer {
  public:
    explicit Layer(const Hypergraph& region) : region_(region) {}

    Block lay(const std::vector<std::int32_t>& order) {
        note_times(order);
        for (std::size_t time = 0; time < order.size(); ++time)
            take(order[time], static_cast<std::int32_t>(time));
        return std::move(block_);
    }

  private:
    // Finds the times (places in the order) of the first and the last box of each constraint.
    void note_times(const std::vector<std::int32_t>& order) {
        opens_.assign(region_.low.size(), -1);
        closes_.assign(region_.low.size(), -1);
        for (std::size_t at = 0; at < order.size(); ++at)
            for (const std::int32_t c : region_.constraints_of(order[at])) {
                const std::int32_t time = static_cast<std::int32_t>(at);
                if (opens_[c] < 0) opens_[c] = time, block_.constraints.push_back(c);
                closes_[c] = time;
            }
    }

    void take(std::int32_t box, std::int32_t time) {
        BlockStep step{};
        step.box = box;
        step.states = states_;
        step.next = block_.next.size();
        step.beta = block_.states;
        step.first_closing = static_cast<std::int32_t>(block_.closing.size());
        step.first_alone = static_cast<std::int32_t>(block_.alone.size());
        const std::int32_t width = open_after(step, time);
        block_.next.resize(step.next + states_, 0);
        for (const Open& open : before_) carry(open, step);
        step.closing_count = static_cast<std::int32_t>(block_.closing.size()) - step.first_closing;
        step.alone_count = static_cast<std::int32_t>(block_.alone.size()) - step.first_alone;
        block_.states += static_cast<std::size_t>(states_);
        block_.steps.push_back(step);
        before_.swap(after_);
        states_ = width;
    }

    // Finds the constraints that are open after the box of `step`. Returns the number of states
    // after this box.
    std::int32_t open_after(BlockStep& step, std::int32_t time) {
        const std::int32_t size = region_.sizes[step.box];
        after_.clear();
        std::int32_t width = 1;
        const auto stay = [&](std::int32_t c, std::int32_t cells) {
            after_.push_back({c, cells, width});
            if (touches(step.box, c)) step.stride += width;
            width *= cells + 1;
        };
        for (const Open& open : before_)
            if (closes_[open.constraint] != time)
                stay(open.constraint, open.cells + (touches(step.box, open.constraint) ? size : 0));
        for (const std::int32_t c : region_.constraints_of(step.box)) {
            if (opens_[c] != time) continue;
            if (closes_[c] == time)
                block_.alone.push_back(c);
            else
                stay(c, size);
        }
        return width;
    }

    // If an open constraint stays open after the box of `step`, carries its digit over to the
    // states after this box. If the constraint closes, stores its digit, which is its mines so far,
    // for every state before this box.
    void carry(const Open& open, const BlockStep& step) {
        const auto kept = std::find_if(after_.begin(), after_.end(), [&](const Open& other) {
            return other.constraint == open.constraint;
        });
        const bool closes = kept == after_.end();
        const std::size_t counts = block_.counts.size();
        if (closes) {
            block_.closing.push_back({open.constraint, counts});
            block_.counts.resize(counts + states_);
        }
        for (std::int32_t state = 0; state < states_; ++state) {
            const std::int32_t count = state / open.stride % (open.cells + 1);
            if (closes)
                block_.counts[counts + state] = static_cast<std::uint16_t>(count);
            else
                block_.next[step.next + state] += count * kept->stride;
        }
    }

    bool touches(std::int32_t box, std::int32_t constraint) const {
        const Stretch all = region_.constraints_of(box);
        return std::find(all.begin(), all.end(), constraint) != all.end();
    }

    const Hypergraph& region_;
    Block block_;
    std::vector<std::int32_t> opens_, closes_;  // per constraint: a time, -1 for never
    std::vector<Open> before_, after_;          // open before the box, and after it
    std::int32_t states_ = 1;                   // before the box
};

}  // namespace

Block Blocks::build(const std::vector<std::int32_t>& order) const {
    return Layer(region_).lay(order);
}

}  // namespace mines
