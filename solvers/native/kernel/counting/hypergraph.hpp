// Any region: boxes of any size in any number of constraints, as plain lists. What the frontier of
// a grid holds in fixed places (board/frontier.hpp) comes without bounds here, so that the
// constraints may come from anywhere.
#pragma once

#include <cstdint>
#include <vector>

#include "resources/stretch.hpp"

namespace mines {

class Hypergraph {
  public:
    std::vector<std::int32_t> sizes;  // of each box
    std::vector<std::int32_t> low, high;
    // The boxes of constraint c are members[first[c]] up to members[first[c + 1]].
    std::vector<std::int32_t> first{0}, members;
    // weights[first_weight[c] + m] is the weight of m mines in constraint c; no entries: all alike.
    std::vector<std::int32_t> first_weight{0};
    std::vector<std::uint64_t> weights;

    // To be called when the lists are complete.
    void index();

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
    std::vector<std::int32_t> cells_;                  // of each constraint
    std::vector<std::int32_t> first_inside_, inside_;  // the constraints of each box
};

}  // namespace mines
