"""The engine `highs`: mixed-integer programming by HiGHS, in floating point.

The number of mines of each box is an integer variable. Each clue, and the total if it may exclude a
layout, is a linear row. HiGHS accepts small errors of floating point, so its answers prove nothing.
Therefore `Highs.floating_point` is true, and `load` refuses the engine unless its caller passes
`floating_point=True`. In csp_mines, only `compare` does this, to show the answers of HiGHS beside
the answers of other engines.

HiGHS runs in a process apart, because OR-Tools contains another HiGHS and one process cannot load
both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from csp_mines import apart
from csp_mines.backend import Backend, Deadline, Deduction
from csp_mines.constraints import BoxConstraint, Problem
from csp_mines.errors import OutOfTime

from .backbone import BoxModel, backbone, boxes_and_sums


class Highs(Backend):
    """An engine that finds every deduction, unless errors of floating point mislead it. It cannot
    count."""

    name = "highs"
    summary = "backbone by the MILP solver HiGHS, in floating point: no proofs"
    complete = True
    ranges = True
    floating_point = True
    module = library = "highspy"
    install = "csp-mines[engines]"
    keeps_time = True

    def deduce(self, problem: Problem) -> Deduction:
        deadline = self.deduction_deadline()
        boxes, sums = boxes_and_sums(problem)
        try:
            deduction: Deduction = apart.call(
                _deduce, boxes, sums, deadline.left, engine=self.name, seconds=deadline.left
            )
        except OutOfTime:  # its message has the seconds that were left
            raise deadline.missed() from None
        return deduction


def _deduce(
    boxes: Sequence[tuple[int, ...]], sums: Sequence[BoxConstraint], seconds: float
) -> Deduction:
    """Return the certain cells. This function runs in the process apart."""
    return backbone(_Model(boxes, sums, Deadline(seconds, Highs.name)))


@dataclass
class _Model(BoxModel):
    """A mixed-integer program with one variable for each box. `vary` sets the objective, a sum that
    HiGHS maximises. HiGHS stops at the first solution, because to prove that no solution has a
    greater sum would take far longer."""

    library = "HiGHS"

    def __post_init__(self) -> None:
        import highspy

        self.highspy: Any = highspy
        self.solver = self.highspy.Highs()
        self.solver.setOptionValue("output_flag", False)
        self.solver.setOptionValue("threads", 1)
        self.solver.setOptionValue("mip_rel_gap", inf)
        for column, box in enumerate(self.boxes):
            self.solver.addVar(0, len(box))
            self.solver.changeColIntegrality(column, self.highspy.HighsVarType.kInteger)
        for summed in self.sums:
            self._add_row(summed.low, summed.high, dict.fromkeys(summed.boxes, 1.0))
        self.solver.changeObjectiveSense(self.highspy.ObjSense.kMaximize)

    def search(self) -> list[int] | None:
        if not self.boxes:
            return []
        if self.deadline.left < inf:
            # HiGHS does not reset its clock between calls.
            limit = self.solver.getRunTime() + self.deadline.left
            self.solver.setOptionValue("time_limit", limit)
        self.solver.run()
        status, statuses = self.solver.getModelStatus(), self.highspy.HighsModelStatus
        if status == statuses.kInfeasible:
            return None
        if status == statuses.kTimeLimit:
            raise self.deadline.missed()
        if status != statuses.kOptimal:
            raise self.no_answer(status)
        return [round(value) for value in self.solver.getSolution().col_value]

    def vary(self, fixed: Mapping[int, int]) -> None:
        """Require that, in all later solutions, at least one box differs from its value in `fixed`:
        the differences of the boxes in `fixed` must add up to 1 or more. The sum of these
        differences becomes the objective. The values in `fixed` are the least or the greatest
        values of the boxes, so each difference is linear."""
        away = {box: -1.0 if value else 1.0 for box, value in fixed.items()}
        self._add_row(1 - sum(fixed.values()), inf, away)
        costs = [away.get(box, 0.0) for box in range(len(self.boxes))]
        self.solver.changeColsCost(len(costs), list(range(len(costs))), costs)

    def _add_row(self, low: float, high: float, coefficients: Mapping[int, float]) -> None:
        columns, values = list(coefficients), list(coefficients.values())
        self.solver.addRow(low, high, len(columns), columns, values)
