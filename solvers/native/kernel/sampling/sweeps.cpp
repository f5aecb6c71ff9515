#include "sampling/sweeps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "counting/exact_cover.hpp"
#include "counting/numbers.hpp"
#include "counting/order.hpp"

namespace mines {

namespace {

constexpr std::uint32_t first_width = 128;     // states of a layer in trial sweeps
constexpr std::uint32_t most_width = 1 << 18;  // most states of a layer in the main sweeps
// If a trial sweep takes less than the share `least_part` of the allowed time and work, the main
// sweeps keep at most `usual_width` states in a layer, instead of `most_width`.
constexpr std::uint32_t usual_width = 1 << 11;
constexpr double least_part = 1e-6;
constexpr int looks = 4;              // trial sweeps that must reach a layout
constexpr double most_looking = 0.4;  // share of the allowed time and work for trial sweeps
constexpr int more_looks = 12;        // most trial sweeps, with those that reach no layout
constexpr double wanted_sweeps = 20;  // the main sweeps get a width that allows this many
constexpr int least_sweeps = 8;
constexpr double most_log_weight = 600;  // of a box: the square of the weight fits into a double
// Main sweeps are made only if the expected variance of their Swept::log_weight is at most this.
constexpr double worth_trying = 4;
constexpr double least_effective = 6;  // the effective number of sweeps must be at least this …
constexpr double least_effective_part = 0.4;    // … and this share of all sweeps
constexpr std::uint64_t edge_work = 12;         // in steps of about 4 ns
constexpr std::size_t most_edges = 40'000'000;  // of one sweep: bounds its memory
constexpr double exact_error = 1e-9;            // of a sweep that dropped nothing: only rounding

// Returns the boxes of every region, in an order that needs few states.
std::vector<std::vector<std::int32_t>> orders_of(const Hypergraph& all, Patience& patience) {
    std::vector<std::vector<std::int32_t>> orders;
    std::vector<std::int32_t> number(all.sizes.size(), -1);
    std::vector<std::uint8_t> seen(all.low.size(), 0);
    for (std::int32_t start = 0; start < all.constraint_count(); ++start) {
        if (seen[start] != 0) continue;
        const std::vector<std::int32_t> constraints = all.reached_from(start, seen);
        std::vector<std::int32_t> boxes;
        for (const std::int32_t c : constraints)
            for (const std::int32_t box : all.boxes_of(c))
                if (number[box] < 0) number[box] = 0, boxes.push_back(box);
        const Hypergraph part =
            part_of(all, Stretch::of(constraints), Stretch::of(boxes), number.data());
        orders.push_back(elimination_order(part, patience));
        for (std::int32_t& box : orders.back()) box = boxes[box];
    }
    return orders;
}

}  // namespace

Sweep::Sweep(const SampleProblem& problem, Patience& patience)
    : problem_(problem), outside_(problem), region_(problem.region) {
    orders_ = orders_of(region_, patience);
    arrange();
    counted_.assign(problem.box_count(), 0);
    tilt_ = std::log(problem.odds);
    if (outside_.total()) known_ = split_off_exact(region_, counted_);
    words_ = words_for(plan_.words() + (outside_.total() ? 1 : 0));
}

bool Sweep::possible() const {
    const std::int32_t largest = *std::max_element(region_.sizes.begin(), region_.sizes.end());
    const double most = largest * (std::abs(tilt_) + 12 + ln2);  // adapt() keeps |tilt_| within 12
    return words_ <= most_words &&
           (outside_.total() ? most : most - 12 * largest) < most_log_weight;
}

void Sweep::arrange() {
    std::vector<std::int32_t> order;
    for (const auto& boxes : orders_) order.insert(order.end(), boxes.begin(), boxes.end());
    plan_.make(region_, order.data());
}

void Sweep::take_wide_regions_first() {
    std::vector<std::pair<std::size_t, std::size_t>> widths;  // (largest width, region)
    auto width = widths_.begin();
    for (std::size_t i = 0; i < orders_.size(); ++i) {
        const auto end = width + static_cast<std::ptrdiff_t>(orders_[i].size());
        widths.emplace_back(*std::max_element(width, end), i);
        width = end;
    }
    std::stable_sort(widths.begin(), widths.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<std::vector<std::int32_t>> sorted;
    for (const auto& [widest, region] : widths) sorted.push_back(std::move(orders_[region]));
    orders_ = std::move(sorted);
    arrange();
}

Swept Sweep::run(std::uint32_t width, Stream& random, Patience& patience) {
    Swept swept;
    const bool reached = with_words(words_, [&](auto words) {
        return forward<words>(width, random, patience) && weigh_end(words);
    });
    if (!reached) return swept;
    swept.fits = true;
    swept.exact = !dropped_any_;
    swept.log_weight = log_scale_ + std::log(end_weight_);
    backward(swept, patience);
    return swept;
}

template <int N>
bool Sweep::forward(std::uint32_t width, Stream& random, Patience& patience) {
    layers_.clear(), states_.clear(), edges_.clear();
    widths_.assign(plan_.step_count(), 0);
    log_scale_ = 0;
    dropped_any_ = false;
    std::fill_n(keys_[newest_].need(N), N, 0);
    key_count_ = 1;
    states_.push_back(State{1.0, 0.0, 0, 0, 0});
    for (std::int32_t i = 0; i < plan_.step_count(); ++i) {
        expand<N>(i, patience);
        if (weights_.empty()) return false;
        widths_[i] = weights_.size();
        renamed_.resize(weights_.size());
        raised_.assign(weights_.size(), 1.0);
        std::iota(renamed_.begin(), renamed_.end(), 0);
        const double crowded = static_cast<double>(edges_.size()) / (i + 1) * plan_.step_count();
        const std::uint32_t kept = crowded > most_edges ? std::max(first_width, width / 2) : width;
        if (weights_.size() > kept) prune<N>(kept, random);
        settle_layer(layers_.back().first_edge);
    }
    layers_.push_back(Layer{layers_.empty() ? 0 : states_.size() - weights_.size(), edges_.size(),
                            edges_.size()});
    return true;
}

// The weight of k mines in a box: the product of the ways to place them, the weight of the mines,
// and the weights of the constraints whose last box this is.
double Sweep::weight_of(const PlanStep& step, const std::uint64_t* key, int k,
                        const double* ways) const {
    double factor = ways[k];
    if (step.weighs)
        plan_.each_weight(step, key, k, [&](std::int32_t c, std::int32_t mines) {
            factor *= problem_.weights_of(c)[mines];
        });
    return factor;
}

// Makes the edges from the newest layer, and the keys and weights of the next layer.
template <int N>
void Sweep::expand(std::int32_t number, Patience& patience) {
    const PlanStep& step = plan_.step(number);
    const bool counted = counted_[step.box] != 0;
    const double odds = std::exp(!outside_.total() || counted ? tilt_ : 0.0);
    std::vector<double> ways(static_cast<std::size_t>(step.size) + 1, 1.0);
    for (int k = 1; k <= step.size; ++k) ways[k] = ways[k - 1] * odds * (step.size - k + 1) / k;
    const std::size_t first = states_.size() - key_count_;
    layers_.push_back(Layer{first, edges_.size(), 0});
    weights_.clear();
    table_.begin_layer();
    std::uint32_t count = 0;
    for (std::uint32_t s = 0; s < key_count_; ++s) {
        State& from = states_[first + s];
        const std::uint64_t* key = keys_[newest_].data() + std::int64_t{s} * N;
        const auto [least, most] = plan_.possible(step, key);
        from.edges = static_cast<std::uint32_t>(edges_.size() - layers_.back().first_edge);
        from.least = least;
        from.count = static_cast<std::uint32_t>(std::max(0, most - least + 1));
        for (int k = least; k <= most; ++k) {
            const double factor = weight_of(step, key, k, ways.data());
            if (factor == 0.0) {
                edges_.push_back(Edge{dropped, 0.0});
                continue;
            }
            std::uint64_t next[N];
            std::copy(key, key + N, next);
            plan_.take(step, k, key, next);
            if (counted) next[N - 1] += static_cast<std::uint64_t>(k);
            std::uint64_t* found = keys_[1 - newest_].need((std::size_t{count} + 1) * N);
            const std::uint32_t target = table_.find_or_add<N>(next, found, count);
            if (target == weights_.size()) weights_.push_back(0.0);
            weights_[target] += from.reached * factor;
            edges_.push_back(Edge{target, factor});
        }
        work_ += edge_work * from.count;
        patience.spend(3 * edge_work * from.count);
    }
    layers_.back().end_edge = edges_.size();
    newest_ = 1 - newest_;
    key_count_ = count;
}

// Computes, up to a factor, the chance of each state to be kept. Without a total, this is its
// weight. With a total, half of all chances is shared out in proportion to weight. The other half
// is shared out equally among the numbers of mines so far, and then among the states with the same
// number in proportion to weight. The reason is that the total may need states that are light.
template <int N>
void Sweep::choose_chances() {
    chances_ = weights_;
    if (!outside_.total()) return;
    const std::uint64_t* keys = keys_[newest_].data();
    const auto mines_in = [&](std::size_t s) {
        return keys[static_cast<std::ptrdiff_t>(s) * N + N - 1];
    };
    std::uint64_t least = ~std::uint64_t{0}, most = 0;
    for (std::size_t s = 0; s < weights_.size(); ++s)
        least = std::min(least, mines_in(s)), most = std::max(most, mines_in(s));
    std::vector<double> by_mines(static_cast<std::size_t>(most - least) + 1, 0.0);
    double sum = 0;
    for (std::size_t s = 0; s < weights_.size(); ++s)
        by_mines[mines_in(s) - least] += weights_[s], sum += weights_[s];
    const double each = sum / static_cast<double>(by_mines.size());
    for (std::size_t s = 0; s < weights_.size(); ++s)
        chances_[s] *= 1 + each / by_mines[mines_in(s) - least];
}

// Keeps about `width` states of the newest layer. There is a threshold t: a state of chance c < t
// is kept with probability c / t, and then weighs t / c times as much; every other state is kept.
// One random number decides for all states, so that the kept states are spread evenly over the
// layer.
template <int N>
void Sweep::prune(std::uint32_t width, Stream& random) {
    dropped_any_ = true;
    choose_chances<N>();
    double threshold = std::accumulate(chances_.begin(), chances_.end(), 0.0) / width;
    for (int round = 0; round < 40; ++round) {
        double rest = 0, above = 0;
        for (const double chance : chances_)
            (chance >= threshold ? above : rest) += chance >= threshold ? 1 : chance;
        const double next = rest / std::max(1.0, width - above);
        if (next >= 0.999 * threshold) break;
        threshold = next;
    }
    double mark = random.unit() * threshold;
    std::uint32_t kept = 0;
    std::uint64_t* keys = keys_[newest_].data();
    for (std::uint32_t s = 0; s < chances_.size(); ++s) {
        const bool sure = chances_[s] >= threshold;
        if (!sure && (mark -= chances_[s]) >= 0) {
            renamed_[s] = dropped;
            continue;
        }
        if (!sure) mark += threshold, raised_[s] = threshold / chances_[s];
        std::copy_n(keys + std::int64_t{s} * N, N, keys + std::int64_t{kept} * N);
        weights_[kept] = weights_[s] * raised_[s];
        renamed_[s] = kept++;
    }
    weights_.resize(kept);
    key_count_ = kept;
}

// Adds the kept states of the newest layer to states_, with weights of at most 1. Every edge with
// the index `first_edge` or a higher one then leads to one of these states.
void Sweep::settle_layer(std::size_t first_edge) {
    const double greatest = *std::max_element(weights_.begin(), weights_.end());
    log_scale_ += std::log(greatest);
    for (const double weight : weights_) states_.push_back(State{weight / greatest, 0.0, 0, 0, 0});
    for (std::size_t e = first_edge; e < edges_.size(); ++e) {
        Edge& edge = edges_[e];
        const std::uint32_t old = edge.target;
        if (old == dropped) continue;
        edge.target = renamed_[old];
        edge.factor *= raised_[old] / greatest;
    }
}

// Weighs each state of the last layer by the number of layouts of the outside (see outside.hpp)
// that fit the mines of the state. False: no state has such a layout.
bool Sweep::weigh_end(int words) {
    const std::size_t first = layers_.back().first_state, ends = states_.size() - first;
    const double never = -std::numeric_limits<double>::infinity();
    std::vector<std::int64_t> counted(outside_.total() ? ends : 0);
    std::vector<double> logs(ends, 0.0);
    for (std::size_t i = 0; i < counted.size(); ++i) {
        counted[i] = static_cast<std::int64_t>(
            keys_[newest_][static_cast<std::ptrdiff_t>(i) * words + words - 1]);
        logs[i] =
            outside_.log_weight(known_ + counted[i]) - tilt_ * static_cast<double>(counted[i]);
    }
    const double greatest = *std::max_element(logs.begin(), logs.end());
    end_weight_ = 0;
    for (std::size_t i = 0; i < ends && greatest != never; ++i) {
        states_[first + i].ahead = std::exp(logs[i] - greatest);
        end_weight_ += states_[first + i].reached * states_[first + i].ahead;
    }
    if (outside_.total()) measure_end(counted);
    log_scale_ += greatest;
    return end_weight_ > 0;
}

// Computes end_mean_ and end_variance_: the mean and the variance of the number of counted mines
// (see counted_) in the last layer. Computes likely_ and wanted_mean_ with the weights from
// weigh_end(): wanted_mean_ is then the mean of the same number. If all these weights are 0,
// wanted_mean_ is the number nearest to end_mean_ in the range that fits the outside.
void Sweep::measure_end(const std::vector<std::int64_t>& counted) {
    const std::size_t first = layers_.back().first_state;
    likely_.assign(outside_.counts(), 0.0);
    double sum = 0, mean = 0, square = 0, wanted = 0;
    for (std::size_t i = 0; i < counted.size(); ++i) {
        const State& state = states_[first + i];
        const double mines = static_cast<double>(counted[i]);
        sum += state.reached, mean += state.reached * mines;
        square += state.reached * mines * mines;
        if (end_weight_ == 0) continue;
        const double share = state.reached * state.ahead / end_weight_;
        likely_[known_ + counted[i]] += share;
        wanted += share * mines;
    }
    end_mean_ = mean / sum;
    end_variance_ = std::max(0.25, square / sum - end_mean_ * end_mean_);
    wanted_mean_ = end_weight_ > 0
                       ? wanted
                       : std::clamp(end_mean_, static_cast<double>(outside_.least() - known_),
                                    static_cast<double>(outside_.most() - known_));
}

void Sweep::adapt() {
    if (!outside_.total() || layers_.size() <= static_cast<std::size_t>(plan_.step_count())) return;
    tilt_ += std::clamp((wanted_mean_ - end_mean_) / end_variance_, -1.0, 1.0);
    tilt_ = std::clamp(tilt_, -12.0, 12.0);
}

void Sweep::backward(Swept& swept, Patience& patience) {
    swept.values.assign(problem_.box_count(), 0.0);
    for (std::int32_t i = plan_.step_count() - 1; i >= 0; --i) {
        const Layer &layer = layers_[i], &next = layers_[i + 1];
        double mines = 0, all = 0, greatest = 0;
        for (std::size_t s = layer.first_state; s < next.first_state; ++s) {
            State& state = states_[s];
            const Edge* edge = edges_.data() + layer.first_edge + state.edges;
            double ahead = 0, expected = 0;
            for (std::uint32_t e = 0; e < state.count; ++e) {
                if (edge[e].target == dropped) continue;
                const double term =
                    edge[e].factor * states_[next.first_state + edge[e].target].ahead;
                ahead += term;
                expected += term * (state.least + static_cast<std::int32_t>(e));
            }
            state.ahead = ahead;
            mines += state.reached * expected;
            all += state.reached * ahead;
            greatest = std::max(greatest, ahead);
        }
        for (std::size_t s = layer.first_state; s < next.first_state; ++s)
            states_[s].ahead /= greatest;
        swept.values[plan_.step(i).box] = mines / all;
        const std::size_t edges = layer.end_edge - layer.first_edge;
        work_ += edge_work / 4 * edges;
        patience.spend(edge_work * edges);
    }
    for (std::size_t group = 0; group < outside_.groups(); ++group)
        swept.values.push_back(outside_.risk(group, likely_.data()));
}

std::vector<std::int32_t> Sweep::draw(Stream& random) {
    std::vector<std::int32_t> mines(problem_.box_count());
    std::size_t at = layers_[0].first_state;
    for (std::int32_t i = 0; i < plan_.step_count(); ++i) {
        const Layer &layer = layers_[i], &next = layers_[i + 1];
        const State& state = states_[at];
        const Edge* edge = edges_.data() + layer.first_edge + state.edges;
        const auto weight = [&](std::uint32_t e) {
            if (edge[e].target == dropped) return 0.0;
            return edge[e].factor * states_[next.first_state + edge[e].target].ahead;
        };
        double sum = 0;
        for (std::uint32_t e = 0; e < state.count; ++e) sum += weight(e);
        double mark = random.unit() * sum;
        std::uint32_t chosen = 0;
        for (std::uint32_t e = 0; e < state.count; ++e) {
            if (weight(e) == 0.0) continue;
            chosen = e;
            if ((mark -= weight(e)) < 0) break;
        }
        mines[plan_.step(i).box] = state.least + static_cast<std::int32_t>(chosen);
        at = next.first_state + edge[chosen].target;
    }
    return mines;
}

namespace {

// The results of all sweeps. Each sweep is weighted by its estimate of the weight of all layouts.
class Tally {
  public:
    void add(Swept&& swept) { all_.push_back(std::move(swept)); }
    std::size_t count() const { return all_.size(); }
    double variance() const {  // of the logarithms of the weights
        double mean = 0, square = 0;
        for (const Swept& swept : all_) mean += swept.log_weight / static_cast<double>(count());
        for (const Swept& swept : all_)
            square += (swept.log_weight - mean) * (swept.log_weight - mean);
        return square / std::max(1.0, static_cast<double>(count()) - 1);
    }
    // The effective number of sweeps: this many sweeps of equal weight would be as precise.
    double effective() const {
        double square = 0;
        for (const double share : shares()) square += share * share;
        return square > 0 ? 1 / square : 0;
    }
    bool reliable() const {
        const double least =
            std::max(least_effective, least_effective_part * static_cast<double>(count()));
        return count() >= least_sweeps && effective() >= least;
    }
    // `ranges` has the possible values of each mean. About `drawn` states were kept in each layer.
    SampleResult result(const std::vector<Range>& ranges, double drawn) const {
        const std::size_t values = ranges.size();
        SampleResult made;
        made.started = true;
        made.means.assign(values, 0.0);
        made.errors.assign(values, 0.0);
        made.moves = count() * static_cast<std::uint64_t>(drawn);
        made.batches = static_cast<std::int32_t>(count());
        const std::vector<double> share = shares();
        const double n = static_cast<double>(count());
        // Sweeps that differ much in weight may all have missed the heaviest layouts.
        const double wider = caution(effective() - 1) * n / effective();
        for (std::size_t v = 0; v < values; ++v) {
            for (std::size_t i = 0; i < all_.size(); ++i)
                made.means[v] += share[i] * all_[i].values[v];
            double square = 0;
            for (std::size_t i = 0; i < all_.size(); ++i) {
                const double off = share[i] * (all_[i].values[v] - made.means[v]);
                square += off * off;
            }
            // Sweeps that drop states prove nothing: an event that never occurred in N draws may
            // still have the probability 1 / N.
            const auto [low, span] = ranges[v];
            const double least = 1 / (n * drawn);
            made.means[v] = std::clamp(made.means[v], low + span * least, low + span * (1 - least));
            const double part = span > 0 ? (made.means[v] - low) / span : 0;
            made.errors[v] =
                std::hypot(std::sqrt(square) * wider, span * std::sqrt(part * (1 - part) * least));
        }
        return made;
    }

  private:
    std::vector<double> shares() const {
        double greatest = -std::numeric_limits<double>::infinity(), sum = 0;
        for (const Swept& swept : all_) greatest = std::max(greatest, swept.log_weight);
        std::vector<double> made;
        for (const Swept& swept : all_) {
            made.push_back(std::exp(swept.log_weight - greatest));
            sum += made.back();
        }
        for (double& share : made) share /= sum;
        return made;
    }
    // The factor that enlarges an error from few sweeps. `freedom` is the effective number of
    // sweeps minus 1. With this factor, the truth is nearly always within four errors.
    static double caution(double freedom) {
        freedom = std::max(2.0, freedom);
        return 1.25 * (1 + 6 / freedom);
    }

    std::vector<Swept> all_;
};

SampleResult exact_result(const Swept& swept) {
    SampleResult made;
    made.started = true;
    made.means = swept.values;
    made.errors.assign(made.means.size(), exact_error);
    made.moves = made.batches = 1;
    return made;
}

}  // namespace

SampleResult sweep(const SampleProblem& problem, const SampleBounds& bounds, Stream& random,
                   std::vector<std::int32_t>& starts, Patience& patience) {
    using Clock = Patience::Clock;
    Sweep sweep(problem, patience);
    if (!sweep.possible()) return {};
    const Clock::time_point begin = Clock::now();
    const auto used = [&] {  // the share of the allowed time or work that was used
        const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
        return std::max(seconds / bounds.seconds,
                        static_cast<double>(sweep.work()) / static_cast<double>(bounds.work));
    };
    const auto failed = [&] {
        SampleResult made;
        made.work = sweep.work();
        return made;
    };
    const auto keep_start = [&] {
        if (starts.size() >= chains * problem.box_count()) return;
        const std::vector<std::int32_t> drawn = sweep.draw(random);
        starts.insert(starts.end(), drawn.begin(), drawn.end());
    };
    Tally looked;
    std::uint32_t look_width = first_width;
    double looked_at = 0;  // sum of the widths of all trial sweeps, in units of first_width
    for (int i = 0; i < more_looks && looked.count() < looks && used() < most_looking; ++i) {
        Swept swept = sweep.run(look_width, random, patience);
        looked_at += static_cast<double>(look_width) / first_width;
        sweep.adapt();
        if (!swept.fits) look_width *= 2;  // all kept states led to dead ends
        if (!swept.fits) continue;
        if (swept.exact) return exact_result(swept);
        keep_start();
        if (looked.count() == 0) sweep.take_wide_regions_first();
        looked.add(std::move(swept));
    }
    if (looked.count() < looks) return failed();
    const double each = used() / looked_at;
    const double most = each < least_part ? usual_width : most_width;
    const double wider =
        std::clamp(1 / (wanted_sweeps * std::max(least_part, each)), 1.0, most / first_width);
    // The variance is expected to be inversely proportional to the width.
    if (looked.variance() * look_width / first_width / wider > worth_trying) return failed();
    const auto width = static_cast<std::uint32_t>(first_width * wider);
    Tally tally;
    const double all = static_cast<double>(bounds.moves) / width;
    for (double i = 0; i < least_sweeps || (used() < 1 && i < all); ++i) {
        Swept swept = sweep.run(width, random, patience);
        if (!swept.fits) continue;
        if (swept.exact) return exact_result(swept);
        keep_start();
        tally.add(std::move(swept));
        if (tally.count() == least_sweeps && tally.effective() < least_effective / 2)
            return failed();
    }
    if (!tally.reliable()) return failed();
    return tally.result(Outside(problem).ranges(), width);
}

}  // namespace mines
