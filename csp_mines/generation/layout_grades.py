"""Grading anybody's layout: whether and how it is won without a guess, and how hard that is.

The difficulty score is made of the proved openings of the game, every one by a smallest set of
clues:

    score = Σ weight(grade) · log2(1 + clues)  ·  (1 + depth / openings)

where `clues` are those that prove an opening (the total counts as one more), `weight` goes from 1
for `single` to 6 for `total`, and `depth` is the length of the longest chain of openings in which
each uses a clue that the one before it opened. The sum is the work there is to do: one opening by a
single clue is 1. The factor says how much of it must be done one after the other: 1 when everything
could be seen at once, 2 when there is nothing but one chain. (R. Pelánek, Human problem solving:
Sudoku case study, 2011, finds that both together predict how long people take.) A game that needs a
guess has no score: the work before the guess, often none, says nothing about how hard it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from math import log2
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from csp_mines.analysis.analyze import analyze
from csp_mines.analysis.grades import Difficulty, Grade, as_frontier, easiest, grade_board
from csp_mines.analysis.winning import TooManyLayouts, WinChance
from csp_mines.board import HIDDEN, Board, Cell, as_board
from csp_mines.errors import BackendUnavailable, BoardError, InputError
from csp_mines.explanation.explain import Explainer, Explanation
from csp_mines.games.agents import PRESETS
from csp_mines.games.game import Game, Rules
from csp_mines.games.playing import Step, StepKind, play
from csp_mines.games.playouts import WinEstimate, chance_to_win
from csp_mines.generation.certificates import CertifiedCell, proved_openings
from csp_mines.generation.deduction import Deduced, open_all, solve_by_deduction
from csp_mines.geometry import GRID
from csp_mines.layout import Layout, as_layout

__all__ = [
    "ExactPlay",
    "LayoutGrade",
    "NextStep",
    "Numbers",
    "Score",
    "first_cell",
    "grade",
    "grade_position",
    "numbers",
    "score",
]

HARDEST_TRIED = 20  # openings of the hardest grade among which one is chosen to be shown


@dataclass(frozen=True)
class Numbers:
    """What players know a layout by. `three_bv`: the least left clicks that open everything;
    `openings`: connected groups of zeros; `islands`: connected groups of the safe cells that no
    opening opens."""

    three_bv: int
    openings: int
    islands: int


@dataclass(frozen=True)
class Score:
    """See the module. `value` is None where the game needs a guess; the other numbers are those of
    the openings before it."""

    value: float | None
    openings: int
    clues: int
    depth: int


@dataclass(frozen=True)
class ExactPlay:
    """How the agent `exact` fares on a layout: it guesses where the risk is lowest. `survival` is
    how likely the guesses that it made were to go well, all of them."""

    won: bool
    guesses: int
    survival: float


@dataclass(frozen=True)
class LayoutGrade:
    """What there is to say of a layout. `hardest_step` explains one opening of the hardest grade;
    a layout that deduction does not win has `stuck`, the board where it sticks, `exact`, and `win`,
    the chance to win from there for whoever does not know the layout: of optimal play or, with many
    layouts left, an estimate; None on a board too large or too wide for that, and without the
    compiled kernel."""

    deduced: Deduced
    numbers: Numbers
    score: Score
    hardest_step: Explanation | None
    stuck: Board | None
    exact: ExactPlay | None
    win: WinChance | WinEstimate | None = None

    @property
    def no_guess(self) -> bool:
        return self.deduced.won

    @property
    def grade(self) -> Grade | None:
        """The weakest engine that suffices; for a layout that needs a guess, as far as it goes."""
        return self.deduced.grade

    def to_json(self) -> dict[str, Any]:
        """As `grade --json` gives it."""
        rows, cols = self.deduced.layout.shape
        step, exact = self.hardest_step, self.exact
        return {
            "rows": rows,
            "cols": cols,
            "mines": self.deduced.layout.count,
            "first": list(self.deduced.first),
            "no_guess": self.no_guess,
            "grade": self.grade,
            "needs_total": self.grade is Grade.TOTAL,
            "rounds": dict(self.deduced.counts),
            "score": None if self.score.value is None else round(self.score.value, 2),
            "openings_proved": self.score.openings,
            "clues": self.score.clues,
            "depth": self.score.depth,
            "3bv": self.numbers.three_bv,
            "openings": self.numbers.openings,
            "islands": self.numbers.islands,
            "hardest_step": None if step is None else step.to_json(),
            "stuck": None if self.stuck is None else self.stuck.to_text().rstrip("\n").split("\n"),
            "exact": None
            if exact is None
            else {"won": exact.won, "guesses": exact.guesses, "survival": exact.survival},
            "win": None if self.win is None else self.win.to_json(),
        }


@overload
def grade(
    layout: Layout | Game, first: Cell | None = None, *, use_total: bool = True
) -> LayoutGrade: ...
@overload
def grade(layout: Board, *, use_total: bool = True) -> NextStep: ...
@overload
def grade(
    layout: npt.ArrayLike, first: Cell | None = None, *, use_total: bool = True
) -> LayoutGrade | NextStep: ...
def grade(
    layout: Layout | Game | Board | npt.ArrayLike,
    first: Cell | None = None,
    *,
    use_total: bool = True,
) -> LayoutGrade | NextStep:
    """Grades a layout, that of a game, or a grid of truth values, from its first cell (by default
    the game's, or `first_cell`), with the number of mines known or not. A board in mid-game, or an
    array of its codes, is graded by its next step, as `grade_position` does.

    Raises BoardError for a first cell that is a mine or not on the board, InputError for one of a
    board in mid-game, Contradiction, TooWide, BackendUnavailable."""
    if isinstance(layout, Game):
        first, layout = (layout.first if first is None else first), layout.layout
    if isinstance(layout, Board) or (not isinstance(layout, Layout) and _are_codes(layout)):
        if first is not None:
            raise InputError("a board in mid-game has begun: leave `first` out")
        board = as_board(layout)
        return grade_position(board if use_total else board.without_total())
    layout = as_layout(layout)
    begin = first_cell(layout) if first is None else first
    most = Grade.TOTAL if use_total else Grade.SEARCH
    found = solve_by_deduction(layout, begin, hardest=most)
    openings = tuple(proved_openings(found))
    told = numbers(layout), score(found, openings), _hardest_step(found)
    if found.won:
        return LayoutGrade(found, *told, None, None)
    stuck = found.end if use_total else Board(found.end.codes)
    return LayoutGrade(found, *told, stuck, _exact_play(found, use_total), _win_from(stuck))


def _are_codes(given: npt.ArrayLike) -> bool:
    """Whether these are codes, and not the truth values of a layout."""
    try:
        return np.asarray(given).dtype.kind in "iu"
    except ValueError:  # rows of different lengths
        return False


def first_cell(layout: Layout) -> Cell:
    """Where a game of the layout begins when nobody says: the first zero in reading order, else
    the first safe cell. Raises BoardError when there is none."""
    for good in (~layout.mines & (layout.numbers == 0), ~layout.mines):
        places = np.argwhere(good)
        if len(places):
            row, col = places[0].tolist()
            return row, col
    raise BoardError("this layout is all mines: there is no cell to begin with")


def numbers(layout: Layout) -> Numbers:
    """3BV, openings and islands."""
    safe = ~layout.mines
    zeros = safe & (layout.numbers == 0)
    opened = zeros | (safe & (GRID.count(zeros) > 0))
    alone = safe & ~opened
    openings = _groups(zeros)
    return Numbers(openings + int(alone.sum()), openings, _groups(alone))


def _groups(what: np.ndarray[Any, np.dtype[np.bool_]]) -> int:
    """Connected groups, corners touching."""
    rows, cols = what.shape
    left = {(row, col) for row, col in np.argwhere(what).tolist()}
    groups = 0
    while left:
        groups += 1
        todo = [left.pop()]
        while todo:
            near = left.intersection(GRID.neighbours(todo.pop(), rows, cols))
            left -= near
            todo += near
    return groups


def score(found: Deduced, openings: Iterable[CertifiedCell]) -> Score:
    """The difficulty of a game, as far as deduction went."""
    game = found.game()
    depth_of = dict.fromkeys(_open_cells(game), 0)
    work, clues, deepest, count = 0.0, 0, 0, 0
    for opening in openings:
        used = len(opening.clues) + opening.total
        depth = 1 + max((depth_of[clue] for clue in opening.clues), default=0)
        depth_of.update(dict.fromkeys(game.open(opening.cell), depth))
        work += (1 + opening.grade.rank) * log2(1 + used)
        clues, count, deepest = clues + used, count + 1, max(deepest, depth)
    serial = 1 + (deepest / count if count else 0)
    return Score(work * serial if found.won else None, count, clues, deepest)


def _open_cells(game: Game) -> list[Cell]:
    rows, cols = game.spec.rows, game.spec.cols
    return [
        (row, col) for row in range(rows) for col in range(cols) if game.shown((row, col)) != HIDDEN
    ]


def _hardest_step(found: Deduced) -> Explanation | None:
    """The first opening of the hardest grade whose smallest set of clues has that grade, too; else
    the first of the hardest grade, which may be proved by fewer clues in a harder way."""
    first = None
    for step in islice(_hardest_steps(found), HARDEST_TRIED):
        if step.grade is found.grade:
            return step
        first = first or step
    return first


def _hardest_steps(found: Deduced) -> Iterator[Explanation]:
    """The openings of the hardest grade, explained when they are asked for."""
    game = found.game()
    for round_ in found.rounds:
        if round_.grade is found.grade:
            explainer = Explainer(analyze(game.board, use_total=round_.grade is Grade.TOTAL))
            yield from map(explainer.explain, round_.cells)
        open_all(game, round_.cells)


def _win_from(stuck: Board) -> WinChance | WinEstimate | None:
    try:
        return chance_to_win(stuck)
    except (TooManyLayouts, BackendUnavailable):
        return None


def _exact_play(found: Deduced, use_total: bool) -> ExactPlay:
    survival = 1.0

    def watch(step: Step) -> None:
        nonlocal survival
        if step.kind is StepKind.GUESS and step.risk is not None:
            survival *= 1 - step.risk

    game = Game(found.layout, Rules(told_total=use_total), first=found.first)
    record = play(game, PRESETS["exact"], watch=watch)
    return ExactPlay(record.won, record.guesses, survival)


@dataclass(frozen=True)
class NextStep:
    """What a board in the middle of a game demands next: the weakest engine that proves a cell
    safe, the cells that it does, and the grade of every proved cell. No grade: a guess."""

    grade: Grade | None
    cells: tuple[Cell, ...]
    difficulty: Difficulty

    def to_json(self) -> dict[str, Any]:
        """`{"next": grade, "safe": [[r, c], …], "cells": {grade: number}}`."""
        return {
            "next": self.grade,
            "safe": [list(cell) for cell in self.cells],
            "cells": dict(self.difficulty.counts),
        }


def grade_position(board: Board | npt.ArrayLike, mines: int | None = None) -> NextStep:
    """Grades the next step on a board, or on an array of integers. Raises BoardError,
    Contradiction, TooWide."""
    frontier = as_frontier(board, mines)
    difficulty = grade_board(frontier)
    found, safe = easiest(frontier)
    return NextStep(found, tuple(sorted(safe)), difficulty)
