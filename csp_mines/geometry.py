"""What "around a cell" means. Frontiers, games, agents and pictures ask only this module.

A `Geometry` is a value: the offsets of the cells that touch a cell. To play on another grid, add a
value and let `GRID` name it. Only the pure engine plays on it, since the compiled kernel, the
certificates of no-guess games and the page know only SQUARE. A cell has at most eight neighbours,
since clues end at 8.

A geometry also answers for whole arrays at once, and for arrays with a border. In those, the
neighbours of cell number `i` are `i` plus fixed steps, and no loop has to test for an edge. This
module also checks the cells that callers give.
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

__all__ = ["GRID", "OUTSIDE", "SQUARE", "WIDE", "Bordered", "Geometry", "as_cell", "checked_cell"]

Cell = tuple[int, int]

OUTSIDE = -128  # the code of the border, which no cell of a board has
WIDE = 256  # numpy is faster than a loop for at least so many cells


def as_cell(cell: Any) -> Cell:
    """Return a cell as a pair of plain integers. Raises BoardError if it is not a pair of whole
    numbers."""
    try:
        row, col = cell
        row, col = index(row), index(col)
    except (TypeError, ValueError):
        what = f"a cell must be a pair of whole numbers, (row, col), not {shown(cell)}"
        raise BoardError(what) from None
    return row, col


def checked_cell(cell: Any, rows: int, cols: int) -> Cell:
    """Return the cell as a pair of plain integers. Raises BoardError if it is not a pair of whole
    numbers, or not on a board of that size."""
    if (
        type(cell) is tuple and len(cell) == 2
    ):  # the common case, kept fast: a game asks at every step
        row, col = cell
        if type(row) is int and type(col) is int and 0 <= row < rows and 0 <= col < cols:
            return cell
    row, col = as_cell(cell)
    if not (0 <= row < rows and 0 <= col < cols):
        raise BoardError(f"cell {shown(row)},{shown(col)} is not on this {rows}×{cols} board")
    return row, col


@dataclass(frozen=True)
class Geometry:
    """Which cells touch: `offsets` in rows and columns, in reading order, at most `reach` away."""

    name: str
    offsets: tuple[tuple[int, int], ...]

    @property
    def reach(self) -> int:
        """The largest distance of a neighbour, in rows or columns."""
        return max(max(abs(down), abs(right)) for down, right in self.offsets)

    def neighbours(self, cell: Cell, rows: int, cols: int) -> list[Cell]:
        """Return the cells around `cell` on a board of that size, in reading order."""
        row, col = cell
        return [
            (row + down, col + right)
            for down, right in self.offsets
            if 0 <= row + down < rows and 0 <= col + right < cols
        ]

    def count(self, what: npt.NDArray[np.bool_]) -> npt.NDArray[np.int8]:
        """For every cell, count the cells around it that are `what`."""
        rows, cols = what.shape
        reach = self.reach
        wide = np.pad(what.astype(np.int8), reach)
        total: npt.NDArray[np.int8] = np.zeros(what.shape, np.int8)
        for down, right in self.offsets:
            first_row, first_col = reach + down, reach + right
            total += wide[first_row : first_row + rows, first_col : first_col + cols]
        return total

    @cache  # noqa: B019 - geometries are few and live as long as the program
    def bordered(self, rows: int, cols: int) -> Bordered:
        """Return how boards of that size are stored in arrays with a border."""
        return Bordered(self, rows, cols)


class Bordered:
    """Boards of one size in flat arrays, row by row, with a border as wide as neighbours reach.

    Cell number `i` has its neighbours at `i` plus `steps`, in reading order; those beyond an edge
    are in the border. `neighbour_counts` is the number of neighbours on the board; 0 for the
    border.
    """

    def __init__(self, geometry: Geometry, rows: int, cols: int) -> None:
        self._reach = reach = geometry.reach
        self._width = width = cols + 2 * reach
        self._first = reach * width + reach
        self._size = rows, cols
        self.steps = tuple(down * width + right for down, right in geometry.offsets)
        counts = np.pad(geometry.count(np.ones((rows, cols), np.bool_)), reach)
        self.neighbour_counts: tuple[int, ...] = tuple(counts.ravel().tolist())

    def filled(self, codes: npt.NDArray[np.int8] | int) -> array[int]:
        """Return the codes, or one code for all cells, with a border of OUTSIDE."""
        wide = np.full((self._size[0] + 2 * self._reach, self._width), OUTSIDE, np.int8)
        self.inside(wide)[:] = codes
        return array("b", wide.tobytes())

    def inside(self, wide: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
        """Return the board in such an array, as a view."""
        reach, (rows, cols) = self._reach, self._size
        return wide.reshape(-1, self._width)[reach : reach + rows, reach : reach + cols]

    def index(self, cell: Cell) -> int:
        """Return the number of a cell."""
        return cell[0] * self._width + cell[1] + self._first

    def cell(self, index: int) -> Cell:
        """Return the cell with that number."""
        return index // self._width - self._reach, index % self._width - self._reach

    def cells(self, indexes: list[int]) -> list[Cell]:
        """Return the cells with these numbers."""
        if len(indexes) < WIDE:
            return [self.cell(index) for index in indexes]
        rows, cols = np.divmod(np.array(indexes, np.intp), self._width)
        down, right = (rows - self._reach).tolist(), (cols - self._reach).tolist()
        return list(zip(down, right, strict=True))


SQUARE = Geometry(
    "square", tuple((down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right)
)

GRID = SQUARE
"""The grid that is played. The kernel is compiled for SQUARE and is used only for that grid."""
