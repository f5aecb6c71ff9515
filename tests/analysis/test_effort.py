"""Measures of effort: what each engine knows, and None where it does not."""

from __future__ import annotations

import numpy as np
import pytest

from csp_mines import Constraint, Effort, Problem, analyze, analyze_problem
from csp_mines.backend import load

# Two clues in a row share a cell: one region of three boxes. Both are open at once.
CHAIN = Problem((Constraint((0, 1, 2), 1, 1), Constraint((2, 3, 4), 1, 1)))


@pytest.mark.parametrize("backend", ["native", "native:pure"])
def test_native_knows_width_and_states(backend: str) -> None:
    effort = analyze_problem(CHAIN, backend).effort
    assert (effort.regions, effort.boxes, effort.width) == (1, 3, 2)
    assert effort.states is not None
    assert effort.states >= 3
    assert (effort.solver_calls, effort.conflicts) == (None, None)


@pytest.mark.parametrize("backend", ["pysat", "cpsat"])
def test_solvers_know_calls_and_conflicts(backend: str) -> None:
    effort = analyze_problem(CHAIN, backend).effort
    assert (effort.regions, effort.boxes, effort.width) == (1, 3, None)
    assert effort.solver_calls is not None
    assert effort.solver_calls >= 2
    assert effort.conflicts is not None
    assert effort.conflicts >= 0


def test_a_board() -> None:
    board = np.array([[-1, 1, -1, 1, -1]])
    measured = analyze(board).effort
    assert (measured.regions, measured.boxes, measured.width) == (1, 3, 2)
    assert measured.to_json() == {
        "regions": 1, "boxes": 3, "width": 2, "states": measured.states, "solver_calls": None,
        "conflicts": None,
    }  # fmt: skip
    single = analyze(board, backend="single")
    assert single.effort == Effort(1, 3, None, None, None, None)  # nothing was counted
    _ = single.probabilities
    assert single.effort.states is not None


def test_asking_counts_nothing() -> None:
    lattice = np.full((41, 41), -1)
    lattice[::2, ::2] = 2
    found = analyze(lattice, backend="subtraction")
    assert found.effort.states is None


def test_width_is_zero_where_nothing_is_left_to_eliminate() -> None:
    assert load("native").elimination_width(Problem((Constraint((0, 1), 2, 2),), (5,))) == 0
    triangle = Problem(tuple(Constraint((a, 3 + a, (a + 1) % 3 + 3), 1, 1) for a in range(3)))
    assert load("native").elimination_width(triangle) == 3
