"""Find a smaller problem on which an engine still fails, and write a problem as Python code."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from fractions import Fraction
from time import monotonic

from csp_mines.constraints import Constraint, Problem

SECONDS = 20.0  # after this time, `shrunk` returns the smallest problem so far


def shrunk(problem: Problem, fails: Callable[[Problem], bool]) -> Problem:
    """Leave out parts of the problem, one at a time. Leave out a part only if `fails` returns True
    for the rest. Return the problem that remains when no part can be left out, or when `SECONDS`
    have passed."""
    end = monotonic() + SECONDS
    candidates = smaller(problem)
    while (candidate := next(candidates, None)) is not None and monotonic() < end:
        if fails(candidate):
            problem, candidates = candidate, smaller(candidate)
    return problem


def smaller(problem: Problem) -> Iterator[Problem]:
    """Yield copies of the problem, each without one of its parts: a constraint, a cell, the weights
    of a constraint, the total or the odds."""
    told = problem.constraints
    for place in range(len(told)):
        yield problem.changed(constraints=told[:place] + told[place + 1 :])
    for cell in problem.cells:
        yield problem.changed(
            constraints=tuple(constraint.given({cell: False}) for constraint in told),
            sea=tuple(other for other in problem.sea if other != cell),
        )
    for place, constraint in enumerate(told):
        if constraint.weights is not None:
            bare = replace(constraint, weights=None)
            yield problem.changed(constraints=(*told[:place], bare, *told[place + 1 :]))
    if problem.mines is not None:
        yield problem.changed(mines=None)
    if problem.odds != 1:
        yield problem.changed(odds=Fraction(1))


def written(value: Problem | Constraint) -> str:
    """Return a problem or a constraint as Python code. Fields that have their default value are
    left out."""
    parts = []
    for field in fields(value):
        given = getattr(value, field.name)
        if field.name == "constraints":
            inside = "".join(f"{written(constraint)}, " for constraint in given)
            parts.append(f"({inside.rstrip()})")
        elif given != field.default:
            parts.append(f"{field.name}={given!r}")
    return f"{_maker(value)}({', '.join(parts)})"


def _maker(value: Problem | Constraint) -> str:
    """Return the name of the constructor for the value. `Problem` refuses a negative total, and
    constraints whose `high` is negative or below `low`. `Problem.trusted` accepts all these."""
    if isinstance(value, Constraint):
        return "Constraint"
    mistaken = any(each.high < max(0, each.low) for each in value.constraints)
    return "Problem.trusted" if mistaken or (value.mines or 0) < 0 else "Problem"
