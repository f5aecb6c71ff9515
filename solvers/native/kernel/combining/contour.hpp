// Combines regions and sea under a known total by an integral over a circle. It is fast for any
// number of regions, and it bounds its own error.
//
// Here, the density is the probability that the tilted leaves and the sea (see tilt.hpp) together
// have exactly the wanted number of mines. It is the integral, over a circle, of the product of the
// characteristic functions of the leaves and the sea, called their factors. The trapezoidal rule
// with N nodes has an error only from numbers of mines that are N or more away from the wanted
// number. The sea's factor falls monotonically along the circle, and the sum stops where this
// factor is negligible. So a few dozen nodes suffice for any number of regions. To leave one region
// out, the product is divided by the factor of this region or, if that is small, the factors of the
// other regions are multiplied anew.
//
// The error: every factor is at most 1 in size, and its error is at most a few u (u = 2^-53) times
// the length of its polynomial. Let E be the sum of these lengths. Then the error of the product at
// a node is at most u * E * |product| / |smallest factor| or, if a factor vanishes, u * E * |sea's
// factor|. Bernstein's inequality bounds the probability of the numbers that are N or more away.
// The sum of all these bounds, divided by the density, is the loss by cancellation. If more than a
// few bits are lost, the answer must not be used.
#pragma once

#include <complex>
#include <vector>

#include "combining/tilt.hpp"
#include "resources/patience.hpp"

namespace mines {

// The probability of a mine at a sea cell, and a bound on its error.
struct SeaShare {
    double probability, error;
};

class Contour {
  public:
    Contour(const Tilt& tilt, Patience& patience);

    // Whether every weight is precise enough. `error` bounds the error of the probabilities that
    // follow from the weights.
    bool trustworthy() const { return trustworthy_; }
    double error() const { return error_; }

    double log_density() const;
    SeaShare sea_share() const;
    // Suppose that one leaf of the group (see Group in tilt.hpp) has i mines more than the fewest
    // it can have. Entry i is the tilted weight that the rest of the board then has, divided by
    // the density.
    const std::vector<double>& weights(std::int32_t group) const { return weights_[group]; }

  private:
    using Complex = std::complex<double>;
    using Values = std::vector<Complex>;  // per node

    void place_nodes();
    double widest() const;
    double log_sea_size(double angle, double cells) const;
    Complex sea_factor(std::size_t node, std::int64_t cells) const;
    void multiply_all();
    bool weigh_all();
    bool weigh(std::size_t group, const Values& rest, double doubt);
    bool weigh_without_division(std::size_t begin, std::size_t end, const std::vector<char>& chosen,
                                const Values& others);
    Values times(Values values, std::size_t group, double count) const;
    double doubt_of(const Values& values) const;

    const Tilt& tilt_;
    Patience& patience_;
    std::int64_t node_count_ = 0;
    std::vector<double> angles_, smallest_, sea_size_;  // per node
    Values nodes_, sea_, leaves_factor_, product_;
    double effort_ = 0;  // E
    double missing_ = 0, density_ = 0, error_ = 0;
    std::vector<std::vector<double>> weights_;
    bool trustworthy_ = false;
};

}  // namespace mines
