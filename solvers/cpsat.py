"""Deduction and counting by OR-Tools' CP-SAT.

A box is one integer variable, a clue bounds a sum of boxes, the total is one more sum, with the
sea as one more box. What is certain is the backbone: solutions are asked for in which something
varies that none before has varied, with hints to vary as much as possible, until there is none.
Only FEASIBLE and INFEASIBLE are answers: a search that was stopped has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from importlib.util import find_spec
from math import inf
from threading import Event, Thread
from typing import Any

from csp_mines.backend import Backend, Deadline, Deduction, RegionCount
from csp_mines.constraints import Problem, Region
from csp_mines.errors import Contradiction, EngineFault, OutOfTime

from .branching import Domains, Part, count_by_branching, narrow_by_bounds

__all__ = ["CpSat"]

PATIENCE = 256  # nodes at most between two questions to a solver that refutes nothing
ATTENTION = 0.25  # seconds that a search may take before Ctrl-C has to be listened for


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
        model = _Model(self.deduction_deadline())
        for region in problem.regions:
            model.add_region(region)
        if problem.mines is not None and problem.total_bites:
            if problem.sea:
                boxes.append(problem.sea)
                model.add_box(len(problem.sea))
            model.add_sum(range(len(boxes)), problem.mines, problem.mines)
        return _backbone(model, boxes)

    def count(self, region: Region) -> RegionCount:
        deadline = self.counting_deadline()
        reasoner = _Reasoner(region, deadline)
        return count_by_branching(region, reasoner, self.python_states, deadline)


class _Model:
    """A CP-SAT model over boxes, and the solver for it."""

    def __init__(self, deadline: Deadline) -> None:
        from ortools.sat.python import cp_model

        self.model: Any = cp_model.CpModel()
        self.boxes: list[Any] = []
        self.switches: list[Any] = []
        self.sums: list[tuple[Sequence[int], int, int]] = []
        self.calls = self.conflicts = 0
        self.deadline = deadline
        self.solver = _solver()
        self.feasible = (cp_model.OPTIMAL, cp_model.FEASIBLE)
        self.infeasible, self.stopped = cp_model.INFEASIBLE, cp_model.UNKNOWN

    def add_region(self, region: Region, *, switched: bool = False) -> None:
        """With `switched`, every constraint holds only while its switch is 1; all begin with 0."""
        first = len(self.boxes)
        for box in region.boxes:
            self.add_box(len(box))
        for constraint in region.constraints:
            added = self.add_sum(
                [first + box for box in constraint.boxes], constraint.low, constraint.high
            )
            if switched:
                self.switches.append(self.model.new_bool_var(""))
                self.bound(self.switches[-1], 0, 0)
                added.only_enforce_if(self.switches[-1])

    def add_box(self, size: int) -> None:
        self.boxes.append(self.model.new_int_var(0, size, ""))

    def add_sum(self, boxes: Sequence[int], low: int, high: int) -> Any:
        self.sums.append((boxes, low, high))
        return self.model.add_linear_constraint(sum([self.boxes[box] for box in boxes]), low, high)

    def bound(self, variable: Any, low: int, high: int) -> None:
        """Gives a variable other bounds than it was made with."""
        domain = self.model.proto.variables[variable.index].domain
        domain[0], domain[1] = low, high

    def solve(self, asked: Sequence[int] | None = None) -> list[int] | None:
        """The mines of every box in some solution, or None when there is none; the sums `asked`
        are on, by default all. Raises OutOfTime, EngineFault when CP-SAT gives no answer or a
        wrong one."""
        self.calls += 1
        self.deadline.check()
        status = self._search()
        self.conflicts += self.solver.num_conflicts
        if status == self.infeasible:
            return None
        if status == self.stopped and self.deadline.seconds < inf:
            raise OutOfTime(self.deadline.seconds)  # CP-SAT's clock may be a little ahead of ours
        if status not in self.feasible:
            raise EngineFault(f"CP-SAT ended without an answer: {self.solver.status_name(status)}")
        values = [self.solver.value(box) for box in self.boxes]
        sums = self.sums if asked is None else [self.sums[index] for index in asked]
        for boxes, low, high in sums:
            if not low <= sum([values[box] for box in boxes]) <= high:
                raise EngineFault("CP-SAT gave a solution that breaks a constraint")
        return values

    def _search(self) -> Any:
        """The status. CP-SAT does not come back for Ctrl-C to be heard, and while it listens itself
        it takes the signal from everybody else: what takes long runs in a thread and is stopped."""
        self.solver.parameters.max_time_in_seconds = min(ATTENTION, self.deadline.left)
        status = self.solver.solve(self.model)
        if status != self.stopped or self.deadline.left <= 0:
            return status
        self.solver.parameters.max_time_in_seconds = max(self.deadline.left, 0.0)
        found: list[Any] = []
        given_up = Event()

        def search() -> None:
            if not given_up.is_set():
                found.append(self.solver.solve(self.model))

        thread = Thread(target=search, daemon=True)
        try:
            thread.start()  # Ctrl-C may come in here, too, with the search about to begin
            while thread.is_alive():
                thread.join(ATTENTION)
        finally:
            given_up.set()
            while thread.is_alive():
                self.solver.stop_search()  # without effect before the search has begun
                thread.join(ATTENTION)
        return found[0]


def _solver() -> Any:
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    # A backbone asks many small questions: measured, presolve costs more than it gives.
    solver.parameters.cp_model_presolve = False
    solver.parameters.symmetry_level = 0
    solver.parameters.catch_sigint_signal = False
    return solver


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
        model.conflicts,
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
    propagating many nodes, so it is asked more seldom the longer the answer has been yes. The whole
    region is one model, in which every constraint has a switch: those of other parts are off."""

    def __init__(self, region: Region, deadline: Deadline) -> None:
        self.region = region
        self.pause = self.wait = 0
        self.model = _Model(deadline)
        self.model.add_region(region, switched=True)
        self.on: set[int] = set()

    def narrow(self, part: Part) -> Domains | None:
        domains = narrow_by_bounds(self.region, part)
        if domains is None or not self._due():
            return domains
        self._tell(part, domains)
        if self.model.solve(part.constraints) is None:
            self.pause = 0
            return None
        self.pause = min(2 * self.pause + 1, PATIENCE)
        return domains

    def _tell(self, part: Part, domains: Domains) -> None:
        """Turns the constraints of the part on and all others off, and bounds its boxes. The bounds
        of other boxes are left as they are, since nothing that is on mentions them."""
        wanted = set(part.constraints)
        for index in self.on ^ wanted:
            self.model.bound(self.model.switches[index], index in wanted, index in wanted)
        self.on = wanted
        for box, (low, high) in domains.items():
            self.model.bound(self.model.boxes[box], low, high)
        for box, mines in part.values.items():
            self.model.bound(self.model.boxes[box], mines, mines)

    def _due(self) -> bool:
        if self.wait:
            self.wait -= 1
            return False
        self.wait = self.pause
        return True
