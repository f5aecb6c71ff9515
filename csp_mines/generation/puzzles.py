"""Paper puzzles: clues and hidden cells, exactly one layout, no total, and every clue needed.

A puzzle is made from a random layout with every safe cell open: clue after clue is hidden again, in
random order, as long as the rest proves every hidden cell. Hiding a clue never proves more, so one
pass leaves a set of which none can be left out. For an easy grade the pass asks the engines of that
grade; then a clue may be left that only they need, and such clues are among the `extra` ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from csp_mines.analysis.grades import Grade
from csp_mines.board import CLEAR, HIDDEN, MARKED, Board
from csp_mines.errors import InputError
from csp_mines.generation.deduction import proved
from csp_mines.generation.draws import Stream, seed_key
from csp_mines.generation.noguess import NotFound
from csp_mines.generation.wishes import GradeBounds
from csp_mines.layout import Layout, Seed, Spec
from csp_mines.words import plural

__all__ = ["Puzzle", "puzzle_grade", "puzzles"]

EFFORT = 20_000  # cells of all layouts that are tried for one puzzle; at least 20 layouts
MOST_CELLS = 2_500
Codes = npt.NDArray[np.int8]


@dataclass(frozen=True)
class Puzzle:
    """A board of clues and hidden cells with exactly one layout. `grade` is the weakest engine
    that proves every cell, each with the engines below it; `extra` clues are not needed."""

    board: Board
    layout: Layout
    grade: Grade
    extra: int

    @property
    def clues(self) -> int:
        return int((self.board.codes != HIDDEN).sum())

    def __repr__(self) -> str:
        rows, cols = self.layout.shape
        return f"<Puzzle {rows}×{cols}, {plural(self.clues, 'clue')}, grade {self.grade}>"

    def to_json(self) -> dict[str, Any]:
        """`{"board": rows, "layout": rows, "mines": …, "grade": …, "clues": …, "extra": …}`."""
        return {
            "board": self.board.to_text().rstrip("\n").split("\n"),
            "layout": self.layout.to_text().split(),
            "mines": self.layout.count,
            "grade": self.grade,
            "clues": self.clues,
            "extra": self.extra,
        }


def puzzles(
    spec: Spec,
    count: int = 1,
    seed: Seed = 0,
    *,
    difficulty: GradeBounds | None = None,
    extra: int = 0,
) -> Iterator[Puzzle]:
    """So many puzzles, the same for the same seed; `extra` clues more than needed. Raises
    BoardError for what makes no sense, NotFound after a stated effort."""
    wanted = difficulty or GradeBounds(None, Grade.SEARCH)
    if wanted.hardest is Grade.TOTAL:
        if wanted.easiest is Grade.TOTAL:
            raise InputError("a puzzle does not say how many mines there are: no grade 'total'")
        wanted = GradeBounds(wanted.easiest, Grade.SEARCH)
    cells = spec.rows * spec.cols
    if cells > MOST_CELLS:
        raise InputError(f"a puzzle has at most {MOST_CELLS:,} cells, not {cells:,}")
    if not 0 < spec.mines < cells:
        raise InputError(f"a puzzle needs mines and clues, not {spec.mines:,} mines in {cells:,}")
    if extra < 0:
        raise InputError(f"{extra} extra clues cannot be added")
    return (_puzzle(spec, f"{seed}/{number}", wanted, extra) for number in range(count))


def _puzzle(spec: Spec, seed: Seed, wanted: GradeBounds, extra: int) -> Puzzle:
    key = seed_key("puzzles", seed)
    effort = max(20, EFFORT // (spec.rows * spec.cols))
    for number in range(effort):
        made = _attempt(spec, Stream(key, number), wanted, extra)
        if made is not None:
            return made
    more = "" if extra else "; extra clues make easier grades possible"
    raise NotFound(
        f"none of {effort:,} layouts of {spec} makes a "
        f"puzzle of {wanted} with {extra} extra clues{more}"
    )


def _attempt(spec: Spec, stream: Stream, wanted: GradeBounds, extra: int) -> Puzzle | None:
    cells = list(range(spec.rows * spec.cols))
    grid = np.zeros(len(cells), bool)
    grid[stream.shuffled(cells, spec.mines)] = True
    layout = Layout(grid.reshape(spec.rows, spec.cols))
    full = np.where(layout.mines, HIDDEN, layout.numbers).astype(np.int8)
    if _grade(full, wanted.hardest) is None:
        return None
    order = stream.shuffled([cell for cell in cells if not grid[cell]])
    codes = _thinned(full, order, wanted.hardest)
    needed = codes if wanted.hardest is Grade.SEARCH else _thinned(codes, order, Grade.SEARCH)
    spare = int((codes >= 0).sum() - (needed >= 0).sum())
    if spare > extra:
        return None
    hidden = [cell for cell in order if codes.flat[cell] == HIDDEN]
    if len(hidden) < extra - spare:
        return None
    for cell in stream.shuffled(hidden, extra - spare):
        codes.flat[cell] = full.flat[cell]
    grade = _grade(codes, wanted.hardest)
    if grade is None or not wanted.allows(grade):
        return None
    return Puzzle(Board(codes), layout, grade, extra)


def _thinned(codes: Codes, order: list[int], hardest: Grade) -> Codes:
    """Without the clues that the engines up to `hardest` can do without, hidden in that order."""
    left = codes.copy()
    for cell in order:
        clue = left.flat[cell]
        if clue == HIDDEN:
            continue
        left.flat[cell] = HIDDEN
        if _grade(left, hardest) is None:
            left.flat[cell] = clue
    return left


def puzzle_grade(board: Board) -> Grade | None:
    """The grade of a board as a puzzle; None when it has more than one layout. Raises
    Contradiction, TooWide."""
    return _grade(np.array(board.codes), Grade.SEARCH)


def _grade(codes: Codes, hardest: Grade) -> Grade | None:
    """The weakest engine with which all hidden cells are proved; None when none up to `hardest`
    does that. Every engine looks at the clues alone; only for the complete one, which cannot tell
    the difference, what the others proved is filled in: that leaves it little to count."""
    board = Board(codes)
    hidden = frozenset(board.cells(HIDDEN))
    found = frozenset[tuple[int, int]]()
    known = codes.copy()
    for grade in Grade:
        if grade.rank > hardest.rank or grade is Grade.TOTAL:
            return None
        safe, mines = proved(Board(known) if grade is Grade.SEARCH else board, grade)
        found |= safe | mines
        if found == hidden:
            return grade
        for cells, code in ((safe, CLEAR), (mines, MARKED)):
            for cell in cells:
                known[cell] = code
    return None
