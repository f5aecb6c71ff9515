"""`puzzles`: make paper puzzles. A puzzle has some clues, no total and exactly one solution. A clue
is needless if the puzzle still has one solution without the clue.

The generator tries one random layout after another:

1. Open every safe cell of the layout.
2. Hide the clues one by one, in random order. Show a clue again if the engines do not prove every
   hidden cell without the clue. The engines are those of all grades up to the hardest requested
   grade.
3. These engines may need a clue that is needless, because a stronger engine does without the clue.
   Exchange such clues for other clues nearby until, one after another, at most `extra` clues can be
   left out.
4. Show further clues at random until `extra` clues can be left out.

If a step fails, or if the puzzle does not have a requested grade, the next layout is tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from csp_mines import arguments
from csp_mines.analysis.grades import Grade
from csp_mines.board import CLEAR, HIDDEN, MARKED, Board, Codes
from csp_mines.errors import InputError, NotFound
from csp_mines.generation.deduction import proved_by_clues
from csp_mines.generation.draws import Stream, seed_key
from csp_mines.generation.wishes import GradeBounds
from csp_mines.geometry import Geometry
from csp_mines.layout import Layout, Seed, Spec
from csp_mines.words import plural

EFFORT = 20_000  # the search for a puzzle of `n` cells tries at most max(20, EFFORT / n) layouts
CHANGES = 100  # the most changes that are tried on the clues of one layout
REACH = 3  # a change shows the clues within this many rows and columns of a needless clue
MOST_CELLS = 2_500


@dataclass(frozen=True)
class Puzzle:
    """A board of clues and hidden cells that exactly one layout fits.

    `grade` is the hardest grade that a player needs: the engines of this grade and of all easier
    grades together prove every hidden cell safe or a mine; the easier ones alone do not. `extra`
    of the clues can be hidden together: the board then still has exactly one solution, and every
    remaining clue is needed.

    >>> [puzzle] = csp_mines.puzzles(csp_mines.Spec(4, 4, 3), seed=1)
    >>> puzzle.clues, f"{puzzle.grade}"
    (4, 'single')
    """

    board: Board
    layout: Layout
    grade: Grade
    extra: int

    @property
    def clues(self) -> int:
        """The number of clues."""
        return int((self.board.codes >= 0).sum())

    def __repr__(self) -> str:
        rows, cols = self.layout.shape
        return f"<Puzzle {rows}×{cols}, {plural(self.clues, 'clue')}, grade {self.grade}>"

    def to_json(self) -> dict[str, Any]:
        """Return `{"board": lines, "layout": lines, "mines": …, "grade": …, "clues": …, "extra":
        …}`. `lines` are all lines of a text: those of the header, such as `grid: hex`, if there is
        a header, and then the rows."""
        return {
            "board": self.board.to_text().splitlines(),
            "layout": self.layout.to_text().splitlines(),
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
    """Return an iterator over `count` puzzles. The same arguments give the same puzzles.

    Parameters:
        spec: the size of the board and the number of mines.
        count: the number of puzzles.
        seed: determines the puzzles.
        difficulty: the allowed grades. By default, all grades from `single` to `search`. The grade
            `total` is not possible, because a puzzle has no total.
        extra: the number of additional clues, which can be hidden together (see `Puzzle`).

    Raises InputError for invalid arguments. The iterator raises NotFound if none of the layouts
    that it tries makes a puzzle as requested, and TooWide if a board is too wide to count.

    >>> [puzzle] = csp_mines.puzzles(csp_mines.Spec(4, 4, 3), seed=1)
    >>> print(puzzle.board)
    ????
    ?1?2
    ????
    0??3
    """
    wanted = GradeBounds()
    if difficulty is not None:
        wanted = arguments.instance(difficulty, GradeBounds, "difficulty")
    if wanted.easiest is Grade.TOTAL:
        raise InputError(
            "a puzzle cannot have grade 'total', because a puzzle gives no total; use another grade"
        )
    if wanted.hardest is Grade.TOTAL:
        wanted = GradeBounds(wanted.easiest, Grade.SEARCH)
    count, seed = arguments.whole(count, "count", 0), arguments.seed(seed)
    cells = arguments.instance(spec, Spec, "spec").cells
    require_moderate(cells)
    extra = arguments.whole(extra, "extra", 0, cells)
    if not 0 < spec.mines < cells:
        given = f"{plural(spec.mines, 'mine')} in {plural(cells, 'cell')}"
        raise InputError(f"a puzzle needs at least 1 mine and 1 safe cell, not {given}")
    return (_puzzle(spec, f"{seed}/{number}", wanted, extra) for number in range(count))


def require_moderate(cells: int) -> None:
    """Raise InputError if `cells`, the number of cells of a puzzle, is greater than
    `MOST_CELLS`."""
    arguments.require_at_most(cells, MOST_CELLS, "a puzzle")


def _puzzle(spec: Spec, seed: Seed, wanted: GradeBounds, extra: int) -> Puzzle:
    key = seed_key("puzzles", seed)
    effort = max(20, EFFORT // spec.cells)
    for number in range(effort):
        made = _attempt(spec, Stream(key, number), wanted, extra)
        if made is not None:
            return made
    more = "" if extra else "; more extra clues make easier grades possible"
    raise NotFound(
        f"none of {effort:,} layouts of {spec} makes a puzzle with grade {wanted} and "
        f"{plural(extra, 'extra clue')}{more}"
    )


def _attempt(spec: Spec, stream: Stream, wanted: GradeBounds, extra: int) -> Puzzle | None:
    cells = spec.numbers()
    layout = spec.layout(stream.shuffled(list(cells), spec.mines))
    full = np.where(layout.mines, np.int8(HIDDEN), layout.board().codes)
    proves = _Proves(spec.geometry, wanted.hardest)
    if proves.grade(full) is None:
        return None
    order = stream.shuffled([cell for cell in cells if not layout.mines.flat[cell]])
    thin = proves.thinned(full, order)
    codes, spare = _tightened(thin, full, proves, extra, stream)
    hidden = [cell for cell in order if codes.flat[cell] == HIDDEN]
    if not 0 <= extra - spare <= len(hidden):
        return None
    for cell in stream.shuffled(hidden, extra - spare):
        codes.flat[cell] = full.flat[cell]
    grade = proves.grade(codes)
    if grade is None or not wanted.allows(grade):
        return None
    return Puzzle(Board(codes, geometry=spec.geometry), layout, grade, extra)


@dataclass(frozen=True)
class _Proves:
    """Grades puzzles on one grid and hides clues. In the methods, "the engines" are the engines of
    all grades up to `hardest`."""

    geometry: Geometry
    hardest: Grade

    def grade(self, codes: Codes) -> Grade | None:
        """Return the grade of the puzzle, or None if the engines do not prove every hidden cell.

        The engine of `search`, which is complete, also gets the cells that the other engines
        proved. This saves work and does not change the grade. The other engines get only the
        clues."""
        known = codes.copy()
        for grade in list(Grade)[: self.hardest.rank + 1]:
            told = known if grade is Grade.SEARCH else codes
            safe, mines = proved_by_clues(told, self.geometry, grade)
            known.flat[safe] = CLEAR
            known.flat[mines] = MARKED
            if not (known == HIDDEN).any():
                return grade
        return None

    def thinned(self, codes: Codes, order: list[int]) -> Codes:
        """Return a copy of `codes` without the clues that can be left out. The clues at the cells
        `order` are hidden one by one. A clue is shown again if the engines do not prove every
        hidden cell without the clue."""
        left = codes.copy()
        for cell in order:
            clue = left.flat[cell]
            if clue == HIDDEN:
                continue
            left.flat[cell] = HIDDEN
            if self.grade(left) is None:
                left.flat[cell] = clue
        return left

    def needless(self, codes: Codes) -> list[int]:
        """Return clues that can be hidden together: exactly one layout still fits, and every
        remaining clue is needed. `codes` must come from `thinned`. So if `hardest` is `search`,
        every clue is needed already, and the list is empty."""
        if self.hardest is Grade.SEARCH:
            return []
        clues = np.flatnonzero(codes >= 0).tolist()
        left = _Proves(self.geometry, Grade.SEARCH).thinned(codes, clues)
        return [cell for cell in clues if left.flat[cell] == HIDDEN]


def _tightened(
    codes: Codes, full: Codes, proves: _Proves, most: int, stream: Stream
) -> tuple[Codes, int]:
    """Change the clues until `needless` returns at most `most` clues, or until `CHANGES` changes
    have been tried. Return the new codes and the number of needless clues. `full` are the codes
    with every safe cell open.

    A change picks a needless clue and shows all clues near this clue. Then it hides those clues
    again that can be left out: `thinned` tries the picked clue first, then the clues around in
    random order. A change that leaves more needless clues than before is undone."""
    needless = proves.needless(codes)
    for _ in range(CHANGES):
        if len(needless) <= most:
            break
        cell = needless[stream.below(len(needless))]
        window = _window(cell, full)
        changed = codes.copy()
        changed.flat[window] = full.flat[window]
        changed = proves.thinned(changed, [cell, *stream.shuffled(window)])
        left = proves.needless(changed)
        if len(left) <= len(needless):
            codes, needless = changed, left
    return codes, len(needless)


def _window(cell: int, full: Codes) -> list[int]:
    """Return the safe cells within `REACH` rows and columns of a cell."""
    row, col = divmod(cell, full.shape[1])
    near = np.zeros(full.shape, bool)
    near[max(0, row - REACH) : row + REACH + 1, max(0, col - REACH) : col + REACH + 1] = True
    window: list[int] = np.flatnonzero(near & (full >= 0)).tolist()
    return window
