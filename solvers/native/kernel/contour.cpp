// Regions and sea under a known total, for boards of any size.
//
// Let every mine weigh so much that the expected number of mines is the number wanted (tilting).
// The tilted polynomials are distributions, and the probability that all of them and the sea
// together have exactly the wanted number is an integral of the product of their characteristic
// functions over a circle. The trapezoidal rule with N nodes is exact up to mass that lies N away
// from the mean, and where the sea's factor (which falls monotonically) is negligible the sum
// stops; so a few dozen nodes do for any number of regions. Leaving one region out is a division by
// its factor.
//
// Which numbers of mines are attainable is decided apart, on supports, by integers (support.hpp).
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>

#include "combine.hpp"
#include "support.hpp"

namespace mines {

namespace {

using Complex = std::complex<double>;

constexpr double negligible = 1e-19;
constexpr double pi = 3.14159265358979323846;

// Leaves with the same polynomial up to its lowest power.
struct Group {
    const Leaf* leaf;
    double count;
    std::vector<double> logs;     // -inf where absent
    std::vector<double> chances;  // tilted, sums to 1
    double log_norm = 0;          // ln of the sum of coefficient * tilt^i
    double mean = 0, variance = 0;
};

class Contour {
  public:
    Contour(const Leaf* leaves, std::int32_t count, std::int64_t wanted, std::int64_t sea)
        : wanted_(static_cast<double>(wanted)),
          wanted_count_(wanted),
          sea_count_(sea),
          sea_(static_cast<double>(sea)) {
        collect(leaves, count);
        find_tilt();
        place_nodes();
        multiply_all();
    }

    const std::vector<std::int32_t>& group_of() const { return group_of_; }
    std::size_t group_count() const { return groups_.size(); }
    double odds() const { return std::exp(tilt_); }

    double log_count() const {
        double sum = std::log(density_) - wanted_ * tilt_ + sea_ * std::log1p(std::exp(tilt_));
        for (const Group& g : groups_) sum += g.count * g.log_norm;
        return sum;
    }

    double sea_probability() const {
        double sum = 0;
        for (std::size_t n = 0; n < nodes_.size(); ++n)
            sum += (leaves_factor_[n] * sea_factor(static_cast<std::int64_t>(n), sea_count_ - 1) *
                    nodes_[n])
                       .real();
        return std::clamp(sea_chance() * sum / density_, 0.0, 1.0);
    }

    // What the rest contributes, tilted, when a leaf of the group has i mines above its lowest.
    std::vector<double> weights(std::size_t group) const {
        const Group& g = groups_[group];
        std::vector<Complex> rest(nodes_.size());
        bool safe = true;
        for (std::size_t n = 0; n < nodes_.size(); ++n) {
            const Complex factor = evaluate(g, nodes_[n]);
            safe &= std::norm(factor) > 1e-4;
            rest[n] = product_[n] / factor;
        }
        if (!safe) rest = product_without(group);
        std::vector<double> out(g.chances.size());
        for (double& weight : out) {
            double sum = 0;
            for (std::size_t n = 0; n < nodes_.size(); ++n) {
                sum += rest[n].real();
                rest[n] *= nodes_[n];
            }
            weight = std::max(sum / density_, 1e-30);
        }
        return out;
    }

  private:
    double sea_chance() const { return 1 / (1 + std::exp(-tilt_)); }

    void collect(const Leaf* leaves, std::int32_t count) {
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
                groups_[static_cast<std::size_t>(id)].count += 1;
                continue;
            }
            Group group{&leaf, 1, {}, {}};
            for (std::int32_t m = 0; m < leaf.length; ++m)
                group.logs.push_back(leaf.zero(m) ? -HUGE_VAL : leaf.log(m));
            groups_.push_back(group);
        }
    }

    // Mean and variance of everything under tilt t.
    std::pair<double, double> moments(double t) {
        const double q = 1 / (1 + std::exp(-t)), rest = 1 / (1 + std::exp(t));
        double mean = sea_ * q, variance = sea_ * q * rest;
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
            mean += g.count * g.mean;
            variance += g.count * g.variance;
        }
        return {mean, variance};
    }

    // Newton's method between brackets; the mean grows with the tilt. Near enough is enough.
    void find_tilt() {
        double low = -2000, high = 2000, t = 0;
        for (int i = 0; i < 200; ++i) {
            const auto [mean, variance] = moments(t);
            variance_ = variance;
            const double error = mean - wanted_;
            if (std::abs(error) <= 1e-3 * std::sqrt(variance)) break;
            (error > 0 ? high : low) = t;
            const double next = t - std::clamp(error / std::max(variance, 1e-300), -8.0, 8.0);
            t = next > low && next < high ? next : (low + high) / 2;
        }
        tilt_ = t;
        for (Group& g : groups_) tilt_group(g);
    }

    void tilt_group(Group& g) {
        const Leaf& leaf = *g.leaf;
        std::size_t top = 0;
        const auto height = [&](std::size_t m) {
            return g.logs[m] + tilt_ * static_cast<double>(m);
        };
        for (std::size_t m = 1; m < g.logs.size(); ++m)
            if (height(m) > height(top)) top = m;
        g.chances.assign(g.logs.size(), 0.0);
        double sum = 0;
        for (std::size_t m = 0; m < g.logs.size(); ++m) {
            const double power = tilt_ * (static_cast<double>(m) - static_cast<double>(top));
            const std::int32_t i = static_cast<std::int32_t>(m), j = static_cast<std::int32_t>(top);
            if (height(m) - height(top) < -80) continue;
            const double whole = std::floor(power / ln2);
            const Wide factor(std::exp(power - whole * ln2), static_cast<std::int64_t>(whole));
            g.chances[m] = leaf.wide ? (leaf.wide[i] * factor).over(leaf.wide[j])
                                     : (leaf.narrow[i] * factor).over(Wide(leaf.narrow[j]));
            sum += g.chances[m];
        }
        for (double& chance : g.chances) chance /= sum;
    }

    // Width of what matters of the widest distribution.
    double widest() const {
        double widest = 1;
        for (const Group& g : groups_) {
            std::size_t first = 0, last = g.chances.size() - 1;
            while (first < last && g.chances[first] < 1e-24) ++first;
            while (last > first && g.chances[last] < 1e-24) --last;
            widest = std::max(widest, static_cast<double>(last - first));
        }
        return widest;
    }

    void place_nodes() {
        double support = sea_ + 1;
        for (const Group& g : groups_)
            support += g.count * static_cast<double>(g.chances.size() - 1);
        // Bernstein: mass further than `reach` from the mean is below exp(-48).
        const double linear = 48 * widest() / 3;
        const double reach = linear + std::sqrt(linear * linear + 96 * variance_) + 2;
        const std::int64_t n =
            static_cast<std::int64_t>(std::min(std::ceil(support), std::ceil(reach)));
        node_count_ = n;
        for (std::int64_t i = 0; 2 * i <= n; ++i) {
            const double angle = 2 * pi * static_cast<double>(i) / static_cast<double>(n);
            if (log_sea_size(angle, sea_) < std::log(negligible) - std::log1p(variance_)) break;
            nodes_.push_back(std::polar(1.0, angle));
        }
    }

    // ln of how far the characteristic function of `cells` sea cells has fallen.
    double log_sea_size(double angle, double cells) const {
        const double q = 1 / (1 + std::exp(std::abs(tilt_))), half = std::sin(angle / 2);
        return cells > 0 ? cells / 2 * std::log1p(-4 * q * (1 - q) * half * half) : 0.0;
    }

    // Node i's share of the integral from `cells` sea cells, turned back by the number wanted. What
    // is turned is the rarer of mines and safe cells, so that no large angles cancel.
    Complex sea_factor(std::int64_t i, std::int64_t cells) const {
        const double n = static_cast<double>(node_count_),
                     angle = 2 * pi * static_cast<double>(i) / n;
        const bool rare_mines = tilt_ <= 0;
        const double rare = 1 / (1 + std::exp(std::abs(tilt_))), half = std::sin(angle / 2);
        const double step = std::atan2(rare * std::sin(angle), 1 - 2 * rare * half * half);
        const double turn = static_cast<double>(cells) * (rare_mines ? step : -step);
        const std::int64_t whole = wanted_count_ - (rare_mines ? 0 : cells);
        const std::int64_t back =
            static_cast<std::int64_t>(static_cast<__int128>(i) * whole % node_count_);
        const double share = (i == 0 || 2 * i == node_count_ ? 1.0 : 2.0) / n;
        return std::polar(share * std::exp(log_sea_size(angle, static_cast<double>(cells))),
                          turn - 2 * pi * static_cast<double>(back) / n);
    }

    static Complex evaluate(const Group& g, Complex z) {
        double re = 0, im = 0;
        for (std::size_t m = g.chances.size(); m-- > 0;) {
            const double next = re * z.real() - im * z.imag() + g.chances[m];
            im = re * z.imag() + im * z.real();
            re = next;
        }
        return {re, im};
    }

    static Complex power(Complex base, double count) {
        Complex result = 1;
        for (std::uint64_t n = static_cast<std::uint64_t>(count); n > 0; n >>= 1) {
            if (n & 1) result *= base;
            base *= base;
        }
        return result;
    }

    void multiply_all() {
        leaves_factor_.assign(nodes_.size(), Complex(1));
        for (const Group& g : groups_)
            for (std::size_t n = 0; n < nodes_.size(); ++n)
                leaves_factor_[n] *= power(evaluate(g, nodes_[n]), g.count);
        density_ = 0;
        for (std::size_t n = 0; n < nodes_.size(); ++n) {
            product_.push_back(leaves_factor_[n] *
                               sea_factor(static_cast<std::int64_t>(n), sea_count_));
            density_ += product_[n].real();
        }
        density_ = std::max(density_, 1e-300);
    }

    std::vector<Complex> product_without(std::size_t group) const {
        std::vector<Complex> rest;
        for (std::size_t n = 0; n < nodes_.size(); ++n)
            rest.push_back(sea_factor(static_cast<std::int64_t>(n), sea_count_));
        for (std::size_t i = 0; i < groups_.size(); ++i)
            for (std::size_t n = 0; n < nodes_.size(); ++n)
                rest[n] *=
                    power(evaluate(groups_[i], nodes_[n]), groups_[i].count - (i == group ? 1 : 0));
        return rest;
    }

    double wanted_;
    std::int64_t wanted_count_, sea_count_;
    double sea_;
    double tilt_ = 0, variance_ = 0, density_ = 0;
    std::vector<Group> groups_;
    std::vector<std::int32_t> group_of_;
    std::int64_t node_count_ = 0;
    std::vector<Complex> nodes_, product_, leaves_factor_;
};

// At an end of the attainable range every leaf and the sea are at their own end.
Combined at_end(Leaf* leaves, std::int32_t count, bool upper) {
    Combined result;
    result.fits = true;
    result.sea_probability = upper ? 1.0 : 0.0;
    for (std::int32_t i = 0; i < count; ++i) {
        Leaf& leaf = leaves[i];
        const std::int32_t end = upper ? leaf.length - 1 : 0;
        result.log_scale += leaf.log(end);
        for (std::int32_t m = 0; m < leaf.length; ++m) {
            if (leaf.wide_weight) leaf.wide_weight[m] = Wide(m == end ? 1.0 : 0.0);
            if (leaf.narrow_weight) leaf.narrow_weight[m] = m == end ? 1.0 / leaf.narrow[end] : 0.0;
        }
    }
    return result;
}

}  // namespace

Combined Combine::contour(Leaf* leaves, std::int32_t count, std::int64_t mines, std::int64_t sea,
                          bool weights) {
    Combined result;
    Support support(leaves, count, sea);
    if (!support.attainable(mines)) return result;
    const std::int64_t wanted = mines - support.least();
    if (wanted == 0 || mines == support.most()) {
        result = at_end(leaves, count, wanted != 0);
        result.sea_verdict = support.sea_verdict(mines);
        return result;
    }
    const Contour contour(leaves, count, wanted, sea);
    result.fits = true;
    result.log_scale = contour.log_count();
    if (!weights) return result;
    result.sea_probability = contour.sea_probability();
    result.sea_verdict = support.sea_verdict(mines);
    std::vector<std::vector<double>> cached(contour.group_count());
    std::vector<char> attainable;
    for (std::int32_t i = 0; i < count; ++i) {
        std::vector<double>& weight =
            cached[static_cast<std::size_t>(contour.group_of()[static_cast<std::size_t>(i)])];
        if (weight.empty())
            weight = contour.weights(
                static_cast<std::size_t>(contour.group_of()[static_cast<std::size_t>(i)]));
        attainable.resize(static_cast<std::size_t>(leaves[i].length));
        for (std::int32_t m = 0; m < leaves[i].length; ++m)
            attainable[static_cast<std::size_t>(m)] =
                support.attainable_without(i, mines - leaves[i].low - m);
        write_weights(leaves[i], contour.odds(), weight.data(),
                      reinterpret_cast<const bool*>(attainable.data()));
    }
    return result;
}

}  // namespace mines
