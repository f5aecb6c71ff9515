"""`Geometry`: grids, with the neighbours and labels of cells; `Places`: cells as numbers.

A `Geometry` is a grid. Every `Board`, every `Layout` and every `Spec` has a geometry, from which
frontiers, games, agents and pictures take the neighbours of a cell. The kernel gets the `table` of
the geometry, except for the square grid. `LATTICES` has the grids with fixed names. `graph.py` has
the grids that are given as graphs. `grids.py` makes a grid of either kind from a text.

The number of a cell counts the cells row by row, from 0. `Places` turns cells into numbers, and
boards into flat arrays with one entry for each number.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from functools import lru_cache
from operator import index
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from csp_mines.arguments import must_be, require_at_most, shown
from csp_mines.errors import BoardError

Cell = tuple[int, int]
Numbers = npt.NDArray[np.int32]
Offsets = tuple[tuple[int, int], ...]

WIDE = 256  # with at least this many cells, numpy is faster than a loop
MOST_NEIGHBOURS = 99  # the most neighbours of a cell: a clue then fits two digits and a byte
MOST_TABLED = 1_000_000  # the most cells of a board on a grid whose `count` needs the table
MOST_KEPT = 100_000  # `Places` of boards with more cells compute the neighbours anew each time


def as_cell(cell: Any) -> Cell:
    """Return the cell as a pair of plain integers. Raises BoardError if it is not a pair of whole
    numbers."""
    try:
        row, col = cell
        row, col = index(row), index(col)
    except (TypeError, ValueError):
        expected = "a pair of whole numbers, (row, col)"
        raise BoardError(must_be("a cell", expected, cell)) from None
    return row, col


def checked_cell(cell: Any, rows: int, cols: int) -> Cell:
    """Return the cell as a pair of plain integers. Raises BoardError if it is not a pair of whole
    numbers, or not on a board of `rows` × `cols` cells."""
    # A game checks a cell at every step, so the usual pair of plain integers is tested first.
    if type(cell) is tuple and len(cell) == 2:
        row, col = cell
        if type(row) is int and type(col) is int and 0 <= row < rows and 0 <= col < cols:
            return cell
    row, col = as_cell(cell)
    if not (0 <= row < rows and 0 <= col < cols):
        raise BoardError(f"cell {shown(row)},{shown(col)} is not on this {rows}×{cols} board")
    return row, col


def cells_at(mask: npt.NDArray[np.bool_]) -> list[Cell]:
    """Return the cells at which a mask is True, row by row."""
    return [(row, col) for row, col in np.argwhere(mask).tolist()]


class Table(NamedTuple):
    """The neighbours of all cells of a board, as numbers of cells. The neighbours of the cell with
    the number `i` are `cells[starts[i]:starts[i + 1]]`, in ascending order.

    >>> table = csp_mines.as_geometry("square").table(2, 2)
    >>> table.cells[table.starts[0] : table.starts[1]].tolist()
    [1, 2, 3]
    """

    starts: Numbers
    cells: Numbers


class Geometry:
    """A grid: which cells touch each other. `name` is the name of the grid, such as `hex`; every
    graph has the name `graph`. `most` is the largest number of neighbours that a cell can have, and
    so the largest clue.

    >>> grid = csp_mines.as_geometry("orthogonal")
    >>> grid.neighbours((0, 0), 3, 3)
    [(0, 1), (1, 0)]
    """

    name: str
    most: int

    def beside(
        self, numbers: npt.NDArray[np.intp], rows: int, cols: int
    ) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        """Return the neighbours of the cells with the given `numbers`, and how many neighbours each
        of these cells has. The board has `rows` × `cols` cells.

        The first array has the numbers of the neighbours: all neighbours of the first cell in
        ascending order, then all neighbours of the second cell, and so on. The second array has one
        entry for each cell of `numbers`."""
        raise NotImplementedError

    def neighbours(self, cell: Cell, rows: int, cols: int) -> list[Cell]:
        """Return the cells around `cell` on a board of `rows` × `cols` cells, row by row."""
        raise NotImplementedError

    def check_size(self, rows: int, cols: int) -> None:
        """Raise BoardError if no board of this grid can have `rows` × `cols` cells."""
        what = f"a board on the grid {self.name!r}"
        require_at_most(rows * cols, MOST_TABLED, what, error=BoardError)

    def count(self, what: npt.NDArray[np.bool_]) -> npt.NDArray[np.int8]:
        """Return, for every cell, the number of its neighbours at which `what` is True. `what` has
        the rows and columns of a board."""
        starts, cells = self.table(*what.shape)
        sums = np.concatenate([[0], np.cumsum(what.ravel()[cells])])
        total: npt.NDArray[np.int8] = (sums[starts[1:]] - sums[starts[:-1]]).astype(np.int8)
        return total.reshape(what.shape)

    def table(self, rows: int, cols: int) -> Table:
        """Return the neighbours of all cells of a board of `rows` × `cols` cells."""
        return _table(self, rows, cols)

    def places(self, rows: int, cols: int) -> Places:
        """Return the `Places` of boards of `rows` × `cols` cells."""
        return _places(self, rows, cols)

    def label(self, cell: Cell) -> str:
        """Return how people write the cell: `row,col`, or its name on a graph."""
        return f"{cell[0]},{cell[1]}"

    @property
    def spelled(self) -> str:
        """The text from which `grids.as_geometry` makes this geometry again."""
        return self.name

    def __repr__(self) -> str:
        return f"as_geometry({self.spelled!r})"

    def __str__(self) -> str:
        return self.name


class Lattice(Geometry):
    """A grid that is given by the offsets from a cell to its neighbours.

    An offset `(down, right)` means that the neighbour is `down` rows below the cell and `right`
    columns to the right of the cell. Negative numbers mean above and to the left. `offsets` has the
    offsets in reading order. If `odd` is given, cells in odd rows use `odd` instead of `offsets`.
    With `wraps`, opposite edges of the board are joined. Two lattices with the same name are equal.
    """

    def __init__(
        self, name: str, offsets: Offsets, odd: Offsets | None = None, *, wraps: bool = False
    ) -> None:
        self.name = name
        self.most = len(offsets)
        self.offsets = offsets
        self.odd = offsets if odd is None else odd
        self.wraps = wraps
        self._shifts = np.array([offsets, self.odd], np.intp)
        self.uniform = odd is None and not wraps

    @property
    def reach(self) -> int:
        """The largest number of rows or columns from a cell to a neighbour."""
        return max(max(abs(down), abs(right)) for down, right in self.offsets)

    def check_size(self, rows: int, cols: int) -> None:
        if not self.uniform:
            super().check_size(rows, cols)

    def neighbours(self, cell: Cell, rows: int, cols: int) -> list[Cell]:
        row, col = cell
        offsets = self.odd if row & 1 else self.offsets
        if self.wraps:
            near = {((row + down) % rows, (col + right) % cols) for down, right in offsets}
            return sorted(near - {cell})
        return [
            (row + down, col + right)
            for down, right in offsets
            if 0 <= row + down < rows and 0 <= col + right < cols
        ]

    def beside(
        self, numbers: npt.NDArray[np.intp], rows: int, cols: int
    ) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        row, col = np.divmod(np.asarray(numbers, np.intp), cols)
        shifts = self._shifts[row & 1]
        down, right = row[:, None] + shifts[:, :, 0], col[:, None] + shifts[:, :, 1]
        if self.wraps:
            near = np.sort((down % rows) * cols + right % cols, axis=1)
            kept = (np.diff(near, axis=1, prepend=-1) > 0) & (near != (row * cols + col)[:, None])
        else:
            near = down * cols + right
            kept = (down >= 0) & (down < rows) & (right >= 0) & (right < cols)
        return near[kept], kept.sum(axis=1)

    def count(self, what: npt.NDArray[np.bool_]) -> npt.NDArray[np.int8]:
        if not self.uniform:
            return super().count(what)
        rows, cols = what.shape
        reach = self.reach
        wide = np.zeros((rows + 2 * reach, cols + 2 * reach), np.int8)
        wide[reach : reach + rows, reach : reach + cols] = what
        total: npt.NDArray[np.int8] = np.zeros(what.shape, np.int8)
        for down, right in self.offsets:
            first_row, first_col = reach + down, reach + right
            total += wide[first_row : first_row + rows, first_col : first_col + cols]
        return total

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Geometry):
            return NotImplemented
        return isinstance(other, Lattice) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[Callable[[str], Lattice], tuple[str]]:
        return _lattice, (self.name,)


def _square(radius: int) -> Offsets:
    reach = range(-radius, radius + 1)
    return tuple((down, right) for down in reach for right in reach if down or right)


SQUARE = Lattice("square", _square(1))
LATTICES = {
    lattice.name: lattice
    for lattice in (
        SQUARE,
        Lattice("orthogonal", ((-1, 0), (0, -1), (0, 1), (1, 0))),
        *(Lattice(f"radius:{radius}", _square(radius)) for radius in (1, 2, 3, 4)),
        Lattice("torus", _square(1), wraps=True),
        Lattice(  # rows of hexagons; odd rows are shifted to the right by half a cell
            "hex",
            ((-1, -1), (-1, 0), (0, -1), (0, 1), (1, -1), (1, 0)),
            ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, 0), (1, 1)),
        ),
    )
}


def _lattice(name: str) -> Lattice:
    return LATTICES[name]


@lru_cache(maxsize=16)
def _table(geometry: Geometry, rows: int, cols: int) -> Table:
    cells, counts = geometry.beside(np.arange(rows * cols), rows, cols)
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    table = Table(starts, cells.astype(np.int32))
    for numbers in table:
        numbers.flags.writeable = False
    return table


class _Around(dict[int, tuple[int, ...]]):
    """Maps the number of a cell to the numbers of its neighbours. On a board of at most `MOST_KEPT`
    cells, the neighbours of a cell are computed only once."""

    def __init__(self, geometry: Geometry, rows: int, cols: int) -> None:
        super().__init__()
        self._of = geometry, rows, cols

    def __missing__(self, place: int) -> tuple[int, ...]:
        geometry, rows, cols = self._of
        near = geometry.neighbours(divmod(place, cols), rows, cols)
        numbers = tuple([row * cols + col for row, col in near])
        if rows * cols <= MOST_KEPT:
            self[place] = numbers
        return numbers


class Places:
    """The numbers of the cells of boards of one grid and size, and boards as flat arrays. The cell
    `(row, col)` has the number `row * cols + col`. For a cell with the number `number`,
    `around[number]` has the numbers of its neighbours in ascending order, and
    `neighbour_counts[number]` says how many neighbours it has.

    >>> places = csp_mines.as_geometry("square").places(3, 3)
    >>> places.cell(4), places.index((1, 1))
    ((1, 1), 4)
    """

    def __init__(self, geometry: Geometry, rows: int, cols: int) -> None:
        self._geometry, self._size = geometry, (rows, cols)
        self.around = _Around(geometry, rows, cols)
        counts = geometry.count(np.ones((rows, cols), np.bool_))
        self.neighbour_counts: tuple[int, ...] = tuple(counts.ravel().tolist())

    def filled(self, codes: npt.NDArray[np.int8]) -> array[int]:
        """Return the codes of a board as a new flat array. `codes` has rows and columns."""
        return array("b", np.ascontiguousarray(codes, np.int8).tobytes())

    def grid(self, flat: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
        """Return a view of the array `flat` with rows and columns."""
        return flat.reshape(self._size)

    def beside(self, places: list[int]) -> npt.NDArray[np.intp]:
        """Return the numbers of all neighbours of the cells with the numbers `places`. A neighbour
        of several of these cells occurs once for each of them."""
        return self._geometry.beside(np.array(places, np.intp), *self._size)[0]

    def index(self, cell: Cell) -> int:
        """Return the number of a cell."""
        return cell[0] * self._size[1] + cell[1]

    def cell(self, index: int) -> Cell:
        """Return the cell with the number `index`."""
        return divmod(index, self._size[1])

    def cells(self, indexes: list[int]) -> list[Cell]:
        """Return the cells with the numbers `indexes`."""
        if len(indexes) < WIDE:
            return [self.cell(index) for index in indexes]
        rows, cols = np.divmod(np.array(indexes, np.intp), self._size[1])
        return list(zip(rows.tolist(), cols.tolist(), strict=True))


_places = lru_cache(maxsize=64)(Places)
