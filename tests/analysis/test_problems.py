"""Constraints that come from no board."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from csp_mines import (
    Constraint,
    Contradiction,
    InputError,
    Problem,
    TooWide,
    Unsupported,
    analyze_problem,
)
from tests import oracle


def random_problem(random: Random) -> Problem:
    cells = range(random.randint(1, 9))
    constraints = []
    for _ in range(random.randint(1, 4)):
        inside = tuple(sorted(random.sample(cells, random.randint(1, len(cells)))))
        low = random.randint(0, len(inside))
        high = random.randint(low, len(inside))
        weights = None
        if random.random() < 0.3:
            weights = tuple(random.randint(1, 9) for _ in range(len(inside) + 1))
        constraints.append(Constraint(inside, low, high, weights))
    sea = tuple(range(20, 20 + random.randint(0, 3)))
    if random.random() < 0.5:
        return Problem(tuple(constraints), sea, random.randint(0, len(cells) + len(sea)))
    return Problem(tuple(constraints), sea, None, Fraction(random.randint(1, 5), 3))


@pytest.mark.parametrize("backend", ["native", "native:pure", "pysat"])
def test_all_answers_are_those_of_brute_force(backend: str) -> None:
    random = Random(4)
    answered = 0
    for _ in range(60):
        problem = random_problem(random)
        fitting = oracle.layouts(problem)
        if not fitting:
            with pytest.raises(Contradiction):
                analyze_problem(problem, backend)
            continue
        found = analyze_problem(problem, backend)
        assert (found.safe, found.mines) == oracle.certain(problem, fitting)
        assert found.probabilities == oracle.probabilities(problem, fitting)
        answered += 1
    assert answered > 20


def test_a_committee() -> None:
    """Six people, two of them to go: one of the first three, not both of the last two."""
    problem = Problem((Constraint((0, 1, 2), 1, 1), Constraint((4, 5), 0, 1)), (3,), 2)
    found = analyze_problem(problem)
    assert found.solutions == 9
    assert found.probability(0) == Fraction(1, 3)
    assert found.probability(3) == found.probability(5) == Fraction(1, 3)
    assert repr(found) == "<ProblemAnalysis of 6 cells: 0 safe, 0 mines>"


def test_refusals() -> None:
    problem = Problem((Constraint((0, 1), 1, 1),))
    with pytest.raises(InputError, match="no cell 7"):
        analyze_problem(problem).probability(7)
    with pytest.raises(Unsupported, match="cannot count"):
        analyze_problem(problem, "single")
    lines = [tuple(range(8 * r, 8 * r + 8)) for r in range(8)]
    lines += [tuple(range(c, 64, 8)) for c in range(8)]
    wide = Problem(tuple(Constraint(line, 4, 4) for line in lines))
    with pytest.raises(TooWide):
        analyze_problem(wide, max_states=100)


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (Problem((Constraint((0,), 0, 1),), (0,)), "is in no constraint"),
        (
            Problem((Constraint((0, 1), 0, 1, (-2, 3, 1)),)),
            "weight must be .* at least 0, not -2",
        ),
        (Problem((Constraint((0, 1), 0, 1, (2, 3)),)), "of 2 cells has 3 weights"),
        (Problem((Constraint((0, 0), 1, 1),)), "different and sorted"),
        ("?1", "problem must be a Problem, not '\\?1'"),
    ],
)
def test_what_is_no_problem(problem: Problem, message: str) -> None:
    with pytest.raises(InputError, match=message):
        analyze_problem(problem)
