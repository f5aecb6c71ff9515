// Arithmetic modulo primes below 2^60. A count is computed modulo several primes, as many as its
// size needs; `Joiner` puts the remainders together. Modulo each prime there are roots of unity of
// every order 2^k up to 2^20.
#pragma once

#include <cassert>
#include <cstdint>
#include <vector>

namespace mines {

__extension__ using Uint128 = unsigned __int128;

struct Quotient {
    std::uint64_t quotient, remainder;
};

// Divides a number of two words. The high word must be below the divisor, so that the quotient is
// one word. On x86-64 this avoids the operator `/` of Uint128, for which Clang on Windows has no
// library.
inline Quotient divide(Uint128 number, std::uint64_t divisor) {
    assert(static_cast<std::uint64_t>(number >> 64) < divisor);
#ifdef __x86_64__
    std::uint64_t quotient, remainder;
    __asm__("divq %4"
            : "=a"(quotient), "=d"(remainder)
            : "0"(static_cast<std::uint64_t>(number)),
              "1"(static_cast<std::uint64_t>(number >> 64)), "r"(divisor)
            : "cc");
    return {quotient, remainder};
#else
    return {static_cast<std::uint64_t>(number / divisor),
            static_cast<std::uint64_t>(number % divisor)};
#endif
}

// A residue `value` by which many numbers are multiplied, and `scaled` = floor(value * 2^64 / p)
// for the prime p. For any 64-bit number a, the upper half of a * scaled is the quotient of
// a * value by p, or one less (Shoup).
struct Factor {
    std::uint64_t value = 0, scaled = 0;
};

class Field {
  public:
    static constexpr int bits = 59;        // every prime is above 2^59
    static constexpr int most_order = 20;  // roots of unity have orders up to 2^20

    // The field of the i-th prime; the largest prime is the first. No count needs all primes.
    static const Field& at(std::size_t i);

    std::uint64_t prime() const { return prime_; }
    // a + b and a - b modulo the prime; a and b are residues.
    std::uint64_t add(std::uint64_t a, std::uint64_t b) const {
        assert(a < prime_ && b < prime_);
        return once(a + b);
    }
    std::uint64_t subtract(std::uint64_t a, std::uint64_t b) const {
        assert(a < prime_ && b < prime_);
        return a >= b ? a - b : a + prime_ - b;
    }
    // Any 64-bit number times a factor, modulo the prime.
    std::uint64_t times(std::uint64_t a, const Factor& by) const {
        const std::uint64_t quotient = static_cast<std::uint64_t>((Uint128{a} * by.scaled) >> 64);
        return once(a * by.value - quotient * prime_);
    }
    std::uint64_t reduce(std::uint64_t a) const { return times(a, one_); }
    std::uint64_t reduce(Uint128 a) const {
        return add(times(static_cast<std::uint64_t>(a >> 64), word_),
                   reduce(static_cast<std::uint64_t>(a)));
    }
    std::uint64_t multiply(std::uint64_t a, std::uint64_t b) const {
        return reduce(Uint128{a} * b);
    }
    std::uint64_t power(std::uint64_t base, std::uint64_t exponent) const;
    std::uint64_t inverse(std::uint64_t a) const { return power(a, prime_ - 2); }
    Factor factor(std::uint64_t value) const {
        assert(value < prime_);
        return {value, divide(Uint128{value} << 64, prime_).quotient};
    }
    // A root of unity whose order is exactly 2^order.
    std::uint64_t root(int order) const;

  private:
    explicit Field(std::uint64_t prime);
    std::uint64_t once(std::uint64_t a) const {
        assert(a < 2 * prime_);
        return a >= prime_ ? a - prime_ : a;
    }
    static bool is_prime(std::uint64_t candidate);

    std::uint64_t prime_;
    Factor one_, word_;  // 1 and 2^64
    std::uint64_t root_ = 0;
};

// Computes the coefficients of a polynomial from its values at the powers of a root of unity of
// order 2^order.
class Interpolation {
  public:
    Interpolation(const Field& field, int order);
    // Replaces the values by the coefficients; `values[j]` is the value at root^j.
    void run(std::uint64_t* values) const;

  private:
    const Field& field_;
    int order_;
    std::vector<Factor> turns_;  // powers of the inverse root
    Factor share_;               // 1 / 2^order
};

// Computes a whole number from its residues modulo the first primes. The number must be below their
// product. It is written as words, the least significant first.
class Joiner {
  public:
    explicit Joiner(std::size_t primes);
    std::size_t words() const { return words_; }
    // `residues[i * stride]` is the residue modulo prime i. Writes `words()` words.
    void join(const std::uint64_t* residues, std::size_t stride, std::uint64_t* words);

  private:
    std::size_t words_;
    std::vector<const Field*> fields_;
    std::vector<Factor> inverses_;  // inverses of prime j modulo prime i, for j < i
    std::vector<std::uint64_t> digits_;
};

}  // namespace mines
