"""Constraints that come from no board."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np
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
from csp_mines.testing.problems import planted_problem
from tests import oracle


@pytest.mark.parametrize("backend", ["native", "native:pure", "pysat", "cpsat"])
def test_all_answers_are_those_of_brute_force(backend: str) -> None:
    """benchmarks/problems.py does the same for as many as it is told."""
    answered = 0
    for number in range(100):
        problem = planted_problem(Random(f"{number}"))
        fitting = oracle.layouts(problem)
        if not fitting:
            with pytest.raises(Contradiction):
                analyze_problem(problem, backend)
            continue
        found = analyze_problem(problem, backend)
        assert found.solutions == oracle.solutions(problem)
        assert (found.safe, found.mines) == oracle.certain(problem, fitting)
        assert found.probabilities == oracle.probabilities(problem, fitting)
        answered += 1
    assert answered > 60


def test_numbers_of_numpy_do_not_overflow() -> None:
    weights = tuple(np.array([2**62, 2**62, 2**62]))
    cells = tuple(np.arange(3))
    problem = Problem(
        (
            Constraint(cells[:2], np.int64(0), np.int64(2), weights),
            Constraint(cells[1:], 0, 2, weights),
        ),
        tuple(np.arange(5, 7)),
        np.int64(2),
    )
    for backend in ("native", "native:pure", "pysat"):
        found = analyze_problem(problem, backend)
        assert found.solutions == 10 * 2**124
        assert set(map(type, found.probabilities)) == {int}


def test_whole_odds_give_fractions() -> None:
    found = analyze_problem(Problem((Constraint((0, 1), 1, 2),), (5,), None, 3))
    assert found.probabilities == {0: Fraction(4, 5), 1: Fraction(4, 5), 5: Fraction(3, 4)}
    assert all(isinstance(risk, Fraction) for risk in found.probabilities.values())


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
    ("fields", "message"),
    [
        (([Constraint((0,), 0, 1)], (0,)), "cell 0 is in constraint 0 and in the sea"),
        (([], (3, 4, 3)), "the sea has cell 3 twice"),
        (
            ([Constraint((0, 1), 0, 1, (-2, 3, 1))],),
            "a weight of constraint 0 .* at least 0, not -2",
        ),
        (([Constraint((0, 1), 0, 1, (2, 3))],), "constraint 0 has 2 cells and 2 weights; give 3"),
        (([Constraint((0,), 0, 1), Constraint((7, 7), 1, 1)],), "constraint 1 has cell 7 twice"),
        (([Constraint((0, 1.5), 1, 1)],), "a cell of constraint 0 must be a whole number, not 1.5"),
        (([Constraint((0, 1), "1", 1)],), "low of constraint 0 must be a whole number, not '1'"),
        (([5],), "constraint 0 must be a Constraint, not 5"),
        (([Constraint((0, 1), 2, 1)],), "constraint 0 has low 2 above high 1"),
        (([Constraint((0, 1), -2, -1)],), "high of constraint 0 must be .* at least 0, not -1"),
        (([], (), 2.5), "mines must be a whole number, at least 0, not 2.5"),
        (([], (), -1), "mines must be a whole number, at least 0, not -1"),
        (([], (), None, 0), "odds must be a Fraction greater than 0, not 0"),
        ((5,), "constraints must be an iterable of Constraint values"),
    ],
)
def test_what_is_no_problem(fields: tuple[object, ...], message: str) -> None:
    """It is refused when it is made."""
    with pytest.raises(InputError, match=message):
        Problem(*fields)


def test_only_problems_are_analysed() -> None:
    with pytest.raises(InputError, match="problem must be a Problem or a NamedProblem, not '\\?1'"):
        analyze_problem("?1")


def test_problems_are_made_of_sorted_cells_and_plain_numbers() -> None:
    problem = Problem([Constraint([np.int8(3), 1], 1, 1)], [np.int8(7)], np.int64(1), 2)
    assert problem == Problem.trusted((Constraint((1, 3), 1, 1),), (7,), 1, Fraction(2))
    assert {type(cell) for cell in (*problem.frontier, *problem.sea, problem.mines)} == {int}
