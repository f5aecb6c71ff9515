"""Smaller problems on which the same thing goes wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from fractions import Fraction
from time import monotonic

from csp_mines.constraints import Constraint, Problem

__all__ = ["shrunk", "smaller", "written"]

SECONDS = 20.0  # after which the smallest problem so far is good enough


def shrunk(problem: Problem, fails: Callable[[Problem], bool]) -> Problem:
    """Return a problem that still fails, though none of its parts can be left out. Greedy."""
    end = monotonic() + SECONDS
    found = True
    while found and monotonic() < end:
        found = False
        for candidate in smaller(problem):
            if monotonic() > end:
                break
            if fails(candidate):
                problem, found = candidate, True
                break
    return problem


def smaller(problem: Problem) -> Iterator[Problem]:
    """The problem without a constraint, without a cell, without the weights of a constraint,
    without total or odds."""
    told = problem.constraints
    for place in range(len(told)):
        yield replace(problem, constraints=told[:place] + told[place + 1 :])
    for cell in (*problem.frontier, *problem.sea):
        yield replace(
            problem,
            constraints=tuple(_without(constraint, cell) for constraint in told),
            sea=tuple(other for other in problem.sea if other != cell),
        )
    for place, constraint in enumerate(told):
        if constraint.weights is not None:
            bare = replace(constraint, weights=None)
            yield replace(problem, constraints=(*told[:place], bare, *told[place + 1 :]))
    if problem.mines is not None:
        yield replace(problem, mines=None)
    if problem.odds != 1:
        yield replace(problem, odds=Fraction(1))


def _without(constraint: Constraint, cell: int) -> Constraint:
    if cell not in constraint.cells:
        return constraint
    rest = tuple(other for other in constraint.cells if other != cell)
    weights = None if constraint.weights is None else constraint.weights[: len(rest) + 1]
    return Constraint(rest, constraint.low, constraint.high, weights)


def written(value: Problem | Constraint) -> str:
    """A problem as Python code, without what has its default value."""
    parts = []
    for field in fields(value):
        given = getattr(value, field.name)
        if field.name == "constraints":
            inside = "".join(f"{written(constraint)}, " for constraint in given)
            parts.append(f"({inside.rstrip()})")
        elif given != field.default:
            parts.append(f"{field.name}={given!r}")
    return f"{type(value).__name__}({', '.join(parts)})"
