"""Two layouts that fit a board and differ in as few cells as possible: one with a mine at a cell,
one without. What they differ in is why nothing decides the cell.

Where all clues are exact, the cells that are mines only in the one layout and those that are only
in the other balance in every clue, and in the total. So the difference is grown from the cell: a
clue that is out of balance demands one more cell, and the smallest difference in balance that some
layout goes with is the answer. It is connected by clues that it would be out of balance in, since
any other part of it could be the same in both. Where clues are bounds (`_Pair`), both layouts are
asked for at once, with their difference bounded by 1, 2, 3, …."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from csp_mines.analysis.clue_sets import core_engine
from csp_mines.backend import Deadline
from csp_mines.constraints import Constraint, Problem
from csp_mines.errors import OutOfTime

__all__ = ["closest_pair"]

MOST_CELLS = 300  # in constraints that are bounds; with more, a closest pair takes too long to find
PATIENCE = 3.0  # seconds for such a pair
MOST_STEPS = 200_000  # of growing a difference, for the same reason

Pair = tuple[set[int], set[int]]
Fits = Callable[[Pair], bool]


def closest_pair(
    problem: Problem,
    constraints: Sequence[Constraint],
    cell: int,
    undecided: frozenset[int],
    fits: Fits,
) -> Pair | None:
    """The mines of two layouts, the first with one at `cell`, which is one of the `undecided`; the
    sea's are not spread, and those that are the same in both are left out. `fits` says whether some
    layout has the first set as mines and none in the second. None where it takes too long."""
    if any(clue.low != clue.high for clue in constraints):
        return _closest_by_bounds(problem, constraints, cell)
    search = _Growth(problem, constraints, cell, undecided)
    try:
        found = next(filter(fits, search.differences()))
    except _TooLong:
        return None
    return _completed(problem, constraints, found)


class _TooLong(Exception):
    """More steps than are allowed."""


class _Growth:
    """Grows differences by boxes: cells in the same constraints, which are interchangeable. The
    total is the last constraint, where there is one."""

    def __init__(
        self,
        problem: Problem,
        constraints: Sequence[Constraint],
        cell: int,
        undecided: frozenset[int],
    ) -> None:
        members = [undecided.intersection(clue.cells) for clue in constraints]
        if problem.mines is not None:
            members.append(undecided)
        inside: dict[int, list[int]] = {number: [] for number in undecided}
        for index, cells in enumerate(members):
            for number in cells:
                inside[number].append(index)
        grouped: dict[tuple[int, ...], list[int]] = {tuple(inside[cell]): [cell]}
        for other in sorted(undecided - {cell}):
            grouped.setdefault(tuple(inside[other]), []).append(other)
        self.boxes = list(grouped.values())  # the cell is the first of the first box
        self.constraints_of = list(grouped)
        self.boxes_of: list[list[int]] = [[] for _ in members]
        for box, indexes in enumerate(self.constraints_of):
            for index in indexes:
                self.boxes_of[index].append(box)
        for boxes in self.boxes_of:  # the sea first: it balances a total at once
            boxes.sort(key=lambda box: len(self.constraints_of[box]))
        self.balance = [0] * len(members)
        self.wrong: set[int] = set()  # constraints out of balance
        self.taken = [0] * len(self.boxes)  # cells that are mines here only, or there (negative)
        self.closed: set[tuple[int, int]] = set()
        self.steps = 0

    def differences(self) -> Iterator[Pair]:
        """Differences in balance, smallest first. Raises _TooLong."""
        yield from self._swaps()
        self._take(0, 1)
        for size in range(1, sum(map(len, self.boxes)) + 1):
            yield from self._grown(size - 1)

    def _swaps(self) -> Iterator[Pair]:
        """The cell and another in its box: of two cells, unless the cell alone will do."""
        if not self.constraints_of[0]:
            yield {self.boxes[0][0]}, set()
        if len(self.boxes[0]) > 1:
            yield {self.boxes[0][0]}, {self.boxes[0][1]}

    def _grown(self, left: int) -> Iterator[Pair]:
        """All differences in balance that so many cells more make of this one."""
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise _TooLong
        index = self._out_of_balance(left)
        if index is None:
            if not left and not self.wrong:
                yield self._difference()
            return
        sign = -1 if self.balance[index] > 0 else 1
        tried: list[tuple[int, int]] = []
        for box in self.boxes_of[index]:
            if (box, sign) in self.closed or not self._free(box, sign):
                continue
            self._take(box, sign)
            yield from self._grown(left - 1)
            self._take(box, -sign)
            tried.append((box, sign))  # from here on, this box takes no more of these
            self.closed.add((box, sign))
        self.closed.difference_update(tried)

    def _out_of_balance(self, left: int) -> int | None:
        """The constraint to mend next, the one with the fewest boxes; None where all are in
        balance, or one cannot be brought there any more."""
        if any(abs(self.balance[index]) > left for index in self.wrong):
            return None
        return min(self.wrong, key=lambda index: (len(self.boxes_of[index]), index), default=None)

    def _free(self, box: int, sign: int) -> bool:
        """A box has cells of one kind only: two of both kinds could be left as they are."""
        taken = self.taken[box]
        return taken * sign >= 0 and abs(taken) < len(self.boxes[box])

    def _take(self, box: int, sign: int) -> None:
        self.taken[box] += sign
        for index in self.constraints_of[box]:
            self.balance[index] += sign
            (self.wrong.add if self.balance[index] else self.wrong.discard)(index)

    def _difference(self) -> Pair:
        here: set[int] = set()
        there: set[int] = set()
        for box, taken in zip(self.boxes, self.taken, strict=True):
            (here if taken > 0 else there).update(box[: abs(taken)])
        return here, there


def _completed(problem: Problem, constraints: Sequence[Constraint], found: Pair) -> Pair:
    """Two layouts of the frontier that differ so."""
    here, there = found
    known = sorted({*here, *there, *(touched for each in constraints for touched in each.cells)})
    told = [*constraints]
    told += [Constraint((mine,), 1, 1) for mine in sorted(here)]
    told += [Constraint((safe,), 0, 0) for safe in sorted(there)]
    first = _mines(told)
    if problem.mines is not None:
        rest = len(set(problem.sea) - set(known))
        low, high = max(problem.mines - rest, 0), min(problem.mines, len(known))
        if not low <= len(first) <= high:  # seldom, and it costs much to tell an engine
            first = _mines([*told, Constraint(tuple(known), low, high)])
    return first, first - here | there


def _mines(constraints: Sequence[Constraint]) -> set[int]:
    """The mines of a layout that there is."""
    model = core_engine().model(constraints)
    assert model is not None
    return {cell for cell, mine in model.items() if mine}


def _closest_by_bounds(
    problem: Problem, constraints: Sequence[Constraint], cell: int
) -> Pair | None:
    """For every cell two variables, their opposites, and one that must be true where they differ.
    Of the sea, as many cells may differ as are allowed to in all; the others are the same in both
    and take what is left of the total."""
    known = sorted({cell, *(touched for each in constraints for touched in each.cells)})
    if len(known) > MOST_CELLS:
        return None
    sea = [other for other in problem.sea if other != cell and other not in set(known)]
    deadline = Deadline(PATIENCE)
    with suppress(OutOfTime):
        for most in range(1, len(known) + len(sea) + 1):
            told = _Pair((*known, *sea[:most]), len(sea[most:]))
            found = told.solve(problem, constraints, cell, most, deadline)
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
        self,
        problem: Problem,
        constraints: Sequence[Constraint],
        cell: int,
        most: int,
        deadline: Deadline,
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
        model = core_engine().model(told, deadline)
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
