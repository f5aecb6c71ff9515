#include "combining/combine.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "combining/contour.hpp"
#include "combining/support.hpp"
#include "combining/tilt.hpp"
#include "combining/tree.hpp"

namespace mines {

namespace {

// out = a * b. Each array has the coefficients of a polynomial, from its lowest power on.
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

// Writes C(sea, left - i) for i in 0..length-1, all divided by the first that is not zero. Returns
// the index of that first one, or `length` if all are zero.
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

// Completes the result if the total is the least or, with `upper`, the greatest attainable number
// of mines. Then every leaf and the sea also have their least or greatest number of mines.
void at_end(Leaf* leaves, std::int32_t count, bool upper, Combined& result) {
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
}

}  // namespace

void Combine::multiply_leaves(const Leaf* leaves, std::int32_t count) {
    std::int64_t room = 0;
    total_ = 1;
    starts_.need(count + 1);
    for (std::int32_t i = 0; i < count; ++i) {
        starts_[i] = static_cast<std::int32_t>(room);
        room += total_;
        total_ += leaves[i].length - 1;
    }
    starts_[count] = static_cast<std::int32_t>(room);
    assert(std::all_of(leaves, leaves + count, [](const Leaf& leaf) { return leaf.narrow; }));
    double* product = forward_.need(room + total_);
    product[0] = 1;
    for (std::int32_t i = 0, length = 1; i < count; length += leaves[i++].length - 1)
        multiply(product + starts_[i], length, leaves[i].narrow, leaves[i].length,
                 product + starts_[i + 1]);
}

// Fills `ahead` with the weights of the sea. Returns the number of layouts and the probability of a
// mine at a sea cell.
Combined Combine::weigh_sea(std::int32_t count, std::int64_t left, std::int64_t sea,
                            double* ahead) {
    Combined result;
    const std::int32_t first = sea_weights(sea, left, ahead, total_);
    const double* whole = forward_.data() + starts_[count];
    double sum = 0, sea_mines = 0, sea_safe = 0;
    for (std::int32_t i = first; i < total_; ++i) {
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
    result.sea_verdict = verdict_from(sea_mines != 0.0, sea_safe != 0.0);
    result.sea_probability = sea > 0 ? sea_mines / (sea_mines + sea_safe) : 0.0;
    return result;
}

// Writes the weights of the leaves, from the last leaf to the first. In the loop, `ahead` has the
// weights of the sea and of all later leaves together.
void Combine::weigh_leaves(Leaf* leaves, std::int32_t count, double* ahead) {
    double* spare = ahead + total_;
    std::int32_t length = total_;
    for (std::int32_t i = count - 1; i >= 0; --i) {
        const Leaf& leaf = leaves[i];
        length -= leaf.length - 1;
        correlate(ahead, forward_.data() + starts_[i], length, leaf.narrow_weight, leaf.length);
        correlate(ahead, leaf.narrow, leaf.length, spare, length);
        std::swap(ahead, spare);
    }
}

Combined Combine::chain(Leaf* leaves, std::int32_t count, std::int64_t mines, std::int64_t sea,
                        bool weights) {
    multiply_leaves(leaves, count);
    std::int64_t left = mines;
    for (std::int32_t i = 0; i < count; ++i) left -= leaves[i].low;
    double* ahead = behind_.need(2 * static_cast<std::size_t>(total_));
    Combined result = weigh_sea(count, left, sea, ahead);
    // No number is negative, so relative errors only add up: 4 roundings for each ratio of
    // neighbours in sea_weights(), and one for every product and every sum.
    result.error = rounding * (6.0 * total_ + 2.0 * count);
    if (result.fits && weights) weigh_leaves(leaves, count, ahead);
    return result;
}

Combined Combine::tilted(Leaf* leaves, std::int32_t count, std::int64_t mines, std::int64_t sea,
                         bool weights, Patience& patience) {
    Combined result;
    const Support support(leaves, count, mines, sea, patience);
    if (!support.attainable()) return result;
    result.fits = true;
    result.sea_verdict = support.sea_verdict();
    if (mines == support.least() || mines == support.most()) {
        at_end(leaves, count, mines != support.least(), result);
        return result;
    }
    if (count == 0) {  // no leaves, so all mines are in the sea
        result.choose_from = sea;
        result.choose_taken = mines;
        result.sea_probability = static_cast<double>(mines) / static_cast<double>(sea);
        result.error = rounding;
        return result;
    }
    assert(mines > support.least() && mines < support.most());  // so a finite tilt exists
    const Tilt tilt(leaves, count, mines - support.least(), sea);
    const auto weigh = [&](auto weight_of) {
        for (std::int32_t i = 0; weights && i < count; ++i)
            write_weights(
                leaves[i], tilt.exponent(), [&](std::int32_t m) { return weight_of(i, m); },
                [&](std::int32_t m) { return support.attainable_with(i, m); });
    };
    const Contour contour(tilt, patience);
    if (contour.trustworthy()) {
        result.log_scale = contour.log_density();
        const SeaShare share = sea > 0 ? contour.sea_share() : SeaShare{0.0, 0.0};
        result.sea_probability = share.probability;
        result.error = std::max(contour.error(), share.error);
        weigh([&](std::int32_t leaf, std::int32_t m) {
            return Wide(contour.weights(tilt.group_of(leaf))[m]);
        });
        return result;
    }
    const Branches tree = multiply_out(tilt, count, patience);
    result.log_scale = tree.log_density;
    result.sea_probability = tree.sea_probability;
    result.error = tree.error;
    weigh([&](std::int32_t leaf, std::int32_t m) { return tree.weights[leaf][m]; });
    return result;
}

Combined Combine::independent(Leaf* leaves, std::int32_t count, double odds, std::int64_t sea,
                              bool weights) {
    Combined result;
    result.fits = true;
    result.log_scale = static_cast<double>(sea) * ln2;
    result.sea_probability = odds / (1 + odds);
    result.error = 3 * rounding;  // one each for the odds, the sum and the division
    for (std::int32_t i = 0; i < count; ++i) {
        Leaf& leaf = leaves[i];
        Wide wide_sum(0.0);
        double sum = 0;
        for (std::int32_t m = 0; m < leaf.length; ++m)
            if (leaf.wide)
                wide_sum += leaf.wide[m];
            else
                sum += leaf.narrow[m];
        result.log_scale += leaf.wide ? wide_sum.log() : std::log(sum);
        result.error = std::max(result.error, rounding * (3.0 * leaf.length + 4));
        if (!weights) continue;
        // odds^m is computed by multiplication: a logarithm would round the odds.
        std::vector<Wide> powers(static_cast<std::size_t>(leaf.length), Wide(1.0));
        for (std::size_t m = 1; m < powers.size(); ++m) powers[m] = odds * powers[m - 1];
        write_weights(
            leaf, 0.0, [&](std::int32_t m) { return powers[m]; },
            [](std::int32_t) { return true; });
    }
    return result;
}

}  // namespace mines
