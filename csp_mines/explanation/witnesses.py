"""Two layouts that fit a board and differ in as few cells as possible: one with a mine at a cell,
one without. What they differ in is why nothing decides the cell.

Both are asked for at once: for every cell two variables, their opposites, and one that must be true
where they differ; the number of those is bounded by 1, 2, 3, … until a pair fits. Of the sea, as
many cells may differ as are allowed to in all; the others are the same in both and take what is
left of the total."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from csp_mines.analysis.clue_sets import core_engine
from csp_mines.constraints import Constraint, Problem

__all__ = ["MOST_CELLS", "closest_pair"]

MOST_CELLS = 300  # in constraints; with more, a closest pair takes too long to find

Pair = tuple[set[int], set[int]]


def closest_pair(problem: Problem, constraints: Sequence[Constraint], cell: int) -> Pair | None:
    """The mines of two layouts, the first with one at `cell`; the sea's are not spread, and those
    that are the same in both are left out. None where the frontier is too large. The cell must be
    undecided."""
    known = sorted({cell, *(touched for each in constraints for touched in each.cells)})
    if len(known) > MOST_CELLS:
        return None
    sea = [other for other in problem.sea if other != cell and other not in set(known)]
    for most in range(1, len(known) + len(sea) + 1):
        told = _Pair((*known, *sea[:most]), len(sea[most:]))
        found = told.solve(problem, constraints, cell, most)
        if found is not None:
            return found
    return None


@dataclass(frozen=True)
class _Pair:
    """The cells that may differ, and how many of the sea may not."""

    cells: tuple[int, ...]
    rest: int

    def first(self, cell: int) -> int:
        return 5 * cell

    def second(self, cell: int) -> int:
        return 5 * cell + 1

    def solve(
        self, problem: Problem, constraints: Sequence[Constraint], cell: int, most: int
    ) -> Pair | None:
        both = (
            Constraint(tuple(map(name, constraint.cells)), constraint.low, constraint.high)
            for constraint in constraints
            for name in (self.first, self.second)
        )
        told = [
            *both,
            Constraint((self.first(cell),), 1, 1),
            Constraint((self.second(cell),), 0, 0),
            Constraint(tuple(5 * place + 4 for place in self.cells), 0, most),
            *self._differences(),
            *self._totals(problem),
        ]
        model = core_engine().model(told)
        if model is None:
            return None
        with_mine = {place for place in self.cells if model[self.first(place)]}
        without = {place for place in self.cells if model[self.second(place)]}
        return with_mine, without

    def _differences(self) -> list[Constraint]:
        """For every cell: the opposites of both variables, and what is true where they differ."""
        told = []
        for cell in self.cells:
            first, second, not_first, not_second, differs = range(5 * cell, 5 * cell + 5)
            told += [
                Constraint((first, not_first), 1, 1),
                Constraint((second, not_second), 1, 1),
                Constraint((second, not_first, differs), 1, 3),
                Constraint((first, not_second, differs), 1, 3),
            ]
        return told

    def _totals(self, problem: Problem) -> list[Constraint]:
        """As many mines in both layouts, and for the rest of the sea what it can hold."""
        if problem.mines is None:
            return []
        firsts = tuple(map(self.first, self.cells))
        opposites = tuple(5 * cell + 3 for cell in self.cells)
        size = len(self.cells)
        low, high = max(problem.mines - self.rest, 0), min(problem.mines, size)
        same = Constraint(tuple(sorted(firsts + opposites)), size, size)
        return [same, Constraint(firsts, low, high)]
