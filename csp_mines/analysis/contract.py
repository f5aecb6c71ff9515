"""What an analysis is: the answers that every way to one gives, and how it shows itself.

What an engine found (`by_engine`), what the compiled kernel found (`by_kernel`) and what was
sampled (`by_sampling`) are implementations side by side. Cheap questions (`board`, `status`,
`move`, the masks) are cheap.
"""

from __future__ import annotations

import math
import sys
import time
from abc import ABC, abstractmethod
from enum import StrEnum
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from csp_mines.analysis.move import SAFEST, Choice, Move, check_rule, recommend
from csp_mines.analysis.winning import Position
from csp_mines.arguments import text
from csp_mines.board import HIDDEN, Board, Cell, as_svg
from csp_mines.constraints import Frontier
from csp_mines.errors import BoardError, Unsupported
from csp_mines.geometry import GRID
from csp_mines.words import plural

__all__ = [
    "Analysis",
    "Status",
    "board_header",
    "digits",
    "hidden_cell",
    "position_of",
    "spelled",
    "table",
]

# Of the digits of a number of layouts that JSON spells out, so that they cost less than a second.
MOST_DIGITS = 50_000
MOST_JOINED = 30_000_000  # digits times undecided cells beside clues, where a total joins them


class Status(StrEnum):
    """How things stand on a board."""

    PROGRESS = "progress"  # something hidden was proved
    GUESS = "guess"  # nothing was
    SOLVED = "solved"  # nothing is hidden
    CONTRADICTION = "contradiction"  # no layout fits


class Analysis(ABC):
    """What follows from a board. `safe` and `mines` are what the backend proved; probabilities are
    exact up to `error`, and counted when they are first asked for, unless they are there already.
    """

    __slots__ = ()

    exact: ClassVar[bool] = True  # False: probabilities are estimates (`by_sampling`)

    @property
    def unknown(self) -> frozenset[Cell]:
        """Cells whose risk could not be found out: their probability says next to nothing."""
        return frozenset()

    @property
    @abstractmethod
    def board(self) -> Board:
        """The board that was analysed, as it was given."""

    @property
    @abstractmethod
    def frontier(self) -> Frontier:
        """What the board says, as constraints."""

    @property
    @abstractmethod
    def uses_total(self) -> bool:
        """Whether the number of mines is known and counts: it may be known and left out."""

    @property
    @abstractmethod
    def backend(self) -> str:
        """The engine that deduced."""

    @property
    @abstractmethod
    def counter(self) -> str:
        """The engine that counts."""

    @property
    @abstractmethod
    def complete(self) -> bool:
        """Whether everything that is certain was found."""

    @property
    @abstractmethod
    def calls(self) -> int:
        """How often a solver was asked."""

    @property
    @abstractmethod
    def safe(self) -> frozenset[Cell]:
        """The hidden cells that were proved safe."""

    @property
    @abstractmethod
    def mines(self) -> frozenset[Cell]:
        """The hidden cells that were proved mines."""

    @property
    @abstractmethod
    def safe_mask(self) -> npt.NDArray[np.bool_]:
        """Where a cell is proved safe."""

    @property
    @abstractmethod
    def mine_mask(self) -> npt.NDArray[np.bool_]:
        """Where a cell is a proved mine."""

    @property
    @abstractmethod
    def probabilities(self) -> npt.NDArray[np.float64]:
        """The probability of a mine at every hidden cell; nan elsewhere."""

    @property
    @abstractmethod
    def error(self) -> float:
        """A bound on the error of every probability in `probabilities`."""

    @property
    @abstractmethod
    def solutions(self) -> int:
        """The number of layouts that fit, exactly."""

    @property
    @abstractmethod
    def log_solutions(self) -> float:
        """The natural logarithm of the number of layouts that fit."""

    @abstractmethod
    def probability(self, cell: Cell) -> Fraction:
        """The probability of a mine at a hidden cell, exactly. Raises BoardError for others."""

    @property
    @abstractmethod
    def status(self) -> Status:
        """How things stand."""

    @property
    @abstractmethod
    def choice(self) -> Choice | None:
        """The safest cell to open, by the rule of `csp_mines.analysis.move`. None when nothing is
        hidden or everything hidden is a proved mine."""

    @property
    @abstractmethod
    def rule(self) -> str:
        """By which rule `move` chooses: `safest`, or the name of a player."""

    @property
    @abstractmethod
    def position(self) -> Position | None:
        """The board as a player to win is told it; None where it cannot play: clues that may be
        wrong, a density, no exact risks."""

    @property
    @abstractmethod
    def move(self) -> Move | None:
        """The cell to open next, and why. Where a cell is proved safe this costs microseconds, else
        what the player pays for a choice: see `csp_mines.analysis.move`."""

    def move_by(self, rule: str) -> Move | None:
        """The move by another rule: `safest`, `win`, `win:strong`. Raises UnknownName."""
        return self._move_by(check_rule(text(rule, "rule")))

    def _move_by(self, rule: str, most_cells: float = math.inf) -> Move | None:
        choice = self.choice
        if choice is None:
            return None
        if choice.proved or rule == SAFEST:  # nobody has to be told the position
            return choice.move
        position = self.position
        small = position is not None and position.cells <= most_cells
        return recommend(position if small else None, choice, rule)

    @property
    def spells_solutions(self) -> bool:
        """Whether `to_json` has the digits of `solutions` without being asked for exact numbers:
        there are at most `MOST_DIGITS`. With a total, the polynomials of all regions have to be
        multiplied for them; then `MOST_JOINED` bounds that work, too."""
        if not self.exact:
            return False
        digits = self.log_solutions / math.log(10)
        if digits > MOST_DIGITS or not self.uses_total:
            return digits <= MOST_DIGITS
        codes = self.board.codes
        open_cells = (codes == HIDDEN) & ~self.safe_mask & ~self.mine_mask
        beside = open_cells & (GRID.count(codes >= 0) > 0)
        return digits * int(np.count_nonzero(beside)) <= MOST_JOINED

    def __repr__(self) -> str:
        proved = f"{len(self.safe)} safe, {plural(len(self.mines), 'mine')}"
        rows, cols = self.board.rows, self.board.cols
        return f"<Analysis of {rows}×{cols} by {self.backend}: {self.status}, {proved}>"

    def _repr_svg_(self) -> str | None:
        return as_svg(self)

    def to_json(
        self, *, counting: bool = True, exact: bool = False, since: float | None = None
    ) -> dict[str, Any]:
        """The analysis as `solve --json` gives it; without `counting`, what needs it is null;
        `exact` adds every probability as a fraction, and `solutions` where there are so many digits
        that `spells_solutions` leaves them out. `seconds` are those from `since` (a
        `time.perf_counter`) until everything was counted."""
        board = self.board
        move = self.move if counting else None
        spelled_out = counting and self.exact and (exact or self.spells_solutions)
        document: dict[str, Any] = {
            **board_header(board, self.backend),
            "complete": self.complete,
            "exact": self.exact,
            "status": str(self.status),
            "safe": _pairs(self.safe_mask),
            "certain_mines": _pairs(self.mine_mask),
            "probabilities": table(self.probabilities) if counting else None,
            "solutions": digits(self.solutions) if spelled_out else None,
            "log_solutions": self.log_solutions if counting and self.exact else None,
            "move": move and move.to_json(),
        }
        if exact and counting:
            document["fractions"] = self._fractions()
        document["seconds"] = None if since is None else time.perf_counter() - since
        return document

    def _fractions(self) -> list[list[str | None]]:
        return [
            [
                spelled(self.probability((row, col))) if code == HIDDEN else None
                for col, code in enumerate(codes)
            ]
            for row, codes in enumerate(self.board.codes.tolist())
        ]


def position_of(found: Analysis, what: str) -> Position:
    """The position of an analysis; `what` is to be found out from it. Raises Unsupported where
    there is none."""
    position = found.position
    if position is not None:
        return position
    if not found.exact:
        raise Unsupported(f"{what} is told where risks are counted, and these are estimates")
    raise Unsupported(f"{what} is told for exact clues and no density only")


def hidden_cell(board: Board, cell: Cell) -> Cell:
    """The cell. Raises BoardError for one that is not hidden: it has no probability."""
    row, col = board.require(cell)
    if board.codes[row, col] != HIDDEN:
        raise BoardError(f"cell {row},{col} is not hidden")
    return row, col


def board_header(board: Board, backend: str | None) -> dict[str, Any]:
    """What every answer about a board begins with."""
    return {
        "rows": board.rows,
        "cols": board.cols,
        "mines": board.mines,
        "density": None if board.density is None else float(board.density),
        "clues": board.clues.name,
        "backend": backend,
    }


def digits(number: int) -> str:
    """All decimal digits, however many; Python by itself refuses more than 4,300."""
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        return str(number)
    finally:
        sys.set_int_max_str_digits(limit)


def spelled(fraction: Fraction) -> str:
    """`3/4`, or a whole number."""
    whole = fraction.denominator == 1
    return digits(fraction.numerator) + ("" if whole else f"/{digits(fraction.denominator)}")


def table(probabilities: npt.NDArray[np.float64]) -> list[list[float | None]]:
    """Rows of numbers as JSON has them: null where there is none."""
    cells = np.full(probabilities.shape, None, object)
    others = ~np.isnan(probabilities)
    for certain in (0.0, 1.0):  # one object for all of them: a large board has millions
        here = probabilities == certain
        cells[here] = certain
        others &= ~here
    cells[others] = probabilities[others]
    rows: list[list[float | None]] = cells.tolist()
    return rows


def _pairs(mask: npt.NDArray[np.bool_]) -> list[list[int]]:
    """The cells where a mask is true, in reading order, as JSON has them. They share their numbers:
    a large board has millions of them."""
    numbers = list(range(max(mask.shape)))
    return [
        [numbers[row], numbers[col]]
        for row, cells in enumerate(mask)
        for col in np.flatnonzero(cells).tolist()
    ]
