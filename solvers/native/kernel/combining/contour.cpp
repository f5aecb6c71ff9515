#include "combining/contour.hpp"

#include <algorithm>
#include <cmath>

namespace mines {

namespace {

constexpr double pi = 3.14159265358979323846;
constexpr double negligible = 1e-19;   // the sum over nodes stops where the sea's factor is smaller
constexpr double alias = 2 * 1.5e-21;  // 2 e^-48: at most this mass wraps around the circle
constexpr double trimmed = 1e-24;      // smaller chances do not count for the width of a leaf
constexpr double cancelled = 64;  // greatest factor by which cancellation may multiply the error
constexpr double most_missing = 1e-15;  // largest part of the density that may be missing
constexpr double dividable = 1.0 / 16;  // a product is divided by a factor if |factor|^2 >= this

std::complex<double> evaluate(const std::vector<double>& chances, std::complex<double> z) {
    double re = 0, im = 0;
    for (std::size_t m = chances.size(); m-- > 0;) {
        const double next = re * z.real() - im * z.imag() + chances[m];
        im = re * z.imag() + im * z.real();
        re = next;
    }
    return {re, im};
}

std::complex<double> power(std::complex<double> base, double count) {
    std::complex<double> result = 1;
    for (std::uint64_t n = static_cast<std::uint64_t>(count); n > 0; n >>= 1) {
        if (n & 1) result *= base;
        base *= base;
    }
    return result;
}

// The angle of the factor (a complex number) of `cells` sea cells, minus `back` full circles. The
// result is within half a circle of 0. With many cells, the angle and the circles are large and
// nearly equal, so their difference needs a longer type Real.
template <class Real>
double phase(double rare, double angle, double cells, double back) {
    constexpr Real circle = static_cast<Real>(6.28318530717958647692528676655900577L);
    const Real half = std::sin(static_cast<Real>(angle) / 2), r = static_cast<Real>(rare);
    const Real step = std::atan2(r * std::sin(static_cast<Real>(angle)), 1 - 2 * r * half * half);
    return static_cast<double>(
        std::remainder(static_cast<Real>(cells) * step - circle * static_cast<Real>(back), circle));
}

constexpr double many_cells = 50'000;

}  // namespace

Contour::Contour(const Tilt& tilt, Patience& patience) : tilt_(tilt), patience_(patience) {
    const double off = std::abs(tilt.mean() - static_cast<double>(tilt.wanted()));
    if (off > 1 + std::sqrt(tilt.variance())) return;  // the tilt did not reach the wanted number
    place_nodes();
    multiply_all();
    trustworthy_ = density_ > 0 && missing_ <= most_missing * density_ && weigh_all();
}

double Contour::log_density() const {
    return std::log(density_) + tilt_.log_scale();
}

// The probability of a mine at a sea cell is sea_chance() * I / density. The density is an integral
// (see contour.hpp). I is the same integral, but with one sea cell less and with one wanted mine
// less. The bound on the error adds up the bounds for both integrals and for a few roundings.
SeaShare Contour::sea_share() const {
    Values values;
    double sum = 0;
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
        values.push_back(leaves_factor_[n] * sea_factor(n, tilt_.sea() - 1) * nodes_[n]);
        sum += values.back().real();
    }
    const double doubt = doubt_of(values) + doubt_of(product_) + 2 * missing_;
    return {std::clamp(tilt_.sea_chance() * sum / density_, 0.0, 1.0),
            2 * doubt / density_ + 4 * rounding};
}

// The greatest width of a leaf's distribution, without negligible tails.
double Contour::widest() const {
    double widest = 1;
    for (const Group& g : tilt_.groups()) {
        std::size_t first = 0, last = g.chances.size() - 1;
        while (first < last && g.chances[first] < trimmed) ++first;
        while (last > first && g.chances[last] < trimmed) --last;
        widest = std::max(widest, static_cast<double>(last - first));
    }
    return widest;
}

void Contour::place_nodes() {
    const double sea = static_cast<double>(tilt_.sea());
    double support = sea + 1, lengths = 0;
    for (const Group& g : tilt_.groups()) {
        support += g.count * (g.length() - 1);
        lengths += g.count * g.length();
        effort_ += g.count * (4.0 * g.length() + 12);
    }
    // Bernstein: the mass further than `reach` from the mean is below exp(-48) on either side.
    const double linear = 48 * widest() / 3;
    const double reach = linear + std::sqrt(linear * linear + 96 * tilt_.variance());
    const double off = std::abs(tilt_.mean() - static_cast<double>(tilt_.wanted()));
    node_count_ = static_cast<std::int64_t>(std::ceil(std::min(support, reach + off + 2)));
    const bool wraps = static_cast<double>(node_count_) < support;
    missing_ = (wraps ? alias : 0.0) + lengths * 2 * trimmed;
    const double cut = std::log(negligible) - std::log1p(tilt_.variance());
    for (std::int64_t i = 0; 2 * i <= node_count_; ++i) {
        const double angle = 2 * pi * static_cast<double>(i) / static_cast<double>(node_count_);
        if (log_sea_size(angle, sea) < cut) {
            missing_ += std::exp(cut);
            break;
        }
        angles_.push_back(angle);
        nodes_.push_back(std::polar(1.0, angle));
    }
}

// The logarithm of the size of the characteristic function of `cells` sea cells.
double Contour::log_sea_size(double angle, double cells) const {
    const double q = tilt_.rare(), half = std::sin(angle / 2);
    return cells > 0 ? cells / 2 * std::log1p(-4 * q * (1 - q) * half * half) : 0.0;
}

// The factor of `cells` sea cells at a node, turned back by the angle of the wanted number of mines
// and multiplied by the node's weight in the trapezoidal rule. Of mines and safe cells, the rarer
// are counted: this keeps the angles small, and the difference of large angles would be imprecise.
Contour::Complex Contour::sea_factor(std::size_t node, std::int64_t cells) const {
    const std::int64_t i = static_cast<std::int64_t>(node);
    const double n = static_cast<double>(node_count_), angle = angles_[node];
    const double count = static_cast<double>(cells);
    const bool rare_mines = tilt_.exponent() <= 0;
    const std::int64_t whole = tilt_.wanted() - (rare_mines ? 0 : cells);
    const std::int64_t back = i * whole % node_count_;  // i and whole <= max_cells: no overflow
    const double share = (i == 0 || 2 * i == node_count_ ? 1.0 : 2.0) / n;
    const double size = share * std::exp(log_sea_size(angle, count));
    const double circles = (rare_mines ? 1 : -1) * static_cast<double>(back) / n;
    const double turn = count > many_cells ? phase<long double>(tilt_.rare(), angle, count, circles)
                                           : phase<double>(tilt_.rare(), angle, count, circles);
    return std::polar(size, rare_mines ? turn : -turn);
}

void Contour::multiply_all() {
    const std::size_t count = nodes_.size();
    leaves_factor_.assign(count, Complex(1));
    smallest_.assign(count, 1.0);
    for (const Group& g : tilt_.groups()) {
        for (std::size_t n = 0; n < count; ++n) {
            const Complex factor = evaluate(g.chances, nodes_[n]);
            smallest_[n] = std::min(smallest_[n], std::norm(factor));
            leaves_factor_[n] *= power(factor, g.count);
        }
        patience_.spend(count * (8 + 4 * static_cast<std::size_t>(g.length())));
    }
    for (std::size_t n = 0; n < count; ++n) {
        sea_.push_back(sea_factor(n, tilt_.sea()));
        sea_size_.push_back(std::abs(sea_[n]));
        product_.push_back(leaves_factor_[n] * sea_[n]);
        density_ += product_[n].real();
    }
}

// A bound on the error of the sum of `values`. Each value is the factor of the sea times the
// factors of all leaves, or of all leaves but one.
double Contour::doubt_of(const Values& values) const {
    const double turning = 4 * static_cast<double>(tilt_.sea()) * tilt_.rare();
    double doubt = 0;
    for (std::size_t n = 0; n < values.size(); ++n) {
        const double size = std::abs(values[n]);
        const double leaves =
            std::min(size / std::sqrt(std::max(smallest_[n], 1e-300)), sea_size_[n]);
        doubt += effort_ * leaves + (16 + turning * angles_[n]) * size;
    }
    return rounding * doubt;
}

// Writes the weights of every group. They need the product of all factors except that of one leaf
// of the group. If the factor of this leaf is small at no node, the product of all factors is
// divided by it. Otherwise the other factors are multiplied anew. False: the weights of some group
// are too imprecise.
bool Contour::weigh_all() {
    const std::vector<Group>& groups = tilt_.groups();
    weights_.resize(groups.size());
    const double doubt = doubt_of(product_);
    std::vector<char> undivided(groups.size(), 0);
    bool any = false;
    Values rest(nodes_.size()), divided = sea_;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        double least = 1;
        for (std::size_t n = 0; n < nodes_.size(); ++n) {
            const Complex factor = evaluate(groups[g].chances, nodes_[n]);
            least = std::min(least, std::norm(factor));
            rest[n] = product_[n] / factor;
        }
        patience_.spend(nodes_.size() * (16 + 4 * static_cast<std::size_t>(groups[g].length())));
        if (least < dividable) {
            undivided[g] = any = true;
            continue;
        }
        if (!weigh(g, rest, doubt / std::sqrt(least))) return false;
    }
    if (!any) return true;
    for (std::size_t g = 0; g < groups.size(); ++g)
        if (!undivided[g]) divided = times(std::move(divided), g, groups[g].count);
    return weigh_without_division(0, groups.size(), undivided, divided);
}

// Writes the weights of a group. `rest` is the product of all factors except that of one leaf of
// the group. `doubt` bounds the error of the sum of `rest`. False: the weights are too imprecise.
bool Contour::weigh(std::size_t group, const Values& rest, double doubt) {
    if (doubt > cancelled * rounding * effort_ * density_) return false;
    error_ = std::max(error_, 2 * (doubt + missing_) / density_);
    Values turned = rest;
    for (std::size_t i = 0; i < tilt_.groups()[group].chances.size(); ++i) {
        double sum = 0;
        for (std::size_t n = 0; n < turned.size(); ++n) {
            sum += turned[n].real();
            turned[n] *= nodes_[n];
        }
        weights_[group].push_back(std::max(sum / density_, 1e-30));
    }
    patience_.spend(turned.size() * 4 * weights_[group].size());
    return true;
}

Contour::Values Contour::times(Values values, std::size_t group, double count) const {
    const Group& g = tilt_.groups()[group];
    for (std::size_t n = 0; n < values.size(); ++n)
        values[n] *= power(evaluate(g.chances, nodes_[n]), count);
    patience_.spend(values.size() * (8 + 4 * static_cast<std::size_t>(g.length())));
    return values;
}

// Writes the weights of those groups in begin..end-1 that `chosen` names. `others` is the product
// of the factors of the sea and of all other groups. Each half of the groups gets the product of
// the other half, recursively. So a group is multiplied at most as often as the recursion is deep.
// False: the weights of some group are too imprecise.
bool Contour::weigh_without_division(std::size_t begin, std::size_t end,
                                     const std::vector<char>& chosen, const Values& others) {
    if (std::count(chosen.data() + begin, chosen.data() + end, 1) == 0) return true;
    if (end - begin == 1) {
        const Values rest = times(others, begin, tilt_.groups()[begin].count - 1);
        return weigh(begin, rest, doubt_of(rest));
    }
    const std::size_t middle = begin + (end - begin) / 2;
    Values left = others, right = others;
    for (std::size_t g = begin; g < end; ++g)
        if (chosen[g]) {
            Values& to = g < middle ? right : left;
            to = times(std::move(to), g, tilt_.groups()[g].count);
        }
    return weigh_without_division(begin, middle, chosen, left) &&
           weigh_without_division(middle, end, chosen, right);
}

}  // namespace mines
