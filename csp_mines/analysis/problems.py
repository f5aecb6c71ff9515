"""Anybody's cardinality constraints, analysed as a board is: no grid, cells are plain integers."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from csp_mines.arguments import instance, several, shown, whole, wrong
from csp_mines.backend import DEFAULT_BACKEND, DEFAULT_MAX_STATES, Deduction, load
from csp_mines.constraints import Constraint, Problem
from csp_mines.counting import Posterior, count_by
from csp_mines.errors import InputError, Unsupported
from csp_mines.words import plural

__all__ = ["ProblemAnalysis", "analyze_problem"]


@dataclass(frozen=True, repr=False)
class ProblemAnalysis:
    """What follows from a problem: cells that are the same in every solution, and how likely each
    of the others is to be a mine. Everything is exact."""

    problem: Problem
    known: Deduction  # what was proved before counting …
    posterior: Posterior  # … and the count of the rest

    @cached_property
    def safe(self) -> frozenset[int]:
        """The cells that are a mine in no solution."""
        return self.known.safe | self.posterior.certain()[0]

    @cached_property
    def mines(self) -> frozenset[int]:
        """The cells that are a mine in every solution."""
        return self.known.mines | self.posterior.certain()[1]

    @property
    def solutions(self) -> int:
        """How many solutions there are; where constraints have weights, the weight of them all."""
        return self.posterior.solutions

    def probability(self, cell: int) -> Fraction:
        """The probability of a mine. Raises InputError for a cell that is not in the problem."""
        cell = whole(cell, "cell")
        if cell in self.known.safe or cell in self.known.mines:
            return Fraction(cell in self.known.mines)
        if cell not in self.problem.frontier and cell not in self.problem.sea:
            raise InputError(f"the problem has no cell {cell}")
        return self.posterior.probability(cell)

    @property
    def probabilities(self) -> dict[int, Fraction]:
        """The probability of a mine in every cell."""
        cells = sorted({*self.problem.frontier, *self.problem.sea})
        return {cell: self.probability(cell) for cell in cells}

    def __repr__(self) -> str:
        cells = len(self.problem.frontier) + len(self.problem.sea)
        proved = f"{len(self.safe)} safe, {plural(len(self.mines), 'mine')}"
        return f"<ProblemAnalysis of {plural(cells, 'cell')}: {proved}>"


def analyze_problem(
    problem: Problem,
    backend: str = DEFAULT_BACKEND,
    *,
    max_states: int = DEFAULT_MAX_STATES,
    seconds: float | None = None,
) -> ProblemAnalysis:
    """Analyses constraints that come from anywhere, with any engine that counts.

    Raises InputError for what is no problem, Contradiction when nothing satisfies it, TooWide and
    OutOfTime past the bounds, Unsupported for an engine that cannot count, UnknownName,
    MissingLibrary."""
    _check(problem)
    engine = load(backend, max_states=max_states, seconds=seconds)
    if not engine.counts:
        raise Unsupported(f"backend {backend!r} cannot count")
    return ProblemAnalysis(problem, *count_by(engine, problem))


def _check(problem: Problem) -> None:
    """Raises InputError for what is no problem, for a cell that is told twice and for weights that
    weigh nothing."""
    instance(problem, Problem, "problem")
    for constraint in several(problem.constraints, "constraints", "Constraint values"):
        _check_constraint(constraint)
    for cell in several(problem.sea, "sea", "cells"):
        whole(cell, "a cell of the sea")
    if problem.mines is not None:
        whole(problem.mines, "mines")
    if not isinstance(problem.odds, (int, Fraction)) or problem.odds <= 0:
        raise wrong("odds", "a Fraction greater than 0", problem.odds)
    twice = set(problem.sea).intersection(problem.frontier)
    if twice or len(set(problem.sea)) < len(problem.sea):
        raise InputError("a cell of the sea is in no constraint, and there once")


def _check_constraint(constraint: Constraint) -> None:
    instance(constraint, Constraint, "each of the constraints")
    given = instance(constraint.cells, tuple, "the cells of a constraint")
    cells = [whole(cell, "a cell of a constraint") for cell in given]
    if cells != sorted(set(cells)):
        raise InputError(f"the cells of a constraint are different and sorted, not {shown(given)}")
    whole(constraint.low, "low")
    whole(constraint.high, "high")
    if constraint.weights is None:
        return
    weights = instance(constraint.weights, tuple, "weights")
    if len([whole(weight, "a weight", 0) for weight in weights]) != len(cells) + 1:
        size = plural(len(cells), "cell")
        raise InputError(f"a constraint of {size} has {len(cells) + 1} weights, none below 0")
