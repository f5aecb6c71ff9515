// What a chain of the sampler walks on: the mines of every box, and what the total makes of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "numbers.hpp"
#include "sampler.hpp"

namespace mines {

// What the sea makes of the mines that are left for it.
class Sea {
  public:
    explicit Sea(const SampleProblem& problem)
        : cells_(problem.sea), mines_(problem.mines), total_(problem.mines >= 0) {}

    bool total() const { return total_; }
    std::int64_t cells() const { return cells_; }
    bool fits(std::int64_t frontier_mines) const {
        const std::int64_t left = mines_ - frontier_mines;
        return !total_ || (left >= 0 && left <= cells_);
    }
    // As a logarithm. Past its bounds every mine costs `softness`.
    double log_weight(std::int64_t frontier_mines, double softness) const {
        const std::int64_t left = mines_ - frontier_mines;
        const std::int64_t within = std::clamp<std::int64_t>(left, 0, cells_);
        const double ways = log_choose(static_cast<double>(cells_), static_cast<double>(within));
        if (within == left) return ways;
        return ways - softness * static_cast<double>(std::abs(left - within));
    }
    std::int64_t left(std::int64_t frontier_mines) const { return mines_ - frontier_mines; }

  private:
    std::int64_t cells_, mines_;
    bool total_;
};

struct Chain {
    std::vector<std::int32_t> mines;  // of every box
    std::vector<std::int32_t> sums;   // of every constraint
    std::int64_t all = 0;
};

}  // namespace mines
