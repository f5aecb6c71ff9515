#include "counting/elimination.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "counting/exact_cover.hpp"

namespace mines {

namespace {

constexpr int few_bits = 4, many_bits = 8;  // of a residual
constexpr std::uint32_t block = 1024;  // states; shares are summed in blocks, for fewer roundings
constexpr std::uint64_t whole_share =
    4;  // a trace keeps all coefficients if they fit into 1/4 of Limits::bytes
constexpr std::int64_t least_part = 1 << 20;   // coefficients of a part, at least …
constexpr std::int64_t part_per_layer = 6;     // … and this many times those of the next kept layer
constexpr std::uint64_t bytes_per_state = 28;  // at least: a state and one transition
constexpr std::uint32_t states_to_judge_by = 8'000'000;  // states before a forecast may end a count
constexpr double forecast_slack = 4;  // a forecast above this many times the limit ends a count

// A table of the binary logarithms of small whole numbers.
struct Logarithms {
    float of[largest_box + 2];

    Logarithms() {
        of[0] = 0;
        for (int n = 1; n < largest_box + 2; ++n) of[n] = std::log2(static_cast<float>(n));
    }
};
const Logarithms log2;

// A step for keys of N words: the word and shift of each residual, and the changes to a key.
template <int N>
struct Unpacked {
    int count, size;
    std::uint64_t mask;  // of a residual
    int word[most_neighbours], shift[most_neighbours], limit[most_neighbours];
    std::uint64_t open[N], delta[N], keep[N];

    Unpacked(const Step& step, const Link* links, int bits)
        : count(step.constraint_count), size(step.size), mask((std::uint64_t{1} << bits) - 1) {
        static_assert(few_bits == 4 && many_bits == 8, "slots of a word: 16 or 8");
        const int slot_bits = bits == few_bits ? 4 : 3;  // a division takes longer than a shift
        for (int w = 0; w < N; ++w) open[w] = delta[w] = 0, keep[w] = ~std::uint64_t{0};
        for (int j = 0; j < count; ++j) {
            const Link& link = links[j];
            word[j] = N == 1 ? 0 : link.slot >> slot_bits;
            shift[j] = bits * (link.slot & ((1 << slot_bits) - 1));
            limit[j] = link.limit;
            delta[word[j]] |= std::uint64_t{1} << shift[j];
            if (link.opens >= 0)
                open[word[j]] |= static_cast<std::uint64_t>(link.opens) << shift[j];
            if (link.closes >= 0) keep[word[j]] &= ~(mask << shift[j]);
        }
    }
    int residual(const std::uint64_t* key, int j) const {
        return static_cast<int>((key[word[j]] + open[word[j]]) >> shift[j] & mask);
    }
    // The least and the most mines that the box can take in the state with this key.
    std::pair<int, int> mines_possible(const std::uint64_t* key) const {
        int least = 0, most = size;
        for (int j = 0; j < count; ++j) {
            const int left = residual(key, j);
            most = std::min(most, left);
            least = std::max(least, left - limit[j]);
        }
        return {least, most};
    }
    // Computes the key of the state after the box has taken k mines.
    void after(const std::uint64_t* key, int k, std::uint64_t* next) const {
        for (int j = 0; j < count; ++j)  // no residual may borrow from its neighbour
            assert(residual(key, j) >= k && residual(key, j) - k <= limit[j]);
        for (int w = 0; w < N; ++w)
            next[w] = (key[w] + open[w] - static_cast<std::uint64_t>(k) * delta[w]) & keep[w];
    }
};

// The weight of k mines in the box: the product of the likelihoods of the constraints with
// low < high that end with this step.
template <int N>
double closing_weight(const Unpacked<N>& step, const Link* links, const Likelihoods& weights,
                      const std::uint64_t* key, int k) {
    double product = 1;
    for (int j = 0; j < step.count; ++j)
        if (links[j].closes >= 0)
            product *= weights.of(links[j].closes)[links[j].high - (step.residual(key, j) - k)];
    return product;
}

template <class V>
Share share_of(const V& mines, const V& safe) {
    assert(!is_zero(mines) || !is_zero(safe));  // some layout fits
    if (is_zero(mines)) return {0.0, Verdict::safe};
    if (is_zero(safe)) return {1.0, Verdict::mine};
    return {ratio(mines, mines + safe), Verdict::open};
}

}  // namespace

void Elimination::reset() {
    used_ = Used{};
    widest_layer_ = 0;
}

void Elimination::trim(std::size_t bytes) {
    steps_.trim(bytes), links_.trim(bytes), states_.trim(bytes), keys_.trim(bytes);
    targets_.trim(bytes);
    table_.trim(bytes), narrow_.trim(bytes), wide_.trim(bytes);
}

void Elimination::drop_forward_scratch() {
    table_.trim(0), keys_.trim(0);
}

std::size_t Elimination::bytes() const {
    return steps_.bytes() + links_.bytes() + states_.bytes() + keys_.bytes() + targets_.bytes() +
           table_.bytes() + narrow_.bytes() + wide_.bytes();
}

void Elimination::relabel(const Trace& trace, const std::int32_t* number) {
    for (std::int32_t i = 0; i < trace.step_count; ++i) {
        std::int32_t& box = steps_[trace.first_step + i].box;
        box = number[box];
    }
}

// Returns the effect of a box of `size` cells on a constraint.
//
// When an exact constraint ends, `limit` is 0. So its residual is 0, and its slot need not be
// cleared for the next constraint. A constraint with low < high may end with a residual above 0.
Link Elimination::link(const Constraint& c, std::int32_t id, int size) {
    assert(c.low >= 0 && c.low <= c.high && c.high <= c.cells && c.cells <= most_neighbours);
    assert(cells_left_[id] >= size);
    const bool opens = cells_left_[id] == c.cells;
    if (opens) slot_of_[id] = static_cast<std::uint16_t>(slots_.take());
    const std::int8_t left = cells_left_[id] = static_cast<std::int8_t>(cells_left_[id] - size);
    Link made;
    made.closes = left == 0 && c.high != c.low ? id : -1;
    made.slot = slot_of_[id];
    made.limit = static_cast<std::int16_t>(left + c.high - c.low);
    made.opens = opens ? c.high : std::int8_t{-1};
    made.high = c.high;
    return made;
}

void Elimination::plan(const Frontier& frontier, const Region& region, Trace& trace) {
    slot_of_.need(frontier.constraint_count);
    slots_.begin(region.constraint_count);
    cells_left_.need(frontier.constraint_count);
    Step* step = steps_.need(used_.steps + region.box_count) + used_.steps;
    int most = 0;
    for (const std::int32_t c : frontier.constraints_in(region)) {
        cells_left_[c] = frontier.constraints[c].cells;
        most = std::max<int>(most, frontier.constraints[c].high);
    }
    trace.residual_bits = most >> few_bits == 0 ? few_bits : many_bits;
    if (trace.counting == Counting::outside_exact)
        trace.known_mines = split_off_exact(frontier, frontier.constraints_in(region),
                                            counted_.need(frontier.box_count));
    for (std::int32_t i = 0; i < region.box_count; ++i, ++step) {
        step->box = frontier.region_boxes[region.first_box + i];
        const Box& box = frontier.boxes[step->box];
        step->size = static_cast<std::uint8_t>(box.size);
        step->constraint_count = static_cast<std::uint8_t>(box.constraint_count);
        step->closes_range = false;
        step->counted = trace.counting == Counting::all ||
                        (trace.counting == Counting::outside_exact && counted_[step->box] != 0);
        step->bound = step->peak = 0;
        step->first_link = used_.links;
        links_.need(used_.links + box.constraint_count);
        for (const std::int32_t c : frontier.constraints_of(box)) {
            const Link made = links_[used_.links++] = link(frontier.constraints[c], c, box.size);
            step->closes_range |= made.closes >= 0;
        }
        for (const std::int32_t c : frontier.constraints_of(box))
            if (cells_left_[c] == 0) slots_.give_back(slot_of_[c]);
    }
    if (trace.counting != Counting::all) bound_states(frontier, step - region.box_count, step);
    assert(slots_.count() <= UINT16_MAX);
    trace.first_step = used_.steps;
    trace.step_count = region.box_count;
    const int slots_per_word = 64 / trace.residual_bits;
    trace.words = words_for((slots_.count() + slots_per_word - 1) / slots_per_word);
    used_.steps += region.box_count;
}

// Computes a bound on the number of states after each of these steps: the product, over all open
// constraints, of how many values their residuals can have.
void Elimination::bound_states(const Frontier& frontier, Step* first, Step* last) {
    range_.need(frontier.constraint_count);
    float bound = 0;
    for (Step* step = first; step < last; ++step) {
        const Link* link = links_of(*step);
        for (const std::int32_t id : frontier.constraints_of(step->box)) {
            const Constraint& c = frontier.constraints[id];
            const int left = link->limit - (c.high - c.low), done = c.cells - left;
            const int most = std::min<int>(c.high, link->limit), least = c.high - done;
            const float range = log2.of[left == 0 ? 1 : std::max(1, most - std::max(0, least) + 1)];
            bound += link->opens >= 0 ? range : range - range_[id];
            range_[id] = range;
            ++link;
        }
        step->bound = bound;
    }
    for (Step* step = last; step-- > first;) step->peak = bound = std::max(bound, step->bound);
}

// Widens the support of the state `target` by a transition into it (the first one if `fresh`).
void Elimination::reach(const State& from, int counted, std::uint32_t target, bool fresh) {
    State& to = states_[target];
    const std::int32_t low = from.low + counted, high = low + from.length;
    to.low = fresh ? low : std::min(to.low, low);
    to.length = fresh ? high : std::max(to.length, high);
}

// Makes the layer after `step` from the layer [begin, end): states, transitions, supports.
// False: there are too many states.
template <int N>
bool Elimination::expand(const Step& plan, const Trace& trace, const Growth& growth,
                         std::uint32_t begin, std::uint32_t end, const Limits& limits,
                         Patience& patience) {
    const Unpacked<N> step(plan, links_of(plan), trace.residual_bits);
    const std::uint32_t first_key = growth.first_key_state;
    table_.begin_layer();
    for (std::uint32_t s = begin; s < end; ++s) {
        if (used_.states - growth.first_state > limits.states || (s & 1023) == 0) {
            widest_layer_ = std::max(widest_layer_, used_.states - end);
            if (too_wide(limits, growth.first_state,
                         std::uint64_t{used_.states - first_key} * N * sizeof(std::uint64_t)))
                return false;
        }
        const std::size_t more = plan.size + std::size_t{1};  // the most transitions of this state
        states_.need(used_.states + more);
        targets_.need(used_.targets + more);
        const std::size_t key_room = used_.states - first_key + more + 1;
        std::uint64_t* keys = keys_.need(trace.first_key + key_room * N) + trace.first_key;
        std::uint64_t* layer_keys = keys + static_cast<std::int64_t>(end - first_key) * N;
        const std::uint64_t* key = keys + static_cast<std::int64_t>(s - first_key) * N;
        const auto [least, most] = step.mines_possible(key);
        State& from = states_[s];
        from.first = used_.targets;
        from.least = static_cast<std::uint8_t>(least);
        from.count = static_cast<std::uint8_t>(most < least ? 0 : most - least + 1);
        for (int k = least; k <= most; ++k) {
            std::uint64_t next[N];
            step.after(key, k, next);
            std::uint32_t count = used_.states - end;
            const std::uint32_t target = end + table_.find_or_add<N>(next, layer_keys, count);
            const bool fresh = target == used_.states;
            used_.states = end + count;
            targets_[used_.targets++] = target;
            reach(from, plan.counted ? k : 0, target, fresh);
        }
        patience.spend(32 * N);
    }
    widest_layer_ = std::max(widest_layer_, used_.states - end);
    return true;
}

// Gives the polynomials of the newest layer their places among the coefficients. `layer` is the
// number of the first state of that layer.
void Elimination::place(std::uint32_t layer, std::int64_t first_coefficient, Growth& growth) {
    const std::int64_t before = growth.coefficients;
    for (std::uint32_t s = layer; s < used_.states; ++s) {
        states_[s].length -= states_[s].low;
        states_[s].at = first_coefficient + growth.coefficients;
        growth.coefficients += states_[s].length;
    }
    growth.widest_layer = std::max(growth.widest_layer, growth.coefficients - before);
}

// Begins a part with the layer before a step, unless the current part is still short. `layer` is
// the number of coefficients of that layer. Parts are long, so that the kept layers take a small
// share of the memory. But no part is much longer than necessary, because a whole part must fit
// into memory.
void Elimination::begin_part(std::int32_t step, std::int64_t layer, Growth& growth) {
    const std::int64_t part = growth.coefficients - layer - growth.part_begin;
    growth.longest_part = std::max(growth.longest_part, part + layer);
    if (step > 0 && (part < least_part || part < part_per_layer * layer)) return;
    growth.part_begin += part;
    growth.kept += layer;
    parts_.need(used_.parts + 1)[used_.parts] = Part{step, 0};
    ++used_.parts;
}

// The greatest count of numbers that are in memory at once: the adjoints of two layers, and all
// coefficients or, if `in_parts`, those of the kept layers and of the longest part.
std::int64_t Elimination::Growth::held(bool in_parts) const {
    return (in_parts ? kept + longest_part : coefficients) + 2 * widest_layer;
}

// The end of the layer before a step: one past the number of its last state.
std::uint32_t Elimination::layer_end(const Trace& trace, std::int32_t step) const {
    const bool last = step + 1 == trace.step_count;
    return last ? trace.end_state : steps_[trace.first_step + step + 1].first_state;
}

template <int N>
const std::uint64_t* Elimination::key_of(const Trace& trace, std::uint32_t state) const {
    const std::uint32_t first = steps_[trace.first_step].first_state;
    return keys_.data() + trace.first_key + static_cast<std::int64_t>(state - first) * N;
}

// The weight of k mines in a box, for every k.
struct Elimination::Ways {
    double of[largest_box + 1];

    Ways(const Step& step, double odds) {
        const double* const choose = choose_from(step.size);
        double weight = 1;
        for (int k = 0; k <= step.size; ++k, weight *= odds) of[k] = choose[k] * weight;
    }
};

// Computes the coefficients of the layer after a step from those of the layer before it.
template <class V, int N, bool Weighted>
void Elimination::flow(const Trace& trace, std::int32_t number, const Likelihoods& weights,
                       const Layers<V>& before, const Layers<V>& after, Patience& patience) {
    const Step& plan = steps_[trace.first_step + number];
    const Link* const links = links_of(plan);
    const Ways ways(plan, trace.odds);
    const Unpacked<N> step(plan, links, trace.residual_bits);
    const std::uint32_t end = layer_end(trace, number);
    for (std::uint32_t s = plan.first_state; s < end; ++s) {
        const State from = states_[s];
        const V* in = before.of(from);
        for (int i = 0; i < from.count; ++i) {
            const int k = from.least + i;
            const State& to = states_[targets_[from.first + i]];
            double factor = ways.of[k];
            if (Weighted && plan.closes_range)
                factor *= closing_weight<N>(step, links, weights, key_of<N>(trace, s), k);
            V* out = after.of(to) + (from.low + (plan.counted ? k : 0) - to.low);
            for (std::int32_t m = 0; m < from.length; ++m) out[m] += factor * in[m];
        }
        patience.spend(static_cast<std::uint64_t>(from.count) *
                       static_cast<std::uint64_t>(from.length) * sizeof(V) / 8);
    }
}

// The bytes that the traces since reset() need. The buffers may be larger, because they keep their
// memory for the next board. Their size must not count: it would make a small board too wide.
std::uint64_t Elimination::bytes_used() const {
    return used_.states * sizeof(State) + static_cast<std::uint64_t>(used_.keys) * 8 +
           used_.targets * 4ull + KeyTable::bytes_for(widest_layer_) +
           static_cast<std::uint64_t>(used_.narrow.all + used_.narrow.kept) * 8 +
           static_cast<std::uint64_t>(used_.wide.all + used_.wide.kept) * sizeof(Wide);
}

bool Elimination::too_wide(const Limits& limits, std::uint32_t first_state,
                           std::uint64_t more_bytes) {
    widest_ = used_.states - first_state;
    return widest_ > limits.states || bytes_used() + more_bytes > limits.bytes ||
           used_.states > 4'000'000'000u || used_.targets > 4'000'000'000u;
}

// A bound on the roundings that a step adds to any coefficient. The sum over the transitions into a
// state adds one for each transition except the first. The factor of a transition adds one; with
// odds, one more for each mine; in a large box, one more for the binomial; with noisy clues that
// end, two more for each clue.
//
// If all constraints that end are exact, at most one transition for each number of mines leads into
// a state. Each constraint with low < high that ends multiplies the number of such transitions by
// the number of residuals with which the constraint can end.
static double roundings(const Step& step, const Link* links, double odds, double transitions) {
    double into = step.size + 1.0;
    if (step.closes_range)
        for (int j = 0; j < step.constraint_count; ++j)
            if (links[j].closes >= 0) into *= links[j].limit + 1;
    return std::min(into, transitions) + (step.closes_range ? 2.0 * step.constraint_count : 0.0) +
           (odds != 1 ? step.size : 0.0) + (step.size > exact_binomials ? 1.0 : 0.0);
}

// First makes all states and transitions, then computes all polynomials. So a region that is too
// wide is refused before the expensive work.
template <class V, int N, bool Weighted>
Status Elimination::forward_as(Trace& trace, const Likelihoods& weights, const Limits& limits,
                               Patience& patience) {
    const std::int64_t first_coefficient = used_.values<V>().all;
    const Status status = build<V, N, Weighted>(trace, limits, patience);
    if (status != Status::fits) return status;
    if (trace.part_count == 0)
        forward_whole<V, N, Weighted>(trace, weights, patience);
    else
        forward_in_parts<V, N, Weighted>(trace, weights, first_coefficient, patience);
    return Status::fits;
}

template <class V, int N, bool Weighted>
void Elimination::forward_whole(const Trace& trace, const Likelihoods& weights,
                                Patience& patience) {
    const std::int64_t first = states_[steps_[trace.first_step].first_state].at;
    const std::int64_t count = used_.values<V>().all;
    V* coefficients = values<V>().all.need(count);
    std::fill(coefficients + first, coefficients + count, V(0.0));
    coefficients[first] = V(1.0);
    const Layers<V> layers{coefficients, 0};
    for (std::int32_t i = 0; i < trace.step_count; ++i)
        flow<V, N, Weighted>(trace, i, weights, layers, layers, patience);
}

// Computes the polynomial of the region with two layers of coefficients at a time, and keeps the
// layers at which parts begin. The polynomial gets the same place as in a trace without parts.
template <class V, int N, bool Weighted>
void Elimination::forward_in_parts(Trace& trace, const Likelihoods& weights,
                                   std::int64_t first_coefficient, Patience& patience) {
    std::int64_t at = states_[steps_[trace.first_step].first_state].at;
    V* before = values<V>().adjoint[0].need(1);
    before[0] = V(1.0);
    std::int32_t part = 0;
    for (std::int32_t i = 0; i < trace.step_count; ++i) {
        const std::uint32_t end = layer_end(trace, i);
        const std::int64_t next = states_[end].at;
        if (part < trace.part_count && parts_[trace.first_part + part].step == i) {
            std::int64_t& kept = used_.values<V>().kept;
            parts_[trace.first_part + part++].at = kept;
            std::copy(before, before + (next - at), values<V>().kept.need(kept + next - at) + kept);
            kept += next - at;
        }
        const std::uint32_t past = i + 1 < trace.step_count ? layer_end(trace, i + 1) : end + 1;
        const std::int64_t length =
            i + 1 < trace.step_count ? states_[past].at - next : trace.polynomial.length;
        V* after = values<V>().adjoint[(i + 1) % 2].need(length);
        std::fill(after, after + length, V(0.0));
        flow<V, N, Weighted>(trace, i, weights, Layers<V>{before, at}, Layers<V>{after, next},
                             patience);
        before = after;
        at = next;
    }
    std::copy(
        before, before + trace.polynomial.length,
        values<V>().all.need(first_coefficient + trace.polynomial.length) + first_coefficient);
    trace.polynomial.at = first_coefficient;
    used_.values<V>().all = first_coefficient + trace.polynomial.length;
}

// Forecasts whether there will be far too many states. A bound on the states is known for every
// layer. On the boards that were measured, the number of states grew like the square root of this
// bound. Because this is only a forecast, it may end a count only after states_to_judge_by states.
static bool forecast_too_wide(const Step& step, double states, const Limits& limits) {
    const double most = std::min(static_cast<double>(limits.states),
                                 static_cast<double>(limits.bytes / bytes_per_state));
    return std::log2(states) + (step.peak - step.bound) / 2 > std::log2(most * forecast_slack);
}

// Makes the states and transitions of all layers, and decides whether the trace is kept in parts.
template <class V, int N, bool Weighted>
Status Elimination::build(Trace& trace, const Limits& limits, Patience& patience) {
    Growth growth{used_.states, used_.states};
    const std::int64_t first_coefficient = used_.values<V>().all;
    trace.first_key = used_.keys;
    trace.forward_depth = 0;
    keys_.need(used_.keys + N);
    for (int w = 0; w < N; ++w) keys_[used_.keys + w] = 0;
    states_.need(std::size_t{used_.states} + 1);
    states_[used_.states++] = State{first_coefficient, 0, 1, 0, 0, 0};
    growth.coefficients = 1;
    trace.first_part = used_.parts;
    std::uint32_t begin = growth.first_state;
    const auto bytes = [&](bool in_parts) {
        return static_cast<std::uint64_t>(growth.held(in_parts)) * sizeof(V);
    };
    const auto in_parts = [&] { return bytes(false) > limits.bytes / whole_share; };
    std::int64_t layer = 0;  // number of coefficients before this layer
    for (std::int32_t i = 0; i < trace.step_count; ++i) {
        Step& step = steps_[trace.first_step + i];
        const std::uint32_t end = used_.states, targets = used_.targets;
        step.first_state = begin;
        begin_part(i, growth.coefficients - layer, growth);
        layer = growth.coefficients;
        if (!expand<N>(step, trace, growth, begin, end, limits, patience)) return Status::too_wide;
        if (used_.states == end) return Status::contradiction;
        place(end, first_coefficient, growth);
        if (too_wide(limits, growth.first_state, bytes(in_parts()))) return Status::too_wide;
        if (used_.states - growth.first_state > states_to_judge_by &&
            forecast_too_wide(step, used_.states - end, limits))
            return Status::too_wide;
        trace.forward_depth += roundings(step, links_of(step), trace.odds, used_.targets - targets);
        begin = end;
        if (!Weighted) {  // only the newest keys are still needed
            std::uint64_t* keys = keys_.data() + trace.first_key;
            std::memmove(keys, keys + static_cast<std::int64_t>(end - growth.first_key_state) * N,
                         static_cast<std::size_t>(used_.states - end) * N * sizeof(std::uint64_t));
            growth.first_key_state = end;
        }
    }
    if (Weighted) used_.keys += static_cast<std::int64_t>(used_.states - growth.first_state) * N;
    assert(used_.states == begin + 1);  // every constraint is closed, so there is one state
    trace.end_state = begin;
    trace.polynomial = Polynomial{states_[begin].at, trace.known_mines + states_[begin].low,
                                  states_[begin].length};
    if (in_parts()) {
        trace.part_count = used_.parts - trace.first_part;
    } else {
        used_.parts = trace.first_part;
        used_.values<V>().all = first_coefficient + growth.coefficients;
    }
    return Status::fits;
}

// The layers of a step of the backward pass. `reached` has the coefficients of the layer before the
// step. `ahead` has the adjoints of the layer after the step, and `here` gets the adjoints of the
// layer before it. The adjoint of a state has, for each coefficient m of the state, the weight of
// all ways to go on from the state if m mines were counted so far.
template <class V>
struct Elimination::Pull {
    Layers<V> reached, ahead, here;
};

// Computes the adjoint of state s from the adjoints of the states that s leads to. Also adds, for
// each layout through s, its weight times the mines in the box to `mines`, and its weight times the
// safe cells in the box to `safe`.
template <class V, bool Weighted, class Unpacked>
void Elimination::pull(const Pull<V>& pulled, const Step& plan, const Unpacked& step,
                       const Ways& ways, const std::uint64_t* key, const Likelihoods& weights,
                       std::uint32_t s, V& mines, V& safe) const {
    const State& from = states_[s];
    const V* reached = pulled.reached.of(from);
    V* adjoint = pulled.here.of(from);
    for (int t = 0; t < from.count; ++t) {
        const int k = from.least + t;
        const State& to = states_[targets_[from.first + t]];
        double factor = ways.of[k];
        if (Weighted && plan.closes_range)
            factor *= closing_weight(step, links_of(plan), weights, key, k);
        const V* ahead = pulled.ahead.of(to) + (from.low + (plan.counted ? k : 0) - to.low);
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

// Computes the coefficients of all layers of a part from those of its first layer.
template <class V, int N, bool Weighted>
auto Elimination::recompute(const Trace& trace, std::int32_t part, const Likelihoods& weights,
                            Patience& patience) -> Layers<V> {
    const Part& here = parts_[trace.first_part + part];
    const std::int32_t last = part + 1 < trace.part_count ? (&here + 1)->step : trace.step_count;
    const std::int64_t base = states_[steps_[trace.first_step + here.step].first_state].at;
    const std::int64_t first_end = states_[layer_end(trace, here.step)].at;
    const std::int64_t length = states_[layer_end(trace, last - 1)].at - base;
    V* data = values<V>().part.need(length);
    const V* kept = values<V>().kept.data() + here.at;
    std::copy(kept, kept + (first_end - base), data);
    std::fill(data + (first_end - base), data + length, V(0.0));
    const Layers<V> layers{data, base};
    for (std::int32_t i = here.step; i + 1 < last; ++i)
        flow<V, N, Weighted>(trace, i, weights, layers, layers, patience);
    return layers;
}

// Goes back through the steps last - 1 .. first. adjoint[next] has the adjoints of the layer after
// these steps. The sums `mines` and `safe` of a step give the share of its box. Returns an upper
// bound on the number of roundings in any of these sums.
template <class V, int N, bool Weighted>
double Elimination::backward_steps(const Trace& trace, std::int32_t first, std::int32_t last,
                                   const Layers<V>& layers, const Likelihoods& weights, int& next,
                                   Share* shares, Patience& patience) {
    double terms = 0;
    for (std::int32_t i = last - 1; i >= first; --i, next = 1 - next) {
        const Step& plan = steps_[trace.first_step + i];
        const Unpacked<N> step(plan, links_of(plan), trace.residual_bits);
        const Ways ways(plan, trace.odds);
        const std::uint32_t begin = plan.first_state, end = layer_end(trace, i);
        const std::int64_t base = states_[begin].at, next_base = states_[end].at;
        V* here = values<V>().adjoint[1 - next].need(next_base - base);
        std::fill(here, here + (next_base - base), V(0.0));
        const Pull<V> pulled{layers, Layers<V>{values<V>().adjoint[next].data(), next_base},
                             Layers<V>{here, base}};
        V mines(0.0), safe(0.0);
        for (std::uint32_t first_state = begin; first_state < end; first_state += block) {
            V some_mines(0.0), some_safe(0.0);
            for (std::uint32_t s = first_state; s < std::min(first_state + block, end); ++s)
                pull<V, Weighted>(pulled, plan, step, ways,
                                  Weighted ? key_of<N>(trace, s) : nullptr, weights, s, some_mines,
                                  some_safe);
            mines += some_mines;
            safe += some_safe;
            patience.spend(8 * std::min(block, end - first_state));
        }
        patience.spend(4 * static_cast<std::uint64_t>(next_base - base) * sizeof(V) / 8);
        terms = std::max(terms,
                         (plan.size + 1.0) * std::min(block, end - begin) + (end - begin) / block);
        shares[plan.box] = share_of(mines, safe);
    }
    return terms;
}

template <class V, int N, bool Weighted>
void Elimination::backward_as(Trace& trace, const Likelihoods& weights, const V* weight,
                              Share* shares, Patience& patience) {
    std::copy(weight, weight + trace.polynomial.length,
              values<V>().adjoint[0].need(trace.polynomial.length));
    double terms = 0;
    int next = 0;
    if (trace.part_count == 0)
        terms = backward_steps<V, N, Weighted>(trace, 0, trace.step_count,
                                               Layers<V>{values<V>().all.data(), 0}, weights, next,
                                               shares, patience);
    std::int32_t last = trace.step_count;
    for (std::int32_t part = trace.part_count - 1; part >= 0; --part) {
        const std::int32_t first = parts_[trace.first_part + part].step;
        const Layers<V> layers = recompute<V, N, Weighted>(trace, part, weights, patience);
        terms = std::max(terms, backward_steps<V, N, Weighted>(trace, first, last, layers, weights,
                                                               next, shares, patience));
        last = first;
    }
    trace.backward_depth = trace.forward_depth + trace.polynomial.length + terms + 4;
}

// Goes back from the last state. At each step, a transition into the state is chosen with a
// probability in proportion to the number of layouts that take it.
void Elimination::draw(const Trace& trace, std::int32_t mines, Stream& random,
                       std::uint8_t* taken) const {
    assert(trace.counting == Counting::all && !trace.wide && trace.part_count == 0);
    std::uint32_t state = trace.end_state;
    for (std::int32_t i = trace.step_count - 1; i >= 0; --i) {
        const Step& step = steps_[trace.first_step + i];
        const State& to = states_[state];
        assert(mines >= to.low && mines < to.low + to.length);
        double left = random.unit() * narrow_.all[to.at + mines - to.low];
        const std::uint32_t end = layer_end(trace, i);
        const std::uint32_t target = state;
        int chosen = -1;
        for (std::uint32_t s = step.first_state; s < end; ++s) {
            const State& from = states_[s];
            const std::uint32_t* const targets = targets_.data() + from.first;
            const std::uint32_t* const way = std::find(targets, targets + from.count, target);
            if (way == targets + from.count) continue;
            const int k = from.least + static_cast<int>(way - targets);
            const std::int32_t before = mines - k - from.low;
            if (before < 0 || before >= from.length) continue;
            const double weight = choose_from(step.size)[k] * narrow_.all[from.at + before];
            if (weight <= 0) continue;
            chosen = k;
            state = s;
            if ((left -= weight) < 0) break;
        }
        assert(chosen >= 0);
        taken[step.box] = static_cast<std::uint8_t>(chosen);
        mines -= chosen;
    }
}

// Calls visit(value, words, weighted). `value` has the type of the coefficients. `words`, the
// number of words of a key, and `weighted`, whether clues are noisy, are compile-time constants.
template <class Visit>
static auto with_kind(const Trace& trace, bool weighted, Visit visit) {
    return with_words(trace.words, [&](auto words) {
        constexpr std::true_type yes{};
        constexpr std::false_type no{};
        if (trace.wide) return weighted ? visit(Wide(), words, yes) : visit(Wide(), words, no);
        return weighted ? visit(double(), words, yes) : visit(double(), words, no);
    });
}

Status Elimination::forward(Trace& trace, const Likelihoods& weights, const Limits& limits,
                            Patience& patience) {
    if (trace.words > most_words) {  // a key cannot hold so many open constraints
        widest_ = 0;
        return Status::too_wide;
    }
    const Used before = used_;
    const Status status =
        with_kind(trace, weights.first != nullptr, [&](auto value, auto words, auto weighted) {
            return forward_as<decltype(value), words, weighted>(trace, weights, limits, patience);
        });
    if (status != Status::fits) used_ = before;  // the trace is not complete
    return status;
}

void Elimination::backward(Trace& trace, const Likelihoods& weights, const TotalWeights& totals,
                           Share* shares, Patience& patience) {
    with_kind(trace, weights.first != nullptr, [&](auto value, auto words, auto weighted) {
        using V = decltype(value);
        backward_as<V, words, weighted>(trace, weights, totals.of<V>(), shares, patience);
    });
}

}  // namespace mines
