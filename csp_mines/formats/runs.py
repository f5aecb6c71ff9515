"""Runs of equal values in an array, for the short notations."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from csp_mines.board import MAX_CELLS
from csp_mines.formats.notation import Text

__all__ = ["check_size", "runs"]


def runs(values: npt.NDArray[np.generic]) -> Iterator[tuple[int, int]]:
    """Yield each value with the length of its run."""
    if not len(values):
        return
    ends = np.flatnonzero(np.diff(values.astype(np.int16)))
    starts = np.concatenate(([0], ends + 1))
    lengths = np.diff(np.concatenate((starts, [len(values)])))
    yield from zip(values[starts].tolist(), lengths.tolist(), strict=True)


def check_size(text: Text, rows: int, cols: int) -> None:
    """Raise BoardSyntaxError if no board has the size in a header. Callers check it before they
    make an array."""
    if rows < 1 or cols < 1:
        raise text.error(1, f"a board needs rows and columns, not {rows}×{cols}")
    if rows * cols > MAX_CELLS:
        raise text.error(1, f"a board may have at most {MAX_CELLS:,} cells, not {rows}×{cols}")
