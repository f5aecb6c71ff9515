#include "analysis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mines {

namespace {

constexpr double worth_pairs = 400;         // states from which pairs of clues are tried first
constexpr double long_work = 4000;          // states from which work is announced as long
constexpr std::int32_t long_board = 20000;  // cells from which it is
constexpr std::int32_t worth_remembering =
    20;  // boxes; smaller regions are counted faster than found
constexpr std::size_t kept_bytes = 16 << 20;     // per buffer, between analyses
constexpr std::uint64_t least_bytes = 1ull << 30;  // that one analysis may take for states …
constexpr std::uint64_t state_bytes = 2560;         // … and for each of the states allowed

}  // namespace

// One box, one constraint: its probability is a fraction and its mines are known.
bool Workspace::trivial(const Region& region) const {
    if (region.box_count != 1) return false;
    const Constraint& c =
        frontier_.constraints[frontier_.region_constraints[region.first_constraint]];
    return c.low == c.high;
}

void Workspace::announce(const Question& question) {
    if (announced_ || question.before_long_work == nullptr) return;
    announced_ = true;
    question.before_long_work(question.context);
}

double Workspace::region_bits(const Region& region, Model model) const {
    return region.cells + (model == Model::exact ? 0.0 : 3.2 * region.constraint_count);
}

// Orders every region that has to be counted; those that the memory knows cost nothing.
void Workspace::order_regions(Memory* memory, bool thorough) {
    cost_ = 0;
    entries_.need(frontier_.region_count);
    for (std::int32_t i = 0; i < frontier_.region_count; ++i) {
        const Region& region = frontier_.regions[i];
        entries_[i] = nullptr;
        if (trivial(region)) continue;
        if (memory != nullptr && region.box_count >= worth_remembering) {
            entries_[i] = &memory->find(frontier_, region);
            cost_ += order_remembered(region, *entries_[i]);
        } else {
            cost_ += order_.choose(frontier_, region, thorough);
        }
    }
}

// Plans a new entry with the boxes numbered within the region; the list of boxes keeps its order.
double Workspace::order_remembered(const Region& region, Memory::Entry& entry) {
    if (entry.counted || entry.trace.step_count > 0) return entry.counted ? 0 : entry.cost;
    std::int32_t* listed = frontier_.region_boxes.data() + region.first_box;
    numbers_.need(frontier_.box_count + region.box_count);
    std::int32_t* saved = numbers_.data() + frontier_.box_count;
    std::copy(listed, listed + region.box_count, saved);
    for (std::int32_t i = 0; i < region.box_count; ++i) numbers_[listed[i]] = i;
    entry.cost = order_.choose(frontier_, region, true);
    entry.trace.wide = region_bits(region, Model::exact) > bits_in_double;
    entry.sweep.plan(frontier_, region, entry.trace);
    entry.sweep.relabel(entry.trace, numbers_.data());
    std::copy(saved, saved + region.box_count, listed);
    return entry.cost;
}

Status Workspace::prepare(const Question& question) {
    if (!propagation_.single(grid, question.model)) return Status::contradiction;
    if (!frontier_.build(grid, propagation_, question.model)) return Status::contradiction;
    const bool exact = question.model == Model::exact;
    Memory* memory = exact ? question.memory : nullptr;
    order_regions(nullptr, false);
    if (cost_ <= worth_pairs && memory == nullptr) return Status::fits;
    if (exact && cost_ > worth_pairs &&
        propagation_.pairs(grid, frontier_.clues.data(), frontier_.constraint_count)) {
        if (!propagation_.survey(grid, question.model)) return Status::contradiction;
        if (!frontier_.build(grid, propagation_, question.model)) return Status::contradiction;
    }
    order_regions(memory, true);
    return Status::fits;
}

Sweep& Workspace::sweep_of(std::int32_t region) {
    return entries_[region] != nullptr ? entries_[region]->sweep : sweep_;
}

void Workspace::add_leaf(std::int32_t region, double bits) {
    const Trace& trace = traces_[region];
    Leaf& leaf = leaves_.need(leaf_count_ + 1)[leaf_count_];
    leaf = Leaf{};
    if (trace.wide)
        leaf.wide = sweep_of(region).wide(trace);
    else
        leaf.narrow = sweep_of(region).narrow(trace);
    leaf.low = trace.polynomial.low;
    leaf.length = trace.polynomial.length;
    leaf.bits = bits;
    ++leaf_count_;
}

Status Workspace::sweep_region(const Question& question, const Region& region, std::int32_t index,
                               bool weighted, const Limits& limits) {
    Trace& trace = traces_[index];
    if (Memory::Entry* entry = entries_[index]) {
        if (!entry->counted) {
            const Status status = entry->sweep.forward(entry->trace, nullptr, limits);
            states_ += entry->sweep.states();
            if (status != Status::fits) {
                widest_ = entry->sweep.widest();
                entry->sweep.reset();
                entry->trace = Trace{};
                return status;
            }
            entry->counted = true;
            entry->sweep.drop_forward_scratch();
        }
        trace = entry->trace;
        return Status::fits;
    }
    trace = Trace{};
    trace.wide = region_bits(region, question.model) > bits_in_double;
    sweep_.plan(frontier_, region, trace);
    const Status status =
        sweep_.forward(trace, weighted ? frontier_.likelihoods.data() : nullptr, limits);
    if (status == Status::too_wide) widest_ = sweep_.widest();
    return status;
}

// Counts every region; afterwards leaves_ has one entry for each that is not trivial.
Status Workspace::sweep_regions(const Question& question, bool weighted) {
    sweep_.reset();
    states_ = 0;
    leaf_count_ = 0;
    fixed_log_ = 0;
    mines_left_ = question.prior.mines - frontier_.known_mines;
    bits_ = static_cast<double>(frontier_.sea);
    traces_.need(frontier_.region_count);
    leaf_regions_.need(frontier_.region_count);
    const std::uint64_t bytes =
        std::max(least_bytes, state_bytes * std::min(question.max_states, std::uint64_t{1} << 40));
    const Limits limits{question.max_states, bytes, question.interrupt};
    double ways = 1;
    for (std::int32_t i = 0; i < frontier_.region_count; ++i) {
        const Region& region = frontier_.regions[i];
        if (trivial(region)) {
            const Constraint& c =
                frontier_.constraints[frontier_.region_constraints[region.first_constraint]];
            mines_left_ -= c.low;
            ways *= choose[c.cells][c.low];
            if (ways > 1e250) fixed_log_ += std::log(ways), ways = 1;
            continue;
        }
        const Status status = sweep_region(question, region, i, weighted, limits);
        if (status != Status::fits) return status;
        leaf_regions_[leaf_count_++] = i;
        bits_ += region_bits(region, question.model);
    }
    fixed_log_ += std::log(ways);
    const std::int32_t count = leaf_count_;
    leaf_count_ = 0;  // the coefficients stay where they are from now on
    for (std::int32_t i = 0; i < count; ++i)
        add_leaf(leaf_regions_[i],
                 region_bits(frontier_.regions[leaf_regions_[i]], question.model));
    return Status::fits;
}

Combined Workspace::combine(const Question& question, bool weights) {
    std::int64_t narrow = 0, wide = 0;
    for (std::int32_t i = 0; i < leaf_count_; ++i)
        (leaves_[i].wide ? wide : narrow) += leaves_[i].length;
    double* narrow_at = narrow_weights_.need(narrow);
    Wide* wide_at = wide_weights_.need(wide);
    for (std::int32_t i = 0; i < leaf_count_; ++i) {
        Leaf& leaf = leaves_[i];
        if (leaf.wide)
            leaf.wide_weight = wide_at, wide_at += leaf.length;
        else
            leaf.narrow_weight = narrow_at, narrow_at += leaf.length;
    }
    Combined result;
    if (!question.prior.total)
        result = combine_.independent(leaves_.data(), leaf_count_, question.prior.odds,
                                      frontier_.sea, weights);
    else if (bits_ <= bits_in_double)
        result = combine_.chain(leaves_.data(), leaf_count_, mines_left_, frontier_.sea, weights);
    else
        result = combine_.contour(leaves_.data(), leaf_count_, mines_left_, frontier_.sea, weights);
    result.log_scale += fixed_log_;
    return result;
}

void Workspace::share_remembered(const Region& region, Memory::Entry& entry, const Leaf& leaf) {
    Share* shares = region_shares_.need(region.box_count);
    if (entry.trace.wide)
        entry.sweep.backward(entry.trace, nullptr, leaf.wide_weight, shares);
    else
        entry.sweep.backward(entry.trace, nullptr, leaf.narrow_weight, shares);
    for (std::int32_t i = 0; i < region.box_count; ++i)
        shares_[frontier_.region_boxes[region.first_box + i]] = shares[i];
}

void Workspace::share_out(const Question& question) {
    const Likelihood* likelihoods =
        question.model == Model::exact ? nullptr : frontier_.likelihoods.data();
    shares_.need(frontier_.box_count);
    for (std::int32_t i = 0; i < leaf_count_; ++i) {
        const Trace& trace = traces_[leaf_regions_[i]];
        if (Memory::Entry* entry = entries_[leaf_regions_[i]])
            share_remembered(frontier_.regions[leaf_regions_[i]], *entry, leaves_[i]);
        else if (trace.wide)
            sweep_.backward(trace, likelihoods, leaves_[i].wide_weight, shares_.data());
        else
            sweep_.backward(trace, likelihoods, leaves_[i].narrow_weight, shares_.data());
    }
    for (std::int32_t i = 0; i < frontier_.region_count; ++i) {
        const Region& region = frontier_.regions[i];
        if (!trivial(region)) continue;
        const Constraint& c =
            frontier_.constraints[frontier_.region_constraints[region.first_constraint]];
        const Verdict verdict = c.low == 0         ? Verdict::safe
                                : c.low == c.cells ? Verdict::mine
                                                   : Verdict::open;
        shares_[frontier_.region_boxes[region.first_box]] =
            Share{static_cast<double>(c.low) / c.cells, verdict};
    }
}

void Workspace::place_sea(double* probabilities, const Answer& answer) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    double value[16];  // by code - proved_safe
    std::fill(value, value + 16, nan);
    value[proved_safe - proved_safe] = 0.0;
    value[proved_mine - proved_safe] = 1.0;
    value[hidden - proved_safe] = answer.sea_probability;
    for (std::int32_t r = 0; r < grid.rows; ++r) {
        const std::int8_t* code = grid.row(r);
        double* out = probabilities + static_cast<std::int64_t>(r) * grid.cols;
        for (std::int32_t c = 0; c < grid.cols; ++c) out[c] = value[code[c] - proved_safe];
    }
}

// Writes the probabilities and marks the certain cells in the grid. A certain sea is left to the
// answer's verdict, its cells stay hidden.
void Workspace::settle(double* probabilities, const Answer& answer) {
    place_sea(probabilities, answer);
    for (std::int32_t i = 0; i < frontier_.box_count; ++i) {
        const Box& box = frontier_.boxes[i];
        const Share& share = shares_[i];
        for (int j = 0; j < box.size; ++j) {
            probabilities[grid.plain(box.cells[j])] = share.probability;
            grid.code()[box.cells[j]] = share.verdict == Verdict::safe   ? proved_safe
                                        : share.verdict == Verdict::mine ? proved_mine
                                                                         : frontier_open;
        }
    }
}

Answer Workspace::analyse(const Question& question, double* probabilities) {
    const Memory::Visit visit(question.memory);
    Question asked = question;
    asked.memory = visit.memory;
    const Answer found = answer(asked, probabilities);
    sweep_.trim(kept_bytes);
    return found;
}

Answer Workspace::answer(const Question& question, double* probabilities) {
    Answer answer;
    announced_ = false;
    if (grid.size > long_board) announce(question);
    answer.status = prepare(question);
    if (answer.status != Status::fits) return answer;
    if (cost_ > long_work) announce(question);
    const bool noisy = question.model != Model::exact;
    if (noisy) {
        answer.status = sweep_regions(question, false);
        if (answer.status == Status::fits) answer.combined = combine(question, false);
    }
    if (answer.status == Status::fits) answer.status = sweep_regions(question, noisy);
    answer.states = answer.status == Status::too_wide ? widest_ : states_ + sweep_.states();
    if (answer.status != Status::fits) return answer;
    const Combined combined = combine(question, true);
    if (!noisy) answer.combined = combined;
    answer.sea_probability = combined.sea_probability;
    answer.sea_verdict = frontier_.sea > 0 ? combined.sea_verdict : Verdict::open;
    if (!combined.fits) {
        answer.status = Status::contradiction;
        return answer;
    }
    share_out(question);
    settle(probabilities, answer);
    return answer;
}

}  // namespace mines
