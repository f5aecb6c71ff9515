"""Products of polynomials with non-negative integer coefficients, by packing each into one integer.

A polynomial is a list of coefficients, lowest first. Kronecker substitution lets Python's big
integers do the convolution. The fields are wide enough that no coefficient of the product
overflows.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import mul

__all__ = ["correlate", "dot", "multiply", "pack", "unpack"]


def pack(coefficients: Sequence[int], width: int) -> int:
    """Return one integer with `width` bytes per coefficient."""
    return int.from_bytes(
        b"".join([coefficient.to_bytes(width, "little") for coefficient in coefficients]), "little"
    )


def unpack(packed: int, width: int, length: int) -> list[int]:
    """Return the `length` coefficients of a packed polynomial."""
    raw = packed.to_bytes(width * length, "little")
    return [
        int.from_bytes(raw[start : start + width], "little")
        for start in range(0, width * length, width)
    ]


def multiply(a: Sequence[int], b: Sequence[int]) -> list[int]:
    """Return the product; it is empty if a factor is."""
    if not a or not b:
        return []
    if len(a) == 1 or len(b) == 1:
        return [x * y for x in a for y in b]
    bits = max(a).bit_length() + max(b).bit_length() + min(len(a), len(b)).bit_length()
    width = bits // 8 + 1
    return unpack(pack(a, width) * pack(b, width), width, len(a) + len(b) - 1)


def dot(a: Sequence[int], b: Sequence[int]) -> int:
    """Return the sum of the products of coefficients at the same place."""
    return sum(map(mul, a, b))


def correlate(a: Sequence[int], weights: Sequence[int]) -> list[int]:
    """Return `[sum(a[j] * weights[i + j] for j) for i]`, for every `i` at which all of `a` has a
    weight."""
    product = multiply(list(reversed(a)), weights)
    return product[len(a) - 1 : len(weights)]
