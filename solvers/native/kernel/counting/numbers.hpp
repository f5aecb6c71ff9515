// Numbers for counting: binomials, and Wide, a double with a 64-bit exponent. Wide serves
// large regions, whose counts leave the range of a double. All operations are sums and products of
// non-negative numbers. So relative errors stay near the machine precision, and a value is zero
// exactly if nothing was added to it.
#pragma once

#include <cassert>
#include <cmath>
#include <cstdint>

namespace mines {

// Binomials for the cells of a box or a clue, at most 99: the rows of Pascal's triangle, one after
// the other. Those of up to `exact_binomials` cells are exact, the others are rounded once.
inline constexpr int largest_box = 99;
inline constexpr int exact_binomials = 56;

struct Triangle {
    double numbers[(largest_box + 1) * (largest_box + 2) / 2] = {};

    constexpr Triangle() {
        unsigned __int128 row[largest_box + 1] = {1};
        for (int n = 0, at = 0; n <= largest_box; ++n) {
            for (int k = 0; k <= n; ++k) numbers[at++] = static_cast<double>(row[k]);
            for (int k = n < largest_box ? n + 1 : n; k > 0; --k) row[k] += row[k - 1];
        }
    }
};

inline constexpr Triangle triangle;

// choose_from(n)[k] is the number of ways to choose k of n.
inline const double* choose_from(int n) {
    assert(n >= 0 && n <= largest_box);
    return triangle.numbers + n * (n + 1) / 2;
}

inline constexpr double rounding =
    1.1102230246251565e-16;  // u: half the gap between 1 and the next double
inline constexpr double ln2 = 0.693147180559945309417232121458;

class Wide {
  public:
    Wide() = default;
    explicit Wide(double value) : Wide(value, 0) {}
    Wide(double value, std::int64_t exponent) : value_(value), exponent_(exponent) {
        assert(value >= 0);
        normalise();
    }

    bool zero() const { return value_ == 0.0; }
    double log() const { return std::log(value_) + static_cast<double>(exponent_) * ln2; }

    Wide& operator+=(const Wide& other) {
        if (other.zero()) return *this;
        if (zero()) return *this = other;
        const std::int64_t apart = other.exponent_ - exponent_;
        if (apart > 120) return *this = other;
        if (apart < -120) return *this;
        value_ += std::ldexp(other.value_, static_cast<int>(apart));
        normalise();
        return *this;
    }
    friend Wide operator*(const Wide& a, const Wide& b) {
        return Wide(a.value_ * b.value_, a.exponent_ + b.exponent_);
    }
    friend Wide operator*(double a, const Wide& b) { return Wide(a * b.value_, b.exponent_); }
    friend Wide operator/(const Wide& a, const Wide& b) {
        return Wide(a.value_ / b.value_, a.exponent_ - b.exponent_);
    }
    friend Wide operator+(Wide a, const Wide& b) { return a += b; }

    // This number divided by `unit`, as a double; may underflow to zero, must not overflow.
    double over(const Wide& unit) const {
        assert(!unit.zero());
        if (zero()) return 0.0;
        const std::int64_t apart = exponent_ - unit.exponent_;
        if (apart < -2000) return 0.0;
        return std::ldexp(value_ / unit.value_, static_cast<int>(apart));
    }
    bool operator<(const Wide& other) const {
        if (zero() || other.zero()) return !other.zero() && zero();
        if (exponent_ != other.exponent_) return exponent_ < other.exponent_;
        return value_ < other.value_;
    }

  private:
    void normalise() {
        if (value_ == 0.0) {
            exponent_ = 0;
            return;
        }
        int shift = 0;
        value_ = std::frexp(value_, &shift);
        exponent_ += shift;
    }

    double value_ = 0.0;
    std::int64_t exponent_ = 0;
};

// 2^x. The whole part of x goes into the exponent, so the error stays near the machine precision
// however large x is.
inline Wide two_to(double x) {
    const double whole = std::floor(x);
    return Wide(std::exp2(x - whole), static_cast<std::int64_t>(whole));
}

inline bool is_zero(double x) {
    return x == 0.0;
}
inline bool is_zero(const Wide& x) {
    return x.zero();
}
inline double log_of(double x) {
    return std::log(x);
}
inline double log_of(const Wide& x) {
    return x.log();
}
inline double ratio(double x, double unit) {
    return x / unit;
}
inline double ratio(const Wide& x, const Wide& unit) {
    return x.over(unit);
}

// ln C(n, k) for 0 <= k <= n.
inline double log_choose(double n, double k) {
    assert(k >= 0 && k <= n);
    int sign = 0;  // lgamma_r, because lgamma writes a global variable: a data race
    return ::lgamma_r(n + 1, &sign) - ::lgamma_r(k + 1, &sign) - ::lgamma_r(n - k + 1, &sign);
}

}  // namespace mines
