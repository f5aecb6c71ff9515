"""Runs of equal values in an array, and a check of sizes, for the notations of one line."""

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


def check_size(text: Text, rows: int, cols: int) -> None:
    """Raise BoardSyntaxError if no board can have this size. Callers check the size that a text
    gives before they make an array of it."""
    if rows < 1 or cols < 1:
        raise text.error(1, f"a board has at least one row and one column, not {rows}×{cols}")
    if rows * cols > MAX_CELLS:
        raise text.error(1, f"a board may have at most {MAX_CELLS:,} cells, not {rows}×{cols}")
