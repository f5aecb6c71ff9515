"""`Layout` (where the mines are) and `Spec` (the size of a game); also levels, floods and random
numbers. A layout is made from a seed or an array, or read from a text or a file. The number of a
cell gives the place of the cell in reading order: `row * cols + col`."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from os import PathLike, fspath
from typing import Any

import numpy as np
import numpy.typing as npt

from csp_mines import arguments
from csp_mines.arguments import looked_up, several, whole
from csp_mines.board import (
    HIDDEN,
    HOLE,
    MARKED,
    Board,
    Cell,
    as_array,
    checked_mines,
    grid_json,
    require_size,
)
from csp_mines.errors import BoardError, InputError
from csp_mines.geometry import SQUARE, WIDE, Geometry, Places, cells_at, checked_cell
from csp_mines.grids import as_geometry
from csp_mines.names import LEVEL_SIZES, REPORT_LEVEL_SIZES
from csp_mines.words import plural

MAX_GAME_CELLS = 1_000_000  # the kernel generates and grades no larger games

Seed = int | str
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Spec:
    """The size of a game, its number of mines, its grid, and the places that are not cells.

    Raises InputError if `rows`, `cols` or `mines` is not a whole number; BoardError if no board of
    this grid has this size, if a hole is not on the board, or if `mines` is not a number from 0 to
    the number of cells. For the grid, raises what `as_geometry` raises.

    >>> spec = csp_mines.Spec(9, 9, 10, csp_mines.as_geometry("torus"))
    >>> spec.cells, spec.neighbours((0, 0))[:3]
    (81, [(0, 1), (0, 8), (1, 0)])
    """

    rows: int
    cols: int
    mines: int
    geometry: Geometry = SQUARE
    holes: frozenset[Cell] = frozenset()

    def __post_init__(self) -> None:
        object.__setattr__(self, "geometry", as_geometry(self.geometry))
        for what in ("rows", "cols", "mines"):
            object.__setattr__(self, what, whole(getattr(self, what), what))
        require_size(self.rows, self.cols)
        self.geometry.check_size(self.rows, self.cols)
        cells_left_out = several(self.holes, "holes", "cells")
        holes = frozenset(checked_cell(cell, self.rows, self.cols) for cell in cells_left_out)
        object.__setattr__(self, "holes", holes)
        checked_mines(self.mines, self.cells)

    def __repr__(self) -> str:
        """Return a text such as `Spec(rows=16, cols=30, mines=99)`. The text also has the grid if
        the grid is not square, and the holes if there are any."""
        said = [f"{name}={getattr(self, name)}" for name in ("rows", "cols", "mines")]
        said += [] if self.geometry == SQUARE else [f"geometry={self.geometry!r}"]
        said += [f"holes={sorted(self.holes)}"] if self.holes else []
        return f"Spec({', '.join(said)})"

    def __str__(self) -> str:
        """Return a text such as `16×30 with 99 mines`. The text also has the grid if the grid is
        not square, and the number of holes if there are any."""
        grid = "" if self.geometry == SQUARE else f" {self.geometry}"
        holes = f" and {plural(len(self.holes), 'hole')}" if self.holes else ""
        return f"{self.rows}×{self.cols}{grid} with {plural(self.mines, 'mine')}{holes}"

    @property
    def cells(self) -> int:
        """The number of cells, without the holes."""
        return self.rows * self.cols - len(self.holes)

    @property
    def density(self) -> float:
        """The share of the cells that are mines. Raises ZeroDivisionError if there are no cells."""
        return self.mines / self.cells

    @property
    def first(self) -> Cell:
        """The first cell in reading order: the default for the first opening of a game. Raises
        BoardError if every place is a hole."""
        if not self.cells:
            raise BoardError("every place of this board is a hole: there is no cell to open")
        places = (divmod(number, self.cols) for number in range(self.rows * self.cols))
        return next(place for place in places if place not in self.holes)

    def require(self, cell: Cell) -> Cell:
        """Return the cell as a pair of plain integers. Raises BoardError if `cell` is not a pair of
        whole numbers, is not on the board, or is a hole."""
        cell = checked_cell(cell, self.rows, self.cols)
        if self.holes and cell in self.holes:
            raise BoardError(f"{cell[0]},{cell[1]} is a hole of this board, not a cell")
        return cell

    def neighbours(self, cell: Cell) -> list[Cell]:
        """Return the cells around a cell, row by row."""
        near = self.geometry.neighbours(cell, self.rows, self.cols)
        return [other for other in near if other not in self.holes]

    def numbers(self, without: Iterable[Cell] = ()) -> list[int]:
        """Return the numbers `row * cols + col` of all cells except the cells `without`, in
        ascending order."""
        left_out = {row * self.cols + col for row, col in (*self.holes, *without)}
        return [number for number in range(self.rows * self.cols) if number not in left_out]

    def layout(self, mines: Iterable[int]) -> Layout:
        """Return the layout of this size with a mine at each cell whose number `row * cols + col`
        is in `mines`. Raises BoardError for a mine in a hole."""
        grid = np.zeros(self.rows * self.cols, bool)
        grid[list(mines)] = True
        return Layout(
            grid.reshape(self.rows, self.cols), geometry=self.geometry, holes=self.hole_mask
        )

    @property
    def hole_mask(self) -> Bools | None:
        """An array that is True at the holes; None if there are none."""
        return self.codes(0) == HOLE if self.holes else None

    def codes(self, code: int) -> npt.NDArray[np.int8]:
        """Return an array that has `code` at all cells and HOLE at all holes."""
        codes = np.full((self.rows, self.cols), code, np.int8)
        for hole in self.holes:
            codes[hole] = HOLE
        return codes

    def to_json(self) -> dict[str, Any]:
        """Return `{"rows": …, "cols": …, "mines": …}`. The document also has `grid` if the grid is
        not square, and `holes` if there are any."""
        size: dict[str, Any] = {"rows": self.rows, "cols": self.cols, "mines": self.mines}
        holes = {"holes": sorted(map(list, self.holes))} if self.holes else {}
        return size | grid_json(self.geometry) | holes

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Spec:
        """Make a `Spec` from a document of the form that `to_json` returns. Raises what `Spec`
        raises, and KeyError, TypeError or ValueError if the document has another form."""
        return cls(
            document["rows"],
            document["cols"],
            document["mines"],
            document.get("grid", SQUARE),
            frozenset((row, col) for row, col in document.get("holes", ())),
        )


def require_room(spec: Spec, clear: int, reason: str = "") -> None:
    """Raise BoardError if the mines of `spec` do not fit on its cells when `clear` of the cells
    must have no mine. The message ends with `reason`."""
    if spec.mines > spec.cells - clear:
        raise BoardError(
            f"no room for {plural(spec.mines, 'mine')}: "
            f"{clear} of {plural(spec.cells, 'cell')} must have no mine{reason}"
        )


CLASSIC_LEVELS = {name: Spec(*size) for name, size in LEVEL_SIZES.items()}
LEVELS = CLASSIC_LEVELS | {name: Spec(*size) for name, size in REPORT_LEVEL_SIZES.items()}


def level(name: str) -> Spec:
    """Return the size of the level `name`. Raises UnknownName for an unknown level, InputError if
    `name` is not a string."""
    return looked_up("level", name, LEVELS)


def as_spec(
    name: str | None = None,
    rows: int | None = None,
    cols: int | None = None,
    mines: int | None = None,
) -> Spec:
    """Return the size of the level `name`, or the size that the other arguments give. Without any
    argument, return the size of the level `beginner`. Raises InputError if a level and numbers are
    both given, if only some of the numbers are given, or if one of them is not whole; UnknownName
    for an unknown level; BoardError for an impossible size or number of mines."""
    if rows is None and cols is None and mines is None:
        return level("beginner" if name is None else name)
    if name is not None or rows is None or cols is None or mines is None:
        raise InputError("give either a level, or all of rows, cols and mines")
    return Spec(rows, cols, mines)


class Layout:
    """Where the mines are. `mines` is a read-only array that is True at every mine. `geometry` is
    the grid. `holes` is a read-only array that is True at every hole, or None if there are none.

    >>> layout = csp_mines.Layout.parse("*..\\n..*")
    >>> layout.count, layout.numbers.tolist()
    (2, [[0, 2, 1], [1, 2, 0]])
    """

    def __init__(
        self,
        mines: npt.ArrayLike,
        *,
        geometry: str | Geometry = SQUARE,
        holes: npt.ArrayLike | None = None,
    ) -> None:
        """Make a layout from an array of truth values with rows and columns; True is a mine. Raises
        BoardError for any other `mines`, for a size that no board of the grid can have, for `holes`
        that are not truth values in the shape of `mines`, and for a mine in a hole. For the grid,
        raises what `as_geometry` raises."""
        self.mines: Bools = _truth_values(mines, "a layout")
        self.geometry = as_geometry(geometry)
        self.geometry.check_size(*self.shape)
        self.holes: Bools | None = None if holes is None else self._checked_holes(holes)

    def _checked_holes(self, holes: npt.ArrayLike) -> Bools | None:
        mask = _truth_values(holes, "holes", self.shape)
        if (mask & self.mines).any():
            hole = self.geometry.label(cells_at(mask & self.mines)[0])
            raise BoardError(f"{hole} is a hole, but the layout has a mine there")
        return mask if mask.any() else None

    @classmethod
    def random(
        cls,
        rows: int,
        cols: int,
        mines: int,
        seed: Seed,
        *,
        clear: Iterable[Cell] = (),
        geometry: str | Geometry = SQUARE,
        holes: Iterable[Cell] = (),
    ) -> Layout:
        """Make a random layout of `rows` × `cols` places, with `mines` mines and no mine in the
        cells `clear`. All such layouts are equally likely. `geometry` is the grid, and `holes` are
        the places that are not cells.

        The `seed` determines an order of all cells. The mines go to the first cells in this order
        that are not in `clear`. So with the same seed, `clear` moves only the mines that would
        otherwise lie in the cells `clear`.

        Raises BoardError if there is no room for the mines, or if an item of `clear` is not on the
        board; InputError if `clear` is not an iterable, or if `seed` is neither a string nor a
        whole number; and what `Spec` raises."""
        spec = Spec(rows, cols, mines, as_geometry(geometry), frozenset(holes))
        rows, cols, mines = spec.rows, spec.cols, spec.mines
        places = {checked_cell(cell, rows, cols) for cell in several(clear, "clear", "cells")}
        places -= spec.holes
        require_room(spec, len(places))
        free = np.ones(rows * cols, np.bool_)
        free[[row * cols + col for row, col in (*places, *spec.holes)]] = False
        order = np.argsort(random_numbers("layout", seed).random(rows * cols), kind="stable")
        order = order[free[order]]
        return spec.layout(order[: spec.mines])

    @classmethod
    def parse(cls, text: str, format: str | None = None, *, source: str = "<text>") -> Layout:
        """Read a layout from text: rows of `*` (a mine), `.` (a safe cell) and `~` (a hole), or
        another notation. A board without hidden cells is read as the layout that the board shows.
        `csp-mines formats` lists the notations.

        Without `format`, the notation is recognised from the text. `source` names the text in
        messages. Raises BoardError, usually a BoardSyntaxError with the line, if the text is not
        exactly one layout, or if two notations read the text differently; UnknownName for an
        unknown format."""
        from csp_mines import formats

        return formats.parse_layout(text, format, source=source)

    @classmethod
    def read(cls, path: str | PathLike[str], format: str | None = None) -> Layout:
        """Read a layout from the file at `path`, gzipped or not. `format` is as in `parse`. Raises
        what `parse` raises, FileError if the file cannot be read, and BoardError if the file is too
        large or has damaged gzip data."""
        from csp_mines import formats

        return formats.parse_layout(formats.load(path), format, source=fspath(path))

    @classmethod
    def from_mbf(cls, data: bytes, *, source: str = "<mbf>") -> Layout:
        """Read a layout from `data`, the bytes of an MBF file. `source` names the file in messages.
        Raises BoardError if `data` is not MBF."""
        from csp_mines import formats

        return formats.parse_layout(data, "mbf", source=source)

    def to_mbf(self) -> bytes:
        """Return the bytes of an MBF file. Raises BoardError if the layout has more than 255 rows
        or columns, a hole, or a grid that is not square."""
        from csp_mines import formats

        return formats.encode_layout(self, "mbf")

    def to_text(self, format: str | None = None, first: Cell | None = None) -> str:
        """Return the layout as text in the notation `format`, by default rows of `*` (a mine), `.`
        (a safe cell) and `~` (a hole). If `first` is given, the text also names this first cell.
        Raises BoardError if the format cannot express the layout or the first cell, or if `first`
        is not a cell of the layout; UnknownName for an unknown format."""
        from csp_mines import formats

        return formats.write_layout(self, format, first)

    def to_line(self, first: Cell | None = None) -> str:
        """Return the layout as one line of text, with the first cell if `first` is given. Raises
        BoardError if `first` is not a cell of the layout."""
        return self.to_text("line", first)

    def to_json(self) -> dict[str, Any]:
        """Return `{"rows": …, "cols": …, "mines": …, "layout": ["*.", …]}`. If the grid is not
        square, the document also has `grid`. In the rows of `layout`, `*` is a mine, `.` a safe
        cell and `~` a hole."""
        rows, cols = self.shape
        return {
            "rows": rows,
            "cols": cols,
            "mines": self.count,
            **grid_json(self.geometry),
            "layout": self.to_text().splitlines()[-rows:],  # without the header
        }

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        rows, cols = self.mines.shape
        return rows, cols

    @cached_property
    def count(self) -> int:
        """The number of mines."""
        return int(self.mines.sum())

    @cached_property
    def safe(self) -> Bools:
        """An array that is True at the safe cells, and False at mines and holes."""
        safe: Bools = ~self.mines if self.holes is None else ~(self.mines | self.holes)
        safe.flags.writeable = False
        return safe

    @cached_property
    def spec(self) -> Spec:
        """The size, the number of mines, the grid and the holes."""
        holes = [] if self.holes is None else cells_at(self.holes)
        return Spec(*self.shape, self.count, self.geometry, frozenset(holes))

    @cached_property
    def numbers(self) -> npt.NDArray[np.int8]:
        """The number of mines around each cell, even around cells that are mines themselves."""
        numbers = self.geometry.count(self.mines)
        numbers.flags.writeable = False
        return numbers

    def number(self, cell: Cell) -> int:
        """Return the number of mines around a cell. Raises BoardError if the cell is not on the
        board."""
        return int(self.numbers[checked_cell(cell, *self.shape)])

    def board(self) -> Board:
        """Return the board on which every safe cell is open and every mine is marked."""
        codes = np.where(self.mines, np.int8(MARKED), self.numbers)
        if self.holes is not None:
            codes[self.holes] = HOLE
        return Board(codes, mines=self.count, geometry=self.geometry)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Layout):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        holes = None if self.holes is None else self.holes.tobytes()
        return self.shape, self.mines.tobytes(), holes, self.geometry

    def __repr__(self) -> str:
        return f"Layout.parse({self.to_text()!r})"

    def __str__(self) -> str:
        return self.to_text()


def _truth_values(given: npt.ArrayLike, what: str, shape: tuple[int, int] | None = None) -> Bools:
    """Return a read-only copy of an array of truth values that has this shape or, by default, rows
    and columns. Raises BoardError for any other array; the message calls the array `what`."""
    values = np.array(as_array(given, what))
    fits = values.ndim == 2 and values.size > 0 if shape is None else values.shape == shape
    if values.dtype != np.bool_ or not fits:
        expected = "rows and columns" if shape is None else f"the shape {shape}"
        raise BoardError(
            f"{what} must be an array of truth values with {expected}, "
            f"not an array of {values.dtype} with the shape {values.shape}"
        )
    values.flags.writeable = False
    return values


def layout_on(board: Board, mines: npt.ArrayLike) -> Layout:
    """Return the layout that has these mines, and the grid and the holes of `board`."""
    return Layout(mines, geometry=board.geometry, holes=board.codes == HOLE)


def as_layout(layout: Layout | npt.ArrayLike) -> Layout:
    """Return `layout` if it is a Layout. Otherwise make a Layout from an array of truth values with
    rows and columns. Raises BoardError if `layout` is neither."""
    return layout if isinstance(layout, Layout) else Layout(layout)


def flood(places: Places, state: array[int], shows: array[int], start: int) -> list[int]:
    """Flood the board from the open cell `start`. If `start` shows 0, open all hidden cells around
    `start`, and go on from every 0 among the opened cells. Return `start`, then the opened cells in
    the order of opening.

    All cells are given by their numbers in reading order. `places` has the neighbours of each cell.
    `state` has the codes of the board and is changed. `shows` has the code that each cell shows
    when it is open."""
    opened = [start]
    ring = [start] if state[start] == 0 else []
    while ring:
        fresh = (_wide_ring if len(ring) >= WIDE else _ring)(places, state, shows, ring)
        opened += fresh
        ring = [place for place in fresh if state[place] == 0]
    return opened


def _ring(places: Places, state: array[int], shows: array[int], zeros: list[int]) -> list[int]:
    """Open the hidden cells around the cells `zeros`. Return the opened cells."""
    fresh = []
    around = places.around
    for place in zeros:
        for other in around[place]:
            if state[other] == HIDDEN:
                state[other] = shows[other]
                fresh.append(other)
    return fresh


def _wide_ring(places: Places, state: array[int], shows: array[int], zeros: list[int]) -> list[int]:
    """Open and return the same cells as `_ring`, but in ascending order, with numpy, which is
    faster for many cells."""
    codes = np.frombuffer(state, np.int8)
    near = places.beside(zeros)
    near = np.sort(near[codes[near] == HIDDEN])
    near = near[np.diff(near, prepend=-1) > 0]  # each neighbour once; np.unique is slower
    codes[near] = np.frombuffer(shows, np.int8)[near]
    fresh: list[int] = near.tolist()
    return fresh


def random_numbers(purpose: str, seed: Seed) -> np.random.Generator:
    """Return a generator of random numbers that depend only on the purpose and the seed."""
    return np.random.Generator(np.random.PCG64(int.from_bytes(seed_bytes(purpose, seed), "big")))


def seed_bytes(purpose: str, seed: Seed, size: int = 16) -> bytes:
    """Return `size` bytes that depend only on the purpose and the seed. As a number, most
    significant byte first, 16 of them seed the generator of `random_numbers`. Raises InputError for
    an invalid seed."""
    seed = arguments.seed(seed)
    return hashlib.blake2b(f"{purpose}\0{seed}".encode(), digest_size=size).digest()
