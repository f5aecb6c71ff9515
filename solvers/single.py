"""The engine `single`: each clue alone. If a clue needs as many mines as it has hidden cells, all
these cells are mines. If the clue needs no mine, all these cells are safe."""

from __future__ import annotations

from collections import deque

from csp_mines.backend import Backend, Deduction
from csp_mines.constraints import Constraint, Problem, places
from csp_mines.errors import Contradiction


class Single(Backend):
    """An engine that is not complete. A constraint proves its cells if all of them must be mines,
    or none can be a mine. Proved cells are removed from the other constraints, which may then prove
    more cells. The total is one more constraint. The time is linear in the sum of the sizes of all
    constraints."""

    name = "single"
    summary = "each clue alone, to a fixpoint"
    ranges = True
    keeps_time = True

    def deduce(self, problem: Problem) -> Deduction:
        problem.check()
        constraints = list(problem.constraints)
        if problem.mines is not None:
            constraints.append(Constraint(problem.cells, problem.mines, problem.mines))
        return _fixpoint(constraints)


def _fixpoint(constraints: list[Constraint]) -> Deduction:
    members = places(constraint.cells for constraint in constraints)
    low = [constraint.low for constraint in constraints]
    high = [constraint.high for constraint in constraints]
    unknown = [len(constraint.cells) for constraint in constraints]
    known: dict[int, bool] = {}
    queue = deque(range(len(constraints)))
    while queue:
        index = queue.popleft()
        if low[index] > unknown[index] or high[index] < 0:
            raise Contradiction("a clue or the total contradicts what the other constraints prove")
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
    return Deduction.of(known)
