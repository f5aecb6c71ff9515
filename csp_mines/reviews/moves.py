"""One move of a reviewed game: its verdict, the win chance that it lost, its luck and its fault."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from math import log2, log10
from typing import Any

from csp_mines.analysis.grades import Grade
from csp_mines.board import Board, Cell
from csp_mines.explanation.explain import Explanation
from csp_mines.games.actions import ActionKind
from csp_mines.reviews.values import Chance, Weighed


class Judgement(StrEnum):
    """The verdict on a move. A move is *proved* if all cells that it opens, apart from those that a
    flood adds, are proved safe. Any other move is a guess: *forced* if no hidden cell is proved
    safe, *needless* if at least one is. The first move counts as proved if the game itself makes
    this move, or if it opens no mine and the start of the rules is not `any`.

    >>> game = csp_mines.Game.new("beginner", seed=1)
    >>> record = csp_mines.play(game, "exact")
    >>> review = csp_mines.review(game)
    >>> review.moves[0].verdict
    <Judgement.PROVED: 'proved'>
    """

    PROVED = "proved"
    FORCED = "forced"
    NEEDLESS = "needless"


class Fault(StrEnum):
    """How bad a guess was. A blunder lost at least 10 points of win chance, a mistake at least 5
    and less than 10, an inaccuracy at least 1 and less than 5. `points` is the least loss of the
    fault, as a share of 1: 0.1, 0.05 or 0.01. A guess has no fault if the lower end of the 95 %
    interval of its loss is not above 0.

    >>> csp_mines.Fault.BLUNDER.points, csp_mines.Fault.MISTAKE.points
    (0.1, 0.05)
    """

    points: float

    BLUNDER = "blunder", 0.10
    MISTAKE = "mistake", 0.05
    INACCURACY = "inaccuracy", 0.01

    def __new__(cls, name: str, points: float) -> Fault:
        fault = str.__new__(cls, name)
        fault._value_ = name
        fault.points = points
        return fault


@dataclass(frozen=True)
class ReviewedMove:
    """A judged move: an opening or a chord.

    `turn` is the number of the move, from 1. `board` is the board before the move, and
    `wrong_marks` are the safe cells that are marked on this board. `cells` are the cells that the
    move itself opens, without those that a flood adds; for a `sqrt` start, `cells` has only the
    first cell that the game opens. `opened` is the number of all cells that the move opened. `mine`
    says whether the move opened a mine. `shown` is the code of `cell` after the move.

    `risk` is the probability that at least one of `cells` is a mine, and `lowest_risk` is the
    lowest risk of any hidden cell. For a proved move, both are 0, and `grade` is the hardest grade
    of `cells`. `grade` is None for a guess, for noisy clues, and for a first move that counts as
    proved only because it is the first (see `Judgement`).

    `weighed` compares a guess with the move of the reference player. It is None for a proved move,
    and for a guess without win chances. `after` is V before the next weighed guess or, for the last
    weighed guess, `Review.result`. It is None if `weighed` is None. `easiest` explains the easiest
    safe cell that the player could have opened in place of a needless guess. It is None for any
    other move, and in a review without explanations.

    `seconds` is the time of the move since the beginning of the game. `thought` is the time since
    the previous opening or chord, also in seconds. Each of the two is None if it is unknown.

    >>> game = csp_mines.Game.new("beginner", seed=1)
    >>> record = csp_mines.play(game, "exact")
    >>> review = csp_mines.review(game)
    >>> review.moves[1].cell, f"{review.moves[1].verdict}"
    ((6, 6), 'proved')
    """

    turn: int
    kind: ActionKind
    cell: Cell
    cells: tuple[Cell, ...]
    board: Board
    verdict: Judgement
    risk: float
    lowest_risk: float
    mine: bool
    shown: int
    opened: int
    wrong_marks: tuple[Cell, ...] = ()
    seconds: float | None = None
    thought: float | None = None
    weighed: Weighed | None = None
    after: Chance | None = None
    easiest: Explanation | None = None
    grade: Grade | None = None

    @property
    def guess(self) -> bool:
        """Whether the move was a guess, forced or needless."""
        return self.verdict is not Judgement.PROVED

    @property
    def lost(self) -> float | None:
        """V − Q: the win chance that the guess lost. Negative if Q is greater than V. None if
        `weighed` is None."""
        return None if self.weighed is None else self.weighed.lost.value

    @property
    def luck(self) -> float | None:
        """`after` minus Q: the win chance that luck added. None if `weighed` or `after` is None."""
        if self.weighed is None or self.after is None:
            return None
        return self.after.value - self.weighed.chance.value

    @property
    def bits(self) -> float | None:
        """The surprise of surviving the move, in bits: −log₂ of the chance to survive. It is 0 for
        a proved move, and None if the chance is 0."""
        return _surprise(self.risk, log2) if self.guess else 0.0

    @property
    def pluck(self) -> float | None:
        """The surprise of surviving the move as −log₁₀ of the chance to survive. Players call this
        number pLuck. It is 0 for a proved move, and None if the chance is 0."""
        return _surprise(self.risk, log10) if self.guess else 0.0

    @property
    def fault(self) -> Fault | None:
        """How bad the guess was. None if `weighed` is None, if the guess lost less than 1 point of
        win chance, or if the lower end of the 95 % interval of `lost` is not above 0."""
        if self.weighed is None or self.weighed.least_lost <= 0:
            return None
        lost = self.weighed.lost.value
        return next((fault for fault in Fault if lost >= fault.points), None)

    @property
    def accuracy(self) -> float:
        """The share of the win chance that the guess kept: min(1, Q / V). It is 1 for a proved
        move, for a guess without win chances, and for a guess with V = 0."""
        if self.weighed is None or self.weighed.value.value <= 0:
            return 1.0
        return min(1.0, self.weighed.chance.value / self.weighed.value.value)

    def to_json(self) -> dict[str, Any]:
        """Return the move as `review --json` prints it."""
        weighed, after, easiest = self.weighed, self.after, self.easiest
        move = None if weighed is None else weighed.reference
        return {
            "turn": self.turn,
            "kind": self.kind,
            "cell": list(self.cell),
            "cells": [list(cell) for cell in self.cells],
            "verdict": self.verdict,
            "risk": _known(self.risk),
            "lowest_risk": _known(self.lowest_risk),
            "lost": self.lost,
            "lost_error": None if weighed is None else weighed.lost.error,
            "luck": self.luck,
            "bits": self.bits,
            "pluck": self.pluck,
            "fault": self.fault,
            "mine": self.mine,
            "shown": self.shown if self.shown >= 0 else None,
            "opened": self.opened,
            "before": None if weighed is None else weighed.value.value,
            "before_error": None if weighed is None else weighed.value.error,
            "chance": None if weighed is None else weighed.chance.value,
            "chance_error": None if weighed is None else weighed.chance.error,
            "after": None if after is None else after.value,
            "after_error": None if after is None else after.error,
            "exact": None if weighed is None else weighed.exact,
            "layouts": None if weighed is None else weighed.layouts,
            "reference": move and {"cell": [*move.cell], "risk": move.risk, "reason": move.reason},
            "easiest": easiest
            and {"cell": [*easiest.cell], "grade": easiest.grade, "text": easiest.text},
            "grade": self.grade,
            "wrong_marks": [list(cell) for cell in self.wrong_marks],
            "seconds": self.seconds,
            "thought": self.thought,
            "board": self.board.to_line(),
        }


def _surprise(risk: float, logarithm: Callable[[float], float]) -> float | None:
    if not risk < 1:
        return None
    return float(-logarithm(1 - risk)) + 0.0


def _known(risk: float) -> float | None:
    return None if risk != risk else risk
