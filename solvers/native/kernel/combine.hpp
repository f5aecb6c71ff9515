// Putting regions and the sea together under the prior.
//
// Each counted region comes as a Leaf: its polynomial, and room for one weight per coefficient. The
// weight of m is what all the rest contributes when the region has m mines: the gradient of the
// total with respect to the coefficient, up to a factor per region. It is zero exactly when no
// layout of the rest goes with m mines here, and otherwise so large that the backward sweep cannot
// underflow.
//
//   chain         total prior, boards so small that no count leaves the range of a double
//   contour       total prior, any board (contour.cpp)
//   independent   density prior
#pragma once

#include <cstdint>

#include "buffer.hpp"
#include "numbers.hpp"
#include "sweep.hpp"

namespace mines {

struct Leaf {
    const double* narrow;  // one of the two is null
    const Wide* wide;
    std::int32_t low, length;
    double bits;  // coefficients and completions lie within 2^-bits .. 2^bits
    double* narrow_weight;
    Wide* wide_weight;

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

    double log_count() const {
        return log_scale + std::log(sum) +
               log_choose(static_cast<double>(choose_from), static_cast<double>(choose_taken));
    }
};

// A board whose counts fit 2^-limit .. 2^limit can be held in doubles.
inline constexpr double bits_in_double = 900;

class Combine {
  public:
    // `mines` are those left for leaves and sea. `weights` false: only whether it fits and how
    // often.
    Combined chain(Leaf* leaves, std::int32_t count, std::int64_t mines, std::int64_t sea,
                   bool weights);
    Combined contour(Leaf* leaves, std::int32_t count, std::int64_t mines, std::int64_t sea,
                     bool weights);
    Combined independent(Leaf* leaves, std::int32_t count, double odds, std::int64_t sea,
                         bool weights);

  private:
    Buffer<double> forward_, behind_;
    Buffer<std::int32_t> starts_;
};

// The power odds^(i - reference) of coefficient i, where the reference makes every power at most 1,
// times `weight[i]`, written as the leaf's weights; floored for attainable i, zero for the others.
void write_weights(Leaf& leaf, double odds, const double* weight, const bool* attainable);

}  // namespace mines
