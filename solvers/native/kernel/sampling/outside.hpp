// The outside: the cells that the sampler does not draw, namely the sea and the counted regions.
// Cells of the outside with the same risk form a group. The boxes are those that the sampler draws.
// With a total, the counts and risks outside depend only on the number of mines in all boxes
// together. So each table of the outside has one entry for each such number.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <vector>

#include "sampling/sampler.hpp"

namespace mines {

// The values that a mean can have: from `low` to `low + span`.
struct Range {
    double low = 0, span = 1;
};

class Outside {
  public:
    explicit Outside(const SampleProblem& problem) : problem_(problem) {
        const std::int64_t count = static_cast<std::int64_t>(problem.log_ways.size());
        nearest_.assign(problem.log_ways.size(), -1);
        for (std::int64_t n = 0, last = -1; n < count; ++n) nearest_[n] = last = fits(n) ? n : last;
        for (std::int64_t n = count - 1, next = -1; n >= 0; --n) {
            if (fits(n)) next = n;
            if (next >= 0 && (nearest_[n] < 0 || next - n < n - nearest_[n])) nearest_[n] = next;
        }
        if (count == 0 || nearest_[0] < 0) return;
        least_ = nearest_.front();
        most_ = nearest_.back();
    }

    bool total() const { return !problem_.log_ways.empty(); }
    // How many entries each table has: one for each number of mines in the boxes, from 0 on.
    // Without a total, the tables are empty.
    std::size_t counts() const { return problem_.log_ways.size(); }
    // Whether the outside has a layout that fits n mines in the boxes.
    bool fits(std::int64_t n) const { return !total() || std::isfinite(problem_.log_ways[n]); }
    bool fits_any() const { return !total() || nearest_[0] >= 0; }
    std::int64_t least() const { return least_; }
    std::int64_t most() const { return most_; }
    // The logarithm of the number of layouts of the outside that fit n mines in the boxes. If there
    // are none, the logarithm for the nearest number that fits, minus `penalty` for every mine by
    // which this number differs from n; -inf without a `penalty` or if no number fits.
    double log_weight(std::int64_t n,
                      double penalty = std::numeric_limits<double>::infinity()) const {
        const std::int64_t near = nearest_[n];
        if (near == n) return problem_.log_ways[n];
        if (near < 0) return -std::numeric_limits<double>::infinity();
        return problem_.log_ways[near] - penalty * static_cast<double>(std::abs(near - n));
    }

    std::size_t groups() const { return total() ? problem_.risks.size() / counts() : 0; }
    // The risk of a group of cells if likely[n] is the probability of n mines in the boxes.
    double risk(std::size_t group, const double* likely) const {
        const double* risks = problem_.risks.data() + group * counts();
        double sum = 0;
        for (std::size_t n = 0; n < counts(); ++n) sum += likely[n] * risks[n];
        return sum;
    }
    // The possible values of the risk of a group.
    Range range(std::size_t group) const {
        const double* risks = problem_.risks.data() + group * counts();
        double low = std::numeric_limits<double>::infinity(), high = -low;
        for (std::size_t n = 0; n < counts(); ++n)
            if (fits(static_cast<std::int64_t>(n)))
                low = std::min(low, risks[n]), high = std::max(high, risks[n]);
        return {low, high - low};
    }
    // The ranges of all values of an estimate: the mines of the boxes, then the risks of the
    // groups.
    std::vector<Range> ranges() const {
        std::vector<Range> made;
        for (const std::int32_t size : problem_.region.sizes)
            made.push_back({0.0, static_cast<double>(size)});
        for (std::size_t group = 0; group < groups(); ++group) made.push_back(range(group));
        return made;
    }

  private:
    const SampleProblem& problem_;
    std::vector<std::int64_t> nearest_;  // for n mines: the nearest number that fits; -1: none
    std::int64_t least_ = 0, most_ = 0;  // the least and the greatest n that fits
};

}  // namespace mines
