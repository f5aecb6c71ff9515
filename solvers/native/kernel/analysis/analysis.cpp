#include "analysis/analysis.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

namespace mines {

namespace {

constexpr double worth_pairs = 400;         // at a higher cost, pairs of clues are tried first
constexpr double long_work = 4000;          // at a higher cost, counting is announced as long work
constexpr std::int32_t long_board = 20000;  // a board with more cells is announced as long work
constexpr std::int32_t worth_remembering =
    20;  // boxes; to count a smaller region is faster than to find it in the Memory
constexpr double most_odds_bits = 800;        // largest |log2| of the weight of a box
constexpr std::size_t kept_bytes = 16 << 20;  // most that a buffer keeps between analyses
constexpr double accepted = 1e-9;             // tolerance for sums of probabilities

}  // namespace

const Constraint& Workspace::only_constraint(const Region& region) const {
    return frontier_.constraints[frontier_.region_constraints[region.first_constraint]];
}

// Whether a region has one box and one exact constraint. Then its number of mines is known, and the
// risk of its cells is a simple fraction.
bool Workspace::trivial(const Region& region) const {
    if (region.box_count != 1) return false;
    const Constraint& c = only_constraint(region);
    return c.low == c.high;
}

// Returns a number of bits so that all coefficients are within 2^-bits .. 2^bits: a cell at most
// doubles the number of layouts, and a noisy clue weighs at least 1 / (largest clue + 1).
double Workspace::region_bits(const Region& region, Model model) const {
    if (model == Model::exact) return region.cells;
    std::int64_t clues = 0;
    for (const std::int32_t constraint : frontier_.constraints_in(region))
        clues += frontier_.clues_of(constraint);
    return region.cells + (std::log2(grid.largest_clue() + 1) + 0.03) * static_cast<double>(clues);
}

// Orders the boxes of every region that is not trivial, and adds up the costs of the eliminations.
// A region whose count is in the Memory costs nothing.
void Workspace::order_regions(Memory* memory, bool thorough, Patience& patience) {
    cost_ = 0;
    order_.begin_board();
    entries_.need(frontier_.region_count);
    for (std::int32_t i = 0; i < frontier_.region_count; ++i) {
        const Region& region = frontier_.regions[i];
        entries_[i] = nullptr;
        if (trivial(region)) continue;
        if (memory != nullptr && region.box_count >= worth_remembering) {
            entries_[i] = &memory->find(frontier_, region);
            cost_ += order_remembered(region, *entries_[i], patience);
        } else {
            cost_ += order_region(region, thorough, patience);
        }
    }
}

double Workspace::order_region(const Region& region, bool thorough, Patience& patience) {
    return order_.choose(frontier_, frontier_.constraints_in(region),
                         frontier_.region_boxes.data() + region.first_box, region.box_count,
                         frontier_.constraint_count, frontier_.box_count, thorough, patience);
}

// Plans the elimination of a region, unless its entry in the Memory has a plan. Returns the cost
// of the elimination, or 0 if the entry has the count. In the entry, box i is the box at index i of
// the frontier's list of the boxes of this region. This function leaves that list as it was.
double Workspace::order_remembered(const Region& region, Memory::Entry& entry, Patience& patience) {
    if (entry.counted || entry.trace.step_count > 0) return entry.counted ? 0 : entry.cost;
    std::int32_t* listed = frontier_.region_boxes.data() + region.first_box;
    numbers_.need(frontier_.box_count + region.box_count);
    std::int32_t* saved = numbers_.data() + frontier_.box_count;
    std::copy(listed, listed + region.box_count, saved);
    for (std::int32_t i = 0; i < region.box_count; ++i) numbers_[listed[i]] = i;
    entry.cost = order_region(region, true, patience);
    entry.trace.wide = region_bits(region, Model::exact) > bits_in_double;
    if (entry.cost > long_work) entry.trace.counting = Counting::outside_exact;
    entry.elimination.plan(frontier_, region, entry.trace);
    entry.elimination.relabel(entry.trace, numbers_.data());
    std::copy(saved, saved + region.box_count, listed);
    return entry.cost;
}

Status Workspace::prepare(const Question& question, Patience& patience) {
    if (!propagation_.single(grid, question.model)) return Status::contradiction;
    if (!frontier_.build(grid, propagation_, question.model)) return Status::contradiction;
    const bool exact = question.model == Model::exact;
    Memory* memory = exact ? question.memory : nullptr;
    order_regions(nullptr, false, patience);
    if (cost_ <= worth_pairs && memory == nullptr) return Status::fits;
    if (exact && cost_ > worth_pairs &&
        propagation_.pairs(grid, frontier_.clues.data(), frontier_.constraint_count)) {
        if (!propagation_.survey(grid, question.model)) return Status::contradiction;
        if (!frontier_.build(grid, propagation_, question.model)) return Status::contradiction;
    }
    order_regions(memory, true, patience);
    return Status::fits;
}

void Workspace::add_leaf(std::int32_t region, Model model) {
    const Memory::Entry* entry = entries_[region];
    const Elimination& counted = entry != nullptr ? entry->elimination : elimination_;
    const Trace& trace = traces_[region];
    Leaf& leaf = leaves_.need(leaf_count_ + 1)[leaf_count_];
    leaf = Leaf{};
    if (trace.wide)
        leaf.wide = counted.wide(trace);
    else
        leaf.narrow = counted.narrow(trace);
    leaf.low = trace.polynomial.low;
    leaf.length = trace.polynomial.length;
    leaf.bits = region_bits(frontier_.regions[region], model);
    ++leaf_count_;
}

Status Workspace::eliminate_remembered(Memory::Entry& entry, const Limits& limits,
                                       Patience& patience) {
    if (entry.counted) return Status::fits;
    const Status status = entry.elimination.forward(entry.trace, {}, limits, patience);
    states_ += entry.elimination.states();
    if (status != Status::fits) {
        widest_ = entry.elimination.widest();
        entry.elimination.reset();
        entry.trace = Trace{};
        return status;
    }
    entry.counted = true;
    entry.elimination.drop_forward_scratch();
    return Status::fits;
}

// Decides which mines the coefficients count. Cheap eliminations count all mines. Expensive ones
// count the mines outside some exact constraints if there is a total, if a Memory keeps the trace,
// or if the odds are so extreme that weights may not fit into doubles. In all other cases,
// expensive eliminations count no mines.
Counting Workspace::counting_for(const Question& question) const {
    if (cost_ <= long_work) return Counting::all;
    // A box with n mines weighs odds^n, which must fit into a double. A box has at most as many
    // mines as the largest clue.
    const bool extreme =
        std::abs(std::log2(question.prior.odds)) * grid.largest_clue() > most_odds_bits;
    const bool kept = question.memory != nullptr;
    return question.prior.total || kept || extreme ? Counting::outside_exact : Counting::none;
}

Status Workspace::eliminate_region(const Question& question, const Region& region,
                                   std::int32_t index, const Run& run, Patience& patience) {
    const std::uint64_t held = std::min(held_bytes_, question.max_bytes);
    const Limits limits{question.max_states, question.max_bytes - held};
    Trace& trace = traces_[index];
    if (Memory::Entry* entry = entries_[index]) {
        const Status status = eliminate_remembered(*entry, limits, patience);
        held_bytes_ += entry->elimination.bytes();
        trace = entry->trace;
        return status;
    }
    trace = Trace{};
    trace.counting = counting_for(question);
    if (trace.counting == Counting::none) trace.odds = run.odds;
    trace.wide =
        region_bits(region, question.model) + region.cells * std::abs(std::log2(trace.odds)) >
        bits_in_double;
    elimination_.plan(frontier_, region, trace);
    const Status status = elimination_.forward(
        trace, run.weighted ? frontier_.likelihoods() : Likelihoods{}, limits, patience);
    if (status == Status::too_wide) widest_ = elimination_.widest();
    return status;
}

// Counts the ways to place the mines of a trivial region, and subtracts them from the mines left.
void Workspace::add_trivial(const Region& region) {
    const Constraint& c = only_constraint(region);
    mines_left_ -= c.low;
    fixed_ways_ *= choose_from(c.cells)[c.low];
    if (fixed_ways_ > 1e250) fixed_log_ += std::log(fixed_ways_), fixed_ways_ = 1;
}

// Counts the regions. Afterwards leaves_ has one entry for each counted region; trivial regions and
// regions that are too wide have none.
Status Workspace::eliminate_regions(const Question& question, const Run& run, Patience& patience) {
    elimination_.reset();
    states_ = 0;
    fixed_log_ = 0;
    fixed_ways_ = 1;
    mines_left_ = question.prior.mines - frontier_.known_mines;
    bits_ = static_cast<double>(frontier_.sea);
    traces_.need(frontier_.region_count);
    leaf_regions_.need(frontier_.region_count);
    skipped_count_ = 0;
    held_bytes_ = 0;
    std::int32_t counted = 0;
    for (std::int32_t i = 0; i < frontier_.region_count; ++i) {
        const Region& region = frontier_.regions[i];
        if (trivial(region)) {
            add_trivial(region);
            continue;
        }
        const Status status = eliminate_region(question, region, i, run, patience);
        if (status == Status::too_wide && question.count_others) {
            skipped_.need(skipped_count_ + 1)[skipped_count_] = i;
            ++skipped_count_;
            continue;
        }
        if (status != Status::fits) return status;
        leaf_regions_[counted++] = i;
        bits_ += region_bits(region, question.model);
    }
    fixed_log_ += std::log(fixed_ways_);
    leaf_count_ = 0;  // leaves point to coefficients, which do not move from now on
    for (std::int32_t i = 0; i < counted; ++i) add_leaf(leaf_regions_[i], question.model);
    return skipped_count_ > 0 ? Status::too_wide : Status::fits;
}

Combined Workspace::combine(const Question& question, bool weights, Patience& patience) {
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
        result = combine_.tilted(leaves_.data(), leaf_count_, mines_left_, frontier_.sea, weights,
                                 patience);
    result.log_scale += fixed_log_;
    return result;
}

void Workspace::share_remembered(const Region& region, Memory::Entry& entry, const Leaf& leaf,
                                 Patience& patience) {
    Share* shares = region_shares_.need(region.box_count);
    entry.elimination.backward(entry.trace, {}, leaf.weights(), shares, patience);
    for (std::int32_t i = 0; i < region.box_count; ++i)
        shares_[frontier_.region_boxes[region.first_box + i]] = shares[i];
}

Share Workspace::trivial_share(const Region& region) const {
    const Constraint& c = only_constraint(region);
    return {static_cast<double>(c.low) / c.cells, verdict_from(c.low != 0, c.low != c.cells)};
}

void Workspace::share_out(const Question& question, Patience& patience) {
    const Likelihoods likelihoods =
        question.model == Model::exact ? Likelihoods{} : frontier_.likelihoods();
    shares_.need(frontier_.box_count);
    for (std::int32_t i = 0; i < leaf_count_; ++i) {
        Trace& trace = traces_[leaf_regions_[i]];
        if (Memory::Entry* entry = entries_[leaf_regions_[i]]) {
            share_remembered(frontier_.regions[leaf_regions_[i]], *entry, leaves_[i], patience);
            trace = entry->trace;
        } else {
            elimination_.backward(trace, likelihoods, leaves_[i].weights(), shares_.data(),
                                  patience);
        }
    }
    for (std::int32_t i = 0; i < frontier_.region_count; ++i) {
        const Region& region = frontier_.regions[i];
        if (trivial(region))
            shares_[frontier_.region_boxes[region.first_box]] = trivial_share(region);
    }
}

// A bound on the error of a probability in the regions. No number is negative, so errors only add
// up: those of the coefficients of all regions, and those of the backward pass of one region.
double Workspace::region_error() const {
    double all = 0, own = 0;
    for (std::int32_t i = 0; i < leaf_count_; ++i) {
        const Trace& trace = traces_[leaf_regions_[i]];
        all += trace.forward_depth;
        own = std::max(own, trace.backward_depth);
    }
    return rounding * (all + own);
}

// Checks two facts that hold for every correct answer: the sum of the probabilities in each
// constraint is within its bounds and, with a total, the sum on the whole board is the number of
// mines left. An answer that fails this check gets the status `fault`.
bool Workspace::adds_up(const Question& question, const Answer& answer) const {
    const auto mines_in = [&](std::int32_t box) {
        return shares_[box].probability * frontier_.boxes[box].size;
    };
    bool good = true;
    for (std::int32_t i = 0; i < frontier_.constraint_count; ++i) {
        const Constraint& c = frontier_.constraints[i];
        if (c.box_count == 0) continue;
        double sum = 0;
        for (const std::int32_t box : frontier_.boxes_of(c)) sum += mines_in(box);
        good &= sum >= c.low - accepted && sum <= c.high + accepted;
    }
    if (!question.prior.total) return good;
    double sum = answer.sea_probability * static_cast<double>(frontier_.sea);
    for (std::int32_t i = 0; i < frontier_.box_count; ++i) sum += mines_in(i);
    const double wanted = static_cast<double>(question.prior.mines - frontier_.known_mines);
    return good && std::abs(sum - wanted) <= accepted * (1 + wanted);
}

void Workspace::place_sea(double* probabilities, const Answer& answer) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    double value[256];  // index: the code as an unsigned byte
    std::fill(value, value + 256, nan);
    value[static_cast<std::uint8_t>(proved_safe)] = 0.0;
    value[static_cast<std::uint8_t>(proved_mine)] = 1.0;
    value[static_cast<std::uint8_t>(hidden)] = answer.sea_probability;
    for (std::int32_t r = 0; r < grid.rows; ++r) {
        const std::int8_t* const code = grid.row(r);
        double* const out = probabilities + static_cast<std::int64_t>(r) * grid.cols;
        std::int32_t c = 0;
        for (; c + 8 <= grid.cols; c += 8) {
            std::uint64_t codes;
            std::memcpy(&codes, code + c, 8);
            for (int i = 0; i < 8; ++i) out[c + i] = value[codes >> 8 * i & 255];
        }
        for (; c < grid.cols; ++c) out[c] = value[static_cast<std::uint8_t>(code[c])];
    }
}

// Writes the probabilities, and gives every frontier cell in the grid a code for its verdict. The
// cells of the sea stay hidden even if they are certain; the answer has their verdict.
void Workspace::settle(double* probabilities, const Answer& answer) {
    place_sea(probabilities, answer);
    for (std::int32_t i = 0; i < frontier_.box_count; ++i) {
        const Box& box = frontier_.boxes[i];
        const Share& share = shares_[i];
        for (const std::int32_t at : frontier_.positions_of(box)) {
            probabilities[grid.plain(at)] = share.probability;
            grid.code()[at] = share.verdict == Verdict::safe   ? proved_safe
                              : share.verdict == Verdict::mine ? proved_mine
                                                               : frontier_open;
        }
    }
}

LowestRisks Workspace::lowest_risks(const Answer& answer) const {
    LowestRisks found;
    const auto take = [&](double risk, std::int64_t cells) {
        if (cells == 0 || !(risk < found.second)) return;
        found.second = cells > 1 ? risk : std::max(risk, found.least);
        found.least = std::min(risk, found.least);
    };
    const std::int8_t* at = grid.code();
    for (int i = 0; i < 2 && at != nullptr; ++i) {
        const std::ptrdiff_t left = grid.code() + grid.size - at;
        at = static_cast<const std::int8_t*>(std::memchr(
            at, static_cast<unsigned char>(proved_safe), static_cast<std::size_t>(left)));
        if (at != nullptr) take(0.0, 1), ++at;
    }
    take(answer.sea_probability, frontier_.sea);
    for (std::int32_t i = 0; i < frontier_.box_count; ++i)
        take(shares_[i].probability, frontier_.boxes[i].size);
    return found;
}

Answer Workspace::analyse(const Question& question, double* probabilities, Patience& patience) {
    Answer found;
    try {
        const Memory::Visit visit(question.memory);
        Question asked = question;
        asked.memory = visit.memory;
        found = answer(asked, probabilities, patience);
    } catch (const Interrupted&) {
        found.status = Status::interrupted;
    } catch (const OutOfTime&) {
        found.status = Status::out_of_time;
    }
    elimination_.trim(kept_bytes);
    return found;
}

Answer Workspace::answer(const Question& question, double* probabilities, Patience& patience) {
    Answer answer;
    if (grid.size > long_board) patience.announce();
    answer.status = prepare(question, patience);
    if (answer.status != Status::fits) return answer;
    if (cost_ > long_work) patience.announce();
    const bool noisy = question.model != Model::exact;
    const double odds = question.prior.total ? 1.0 : question.prior.odds;
    answer.status = eliminate_regions(question, Run{noisy, odds}, patience);
    answer.states = states_ + elimination_.states();
    if (answer.status == Status::too_wide) answer.states = widest_;
    if (answer.status == Status::too_wide && skipped_count_ > 0)
        return answer_others(question, answer, probabilities, patience);
    if (answer.status != Status::fits) return answer;
    const bool risks = question.depth != Depth::count;
    answer.combined = combine(question, risks, patience);
    answer.sea_probability = answer.combined.sea_probability;
    answer.sea_verdict = frontier_.sea > 0 ? answer.combined.sea_verdict : Verdict::open;
    if (!answer.combined.fits) {
        answer.status = Status::contradiction;
        return answer;
    }
    if (risks) {
        share_out(question, patience);
        // `rounding` is always added: even the share of a trivial region is rounded.
        answer.error = rounding + region_error() + answer.combined.error;
        if (!adds_up(question, answer)) answer.status = Status::fault;
        if (question.depth == Depth::cells) settle(probabilities, answer);
    }
    // With likelihoods or odds, the regions were counted in weights. Then they are counted again
    // without weights, to get the number of layouts.
    const bool weighed = odds != 1.0 && counting_for(question) == Counting::none;
    if (answer.status == Status::fits && (noisy || weighed)) {
        answer.status = eliminate_regions(question, Run{false, 1.0}, patience);
        if (answer.status == Status::fits) answer.combined = combine(question, false, patience);
    }
    return answer;
}

// Completes the answer if some regions are too wide: computes the risks of all cells outside them.
Answer Workspace::answer_others(const Question& question, Answer answer, double* probabilities,
                                Patience& patience) {
    Question apart = question;  // these risks do not use the total
    assert(skipped_count_ > 0);
    if (question.prior.total) apart.prior = Prior{};
    const Combined combined = combine(apart, true, patience);
    answer.sea_probability = combined.sea_probability;
    share_out(apart, patience);
    const double unknown = std::numeric_limits<double>::quiet_NaN();
    for (std::int32_t i = 0; i < skipped_count_; ++i) {
        const Region& region = frontier_.regions[skipped_[i]];
        for (const std::int32_t box : frontier_.boxes_in(region))
            shares_[box] = {unknown, Verdict::open};
    }
    answer.error = rounding + region_error() + combined.error;
    settle(probabilities, answer);
    return answer;
}

}  // namespace mines
