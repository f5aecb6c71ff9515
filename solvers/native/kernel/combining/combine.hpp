// Combines the regions and the sea under the prior.
//
// A Leaf is a counted region: its polynomial, and room for one weight per coefficient. The weight
// of coefficient m is the weight of the rest of the board if the region has m mines, up to a factor
// for each region. (It is the derivative of the number of layouts with respect to coefficient m.)
// The weight is zero exactly if no layout of the rest fits m mines in the region. Any other weight
// is so large that Elimination::backward() cannot underflow.
//
//   chain        with a total, on boards so small that no count leaves the range of a double
//   tilted       with a total, on any board: gives every mine a weight, the tilt (tilt.hpp), and
//                combines by contour.hpp or, if that is not precise, by tree.hpp
//   independent  with a density
#pragma once

#include <cstdint>

#include "counting/elimination.hpp"
#include "counting/numbers.hpp"
#include "resources/buffer.hpp"
#include "resources/patience.hpp"

namespace mines {

struct Leaf {
    const double* narrow;  // the coefficients: one of these two is null
    const Wide* wide;
    std::int32_t low, length;
    double bits;  // all counts of the region are within 2^-bits .. 2^bits
    double* narrow_weight;
    Wide* wide_weight;

    TotalWeights weights() const { return {narrow_weight, wide_weight}; }
    bool zero(std::int32_t i) const { return wide ? wide[i].zero() : narrow[i] == 0.0; }
    double log(std::int32_t i) const { return wide ? wide[i].log() : std::log(narrow[i]); }
};

struct Combined {
    bool fits = false;
    // The number of layouts is e^log_scale * sum * C(choose_from, choose_taken).
    double log_scale = 0, sum = 1;
    std::int64_t choose_from = 0, choose_taken = 0;
    double sea_probability = 0;
    Verdict sea_verdict = Verdict::open;
    // A bound on the error that combining adds to any probability.
    double error = 0;

    double log_count() const {
        return log_scale + std::log(sum) +
               log_choose(static_cast<double>(choose_from), static_cast<double>(choose_taken));
    }
};

// Doubles can hold the counts of a board if all are within 2^-b .. 2^b, where b is this number.
inline constexpr double bits_in_double = 900;

class Combine {
  public:
    // `mines` is the number of mines in the leaves and the sea together. Without `weights`, only
    // the number of layouts is computed.
    Combined chain(Leaf* leaves, std::int32_t count, std::int64_t mines, std::int64_t sea,
                   bool weights);
    Combined tilted(Leaf* leaves, std::int32_t count, std::int64_t mines, std::int64_t sea,
                    bool weights, Patience& patience);
    Combined independent(Leaf* leaves, std::int32_t count, double odds, std::int64_t sea,
                         bool weights);

  private:
    // Computes the products of the first 0, 1, 2, ... leaves, and stores these products one after
    // the other in forward_.
    void multiply_leaves(const Leaf* leaves, std::int32_t count);
    Combined weigh_sea(std::int32_t count, std::int64_t left, std::int64_t sea, double* ahead);
    void weigh_leaves(Leaf* leaves, std::int32_t count, double* ahead);

    Buffer<double> forward_, behind_;
    Buffer<std::int32_t> starts_;
    std::int32_t total_ = 0;  // length of the product of all leaves
};

}  // namespace mines
