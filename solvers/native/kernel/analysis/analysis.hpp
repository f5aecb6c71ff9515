// One analysis, from the grid to the probabilities. A Workspace owns all buffers of an analysis. It
// serves one analysis at a time and any number of them in succession. A region is *remembered* if
// the question's Memory (memory.hpp) has an entry for it, which may hold its count.
#pragma once

#include <cstdint>

#include "board/frontier.hpp"
#include "board/grid.hpp"
#include "board/model.hpp"
#include "board/propagate.hpp"
#include "combining/combine.hpp"
#include "counting/elimination.hpp"
#include "counting/memory.hpp"
#include "counting/order.hpp"

namespace mines {

// How much an analysis computes. Each depth computes more than the one before, and takes longer.
enum class Depth : std::uint8_t {
    count,  // only how many layouts fit
    risks,  // also the lowest two risks
    cells,  // also the risk and the verdict of every cell
};

struct Question {
    Prior prior;
    Model model = Model::exact;
    std::uint64_t max_states = 0;
    std::uint64_t max_bytes = default_bytes;
    Memory* memory = nullptr;
    Depth depth = Depth::cells;
    // Whether the other regions are counted if some regions are too wide.
    bool count_others = false;
};

// The lowest and the second lowest risk of the hidden cells. Cells that propagation proved to be
// mines do not count. If fewer than two cells remain, a missing risk has the value 2.
struct LowestRisks {
    double least = 2, second = 2;
};

// If the status is `too_wide` and the question set `count_others`, the cells of regions that are
// too wide have the risk nan, and those of the other regions have risks that ignore the total.
struct Answer {
    Status status = Status::fits;
    std::uint64_t states =
        0;              // of all regions; with too_wide: of the region where counting stopped
    Combined combined;  // counts layouts, without likelihoods
    double sea_probability = 0;
    Verdict sea_verdict = Verdict::open;
    double error = 0;  // bounds the error of every probability

    double log_count() const { return combined.log_count(); }
    // The verdict of a cell whose code in the grid is `code` after the analysis.
    Verdict verdict_of(std::int8_t code) const {
        if (code == hidden) return sea_verdict;
        return code == proved_safe   ? Verdict::safe
               : code == proved_mine ? Verdict::mine
                                     : Verdict::open;
    }
};

class Workspace {
  public:
    Grid grid;  // filled in by the caller before analyse()

    // Fills `probabilities` (rows x cols; nan at cells that are not hidden) and rewrites the grid:
    // hidden cells outside the sea get the code proved_mine, proved_safe or frontier_open. Both
    // are valid only if the status is `fits` and the depth is `cells`. (With `count_others`, the
    // probabilities are also valid for the status `too_wide`, see Answer.) The workspace can be
    // used again after an exception.
    Answer analyse(const Question& question, double* probabilities, Patience& patience);

    // The lowest risks, after an analysis of depth `risks` or `cells`.
    LowestRisks lowest_risks(const Answer& answer) const;

    // Propagates the clues of the grid, then finds and orders the regions of the frontier.
    Status prepare(const Question& question, Patience& patience);
    const Frontier& frontier() const { return frontier_; }
    // Whether a region has one box and one exact constraint, so that there is nothing to count.
    bool trivial(const Region& region) const;
    const Constraint& only_constraint(const Region& region) const;

  private:
    void order_regions(Memory* memory, bool thorough, Patience& patience);
    double order_region(const Region& region, bool thorough, Patience& patience);
    double order_remembered(const Region& region, Memory::Entry& entry, Patience& patience);
    // One run through all regions.
    struct Run {
        bool weighted;  // by the likelihoods of noisy clues
        double odds;    // of a mine, if the total is not used
    };
    Status eliminate_region(const Question& question, const Region& region, std::int32_t index,
                            const Run& run, Patience& patience);
    Status eliminate_remembered(Memory::Entry& entry, const Limits& limits, Patience& patience);
    Status eliminate_regions(const Question& question, const Run& run, Patience& patience);
    Counting counting_for(const Question& question) const;
    void add_trivial(const Region& region);
    void add_leaf(std::int32_t region, Model model);
    Combined combine(const Question& question, bool weights, Patience& patience);
    Answer answer(const Question& question, double* probabilities, Patience& patience);
    void share_out(const Question& question, Patience& patience);
    void share_remembered(const Region& region, Memory::Entry& entry, const Leaf& leaf,
                          Patience& patience);
    Share trivial_share(const Region& region) const;
    Answer answer_others(const Question& question, Answer answer, double* probabilities,
                         Patience& patience);
    double region_error() const;
    bool adds_up(const Question& question, const Answer& answer) const;
    void settle(double* probabilities, const Answer& answer);
    void place_sea(double* probabilities, const Answer& answer);
    double region_bits(const Region& region, Model model) const;

    Propagation propagation_;
    Frontier frontier_;
    Order<Frontier> order_;
    Elimination elimination_;
    Combine combine_;
    Buffer<Trace> traces_;          // one per region
    Buffer<std::int32_t> skipped_;  // regions that are too wide
    std::int32_t skipped_count_ = 0;
    Buffer<Memory::Entry*> entries_;  // one per region, null if not remembered
    Buffer<Leaf> leaves_;
    Buffer<std::int32_t> leaf_regions_;
    Buffer<Share> shares_;  // one per box
    Buffer<Share> region_shares_;
    Buffer<std::int32_t> numbers_;  // per box, its place in its region
    Buffer<double> narrow_weights_;
    Buffer<Wide> wide_weights_;
    std::int32_t leaf_count_ = 0;
    std::int64_t mines_left_ = 0;
    std::uint64_t states_ = 0;  // of the remembered regions that this analysis counted
    std::uint64_t widest_ = 0;
    std::uint64_t held_bytes_ = 0;  // taken by remembered regions of this board
    double cost_ = 0, bits_ = 0;
    double fixed_ways_ = 1, fixed_log_ = 0;  // layouts of trivial regions
};

}  // namespace mines
