// Tilting: every mine gets a weight, the tilt, so that the expected number of mines is the wanted
// number.
//
// With the tilt, each leaf and the sea are distributions of their number of mines. The number of
// layouts with the wanted number of mines is the probability of that number times known factors.
// The tilt is 2^x, where x is a multiple of 2^-20. So x times a number of mines m is exact, and the
// factor 2^(x m) is as precise for many mines as for few. Therefore the tilt can be undone later
// without a loss of precision.
#pragma once

#include <cassert>
#include <cstdint>
#include <vector>

#include "combining/combine.hpp"

namespace mines {

// Leaves with equal coefficients. The fewest mines of these leaves may differ.
struct Group {
    const Leaf* leaf;
    double count;
    std::vector<double> logs;     // natural logarithms of the coefficients; -inf for 0
    std::vector<double> chances;  // tilted, with sum 1; zero if below e^-80 of the largest
    double log_norm = 0;          // ln of the sum of coefficient * tilt^i
    double mean = 0, variance = 0;

    std::int32_t length() const { return static_cast<std::int32_t>(logs.size()); }
};

class Tilt {
  public:
    // `wanted` is the number of mines in all leaves and the sea, minus the fewest mines of each
    // leaf.
    Tilt(const Leaf* leaves, std::int32_t count, std::int64_t wanted, std::int64_t sea);

    std::int64_t wanted() const { return wanted_; }
    std::int64_t sea() const { return sea_; }
    const std::vector<Group>& groups() const { return groups_; }
    std::int32_t group_of(std::int32_t leaf) const { return group_of_[leaf]; }

    double exponent() const { return exponent_; }  // x of 2^x
    double mean() const { return mean_; }
    double variance() const { return variance_; }
    // The smaller of two probabilities: that a sea cell is a mine, and that it is safe.
    double rare() const;
    double sea_chance() const;
    // ln of the factor that turns the probability of the wanted number into a number of layouts.
    double log_scale() const;
    // The tilted coefficient i of a group.
    Wide mass(const Group& group, std::int32_t i) const;

  private:
    void collect(const Leaf* leaves, std::int32_t count);
    void measure(double t);
    void search();
    void fill_chances(Group& group) const;

    std::int64_t wanted_, sea_;
    double exponent_ = 0, mean_ = 0, variance_ = 0;
    std::vector<Group> groups_;
    std::vector<std::int32_t> group_of_;
};

// Writes the weights of a leaf. `weight(i)` is the tilted weight of the rest of the board if the
// leaf has i mines more than its fewest. A number of mines that is not attainable gets the weight
// zero. If the weights are doubles, every other weight is at least `floor`, so that the backward
// pass cannot underflow.
template <class Weight, class Attainable>
void write_weights(Leaf& leaf, double exponent, Weight weight, Attainable attainable) {
    const std::int32_t reference = exponent < 0 ? 0 : leaf.length - 1;  // keeps two_to() <= 1
    std::vector<Wide> exact(static_cast<std::size_t>(leaf.length));
    Wide largest(0.0);
    for (std::int32_t i = 0; i < leaf.length; ++i) {
        if (!attainable(i)) continue;
        Wide& value = exact[i];
        value = weight(i) * two_to(exponent * static_cast<double>(i - reference));
        const Wide mass = leaf.wide ? leaf.wide[i] * value : leaf.narrow[i] * value;
        if (largest < mass) largest = mass;
    }
    const double floor = std::ldexp(1.0, -static_cast<int>(leaf.bits) - 60);
    assert(leaf.wide != nullptr || floor > 0);
    assert(!largest.zero());  // some number of mines is attainable
    for (std::int32_t i = 0; i < leaf.length; ++i) {
        const Wide& value = exact[i];
        if (leaf.wide_weight)
            leaf.wide_weight[i] = value;
        else
            leaf.narrow_weight[i] = value.zero() ? 0.0 : std::max(value.over(largest), floor);
    }
}

}  // namespace mines
