#include "sweep.hpp"

#include <algorithm>
#include <cstring>

namespace mines {

namespace {

constexpr int slots_per_word = 16;
constexpr std::uint64_t work_between_questions = 4'000'000;

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

int words_for(int slots) {
    const int words = (slots + slots_per_word - 1) / slots_per_word;
    return words <= 1 ? 1 : words <= 2 ? 2 : words <= 4 ? 4 : words <= 16 ? 16 : words;
}

double quotient(double part, double rest) {
    return part / (part + rest);
}
double quotient(const Wide& part, const Wide& rest) {
    return part.over(part + rest);
}

}  // namespace

template <>
Buffer<double>& Sweep::coefficient_buffer<double>() {
    return narrow_;
}
template <>
Buffer<Wide>& Sweep::coefficient_buffer<Wide>() {
    return wide_;
}
template <>
std::int64_t& Sweep::coefficient_count<double>() {
    return narrow_count_;
}
template <>
std::int64_t& Sweep::coefficient_count<Wide>() {
    return wide_count_;
}
template <>
Buffer<double>& Sweep::adjoint_buffer<double>(int i) {
    return narrow_adjoint_[i];
}
template <>
Buffer<Wide>& Sweep::adjoint_buffer<Wide>(int i) {
    return wide_adjoint_[i];
}

void Sweep::reset() {
    step_count_ = 0;
    state_count_ = target_count_ = 0;
    key_count_ = narrow_count_ = wide_count_ = 0;
}

void Sweep::trim(std::size_t bytes) {
    steps_.trim(bytes), states_.trim(bytes), keys_.trim(bytes), targets_.trim(bytes);
    if (table_.bytes() > bytes) table_.trim(bytes), table_bits_ = 0;
    narrow_.trim(bytes), wide_.trim(bytes);
    for (int i = 0; i < 2; ++i) narrow_adjoint_[i].trim(bytes), wide_adjoint_[i].trim(bytes);
}

void Sweep::drop_forward_scratch() {
    table_.trim(0), keys_.trim(0);
    table_bits_ = 0;
}

std::size_t Sweep::bytes() const {
    return steps_.bytes() + states_.bytes() + keys_.bytes() + targets_.bytes() + table_.bytes() +
           narrow_.bytes() + wide_.bytes() + narrow_adjoint_[0].bytes() +
           narrow_adjoint_[1].bytes() + wide_adjoint_[0].bytes() + wide_adjoint_[1].bytes();
}

void Sweep::relabel(const Trace& trace, const std::int32_t* number) {
    for (std::int32_t i = 0; i < trace.step_count; ++i) {
        std::int32_t& box = steps_[trace.first_step + i].box;
        box = number[box];
    }
}

void Sweep::plan(const Frontier& frontier, const Region& region, Trace& trace) {
    trace.first_step = step_count_;
    trace.step_count = region.box_count;
    slots_.need(frontier.constraint_count);
    free_slots_.need(region.constraint_count + 1);
    cells_left_.need(frontier.constraint_count);
    for (std::int32_t i = 0; i < region.constraint_count; ++i) {
        const std::int32_t c = frontier.region_constraints[region.first_constraint + i];
        cells_left_[c] = frontier.constraints[c].cells;
    }
    int free_count = 0, slots = 0;
    Step* step = steps_.need(step_count_ + region.box_count) + step_count_;
    for (std::int32_t i = 0; i < region.box_count; ++i, ++step) {
        step->box = frontier.region_boxes[region.first_box + i];
        const Box& box = frontier.boxes[step->box];
        step->size = static_cast<std::uint8_t>(box.size);
        step->constraint_count = static_cast<std::uint8_t>(box.constraint_count);
        step->closes_range = false;
        for (int j = 0; j < box.constraint_count; ++j) {
            const std::int32_t id = box.constraints[j];
            const Constraint& c = frontier.constraints[id];
            const bool opens = cells_left_[id] == c.cells;
            if (opens)
                slots_[id] = static_cast<std::uint16_t>(free_count > 0 ? free_slots_[--free_count]
                                                                       : slots++);
            cells_left_[id] = static_cast<std::int8_t>(cells_left_[id] - box.size);
            step->slot[j] = slots_[id];
            step->high[j] = c.high;
            step->opens[j] = opens ? c.high : std::int8_t{-1};
            step->limit[j] = static_cast<std::int8_t>(cells_left_[id] + c.high - c.low);
            const bool range_ends = cells_left_[id] == 0 && c.high != c.low;
            step->closes[j] = range_ends ? id : -1;
            step->closes_range |= range_ends;
        }
        for (int j = 0; j < box.constraint_count; ++j)
            if (cells_left_[box.constraints[j]] == 0) free_slots_[free_count++] = step->slot[j];
    }
    step_count_ += region.box_count;
    trace.words = words_for(slots);
}

template <int N>
void Sweep::rebuild_table(const std::uint64_t* keys, std::uint32_t layer) {
    table_bits_ = table_bits_ == 0 ? 8 : table_bits_ + 1;
    const std::size_t size = std::size_t{1} << table_bits_;
    std::memset(table_.need(size), 0, size * sizeof(std::uint64_t));
    generation_ = 1;
    const std::uint32_t end = state_count_;
    state_count_ = layer;
    while (state_count_ < end) {
        const std::uint64_t* key = keys + static_cast<std::int64_t>(state_count_ - layer) * N;
        find_or_add<N>(key, const_cast<std::uint64_t*>(keys), layer);
    }
}

// The state of the newest layer (which starts at `layer`, its keys at `keys`) that has this key.
template <int N>
std::uint32_t Sweep::find_or_add(const std::uint64_t* key, std::uint64_t* keys,
                                 std::uint32_t layer) {
    if ((static_cast<std::uint64_t>(state_count_ - layer) << 1) >> table_bits_ != 0 ||
        table_bits_ == 0)
        rebuild_table<N>(keys, layer);
    std::uint64_t hash = key[0];
    for (int w = 1; w < N; ++w) hash = (hash ^ hash >> 29) * 0xBF58476D1CE4E5B9u + key[w];
    hash *= 0x9E3779B97F4A7C15u;
    const std::uint32_t mask = (std::uint32_t{1} << table_bits_) - 1;
    for (std::uint32_t slot = static_cast<std::uint32_t>(hash >> (64 - table_bits_));;
         slot = (slot + 1) & mask) {
        const std::uint64_t entry = table_[slot];
        if (entry >> 32 != generation_) {
            table_[slot] = static_cast<std::uint64_t>(generation_) << 32 | state_count_;
            std::uint64_t* fresh = keys + static_cast<std::int64_t>(state_count_ - layer) * N;
            for (int w = 0; w < N; ++w) fresh[w] = key[w];
            return state_count_++;
        }
        const std::uint32_t state = static_cast<std::uint32_t>(entry);
        const std::uint64_t* known = keys + static_cast<std::int64_t>(state - layer) * N;
        bool equal = true;
        for (int w = 0; w < N; ++w) equal &= known[w] == key[w];
        if (equal) return state;
    }
}

// Makes the layer after `step` from the layer [begin, end): states, transitions, supports.
// False: too many.
template <int N>
bool Sweep::expand(const Step& plan, const Trace& trace, std::uint32_t first_state,
                   std::uint32_t begin, std::uint32_t end, const Limits& limits) {
    const Unpacked<N> step(plan);
    if (++generation_ == 0) table_bits_ = 0;
    for (std::uint32_t s = begin; s < end; ++s) {
        if (state_count_ - first_state > limits.states && too_wide(limits, first_state)) return false;
        states_.need(std::size_t{state_count_} + 9);
        targets_.need(std::size_t{target_count_} + 9);
        std::uint64_t* keys =
            keys_.need(trace.first_key + (std::int64_t{state_count_} - first_state + 10) * N) +
            trace.first_key;
        std::uint64_t* layer_keys = keys + static_cast<std::int64_t>(end - first_state) * N;
        const std::uint64_t* key = keys + static_cast<std::int64_t>(s - first_state) * N;
        int least = 0, most = step.size;
        for (int j = 0; j < step.count; ++j) {
            const int residual = step.residual(key, j);
            most = std::min(most, residual);
            least = std::max(least, residual - step.limit[j]);
        }
        State& from = states_[s];
        from.first = target_count_;
        from.least = static_cast<std::uint8_t>(least);
        from.count = static_cast<std::uint8_t>(most < least ? 0 : most - least + 1);
        for (int k = least; k <= most; ++k) {
            std::uint64_t next[N];
            for (int w = 0; w < N; ++w)
                next[w] = (key[w] + step.open[w] - static_cast<std::uint64_t>(k) * step.delta[w]) &
                          step.keep[w];
            const std::uint32_t before = state_count_;
            const std::uint32_t t = find_or_add<N>(next, layer_keys, end);
            targets_[target_count_++] = t;
            State& to = states_[t];
            const std::int32_t low = from.low + k, high = low + from.length;
            if (t == before) {
                to.low = low;
                to.length = high;  // one past the highest, until place()
            } else {
                to.low = std::min(to.low, low);
                to.length = std::max(to.length, high);
            }
        }
    }
    return true;
}

// Gives the states of the newest layer their polynomials, all zero.
template <class V>
void Sweep::place(std::uint32_t layer) {
    std::int64_t& count = coefficient_count<V>();
    const std::int64_t first = count;
    for (std::uint32_t s = layer; s < state_count_; ++s) {
        states_[s].length -= states_[s].low;
        states_[s].at = count;
        count += states_[s].length;
    }
    V* coefficients = coefficient_buffer<V>().need(count);
    std::fill(coefficients + first, coefficients + count, V(0.0));
}

template <class V, int N, bool Weighted>
void Sweep::flow(const Step& plan, const Likelihood* weights, const std::uint64_t* keys,
                 std::uint32_t begin, std::uint32_t end) {
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
    }
}

bool Sweep::too_wide(const Limits& limits, std::uint32_t first_state) {
    const std::uint64_t bytes = state_count_ * sizeof(State) +
                                static_cast<std::uint64_t>(key_count_) * 8 + target_count_ * 4ull +
                                static_cast<std::uint64_t>(narrow_count_) * 8 +
                                static_cast<std::uint64_t>(wide_count_) * sizeof(Wide);
    widest_ = state_count_ - first_state;
    return widest_ > limits.states || bytes > limits.bytes || state_count_ > 4'000'000'000u ||
           target_count_ > 4'000'000'000u;
}

bool Sweep::asked_to_stop(const Interrupt& interrupt, std::uint64_t work) {
    since_asked_ += work;
    if (since_asked_ < work_between_questions || interrupt.asked == nullptr) return false;
    since_asked_ = 0;
    return interrupt.asked(interrupt.context);
}

template <class V, int N, bool Weighted>
Status Sweep::forward_as(Trace& trace, const Likelihood* weights, const Limits& limits) {
    const std::uint32_t first_state = state_count_;
    trace.first_key = key_count_;
    keys_.need(key_count_ + N);
    for (int w = 0; w < N; ++w) keys_[key_count_ + w] = 0;
    states_.need(std::size_t{state_count_} + 1);
    states_[state_count_++] = State{coefficient_count<V>(), 0, 1, 0, 0, 0};
    coefficient_buffer<V>().need(coefficient_count<V>() + 1)[coefficient_count<V>()] = V(1.0);
    ++coefficient_count<V>();
    std::uint32_t begin = first_state;
    for (std::int32_t i = 0; i < trace.step_count; ++i) {
        Step& step = steps_[trace.first_step + i];
        const std::uint32_t end = state_count_;
        step.first_state = begin;
        if (!expand<N>(step, trace, first_state, begin, end, limits)) return Status::too_wide;
        if (state_count_ == end) return Status::contradiction;
        const std::int64_t before = coefficient_count<V>();
        place<V>(end);
        if (too_wide(limits, first_state)) return Status::too_wide;
        flow<V, N, Weighted>(
            step, weights,
            keys_.data() + trace.first_key + static_cast<std::int64_t>(begin - first_state) * N,
            begin, end);
        begin = end;
        if (asked_to_stop(limits.interrupt, coefficient_count<V>() - before))
            return Status::interrupted;
    }
    key_count_ += static_cast<std::int64_t>(state_count_ - first_state) * N;
    trace.end_state = begin;
    trace.polynomial = Polynomial{states_[begin].at, states_[begin].low, states_[begin].length};
    return Status::fits;
}

template <class V, int N, bool Weighted>
void Sweep::backward_as(const Trace& trace, const Likelihood* weights, const V* weight,
                        Share* shares) {
    const V* coefficients = coefficient_buffer<V>().data();
    const std::uint32_t first_state = steps_[trace.first_step].first_state;
    int next = 0;
    std::copy(weight, weight + trace.polynomial.length,
              adjoint_buffer<V>(0).need(trace.polynomial.length));
    std::uint32_t end = trace.end_state;
    for (std::int32_t i = trace.step_count - 1; i >= 0; --i, next = 1 - next) {
        const Step& plan = steps_[trace.first_step + i];
        const Unpacked<N> step(plan);
        const std::uint32_t begin = plan.first_state;
        const std::int64_t base = states_[begin].at, next_base = states_[end].at;
        V* here = adjoint_buffer<V>(1 - next).need(next_base - base);
        std::fill(here, here + (next_base - base), V(0.0));
        V mines(0.0), safe(0.0);
        for (std::uint32_t s = begin; s < end; ++s) {
            const State from = states_[s];
            for (int t = 0; t < from.count; ++t) {
                const int k = from.least + t;
                const State& to = states_[targets_[from.first + t]];
                double factor = choose[plan.size][k];
                if (Weighted && plan.closes_range)
                    factor *= closing_weight<N>(step, plan, weights,
                                                keys_.data() + trace.first_key +
                                                    static_cast<std::int64_t>(s - first_state) * N,
                                                k);
                const V* ahead =
                    adjoint_buffer<V>(next).data() + (to.at - next_base) + (from.low + k - to.low);
                const V* reached = coefficients + from.at;
                V* adjoint = here + (from.at - base);
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
        const Verdict verdict = is_zero(mines)  ? Verdict::safe
                                : is_zero(safe) ? Verdict::mine
                                                : Verdict::open;
        shares[plan.box] = Share{verdict == Verdict::safe   ? 0.0
                                 : verdict == Verdict::mine ? 1.0
                                                            : quotient(mines, safe),
                                 verdict};
        end = begin;
    }
}

namespace {

// Calls visit(integral_constant<int, N>) for the number of words.
template <class Visit>
auto with_words(int words, Visit visit) {
    switch (words) {
        case 1: return visit(std::integral_constant<int, 1>());
        case 2: return visit(std::integral_constant<int, 2>());
        case 4: return visit(std::integral_constant<int, 4>());
        default: return visit(std::integral_constant<int, 16>());
    }
}

}  // namespace

Status Sweep::forward(Trace& trace, const Likelihood* weights, const Limits& limits) {
    if (trace.words > 16) {  // more than 256 constraints open at once
        widest_ = limits.states + 1;
        return Status::too_wide;
    }
    trace.weighted = weights != nullptr;
    return with_words(trace.words, [&](auto words) {
        constexpr int N = decltype(words)::value;
        if (trace.wide)
            return weights ? forward_as<Wide, N, true>(trace, weights, limits)
                           : forward_as<Wide, N, false>(trace, weights, limits);
        return weights ? forward_as<double, N, true>(trace, weights, limits)
                       : forward_as<double, N, false>(trace, weights, limits);
    });
}

void Sweep::backward(const Trace& trace, const Likelihood* weights, const double* weight,
                     Share* shares) {
    with_words(trace.words, [&](auto words) {
        constexpr int N = decltype(words)::value;
        if (weights)
            backward_as<double, N, true>(trace, weights, weight, shares);
        else
            backward_as<double, N, false>(trace, weights, weight, shares);
    });
}

void Sweep::backward(const Trace& trace, const Likelihood* weights, const Wide* weight,
                     Share* shares) {
    with_words(trace.words, [&](auto words) {
        constexpr int N = decltype(words)::value;
        if (weights)
            backward_as<Wide, N, true>(trace, weights, weight, shares);
        else
            backward_as<Wide, N, false>(trace, weights, weight, shares);
    });
}

}  // namespace mines
