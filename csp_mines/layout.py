"""Layouts: the hidden truth of a game, made by a seed or read from text and files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from csp_mines import arguments
from csp_mines.arguments import looked_up, several, shown, whole
from csp_mines.board import MARKED, MAX_CELLS, Board, Cell
from csp_mines.errors import BoardError
from csp_mines.geometry import GRID, checked_cell
from csp_mines.names import LEVEL_SIZES, REPORT_LEVEL_SIZES
from csp_mines.words import plural

__all__ = [
    "CLASSIC_LEVELS",
    "LEVELS",
    "Layout",
    "Seed",
    "Spec",
    "as_layout",
    "level",
    "random_numbers",
    "seed_bytes",
]

Seed = int | str
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Spec:
    """The size of a game: what is known of a layout before it is made."""

    rows: int
    cols: int
    mines: int

    def __post_init__(self) -> None:
        """Raises InputError for what is no size, BoardError for one that no board has."""
        for what in ("rows", "cols", "mines"):
            object.__setattr__(self, what, whole(getattr(self, what), what))
        if self.rows < 1 or self.cols < 1:
            given = f"{shown(self.rows)}×{shown(self.cols)}"
            raise BoardError(f"a board needs rows and columns, not {given}")
        cells = self.rows * self.cols
        if cells > MAX_CELLS:
            raise BoardError(f"{shown(cells)} cells are too many; at most {MAX_CELLS:,}")
        if not 0 <= self.mines <= cells:
            raise BoardError(
                f"{shown(self.mines)} mines cannot be on a board of {plural(cells, 'cell')}"
            )

    def __str__(self) -> str:
        """`16×30 with 99 mines`."""
        return f"{self.rows}×{self.cols} with {plural(self.mines, 'mine')}"


CLASSIC_LEVELS = {name: Spec(*size) for name, size in LEVEL_SIZES.items()}
LEVELS = CLASSIC_LEVELS | {name: Spec(*size) for name, size in REPORT_LEVEL_SIZES.items()}


def level(name: str) -> Spec:
    """The size of a named level. Raises UnknownName."""
    return looked_up("level", name, LEVELS)


class Layout:
    """Where the mines are: a boolean array that nobody can change."""

    def __init__(self, mines: npt.ArrayLike) -> None:
        """Raises BoardError unless `mines` is a grid of truth values."""
        try:
            grid = np.array(mines)
        except ValueError:
            raise BoardError("the rows of a layout must be of equal length") from None
        if grid.ndim != 2 or grid.size == 0 or grid.dtype != np.bool_:
            raise BoardError(f"a layout is a grid of truth values, not {grid.dtype} {grid.shape}")
        grid.flags.writeable = False
        self.mines: Bools = grid

    @classmethod
    def random(
        cls, rows: int, cols: int, mines: int, seed: Seed, *, clear: Iterable[Cell] = ()
    ) -> Layout:
        """All layouts without a mine in `clear` are alike. The seed puts all cells in an order and
        the mines go to the first that may have one, so layouts of one seed differ only as far as
        their clear cells make them. Raises BoardError when the mines have no room."""
        spec = Spec(rows, cols, mines)
        rows, cols, mines = spec.rows, spec.cols, spec.mines
        places = (checked_cell(cell, rows, cols) for cell in several(clear, "clear", "cells"))
        kept = {row * cols + col for row, col in places}
        room = rows * cols - len(kept)
        if mines > room:
            raise BoardError(
                f"no room for {plural(mines, 'mine')}: "
                f"{len(kept)} of {plural(rows * cols, 'cell')} must stay clear"
            )
        order = np.argsort(random_numbers("layout", seed).random(rows * cols), kind="stable")
        if kept:
            order = order[~np.isin(order, sorted(kept))]
        grid = np.zeros(rows * cols, bool)
        grid[order[: spec.mines]] = True
        return cls(grid.reshape(rows, cols))

    @classmethod
    def parse(cls, text: str, format: str | None = None, *, source: str = "<text>") -> Layout:
        """The layout that `text` says: `*` for a mine and `.` for a safe cell, a link, an ID, a
        line, or a board that hides nothing. Raises BoardSyntaxError, UnknownName."""
        from csp_mines import formats

        return formats.parse_layout(text, format, source=source)

    @classmethod
    def read(cls, path: str | PathLike[str], format: str | None = None) -> Layout:
        """The layout in a file. Raises BoardError, FileError."""
        from csp_mines import formats

        return formats.read_layout(path, format)

    @classmethod
    def from_mbf(cls, data: bytes, *, source: str = "<mbf>") -> Layout:
        """A layout from the bytes of an MBF file. Raises BoardError."""
        from csp_mines import formats

        return formats.parse_layout(data, "mbf", source=source)

    def to_mbf(self) -> bytes:
        """The layout as an MBF file. Raises BoardError when it is larger than 255×255."""
        from csp_mines import formats

        return formats.encode_layout(self, "mbf")

    def to_text(self, format: str | None = None, first: Cell | None = None) -> str:
        """Text that `Layout.parse` reads back, by default `*` and `.`. Raises BoardError where the
        format cannot say the layout or the first cell."""
        from csp_mines import formats

        return formats.write_layout(self, format, first)

    def to_line(self, first: Cell | None = None) -> str:
        """The layout, and the first cell if one is given, as one line."""
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
        """How many of the cells around each cell are mines, for mines too."""
        numbers = GRID.count(self.mines)
        numbers.flags.writeable = False
        return numbers

    def number(self, cell: Cell) -> int:
        """How many mines are around a cell. Raises BoardError."""
        return int(self.numbers[checked_cell(cell, *self.shape)])

    def board(self) -> Board:
        """The layout as a board with every safe cell open and every mine marked."""
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
    """The layout, or that of a grid of truth values. Raises BoardError for what is neither."""
    return layout if isinstance(layout, Layout) else Layout(layout)


def random_numbers(purpose: str, seed: Seed) -> np.random.Generator:
    """Numbers that depend on nothing but the purpose and the seed."""
    return np.random.Generator(np.random.PCG64(int.from_bytes(seed_bytes(purpose, seed), "big")))


def seed_bytes(purpose: str, seed: Seed) -> bytes:
    """What the generator of `random_numbers` is seeded with, its most significant byte first."""
    seed = arguments.seed(seed)
    return hashlib.blake2b(f"{purpose}\0{seed}".encode(), digest_size=16).digest()
