"""The engine `z3`: deduction by the SMT solver Z3.

The number of mines of each box is an integer variable, and constraints are linear. The module
`backbone` finds the certain cells by repeated searches. Z3 keeps what it has learnt from one search
to the next.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any

from csp_mines.backend import Backend, Deduction
from csp_mines.constraints import Problem
from csp_mines.errors import TooWide

from .backbone import BoxModel, backbone, boxes_and_sums, stoppable


class Z3(Backend):
    """A complete engine. It cannot count."""

    name = "z3"
    summary = "backbone by the SMT solver Z3, linear integer arithmetic over boxes"
    complete = True
    ranges = True
    module = "z3"
    library = "z3-solver"
    install = "csp-mines[engines]"
    keeps_time = True

    def deduce(self, problem: Problem) -> Deduction:
        boxes, sums = boxes_and_sums(problem)
        deadline = self.deduction_deadline()
        model = _Model(boxes, sums, deadline, max_memory=self.max_memory)
        return stoppable(model.backbone, model.stop)


@dataclass
class _Model(BoxModel):
    """A Z3 solver with one variable for each box. The solver has a context of its own, so that an
    interrupt stops no other solver.

    Z3 runs only in the thread that `stoppable` starts. On the main thread, a KeyboardInterrupt
    would pass through ctypes and become another error."""

    library = "Z3"

    max_memory: int = field(kw_only=True)
    given_up: bool = field(default=False, init=False)
    context: Any = field(default=None, init=False)

    def stop(self) -> None:
        """Make `backbone`, which runs in another thread, end early."""
        self.given_up = True
        if self.context is not None:
            self.context.interrupt()

    def backbone(self) -> Deduction:
        """Make the solver, and return the certain cells. `stoppable` calls this method in a thread
        of its own."""
        import z3

        self.z3: Any = z3
        self.context = z3.Context()
        self.solver = z3.SolverFor("QF_LIA", ctx=self.context)
        self.solver.set("ctrl_c", False)  # leaves SIGINT to Python
        self.solver.set("max_memory", min(max(self.max_memory >> 20, 1), 2**31))  # in MiB
        self.mines = [z3.Int(f"box{index}", self.context) for index in range(len(self.boxes))]
        for mines, box in zip(self.mines, self.boxes, strict=True):
            self._check()
            self.solver.add(mines >= 0, mines <= len(box))
        for each in self.sums:
            self._check()
            total = z3.Sum([self.mines[box] for box in each.boxes]) if each.boxes else 0
            self.solver.add(total >= each.low, total <= each.high)
        return backbone(self)

    def search(self) -> list[int] | None:
        """Do what `BoxModel.search` says. Also raises TooWide if Z3 needs too much memory,
        KeyboardInterrupt if `stop` was called before the search."""
        self._check()
        if self.deadline.left < inf:
            self.solver.set("timeout", max(1, int(1000 * self.deadline.left)))
        answer = self.solver.check()
        if answer == self.z3.unsat:
            return None
        if answer != self.z3.sat:
            raise self._unanswered(self.solver.reason_unknown())
        model = self.solver.model()
        return [model.eval(mines, model_completion=True).as_long() for mines in self.mines]

    def vary(self, fixed: Mapping[int, int]) -> None:
        self.solver.add(self.z3.Or([self.mines[box] != value for box, value in fixed.items()]))

    def _check(self) -> None:
        """Raise OutOfTime after the deadline, and KeyboardInterrupt after a call of `stop`."""
        self.deadline.check()
        if self.given_up:
            raise KeyboardInterrupt

    def _unanswered(self, reason: str) -> Exception:
        if self.given_up or self.deadline.left <= 0 or "timeout" in reason:
            return self.deadline.missed()
        if "memory" in reason:
            return TooWide(0, 1 << 60, self.max_memory)
        return self.no_answer(reason)
