#include "graph.hpp"

#include <algorithm>

namespace mines {

std::uint64_t Graph::bytes() const {
    return states_.bytes() + keys_.bytes() + targets_.bytes() + table_.bytes();
}

std::uint32_t Graph::widest_layer() const {
    std::uint32_t widest = 1;
    for (std::int32_t i = 0; i < step_count_; ++i)
        widest = std::max(widest, layer_end(i) - steps_[i].first_state);
    return widest;
}

// Of a constraint with `left` cells to come, a residual r leaves between r - left and r of the most
// mines allowed; it is met when that ends within 0 .. high - low, surely when it lies within.
Touch Graph::touch(const Hypergraph& region, std::int32_t constraint, std::int32_t box) {
    const std::int32_t low = region.low_of(constraint), high = region.high_of(constraint);
    const bool opens = cells_left_[constraint] == region.cells_of(constraint);
    if (opens) slot_of_[constraint] = slots_.take();
    const std::int32_t left = cells_left_[constraint] -= region.box_size(box);
    const std::int32_t per_word = 64 / width_;
    Touch touch{};
    touch.word = slot_of_[constraint] / per_word;
    touch.shift = slot_of_[constraint] % per_word * width_;
    touch.opens = opens ? high : -1;
    touch.limit = left + high - low;
    const bool plain = !region.weighted(constraint) && low < high;
    touch.met_from = plain ? left : 1;
    touch.met_to = plain ? high - low : 0;
    touch.constraint = constraint;
    touch.high = high;
    touch.closes = left == 0;
    touch.weighs = touch.closes && region.weighted(constraint);
    return touch;
}

void Graph::plan(const Hypergraph& region, const std::int32_t* order) {
    const std::int32_t constraints = region.constraint_count();
    std::int32_t most = 1;
    slots_.begin(constraints);
    slot_of_.need(constraints), cells_left_.need(constraints);
    for (std::int32_t c = 0; c < constraints; ++c) {
        cells_left_[c] = region.cells_of(c);
        most = std::max(most, region.high_of(c));
    }
    for (width_ = 1; most >> width_ != 0;) ++width_;
    mask_ = (std::uint64_t{1} << width_) - 1;
    touch_count_ = 0;
    step_count_ = region.box_count();
    steps_.need(step_count_);
    for (std::int32_t i = 0; i < step_count_; ++i) {
        const Stretch inside = region.constraints_of(order[i]);
        GraphStep& step = steps_[i];
        step =
            GraphStep{order[i], region.box_size(order[i]), touch_count_, inside.size(), 0, false};
        touches_.need(touch_count_ + inside.size());
        for (const std::int32_t c : inside) {
            const Touch made = touches_[touch_count_++] = touch(region, c, order[i]);
            step.weighs |= made.weighs;
        }
        for (const std::int32_t c : inside)
            if (cells_left_[c] == 0) slots_.give_back(slot_of_[c]);
    }
    const std::int32_t per_word = 64 / width_;
    words_ = words_for((slots_.count() + per_word - 1) / per_word);
}

// The state after the box has taken k mines.
template <int N>
void Graph::after(const GraphStep& step, const std::uint64_t* key, int k,
                  std::uint64_t* next) const {
    for (int w = 0; w < N; ++w) next[w] = key[w];
    for (std::int32_t j = 0; j < step.touch_count; ++j) {
        const Touch& touch = touches_[step.first_touch + j];
        std::int32_t left = residual(touch, key) - k;
        if (touch.closes)
            left = 0;
        else if (left >= touch.met_from && left <= touch.met_to)
            left = touch.met_to;
        next[touch.word] &= ~(mask_ << touch.shift);
        next[touch.word] |= static_cast<std::uint64_t>(left) << touch.shift;
    }
}

// Makes the layer after `step` from the layer [begin, end). False: too many states.
template <int N>
bool Graph::expand(const GraphStep& step, std::uint32_t begin, std::uint32_t end,
                   const Limits& limits, Patience& patience) {
    table_.begin_layer();
    const std::size_t room = std::size_t{1} + step.size;
    std::uint32_t count = 0;  // of the new layer
    for (std::uint32_t s = begin; s < end; ++s) {
        if (state_count_ > limits.states || bytes() > limits.bytes ||
            target_count_ > 4'000'000'000u)
            return false;
        states_.need(state_count_ + room);
        targets_.need(target_count_ + room);
        std::uint64_t* keys = keys_.need((state_count_ + room) * N);
        const std::uint64_t* key = keys + std::int64_t{s} * N;
        std::int32_t least = 0, most = step.size;
        for (std::int32_t j = 0; j < step.touch_count; ++j) {
            const Touch& touch = touches_[step.first_touch + j];
            const std::int32_t left = residual(touch, key);
            most = std::min(most, left);
            least = std::max(least, left - touch.limit);
        }
        states_[s] = State{target_count_, least, std::max(0, most - least + 1)};
        for (std::int32_t k = least; k <= most; ++k) {
            std::uint64_t next[N];
            after<N>(step, key, k, next);
            targets_[target_count_++] =
                end + table_.find_or_add<N>(next, keys + std::int64_t{end} * N, count);
            state_count_ = end + count;
        }
        patience.spend(16 + 32 * N);
    }
    return true;
}

template <int N>
Status Graph::expand_all(const Limits& limits, Patience& patience) {
    keys_.need(N);
    for (int w = 0; w < N; ++w) keys_[w] = 0;
    states_.need(1);
    state_count_ = 1;
    target_count_ = 0;
    std::uint32_t begin = 0;
    for (std::int32_t i = 0; i < step_count_; ++i) {
        const std::uint32_t end = state_count_;
        steps_[i].first_state = begin;
        if (!expand<N>(steps_[i], begin, end, limits, patience)) return Status::too_wide;
        if (state_count_ == end) return Status::contradiction;
        begin = end;
    }
    return state_count_ > limits.states ? Status::too_wide : Status::fits;
}

Status Graph::build(const Hypergraph& region, const std::int32_t* order, const Limits& limits,
                    Patience& patience) {
    plan(region, order);
    if (words_ > 16) {
        state_count_ = 0;
        return Status::too_wide;
    }
    return with_words(
        words_, [&](auto words) { return expand_all<decltype(words)::value>(limits, patience); });
}

}  // namespace mines
