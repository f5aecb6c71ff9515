"""Why to guess at this cell and not at that one: the risk, what it would tell, what it leaves open.

Cells are compared for exact clues without a density, where all layouts are alike; elsewhere only
the move is named, and why it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from csp_mines.analysis.analyze import Analysis
from csp_mines.analysis.move import choose
from csp_mines.analysis.outcomes import Showing, bits, outcomes
from csp_mines.analysis.winning import TooManyLayouts, win_chances
from csp_mines.board import Board, Cell
from csp_mines.errors import BackendUnavailable
from csp_mines.words import joined

__all__ = ["GuessComparison", "WeighedGuess", "compare_guesses"]

SEARCHED = 1_000  # layouts up to which the chance to win is searched …
SEARCH_WORK = 50_000_000  # … in no more than some tenths of a second


@dataclass(frozen=True)
class WeighedGuess:
    """A cell as a guess: its `risk`, the chance that it goes well and the step after it is
    `certain`, the `bits` that it tells on average, and the chance to win by opening it, which is
    exact, or None where too many layouts are left to search."""

    cell: Cell
    risk: Fraction
    certain: float
    bits: float
    win_chance: Fraction | None

    @property
    def text(self) -> str:
        """What there is to say of it, in one sentence."""
        row, col = self.cell
        safe, won = _short(1 - self.risk), self.win_chance
        told = [f"is safe in {safe} of all cases", f"tells {self.bits:.2f} bits"]
        told.append(f"leaves no guess for the next step in {self.certain:.2%}")
        told += [] if won is None else [f"wins in {_short(won)}"]
        return f"{row},{col} {joined(told)}."

    def to_json(self) -> dict[str, Any]:
        """`{"cell": [r, c], "risk": …, "certain": …, "bits": …, "win_chance": … or null}`."""
        return {
            "cell": list(self.cell),
            "risk": float(self.risk),
            "certain": self.certain,
            "bits": self.bits,
            "win_chance": None if self.win_chance is None else float(self.win_chance),
        }


@dataclass(frozen=True)
class GuessComparison:
    """An undecided cell beside the `move`. `proved` is a safe cell, where one makes a guess
    needless; then nothing is compared. Otherwise `here` is the cell, `other` the move or, when the
    cell is the move itself, the safest cell besides it (None where there is none), and `reason`
    says why the move is the move. Where clues may be wrong or only a density is known, it is all
    there is to say, and `here` and `other` are None."""

    proved: Cell | None
    here: WeighedGuess | None = None
    other: WeighedGuess | None = None
    is_move: bool = False
    reason: str = ""
    move: Cell | None = None

    @property
    def texts(self) -> tuple[str, ...]:
        """The comparison, sentence by sentence."""
        if self.proved is not None:
            return (f"No guess is needed: {self.proved[0]},{self.proved[1]} is proved safe.",)
        here, other = (() if guess is None else (guess.text,) for guess in (self.here, self.other))
        told = f"{self._lead}: {self.reason}."
        return (told, *here, *other) if self.is_move else (*here, told, *other)

    @property
    def _lead(self) -> str:
        """What the move is beside the other cell. The player may not have searched what the
        comparison did, so the chances to win have the last word."""
        assert self.move is not None
        row, col = self.move
        mine = None if self.here is None else self.here.win_chance
        others = None if self.other is None else self.other.win_chance
        if mine is None or others is None:
            return "It is the guess to make" if self.is_move else f"The move is {row},{col}"
        if self.is_move and self.other is not None and others > mine:
            return f"It is the move, though {self.other.cell[0]},{self.other.cell[1]} wins more"
        if self.is_move:
            return "It is the guess to make"
        if mine > others:
            return f"The move is {row},{col}, though it wins less"
        return f"Better open {row},{col}" if mine < others else f"{row},{col} is as good a guess"

    def to_json(self) -> dict[str, Any]:
        """`{"proved": …, "here": …, "other": …, "is_move": …, "reason": …, "texts": […]}`."""
        return {
            "proved": None if self.proved is None else list(self.proved),
            "here": None if self.here is None else self.here.to_json(),
            "other": None if self.other is None else self.other.to_json(),
            "is_move": self.is_move,
            "reason": self.reason,
            "texts": list(self.texts),
        }


def compare_guesses(
    found: Analysis, cell: Cell, shown: Sequence[Showing] | None = None
) -> GuessComparison | None:
    """Compares an undecided cell with the move; None where risks are estimates. `shown` are the
    outcomes of the cell, where they are known already."""
    if not found.exact:
        return None
    move = found.move
    assert move is not None  # an undecided cell is left to open
    if found.safe:
        return GuessComparison(move.cell)
    is_move = move.cell == cell
    if found.position is None:
        return GuessComparison(None, is_move=is_move, reason=move.reason, move=move.cell)
    other = _next_safest(found, cell) if is_move else move.cell
    cells = [cell] if other is None else [cell, other]
    chances = _chances(found, cells)
    here = _guess(found, cell, shown or outcomes(found, cell), chances.get(cell))
    there = other and _guess(found, other, outcomes(found, other), chances.get(other))
    return GuessComparison(None, here, there, is_move, move.reason, move.cell)


def _next_safest(found: Analysis, cell: Cell) -> Cell | None:
    choice = choose(found.probabilities, (), found.mines | {cell})
    return None if choice is None or choice.risk == 1.0 else choice.cell


def _guess(
    found: Analysis, cell: Cell, shown: Sequence[Showing], chance: Fraction | None
) -> WeighedGuess:
    certain = sum(outcome.probability for outcome in shown if outcome.certain)
    return WeighedGuess(cell, found.probability(cell), min(1.0, certain), bits(shown), chance)


def _chances(found: Analysis, cells: list[Cell]) -> dict[Cell, Fraction | None]:
    position = found.position
    assert position is not None
    board = Board(np.array(position.codes), mines=position.total)
    try:
        searched = win_chances(board, cells=cells, max_layouts=SEARCHED, work=SEARCH_WORK)
    except (TooManyLayouts, BackendUnavailable):
        return {}
    return {cell: searched.chance(cell) for cell in cells}


def _short(share: Fraction) -> str:
    """`33.33% (1/3)`, the fraction where it is short."""
    return f"{float(share):.2%}" + (f" ({share})" if share.denominator < 1_000 else "")
