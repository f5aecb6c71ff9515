"""Engines that each break one promise of the contract."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import count as numbers

from csp_mines.solvers.native import Native

from csp_mines.backend import Deduction, RegionCount
from csp_mines.constraints import Problem, Region

LARGE = 50  # cells; brute force problems are smaller


class DropsAConstraint(Native):
    def deduce(self, problem: Problem) -> Deduction:
        return super().deduce(replace(problem, constraints=problem.constraints[1:]))


class IgnoresTheTotal(Native):
    def deduce(self, problem: Problem) -> Deduction:
        problem.check()
        return super().deduce(problem.without_total())


class IgnoresWeights(Native):
    def count(self, region: Region) -> RegionCount:
        bare = tuple(replace(constraint, weights=None) for constraint in region.constraints)
        return super().count(Region(region.boxes, bare))


class ClaimsASafeCell(Native):
    def deduce(self, problem: Problem) -> Deduction:
        return super().deduce(problem) | Deduction(frozenset(problem.frontier[:1]))


class NeverStops(Native):
    def deduce(self, problem: Problem) -> Deduction:
        while len(problem.frontier) > LARGE:
            time.sleep(0.01)
        return super().deduce(problem)


class SwallowsSignals(Native):
    def deduce(self, problem: Problem) -> Deduction:
        end = time.monotonic() + (self.seconds or 0)
        while len(problem.frontier) > LARGE and time.monotonic() < end:
            try:
                time.sleep(0.01)
            except KeyboardInterrupt:
                continue
        return super().deduce(problem)


class Changes(Native):
    def deduce(self, problem: Problem) -> Deduction:
        found = super().deduce(problem)
        object.__setattr__(problem, "constraints", problem.constraints[1:])
        return found


class Forgets(Native):
    calls = numbers()

    def deduce(self, problem: Problem) -> Deduction:
        found = super().deduce(problem)
        return Deduction() if next(self.calls) % 2 else found


class StatesNoFacts(Native):
    complete = "yes"  # type: ignore[assignment]
