// The frontier: constraints, boxes and regions of a propagated grid, and the size of the sea.
//
// Constraints with the same cells are merged. A box holds the cells that lie in exactly the same
// constraints. Constraints and boxes of a region are listed consecutively in `region_constraints`
// and `region_boxes`. Counting and combining use the frontier and never the grid.
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
    std::int8_t box_count;   // 0 when merged into an equal constraint
    std::int64_t first_box;  // where the list of its boxes begins
};

struct Box {
    std::uint64_t signature;  // on the square grid: see Frontier::add_cell
    std::int32_t size;
    std::int32_t constraint_count;
    std::int64_t first_constraint, first_cell;  // where the lists begin
};

// The likelihood of each clue for each number of mines in its constraint. Only noisy clues have
// likelihoods. Without them, layouts are counted and not weighed.
struct Likelihoods {
    const double* first = nullptr;
    std::int32_t length = 0;  // how many likelihoods each constraint has

    const double* of(std::int32_t constraint) const {
        return first + static_cast<std::int64_t>(constraint) * length;
    }
};

struct Region {
    std::int32_t first_constraint, constraint_count;
    std::int32_t first_box, box_count;
    std::int32_t cells;
};

struct Frontier {
    Buffer<std::int32_t> constraint_at;
    Buffer<std::int32_t> clues;  // positions of the clues of all constraints, even of merged ones
    Buffer<Constraint> constraints;
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
        return Stretch::of(region_constraints.data(), region.first_constraint,
                           region.constraint_count);
    }
    Stretch boxes_in(const Region& region) const {
        return Stretch::of(region_boxes.data(), region.first_box, region.box_count);
    }

    // These functions have the same names as those of a Hypergraph, so that templates accept both.
    std::int32_t box_size(std::int32_t box) const { return boxes[box].size; }
    std::int32_t cells_of(std::int32_t constraint) const { return constraints[constraint].cells; }
    std::int32_t low_of(std::int32_t constraint) const { return constraints[constraint].low; }
    std::int32_t high_of(std::int32_t constraint) const { return constraints[constraint].high; }
    Stretch boxes_of(std::int32_t constraint) const { return boxes_of(constraints[constraint]); }
    Stretch constraints_of(std::int32_t box) const { return constraints_of(boxes[box]); }

    // These return the boxes of a constraint, in ascending order; the constraints of a box, in
    // ascending order; and the positions of the cells of a box.
    Stretch boxes_of(const Constraint& constraint) const {
        return Stretch::of(constraint_boxes_.data(), constraint.first_box, constraint.box_count);
    }
    Stretch constraints_of(const Box& box) const {
        return Stretch::of(box_constraints_.data(), box.first_constraint, box.constraint_count);
    }
    Stretch positions_of(const Box& box) const {
        return Stretch::of(box_cells_.data(), box.first_cell, box.size);
    }
    // Call these only for noisy clues. A constraint has one likelihood for each number of mines:
    // the product for all clues that were merged into the constraint. clues_of() returns their
    // number.
    Likelihoods likelihoods() const { return {likelihoods_.data(), likelihood_length_}; }
    std::int32_t clues_of(std::int32_t constraint) const { return clue_counts_[constraint]; }

    // Builds the frontier from the active clues of `propagation`, which have hidden cells around
    // them. False: two constraints over the same cells disagree.
    bool build(const Grid& grid, Propagation& propagation, Model model);

  private:
    void add_constraint(const Grid& grid, Around around, Model model, std::int32_t position);
    void find_boxes(const Grid& grid, Propagation& propagation);
    void add_cell(const Grid& grid, const std::uint8_t* active, const std::int32_t* offsets,
                  std::int32_t position);
    void add_cell_by_table(const Grid& grid, const std::uint8_t* active, std::int32_t position);
    void add_box(std::int32_t position, std::uint64_t signature, const std::int32_t* around,
                 int count);
    bool merge_equal(Model model);
    bool merge(std::int32_t keep, std::int32_t drop, Model model);
    void find_regions();

    Buffer<std::uint8_t> touched_;
    // The lists of all constraints and boxes, one after the other. Every list has room for as many
    // entries as it can need.
    Buffer<std::int32_t> constraint_boxes_, box_constraints_, box_cells_;
    std::int64_t constraint_boxes_used_ = 0, box_constraints_used_ = 0, box_cells_used_ = 0;
    Buffer<double> likelihoods_;
    Buffer<std::int32_t> clue_counts_;
    std::int32_t likelihood_length_ = 0;
};

}  // namespace mines
