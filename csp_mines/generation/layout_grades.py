"""`grade`: whether a layout needs a guess, how hard it is, its 3BV, openings and islands.

For a board in mid-game, `grade` returns the grade of its next step.

A proved opening opens a cell that a smallest set of clues proves safe. The difficulty score adds up
the proved openings of a game:

    score = Σ weight(grade) · log2(1 + clues)  ·  (1 + depth / openings)

`clues` is the number of clues that prove an opening; the total counts as one more. `weight` goes
from 1 for `single` to 6 for `total`. `openings` is the number of proved openings. `depth` is the
length of the longest chain of openings in which every proof uses a clue that the previous opening
of the chain showed. The sum is the amount of work: one opening by a single clue is 1. The factor
says how much of the work must be done in sequence: near 1 if many openings can all be proved at
once, 2 if all openings form one chain. (R. Pelánek, Human problem solving: Sudoku case study, 2011,
finds that the amount of work and its sequence together predict how long people take.) A game that
needs a guess has no score: there is often no work before the guess, and this does not mean that the
game is easy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from math import log2
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from csp_mines.analysis.analyze import analyze
from csp_mines.analysis.grades import Difficulty, Grade, as_frontier, easiest, grade_board
from csp_mines.analysis.winning import TooManyLayouts, WinChance
from csp_mines.board import Board, Cell, as_board
from csp_mines.errors import BackendUnavailable, BoardError, InputError
from csp_mines.explanation.explain import Explainer, Explanation
from csp_mines.games.agents import PRESETS
from csp_mines.games.game import Game, Rules
from csp_mines.games.playing import Step, StepKind, play
from csp_mines.games.playouts import WinEstimate, chance_to_win
from csp_mines.generation.certificates import CertifiedCell, proved_openings
from csp_mines.generation.deduction import Deduced, open_all, solve_by_deduction
from csp_mines.geometry import Geometry
from csp_mines.layout import Layout, as_layout

HARDEST_TRIED = 20  # `hardest_step` is chosen among at most this many openings of the hardest grade


@dataclass(frozen=True)
class Numbers:
    """Common measures of a layout. `three_bv` is the fewest left clicks that open every safe cell.
    `openings` counts the connected groups of zeros. `islands` counts the connected groups of safe
    cells that no flood opens. (`Score.openings` has another meaning: the number of proved
    openings.)"""

    three_bv: int
    openings: int
    islands: int


@dataclass(frozen=True)
class Score:
    """The difficulty of a game; the text at the top of this module explains it. If the game needs a
    guess, `value` is None, and the other numbers describe only the game before the first guess.

    >>> layout = csp_mines.Layout([[False, False, True, False]])
    >>> score = csp_mines.grade(layout, (0, 0)).score
    >>> round(score.value, 1), score.openings, score.clues, score.depth
    (19.0, 1, 2, 1)
    """

    value: float | None
    openings: int
    clues: int
    depth: int


@dataclass(frozen=True)
class ExactPlay:
    """How the agent `exact`, which guesses where the risk is lowest, plays a layout. `survival` is
    the probability that all of its guesses go well.

    >>> layout = csp_mines.Layout([[True, False, False, True], [False, False, True, False]])
    >>> played = csp_mines.grade(layout, (0, 1)).exact
    >>> played.won, played.guesses
    (False, 1)
    """

    won: bool
    guesses: int
    survival: float


@dataclass(frozen=True)
class LayoutGrade:
    """The grade of a layout, its measures and its difficulty score.

    `hardest_step` explains one opening of the hardest grade. If deduction does not win the layout,
    `stuck` is the board where deduction ends, `exact` is the play of the agent `exact`, and `win`
    is the chance to win from the board `stuck` without knowing the layout. If few layouts are left,
    `win` is the exact chance of optimal play; otherwise `win` is an estimate. It is None without
    the compiled kernel, or if the board `stuck` is too large or too wide.

    >>> graded = csp_mines.grade(csp_mines.Layout([[False, False, True, False]]), (0, 0))
    >>> graded.no_guess, graded.grade
    (True, <Grade.TOTAL: 'total'>)
    """

    deduced: Deduced
    numbers: Numbers
    score: Score
    hardest_step: Explanation | None
    stuck: Board | None
    exact: ExactPlay | None
    win: WinChance | WinEstimate | None = None

    @property
    def no_guess(self) -> bool:
        """Whether deduction alone wins the game."""
        return self.deduced.won

    @property
    def grade(self) -> Grade | None:
        """The grade of the hardest round that is needed to win, or to reach the first guess. None
        if there was no round."""
        return self.deduced.grade

    def to_json(self) -> dict[str, Any]:
        """Return the object that `grade --json` prints."""
        rows, cols = self.deduced.layout.shape
        step = self.hardest_step
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
            "exact": None if self.exact is None else asdict(self.exact),
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
    """Grade a layout, or the next step on a board.

    `layout` is a layout, a game, or a grid of truth values. It is graded from the cell `first`. By
    default, `first` is the first cell of the game. For a layout, or a game without a first cell,
    the default is the first zero in reading order or, without a zero, the first safe cell.
    `use_total` says whether the player knows the number of mines. If `layout` is a board in
    mid-game, or an array of its codes, its next step is graded, as by `grade_position`.

    Raises BoardError if the first cell is a mine or not on the board, or if every cell is a mine,
    InputError if `first` is given for a board in mid-game, Contradiction if no layout fits a board,
    TooWide if a position is too wide to count, BackendUnavailable if no engine can find smallest
    sets of clues.

    >>> csp_mines.grade(csp_mines.Layout([[False, False, True, False]]), (0, 0)).grade
    <Grade.TOTAL: 'total'>
    """
    if isinstance(layout, Game):
        first, layout = (layout.first if first is None else first), layout.layout
    if isinstance(layout, Board) or (not isinstance(layout, Layout) and _are_codes(layout)):
        if first is not None:
            raise InputError("first must be None for a board in mid-game, which has already begun")
        board = as_board(layout)
        return grade_position(board if use_total else board.without_total())
    layout = as_layout(layout)
    begin = first_cell(layout) if first is None else first
    most = Grade.TOTAL if use_total else Grade.SEARCH
    deduced = solve_by_deduction(layout, begin, hardest=most)
    openings = tuple(proved_openings(deduced))
    measures = numbers(layout), score(deduced, openings), _hardest_step(deduced)
    if deduced.won:
        return LayoutGrade(deduced, *measures, None, None)
    stuck = deduced.end if use_total else deduced.end.without_total()
    return LayoutGrade(deduced, *measures, stuck, _exact_play(deduced, use_total), _win_from(stuck))


def _are_codes(given: npt.ArrayLike) -> bool:
    """Return whether the values are whole numbers, which are the codes of a board. Other values are
    the truth values of a layout."""
    try:
        return np.asarray(given).dtype.kind in "iu"
    except ValueError:  # rows of different lengths
        return False


def first_cell(layout: Layout) -> Cell:
    """Return the default first cell of a layout: the first zero in reading order, else the first
    safe cell. Raises BoardError if every cell is a mine."""
    for good in (layout.safe & (layout.numbers == 0), layout.safe):
        places = np.argwhere(good)
        if len(places):
            row, col = places[0].tolist()
            return row, col
    raise BoardError("every cell of this layout is a mine; a game needs a safe first cell")


def numbers(layout: Layout, seen: np.ndarray[Any, np.dtype[np.bool_]] | None = None) -> Numbers:
    """Return 3BV, openings and islands of a layout. If `seen` is given, only cells where `seen` is
    true count."""
    safe, geometry = layout.safe, layout.geometry
    zeros = safe & (layout.numbers == 0)
    opened = zeros | (safe & (geometry.count(zeros) > 0))
    alone = safe & ~opened
    if seen is not None:
        zeros, alone = zeros & seen, alone & seen
    openings = _groups(geometry, zeros)
    return Numbers(openings + int(alone.sum()), openings, _groups(geometry, alone))


def _groups(geometry: Geometry, what: np.ndarray[Any, np.dtype[np.bool_]]) -> int:
    """Return the number of connected groups of the cells where `what` is true. Cells that touch are
    connected."""
    rows, cols = what.shape
    left = {(row, col) for row, col in np.argwhere(what).tolist()}
    groups = 0
    while left:
        groups += 1
        todo = [left.pop()]
        while todo:
            near = left.intersection(geometry.neighbours(todo.pop(), rows, cols))
            left -= near
            todo += near
    return groups


def score(deduced: Deduced, openings: Iterable[CertifiedCell]) -> Score:
    """Return the difficulty score of a game. `openings` are its proved openings, in order."""
    game = deduced.game()
    depth_of = dict.fromkeys(set(game.board.cells()) - game.board.hidden, 0)
    work, clues, deepest, count = 0.0, 0, 0, 0
    for opening in openings:
        used = len(opening.clues) + opening.total
        depth = 1 + max((depth_of[clue] for clue in opening.clues), default=0)
        depth_of.update(dict.fromkeys(game.open(opening.cell), depth))
        work += (1 + opening.grade.rank) * log2(1 + used)
        clues, count, deepest = clues + used, count + 1, max(deepest, depth)
    serial = 1 + (deepest / count if count else 0)
    return Score(work * serial if deduced.won else None, count, clues, deepest)


def _hardest_step(deduced: Deduced) -> Explanation | None:
    """Explain one opening of the hardest grade. The grade of an opening comes from an engine that
    sees all clues. An explanation uses only a smallest set of clues, so it may have a harder grade
    than its opening. Of the first `HARDEST_TRIED` explanations, return the first that has the grade
    of its opening. If none has it, return the very first explanation."""
    first = None
    for step in islice(_hardest_steps(deduced), HARDEST_TRIED):
        if step.grade is deduced.grade:
            return step
        first = first or step
    return first


def _hardest_steps(deduced: Deduced) -> Iterator[Explanation]:
    """Yield an explanation of every opening of the hardest grade. An explanation is computed only
    when the caller takes it."""
    game = deduced.game()
    for round_ in deduced.rounds:
        if round_.grade is deduced.grade:
            explainer = Explainer(analyze(game.board, use_total=round_.grade is Grade.TOTAL))
            yield from map(explainer.explain, round_.cells)
        open_all(game, round_.cells)


def _win_from(stuck: Board) -> WinChance | WinEstimate | None:
    try:
        return chance_to_win(stuck)
    except (TooManyLayouts, BackendUnavailable):
        return None


def _exact_play(deduced: Deduced, use_total: bool) -> ExactPlay:
    survival = 1.0

    def watch(step: Step) -> None:
        nonlocal survival
        if step.kind is StepKind.GUESS and step.risk is not None:
            survival *= 1 - step.risk

    game = Game(deduced.layout, Rules(told_total=use_total), first=deduced.first)
    record = play(game, PRESETS["exact"], watch=watch)
    return ExactPlay(record.won, record.guesses, survival)


@dataclass(frozen=True)
class NextStep:
    """The next step on a board in mid-game. `grade` is the weakest engine that proves a cell safe,
    or None if the next step is a guess. `cells` are the cells that this engine proves safe.
    `difficulty` has the grade of every cell that any engine proves.

    >>> step = csp_mines.grade_position([[-1, 1, 0, -1, -1]])
    >>> f"{step.grade}", sorted(step.cells)
    ('single', [(0, 3)])
    """

    grade: Grade | None
    cells: tuple[Cell, ...]
    difficulty: Difficulty

    def to_json(self) -> dict[str, Any]:
        """Return the document `{"next": grade, "safe": [[r, c], …], "cells": {grade: number}}`."""
        return {
            "next": self.grade,
            "safe": [list(cell) for cell in self.cells],
            "cells": dict(self.difficulty.counts),
        }


def grade_position(board: Board | npt.ArrayLike, mines: int | None = None) -> NextStep:
    """Grade the next step on a board.

    Parameters:
        board: a board, or an array of integers (-1 hidden, 0 to 8 clues).
        mines: the total number of mines. By default the number that the board gives.

    Raises BoardError for an array that is not a board, Contradiction if no layout fits, TooWide if
    the board is too wide to count.

    >>> csp_mines.grade_position([[-1, 1, 0, -1, -1]]).grade
    <Grade.SINGLE: 'single'>
    """
    frontier = as_frontier(board, mines)
    difficulty = grade_board(frontier)
    easiest_grade, safe = easiest(frontier)
    return NextStep(easiest_grade, tuple(sorted(safe)), difficulty)
