"""Deduction and counting by OR-Tools' CP-SAT.

A box is one integer variable. A clue bounds a sum of boxes. The total is one more sum, and the sea
is one more box. The certain cells are the backbone. The engine asks for solutions in which a box
has another value than in all earlier ones, with hints to change as many boxes as possible, until
there is no such solution. Only FEASIBLE and INFEASIBLE are answers; a search that was stopped gives
none.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from threading import Event, Thread
from typing import Any

from csp_mines.backend import Backend, Deadline, Deduction, RegionCount
from csp_mines.constraints import Problem, Region
from csp_mines.errors import Contradiction, EngineFault, OutOfTime

from .branching import Domains, Part, count_by_branching, narrow_by_bounds

__all__ = ["CpSat"]

PATIENCE = 256  # the most nodes between two questions to a solver that refutes nothing
ATTENTION = 0.25  # seconds; a longer search runs in a thread, so that Python notices Ctrl-C


class CpSat(Backend):
    """A complete engine. It uses one worker, so that the same problem takes the same steps."""

    name = "cpsat"
    summary = "backbone by OR-Tools CP-SAT, boxes as integers"
    complete = True
    ranges = True
    counts = True
    module = library = install = "ortools"

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
        self.calls = 0
        self.deadline = deadline
        self.solver = _solver()
        self.feasible = (cp_model.OPTIMAL, cp_model.FEASIBLE)
        self.infeasible, self.stopped = cp_model.INFEASIBLE, cp_model.UNKNOWN

    def add_region(self, region: Region, *, switched: bool = False) -> None:
        """Add a region. With `switched`, every constraint holds only while its switch is 1; all
        switches are 0 at first."""
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
        """Change the bounds of a variable."""
        domain = self.model.proto.variables[variable.index].domain
        domain[0], domain[1] = low, high

    def solve(self, asked: Sequence[int] | None = None) -> list[int] | None:
        """Return the mines of every box in some solution, or None if there is none. The sums
        `asked` are switched on, by default all. Raises OutOfTime, and EngineFault if CP-SAT gives
        no answer or a wrong one."""
        self.calls += 1
        self.deadline.check()
        status = self._search()
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
        """Search and return CP-SAT's status. CP-SAT does not return to Python at Ctrl-C. If it
        handled the signal itself, no other code would get it. So a long search runs in a thread,
        and Ctrl-C stops it here."""
        self.solver.parameters.max_time_in_seconds = min(ATTENTION, self.deadline.left)
        status = self.solver.solve(self.model)
        if status != self.stopped or self.deadline.left <= 0:
            return status
        self.solver.parameters.max_time_in_seconds = max(self.deadline.left, 0.0)
        statuses: list[Any] = []
        given_up = Event()

        def search() -> None:
            if not given_up.is_set():
                statuses.append(self.solver.solve(self.model))

        thread = Thread(target=search, daemon=True)
        try:
            thread.start()  # Ctrl-C may come here, too, just before the search begins
            while thread.is_alive():
                thread.join(ATTENTION)
        finally:
            given_up.set()
            while thread.is_alive():
                self.solver.stop_search()  # without effect before the search has begun
                thread.join(ATTENTION)
        return statuses[0]


def _solver() -> Any:
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    # A backbone asks many small questions. Presolve costs more time than it saves there (measured).
    solver.parameters.cp_model_presolve = False
    solver.parameters.symmetry_level = 0
    solver.parameters.catch_sigint_signal = False
    return solver


def _backbone(model: _Model, boxes: Sequence[tuple[int, ...]]) -> Deduction:
    """Return the boxes that are empty, or full, in every solution. Raises Contradiction."""
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
    """Require that some box of `fixed` has another value, and hint that as many as possible do. (A
    proof that no more can change would take far longer.) The demand stays in the model, because the
    next demand implies it."""
    for box, value in fixed.items():
        if box not in flips:
            flips[box] = model.model.new_bool_var("")
            model.model.add(model.boxes[box] != value).only_enforce_if(flips[box])
    model.model.add_bool_or([flips[box] for box in fixed])
    model.model.clear_hints()
    for box in fixed:
        model.model.add_hint(flips[box], True)


class _Reasoner:
    """Propagates bounds, and asks CP-SAT whether there is a solution. A question takes as long as
    propagating many nodes, so it is asked less often the longer the answer has been yes. The whole
    region is one model. Every constraint has a switch, and those of other parts are off."""

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
        """Switch the constraints of the part on and all others off, and bound its boxes. The bounds
        of other boxes stay as they are, because no constraint that is on mentions them."""
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
