"""Layouts: where the mines of a game are. A layout is made from a seed, or read from a text or a
file."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from csp_mines import arguments
from csp_mines.arguments import looked_up, several, shown, whole
from csp_mines.board import HIDDEN, MARKED, MAX_CELLS, Board, Cell
from csp_mines.errors import BoardError, InputError
from csp_mines.geometry import GRID, WIDE, Bordered, checked_cell
from csp_mines.names import LEVEL_SIZES, REPORT_LEVEL_SIZES
from csp_mines.words import plural

__all__ = [
    "CLASSIC_LEVELS",
    "LEVELS",
    "MAX_GAME_CELLS",
    "Layout",
    "Seed",
    "Spec",
    "as_layout",
    "as_spec",
    "flood",
    "level",
    "random_numbers",
    "seed_bytes",
]

MAX_GAME_CELLS = 1_000_000  # the compiled kernel plays no larger games

Seed = int | str
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Spec:
    """The size of a game and its number of mines."""

    rows: int
    cols: int
    mines: int

    def __post_init__(self) -> None:
        """Raise InputError for invalid values, BoardError for a size that no board can have."""
        for what in ("rows", "cols", "mines"):
            object.__setattr__(self, what, whole(getattr(self, what), what))
        if self.rows < 1 or self.cols < 1:
            given = f"{shown(self.rows)}×{shown(self.cols)}"
            raise BoardError(f"a board needs at least 1 row and 1 column, not {given}")
        cells = self.rows * self.cols
        if cells > MAX_CELLS:
            raise BoardError(f"a board may have at most {MAX_CELLS:,} cells, not {shown(cells)}")
        if not 0 <= self.mines <= cells:
            raise BoardError(
                f"a board of {plural(cells, 'cell')} has 0 to {cells:,} mines, "
                f"not {shown(self.mines)}"
            )

    def __str__(self) -> str:
        """`16×30 with 99 mines`."""
        return f"{self.rows}×{self.cols} with {plural(self.mines, 'mine')}"


CLASSIC_LEVELS = {name: Spec(*size) for name, size in LEVEL_SIZES.items()}
LEVELS = CLASSIC_LEVELS | {name: Spec(*size) for name, size in REPORT_LEVEL_SIZES.items()}


def level(name: str) -> Spec:
    """Return the size of a named level. Raises UnknownName if there is no such level."""
    return looked_up("level", name, LEVELS)


def as_spec(
    name: str | None = None,
    rows: int | None = None,
    cols: int | None = None,
    mines: int | None = None,
) -> Spec:
    """Return the size of the level `name`, or the size that the other arguments give; without any
    argument, that of the level `beginner`. Raises InputError if a level and numbers are given, or
    only some of the numbers; UnknownName for an unknown level; BoardError for an impossible
    size."""
    if rows is None and cols is None and mines is None:
        return level("beginner" if name is None else name)
    if name is not None or rows is None or cols is None or mines is None:
        raise InputError("give either a level, or all of rows, cols and mines")
    return Spec(rows, cols, mines)


class Layout:
    """Where the mines are: a read-only boolean array."""

    def __init__(self, mines: npt.ArrayLike) -> None:
        """Make a layout from a grid of truth values: True for a mine. Raises BoardError for
        anything else."""
        try:
            grid = np.array(mines)
        except ValueError:
            raise BoardError("the rows of a layout must have the same length") from None
        if grid.ndim != 2 or grid.size == 0 or grid.dtype != np.bool_:
            raise BoardError(
                f"a layout must be a grid of truth values, not {grid.dtype} of shape {grid.shape}"
            )
        grid.flags.writeable = False
        self.mines: Bools = grid

    @classmethod
    def random(
        cls, rows: int, cols: int, mines: int, seed: Seed, *, clear: Iterable[Cell] = ()
    ) -> Layout:
        """Make a random layout that has no mine in the cells `clear`. All such layouts are equally
        likely.

        The seed determines an order of all cells. The mines go to the first cells in this order
        that are not in `clear`. So two layouts with the same seed differ only as much as their
        `clear` requires. Raises BoardError if there is no room for the mines."""
        spec = Spec(rows, cols, mines)
        rows, cols, mines = spec.rows, spec.cols, spec.mines
        places = (checked_cell(cell, rows, cols) for cell in several(clear, "clear", "cells"))
        kept = {row * cols + col for row, col in places}
        room = rows * cols - len(kept)
        if mines > room:
            raise BoardError(
                f"no room for {plural(mines, 'mine')}: "
                f"{len(kept)} of {plural(rows * cols, 'cell')} must have no mine"
            )
        order = np.argsort(random_numbers("layout", seed).random(rows * cols), kind="stable")
        if kept:
            order = order[~np.isin(order, sorted(kept))]
        grid = np.zeros(rows * cols, bool)
        grid[order[: spec.mines]] = True
        return cls(grid.reshape(rows, cols))

    @classmethod
    def parse(cls, text: str, format: str | None = None, *, source: str = "<text>") -> Layout:
        """Read a layout from text: a grid with `*` for a mine and `.` for a safe cell, a link, an
        ID, a line, or a board without hidden cells. `source` names the text in messages. Raises
        BoardSyntaxError if the text is not a layout, UnknownName for an unknown format."""
        from csp_mines import formats

        return formats.parse_layout(text, format, source=source)

    @classmethod
    def read(cls, path: str | PathLike[str], format: str | None = None) -> Layout:
        """Read a layout from a file. Raises FileError if the file cannot be read, BoardError if it
        does not contain a layout."""
        from csp_mines import formats

        return formats.read_layout(path, format)

    @classmethod
    def from_mbf(cls, data: bytes, *, source: str = "<mbf>") -> Layout:
        """Read a layout from the bytes of an MBF file. Raises BoardError if they are not valid."""
        from csp_mines import formats

        return formats.parse_layout(data, "mbf", source=source)

    def to_mbf(self) -> bytes:
        """Return the bytes of an MBF file. Raises BoardError if the layout is larger than
        255×255."""
        from csp_mines import formats

        return formats.encode_layout(self, "mbf")

    def to_text(self, format: str | None = None, first: Cell | None = None) -> str:
        """Return the layout as text that `Layout.parse` reads, by default with `*` and `.`. If the
        cell `first` is given, the text says that it is the first cell. Raises BoardError if the
        format cannot express the layout or the first cell."""
        from csp_mines import formats

        return formats.write_layout(self, format, first)

    def to_line(self, first: Cell | None = None) -> str:
        """Return the layout, and the first cell if it is given, as one line of text."""
        from csp_mines import formats

        return formats.write_layout(self, "line", first)

    def to_json(self) -> dict[str, Any]:
        """`{"rows": …, "cols": …, "mines": …, "layout": ["*.", …]}`."""
        rows, cols = self.shape
        return {
            "rows": rows,
            "cols": cols,
            "mines": self.count,
            "layout": self.to_text().split(),
        }

    @property
    def shape(self) -> tuple[int, int]:
        rows, cols = self.mines.shape
        return rows, cols

    @cached_property
    def count(self) -> int:
        """The number of mines."""
        return int(self.mines.sum())

    @cached_property
    def numbers(self) -> npt.NDArray[np.int8]:
        """The number of mines around each cell, even around cells that are mines themselves."""
        numbers = GRID.count(self.mines)
        numbers.flags.writeable = False
        return numbers

    def number(self, cell: Cell) -> int:
        """Return the number of mines around a cell. Raises BoardError if it is not on the board."""
        return int(self.numbers[checked_cell(cell, *self.shape)])

    def board(self) -> Board:
        """Return the board on which every safe cell is open and every mine is marked."""
        return Board(np.where(self.mines, MARKED, self.numbers), mines=self.count)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Layout):
            return NotImplemented
        return self.shape == other.shape and self.mines.tobytes() == other.mines.tobytes()

    def __hash__(self) -> int:
        return hash((self.shape, self.mines.tobytes()))

    def __repr__(self) -> str:
        return f"Layout.parse({self.to_text()!r})"

    def __str__(self) -> str:
        return self.to_text()


def as_layout(layout: Layout | npt.ArrayLike) -> Layout:
    """Return the layout, or make one from a grid of truth values. Raises BoardError for anything
    else."""
    return layout if isinstance(layout, Layout) else Layout(layout)


def flood(bordered: Bordered, state: array[int], shows: array[int], start: int) -> list[int]:
    """Flood the board from the open cell `start`: if it shows 0, open all hidden cells around it,
    and go on from every 0 among them. `state` has the codes of the board and is changed; `shows`
    has the code that each cell shows when it is open. Return the open cell and the cells that were
    opened, in the order of opening."""
    opened = [start]
    ring = [start] if state[start] == 0 else []
    while ring:
        fresh = (_wide_ring if len(ring) >= WIDE else _ring)(bordered.steps, state, shows, ring)
        opened += fresh
        ring = [place for place in fresh if state[place] == 0]
    return opened


def _ring(
    steps: tuple[int, ...], state: array[int], shows: array[int], zeros: list[int]
) -> list[int]:
    """Open the hidden cells around the cells `zeros`, and return them."""
    fresh = []
    for place in zeros:
        for step in steps:
            other = place + step
            if state[other] == HIDDEN:
                state[other] = shows[other]
                fresh.append(other)
    return fresh


def _wide_ring(
    steps: tuple[int, ...], state: array[int], shows: array[int], zeros: list[int]
) -> list[int]:
    """Do the same as `_ring`, with numpy, which is faster for many cells."""
    codes = np.frombuffer(state, np.int8)
    near = (np.array(zeros) + np.array(steps)[:, None]).ravel()
    near = np.sort(near[codes[near] == HIDDEN])
    near = near[np.diff(near, prepend=-1) > 0]  # without repetition; np.unique is slower
    codes[near] = np.frombuffer(shows, np.int8)[near]
    fresh: list[int] = near.tolist()
    return fresh


def random_numbers(purpose: str, seed: Seed) -> np.random.Generator:
    """Return a generator of random numbers that depend only on the purpose and the seed."""
    return np.random.Generator(np.random.PCG64(int.from_bytes(seed_bytes(purpose, seed), "big")))


def seed_bytes(purpose: str, seed: Seed) -> bytes:
    """Return the 16 bytes that seed the generator of `random_numbers`, most significant first."""
    seed = arguments.seed(seed)
    return hashlib.blake2b(f"{purpose}\0{seed}".encode(), digest_size=16).digest()
