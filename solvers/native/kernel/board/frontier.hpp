// The frontier: constraints, boxes and regions of a propagated grid, and the size of the sea.
//
// Constraints with the same cells are merged. A box holds the cells that lie in exactly the same
// constraints. Constraints and boxes of a region are listed consecutively in `region_constraints`
// and `region_boxes`. Nothing after this file knows about grids.
#pragma once

#include <cstdint>

#include "board/grid.hpp"
#include "board/model.hpp"
#include "board/propagate.hpp"
#include "resources/buffer.hpp"
#include "resources/stretch.hpp"

namespace mines {

struct Constraint {
    std::int32_t position;  // of the clue
    std::int8_t low, high;  // bounds on the mines among its cells
    std::int8_t cells;
    std::int8_t box_count;  // 0 when merged into an equal constraint
    std::int32_t boxes[8];  // ascending
};

struct Box {
    std::uint64_t signature;  // its first constraint, and the offsets of its others
    std::int32_t size;
    std::int32_t constraint_count;
    std::int32_t constraints[8];
    std::int32_t cells[8];  // positions in the grid
};

// The likelihood of a clue for each number of mines in its constraint; only kept for noisy clues.
struct Likelihood {
    double of[9];
};

struct Region {
    std::int32_t first_constraint, constraint_count;
    std::int32_t first_box, box_count;
    std::int32_t cells;
};

struct Frontier {
    Buffer<std::int32_t> constraint_at;
    Buffer<std::int32_t> clues;  // positions of the constraints, before merging
    Buffer<Constraint> constraints;
    Buffer<Likelihood> likelihoods;  // parallel to constraints, noisy models only
    Buffer<Box> boxes;
    Buffer<Region> regions;
    Buffer<std::int32_t> region_constraints;
    Buffer<std::int32_t> region_boxes;
    Buffer<std::uint8_t> seen;
    std::int32_t constraint_count = 0;
    std::int32_t box_count = 0;
    std::int32_t region_count = 0;
    std::int32_t cells = 0;  // in the frontier
    std::int64_t sea = 0;
    std::int64_t known_mines = 0;  // marked, opened and proved

    Stretch constraints_in(const Region& region) const {
        const std::int32_t* first = region_constraints.data() + region.first_constraint;
        return {first, first + region.constraint_count};
    }
    Stretch boxes_in(const Region& region) const {
        const std::int32_t* first = region_boxes.data() + region.first_box;
        return {first, first + region.box_count};
    }

    // The same functions as those of a Hypergraph.
    std::int32_t box_size(std::int32_t box) const { return boxes[box].size; }
    std::int32_t cells_of(std::int32_t constraint) const { return constraints[constraint].cells; }
    std::int32_t low_of(std::int32_t constraint) const { return constraints[constraint].low; }
    std::int32_t high_of(std::int32_t constraint) const { return constraints[constraint].high; }
    Stretch boxes_of(std::int32_t constraint) const {
        const Constraint& c = constraints[constraint];
        return {c.boxes, c.boxes + c.box_count};
    }
    Stretch constraints_of(std::int32_t box) const {
        const Box& b = boxes[box];
        return {b.constraints, b.constraints + b.constraint_count};
    }

    // Builds the frontier from the active clues of `propagation`. False: two constraints over the
    // same cells disagree.
    bool build(const Grid& grid, Propagation& propagation, Model model);

  private:
    void add_constraint(const Grid& grid, std::uint8_t count, Model model, std::int32_t position);
    void find_boxes(const Grid& grid, Propagation& propagation);
    void add_cell(const Grid& grid, const std::uint8_t* active, const std::int32_t* offsets,
                  std::int32_t position);
    void add_cell_by_table(const Grid& grid, const std::uint8_t* active, std::int32_t position);
    bool merge_equal(Model model);
    bool merge(std::int32_t keep, std::int32_t drop, Model model);
    void find_regions();

    Buffer<std::uint8_t> touched_;
};

}  // namespace mines
