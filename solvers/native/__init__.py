"""The default engine: complete and exact, by counting."""

from __future__ import annotations

from csp_mines.backend import Backend, Deduction, RegionCount
from csp_mines.constraints import Problem, Region
from csp_mines.counting import posterior
from csp_mines.kernel import Kernel
from solvers.native import compiled
from solvers.native.order import elimination_order
from solvers.native.sweep import sweep
from solvers.subtraction import Subtraction

__all__ = ["Native"]


class Native(Backend):
    """Complete: a cell is certain when subtraction proves it, or when exactly no solution, or
    exactly every solution, has a mine there."""

    name = "native"
    summary = "subtraction, then exact counting by a sweep over boxes"
    complete = True
    ranges = True
    counts = True

    @classmethod
    def version(cls) -> str:
        return "pure Python" if compiled.load() is None else "compiled kernel"

    @classmethod
    def kernel(cls) -> Kernel | None:
        return compiled.load()

    def deduce(self, problem: Problem) -> Deduction:
        known = self.simplify(problem)
        rest = problem.given(known.safe, known.mines)
        safe, mines = posterior(rest.unweighted(), self.count).certain()
        return known | Deduction(frozenset(safe), frozenset(mines))

    def simplify(self, problem: Problem) -> Deduction:
        return Subtraction().deduce(problem)

    def count(self, region: Region) -> RegionCount:
        return sweep(region, elimination_order(region), self.max_states)
