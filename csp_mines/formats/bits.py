"""Layouts as digits of several cells each, for lines, links and Tatham's IDs. The highest bit of a
digit is the first of its cells. Lines and layout links use base 32 (five cells per digit). Tatham's
IDs use hex (four cells per digit)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from csp_mines.formats.notation import Text
from csp_mines.layout import Layout
from csp_mines.words import plural

Bools = npt.NDArray[np.bool_]

_DIGITS = "0123456789abcdefghijklmnopqrstuv"


def to_digits(mines: Bools, per_digit: int) -> str:
    """Write the mines, row by row, as digits. The last digit is filled up with zeros."""
    padded = np.zeros(-(-len(mines) // per_digit) * per_digit, np.uint8)
    padded[: len(mines)] = mines
    weights = 1 << np.arange(per_digit - 1, -1, -1)
    values = padded.reshape(-1, per_digit) @ weights
    return np.frombuffer(_DIGITS.encode(), np.uint8)[values].tobytes().decode()


def from_digits(text: Text, digits: str, per_digit: int, rows: int, cols: int) -> Layout:
    """Return the layout of `rows` × `cols` cells that the digits encode. Errors refer to `text`.
    Raises BoardSyntaxError if there are too few or too many digits, or if a digit is invalid."""
    cells = rows * cols
    wanted = -(-cells // per_digit)
    if len(digits) != wanted:
        needed = plural(wanted, "digit")
        raise text.error(1, f"{plural(cells, 'cell')} need {needed}, not {len(digits)}")
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
