#include "combine.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mines {

namespace {

// out = a * b for polynomials over their support.
void multiply(const double* a, std::int32_t a_length, const double* b, std::int32_t b_length,
              double* out) {
    std::fill(out, out + a_length + b_length - 1, 0.0);
    for (std::int32_t j = 0; j < b_length; ++j)
        if (b[j] != 0.0)
            for (std::int32_t i = 0; i < a_length; ++i) out[i + j] += a[i] * b[j];
}

// out[i] = sum over j of b[j] * ahead[i + j].
void correlate(const double* ahead, const double* b, std::int32_t b_length, double* out,
               std::int32_t out_length) {
    std::fill(out, out + out_length, 0.0);
    for (std::int32_t j = 0; j < b_length; ++j)
        if (b[j] != 0.0)
            for (std::int32_t i = 0; i < out_length; ++i) out[i] += b[j] * ahead[i + j];
}

// C(sea, left - i) for i in 0..length-1, all divided by the first that is not zero, whose index is
// returned; `length` when there is none.
std::int32_t sea_weights(std::int64_t sea, std::int64_t left, double* out, std::int32_t length) {
    std::fill(out, out + length, 0.0);
    const std::int64_t first = std::max<std::int64_t>(0, left - sea);
    if (left < 0 || first >= length) return length;
    double weight = 1;
    for (std::int64_t i = first; i < length && left - i >= 0; ++i) {
        out[i] = weight;
        const double here = static_cast<double>(left - i);
        weight *= here / (static_cast<double>(sea) - here + 1);
    }
    return static_cast<std::int32_t>(first);
}

}  // namespace

Combined Combine::chain(Leaf* leaves, std::int32_t count, std::int64_t mines, std::int64_t sea,
                        bool weights) {
    Combined result;
    std::int32_t total = 1;
    std::int64_t left = mines, room = 0;
    starts_.need(count + 1);
    for (std::int32_t i = 0; i < count; ++i) {
        starts_[i] = static_cast<std::int32_t>(room);
        room += total;
        total += leaves[i].length - 1;
        left -= leaves[i].low;
    }
    starts_[count] = static_cast<std::int32_t>(room);
    double* product = forward_.need(room + total);
    double* ahead = behind_.need(2 * static_cast<std::int64_t>(total));
    double* spare = ahead + total;
    product[0] = 1;
    for (std::int32_t i = 0, length = 1; i < count; length += leaves[i++].length - 1)
        multiply(product + starts_[i], length, leaves[i].narrow, leaves[i].length,
                 product + starts_[i + 1]);
    const std::int32_t first = sea_weights(sea, left, ahead, total);
    const double* whole = product + starts_[count];
    double sum = 0, sea_mines = 0, sea_safe = 0;
    for (std::int32_t i = first; i < total; ++i) {
        const double mass = whole[i] * ahead[i], in_sea = static_cast<double>(left - i);
        sum += mass;
        sea_mines += mass * in_sea;
        sea_safe += mass * (static_cast<double>(sea) - in_sea);
    }
    result.fits = sum != 0.0;
    if (!result.fits) return result;
    result.sum = sum;
    result.choose_from = sea;
    result.choose_taken = left - first;
    if (!weights) return result;
    result.sea_verdict = sea_mines == 0.0  ? Verdict::safe
                         : sea_safe == 0.0 ? Verdict::mine
                                           : Verdict::open;
    result.sea_probability = sea > 0 ? sea_mines / (sea_mines + sea_safe) : 0.0;
    std::int32_t length = total;
    for (std::int32_t i = count - 1; i >= 0; --i) {
        const Leaf& leaf = leaves[i];
        length -= leaf.length - 1;
        correlate(ahead, product + starts_[i], length, leaf.narrow_weight, leaf.length);
        correlate(ahead, leaf.narrow, leaf.length, spare, length);
        std::swap(ahead, spare);
    }
    return result;
}

Combined Combine::independent(Leaf* leaves, std::int32_t count, double odds, std::int64_t sea,
                              bool weights) {
    Combined result;
    result.fits = true;
    result.log_scale = static_cast<double>(sea) * ln2;
    result.sea_probability = odds / (1 + odds);
    std::vector<double> ones;
    std::vector<char> all;
    for (std::int32_t i = 0; i < count; ++i) {
        Leaf& leaf = leaves[i];
        if (leaf.wide) {
            Wide sum(0.0);
            for (std::int32_t m = 0; m < leaf.length; ++m) sum += leaf.wide[m];
            result.log_scale += sum.log();
        } else {
            double sum = 0;
            for (std::int32_t m = 0; m < leaf.length; ++m) sum += leaf.narrow[m];
            result.log_scale += std::log(sum);
        }
        if (!weights) continue;
        ones.assign(static_cast<std::size_t>(leaf.length), 1.0);
        all.assign(static_cast<std::size_t>(leaf.length), 1);
        write_weights(leaf, odds, ones.data(), reinterpret_cast<const bool*>(all.data()));
    }
    return result;
}

void write_weights(Leaf& leaf, double odds, const double* weight, const bool* attainable) {
    const std::int32_t reference = odds < 1 ? 0 : leaf.length - 1;
    const double step = odds < 1 ? odds : 1 / odds;
    const std::int32_t direction = odds < 1 ? 1 : -1;
    Wide power(1.0), largest(0.0);
    std::vector<Wide> exact(static_cast<std::size_t>(leaf.length));
    for (std::int32_t n = 0, i = reference; n < leaf.length; ++n, i += direction) {
        if (attainable[i]) exact[static_cast<std::size_t>(i)] = weight[i] * power;
        const Wide mass = leaf.wide ? leaf.wide[i] * exact[static_cast<std::size_t>(i)]
                                    : leaf.narrow[i] * exact[static_cast<std::size_t>(i)];
        if (largest < mass) largest = mass;
        power = step * power;
    }
    const double floor = std::ldexp(1.0, -static_cast<int>(leaf.bits) - 60);
    for (std::int32_t i = 0; i < leaf.length; ++i) {
        const Wide& value = exact[static_cast<std::size_t>(i)];
        if (leaf.wide_weight)
            leaf.wide_weight[i] = value;
        else
            leaf.narrow_weight[i] = attainable[i] ? std::max(value.over(largest), floor) : 0.0;
    }
}

}  // namespace mines
