"""Layouts as digits, for lines, links and Tatham's IDs. Each digit stands for several cells; the
highest bit of the digit is the first of these cells. Lines and layout links use base 32 (five cells
per digit). Tatham's IDs use hex (four cells per digit)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from csp_mines.formats.notation import Text
from csp_mines.layout import Layout
from csp_mines.words import plural

Bools = npt.NDArray[np.bool_]

_DIGITS = "0123456789abcdefghijklmnopqrstuv"


def to_digits(mines: Bools, per_digit: int) -> str:
    """Return `mines`, a truth value for each cell, as digits of `per_digit` cells each. Zeros fill
    up the last digit."""
    padded = np.zeros(-(-len(mines) // per_digit) * per_digit, np.uint8)
    padded[: len(mines)] = mines
    weights = 1 << np.arange(per_digit - 1, -1, -1)
    values = padded.reshape(-1, per_digit) @ weights
    return np.frombuffer(_DIGITS.encode(), np.uint8)[values].tobytes().decode()


def from_digits(text: Text, digits: str, per_digit: int, rows: int, cols: int) -> Layout:
    """Return the layout of `rows` × `cols` cells that `digits` encode. Each digit has `per_digit`
    cells. Errors refer to `text`. Raises BoardSyntaxError if there are too few or too many digits,
    if a digit is invalid, or if the last digit has a mine after the last cell."""
    cells = rows * cols
    wanted = -(-cells // per_digit)
    if len(digits) != wanted:
        needed = plural(wanted, "digit")
        size = plural(cells, "cell")
        raise text.error(1, f"a layout of {size} needs {needed}, not {len(digits)}")
    table = np.full(256, 255, np.uint8)
    table[np.frombuffer(_DIGITS[: 1 << per_digit].encode(), np.uint8)] = np.arange(1 << per_digit)
    values = table[np.frombuffer(digits.encode("latin-1", "replace"), np.uint8)]
    if (values == 255).any():
        wrong = digits[int((values == 255).argmax())]
        raise text.error(1, f"{wrong!r} is not a digit in base {1 << per_digit}")
    bits = (values[:, None] >> np.arange(per_digit - 1, -1, -1)) & 1
    mines = bits.ravel().astype(bool)
    if mines[cells:].any():
        raise text.error(1, "the last digit has mines after the last cell")
    return Layout(mines[:cells].reshape(rows, cols))
