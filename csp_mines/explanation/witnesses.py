"""The search for witnesses: two layouts that fit a board, one with a mine at a cell and one
without. They differ in as few cells as possible, so that their difference shows why the cell is
undecided.

If all constraints are exact, the difference is *balanced*: around every clue, and on the whole
board if the total is known, both layouts have the same number of mines. The search starts with the
cell as the only difference. If the layouts have different numbers of mines around some clue, the
search adds a cell around that clue to the difference. If the numbers differ only on the whole
board, the search adds any undecided cell. This goes on until the difference is balanced. The search
tries all ways to add cells, and tries small differences before large ones. The answer is the first
balanced difference that two layouts of the board can have.

If some constraint is not exact, as with noisy clues, a solver searches for both layouts at once.
The layouts may first differ in at most 1 cell, then in at most 2 cells, and so on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from csp_mines.analysis.clue_sets import core_engine
from csp_mines.backend import Deadline
from csp_mines.constraints import Constraint, Problem, boxes_of, places
from csp_mines.errors import OutOfTime

# If some constraint is not exact and the frontier has more cells, there is no search.
MOST_CELLS = 300
PATIENCE = 3.0  # the time limit of the search, in seconds, if some constraint is not exact
MOST_STEPS = 200_000  # the most steps of the search if all constraints are exact

Pair = tuple[set[int], set[int]]  # one set of cells for the first layout, one for the second
Fits = Callable[[Pair], bool]


def closest_pair(
    problem: Problem,
    constraints: Sequence[Constraint],
    cell: int,
    undecided: frozenset[int],
    fits: Fits,
) -> Pair | None:
    """Return the mines of two layouts that differ in as few cells as possible. The first layout has
    a mine at `cell`, the second does not. Return None if the search takes too long, or if some
    constraint is not exact and the frontier, with `cell`, has more than MOST_CELLS cells.

    `constraints` has the constraint of each clue. `cell` is one of the `undecided` cells. The
    returned sets may lack mines of the sea that both layouts share. `fits((some, others))` says
    whether a layout that fits the board can have mines in all cells of `some` and in no cell of
    `others`."""
    if any(clue.low != clue.high for clue in constraints):
        return _closest_by_bounds(problem, constraints, cell)
    search = _Growth(problem, constraints, cell, undecided)
    try:
        difference = next(filter(fits, search.differences()))
    except _TooLong:
        return None
    return _completed(problem, constraints, difference)


class _TooLong(Exception):
    """The search took more than MOST_STEPS steps."""


class _Growth:
    """Searches for balanced differences. The search chooses boxes instead of cells, because the
    cells of a box are interchangeable. The total, if it is known, is one more constraint, over all
    undecided cells."""

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
        for boxes in self.boxes_of:  # boxes in few constraints first
            boxes.sort(key=lambda box: len(self.constraints_of[box]))
        self.balance = [0] * len(members)
        self.wrong: set[int] = set()  # the constraints that are out of balance
        # For each box, the number of cells that are mines only in the first layout. If the cells
        # are mines only in the second layout, the number is negative.
        self.taken = [0] * len(self.boxes)
        # Choices (box, sign) of earlier branches, which `_grown` need not try again.
        self.closed: set[tuple[int, int]] = set()
        self.steps = 0

    def differences(self) -> Iterator[Pair]:
        """Yield balanced differences, the smallest first. Raises _TooLong after MOST_STEPS
        steps."""
        yield from self._swaps()
        self._take(0, 1)
        for size in range(1, sum(map(len, self.boxes)) + 1):
            yield from self._grown(size - 1)

    def _swaps(self) -> Iterator[Pair]:
        """Yield up to two simple differences. If the cell is in no constraint, yield the cell
        alone. If the box of the cell has more cells, yield a swap: the first layout has a mine at
        the cell, and the second layout has this mine at another cell of the box."""
        if not self.constraints_of[0]:
            yield {self.boxes[0][0]}, set()
        if len(self.boxes[0]) > 1:
            yield {self.boxes[0][0]}, {self.boxes[0][1]}

    def _grown(self, left: int) -> Iterator[Pair]:
        """Yield balanced differences that extend the current difference by exactly `left` cells.
        Each added cell is in a constraint that is out of balance, and makes the imbalance of this
        constraint smaller. Raises _TooLong after MOST_STEPS steps."""
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
            tried.append((box, sign))
            self.closed.add((box, sign))
        self.closed.difference_update(tried)

    def _out_of_balance(self, left: int) -> int | None:
        """Return the index of the constraint with the fewest boxes among those out of balance.
        Return None if all constraints are in balance, or if `left` more cells are too few to
        balance one of the constraints."""
        if any(abs(self.balance[index]) > left for index in self.wrong):
            return None
        return min(self.wrong, key=lambda index: (len(self.boxes_of[index]), index), default=None)

    def _free(self, box: int, sign: int) -> bool:
        """Return whether `_take` can take one more cell of the box with this sign. A box never has
        cells of both signs, except in a swap of `_swaps`. Without one cell of each sign, such a
        difference would be smaller and still balanced."""
        taken = self.taken[box]
        return taken * sign >= 0 and abs(taken) < len(self.boxes[box])

    def _take(self, box: int, sign: int) -> None:
        """Let one more cell of a box be a mine only in the first layout (`sign` 1), or only in the
        second layout (-1). The opposite sign takes this back."""
        self.taken[box] += sign
        for index in self.constraints_of[box]:
            self.balance[index] += sign
            (self.wrong.add if self.balance[index] else self.wrong.discard)(index)

    def _difference(self) -> Pair:
        """Return the cells that are mines only in the first layout, and the cells that are mines
        only in the second layout."""
        here: set[int] = set()
        there: set[int] = set()
        for box, taken in zip(self.boxes, self.taken, strict=True):
            (here if taken > 0 else there).update(box[: abs(taken)])
        return here, there


def _completed(problem: Problem, constraints: Sequence[Constraint], difference: Pair) -> Pair:
    """Return the mines of two layouts that differ exactly in the cells of `difference`. Mines of
    the sea that both layouts share are left out."""
    here, there = difference
    known = sorted({*here, *there, *(touched for each in constraints for touched in each.cells)})
    told = [*constraints]
    told += [Constraint((mine,), 1, 1) for mine in sorted(here)]
    told += [Constraint((safe,), 0, 0) for safe in sorted(there)]
    first = mines_of(told)
    if problem.mines is not None:
        low, high = problem.mines_within(known)
        # The first search ignored the total, but its layout rarely has too few or too many mines.
        # The second search adds bounds on the number of mines, and is slower.
        if not low <= len(first) <= high:
            first = mines_of([*told, Constraint(tuple(known), low, high)])
    return first, first - here | there


def mines_of(constraints: Sequence[Constraint]) -> set[int]:
    """Return the mines of some layout that fits the constraints. Such a layout must exist."""
    model = core_engine().model(constraints)
    assert model is not None
    return {cell for cell, mine in model.items() if mine}


def _closest_by_bounds(
    problem: Problem, constraints: Sequence[Constraint], cell: int
) -> Pair | None:
    """Return what `closest_pair` returns if some constraint is not exact. Return None if the
    frontier, with `cell`, has more than MOST_CELLS cells, or if the search takes longer than
    PATIENCE seconds.

    The search lets the layouts differ in at most 1 cell, then in at most 2 cells, and so on. If the
    limit is n cells, only n cells of the sea get variables, because no more cells of the sea can
    differ. The rest of the sea is the same in both layouts. If the total needs more mines, they are
    in the rest of the sea, and the returned sets lack these mines."""
    known = sorted({cell, *(touched for each in constraints for touched in each.cells)})
    if len(known) > MOST_CELLS:
        return None
    sea = [other for other in problem.sea if other != cell and other not in set(known)]
    deadline = Deadline(PATIENCE)
    with suppress(OutOfTime):
        for most in range(1, len(known) + len(sea) + 1):
            cells = (*known, *sea[:most])
            told = _pair_constraints(problem, constraints, cell, cells, most)
            model = core_engine().model(told, deadline)
            if model is not None:
                first, second = (
                    {place for place in cells if model[5 * place + layout]} for layout in (0, 1)
                )
                return first, second
    return None


def _pair_constraints(
    problem: Problem, constraints: Sequence[Constraint], cell: int, cells: Sequence[int], most: int
) -> list[Constraint]:
    """Return constraints on two layouts: the first has a mine at `cell`, and the second does not.
    The layouts differ only in `cells`, and in at most `most` cells, `cell` included.

    Cell `c` has the variables `5c` to `5c + 4`. The first two say whether `c` is a mine in the
    first and in the second layout. The next two are the opposites of the first two. The last
    variable must be true if the layouts differ at `c`."""

    def variables(kind: int, some: Sequence[int]) -> tuple[int, ...]:
        return tuple([5 * each + kind for each in some])

    told = [
        Constraint(variables(layout, each.cells), each.low, each.high)
        for each in constraints
        for layout in (0, 1)
    ]
    told += [Constraint((5 * cell,), 1, 1), Constraint((5 * cell + 1,), 0, 0)]
    told.append(Constraint(variables(4, cells), 0, most))
    for other in cells:
        first, second, not_first, not_second, differs = range(5 * other, 5 * other + 5)
        told += [
            Constraint((first, not_first), 1, 1),
            Constraint((second, not_second), 1, 1),
            Constraint((second, not_first, differs), 1, 3),
            Constraint((first, not_second, differs), 1, 3),
        ]
    if problem.mines is not None:
        # Both layouts have the same number of mines in `cells`. The other mines must fit into the
        # rest of the sea.
        same = tuple(sorted(variables(0, cells) + variables(3, cells)))
        told.append(Constraint(same, len(cells), len(cells)))
        told.append(Constraint(variables(0, cells), *problem.mines_within(cells)))
    return told
