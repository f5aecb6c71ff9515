"""Analysis of any cardinality constraints, without a board: cells are plain integers."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from csp_mines import defaults
from csp_mines.arguments import instance, several, shown, whole, wrong
from csp_mines.backend import Deduction, load
from csp_mines.constraints import Constraint, Problem
from csp_mines.counting import Posterior, count_by
from csp_mines.errors import InputError, Unsupported
from csp_mines.words import plural

__all__ = ["ProblemAnalysis", "analyze_problem"]


@dataclass(frozen=True, repr=False)
class ProblemAnalysis:
    """The conclusions from a problem: the cells that are the same in every solution, and the
    probability of a mine at the others. All numbers are exact."""

    problem: Problem
    known: Deduction  # the cells that were proved before counting
    posterior: Posterior  # the counts of the other cells

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
        """The number of solutions. If constraints have weights, it is the sum of the weights of all
        solutions. The weight of a solution is a product: each constraint contributes its weight for
        the number of mines that it has. The odds of a mine are not included."""
        return self.posterior.solutions

    def probability(self, cell: int) -> Fraction:
        """Return the probability of a mine at a cell. Raises InputError if the problem does not
        have the cell."""
        cell = whole(cell, "cell")
        risk = self.known.risk(cell)
        if risk is not None:
            return risk
        if cell not in self.problem.frontier and cell not in self.problem.sea:
            raise InputError(f"the problem has no cell {cell}")
        return self.posterior.probability(cell)

    @property
    def probabilities(self) -> dict[int, Fraction]:
        """The probability of a mine at every cell."""
        cells = sorted({*self.problem.frontier, *self.problem.sea})
        return {cell: self.probability(cell) for cell in cells}

    def __repr__(self) -> str:
        cells = len(self.problem.frontier) + len(self.problem.sea)
        proved = f"{len(self.safe)} safe, {plural(len(self.mines), 'mine')}"
        return f"<ProblemAnalysis of {plural(cells, 'cell')}: {proved}>"


def analyze_problem(
    problem: Problem,
    backend: str = defaults.BACKEND,
    *,
    max_states: int = defaults.MAX_STATES,
    max_memory: int = defaults.MAX_MEMORY,
    seconds: float | None = None,
) -> ProblemAnalysis:
    """Analyse any problem with an engine that counts.

    Raises InputError for an invalid problem, Contradiction if it has no solution, TooWide and
    OutOfTime beyond the limits, Unsupported if the backend cannot count, UnknownName,
    MissingLibrary.

    >>> problem = csp_mines.Problem([csp_mines.Constraint((0, 1, 2), 1, 1)])
    >>> csp_mines.analyze_problem(problem).solutions
    3
    """
    problem = _checked(problem)
    engine = load(backend, max_states=max_states, max_memory=max_memory, seconds=seconds)
    if not engine.counts:
        raise Unsupported(f"backend {backend!r} cannot count")
    return ProblemAnalysis(problem, *count_by(engine, problem))


def _checked(problem: Problem) -> Problem:
    """Return the problem in Python integers, since numpy integers overflow. Raises InputError for
    an invalid problem, also if a cell of the sea is in a constraint or occurs twice."""
    instance(problem, Problem, "problem")
    constraints = several(problem.constraints, "constraints", "Constraint values")
    sea = several(problem.sea, "sea", "cells")
    if not isinstance(problem.odds, (int, Fraction)) or problem.odds <= 0:
        raise wrong("odds", "a Fraction greater than 0", problem.odds)
    checked = Problem(
        tuple(map(_checked_constraint, constraints)),
        tuple(whole(cell, "a cell of the sea") for cell in sea),
        None if problem.mines is None else whole(problem.mines, "mines"),
        Fraction(problem.odds),
    )
    twice = set(checked.sea).intersection(checked.frontier)
    if twice or len(set(checked.sea)) < len(checked.sea):
        raise InputError("the sea must list each cell once, and no cell of a constraint")
    return checked


def _checked_constraint(constraint: Constraint) -> Constraint:
    instance(constraint, Constraint, "each of the constraints")
    given = instance(constraint.cells, tuple, "the cells of a constraint")
    cells = tuple(whole(cell, "a cell of a constraint") for cell in given)
    if list(cells) != sorted(set(cells)):
        raise InputError(
            f"the cells of a constraint must be sorted, without repetition, not {shown(given)}"
        )
    low, high = whole(constraint.low, "low"), whole(constraint.high, "high")
    if constraint.weights is None:
        return Constraint(cells, low, high)
    weights = instance(constraint.weights, tuple, "weights")
    weights = tuple(whole(weight, "a weight", 0) for weight in weights)
    if len(weights) != len(cells) + 1:
        size = plural(len(cells), "cell")
        raise InputError(
            f"a constraint of {size} needs {len(cells) + 1} weights, not {len(weights)}"
        )
    return Constraint(cells, low, high, weights)
