"""Helpers for one-line notations: runs of equal values, numbers in a given set of digits, and the
check of a size."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from csp_mines.board import MAX_CELLS
from csp_mines.formats.notation import Text


def runs(values: npt.NDArray[np.generic]) -> Iterator[tuple[int, int]]:
    """Yield the value and the length of every run of equal values."""
    if not len(values):
        return
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
    if rows < 1 or cols < 1:
        raise text.error(1, f"a board has at least one row and one column, not {rows}×{cols}")
    if rows * cols > MAX_CELLS:
        cells = f"{rows * cols:,} ({rows}×{cols})"
        raise text.error(1, f"a board may have at most {MAX_CELLS:,} cells, not {cells}")
