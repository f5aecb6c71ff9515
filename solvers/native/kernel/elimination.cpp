#include "elimination.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace mines {

namespace {

constexpr int slots_per_word = 16;
constexpr std::uint32_t block = 1024;  // shares are summed in blocks: fewer roundings on the way

// A step with its slots resolved to words and shifts, and the changes it makes to a key.
template <int N>
struct Unpacked {
    int count, size;
    int word[8], shift[8], limit[8];
    std::uint64_t open[N], delta[N], keep[N];

    explicit Unpacked(const Step& step) : count(step.constraint_count), size(step.size) {
        for (int w = 0; w < N; ++w) open[w] = delta[w] = 0, keep[w] = ~std::uint64_t{0};
        for (int j = 0; j < count; ++j) {
            word[j] = N == 1 ? 0 : step.slot[j] / slots_per_word;
            shift[j] = 4 * (step.slot[j] % slots_per_word);
            limit[j] = step.limit[j];
            delta[word[j]] |= std::uint64_t{1} << shift[j];
            if (step.opens[j] >= 0)
                open[word[j]] |= static_cast<std::uint64_t>(step.opens[j]) << shift[j];
            if (step.closes[j] >= 0) keep[word[j]] &= ~(std::uint64_t{15} << shift[j]);
        }
    }
    int residual(const std::uint64_t* key, int j) const {
        return static_cast<int>((key[word[j]] + open[word[j]]) >> shift[j] & 15);
    }
    // The least and the most mines that the box can take in a state.
    std::pair<int, int> mines_possible(const std::uint64_t* key) const {
        int least = 0, most = size;
        for (int j = 0; j < count; ++j) {
            const int left = residual(key, j);
            most = std::min(most, left);
            least = std::max(least, left - limit[j]);
        }
        return {least, most};
    }
    // The state after the box has taken k mines.
    void after(const std::uint64_t* key, int k, std::uint64_t* next) const {
        for (int w = 0; w < N; ++w)
            next[w] = (key[w] + open[w] - static_cast<std::uint64_t>(k) * delta[w]) & keep[w];
    }
};

// Weight of the constraints that end with this step when the box takes k mines.
template <int N>
double closing_weight(const Unpacked<N>& step, const Step& plan, const Likelihood* weights,
                      const std::uint64_t* key, int k) {
    double product = 1;
    for (int j = 0; j < step.count; ++j)
        if (plan.closes[j] >= 0)
            product *= weights[plan.closes[j]].of[plan.high[j] - (step.residual(key, j) - k)];
    return product;
}

double quotient(double part, double rest) {
    return part / (part + rest);
}
double quotient(const Wide& part, const Wide& rest) {
    return part.over(part + rest);
}

template <class V>
Share share_of(const V& mines, const V& safe) {
    if (is_zero(mines)) return {0.0, Verdict::safe};
    if (is_zero(safe)) return {1.0, Verdict::mine};
    return {quotient(mines, safe), Verdict::open};
}

}  // namespace

template <>
Buffer<double>& Elimination::coefficient_buffer<double>() {
    return narrow_;
}
template <>
Buffer<Wide>& Elimination::coefficient_buffer<Wide>() {
    return wide_;
}
template <>
std::int64_t& Elimination::coefficient_count<double>() {
    return narrow_count_;
}
template <>
std::int64_t& Elimination::coefficient_count<Wide>() {
    return wide_count_;
}
template <>
Buffer<double>& Elimination::adjoint_buffer<double>(int i) {
    return narrow_adjoint_[i];
}
template <>
Buffer<Wide>& Elimination::adjoint_buffer<Wide>(int i) {
    return wide_adjoint_[i];
}

void Elimination::reset() {
    step_count_ = 0;
    state_count_ = target_count_ = 0;
    key_count_ = narrow_count_ = wide_count_ = 0;
}

void Elimination::trim(std::size_t bytes) {
    steps_.trim(bytes), states_.trim(bytes), keys_.trim(bytes), targets_.trim(bytes);
    table_.trim(bytes);
    narrow_.trim(bytes), wide_.trim(bytes);
    for (int i = 0; i < 2; ++i) narrow_adjoint_[i].trim(bytes), wide_adjoint_[i].trim(bytes);
}

void Elimination::drop_forward_scratch() {
    table_.trim(0), keys_.trim(0);
}

std::size_t Elimination::bytes() const {
    return steps_.bytes() + states_.bytes() + keys_.bytes() + targets_.bytes() + table_.bytes() +
           narrow_.bytes() + wide_.bytes() + narrow_adjoint_[0].bytes() +
           narrow_adjoint_[1].bytes() + wide_adjoint_[0].bytes() + wide_adjoint_[1].bytes();
}

void Elimination::relabel(const Trace& trace, const std::int32_t* number) {
    for (std::int32_t i = 0; i < trace.step_count; ++i) {
        std::int32_t& box = steps_[trace.first_step + i].box;
        box = number[box];
    }
}

// Enters what a box of `size` cells does to a constraint at place `place` of its step; gives the
// cells that the constraint has left.
//
// An exact constraint that ends needs no mask to clear its slot for the next one: `limit` is then
// 0, so its residual is 0 and its slot is clear. A range may end with some of its mines not taken.
std::int8_t Elimination::plan_constraint(const Frontier& frontier, std::int32_t id, int size,
                                         int place, Step& step) {
    const Constraint& c = frontier.constraints[id];
    const bool opens = cells_left_[id] == c.cells;
    if (opens) slot_of_[id] = static_cast<std::uint16_t>(slots_.take());
    const std::int8_t left = cells_left_[id] = static_cast<std::int8_t>(cells_left_[id] - size);
    step.slot[place] = slot_of_[id];
    step.high[place] = c.high;
    step.opens[place] = opens ? c.high : std::int8_t{-1};
    step.limit[place] = static_cast<std::int8_t>(left + c.high - c.low);
    const bool range_ends = left == 0 && c.high != c.low;
    step.closes[place] = range_ends ? id : -1;
    step.closes_range |= range_ends;
    return left;
}

void Elimination::plan(const Frontier& frontier, const Region& region, Trace& trace) {
    slot_of_.need(frontier.constraint_count);
    slots_.begin(region.constraint_count);
    cells_left_.need(frontier.constraint_count);
    Step* step = steps_.need(step_count_ + region.box_count) + step_count_;
    for (std::int32_t i = 0; i < region.constraint_count; ++i) {
        const std::int32_t c = frontier.region_constraints[region.first_constraint + i];
        cells_left_[c] = frontier.constraints[c].cells;
    }
    for (std::int32_t i = 0; i < region.box_count; ++i, ++step) {
        step->box = frontier.region_boxes[region.first_box + i];
        const Box& box = frontier.boxes[step->box];
        step->size = static_cast<std::uint8_t>(box.size);
        step->constraint_count = static_cast<std::uint8_t>(box.constraint_count);
        step->closes_range = false;
        std::int8_t left[8];
        for (int j = 0; j < box.constraint_count; ++j)
            left[j] = plan_constraint(frontier, box.constraints[j], box.size, j, *step);
        for (int j = 0; j < box.constraint_count; ++j)
            if (left[j] == 0) slots_.give_back(step->slot[j]);
    }
    trace.first_step = step_count_;
    trace.step_count = region.box_count;
    trace.words = words_for((slots_.count() + slots_per_word - 1) / slots_per_word);
    step_count_ += region.box_count;
}

// Notes a transition into a state: its support covers what comes from all of them.
void Elimination::reach(const State& from, int k, std::uint32_t target, bool fresh) {
    State& to = states_[target];
    const std::int32_t low = from.low + k, high = low + from.length;
    to.low = fresh ? low : std::min(to.low, low);
    to.length = fresh ? high : std::max(to.length, high);
}

// Makes the layer after `step` from the layer [begin, end): states, transitions, supports.
// False: too many.
template <int N>
bool Elimination::expand(const Step& plan, const Trace& trace, std::uint32_t first_state,
                         std::uint32_t begin, std::uint32_t end, const Limits& limits,
                         Patience& patience) {
    const Unpacked<N> step(plan);
    table_.begin_layer();
    for (std::uint32_t s = begin; s < end; ++s) {
        if (state_count_ - first_state > limits.states && too_wide(limits, first_state))
            return false;
        states_.need(std::size_t{state_count_} + 9);
        targets_.need(std::size_t{target_count_} + 9);
        std::uint64_t* keys =
            keys_.need(trace.first_key + (std::int64_t{state_count_} - first_state + 10) * N) +
            trace.first_key;
        std::uint64_t* layer_keys = keys + static_cast<std::int64_t>(end - first_state) * N;
        const std::uint64_t* key = keys + static_cast<std::int64_t>(s - first_state) * N;
        const auto [least, most] = step.mines_possible(key);
        State& from = states_[s];
        from.first = target_count_;
        from.least = static_cast<std::uint8_t>(least);
        from.count = static_cast<std::uint8_t>(most < least ? 0 : most - least + 1);
        for (int k = least; k <= most; ++k) {
            std::uint64_t next[N];
            step.after(key, k, next);
            std::uint32_t count = state_count_ - end;
            const std::uint32_t target = end + table_.find_or_add<N>(next, layer_keys, count);
            const bool fresh = target == state_count_;
            state_count_ = end + count;
            targets_[target_count_++] = target;
            reach(from, k, target, fresh);
        }
        patience.spend(32 * N);
    }
    return true;
}

// Gives the states of the newest layer the places of their polynomials.
template <class V>
void Elimination::place(std::uint32_t layer) {
    std::int64_t count = coefficient_count<V>();
    for (std::uint32_t s = layer; s < state_count_; ++s) {
        states_[s].length -= states_[s].low;
        states_[s].at = count;
        count += states_[s].length;
    }
    coefficient_count<V>() = count;
}

template <class V, int N, bool Weighted>
void Elimination::flow(const Step& plan, const Likelihood* weights, const std::uint64_t* keys,
                       std::uint32_t begin, std::uint32_t end, Patience& patience) {
    V* coefficients = coefficient_buffer<V>().data();
    const double* ways = choose[plan.size];
    const Unpacked<N> step(plan);
    for (std::uint32_t s = begin; s < end; ++s) {
        const State from = states_[s];
        const V* in = coefficients + from.at;
        for (int i = 0; i < from.count; ++i) {
            const int k = from.least + i;
            const State& to = states_[targets_[from.first + i]];
            double factor = ways[k];
            if (Weighted && plan.closes_range)
                factor *= closing_weight<N>(step, plan, weights,
                                            keys + static_cast<std::int64_t>(s - begin) * N, k);
            V* out = coefficients + to.at + (from.low + k - to.low);
            for (std::int32_t m = 0; m < from.length; ++m) out[m] += factor * in[m];
        }
        patience.spend(static_cast<std::uint64_t>(from.count) *
                       static_cast<std::uint64_t>(from.length) * sizeof(V) / 8);
    }
}

bool Elimination::too_wide(const Limits& limits, std::uint32_t first_state) {
    const std::uint64_t bytes = state_count_ * sizeof(State) +
                                static_cast<std::uint64_t>(key_count_) * 8 + target_count_ * 4ull +
                                static_cast<std::uint64_t>(narrow_count_) * 8 +
                                static_cast<std::uint64_t>(wide_count_) * sizeof(Wide);
    widest_ = state_count_ - first_state;
    return widest_ > limits.states || bytes > limits.bytes || state_count_ > 4'000'000'000u ||
           target_count_ > 4'000'000'000u;
}

// Roundings that a step adds to any coefficient: one for the factor, one for every transition into
// a state but the first. With exact constraints only, each number of mines in the box comes from
// one state; a range that ends lets several in for the same number.
static double roundings(const Step& step, double transitions) {
    double into = step.size + 1.0;
    if (step.closes_range)
        for (int j = 0; j < step.constraint_count; ++j)
            if (step.closes[j] >= 0) into *= 9;
    return std::min(into, transitions) + (step.closes_range ? 2.0 * step.constraint_count : 0.0);
}

// First all states and transitions, then all polynomials: a region that is too wide is known to be
// before any of the dear part is done.
template <class V, int N, bool Weighted>
Status Elimination::forward_as(Trace& trace, const Likelihood* weights, const Limits& limits,
                               Patience& patience) {
    const std::uint32_t first_state = state_count_;
    const std::int64_t first_coefficient = coefficient_count<V>();
    const Status status = build<V, N>(trace, limits, patience);
    if (status != Status::fits) return status;
    const std::int64_t count = coefficient_count<V>();
    V* coefficients = coefficient_buffer<V>().need(count);
    std::fill(coefficients + first_coefficient, coefficients + count, V(0.0));
    coefficients[first_coefficient] = V(1.0);
    for (std::int32_t i = 0; i < trace.step_count; ++i) {
        const Step& step = steps_[trace.first_step + i];
        const std::uint32_t begin = step.first_state,
                            end = i + 1 < trace.step_count
                                      ? steps_[trace.first_step + i + 1].first_state
                                      : trace.end_state;
        flow<V, N, Weighted>(
            step, weights,
            keys_.data() + trace.first_key + static_cast<std::int64_t>(begin - first_state) * N,
            begin, end, patience);
    }
    return Status::fits;
}

// Makes the states and transitions of all layers.
template <class V, int N>
Status Elimination::build(Trace& trace, const Limits& limits, Patience& patience) {
    const std::uint32_t first_state = state_count_;
    trace.first_key = key_count_;
    trace.forward_depth = 0;
    keys_.need(key_count_ + N);
    for (int w = 0; w < N; ++w) keys_[key_count_ + w] = 0;
    states_.need(std::size_t{state_count_} + 1);
    states_[state_count_++] = State{coefficient_count<V>()++, 0, 1, 0, 0, 0};
    std::uint32_t begin = first_state;
    for (std::int32_t i = 0; i < trace.step_count; ++i) {
        Step& step = steps_[trace.first_step + i];
        const std::uint32_t end = state_count_, targets = target_count_;
        step.first_state = begin;
        if (!expand<N>(step, trace, first_state, begin, end, limits, patience))
            return Status::too_wide;
        if (state_count_ == end) return Status::contradiction;
        place<V>(end);
        if (too_wide(limits, first_state)) return Status::too_wide;
        trace.forward_depth += roundings(step, target_count_ - targets);
        begin = end;
    }
    key_count_ += static_cast<std::int64_t>(state_count_ - first_state) * N;
    trace.end_state = begin;
    trace.polynomial = Polynomial{states_[begin].at, states_[begin].low, states_[begin].length};
    return Status::fits;
}

// The adjoints of the layer after a step, and those of the layer before it, which are filled in.
template <class V>
struct Elimination::Pull {
    const V* coefficients;
    const V* ahead;
    std::int64_t ahead_base;
    V* here;
    std::int64_t base;
};

// One state of a step backwards: its adjoint from those that it leads to, and its share of the
// mines and of the safe cells in the box.
template <class V, bool Weighted, class Unpacked>
void Elimination::pull(const Pull<V>& pulled, const Step& plan, const Unpacked& step,
                       const std::uint64_t* key, const Likelihood* weights, std::uint32_t s,
                       V& mines, V& safe) const {
    const State& from = states_[s];
    const V* reached = pulled.coefficients + from.at;
    V* adjoint = pulled.here + (from.at - pulled.base);
    for (int t = 0; t < from.count; ++t) {
        const int k = from.least + t;
        const State& to = states_[targets_[from.first + t]];
        double factor = choose[plan.size][k];
        if (Weighted && plan.closes_range) factor *= closing_weight(step, plan, weights, key, k);
        const V* ahead = pulled.ahead + (to.at - pulled.ahead_base) + (from.low + k - to.low);
        V dot(0.0);
        for (std::int32_t m = 0; m < from.length; ++m) {
            const V term = factor * ahead[m];
            adjoint[m] += term;
            dot += reached[m] * term;
        }
        if (k > 0) mines += static_cast<double>(k) * dot;
        if (k < plan.size) safe += static_cast<double>(plan.size - k) * dot;
    }
}

template <class V, int N, bool Weighted>
void Elimination::backward_as(Trace& trace, const Likelihood* weights, const V* weight,
                              Share* shares, Patience& patience) {
    const std::uint32_t first_state = steps_[trace.first_step].first_state;
    std::copy(weight, weight + trace.polynomial.length,
              adjoint_buffer<V>(0).need(trace.polynomial.length));
    const auto key_of = [&](std::uint32_t s) {
        return keys_.data() + trace.first_key + static_cast<std::int64_t>(s - first_state) * N;
    };
    std::uint32_t end = trace.end_state;
    double terms = 0;
    int next = 0;
    for (std::int32_t i = trace.step_count - 1; i >= 0; --i, next = 1 - next) {
        const Step& plan = steps_[trace.first_step + i];
        const Unpacked<N> step(plan);
        const std::uint32_t begin = plan.first_state;
        const std::int64_t base = states_[begin].at, next_base = states_[end].at;
        V* here = adjoint_buffer<V>(1 - next).need(next_base - base);
        std::fill(here, here + (next_base - base), V(0.0));
        const Pull<V> pulled{coefficient_buffer<V>().data(), adjoint_buffer<V>(next).data(),
                             next_base, here, base};
        V mines(0.0), safe(0.0);
        for (std::uint32_t first = begin; first < end; first += block) {
            V some_mines(0.0), some_safe(0.0);
            for (std::uint32_t s = first; s < std::min(first + block, end); ++s)
                pull<V, Weighted>(pulled, plan, step, Weighted ? key_of(s) : nullptr, weights, s,
                                  some_mines, some_safe);
            mines += some_mines;
            safe += some_safe;
            patience.spend(8 * std::min(block, end - first));
        }
        patience.spend(4 * static_cast<std::uint64_t>(next_base - base) * sizeof(V) / 8);
        terms = std::max(terms, 9.0 * std::min(block, end - begin) + (end - begin) / block);
        shares[plan.box] = share_of(mines, safe);
        end = begin;
    }
    trace.backward_depth = trace.forward_depth + trace.polynomial.length + terms + 4;
}

Status Elimination::forward(Trace& trace, const Likelihood* weights, const Limits& limits,
                            Patience& patience) {
    if (trace.words > 16) {  // more than 256 constraints open at once
        widest_ = limits.states + 1;
        return Status::too_wide;
    }
    return with_words(trace.words, [&](auto words) {
        constexpr int N = decltype(words)::value;
        if (trace.wide)
            return weights ? forward_as<Wide, N, true>(trace, weights, limits, patience)
                           : forward_as<Wide, N, false>(trace, weights, limits, patience);
        return weights ? forward_as<double, N, true>(trace, weights, limits, patience)
                       : forward_as<double, N, false>(trace, weights, limits, patience);
    });
}

void Elimination::backward(Trace& trace, const Likelihood* weights, const double* weight,
                           Share* shares, Patience& patience) {
    with_words(trace.words, [&](auto words) {
        constexpr int N = decltype(words)::value;
        if (weights)
            backward_as<double, N, true>(trace, weights, weight, shares, patience);
        else
            backward_as<double, N, false>(trace, weights, weight, shares, patience);
    });
}

void Elimination::backward(Trace& trace, const Likelihood* weights, const Wide* weight,
                           Share* shares, Patience& patience) {
    with_words(trace.words, [&](auto words) {
        constexpr int N = decltype(words)::value;
        if (weights)
            backward_as<Wide, N, true>(trace, weights, weight, shares, patience);
        else
            backward_as<Wide, N, false>(trace, weights, weight, shares, patience);
    });
}

}  // namespace mines
