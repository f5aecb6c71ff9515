#include "exact/region_count.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "counting/exact_cover.hpp"
#include "counting/numbers.hpp"

namespace mines {

namespace {

constexpr std::uint32_t unreduced = 128;  // products of residues that are added before a reduction
constexpr double bits_of_double = 1000;   // counts below 2^this fit into doubles

// C(size, k) for k = 0 .. size, by floating point.
void binomials(std::int32_t size, double* row) {
    row[0] = 1;
    for (std::int32_t k = 1; k <= size; ++k) row[k] = row[k - 1] * (size - k + 1) / k;
}

}  // namespace

// An upper bound on the binary logarithm of the weight of all solutions, computed without the
// states.
double ExactCount::bits_at_most() const {
    double bits = 0;
    for (const std::int32_t size : region_->sizes) bits += size;
    for (std::int32_t c = 0; c < region_->constraint_count(); ++c) {
        if (!region_->weighted(c)) continue;
        const std::uint64_t* from = region_->weights_of(c);
        const std::uint64_t most =
            *std::max_element(from + region_->low_of(c), from + region_->high_of(c) + 1);
        bits += std::log2(static_cast<double>(std::max<std::uint64_t>(most, 1)));
    }
    return bits;
}

// Whether some solution uses the t-th transition of a state: the target can be completed, and no
// constraint that ends with this step gets the weight 0.
bool ExactCount::leads_to_solution(const PlanStep& step, std::uint32_t state,
                                   std::int32_t t) const {
    const Graph::State& from = graph_.state(state);
    const Range& to = ranges_[graph_.targets(from)[t]];
    bool leads = to.least <= to.most;
    if (leads && step.weighs)
        graph_.each_weight(step, state, from.least + t, [&](std::int32_t c, std::int32_t mines) {
            leads &= region_->weights_of(c)[mines] != 0;
        });
    return leads;
}

// Computes ranges_: for every state, the fewest and the most mines that the later boxes can have,
// without the boxes whose mines are not counted. Returns the binary logarithm of the weight of all
// solutions. V is the type of the weights: double or, if they may be too large for it, Wide.
template <class V>
double ExactCount::survey(Patience& patience) {
    std::vector<V> weights(graph_.state_count());
    std::vector<double> row;
    ranges_.resize(graph_.state_count());
    ranges_[graph_.end_state()] = Range{0, 0};
    weights[graph_.end_state()] = V(1.0);
    for (std::int32_t i = graph_.step_count() - 1; i >= 0; --i) {
        const PlanStep& step = graph_.step(i);
        const bool counted = counted_[step.box] != 0;
        row.resize(static_cast<std::size_t>(step.size) + 1);
        binomials(step.size, row.data());
        for (std::uint32_t s = graph_.layer_begin(i); s < graph_.layer_end(i); ++s) {
            const Graph::State& from = graph_.state(s);
            const std::uint32_t* target = graph_.targets(from);
            Range range{std::numeric_limits<std::int32_t>::max(), -1};
            V weight(0.0);
            for (std::int32_t t = 0; t < from.count; ++t) {
                if (!leads_to_solution(step, s, t)) continue;
                const Range& to = ranges_[target[t]];
                const std::int32_t k = from.least + t, placed = counted ? k : 0;
                range.least = std::min(range.least, to.least + placed);
                range.most = std::max(range.most, to.most + placed);
                V factor(row[k]);  // a V, because weights may make it too large for a double
                if (step.weighs)
                    graph_.each_weight(step, s, k, [&](std::int32_t c, std::int32_t mines) {
                        factor = static_cast<double>(region_->weights_of(c)[mines]) * factor;
                    });
                weight += factor * weights[target[t]];
            }
            ranges_[s] = range;
            weights[s] = weight;
            patience.spend(16);
        }
    }
    return log_of(weights[0]) / ln2;
}

// Returns a solution: the number of mines in every box. In elimination order, each box gets the
// smallest number (if `most` is true: the largest number) that still leads to a solution.
std::vector<std::int32_t> ExactCount::witness(bool most) const {
    std::vector<std::int32_t> mines(region_->sizes.size());
    std::uint32_t state = 0;
    for (std::int32_t i = 0; i < graph_.step_count(); ++i) {
        const PlanStep& step = graph_.step(i);
        const Graph::State& from = graph_.state(state);
        std::int32_t t = most ? from.count - 1 : 0;
        while (!leads_to_solution(step, state, t)) t += most ? -1 : 1;
        mines[step.box] = from.least + t;
        state = graph_.targets(from)[t];
    }
    return mines;
}

void ExactCount::find_kinds() {
    kind_.clear();
    kinds_.resize(region_->sizes.size());
    std::size_t ways = 0;
    for (std::int32_t box = 0; box < region_->box_count(); ++box) {
        const std::int32_t size = region_->box_size(box);
        const bool counted = counted_[box] != 0;
        const auto same = [&](const Kind& kind) {
            return kind.size == size && kind.counted == counted;
        };
        const auto found = std::find_if(kind_.begin(), kind_.end(), same);
        kinds_[box] = static_cast<std::int32_t>(found - kind_.begin());
        if (found != kind_.end()) continue;
        kind_.push_back(Kind{size, counted, size == 1 && !counted, ways});
        ways += static_cast<std::size_t>(size) + 1;
    }
    ways_.resize(ways);
    factors_.resize(ways * most_points);
}

// Computes the binomials and weights modulo the prime, once for all points: the roots of unity at
// which polynomials are evaluated.
void ExactCount::prepare(const Field& field) {
    std::int32_t largest = 1;
    for (const Kind& kind : kind_) {
        largest = std::max(largest, kind.size);
        std::uint64_t* ways = ways_.data() + kind.first_way;
        ways[0] = 1;
        for (std::int32_t k = 1; k <= kind.size; ++k) {
            const auto more = static_cast<std::uint64_t>(kind.size - k + 1);
            const auto less = static_cast<std::uint64_t>(k);
            // Small binomials are computed as whole numbers, because a division modulo a prime is
            // expensive.
            ways[k] = kind.size <= 55
                          ? ways[k - 1] * more / less
                          : field.multiply(field.multiply(ways[k - 1], more), field.inverse(less));
        }
    }
    multiples_.clear();
    for (std::int32_t k = 0; k <= largest; ++k)
        multiples_.push_back(field.factor(static_cast<std::uint64_t>(k)));
    settled_.clear();
    for (const std::uint64_t weight : region_->weights)
        settled_.push_back(field.factor(field.reduce(weight)));
}

// Computes the factors for k mines in a box of each kind, at every point of the pass.
void ExactCount::prepare_points(const Pass& pass, std::uint64_t root) {
    const Field& field = pass.field;
    for (std::int32_t j = 0; j < pass.points; ++j) {
        const std::uint64_t point = field.power(root, static_cast<std::uint64_t>(pass.first + j));
        for (const Kind& kind : kind_) {
            if (kind.plain) continue;
            std::uint64_t power = 1;
            for (std::int32_t k = 0; k <= kind.size; ++k) {
                const std::uint64_t ways = field.reduce(ways_[kind.first_way + k]);
                factors_[(kind.first_way + k) * pass.points + j] =
                    field.factor(field.multiply(ways, power));
                if (kind.counted) power = field.multiply(power, point);
            }
        }
    }
}

// Writes to `out` the values `in`, multiplied by the weight of k mines in the box of this step: the
// factors of the box and the weights of the constraints that end with it.
template <int B>
void ExactCount::lead_on(const Field& field, const PlanStep& step, std::uint32_t state,
                         std::int32_t k, const std::uint64_t* in, std::uint64_t* out) const {
    const Kind& kind = kind_[kinds_[step.box]];
    const Factor* factor = factors_.data() + (kind.first_way + k) * B;
    if (k == 0 || kind.plain)
        for (int j = 0; j < B; ++j) out[j] = in[j];
    else
        for (int j = 0; j < B; ++j) out[j] = field.times(in[j], factor[j]);
    if (step.weighs)
        graph_.each_weight(step, state, k, [&](std::int32_t c, std::int32_t mines) {
            const Factor& weight = settled_[region_->first_weight[c] + mines];
            for (int j = 0; j < B; ++j) out[j] = field.times(out[j], weight);
        });
}

template <int B>
void ExactCount::forward(const Field& field, Patience& patience) {
    reached_.assign(std::size_t{graph_.state_count()} * B, 0);
    std::fill(reached_.begin(), reached_.begin() + B, 1);
    for (std::int32_t i = 0; i < graph_.step_count(); ++i) {
        const PlanStep& step = graph_.step(i);
        for (std::uint32_t s = graph_.layer_begin(i); s < graph_.layer_end(i); ++s) {
            const Graph::State& from = graph_.state(s);
            const std::uint32_t* target = graph_.targets(from);
            for (std::int32_t t = 0; t < from.count; ++t) {
                std::uint64_t term[B];
                lead_on<B>(field, step, s, from.least + t, &reached_[std::size_t{s} * B], term);
                std::uint64_t* out = &reached_[std::size_t{target[t]} * B];
                for (int j = 0; j < B; ++j) out[j] = field.add(out[j], term[j]);
            }
            patience.spend(static_cast<std::uint64_t>(2 * B * from.count));
        }
    }
}

// Computes the mines of every box, summed over the solutions. A transition that gives the box k
// mines adds k times the ways to reach its state, times the ways to go on through this transition.
template <int B>
void ExactCount::backward(const Pass& pass, Patience& patience) {
    const Field& field = pass.field;
    const std::size_t widest = std::size_t{graph_.widest_layer()} * B;
    ahead_.assign(widest, 0), here_.resize(widest);
    std::fill(ahead_.begin(), ahead_.begin() + B, 1);
    std::uint32_t next = graph_.end_state();
    for (std::int32_t i = graph_.step_count() - 1; i >= 0; --i) {
        const PlanStep& step = graph_.step(i);
        const std::uint32_t begin = graph_.layer_begin(i);
        Uint128 sum[B] = {};
        for (std::uint32_t s = begin; s < next; ++s) {
            const Graph::State& from = graph_.state(s);
            const std::uint32_t* target = graph_.targets(from);
            std::uint64_t rest[B] = {}, mines[B] = {};
            for (std::int32_t t = 0; t < from.count; ++t) {
                const std::int32_t k = from.least + t;
                std::uint64_t term[B];
                lead_on<B>(field, step, s, k, &ahead_[std::size_t{target[t] - next} * B], term);
                for (int j = 0; j < B; ++j) rest[j] = field.add(rest[j], term[j]);
                if (k == 1)
                    for (int j = 0; j < B; ++j) mines[j] = field.add(mines[j], term[j]);
                else if (k > 1)
                    for (int j = 0; j < B; ++j)
                        mines[j] = field.add(mines[j], field.times(term[j], multiples_[k]));
            }
            std::copy(rest, rest + B, &here_[std::size_t{s - begin} * B]);
            const std::uint64_t* reached = &reached_[std::size_t{s} * B];
            for (int j = 0; j < B; ++j) sum[j] += Uint128{reached[j]} * mines[j];
            if ((s - begin) % unreduced == unreduced - 1)
                for (int j = 0; j < B; ++j) sum[j] = field.reduce(sum[j]);
            patience.spend(static_cast<std::uint64_t>(4 * B * from.count));
        }
        std::uint64_t* values =
            &values_[static_cast<std::size_t>(1 + step.box) * point_count_ + pass.first];
        for (int j = 0; j < B; ++j) values[j] = field.reduce(sum[j]);
        std::swap(ahead_, here_);
        next = begin;
    }
}

template <int B>
void ExactCount::run(const Pass& pass, Patience& patience) {
    forward<B>(pass.field, patience);
    std::copy(&reached_[std::size_t{graph_.end_state()} * B],
              &reached_[std::size_t{graph_.end_state()} * B] + B, &values_[pass.first]);
    if (pass.boxes) backward<B>(pass, patience);
}

// Computes the residues of RegionTally for one prime, and writes them to `row`.
void ExactCount::residues_of(const Field& field, int order, bool boxes, std::uint64_t* row,
                             const RegionTally& tally, Patience& patience) {
    prepare(field);
    values_.resize(static_cast<std::size_t>(1 + tally.boxes) * point_count_);
    const std::uint64_t root = field.root(order);
    for (std::int32_t first = 0; first < point_count_; first += most_points) {
        const Pass pass{field, first, std::min(most_points, point_count_), boxes};
        prepare_points(pass, root);
        switch (pass.points) {
            case 1: run<1>(pass, patience); break;
            case 2: run<2>(pass, patience); break;
            case 4: run<4>(pass, patience); break;
            default: run<most_points>(pass, patience);
        }
    }
    const Interpolation interpolation(field, order);
    const std::int32_t least = ranges_[0].least;
    for (std::int32_t i = 0; i <= tally.boxes; ++i) {
        std::uint64_t* values = &values_[static_cast<std::size_t>(i) * point_count_];
        interpolation.run(values);
        for (std::int32_t m = 0; m < tally.length; ++m) *row++ = values[(least + m) % point_count_];
    }
}

// Checks for every number of mines m: the mines of all boxes, summed over the solutions with m
// mines, must add up to m times the number of these solutions.
bool ExactCount::adds_up(const Field& field, const std::uint64_t* row,
                         const RegionTally& tally) const {
    if (tally.boxes == 0) return true;
    for (std::int32_t m = 0; m < tally.length; ++m) {
        std::uint64_t sum = 0;
        for (std::int32_t i = 1; i <= tally.boxes; ++i)
            sum = field.add(sum, row[static_cast<std::size_t>(i) * tally.length + m]);
        if (sum != field.multiply(row[m], static_cast<std::uint64_t>(tally.low + m))) return false;
    }
    return true;
}

Status ExactCount::count(const Hypergraph& region, const std::int32_t* order, bool boxes,
                         const Limits& limits, Patience& patience, RegionTally& tally) {
    region_ = &region;
    const Status status = graph_.build(region, order, limits, patience);
    if (status != Status::fits) return status;
    const std::int32_t known = split_off_exact(region, counted_);
    find_kinds();
    const double bits =
        bits_at_most() < bits_of_double ? survey<double>(patience) : survey<Wide>(patience);
    const Range range = ranges_[0];
    if (range.least > range.most) return Status::contradiction;
    if (boxes) tally.witnesses[0] = witness(false), tally.witnesses[1] = witness(true);
    tally.low = known + range.least;
    tally.length = range.most - range.least + 1;
    tally.boxes = boxes ? region.box_count() : 0;
    int log_points = 0;
    while ((1 << log_points) < tally.length) ++log_points;
    if (log_points > Field::most_order) return Status::too_wide;
    point_count_ = 1 << log_points;
    const std::int32_t largest = *std::max_element(region.sizes.begin(), region.sizes.end());
    const double needed = bits + 1 + (boxes ? std::log2(largest) : 0.0);
    tally.primes = static_cast<std::size_t>(needed / Field::bits) + 1;
    tally.residues.resize(tally.primes * tally.row());
    for (std::size_t i = 0; i < tally.primes; ++i) {
        std::uint64_t* row = tally.residues.data() + i * tally.row();
        residues_of(Field::at(i), log_points, boxes, row, tally, patience);
        if (!adds_up(Field::at(i), row, tally)) return Status::fault;
    }
    return Status::fits;
}

}  // namespace mines
