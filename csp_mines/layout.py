"""Layouts: the hidden truth of a game, made by a seed or read from text and MBF files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from csp_mines.board import EXPLODED, HIDDEN, MARKED, MAX_CELLS, Board, Cell
from csp_mines.errors import BoardError, BoardSyntaxError, UnknownName
from csp_mines.geometry import SQUARE

__all__ = ["LEVELS", "Layout", "Seed", "Spec", "level", "random_numbers", "seed_bytes"]

Seed = int | str
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Spec:
    """The size of a game: what is known of a layout before it is made."""

    rows: int
    cols: int
    mines: int

    def __post_init__(self) -> None:
        """Raises BoardError for a size that no board has."""
        if self.rows < 1 or self.cols < 1:
            raise BoardError(f"a board needs rows and columns, not {self.rows}×{self.cols}")
        cells = self.rows * self.cols
        if cells > MAX_CELLS:
            raise BoardError(f"{cells:,} cells are too many; at most {MAX_CELLS:,}")
        if not 0 <= self.mines <= cells:
            raise BoardError(f"{self.mines} mines cannot be on a board of {cells} cells")


LEVELS = {
    "beginner": Spec(9, 9, 10),
    "intermediate": Spec(16, 16, 40),
    "expert": Spec(16, 30, 99),
    "easy": Spec(9, 9, 10),  # the three levels of report 3
    "medium": Spec(16, 16, 25),
    "hard": Spec(16, 30, 99),
}


def level(name: str) -> Spec:
    """The size of a named level. Raises UnknownName."""
    try:
        return LEVELS[name]
    except KeyError:
        raise UnknownName("level", name, list(LEVELS)) from None


class Layout:
    """Where the mines are: a boolean array that nobody can change."""

    def __init__(self, mines: npt.ArrayLike) -> None:
        """Raises BoardError unless `mines` is a grid of truth values."""
        grid = np.array(mines)
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
        kept = {row * cols + col for row, col in clear}
        room = rows * cols - len(kept)
        if mines > room:
            raise BoardError(
                f"{mines} mines do not fit: {len(kept)} of {rows * cols} cells must stay clear"
            )
        order = np.argsort(random_numbers("layout", seed).random(rows * cols), kind="stable")
        if kept:
            order = order[~np.isin(order, sorted(kept))]
        grid = np.zeros(rows * cols, bool)
        grid[order[: spec.mines]] = True
        return cls(grid.reshape(rows, cols))

    @classmethod
    def parse(cls, text: str, *, source: str = "<text>") -> Layout:
        """A layout from `*` for a mine and `.` for a safe cell, blanks and `;` comments aside; or
        from a board in the canonical alphabet that hides nothing. Raises BoardSyntaxError."""
        rows = [line.split(";", 1)[0] for line in text.splitlines()]
        letters = set("".join(rows)) - set(" \t\r")
        if letters and letters <= set("*."):
            grid = [[char == "*" for char in row if char in "*."] for row in rows]
            return cls(_rectangle(grid, source))
        board = Board.parse(text, source=source)
        if (board.codes == HIDDEN).any():
            row, col = np.argwhere(board.codes == HIDDEN)[0].tolist()
            problem = f"a layout hides nothing, but cell {row},{col} is '?'"
            raise BoardSyntaxError(problem, source=source, line=_line_of(row, board.rows, text))
        return cls._of_full(board, text, source)

    @classmethod
    def _of_full(cls, board: Board, text: str, source: str) -> Layout:
        codes = board.codes
        layout = cls((codes == MARKED) | (codes == EXPLODED))
        wrong = (codes >= 0) & (codes != layout.numbers)
        if wrong.any():
            row, col = np.argwhere(wrong)[0].tolist()
            problem = (
                f"cell {row},{col} shows {codes[row, col]}, but {layout.numbers[row, col]} mines "
                "are around it"
            )
            raise BoardSyntaxError(problem, source=source, line=_line_of(row, board.rows, text))
        return layout

    @classmethod
    def from_mbf(cls, data: bytes, *, source: str = "<mbf>") -> Layout:
        """A layout from the MBF format: a byte each for width and height, two for the number of
        mines (the high one first), then x and y of every mine. Raises BoardError."""
        if len(data) < 4 or not data[0] or not data[1]:
            raise BoardError(f"{source}: no MBF layout: the first four bytes give no size")
        cols, rows, count = data[0], data[1], int.from_bytes(data[2:4], "big")
        if len(data) != 4 + 2 * count:
            raise BoardError(
                f"{source}: an MBF layout of {count} mines has {4 + 2 * count} bytes, "
                f"this has {len(data)}"
            )
        grid = np.zeros((rows, cols), bool)
        for x, y in zip(data[4::2], data[5::2], strict=True):
            if x >= cols or y >= rows or grid[y, x]:
                raise BoardError(f"{source}: a mine at column {x}, row {y} cannot be, or is twice")
            grid[y, x] = True
        return cls(grid)

    def to_mbf(self) -> bytes:
        """The layout in the MBF format. Raises BoardError when it is larger than 255×255."""
        rows, cols = self.shape
        if max(rows, cols) > 255 or self.count > 0xFFFF:
            raise BoardError(f"MBF has no room for a layout of {rows}×{cols}")
        places = np.argwhere(self.mines)[:, ::-1].astype(np.uint8)
        return bytes([cols, rows]) + self.count.to_bytes(2, "big") + places.tobytes()

    def to_text(self) -> str:
        """Text that `Layout.parse` reads back."""
        return "\n".join("".join(".*"[mine] for mine in row) for row in self.mines.tolist()) + "\n"

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
        numbers = SQUARE.count(self.mines)
        numbers.flags.writeable = False
        return numbers

    def number(self, cell: Cell) -> int:
        """How many mines are around a cell."""
        return int(self.numbers[cell])

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


def random_numbers(purpose: str, seed: Seed) -> np.random.Generator:
    """Numbers that depend on nothing but the purpose and the seed."""
    return np.random.Generator(np.random.PCG64(int.from_bytes(seed_bytes(purpose, seed), "big")))


def seed_bytes(purpose: str, seed: Seed) -> bytes:
    """What the generator of `random_numbers` is seeded with, its most significant byte first."""
    return hashlib.blake2b(f"{purpose}\0{seed}".encode(), digest_size=16).digest()


def _rectangle(grid: list[list[bool]], source: str) -> Bools:
    width = next(len(row) for row in grid if row)
    for number, row in enumerate(grid, 1):
        if row and len(row) != width:
            problem = f"this row has {len(row)} cells, the first has {width}"
            raise BoardSyntaxError(problem, source=source, line=number)
    return np.array([row for row in grid if row], bool)


def _line_of(row: int, rows: int, text: str) -> int:
    """The line on which a row of a board stands: the rows are the last lines with something on."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    filled = [number for number, line in enumerate(lines, 1) if line.split(";", 1)[0].strip()]
    return filled[-rows:][row]
