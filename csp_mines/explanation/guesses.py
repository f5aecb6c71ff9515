"""Comparisons of guesses: why to guess at one cell and not at another.

Two cells are compared by their risk, their information, the chance that the cell is safe and the
next step needs no guess and, if few layouts fit, their win chance. If a cell is proved safe, the
comparison only names this cell. If the clues are noisy or there is a density, the comparison only
names the move and the reason for the move. If the risks are estimates, there is no comparison.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from csp_mines.analysis.analyze import Analysis
from csp_mines.analysis.move import choose
from csp_mines.analysis.outcomes import Showing, bits, outcomes
from csp_mines.analysis.winning import win_chances
from csp_mines.board import Cell
from csp_mines.errors import BackendUnavailable, TooManyLayouts
from csp_mines.geometry import SQUARE, Geometry
from csp_mines.words import joined

SEARCHED = 1_000  # if more layouts fit, no win chances are computed
SEARCH_WORK = 50_000_000  # the most steps of the search for win chances: tenths of a second


@dataclass(frozen=True)
class WeighedGuess:
    """The value of a guess at one cell, in four measures.

    * `risk`: the probability of a mine.
    * `certain`: the probability that the cell is safe and that the next step needs no guess.
    * `bits`: the information that opening the cell gives on average, in bits.
    * `win_chance`: the exact win chance of opening the cell and playing optimally from then on. It
      is None if too many cells are hidden, too many layouts fit, the search takes too long, or the
      compiled kernel is missing.

    >>> board = csp_mines.Board([[-1, 1, -1]], mines=1)
    >>> guess = csp_mines.explain(board, (0, 2)).guess.here
    >>> guess.risk, guess.bits
    (Fraction(1, 2), 1.0)
    """

    cell: Cell
    risk: Fraction
    certain: float
    bits: float
    win_chance: Fraction | None
    geometry: Geometry = SQUARE

    @property
    def text(self) -> str:
        """The four measures in one sentence. The risk is given as the chance that the cell is safe,
        and a `win_chance` of None is left out."""
        safe, won = _short(1 - self.risk), self.win_chance
        told = [f"is safe in {safe} of all cases"]
        told.append(f"needs no guess at the next step in {self.certain:.2%}")
        told += [] if won is None else [f"wins in {_short(won)}"]
        told.append(f"tells {self.bits:.2f} bits")
        return f"{self.geometry.label(self.cell)} {joined(told)}."

    def to_json(self) -> dict[str, Any]:
        """Return all fields except `geometry`, by name. The cell is `[r, c]`, and a `win_chance` of
        None is null."""
        return {
            "cell": list(self.cell),
            "risk": float(self.risk),
            "certain": self.certain,
            "bits": self.bits,
            "win_chance": None if self.win_chance is None else float(self.win_chance),
        }


@dataclass(frozen=True)
class GuessComparison:
    """An undecided cell compared with the move.

    If a cell is proved safe, no guess is needed: `proved` is a cell that is proved safe, and
    nothing is compared. Otherwise `proved` is None:

    * `move` is the cell that the move opens, and `reason` says why. `is_move` says whether this
      cell is the undecided cell.
    * `here` is about the undecided cell.
    * `other` is about the move. But if the undecided cell is the move, `other` is about the safest
      other cell, or None if all other hidden cells are mines.

    With noisy clues or a density, `here` and `other` are None.

    >>> board = csp_mines.Board([[-1, 1, -1]], mines=1)
    >>> guess = csp_mines.explain(board, (0, 2)).guess
    >>> guess.here.cell, guess.other.cell, guess.is_move
    ((0, 2), (0, 0), False)
    """

    proved: Cell | None
    here: WeighedGuess | None = None
    other: WeighedGuess | None = None
    is_move: bool = False
    reason: str = ""
    move: Cell | None = None
    geometry: Geometry = SQUARE

    @property
    def texts(self) -> tuple[str, ...]:
        """The comparison, sentence by sentence."""
        if self.proved is not None:
            proved = self.geometry.label(self.proved)
            return (f"No guess is needed: {proved} is proved safe.",)
        here, other = (() if guess is None else (guess.text,) for guess in (self.here, self.other))
        told = f"{self._lead}: {self.reason}."
        return (told, *here, *other) if self.is_move else (*here, told, *other)

    @property
    def _lead(self) -> str:
        """The beginning of the sentence that gives the reason for the move. If both win chances are
        known and the move wins less often than the other cell, the text says so. The move can win
        less often, because the rule `safest` ignores win chances, and because a player may have
        searched less than this comparison."""
        assert self.move is not None
        move = self.geometry.label(self.move)
        mine = None if self.here is None else self.here.win_chance
        others = None if self.other is None else self.other.win_chance
        if mine is None or others is None:
            return "It is the guess to make" if self.is_move else f"The move is {move}"
        if self.is_move and self.other is not None and others > mine:
            other = self.geometry.label(self.other.cell)
            return f"It is the move, although {other} wins more often"
        if self.is_move:
            return "It is the guess to make"
        if mine > others:
            return f"The move is {move}, although it wins less often"
        return f"Better open {move}" if mine < others else f"{move} is as good a guess"

    def to_json(self) -> dict[str, Any]:
        """Return `texts` and all fields except `move` and `geometry`, by name."""
        return {
            "proved": None if self.proved is None else list(self.proved),
            "here": None if self.here is None else self.here.to_json(),
            "other": None if self.other is None else self.other.to_json(),
            "is_move": self.is_move,
            "reason": self.reason,
            "texts": list(self.texts),
        }


def compare_guesses(
    analysis: Analysis, cell: Cell, shown: Sequence[Showing] | None = None
) -> GuessComparison | None:
    """Compare an undecided cell with the move. Return None if the risks are estimates.

    `shown` has the outcomes of opening the cell. If `shown` is None or empty, this function
    computes the outcomes. Raises TooWide or OutOfTime if counting reaches a limit."""
    if not analysis.exact:
        return None
    move, geometry = analysis.move, analysis.board.geometry
    assert move is not None  # at least the undecided cell can be opened
    if analysis.safe:
        return GuessComparison(move.cell, geometry=geometry)
    is_move = move.cell == cell
    here = there = None
    if analysis.position is not None:
        other = _next_safest(analysis, cell) if is_move else move.cell
        chances = _chances(analysis, [cell] if other is None else [cell, other])
        here = _guess(analysis, cell, shown or outcomes(analysis, cell), chances.get(cell))
        there = other and _guess(analysis, other, outcomes(analysis, other), chances.get(other))
    return GuessComparison(None, here, there, is_move, move.reason, move.cell, geometry)


def _next_safest(analysis: Analysis, cell: Cell) -> Cell | None:
    """Return the safest hidden cell except `cell`; None if all other hidden cells are mines."""
    choice = choose(analysis.board.geometry, analysis.probabilities, (), analysis.mines | {cell})
    return None if choice is None or choice.risk == 1.0 else choice.cell


def _guess(
    analysis: Analysis, cell: Cell, shown: Sequence[Showing], chance: Fraction | None
) -> WeighedGuess:
    certain = sum(outcome.probability for outcome in shown if outcome.certain)
    risk, geometry = analysis.probability(cell), analysis.board.geometry
    return WeighedGuess(cell, risk, min(1.0, certain), bits(shown), chance, geometry)


def _chances(analysis: Analysis, cells: list[Cell]) -> dict[Cell, Fraction | None]:
    """Return the exact win chance of each cell, or None for a cell whose search takes too long. The
    result is empty if too many cells are hidden, too many layouts fit, listing the layouts takes
    too long, or the compiled kernel is missing."""
    assert analysis.position is not None
    board = analysis.position.as_board()
    try:
        searched = win_chances(board, cells=cells, max_layouts=SEARCHED, work=SEARCH_WORK)
    except (TooManyLayouts, BackendUnavailable):
        return {}
    return {cell: searched.chance(cell) for cell in cells}


def _short(share: Fraction) -> str:
    """Return a share as text: `33.33% (1/3)`, or only `33.33%` if the denominator is 1,000 or
    more."""
    return f"{float(share):.2%}" + (f" ({share})" if share.denominator < 1_000 else "")
