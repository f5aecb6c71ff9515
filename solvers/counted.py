"""Deduction by counting: what backends that count have in common."""

from __future__ import annotations

from csp_mines.backend import Backend, Deduction
from csp_mines.constraints import Problem
from csp_mines.counting import count_by

from .subtraction import Subtraction

__all__ = ["Counted"]


class Counted(Backend):
    """Complete: a cell is certain when subtraction proves it, or when exactly no solution, or
    exactly every solution, has a mine there. Subclasses implement `count`."""

    complete = True
    ranges = True
    counts = True
    keeps_time = True
    only_counts = True

    def deduce(self, problem: Problem) -> Deduction:
        known, counted = count_by(self, problem.unweighted())
        safe, mines = counted.certain()
        return known | Deduction(frozenset(safe), frozenset(mines))

    def simplify(self, problem: Problem) -> Deduction:
        return Subtraction().deduce(problem)
