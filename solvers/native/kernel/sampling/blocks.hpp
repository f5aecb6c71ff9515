// Blocks of boxes that are drawn exactly, while all other boxes keep their mines (see sampler.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "randomness/splitmix.hpp"
#include "sampling/sampler.hpp"

namespace mines {

// One box of a block. A constraint is open between its first and its last box in the block. Before
// the box is taken, there are `states` states, one for each combination of the numbers of mines
// that the open constraints have so far. Taking k mines leads from state i to state
// `next[i] + k * stride`. Block::closing has the open constraints whose last box this is. For each
// of these constraints, Block::counts has the number of mines so far in every state. Block::alone
// has the constraints with no other box in the block.
struct BlockStep {
    std::int32_t box;
    std::int32_t states;
    std::int32_t stride;
    std::size_t next;  // index into Block::next
    std::size_t beta;  // index of the step's first state among all states of the block
    std::int32_t first_closing, closing_count;
    std::int32_t first_alone, alone_count;
};

struct Closing {
    std::int32_t constraint;
    std::size_t counts;  // index into Block::counts
};

struct Block {
    std::vector<BlockStep> steps;
    std::vector<std::int32_t> next;
    std::vector<std::uint16_t> counts;
    std::vector<Closing> closing;
    std::vector<std::int32_t> alone;
    std::vector<std::int32_t> constraints;  // all constraints that have a box in the block
    std::size_t states = 0;
};

// Plans blocks of a problem; every box is in some block.
class Blocks {
  public:
    // A block has at most `max_width` states at any step, except where a single box needs more.
    Blocks(const SampleProblem& problem, double max_width, Stream& random);

    const std::vector<Block>& all() const { return blocks_; }

  private:
    // While a block is planned, a box is free (in the block), fixed (left out) or still waiting.
    enum Place : std::uint8_t { waiting, free, fixed };

    std::vector<std::int32_t> choose(std::int32_t start, Stream& random);
    void begin_block();
    bool begin_region(std::int32_t turn, std::size_t& looked);
    std::int32_t narrowest(Stream& random) const;
    void decide(std::int32_t box, Place place);
    double width_after(std::int32_t box) const;
    void collect_pool();
    Block build(const std::vector<std::int32_t>& order) const;

    const Hypergraph& region_;
    const double max_width_;
    std::vector<Place> place_;
    std::vector<std::int32_t> taken_;    // per constraint: cells of its boxes in the block
    std::vector<std::int32_t> waiting_;  // per constraint: number of its waiting boxes
    std::vector<std::int32_t> open_;     // constraints that have both free and waiting boxes
    std::vector<std::int32_t> pool_;     // waiting boxes of open constraints
    std::vector<std::uint8_t> pooled_;
    std::vector<Block> blocks_;
};

}  // namespace mines
