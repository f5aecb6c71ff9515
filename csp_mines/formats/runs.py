"""What one-line notations share: sizes, runs of equal values, numbers and layouts in digits.

A number may be written in any given set of digits. Each digit of a layout stands for several cells;
the highest bit of the digit is the first of these cells. Lines and layout links use base 32 (five
cells per digit). Tatham's IDs use hex (four cells per digit)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from csp_mines.board import require_size
from csp_mines.formats.notation import Text
from csp_mines.layout import Bools
from csp_mines.words import plural

_DIGITS = "0123456789abcdefghijklmnopqrstuv"


def runs(values: npt.NDArray[np.generic]) -> Iterator[tuple[int, int]]:
    """Yield the value and the length of every run of equal values. There must be a value."""
    ends = np.flatnonzero(np.diff(values.astype(np.int16)))
    starts = np.concatenate(([0], ends + 1))
    lengths = np.diff(np.concatenate((starts, [len(values)])))
    yield from zip(values[starts].tolist(), lengths.tolist(), strict=True)


def spelled(number: int, digits: str, width: int = 1) -> str:
    """Return a number as text. The first of `digits` means 0, the second 1, and so on. The text
    begins with the most significant digit and has at least `width` digits."""
    text = ""
    while number or len(text) < width:
        number, digit = divmod(number, len(digits))
        text = digits[digit] + text
    return text


def number_of(text: str, digits: str) -> int:
    """Return the number that `spelled` writes as `text` with the same `digits`. Only the first 40
    digits of `text` are read. If they do not begin with zeros, they give a number that is too large
    for any board, so the rest does not matter."""
    value = 0
    for digit in text[:40]:
        value = value * len(digits) + digits.index(digit)
    return value


def check_size(text: Text, rows: int, cols: int) -> None:
    """Raise BoardSyntaxError if no board can have this size. Callers check the size that a text
    gives before they make an array of this size."""
    with text.refusals(1):
        require_size(rows, cols)


def to_digits(mines: Bools, per_digit: int) -> str:
    """Return `mines`, a truth value for each cell, as digits of `per_digit` cells each. Zeros fill
    up the last digit."""
    padded = np.zeros(-(-len(mines) // per_digit) * per_digit, np.uint8)
    padded[: len(mines)] = mines
    weights = 1 << np.arange(per_digit - 1, -1, -1)
    values = padded.reshape(-1, per_digit) @ weights
    return np.frombuffer(_DIGITS.encode(), np.uint8)[values].tobytes().decode()


def from_digits(text: Text, digits: str, per_digit: int, rows: int, cols: int) -> Bools:
    """Return the truth values of `rows` × `cols` cells that `digits` encode. Each digit has
    `per_digit` cells. Errors refer to `text`. Raises BoardSyntaxError if there are too few or too
    many digits, if a digit is invalid, or if the last digit has a mine after the last cell."""
    cells = rows * cols
    wanted = -(-cells // per_digit)
    if len(digits) != wanted:
        needed = f"a layout of {plural(cells, 'cell')} needs {plural(wanted, 'digit')}"
        raise text.error(1, f"{needed}, not {len(digits)}")
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
    return mines[:cells].reshape(rows, cols)
