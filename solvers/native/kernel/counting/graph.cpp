#include "counting/graph.hpp"

#include <algorithm>
#include <cassert>

namespace mines {

std::uint64_t Graph::bytes() const {
    return states_.bytes() + keys_.bytes() + targets_.bytes() + table_.bytes();
}

std::uint32_t Graph::widest_layer() const {
    std::uint32_t widest = 1;
    for (std::int32_t i = 0; i < step_count(); ++i)
        widest = std::max(widest, layer_end(i) - layer_begin(i));
    return widest;
}

// Makes the layer after `step` from the states begin..end-1. False: there are too many states.
template <int N>
bool Graph::expand(const PlanStep& step, std::uint32_t begin, std::uint32_t end,
                   const Limits& limits, Patience& patience) {
    table_.begin_layer();
    const std::size_t room = std::size_t{1} + step.size;
    std::uint32_t count = 0;  // states of the new layer
    for (std::uint32_t s = begin; s < end; ++s) {
        if (state_count_ > limits.states || bytes() > limits.bytes ||
            target_count_ > 4'000'000'000u)
            return false;
        states_.need(state_count_ + room);
        targets_.need(target_count_ + room);
        std::uint64_t* keys = keys_.need((state_count_ + room) * N);
        const std::uint64_t* key = keys + std::int64_t{s} * N;
        const auto [least, most] = plan_.possible(step, key);
        states_[s] = State{target_count_, least, std::max(0, most - least + 1)};
        for (std::int32_t k = least; k <= most; ++k) {
            std::uint64_t next[N];
            std::copy(key, key + N, next);
            plan_.take(step, k, key, next);
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
    std::fill_n(keys_.need(N), N, 0);
    states_.need(1);
    state_count_ = 1;
    target_count_ = 0;
    std::uint32_t begin = 0;
    for (std::int32_t i = 0; i < step_count(); ++i) {
        const std::uint32_t end = state_count_;
        layers_[i] = begin;
        if (!expand<N>(plan_.step(i), begin, end, limits, patience)) return Status::too_wide;
        if (state_count_ == end) return Status::contradiction;
        begin = end;
    }
    assert(state_count_ == begin + 1);  // every constraint is closed: there is one state
    return state_count_ > limits.states ? Status::too_wide : Status::fits;
}

Status Graph::build(const Hypergraph& region, const std::int32_t* order, const Limits& limits,
                    Patience& patience) {
    plan_.make(region, order);
    words_ = words_for(plan_.words());
    layers_.need(step_count());
    if (words_ > most_words) {
        state_count_ = 0;
        return Status::too_wide;
    }
    return with_words(words_, [&](auto words) { return expand_all<words>(limits, patience); });
}

}  // namespace mines
