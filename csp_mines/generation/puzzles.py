"""`puzzles`: make boards of clues with exactly one solution, without a total. Every clue is needed,
except `extra` clues if the caller asks for them.

A puzzle starts from a random layout with every safe cell open. Its clues are hidden again one by
one, in random order. A clue stays if the other shown clues do not prove every hidden cell safe or a
mine. A needed clue stays needed when further clues are hidden, so after one pass every shown clue
is needed. If only easy grades are allowed, the pass uses only the engines up to the hardest of
them. Then needless clues may remain: a stronger engine proves every cell without such a clue.
Needless clues are exchanged for other clues nearby until at most `extra` of them are left. Then
further clues are shown until exactly `extra` clues are needless.
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
REACH = 3  # a change affects this many rows and columns to each side
MOST_CELLS = 2_500


@dataclass(frozen=True)
class Puzzle:
    """A board of clues and hidden cells that exactly one layout fits. The engines up to `grade`
    together prove every cell; without the engine of `grade` they do not. `extra` is the number of
    clues that are not needed.

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
        """Return the document `{"board": rows, "layout": rows, "mines": …, "grade": …, "clues": …,
        "extra": …}`."""
        return {
            "board": self.board.to_text().rstrip("\n").split("\n"),
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
    """Yield `count` puzzles, each with `extra` clues more than needed. The same seed gives the same
    puzzles.

    Parameters:
        spec: the size of the board and the number of mines.
        count: the number of puzzles.
        seed: determines the puzzles.
        difficulty: the grades that are allowed. By default any.
        extra: the number of clues beyond those that are needed.

    Raises InputError for invalid arguments, NotFound if the search gives up.

    >>> [puzzle] = csp_mines.puzzles(csp_mines.Spec(4, 4, 3), seed=1)
    >>> print(puzzle.board)
    ????
    ?1?2
    ????
    0??3
    """
    wanted = GradeBounds(None, Grade.SEARCH)
    if difficulty is not None:
        wanted = arguments.instance(difficulty, GradeBounds, "difficulty")
    if wanted.hardest is Grade.TOTAL:
        if wanted.easiest is Grade.TOTAL:
            raise InputError("a puzzle cannot have grade 'total', since a puzzle gives no total")
        wanted = GradeBounds(wanted.easiest, Grade.SEARCH)
    count, seed = arguments.whole(count, "count", 0), arguments.seed(seed)
    cells = require_moderate(arguments.instance(spec, Spec, "spec").cells)
    extra = arguments.whole(extra, "extra", 0, cells)
    if not 0 < spec.mines < cells:
        given = f"{plural(spec.mines, 'mine')} in {plural(cells, 'cell')}"
        raise InputError(f"a puzzle needs both mines and clues, not {given}")
    return (_puzzle(spec, f"{seed}/{number}", wanted, extra) for number in range(count))


def require_moderate(cells: int) -> int:
    """Return `cells`, the number of cells of a puzzle. Raises InputError if there are too many."""
    if cells > MOST_CELLS:
        raise InputError(f"a puzzle may have at most {MOST_CELLS:,} cells, not {cells:,}")
    return cells


def _puzzle(spec: Spec, seed: Seed, wanted: GradeBounds, extra: int) -> Puzzle:
    key = seed_key("puzzles", seed)
    effort = max(20, EFFORT // spec.cells)
    for number in range(effort):
        made = _attempt(spec, Stream(key, number), wanted, extra)
        if made is not None:
            return made
    more = "" if extra else "; more extra clues make easier grades possible"
    raise NotFound(
        f"none of {effort:,} layouts of {spec} makes a "
        f"puzzle of {wanted} with {plural(extra, 'extra clue')}{more}"
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
    """Grades the puzzles of one grid and hides clues, using the engines up to `hardest`."""

    geometry: Geometry
    hardest: Grade

    def grade(self, codes: Codes) -> Grade | None:
        """Return the grade of a puzzle, or None if the engines do not prove every cell.

        The weaker engines get only the clues. The complete engine also gets the cells that the
        weaker engines proved. This saves work and does not change the result."""
        known = codes.copy()
        for grade in Grade:
            if grade.rank > self.hardest.rank or grade is Grade.TOTAL:
                return None
            told = known if grade is Grade.SEARCH else codes
            safe, mines = proved_by_clues(told, self.geometry, grade)
            known.flat[safe] = CLEAR
            known.flat[mines] = MARKED
            if not (known == HIDDEN).any():
                return grade
        return None

    def thinned(self, codes: Codes, order: list[int]) -> Codes:
        """Hide clues one by one in the given order, except those that the engines need to prove
        every cell. Return the remaining codes."""
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
        """Return clues that can all be hidden together while the layout stays the only solution.
        The list is empty if `hardest` is `search`: then the complete engine has chosen the clues,
        and each is needed."""
        if self.hardest is Grade.SEARCH:
            return []
        clues = np.flatnonzero(codes >= 0).tolist()
        left = _Proves(self.geometry, Grade.SEARCH).thinned(codes, clues)
        return [cell for cell in clues if left.flat[cell] == HIDDEN]


def _tightened(
    codes: Codes, full: Codes, proves: _Proves, most: int, stream: Stream
) -> tuple[Codes, int]:
    """Change the clues until at most `most` of them are needless, or until `CHANGES` changes have
    been tried. Return the codes and the number of needless clues that are left.

    A change shows all clues near a needless clue. Then it goes through these clues, the needless
    one first, and hides each clue that the engines do not need. The change is undone if it leaves
    more needless clues than before."""
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
    rows, cols = full.shape
    row, col = divmod(cell, cols)
    return [
        r * cols + c
        for r in range(max(0, row - REACH), min(rows, row + REACH + 1))
        for c in range(max(0, col - REACH), min(cols, col + REACH + 1))
        if full[r, c] >= 0
    ]
