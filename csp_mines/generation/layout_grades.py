"""`grade`: whether a layout needs a guess, how hard the layout is, and measures such as its 3BV.

For a board in mid-game, `grade` returns the grade of the next step.

A proved opening opens a cell that some clues, perhaps with the total, prove safe. The difficulty
score of a game is a sum over its proved openings, times a factor:

    score = Σ weight(grade) · log2(1 + clues)  ·  (1 + depth / openings)

In the sum, `clues` is the number of clues that the proof of an opening needs; the total counts as
one more clue. `weight` goes from 1 for `single` to 6 for `total`. The sum is the amount of work: an
opening of grade `single` that needs one clue adds 1.

In the factor, `openings` is the number of proved openings. `depth` is the length of the longest
chain. In a chain, the proof of every opening after the first uses a clue that the previous opening
of the chain showed. The factor says how much of the work must be done in sequence: it is near 1 if
many openings can all be proved at once, and 2 if all openings form one chain.

R. Pelánek (Human problem solving: Sudoku case study, 2011) finds that the complexity of the steps
and their dependency together predict how long people take to solve a Sudoku.

A game that needs a guess has no score, because the work before the first guess does not say how
hard the game is. Often there is no such work.
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
from csp_mines.generation.deduction import Deduced, solve_by_deduction
from csp_mines.geometry import Geometry, cells_at
from csp_mines.layout import Bools, Layout, as_layout

HARDEST_TRIED = 20  # `hardest_step` is chosen among at most this many openings of the hardest grade


@dataclass(frozen=True)
class Numbers:
    """Common measures of a layout. `three_bv` is the least number of left clicks that open every
    safe cell. `openings` is the number of connected groups of zeros. `islands` is the number of
    connected groups of safe cells that no flood opens. (The field `openings` of `Score` has another
    meaning: there it is the number of proved openings.)"""

    three_bv: int
    openings: int
    islands: int


@dataclass(frozen=True)
class Score:
    """The difficulty score of a game. The top of this module has the formula.

    * `value` is the score, or None if the game needs a guess.
    * `openings` is the number of proved openings.
    * `clues` is the number of clues in all proofs: the sum of `clues` in the formula.
    * `depth` is the length of the longest chain.

    If the game needs a guess, the last three fields count only what comes before the first guess.

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
    """How the agent `exact` plays a layout. This agent guesses where the risk is lowest. `won` says
    whether the agent wins. `guesses` is the number of its guesses, including a guess that opens a
    mine. `survival` is the probability that all these guesses open safe cells.

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

    * `deduced` is the game that deduction plays, and `numbers` has the measures of the layout.
    * `hardest_step` explains one opening of the hardest grade. It is None if there is no round of
      deduction.
    * `stuck` is the board at which deduction gets stuck.
    * `exact` says how the agent `exact` plays the layout.
    * `win` is the chance to win from the board `stuck` for a player who does not know the layout.
      If few layouts fit this board, `win` is the exact chance of optimal play. Otherwise `win` is
      an estimate for the player `win:fast`, or None if the board is too large or too wide for an
      estimate. Without the compiled kernel, `win` is None.

    If deduction wins the game, `stuck`, `exact` and `win` are None.

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
        """The grade of the hardest round of deduction, up to the end of the game or the first
        guess. None if there is no round."""
        return self.deduced.grade

    def to_json(self) -> dict[str, Any]:
        """Return the object that `grade --json` prints for a layout."""
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
            "stuck": None if self.stuck is None else self.stuck.to_text().splitlines(),
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

    Parameters:
        layout: a layout, a game, or a grid of truth values. For a board in mid-game, or an array of
            its codes (whole numbers), the next step is graded as by `grade_position`.
        first: the first cell of a layout or a game. By default the first cell that the game names.
            If there is none: the first zero in reading order or, if the layout has no zero, the
            first safe cell.
        use_total: whether the player knows the number of mines.

    Raises BoardError if `first` is not a safe cell of the layout, if every cell is a mine, or if
    `layout` is neither a layout nor a board; InputError if `first` is given for a board in
    mid-game; Contradiction if no layout fits a board; TooWide if a position is too wide to count;
    Unsupported if a proof needs the total while too many hidden cells are beside clues;
    BackendUnavailable if no engine can find smallest sets of clues.

    >>> csp_mines.grade(csp_mines.Layout([[False, False, True, False]]), (0, 0)).grade
    <Grade.TOTAL: 'total'>
    """
    if isinstance(layout, Game):
        first, layout = (layout.first if first is None else first), layout.layout
    if isinstance(layout, Board) or (not isinstance(layout, Layout) and _are_codes(layout)):
        if first is not None:
            raise InputError(
                "first works only with a layout or a game, not with a board in mid-game; leave "
                "first out, or give the layout as truth values instead of whole numbers"
            )
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
    """Return whether the values are whole numbers, the codes of a board. `grade` takes all other
    values as the truth values of a layout."""
    try:
        return np.asarray(given).dtype.kind in "iu"
    except ValueError:  # rows of different lengths
        return False


def first_cell(layout: Layout) -> Cell:
    """Return the default first cell of a layout: the first zero in reading order, else the first
    safe cell. Raises BoardError if every cell is a mine."""
    for good in (layout.safe & (layout.numbers == 0), layout.safe):
        if good.any():
            return cells_at(good)[0]
    raise BoardError("every cell of this layout is a mine; a game needs a safe first cell")


def numbers(layout: Layout, seen: Bools | None = None) -> Numbers:
    """Return the `Numbers` of a layout. If the array `seen` is given, a zero or a cell of an island
    counts only where `seen` is true."""
    safe, geometry = layout.safe, layout.geometry
    zeros = safe & (layout.numbers == 0)
    opened = zeros | (safe & (geometry.count(zeros) > 0))
    alone = safe & ~opened
    if seen is not None:
        zeros, alone = zeros & seen, alone & seen
    openings = _groups(geometry, zeros)
    return Numbers(openings + int(alone.sum()), openings, _groups(geometry, alone))


def _groups(geometry: Geometry, what: Bools) -> int:
    """Return the number of connected groups of the cells where `what` is true. Cells that touch are
    connected."""
    rows, cols = what.shape
    left = set(cells_at(what))
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
    """Return the difficulty score of a game. `openings` has the proved openings of the game, in
    order."""
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
    """Return an explanation of one opening of the hardest grade; None if there is no round.

    The grade of an opening comes from an engine that sees all clues. An explanation uses only a
    minimal set of clues, so the grade of the explanation may be harder. Of the first
    `HARDEST_TRIED` explanations, return the first one that has the grade of the game. If there is
    none, return the very first explanation."""
    first = None
    for step in islice(_hardest_steps(deduced), HARDEST_TRIED):
        if step.grade is deduced.grade:
            return step
        first = first or step
    return first


def _hardest_steps(deduced: Deduced) -> Iterator[Explanation]:
    """Yield an explanation of every cell that a round of the hardest grade proves safe. The
    generator computes each explanation only on demand."""
    for round_, game in deduced.replayed():
        if round_.grade is deduced.grade:
            explainer = Explainer(analyze(game.board, use_total=round_.grade is Grade.TOTAL))
            yield from map(explainer.explain, round_.cells)


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
    """The next step on a board in mid-game. `grade` is the easiest grade whose engine proves a cell
    safe, and `cells` are the cells that this engine proves safe, in reading order. If no cell can
    be proved safe, `grade` is None and `cells` is empty. `difficulty` has the grade of every cell
    that can be proved safe or a mine.

    >>> step = csp_mines.grade_position([[-1, 1, 0, -1, -1]])
    >>> f"{step.grade}", sorted(step.cells)
    ('single', [(0, 3)])
    """

    grade: Grade | None
    cells: tuple[Cell, ...]
    difficulty: Difficulty

    def to_json(self) -> dict[str, Any]:
        """Return the object that `grade --json` prints for a board in mid-game, `{"next": grade or
        null, "safe": [[r, c], …], "cells": {grade: number of cells, …}}`."""
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

    Raises BoardError for an invalid board or an impossible `mines`, Contradiction if no layout
    fits, TooWide if the board is too wide to count.

    >>> csp_mines.grade_position([[-1, 1, 0, -1, -1]]).grade
    <Grade.SINGLE: 'single'>
    """
    frontier = as_frontier(board, mines)
    difficulty = grade_board(frontier)
    easiest_grade, safe = easiest(frontier)
    return NextStep(easiest_grade, tuple(sorted(safe)), difficulty)
