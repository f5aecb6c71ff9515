#include "combining/tilt.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>

namespace mines {

namespace {

constexpr double steepest = 1e5;  // natural logarithm of the strongest tilt tried
constexpr double grain = 1 << 20;

}  // namespace

Tilt::Tilt(const Leaf* leaves, std::int32_t count, std::int64_t wanted, std::int64_t sea)
    : wanted_(wanted), sea_(sea) {
    collect(leaves, count);
    search();
    for (Group& group : groups_) fill_chances(group);
}

void Tilt::collect(const Leaf* leaves, std::int32_t count) {
    std::unordered_map<std::string, std::int32_t> known;
    for (std::int32_t i = 0; i < count; ++i) {
        const Leaf& leaf = leaves[i];
        std::int32_t id = static_cast<std::int32_t>(groups_.size());
        if (leaf.narrow) {
            const std::string key(reinterpret_cast<const char*>(leaf.narrow),
                                  sizeof(double) * static_cast<std::size_t>(leaf.length));
            id = known.emplace(key, id).first->second;
        }
        group_of_.push_back(id);
        if (id < static_cast<std::int32_t>(groups_.size())) {
            groups_[id].count += 1;
            continue;
        }
        Group group{&leaf, 1, {}, {}};
        for (std::int32_t m = 0; m < leaf.length; ++m)
            group.logs.push_back(leaf.zero(m) ? -HUGE_VAL : leaf.log(m));
        groups_.push_back(std::move(group));
    }
}

// Computes the mean and the variance of the number of mines under the tilt e^t. As in `wanted` of
// the constructor, the fewest mines of each leaf are not counted.
void Tilt::measure(double t) {
    const double q = 1 / (1 + std::exp(-t)), rest = 1 / (1 + std::exp(t));
    const double sea = static_cast<double>(sea_);
    mean_ = sea * q;
    variance_ = sea * q * rest;
    for (Group& g : groups_) {
        double top = -HUGE_VAL, sum = 0, first = 0, second = 0;
        for (std::size_t m = 0; m < g.logs.size(); ++m)
            top = std::max(top, g.logs[m] + t * static_cast<double>(m));
        for (std::size_t m = 0; m < g.logs.size(); ++m) {
            const double x = static_cast<double>(m), mass = std::exp(g.logs[m] + t * x - top);
            sum += mass;
            first += x * mass;
            second += x * x * mass;
        }
        g.log_norm = top + std::log(sum);
        g.mean = first / sum;
        g.variance = std::max(0.0, second / sum - g.mean * g.mean);
        mean_ += g.count * g.mean;
        variance_ += g.count * g.variance;
    }
}

// Finds the tilt by Newton's method between a lower and an upper bound; the mean grows with the
// tilt. An approximate tilt suffices.
void Tilt::search() {
    double low = -steepest, high = steepest, t = 0;
    for (int i = 0; i < 200; ++i) {
        measure(t);
        const double error = mean_ - static_cast<double>(wanted_);
        if (std::abs(error) <= 1e-3 * std::sqrt(variance_)) break;
        (error > 0 ? high : low) = t;
        const double next = t - std::clamp(error / std::max(variance_, 1e-300), -8.0, 8.0);
        t = next > low && next < high ? next : (low + high) / 2;
    }
    exponent_ = std::round(t / ln2 * grain) / grain;
    measure(exponent_ * ln2);
}

double Tilt::rare() const {
    return 1 / (1 + std::exp2(std::abs(exponent_)));
}

double Tilt::sea_chance() const {
    return 1 / (1 + std::exp2(-exponent_));
}

double Tilt::log_scale() const {
    const double t = exponent_ * ln2;
    // ln(1 + e^t) without overflow.
    const double per_cell = std::max(t, 0.0) + std::log1p(std::exp(-std::abs(t)));
    double sum = static_cast<double>(sea_) * per_cell - static_cast<double>(wanted_) * t;
    for (const Group& g : groups_) sum += g.count * g.log_norm;
    return sum;
}

Wide Tilt::mass(const Group& group, std::int32_t i) const {
    const Leaf& leaf = *group.leaf;
    const Wide power = two_to(exponent_ * static_cast<double>(i));
    return leaf.wide ? leaf.wide[i] * power : leaf.narrow[i] * power;
}

void Tilt::fill_chances(Group& group) const {
    std::vector<Wide> masses;
    Wide largest(0.0);
    for (std::int32_t m = 0; m < group.length(); ++m) {
        masses.push_back(mass(group, m));
        if (largest < masses.back()) largest = masses.back();
    }
    double sum = 0;
    for (const Wide& mass : masses) {
        const double share = mass.over(largest);
        group.chances.push_back(share < 1.8e-35 ? 0.0 : share);  // e^-80
        sum += group.chances.back();
    }
    for (double& share : group.chances) share /= sum;
}

}  // namespace mines
