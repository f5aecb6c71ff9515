"""Each clue alone: as many mines as cells, or none. The baseline of every Minesweeper program."""

from __future__ import annotations

from collections import deque

from csp_mines.backend import Backend, Deduction
from csp_mines.constraints import Constraint, Problem
from csp_mines.errors import Contradiction

__all__ = ["Single"]


class Single(Backend):
    """To a fixpoint: a constraint whose cells must all be mines, or none, fixes them, and what it
    fixes is taken out of the others. The total is one more constraint. Time linear in the
    constraints' cells."""

    name = "single"
    summary = "each clue alone, to a fixpoint"
    complete = False
    ranges = True
    counts = False
    keeps_time = True

    def deduce(self, problem: Problem) -> Deduction:
        problem.check()
        constraints = list(problem.constraints)
        if problem.mines is not None:
            cells = (*problem.frontier, *problem.sea)
            constraints.append(Constraint(cells, problem.mines, problem.mines))
        return _fixpoint(constraints)


def _fixpoint(constraints: list[Constraint]) -> Deduction:
    members: dict[int, list[int]] = {}
    for index, constraint in enumerate(constraints):
        for cell in constraint.cells:
            members.setdefault(cell, []).append(index)
    low = [constraint.low for constraint in constraints]
    high = [constraint.high for constraint in constraints]
    unknown = [len(constraint.cells) for constraint in constraints]
    known: dict[int, bool] = {}
    queue = deque(range(len(constraints)))
    while queue:
        index = queue.popleft()
        if low[index] > unknown[index] or high[index] < 0:
            raise Contradiction("a clue contradicts what the others prove")
        if not unknown[index] or (high[index] > 0 and low[index] < unknown[index]):
            continue
        value = high[index] > 0
        for cell in constraints[index].cells:
            if cell in known:
                continue
            known[cell] = value
            for other in members[cell]:
                unknown[other] -= 1
                low[other] -= value
                high[other] -= value
                queue.append(other)
    safe = frozenset(cell for cell, mine in known.items() if not mine)
    return Deduction(safe, frozenset(known) - safe)
