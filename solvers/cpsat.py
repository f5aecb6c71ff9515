"""Deduction and counting by OR-Tools' CP-SAT.

A box is one integer variable, a clue bounds a sum of boxes, the total is one more sum, with the
sea as one more box. What is certain is the backbone: solutions are asked for in which something
varies that none before has varied, with hints to vary as much as possible, until there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

from csp_mines.backend import Backend, Deduction, RegionCount
from csp_mines.constraints import Problem, Region
from csp_mines.errors import Contradiction
from solvers.branching import Domains, Values, count_by_branching, narrow_by_bounds

__all__ = ["CpSat"]

PATIENCE = 256  # nodes at most between two questions to a solver that refutes nothing


class CpSat(Backend):
    """Complete. One worker, so that the same problem always takes the same steps."""

    name = "cpsat"
    summary = "backbone by OR-Tools CP-SAT, boxes as integers"
    complete = True
    ranges = True
    counts = True

    @classmethod
    def missing(cls) -> str | None:
        return None if find_spec("ortools") else "pip install ortools"

    @classmethod
    def version(cls) -> str:
        return "" if cls.missing() else f"ortools {version('ortools')}"

    def deduce(self, problem: Problem) -> Deduction:
        problem.check()
        boxes = list(problem.boxes)
        model = _Model(problem.regions)
        if problem.mines is not None and problem.total_bites:
            if problem.sea:
                boxes.append(problem.sea)
                model.add_box(len(problem.sea))
            model.add_sum(range(len(boxes)), problem.mines, problem.mines)
        return _backbone(model, boxes)

    def count(self, region: Region) -> RegionCount:
        return count_by_branching(region, _Reasoner(region), self.max_states)


class _Model:
    """A CP-SAT model over boxes, and the solver for it."""

    def __init__(self, regions: Sequence[Region]) -> None:
        from ortools.sat.python import cp_model

        self.model: Any = cp_model.CpModel()
        self.boxes: list[Any] = []
        self.calls = 0
        self.solver = cp_model.CpSolver()
        self.solver.parameters.num_workers = 1
        # A backbone asks many small questions: measured, presolve costs more than it gives.
        self.solver.parameters.cp_model_presolve = False
        self.solver.parameters.symmetry_level = 0
        self.feasible = (cp_model.OPTIMAL, cp_model.FEASIBLE)
        for region in regions:
            first = len(self.boxes)
            for box in region.boxes:
                self.add_box(len(box))
            for one in region.constraints:
                self.add_sum([first + box for box in one.boxes], one.low, one.high)

    def add_box(self, size: int) -> None:
        self.boxes.append(self.model.new_int_var(0, size, ""))

    def add_sum(self, boxes: Sequence[int], low: int, high: int) -> None:
        self.model.add_linear_constraint(sum(self.boxes[box] for box in boxes), low, high)

    def solve(self) -> list[int] | None:
        """The mines of every box in some solution, or None."""
        self.calls += 1
        if self.solver.solve(self.model) not in self.feasible:
            return None
        return [self.solver.value(box) for box in self.boxes]


def _backbone(model: _Model, boxes: Sequence[tuple[int, ...]]) -> Deduction:
    """The boxes that are empty, or full, in every solution. Raises Contradiction."""
    values = model.solve()
    if values is None:
        raise Contradiction("the clues allow no layout")
    fixed = dict(enumerate(values))  # boxes with the same extreme value in all solutions so far
    flips: dict[int, Any] = {}
    while values is not None:
        fixed = {
            box: values[box]
            for box in fixed
            if values[box] == fixed[box] and values[box] in (0, len(boxes[box]))
        }
        if not fixed:
            break
        _ask_for_another(model, fixed, flips)
        values = model.solve()
    return Deduction(
        frozenset(cell for box, value in fixed.items() if not value for cell in boxes[box]),
        frozenset(cell for box, value in fixed.items() if value for cell in boxes[box]),
        model.calls,
    )


def _ask_for_another(model: _Model, fixed: dict[int, int], flips: dict[int, Any]) -> None:
    """Some box of `fixed` must leave its value, and the more the better. (To ask for the most is
    no good: proving it takes far longer.) The demand stays in the model: the next asks for more."""
    for box, value in fixed.items():
        if box not in flips:
            flips[box] = model.model.new_bool_var("")
            model.model.add(model.boxes[box] != value).only_enforce_if(flips[box])
    model.model.add_bool_or([flips[box] for box in fixed])
    model.model.clear_hints()
    for box in fixed:
        model.model.add_hint(flips[box], True)


class _Reasoner:
    """Propagates bounds, and asks CP-SAT whether there is a solution: a question costs as much as
    propagating many nodes, so it is asked more seldom the longer the answer has been yes."""

    def __init__(self, region: Region) -> None:
        self.region = region
        self.model = _Model([region])
        self.pause = self.wait = 0

    def narrow(self, values: Values) -> Domains | None:
        domains = narrow_by_bounds(self.region, values)
        if domains is None or not self._due():
            return domains
        for variable, (low, high) in zip(self.model.model.proto.variables, domains, strict=True):
            variable.domain[0], variable.domain[1] = low, high
        if self.model.solve() is None:
            self.pause = 0
            return None
        self.pause = min(2 * self.pause + 1, PATIENCE)
        return domains

    def _due(self) -> bool:
        if self.wait:
            self.wait -= 1
            return False
        self.wait = self.pause
        return True
