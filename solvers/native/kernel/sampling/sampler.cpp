#include "sampling/sampler.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "randomness/splitmix.hpp"
#include "sampling/blocks.hpp"
#include "sampling/chain.hpp"
#include "sampling/outside.hpp"
#include "sampling/scatter.hpp"
#include "sampling/sweeps.hpp"

namespace mines {

namespace {

constexpr int drawings = 8;                // layouts of a block drawn in one move
constexpr int rounds = 12;                 // redraws of all loose boxes after a recorded move
constexpr int tries = 400;                 // moves after which a chain must have a layout that fits
constexpr int settling = 48;               // moves in which the weight of a mine is adapted
constexpr double worth_moves = 1500;       // moves for which the allowed work should suffice
constexpr double most_penalty = 12;        // see soften()
constexpr std::size_t most_batches = 8;    // at twice as many batches of a chain, pairs are joined
constexpr std::uint64_t least_moves = 32;  // all chains together; fewer give poor standard errors
constexpr int dropped_of_four = 1;         // of four batches, this many depend on the start
constexpr double between_counts = 2;       // factor for the error between chains, which are few
constexpr double moves_per_layout = 30;    // moves that are worth one independent layout …
constexpr double loose_moves = 10;         // … and how much more they are worth for loose boxes
constexpr double rounded = 1e-9;           // an error below this comes from rounding alone
constexpr double frozen_error = 0.25;      // of a value that changed in no chain

// The values that moves record, summed over batches of moves. All batches have the same length.
// When there are too many batches, neighbouring batches are joined, which doubles this length.
class Batches {
  public:
    explicit Batches(std::size_t values) : values_(values), current_(values, 0.0) {}

    double* current() { return current_.data(); }
    void end_move() {
        if (++in_current_ < length_) return;
        done_.push_back(current_);
        std::fill(current_.begin(), current_.end(), 0.0);
        in_current_ = 0;
        if (done_.size() < 2 * most_batches) return;
        for (std::size_t i = 0; i < most_batches; ++i)
            for (std::size_t v = 0; v < values_; ++v)
                done_[i][v] = done_[2 * i][v] + done_[2 * i + 1][v];
        done_.resize(most_batches);
        length_ *= 2;
    }
    std::uint64_t length() const { return length_; }
    // For every batch: the mean mines of the boxes, and the mean risk of every group outside. The
    // first quarter of the batches is left out, because these batches depend on the start.
    std::vector<std::vector<double>> means(std::size_t boxes, const Outside& outside) const {
        std::vector<std::vector<double>> made;
        for (std::size_t i = done_.size() * dropped_of_four / 4; i < done_.size(); ++i) {
            std::vector<double> mean = done_[i];
            for (double& value : mean) value /= static_cast<double>(length_);
            const std::vector<double> likely(mean.begin() + static_cast<std::ptrdiff_t>(boxes),
                                             mean.end());
            mean.resize(boxes);
            for (std::size_t group = 0; group < outside.groups(); ++group)
                mean.push_back(outside.risk(group, likely.data()));
            made.push_back(std::move(mean));
        }
        return made;
    }

  private:
    std::size_t values_;
    std::vector<double> current_;
    std::vector<std::vector<double>> done_;
    std::uint64_t length_ = 1, in_current_ = 0;
};

class Sampler {
  public:
    Sampler(const SampleProblem& problem, const SampleBounds& bounds)
        : problem_(problem),
          region_(problem.region),
          random_(bounds.seed),
          outside_(problem),
          blocks_(problem, width_for(problem, bounds), random_),
          scatter_(problem) {
        other_mines_.resize(problem.constraint_count());
        std::size_t most_states = 0, most_steps = 0;
        for (const Block& block : blocks_.all()) {
            most_states = std::max(most_states, block.states);
            most_steps = std::max(most_steps, block.steps.size());
        }
        beta_.resize(most_states + 1);
        const int most = *std::max_element(region_.sizes.begin(), region_.sizes.end());
        row_ = static_cast<std::size_t>(most) + 1;
        factors_.resize(most_steps * row_);
        for (auto& drawn : drawn_) drawn.resize(most_steps);
        weights_ = problem.weights;
        tilt_ = std::log(problem.odds);
    }

    std::uint64_t work() const { return work_; }
    const Scatter& loose() const { return scatter_; }

    bool start(Chain& chain, const std::int32_t* given, Patience& patience) {
        chain = Chain{};
        chain.mines.resize(problem_.box_count());
        chain.sums.resize(problem_.constraint_count());
        const double likely = 1 / (1 + std::exp(-tilt_));
        for (std::int32_t b = 0; b < region_.box_count(); ++b) {
            std::int32_t count = 0;
            for (int i = 0; given == nullptr && i < region_.sizes[b]; ++i)
                count += random_.unit() < likely;
            if (given != nullptr) count = given[b];
            if (count < 0 || count > region_.sizes[b]) return false;
            chain.set(region_, b, count);
        }
        if (given != nullptr) return fits(chain);
        for (int attempt = 0; attempt < tries && !fits(chain); ++attempt) {
            soften(std::min(most_penalty, 1 + attempt / 4.0));
            move(chain, 0.3, nullptr, patience);
        }
        weights_ = problem_.weights;
        penalty_ = std::numeric_limits<double>::infinity();
        return fits(chain);
    }

    // Draws the loose boxes (scatter.hpp) after a move of the chain; `record` gets their expected
    // mines.
    void redraw_loose(Chain& chain, double* record, Patience& patience) {
        if (scatter_.empty()) return;
        for (int i = 0; i < rounds; ++i) {
            const std::uint64_t work = scatter_.redraw(chain, random_, 1.0 / rounds, record);
            work_ += work;
            patience.spend(3 * work);
        }
    }

    // Makes one move. If `record` is not null, adds to it the expected mines of every box that is
    // not loose. If there is a total and no box is loose, also adds the probability of every number
    // of mines in all boxes. A positive `gain` adapts the weight of a mine: see adapt().
    void move(Chain& chain, double gain, double* record, Patience& patience) {
        const auto& all = blocks_.all();
        const Block& block = all[random_.below(all.size())];
        free_block(block, chain);
        sum_backward(block);
        const std::uint64_t work = 3 * block.states + 6 * drawings * block.steps.size();
        work_ += work;
        patience.spend(3 * work);
        for (int i = 1; i <= drawings; ++i) draw(block, i);
        weigh(block.steps.size());
        if (gain > 0 && outside_.total()) adapt(gain);
        if (record != nullptr) keep_weighted(block, chain, record);
        take(block, chain);
    }

  private:
    // Returns the allowed width of blocks. Wide blocks depend less on the previous layout. But if
    // little work is allowed, many moves with narrow blocks are better.
    static double width_for(const SampleProblem& problem, const SampleBounds& bounds) {
        const double boxes = static_cast<double>(problem.box_count()) + 1;
        return std::clamp(static_cast<double>(bounds.work) / (boxes * worth_moves), 8.0, 256.0);
    }
    bool fits(const Chain& chain) const {
        for (std::int32_t c = 0; c < region_.constraint_count(); ++c)
            if (problem_.weights_of(c)[chain.sums[c]] == 0.0) return false;
        return outside_.fits(chain.all);
    }

    // Makes the weights of constraints positive even for numbers of mines outside their bounds.
    // With n mines too few or too many, the weight is exp(-penalty * n).
    void soften(double penalty) {
        penalty_ = penalty;
        for (std::int32_t c = 0; c < region_.constraint_count(); ++c)
            for (std::int32_t m = 0; m <= region_.cells_of(c); ++m) {
                const std::int32_t off = std::max({region_.low[c] - m, m - region_.high[c], 0});
                weights_[problem_.first_weight[c] + m] =
                    off == 0 ? problem_.weights_of(c)[m] : std::exp(-penalty * off);
            }
    }

    // Computes, for each constraint, its mines outside the block. Stores the present mines of the
    // block as drawing 0, because the chain may keep them in place of a new drawing.
    void free_block(const Block& block, const Chain& chain) {
        for (const std::int32_t c : block.constraints) other_mines_[c] = chain.sums[c];
        fixed_mines_ = chain.all;
        for (std::size_t i = 0; i < block.steps.size(); ++i) {
            const std::int32_t mines = chain.mines[block.steps[i].box];
            drawn_[0][i] = mines;
            fixed_mines_ -= mines;
            if (mines == 0) continue;
            for (const std::int32_t c : region_.constraints_of(block.steps[i].box))
                other_mines_[c] -= mines;
        }
    }

    const double* weights_of(std::int32_t c) const {
        return weights_.data() + problem_.first_weight[c] + other_mines_[c];
    }

    // Computes beta_[state]: the weight of all ways from the state to the end, up to a factor for
    // each step.
    void sum_backward(const Block& block) {
        beta_[block.states] = 1;
        double scale = 1;
        for (std::size_t at = block.steps.size(); at-- > 0;) {
            const BlockStep& step = block.steps[at];
            const int size = region_.sizes[step.box];
            double* factor = factors_.data() + at * row_;
            weigh_box(block, step, factor);
            const double* after = beta_.data() + step.beta + step.states;
            double* here = beta_.data() + step.beta;
            const std::int32_t* next = block.next.data() + step.next;
            double greatest = 0;
            for (std::int32_t state = 0; state < step.states; ++state) {
                double sum = 0;
                for (int k = 0; k <= size; ++k) {
                    double term = factor[k];
                    if (term == 0.0) continue;
                    term *= after[next[state] + k * step.stride];
                    sum += term == 0.0 ? 0.0 : term * close(block, step, state, k);
                }
                here[state] = sum * scale;
                greatest = std::max(greatest, here[state]);
            }
            scale = greatest > 0 ? 1 / greatest : 1;
        }
    }

    // Computes factor[k]: the weight of k mines in the box, including the weights of the
    // constraints that have no other box in the block.
    void weigh_box(const Block& block, const BlockStep& step, double* factor) const {
        const int size = region_.sizes[step.box];
        double ways = 1;
        for (int k = 0; k <= size; ++k) {
            factor[k] = ways * std::exp(tilt_ * k);
            ways = ways * (size - k) / (k + 1);
            for (int i = 0; i < step.alone_count; ++i)
                factor[k] *= weights_of(block.alone[step.first_alone + i])[k];
        }
    }

    double close(const Block& block, const BlockStep& step, std::int32_t state, int k) const {
        double weight = 1;
        for (int i = 0; i < step.closing_count; ++i) {
            const Closing& closing = block.closing[step.first_closing + i];
            weight *= weights_of(closing.constraint)[block.counts[closing.counts + state] + k];
        }
        return weight;
    }

    void draw(const Block& block, int number) {
        std::int32_t state = 0;
        for (std::size_t at = 0; at < block.steps.size(); ++at) {
            const BlockStep& step = block.steps[at];
            const int size = region_.sizes[step.box];
            const double* factor = factors_.data() + at * row_;
            const double* after = beta_.data() + step.beta + step.states;
            const std::int32_t next = block.next[step.next + state];
            double terms[max_terms];
            double sum = 0;
            for (int k = 0; k <= size; ++k) {
                const double reached = after[next + k * step.stride];
                const double term =
                    reached == 0.0 ? 0.0 : factor[k] * reached * close(block, step, state, k);
                sum += term;
                terms[std::min(k, max_terms - 1)] = sum;
            }
            const double mark = random_.unit() * sum;
            int k = 0;
            while (k < size && terms[k] <= mark) ++k;
            drawn_[number][at] = k;
            state = next + k * step.stride;
        }
    }

    // Computes, for each drawing, the probability that it is the one to be kept.
    void weigh(std::size_t steps) {
        if (!outside_.total()) {
            kept_[0] = 0;
            for (int i = 1; i <= drawings; ++i) kept_[i] = 1.0 / drawings;
            for (int i = 0; i <= drawings; ++i) count_mines(i, steps);
            return;
        }
        double greatest = -std::numeric_limits<double>::infinity();
        for (int i = 0; i <= drawings; ++i) {
            count_mines(i, steps);
            kept_[i] =
                outside_.log_weight(all_[i], penalty_) - tilt_ * static_cast<double>(all_[i]);
            greatest = std::max(greatest, kept_[i]);
        }
        double sum = 0;
        for (int i = 0; i <= drawings; ++i) sum += kept_[i] = std::exp(kept_[i] - greatest);
        for (int i = 0; i <= drawings; ++i) kept_[i] /= sum;
    }

    void count_mines(int number, std::size_t steps) {
        all_[number] = fixed_mines_;
        for (std::size_t i = 0; i < steps; ++i) all_[number] += drawn_[number][i];
    }

    // Changes the weight of a mine, so that the mean number of mines in all drawings comes nearer
    // to the mean in kept drawings.
    void adapt(double gain) {
        double kept = 0, mean = 0, squares = 0;
        for (int i = 0; i <= drawings; ++i)
            kept += kept_[i] * static_cast<double>(all_[i] - fixed_mines_);
        for (int i = 1; i <= drawings; ++i) {
            const double mines = static_cast<double>(all_[i] - fixed_mines_);
            mean += mines / drawings;
            squares += mines * mines / drawings;
        }
        const double variance = std::max(1.0, squares - mean * mean);
        tilt_ =
            std::clamp(tilt_ + gain * std::clamp((kept - mean) / variance, -1.0, 1.0), -12.0, 12.0);
    }

    void keep_weighted(const Block& block, const Chain& chain, double* record) const {
        const std::size_t boxes = chain.mines.size();
        for (std::size_t b = 0; b < boxes; ++b)
            if (!scatter_.has(b)) record[b] += chain.mines[b];
        for (std::size_t at = 0; at < block.steps.size(); ++at) {
            if (scatter_.has(block.steps[at].box)) continue;
            double expected = 0;
            for (int i = 0; i <= drawings; ++i) expected += kept_[i] * drawn_[i][at];
            record[block.steps[at].box] += expected - drawn_[0][at];
        }
        if (!scatter_.empty() || !outside_.total()) return;
        for (int i = 0; i <= drawings; ++i) record[boxes + all_[i]] += kept_[i];
    }

    void take(const Block& block, Chain& chain) {
        double mark = random_.unit();
        int number = 0;
        while (number < drawings && (mark -= kept_[number]) >= 0) ++number;
        while (kept_[number] == 0.0) number = (number + drawings) % (drawings + 1);
        for (std::size_t at = 0; at < block.steps.size(); ++at)
            chain.set(region_, block.steps[at].box, drawn_[number][at]);
    }

    static constexpr int max_terms = 4096;  // more than the cells of any box

    const SampleProblem& problem_;
    const Hypergraph& region_;
    Stream random_;
    Outside outside_;
    Blocks blocks_;
    Scatter scatter_;
    std::vector<double> weights_;            // the weights of the problem, or softer weights
    std::vector<std::int32_t> other_mines_;  // per constraint: its mines outside the block
    std::vector<double> beta_, factors_;
    std::vector<std::int32_t> drawn_[drawings + 1];
    double kept_[drawings + 1] = {};
    std::int64_t all_[drawings + 1] = {};
    std::int64_t fixed_mines_ = 0;
    double tilt_ = 0;  // logarithm of the weight of a mine in drawings
    double penalty_ = std::numeric_limits<double>::infinity();  // infinite: nothing is soft
    std::size_t row_ = 1;                                       // factors of a step
    std::uint64_t work_ = 0;
};

// The factor for a standard error from a small sample: Student's quantile divided by the normal
// one. With this factor, the truth is within 1.96 standard errors in 95 of 100 cases. From four
// degrees of freedom on, the formula is right to three digits.
double student(double freedom) {
    freedom = std::max(1.0, freedom);
    return 1 + 1.21 / freedom + 1.44 / (freedom * freedom) + 3.2 / (freedom * freedom * freedom);
}

// By chain, batch and value: the mean of the value.
using Means = std::vector<std::vector<std::vector<double>>>;

// The standard error of a value from its means over whole chains: large if the chains disagree.
double error_between(const Means& all, std::size_t value, double mean) {
    double squares = 0;
    const double count = static_cast<double>(all.size());
    for (const auto& chain : all) {
        double sum = 0;
        for (const auto& batch : chain) sum += batch[value];
        const double off = sum / static_cast<double>(chain.size()) - mean;
        squares += off * off;
    }
    return std::sqrt(squares / (count - 1) / count);
}

// Corrects the mean and the error of one value: the mines of a box, or the risk of a group outside.
// The value lies within `range`. A correction is needed, because draws alone make no value certain.
//
// If the value never changed in any chain, each chain counts as one layout: the layout from which
// the chain started. If the value changed, `moves` moves are still worth only a few independent
// layouts: exact clues connect boxes, so a chain may stay near one layout for a long time. In both
// cases, two more layouts are imagined in which the value is range.low + usual * range.span. The
// caller passes the same `usual` for every value: the share of mines among the cells of all boxes.
// So the sum of the mines of all boxes hardly changes.
void doubt(const Range& range, double usual, double moves, double& mean, double& error) {
    if (range.span < rounded) return;  // this value is the same in every layout
    double part = (mean - range.low) / range.span, part_error = error / range.span;
    if (part_error < rounded || part <= 0 || part >= 1) {
        part = (chains * part + 2 * usual) / (chains + 2);
        part_error = std::max(part_error, frozen_error);
    } else {
        const double layouts = moves / moves_per_layout;
        part = (layouts * part + 2 * usual) / (layouts + 2);
        part_error = std::hypot(part_error, std::sqrt(part * (1 - part) / (layouts + 1)));
    }
    mean = range.low + range.span * part;
    error = range.span * part_error;
}

// Computes the mean and the standard error of one value from the batches of all chains.
//
// Consecutive batches are correlated, so twice their covariance is added to the variance. A
// negative covariance is added, too; without it, errors would be too large for independent batches.
// Measuring deviations from the common mean makes variance and covariance too small. Dividing by
// the number of batches minus 3 corrects that. Twice the covariance varies twice as much as the
// variance. The sum of both varies three times as much, so it has a third of the degrees of
// freedom.
void sum_up(const Means& all, std::size_t value, double& mean, double& error) {
    double sum = 0, squares = 0, products = 0;
    double batches = 0;
    for (const auto& chain : all)
        for (const auto& batch : chain) sum += batch[value], batches += 1;
    mean = sum / batches;
    for (const auto& chain : all) {
        double before = 0;
        for (const auto& batch : chain) {
            const double off = batch[value] - mean;
            squares += off * off;
            products += before * off;
            before = off;
        }
    }
    const double variance = std::max(squares + 2 * products, squares / 2) / (batches - 3);
    error = std::hypot(std::sqrt(variance / batches) * student(batches / 3 - 1),
                       between_counts * error_between(all, value, mean));
}

SampleResult result_of(const std::vector<Batches>& all, const SampleProblem& problem,
                       const Scatter& loose) {
    const std::size_t boxes = problem.box_count();
    const Outside outside(problem);
    const std::vector<Range> ranges = outside.ranges();
    SampleResult result;
    result.started = true;
    result.means.resize(ranges.size());
    result.errors.resize(ranges.size());
    Means means;
    for (const Batches& chain : all) {
        means.push_back(chain.means(boxes, outside));
        result.batches += static_cast<std::int32_t>(means.back().size());
        result.moves += means.back().size() * chain.length();
    }
    double mines = 0, cells = 0;
    for (std::size_t v = 0; v < ranges.size(); ++v) {
        sum_up(means, v, result.means[v], result.errors[v]);
        if (v < boxes) mines += result.means[v] - ranges[v].low, cells += ranges[v].span;
    }
    const double usual = std::clamp(cells > 0 ? mines / cells : 0.5, 0.01, 0.99);
    for (std::size_t v = 0; v < ranges.size(); ++v) {
        const bool tied = v < boxes && !loose.has(v);
        const double moves = static_cast<double>(result.moves);
        doubt(ranges[v], usual, tied ? moves : moves * loose_moves, result.means[v],
              result.errors[v]);
    }
    return result;
}

// The result if there are no boxes to draw.
SampleResult only_outside(const SampleProblem& problem) {
    const Outside outside(problem);
    SampleResult result;
    result.started = outside.fits(0);
    result.means = problem.risks;  // one per group: without boxes, the only entry is for 0 mines
    result.errors.assign(result.means.size(), 0.0);
    return result;
}

}  // namespace

void SampleProblem::index() {
    for (std::size_t c = 0; c < constraint_count(); ++c) {
        const double* from = weights.data() + first_weight[c];
        const std::int32_t count = first_weight[c + 1] - first_weight[c];
        std::int32_t low = 0, high = count - 1;
        while (low < high && from[low] == 0.0) ++low;
        while (high > low && from[high] == 0.0) --high;
        region.low.push_back(low);
        region.high.push_back(high);
        const bool alike = std::all_of(from + low, from + high + 1,
                                       [&](double weight) { return weight == from[low]; });
        if (!alike)
            region.weights.resize(region.weights.size() + static_cast<std::size_t>(count), 1);
        region.first_weight.push_back(static_cast<std::int32_t>(region.weights.size()));
    }
    region.index();
}

// Estimates the risks by chains. sample() calls this if sweeps fail or are not allowed.
static SampleResult walk(const SampleProblem& problem, const SampleBounds& bounds,
                         const std::vector<std::int32_t>& starts, Patience& patience) {
    using Clock = Patience::Clock;
    const Clock::time_point begin = Clock::now();
    const auto used = [&](const Sampler& sampler, std::uint64_t moves, double part) {
        const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
        return static_cast<double>(moves) >= part * static_cast<double>(bounds.moves) ||
               static_cast<double>(sampler.work()) >= part * static_cast<double>(bounds.work) ||
               seconds >= part * bounds.seconds;
    };
    const std::size_t boxes = problem.box_count();
    Sampler sampler(problem, bounds);
    std::vector<Chain> running(chains);
    for (int i = 0; i < chains; ++i) {
        const std::size_t given = starts.size() / boxes;  // number of given layouts, used in turn
        const std::int32_t* from =
            given > 0 ? starts.data() + static_cast<std::size_t>(i) % given * boxes : nullptr;
        if (!sampler.start(running[i], from, patience)) return {};
    }
    for (int i = 0; i < settling && !used(sampler, 0, 0.25); ++i)
        for (Chain& chain : running) sampler.move(chain, 1.0 / (2 + i), nullptr, patience);
    std::vector<Batches> batches(chains, Batches(boxes + Outside(problem).counts()));
    std::uint64_t moves = 0;
    while (moves < least_moves || !used(sampler, moves, 1.0)) {
        for (int i = 0; i < chains; ++i) {
            sampler.move(running[i], 0, batches[i].current(), patience);
            sampler.redraw_loose(running[i], batches[i].current(), patience);
            batches[i].end_move();
        }
        moves += chains;
    }
    return result_of(batches, problem, sampler.loose());
}

SampleResult sample(const SampleProblem& problem, const SampleBounds& bounds,
                    const std::vector<std::int32_t>& starts, Patience& patience) {
    if (problem.region.sizes.empty()) return only_outside(problem);
    if (!Outside(problem).fits_any()) return {};
    const Patience::Clock::time_point begin = Patience::Clock::now();
    Stream random(bounds.seed);
    std::vector<std::int32_t> reached;
    SampleResult swept;
    if (bounds.sweeps) swept = sweep(problem, bounds, random, reached, patience);
    if (swept.started) return swept;
    SampleBounds left = bounds;
    const std::chrono::duration<double> spent = Patience::Clock::now() - begin;
    left.seconds = std::max(0.0, bounds.seconds - spent.count());
    left.work -= std::min(bounds.work, swept.work);
    return walk(problem, left, starts.empty() ? reached : starts, patience);
}

}  // namespace mines
