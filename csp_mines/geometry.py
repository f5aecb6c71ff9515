"""What "around a cell" means. Frontiers, games, agents and pictures ask here and nowhere else.

A `Geometry` is a value: the offsets of the cells that touch a cell. Another grid is one more value.
Besides the plain question, it answers for whole arrays at once, and for arrays with a border, where
the neighbours of cell number `i` are `i` plus fixed steps and no loop tests for an edge. Here is
also checked what callers give for a cell.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from functools import cache
from operator import index
from typing import Any

import numpy as np
import numpy.typing as npt

from csp_mines.arguments import shown
from csp_mines.errors import BoardError

__all__ = ["OUTSIDE", "SQUARE", "Geometry", "as_cell", "checked_cell"]

Cell = tuple[int, int]

OUTSIDE = -128  # the code of the border of padded codes: no code of a board


def as_cell(cell: Any) -> Cell:
    """What somebody calls a cell, as a pair of plain integers. Raises BoardError for what is no
    pair of whole numbers."""
    try:
        row, col = cell
        row, col = index(row), index(col)
    except (TypeError, ValueError):
        what = f"a cell is a pair of whole numbers, (row, col), not {shown(cell)}"
        raise BoardError(what) from None
    return row, col


def checked_cell(cell: Any, rows: int, cols: int) -> Cell:
    """The cell as a pair of plain integers. Raises BoardError for what is no pair of whole numbers
    and for what does not lie on a board of that size."""
    row, col = as_cell(cell)
    if not (0 <= row < rows and 0 <= col < cols):
        raise BoardError(f"cell {shown(row)},{shown(col)} is not on this {rows}×{cols} board")
    return row, col


@dataclass(frozen=True)
class Geometry:
    """Which cells touch: `offsets` in rows and columns, in reading order, none further than
    `reach`."""

    name: str
    offsets: tuple[tuple[int, int], ...]

    @property
    def reach(self) -> int:
        """The width of the border that padded arrays need."""
        return max(max(abs(down), abs(right)) for down, right in self.offsets)

    def neighbours(self, cell: Cell, rows: int, cols: int) -> list[Cell]:
        """The cells around `cell` on a board of that size, in reading order."""
        row, col = cell
        return [
            (row + down, col + right)
            for down, right in self.offsets
            if 0 <= row + down < rows and 0 <= col + right < cols
        ]

    def count(self, what: npt.NDArray[np.bool_]) -> npt.NDArray[np.int8]:
        """For every cell, how many of the cells around it are `what`."""
        rows, cols = what.shape
        reach = self.reach
        wide = np.pad(what.astype(np.int8), reach)
        total: npt.NDArray[np.int8] = np.zeros(what.shape, np.int8)
        for down, right in self.offsets:
            first_row, first_col = reach + down, reach + right
            total += wide[first_row : first_row + rows, first_col : first_col + cols]
        return total

    def steps(self, cols: int) -> tuple[int, ...]:
        """The offsets of the neighbours in padded codes, in reading order."""
        width = cols + 2 * self.reach
        return tuple(down * width + right for down, right in self.offsets)

    def padded(self, codes: npt.NDArray[np.int8]) -> array[int]:
        """The codes row by row with a border of OUTSIDE."""
        return array("b", np.pad(codes, self.reach, constant_values=OUTSIDE).tobytes())

    @cache  # noqa: B019 - geometries are few and live as long as the program
    def neighbour_counts(self, rows: int, cols: int) -> tuple[int, ...]:
        """For padded codes: how many neighbours on the board each cell has; 0 for the border."""
        on_board = np.ones((rows, cols), np.bool_)
        counts = np.pad(self.count(on_board), self.reach)
        return tuple(counts.ravel().tolist())


SQUARE = Geometry(
    "square", tuple((down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right)
)
