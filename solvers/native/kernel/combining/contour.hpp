// Combines regions and sea under a known total by an integral over a circle. It is fast for any
// number of regions, and it bounds its own error.
//
// The probability that the tilted leaves and the sea together have exactly the wanted number is an
// integral of the product of their characteristic functions over a circle. The trapezoidal rule
// with N nodes is exact up to mass that lies N away from the wanted number, and where the sea's
// factor (which falls monotonically) is negligible the sum stops; so a few dozen nodes do for any
// number of regions. Leaving one region out is a division by its factor, or, where that is small, a
// product of the others.
//
// How far: every factor is at most 1 in size and known to a few u (u = 2^-53) times the length of
// its polynomial. So the product at a node is known to within u * E * |product| / |smallest factor|
// or, where a factor vanishes, to within u * E * |sea's factor|, E being the sum of those lengths;
// what was left out is bounded by Bernstein's inequality. The sum of these bounds over the density
// is what cancellation has cost. Where it is more than a few bits the answer is not to be used.
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
    // What the rest contributes, tilted, when a leaf of the group has i mines above its fewest,
    // over the density.
    const std::vector<double>& weights(std::int32_t group) const {
        return weights_[static_cast<std::size_t>(group)];
    }

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
