"""Which cells are around a cell, and checks of the cells that callers give.

A `Geometry` has the offsets of the cells that touch a cell. Frontiers, games, agents and pictures
ask only this module. To play on another grid, make another `Geometry` and let `GRID` name it. Only
the pure engine can play there, because the compiled kernel, the certificates of no-guess games and
the page know only SQUARE. A cell may have at most eight neighbours, because clues end at 8.

A geometry also works on whole arrays, and on arrays with a border (`Bordered`). With a border, the
neighbours of cell number `i` have the numbers `i` plus fixed steps, and no loop has to test whether
a neighbour is on the board.
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

OUTSIDE = -128  # the code of cells in the border; no cell of a board has it
WIDE = 256  # with at least this many cells, numpy is faster than a loop


def as_cell(cell: Any) -> Cell:
    """Return the cell as a pair of plain integers. Raises BoardError if it is not a pair of whole
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
    """Which cells touch a cell: `offsets` has their distances in rows and columns, row by row."""

    name: str
    offsets: tuple[tuple[int, int], ...]

    @property
    def reach(self) -> int:
        """The largest distance of a neighbour, in rows or in columns."""
        return max(max(abs(down), abs(right)) for down, right in self.offsets)

    def neighbours(self, cell: Cell, rows: int, cols: int) -> list[Cell]:
        """Return the cells around `cell` on a board of that size, row by row."""
        row, col = cell
        return [
            (row + down, col + right)
            for down, right in self.offsets
            if 0 <= row + down < rows and 0 <= col + right < cols
        ]

    def count(self, what: npt.NDArray[np.bool_]) -> npt.NDArray[np.int8]:
        """For every cell, count the cells around it at which `what` is True."""
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
        """Return the arrangement in which boards of that size are stored with a border."""
        return Bordered(self, rows, cols)


class Bordered:
    """How boards of one size are stored in flat arrays with a border. The border is so wide that
    every neighbour of a cell of the board is in the array.

    The neighbours of cell number `i` have the numbers `i + step` for each of `steps`, row by row.
    `neighbour_counts[i]` is the number of neighbours that are on the board; it is 0 if `i` is in
    the border.
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
        """Return a new array with these codes, or with one code for all cells, and OUTSIDE in the
        border."""
        wide = np.full((self._size[0] + 2 * self._reach, self._width), OUTSIDE, np.int8)
        self.inside(wide)[:] = codes
        return array("b", wide.tobytes())

    def inside(self, wide: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
        """Return the part of such an array that is the board, as a view."""
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
"""The grid on which all games are played. The kernel is used only if this is SQUARE."""
