"""The engine `cpsat`: deduction and counting by OR-Tools' CP-SAT.

The certain cells are the backbone over boxes (see `backbone`). CP-SAT accepts solution hints, which
are values to try first. `vary` hints that every candidate gets another number of mines than before.
Counting branches on boxes (see `branching`), and CP-SAT refutes some branches. The deadline and
Ctrl-C stop a search; a search that was stopped proves nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any

from csp_mines.backend import Backend, Deadline, Deduction, RegionCount
from csp_mines.constraints import Problem, Region

from .backbone import ATTENTION, BoxModel, backbone, boxes_and_sums, stoppable
from .branching import Domains, Part, count_by_branching, narrow_by_bounds

# The most parts in a row without a question to CP-SAT. Parts that bounds refute do not count.
PATIENCE = 256


class CpSat(Backend):
    """A complete engine. CP-SAT runs with one worker, so that the same problem takes the same
    steps."""

    name = "cpsat"
    summary = "backbone by OR-Tools CP-SAT, boxes as integers"
    complete = True
    ranges = True
    counts = True
    module = library = install = "ortools"
    keeps_time = True

    def deduce(self, problem: Problem) -> Deduction:
        deadline = self.deduction_deadline()
        return backbone(_Model(*boxes_and_sums(problem), deadline))

    def count(self, region: Region) -> RegionCount:
        deadline = self.counting_deadline()
        reasoner = _Reasoner(region, deadline)
        return count_by_branching(region, reasoner, self.python_states, deadline)


@dataclass
class _Model(BoxModel):
    """A CP-SAT model over boxes, and the solver for it. `mines` has the variable of each box, and
    `constraints` has CP-SAT's object for each sum."""

    library = "CP-SAT"
    conflicts: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        from ortools.sat.python import cp_model

        self.cp_model: Any = cp_model
        self.model: Any = cp_model.CpModel()
        self.mines = [self.model.new_int_var(0, len(box), "") for box in self.boxes]
        self.constraints = [
            self.model.add_linear_constraint(
                sum([self.mines[box] for box in each.boxes]), each.low, each.high
            )
            for each in self.sums
        ]
        self.flips: dict[int, Any] = {}
        self.solver = cp_model.CpSolver()
        self.solver.parameters.num_workers = 1
        # The search for a backbone asks many small questions. For such questions, presolve costs
        # more time than it saves (measured).
        self.solver.parameters.cp_model_presolve = False
        self.solver.parameters.symmetry_level = 0
        self.solver.parameters.catch_sigint_signal = False

    def bound(self, variable: Any, low: int, high: int) -> None:
        """Change the bounds of a variable."""
        domain = self.model.proto.variables[variable.index].domain
        domain[0], domain[1] = low, high

    def search(self) -> list[int] | None:
        status = self._status()
        self.conflicts += self.solver.num_conflicts
        if status == self.cp_model.INFEASIBLE:
            return None
        if status == self.cp_model.UNKNOWN and self.deadline.seconds < inf:
            raise self.deadline.missed()  # even if `deadline` says that a little time is left
        if status not in (self.cp_model.OPTIMAL, self.cp_model.FEASIBLE):
            raise self.no_answer(self.solver.status_name(status))
        return [self.solver.value(mines) for mines in self.mines]

    def _status(self) -> Any:
        """Search and return CP-SAT's status. CP-SAT does not return to Python at Ctrl-C, and if
        CP-SAT handled the signal itself, no other code would get the signal. So the calling thread
        searches only for `ATTENTION` seconds. If this is too short, the search begins again in
        another thread, and the calling thread stops it at Ctrl-C."""
        seconds = max(min(ATTENTION, self.deadline.left), 0.0)
        self.solver.parameters.max_time_in_seconds = seconds
        status = self.solver.solve(self.model)
        if status != self.cp_model.UNKNOWN or self.deadline.left <= 0:
            return status
        self.solver.parameters.max_time_in_seconds = max(self.deadline.left, 0.0)
        return stoppable(lambda: self.solver.solve(self.model), self.solver.stop_search)

    def vary(self, fixed: Mapping[int, int]) -> None:
        """Require that at least one box differs from its value in `fixed`, and hint that all boxes
        of `fixed` differ. (To maximise the number of boxes that differ would take far longer,
        because CP-SAT would prove the maximum.) The requirement stays in the model. It does no
        harm, because every later requirement, about fewer of these boxes, implies this one."""
        for box, value in fixed.items():
            if box not in self.flips:
                self.flips[box] = self.model.new_bool_var("")
                self.model.add(self.mines[box] != value).only_enforce_if(self.flips[box])
        self.model.add_bool_or([self.flips[box] for box in fixed])
        self.model.clear_hints()
        for box in fixed:
            self.model.add_hint(self.flips[box], True)


class _Reasoner:
    """Propagates bounds in every part (see `branching`), and asks CP-SAT about some parts whether
    the part has a solution. A question takes much longer than a propagation, so questions become
    rarer while the answer is yes. There is one CP-SAT model of the whole region, in which every
    constraint has a switch. A question switches on only the constraints of its part."""

    def __init__(self, region: Region, deadline: Deadline) -> None:
        self.region = region
        self.pause = self.wait = 0
        self.model = _Model(region.boxes, region.constraints, deadline)
        self.switches = [self._switch(constraint) for constraint in self.model.constraints]
        self.on: set[int] = set()

    def _switch(self, constraint: Any) -> Any:
        """Make a switch, so that a constraint holds only while its switch is 1. A new switch is
        0."""
        switch = self.model.model.new_bool_var("")
        self.model.bound(switch, 0, 0)
        constraint.only_enforce_if(switch)
        return switch

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
        """Switch the constraints of the part on and all other constraints off. Then set the bounds
        of the boxes: `domains` for boxes without a value, and one number for boxes with a value.
        Boxes outside the part keep old bounds, but only constraints that are off mention these
        boxes."""
        wanted = set(part.constraints)
        for index in self.on ^ wanted:
            self.model.bound(self.switches[index], index in wanted, index in wanted)
        self.on = wanted
        for box, (low, high) in domains.items():
            self.model.bound(self.model.mines[box], low, high)
        for box, mines in part.values.items():
            self.model.bound(self.model.mines[box], mines, mines)

    def _due(self) -> bool:
        """Return whether to ask CP-SAT about the current part. Called once for each part that
        bounds do not refute."""
        if self.wait:
            self.wait -= 1
            return False
        self.wait = self.pause
        return True
