// Any region as plain lists: boxes of any size in any number of constraints. The frontier of a grid
// (board/frontier.hpp) has its own type: there a constraint has a position and at most 99 cells.
#pragma once

#include <cstdint>
#include <vector>

#include "resources/stretch.hpp"

namespace mines {

class Hypergraph {
  public:
    std::vector<std::int32_t> sizes;  // the number of cells of each box
    std::vector<std::int32_t> low, high;
    // The boxes of constraint c are members[first[c]..first[c + 1]-1].
    std::vector<std::int32_t> first{0}, members;
    // weights[first_weight[c] + m] is the weight of m mines in constraint c. A constraint without
    // entries has no weights.
    std::vector<std::int32_t> first_weight{0};
    std::vector<std::uint64_t> weights;

    // Fills the other lists. Call this when the lists above are complete.
    void index();
    // The constraints that are connected by boxes with the constraint `first`, nearest first. Sets
    // `seen` for each of them, and skips constraints whose `seen` is already set.
    std::vector<std::int32_t> reached_from(std::int32_t first,
                                           std::vector<std::uint8_t>& seen) const;

    std::int32_t box_count() const { return static_cast<std::int32_t>(sizes.size()); }
    std::int32_t constraint_count() const { return static_cast<std::int32_t>(low.size()); }
    std::int32_t box_size(std::int32_t box) const { return sizes[box]; }
    std::int32_t cells_of(std::int32_t constraint) const { return cells_[constraint]; }
    std::int32_t low_of(std::int32_t constraint) const { return low[constraint]; }
    std::int32_t high_of(std::int32_t constraint) const { return high[constraint]; }
    Stretch boxes_of(std::int32_t constraint) const {
        return {members.data() + first[constraint], members.data() + first[constraint + 1]};
    }
    Stretch constraints_of(std::int32_t box) const {
        return {inside_.data() + first_inside_[box], inside_.data() + first_inside_[box + 1]};
    }
    bool weighted(std::int32_t constraint) const {
        return first_weight[constraint + 1] > first_weight[constraint];
    }
    const std::uint64_t* weights_of(std::int32_t constraint) const {
        return weights.data() + first_weight[constraint];
    }

  private:
    std::vector<std::int32_t> cells_;                  // the number of cells of each constraint
    std::vector<std::int32_t> first_inside_, inside_;  // the constraints of each box
};

// Copies these constraints and boxes of a graph, without weights. `Graph` is a Frontier or a
// Hypergraph. The boxes get new numbers in the order of `boxes`; number[box] becomes the new number
// of a box.
template <class Graph>
Hypergraph part_of(const Graph& graph, Stretch constraints, Stretch boxes, std::int32_t* number) {
    Hypergraph part;
    for (const std::int32_t box : boxes) {
        number[box] = part.box_count();
        part.sizes.push_back(graph.box_size(box));
    }
    for (const std::int32_t c : constraints) {
        for (const std::int32_t box : graph.boxes_of(c)) part.members.push_back(number[box]);
        part.first.push_back(static_cast<std::int32_t>(part.members.size()));
        part.first_weight.push_back(0);
        part.low.push_back(graph.low_of(c));
        part.high.push_back(graph.high_of(c));
    }
    part.index();
    return part;
}

}  // namespace mines
