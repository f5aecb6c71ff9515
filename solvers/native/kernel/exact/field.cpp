#include "exact/field.hpp"

#include <algorithm>
#include <deque>
#include <mutex>
#include <utility>

namespace mines {

namespace {

// base^exponent, where multiply(a, b) is a product.
template <class Multiply>
std::uint64_t power_by(Multiply multiply, std::uint64_t base, std::uint64_t exponent) {
    std::uint64_t result = 1;
    for (; exponent != 0; exponent >>= 1) {
        if (exponent & 1) result = multiply(result, base);
        base = multiply(base, base);
    }
    return result;
}

}  // namespace

// Miller and Rabin's test; these bases decide every number below 2^64.
bool Field::is_prime(std::uint64_t candidate) {
    const auto times = [=](std::uint64_t a, std::uint64_t b) {
        return divide(Uint128{a} * b, candidate).remainder;
    };
    const int twos = __builtin_ctzll(candidate - 1);
    for (const std::uint64_t base : {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37}) {
        if (candidate % base == 0) return candidate == base;
        std::uint64_t x = power_by(times, base, (candidate - 1) >> twos);
        if (x == 1) continue;
        int i = 0;
        while (i < twos && x != candidate - 1) x = times(x, x), ++i;
        if (i == twos) return false;
    }
    return true;
}

Field::Field(std::uint64_t prime) : prime_(prime) {
    one_ = factor(1);
    word_ = factor(divide(Uint128{1} << 64, prime).remainder);
    // A number that is not a square in the field has a power of order exactly 2^most_order.
    std::uint64_t candidate = 2;
    while (power(candidate, (prime - 1) / 2) == 1) ++candidate;
    root_ = power(candidate, (prime - 1) >> most_order);
}

const Field& Field::at(std::size_t i) {
    static std::mutex lock;
    static std::deque<Field> found;  // a deque, because its items never move
    static std::uint64_t next = (std::uint64_t{1} << (bits + 1)) + 1;
    const std::lock_guard<std::mutex> locked(lock);
    while (found.size() <= i) {
        next -= std::uint64_t{1} << most_order;
        if (is_prime(next)) found.push_back(Field(next));
    }
    return found[i];
}

std::uint64_t Field::power(std::uint64_t base, std::uint64_t exponent) const {
    return power_by([this](std::uint64_t a, std::uint64_t b) { return multiply(a, b); }, base,
                    exponent);
}

std::uint64_t Field::root(int order) const {
    std::uint64_t root = root_;
    for (int i = order; i < most_order; ++i) root = multiply(root, root);
    return root;
}

Interpolation::Interpolation(const Field& field, int order) : field_(field), order_(order) {
    const std::size_t count = std::size_t{1} << order;
    const Factor back = field.factor(field.inverse(field.root(order)));
    std::uint64_t turn = 1;
    for (std::size_t i = 0; 2 * i < count; ++i, turn = field.times(turn, back))
        turns_.push_back(field.factor(turn));
    share_ = field.factor(field.inverse(count));
}

// Applies the Fourier transform with the inverse root, and divides by the number of values.
void Interpolation::run(std::uint64_t* values) const {
    const std::size_t count = std::size_t{1} << order_;
    for (std::size_t i = 1, j = 0; i < count; ++i) {
        std::size_t bit = count >> 1;
        for (; j & bit; bit >>= 1) j ^= bit;
        j ^= bit;
        if (i < j) std::swap(values[i], values[j]);
    }
    for (std::size_t half = 1; half < count; half *= 2) {
        const std::size_t stride = count / (2 * half);
        for (std::size_t i = 0; i < count; i += 2 * half) {
            for (std::size_t j = 0; j < half; ++j) {
                const std::uint64_t even = values[i + j];
                const std::uint64_t odd = field_.times(values[i + j + half], turns_[j * stride]);
                values[i + j] = field_.add(even, odd);
                values[i + j + half] = field_.subtract(even, odd);
            }
        }
    }
    for (std::size_t i = 0; i < count; ++i) values[i] = field_.times(values[i], share_);
}

Joiner::Joiner(std::size_t primes)
    : words_((primes * (Field::bits + 1) + 63) / 64), digits_(primes) {
    for (std::size_t i = 0; i < primes; ++i) {
        const Field& field = Field::at(i);
        for (const Field* other : fields_)
            inverses_.push_back(field.factor(field.inverse(field.reduce(other->prime()))));
        fields_.push_back(&field);
    }
}

// Garner's algorithm: computes the digits of the number in mixed radix, where the places are worth
// 1, p0, p0 p1, …, then applies Horner's rule.
void Joiner::join(const std::uint64_t* residues, std::size_t stride, std::uint64_t* words) {
    const Factor* inverse = inverses_.data();
    for (std::size_t i = 0; i < fields_.size(); ++i) {
        const Field& field = *fields_[i];
        std::uint64_t digit = residues[i * stride];
        for (std::size_t j = 0; j < i; ++j)
            digit = field.times(field.subtract(digit, field.reduce(digits_[j])), *inverse++);
        digits_[i] = digit;
    }
    std::fill(words, words + words_, 0);
    for (std::size_t i = fields_.size(); i-- > 0;) {
        const std::uint64_t base = fields_[i]->prime();
        std::uint64_t carry = digits_[i];
        for (std::size_t w = 0; w < words_; ++w) {
            const Uint128 sum = Uint128{words[w]} * base + carry;
            words[w] = static_cast<std::uint64_t>(sum);
            carry = static_cast<std::uint64_t>(sum >> 64);
        }
    }
}

}  // namespace mines
