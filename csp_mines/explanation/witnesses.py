"""Two layouts that fit a board, one with a mine at a cell and one without. They differ in as few
cells as possible. Their difference shows why the cell is open.

If all clues are exact, the difference is balanced: in every clue, and in the total, it has as many
cells that are mines only in one layout as only in the other. The search grows the difference from
the cell. An unbalanced clue demands one more cell. The smallest balanced difference that some
layout allows is the answer. It is connected through clues, since any separate part of it could be
the same in both layouts. If clues are bounds (`_Pair`), a solver searches both layouts at once, and
their difference is bounded by 1, 2, 3, …."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from csp_mines.analysis.clue_sets import core_engine
from csp_mines.backend import Deadline
from csp_mines.constraints import Constraint, Problem, boxes_of, places
from csp_mines.errors import OutOfTime

__all__ = ["closest_pair"]

MOST_CELLS = 300  # in constraints that are bounds; with more cells, the search takes too long
PATIENCE = 3.0  # time limit in seconds for such a search
MOST_STEPS = 200_000  # the most steps of growing a difference, for the same reason

Pair = tuple[set[int], set[int]]
Fits = Callable[[Pair], bool]


def closest_pair(
    problem: Problem,
    constraints: Sequence[Constraint],
    cell: int,
    undecided: frozenset[int],
    fits: Fits,
) -> Pair | None:
    """Return the mines of two layouts, the first with a mine at `cell`, or None if the search takes
    too long.

    `cell` is one of the `undecided` cells. Mines of the sea that both layouts share are left out.
    `fits` says whether some layout has mines in the whole first set and none in the second."""
    if any(clue.low != clue.high for clue in constraints):
        return _closest_by_bounds(problem, constraints, cell)
    search = _Growth(problem, constraints, cell, undecided)
    try:
        difference = next(filter(fits, search.differences()))
    except _TooLong:
        return None
    return _completed(problem, constraints, difference)


class _TooLong(Exception):
    """The search took more steps than allowed."""


class _Growth:
    """Grows differences by boxes: interchangeable cells, which are in the same constraints. The
    total, if there is one, is the last constraint."""

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
        inside = places(members)
        cells = [cell, *sorted(undecided - {cell})]
        grouped = boxes_of({number: inside.get(number, ()) for number in cells})
        self.boxes = list(grouped.values())  # `cell` is the first cell of the first box
        self.constraints_of = list(grouped)
        inside = places(self.constraints_of)
        self.boxes_of = [inside.get(index, []) for index in range(len(members))]
        for boxes in self.boxes_of:  # the sea comes first, since it balances the total at once
            boxes.sort(key=lambda box: len(self.constraints_of[box]))
        self.balance = [0] * len(members)
        self.wrong: set[int] = set()  # constraints out of balance
        # Positive: the cells that are mines only in the first layout; negative: in the second.
        self.taken = [0] * len(self.boxes)
        self.closed: set[tuple[int, int]] = set()
        self.steps = 0

    def differences(self) -> Iterator[Pair]:
        """Yield balanced differences, smallest first. Raises _TooLong."""
        yield from self._swaps()
        self._take(0, 1)
        for size in range(1, sum(map(len, self.boxes)) + 1):
            yield from self._grown(size - 1)

    def _swaps(self) -> Iterator[Pair]:
        """Yield the cell together with another one of its box, unless the cell alone is
        balanced."""
        if not self.constraints_of[0]:
            yield {self.boxes[0][0]}, set()
        if len(self.boxes[0]) > 1:
            yield {self.boxes[0][0]}, {self.boxes[0][1]}

    def _grown(self, left: int) -> Iterator[Pair]:
        """Yield all balanced differences that `left` more cells make of this one."""
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
            tried.append((box, sign))  # later branches take no more of these from this box
            self.closed.add((box, sign))
        self.closed.difference_update(tried)

    def _out_of_balance(self, left: int) -> int | None:
        """Return the unbalanced constraint with the fewest boxes. Return None if all are balanced,
        or if one cannot be balanced any more."""
        if any(abs(self.balance[index]) > left for index in self.wrong):
            return None
        return min(self.wrong, key=lambda index: (len(self.boxes_of[index]), index), default=None)

    def _free(self, box: int, sign: int) -> bool:
        """Whether the box can take another cell of this sign. A box never has cells of both signs,
        since such a pair could be dropped."""
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


def _completed(problem: Problem, constraints: Sequence[Constraint], difference: Pair) -> Pair:
    """Return two layouts of the frontier with this difference."""
    here, there = difference
    known = sorted({*here, *there, *(touched for each in constraints for touched in each.cells)})
    told = [*constraints]
    told += [Constraint((mine,), 1, 1) for mine in sorted(here)]
    told += [Constraint((safe,), 0, 0) for safe in sorted(there)]
    first = _mines(told)
    if problem.mines is not None:
        rest = len(set(problem.sea) - set(known))
        low, high = max(problem.mines - rest, 0), min(problem.mines, len(known))
        if not low <= len(first) <= high:  # rare, and expensive to state as a constraint
            first = _mines([*told, Constraint(tuple(known), low, high)])
    return first, first - here | there


def _mines(constraints: Sequence[Constraint]) -> set[int]:
    """Return the mines of some layout that satisfies the constraints; one must exist."""
    model = core_engine().model(constraints)
    assert model is not None
    return {cell for cell, mine in model.items() if mine}


def _closest_by_bounds(
    problem: Problem, constraints: Sequence[Constraint], cell: int
) -> Pair | None:
    """Search a closest pair for clues that are bounds.

    Every cell has two variables, their opposites, and one that must be true if they differ. As many
    sea cells may differ as the bound allows. The other sea cells are the same in both layouts and
    take the rest of the total."""
    known = sorted({cell, *(touched for each in constraints for touched in each.cells)})
    if len(known) > MOST_CELLS:
        return None
    sea = [other for other in problem.sea if other != cell and other not in set(known)]
    deadline = Deadline(PATIENCE)
    with suppress(OutOfTime):
        for most in range(1, len(known) + len(sea) + 1):
            told = _Pair((*known, *sea[:most]), len(sea[most:]))
            pair = told.solve(problem, constraints, cell, most, deadline)
            if pair is not None:
                return pair
    return None


@dataclass(frozen=True)
class _Pair:
    """The cells that may differ, and the number of sea cells that may not."""

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
        """For every cell, return constraints for the opposites of both variables and for the
        variable that is true if they differ."""
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
        """Require the same number of mines in both layouts, with the rest of the sea as it can hold
        them."""
        if problem.mines is None:
            return []
        firsts = tuple(map(self.first, self.cells))
        opposites = tuple(5 * cell + 3 for cell in self.cells)
        size = len(self.cells)
        low, high = max(problem.mines - self.rest, 0), min(problem.mines, size)
        same = Constraint(tuple(sorted(firsts + opposites)), size, size)
        return [same, Constraint(firsts, low, high)]
