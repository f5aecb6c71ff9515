"""The base class `Analysis`: the properties of every analysis, and the form of an analysis in JSON.

There are three kinds of analysis: by an engine (`by_engine`), by the compiled kernel (`by_kernel`)
and by sampling (`by_sampling`). For all three kinds, reading `board`, `status` and the masks takes
little time.
"""

from __future__ import annotations

import math
import sys
import time
from abc import ABC, abstractmethod
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from csp_mines.analysis.effort import Effort
from csp_mines.analysis.move import MOST_CELLS, SAFEST, Choice, Move, check_rule, recommend
from csp_mines.analysis.winning import Position
from csp_mines.arguments import text
from csp_mines.board import HIDDEN, Board, Cell, Pictured
from csp_mines.constraints import Frontier
from csp_mines.errors import Unsupported
from csp_mines.question import Question
from csp_mines.words import plural

# Without `exact=True`, JSON contains the number of layouts only if the number has at most this many
# digits. Computing 50,000 digits takes less than a second.
MOST_DIGITS = 50_000
# With a known total, the time for each digit grows with the number of undecided cells beside clues.
# So without `exact=True`, the number of digits times the number of these cells must also be at most
# this.
MOST_JOINED = 30_000_000


class Status(StrEnum):
    """What an analysis says about a board as a whole.

    >>> csp_mines.analyze([[-1, 1, -1]]).status is csp_mines.Status.GUESS
    True
    """

    PROGRESS = "progress"  # at least one hidden cell was proved safe or a mine
    GUESS = "guess"  # no hidden cell was proved safe or a mine
    SOLVED = "solved"  # no cell is hidden
    CONTRADICTION = "contradiction"  # no layout fits
    TOO_WIDE = "too-wide"  # too wide to count (only in a batch; `analyze` raises TooWide)
    OUT_OF_TIME = "out-of-time"  # not counted in time (only in a batch; `analyze` raises OutOfTime)

    @property
    def code(self) -> int:
        """The number that stands for the status in the arrays of a `Batch`."""
        return tuple(Status).index(self)


class Analysis(Pictured, ABC):
    """The answer to a question about a board.

    `safe` and `mines` are the cells that the backend proved. `probabilities` are exact up to
    `error` if `exact` is True, and estimates if `exact` is False. The probabilities are computed at
    the first access, unless the backend has computed them already.

    If `exact` is False, `solutions`, `log_solutions` and `probability` raise Unsupported, TooWide
    or OutOfTime, unless the proved cells alone determine the exact number.

    Two analyses are equal if they prove the same cells, and if their questions have the same board,
    prior, clue model and move rule. Both must use a known total, or neither. Both must have exact
    risks, or both the same estimated risks. Exact risks are not compared, because they follow from
    the question. The engines and their limits may differ.

    >>> analysis = csp_mines.analyze([[-1, 1, -1, 1, -1]], mines=1)
    >>> analysis
    <Analysis of 1×5 by native: progress, 2 safe, 1 mine>
    >>> analysis.move.cell, analysis.solutions, analysis.probability((0, 2))
    ((0, 0), 1, Fraction(1, 1))
    """

    __slots__ = ()

    exact: ClassVar[bool] = True
    """Whether the probabilities are exact up to `error`; False if they are estimates."""
    backend: str
    """The name of the engine that deduced."""
    counter: str
    """The name of the engine that counts, or `sampling` if the probabilities are estimates."""
    complete: bool
    """Whether `safe` and `mines` have every certain cell. If False, some cells may be missing."""
    calls: int
    """The number of solver calls."""

    _question: Question

    @property
    def unknown(self) -> frozenset[Cell]:
        """The cells whose estimated risk has a standard error above 0.1. Empty if `exact`."""
        return frozenset()

    @property
    @abstractmethod
    def board(self) -> Board:
        """The analysed board, as the caller gave it. An array becomes a `Board`."""

    @property
    @abstractmethod
    def frontier(self) -> Frontier:
        """The constraints of the board."""

    @property
    def uses_total(self) -> bool:
        """Whether the number of mines is known and the analysis uses it."""
        return self._question.total is not None

    @property
    @abstractmethod
    def effort(self) -> Effort:
        """How hard the board was: measures of its constraints, and counters of the engine. Each
        access computes the effort anew. Raises OutOfTime if this takes too long."""

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
        """An array that is True at cells proved safe."""

    @property
    @abstractmethod
    def mine_mask(self) -> npt.NDArray[np.bool_]:
        """An array that is True at proved mines."""

    @property
    @abstractmethod
    def probabilities(self) -> npt.NDArray[np.float64]:
        """The probability of a mine at every hidden cell; nan elsewhere."""

    @property
    @abstractmethod
    def error(self) -> float:
        """A bound on the error of every probability in `probabilities`. If `exact` is False, some
        errors may be larger."""

    @property
    @abstractmethod
    def solutions(self) -> int:
        """The exact number of layouts that fit."""

    @property
    @abstractmethod
    def log_solutions(self) -> float:
        """The natural logarithm of the number of layouts that fit."""

    @abstractmethod
    def probability(self, cell: Cell) -> Fraction:
        """Return the exact probability of a mine at a hidden cell. Raises BoardError if the cell is
        not hidden."""

    @property
    @abstractmethod
    def status(self) -> Status:
        """What the analysis says about the board as a whole."""

    @property
    @abstractmethod
    def choice(self) -> Choice | None:
        """The safest cell to open; `csp_mines.analysis.move` says how ties are broken. None if
        every hidden cell is a proved mine, or if no cell is hidden."""

    @property
    def rule(self) -> str:
        """The move rule: `safest`, or the name of a player."""
        return self._question.rule

    @property
    def position(self) -> Position | None:
        """The `Position` for the player to win. None if the player cannot play because the clues
        are not exact, the prior is a density, or the risks are estimates."""
        return Position.of(self._question, self.board.codes)

    @cached_property
    def move(self) -> Move | None:
        """The cell to open next, and the reason; None if `choice` is None. See
        `csp_mines.analysis.move`. If a cell is proved safe, the first access takes little time.
        Otherwise the first access needs the risks and, under a rule other than `safest`, usually
        also a search of the player to win."""
        return self._move_by(self.rule, MOST_CELLS)

    def move_by(self, rule: str) -> Move | None:
        """Return the move by the given rule, such as `safest`, `win` or `win:strong`; None if
        `choice` is None. Unlike `move`, `move_by` lets the player to win choose even on a board of
        more than 10,000 cells. Raises UnknownName if there is no such rule, InputError if `rule` is
        not a string."""
        return self._move_by(check_rule(text(rule, "rule")))

    def _move_by(self, rule: str, most_cells: float = math.inf) -> Move | None:
        """Return the move by a valid rule. Every rule chooses the safest cell if this cell is
        proved safe or has a risk of 0, if `position` is None, or if the board has more than
        `most_cells` cells."""
        choice = self.choice
        if choice is None:
            return None
        if choice.proved or choice.risk == 0.0 or rule == SAFEST:  # the position is not needed
            return choice.move
        position = self.position
        if position is None or position.cells > most_cells:
            return choice.move
        return recommend(position, choice, rule)

    @property
    def spells_solutions(self) -> bool:
        """Whether `to_json` contains `solutions` even without `exact=True`. False if the risks are
        estimates, if the number of solutions has more than 50,000 digits, or if this number takes
        too long to compute. With a total, the time grows with the number of digits and with the
        number of undecided cells beside clues. Under optimistic and cautious clues, the time grows
        with the states of the count."""
        if not self.exact:
            return False
        digits = self.log_solutions / math.log(10)
        if digits > MOST_DIGITS or not self.uses_total:
            return digits <= MOST_DIGITS
        codes = self.board.codes
        open_cells = (codes == HIDDEN) & ~self.safe_mask & ~self.mine_mask
        beside = open_cells & (self.board.geometry.count(codes >= 0) > 0)
        return digits * int(np.count_nonzero(beside)) <= MOST_JOINED

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Analysis):
            return NotImplemented
        alike = self.exact == other.exact and self._asked == other._asked
        if not alike or self.safe != other.safe or self.mines != other.mines:
            return False
        ours = self.probabilities if not self.exact else None
        return ours is None or np.array_equal(ours, other.probabilities, equal_nan=True)

    def __hash__(self) -> int:
        return hash(self._asked)

    @property
    def _asked(self) -> tuple[Any, ...]:
        """The parts of the question that `==` and `hash` compare: all but the limits of the
        engine."""
        question, codes = self._question, self.board.codes
        prior = question.mines, question.density, question.use_total or question.mines is None
        return (
            codes.shape, codes.tobytes(), *prior, question.clues.name, question.rule,
            question.geometry,
        )  # fmt: skip

    def __repr__(self) -> str:
        proved = f"{len(self.safe)} safe, {plural(len(self.mines), 'mine')}"
        rows, cols = self.board.rows, self.board.cols
        return f"<Analysis of {rows}×{cols} by {self.backend}: {self.status}, {proved}>"

    def to_json(
        self, *, counting: bool = True, exact: bool = False, since: float | None = None
    ) -> dict[str, Any]:
        """Return the document of `solve --json`.

        With `counting=False`, the fields `probabilities`, `solutions`, `log_solutions` and `move`
        are null, and `exact=True` has no effect. With `exact=True`, the field `fractions` has every
        probability as a fraction, and `solutions` may have any number of digits.

        `since` is a time from `time.perf_counter`. The field `seconds` is the time from `since`
        until the other fields are computed, or null if `since` is None.

        With `exact=True`, raises what `probability` raises."""
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
        """Return the probability of each hidden cell as the text of a fraction; None elsewhere."""
        return [
            [
                spelled(self.probability((row, col))) if code == HIDDEN else None
                for col, code in enumerate(codes)
            ]
            for row, codes in enumerate(self.board.codes.tolist())
        ]


def position_of(analysis: Analysis, what: str) -> Position:
    """Return `analysis.position`. Raises Unsupported if this is None; the message says that `what`
    is not available."""
    position = analysis.position
    if position is not None:
        return position
    if not analysis.exact:
        raise Unsupported(f"{what} is available only for counted risks, not for estimates")
    raise Unsupported(f"{what} is available only for exact clues and without a density")


def size_header(board: Board, name: str | None = None) -> dict[str, Any]:
    """Return the first fields of a JSON document about a board: its size and its number of mines. A
    given `name` becomes the very first field, `board`."""
    named = {} if name is None else {"board": name}
    return named | {"rows": board.rows, "cols": board.cols, "mines": board.mines}


def board_header(board: Board, backend: str | None, name: str | None = None) -> dict[str, Any]:
    """Return the fields about the board and the engine in the JSON document of an `Analysis` or of
    a contradiction. `backend` is None if several engines were asked. `name` is as in
    `size_header`."""
    return {
        **size_header(board, name),
        "density": None if board.density is None else float(board.density),
        "clues": board.clues.name,
        "backend": backend,
    }


def digits(number: int) -> str:
    """Return all decimal digits of a number. By default, `str` refuses more than 4,300 digits."""
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        return str(number)
    finally:
        sys.set_int_max_str_digits(limit)


def spelled(fraction: Fraction) -> str:
    """Return a fraction as text, such as `3/4` or `1`."""
    whole = fraction.denominator == 1
    return digits(fraction.numerator) + ("" if whole else f"/{digits(fraction.denominator)}")


def table(probabilities: npt.NDArray[np.float64]) -> list[list[float | None]]:
    """Return an array as lists for JSON, with None in place of nan."""
    cells = np.full(probabilities.shape, None, object)
    others = ~np.isnan(probabilities)
    for certain in (0.0, 1.0):  # equal values share one object: there may be millions
        here = probabilities == certain
        cells[here] = certain
        others &= ~here
    cells[others] = probabilities[others]
    rows: list[list[float | None]] = cells.tolist()
    return rows


def _pairs(mask: npt.NDArray[np.bool_]) -> list[list[int]]:
    """Return the cells at which a mask is true, row by row, as lists for JSON. Equal row and
    column numbers share one object, because a large board has millions of cells."""
    numbers = list(range(max(mask.shape)))
    return [
        [numbers[row], numbers[col]]
        for row, cells in enumerate(mask)
        for col in np.flatnonzero(cells).tolist()
    ]
