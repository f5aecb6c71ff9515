"""Products of polynomials with non-negative integer coefficients, made by multiplying big integers.

A polynomial is a list of coefficients; the first coefficient belongs to degree 0. `multiply` writes
each of two polynomials into one big integer, with the same number of bytes for every coefficient.
Python multiplies the two integers, and the coefficients of the product are read from the result.
The bytes suffice for every coefficient of the product. (This is Kronecker substitution.)
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import mul


def pack(coefficients: Sequence[int], width: int) -> int:
    """Return the polynomial as one integer with `width` bytes for each coefficient."""
    return int.from_bytes(
        b"".join([coefficient.to_bytes(width, "little") for coefficient in coefficients]), "little"
    )


def unpack(packed: int, width: int, length: int) -> list[int]:
    """Return the `length` coefficients of a polynomial that `pack` wrote with this `width`."""
    raw = packed.to_bytes(width * length, "little")
    return [
        int.from_bytes(raw[start : start + width], "little")
        for start in range(0, width * length, width)
    ]


def multiply(a: Sequence[int], b: Sequence[int]) -> list[int]:
    """Return the product of two polynomials. The product is empty if a polynomial is empty."""
    if not a or not b:
        return []
    if len(a) == 1 or len(b) == 1:
        return [x * y for x in a for y in b]
    bits = max(a).bit_length() + max(b).bit_length() + min(len(a), len(b)).bit_length()
    width = bits // 8 + 1
    return unpack(pack(a, width) * pack(b, width), width, len(a) + len(b) - 1)


def dot(a: Sequence[int], b: Sequence[int]) -> int:
    """Return `a[0] * b[0] + a[1] * b[1] + …`, up to the end of the shorter list."""
    return sum(map(mul, a, b))


def correlate(a: Sequence[int], weights: Sequence[int]) -> list[int]:
    """Return a list whose entry `i` is the sum of `a[j] * weights[i + j]` over all indexes `j` of
    `a`. The list ends at the last `i` for which `weights[i + j]` exists for every `j`. The list is
    empty if `a` is empty, or longer than `weights`."""
    product = multiply(list(reversed(a)), weights)
    return product[len(a) - 1 : len(weights)]
