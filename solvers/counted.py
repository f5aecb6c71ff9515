"""The base class of engines that only count (`ganak`, `sdd`): deduction by counting."""

from __future__ import annotations

from csp_mines.backend import Backend, Deduction
from csp_mines.constraints import Problem
from csp_mines.counting import count_by

from .subtraction import Subtraction


class Counted(Backend):
    """A complete engine. A cell is certain if the engine `subtraction` proves it, or if a count
    shows that the cell is a mine in no solution or in every solution. Subclasses implement
    `count`."""

    complete = True
    ranges = True
    counts = True
    keeps_time = True
    only_counts = True

    def deduce(self, problem: Problem) -> Deduction:
        known, counted = count_by(self, problem.unweighted())
        return known | counted.certain()

    def simplify(self, problem: Problem) -> Deduction:
        return Subtraction().deduce(problem)
