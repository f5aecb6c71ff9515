"""Counting: the worked example of docs/counting.md, polynomials, priors, and the combination."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from csp_mines import Analysis, Board, Contradiction, TooWide, analyze
from csp_mines.backend import RegionCount, load
from csp_mines.board import HIDDEN
from csp_mines.constraints import Constraint, Problem
from csp_mines.counting import count_by, posterior
from csp_mines.polynomial import correlate, dot, multiply

HALF = Fraction(1, 2)


def shares(found: Analysis) -> list[Fraction]:
    return [found.probability(cell) for cell in sorted(found.board.hidden)]


def test_the_worked_example_region() -> None:
    problem = Problem((Constraint((0, 1), 1, 1), Constraint((1, 2), 1, 1)))
    (region,) = problem.regions
    count = load("native").count(region)
    assert count == RegionCount(low=1, ways=(1, 1), mines=((0, 1), (1, 0), (0, 1)))


@pytest.mark.parametrize(
    ("prior", "solutions", "expected"),
    [
        ({}, 2, [HALF, HALF, HALF]),
        ({"mines": 1}, 1, [0, 1, 0]),
        ({"mines": 2}, 1, [1, 0, 1]),
        ({"density": "0.25"}, 2, [Fraction(1, 4), Fraction(3, 4), Fraction(1, 4)]),
    ],
)
def test_the_worked_example_priors(
    prior: dict[str, int], solutions: int, expected: list[Fraction]
) -> None:
    found = analyze(Board.parse("?1?1?"), **prior)
    assert (found.solutions, shares(found)) == (solutions, expected)


def test_the_worked_example_with_a_sea() -> None:
    found = analyze(Board.parse("?1?1?C????"), mines=3)
    assert found.solutions == 10
    two, three = Fraction(2, 5), Fraction(3, 5)
    assert shares(found) == [two, three, two, two, two, two, two]


def test_a_sea_alone() -> None:
    found = analyze(Board.parse("??\n??"), mines=1)
    assert (found.solutions, shares(found)) == (4, [Fraction(1, 4)] * 4)
    assert analyze(Board.parse("??\n??")).solutions == 16
    assert analyze(Board.parse("??\n??"), mines=0).safe == {(0, 0), (0, 1), (1, 0), (1, 1)}
    assert analyze(Board.parse("??\n??"), mines=4).mines == {(0, 0), (0, 1), (1, 0), (1, 1)}


def test_certain_is_what_counting_says_exactly() -> None:
    """One cell in a million: its probability is near 0 and not 0."""
    found = analyze(Board.parse("?" * 1000 + "\n" + "?" * 1000), mines=1)
    assert found.probability((0, 0)) == Fraction(1, 2000)
    assert not found.safe


def test_solutions_do_not_depend_on_likelihoods() -> None:
    found = analyze(Board.parse("clues: optimistic\n?1?"))
    assert found.solutions == 3
    single, both = HALF, Fraction(1, 3)  # the likelihood of showing 1 with one mine, with two
    assert found.probability((0, 0)) == (single + both) / (2 * single + both) == Fraction(5, 8)


def test_contradictions() -> None:
    for text, mines in (("?1?1?", 3), ("?1?1?", 0), ("1?2", 1)):
        with pytest.raises(Contradiction):
            analyze(Board.parse(text), mines=mines)


def test_too_wide_says_how_wide() -> None:
    with pytest.raises(TooWide, match="max_states is 1") as caught:
        analyze(Board.parse("?1?1?1?1?"), max_states=1)
    assert caught.value.states > 1


coefficients = st.lists(st.integers(0, 10**30), min_size=1, max_size=8)


@given(coefficients, coefficients)
def test_products(a: list[int], b: list[int]) -> None:
    naive = [0] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            naive[i + j] += x * y
    assert multiply(a, b) == naive


@given(coefficients, coefficients)
def test_correlations(a: list[int], extra: list[int]) -> None:
    weights = a + extra
    expected = [dot(a, weights[i:]) for i in range(len(weights) - len(a) + 1)]
    assert correlate(a, weights) == expected


def test_many_regions_share_one_total() -> None:
    """Twenty independent coin tosses: one mine each or none, from a range 0..1 over one cell."""
    problem = Problem(tuple(Constraint((cell,), 0, 1) for cell in range(20)), mines=7)
    counted = posterior(problem, load("native").count)
    assert counted.solutions == comb(20, 7)
    assert {counted.probability(cell) for cell in range(20)} == {Fraction(7, 20)}


def test_a_posterior_has_the_cells_that_were_proved_before_the_count() -> None:
    problem = Problem((Constraint((0,), 1, 1), Constraint((1, 2), 1, 1)))
    counted = count_by(load("native"), problem)
    assert counted.known.mines == counted.certain().mines == {0}
    assert [counted.probability(cell) for cell in range(3)] == [1, Fraction(1, 2), Fraction(1, 2)]


@pytest.mark.parametrize("backend", ["native:pure", "pysat"])
def test_the_limit_that_stops_a_count_is_named(backend: str) -> None:
    """An engine in Python counts its states against the memory, too."""
    codes = np.full((9, 9), HIDDEN, np.int8)
    codes[1::2, 1::2] = 3
    with pytest.raises(TooWide, match="more than 128 KiB of memory"):
        analyze(codes, backend=backend, max_memory=1 << 17).solutions  # noqa: B018
    with pytest.raises(TooWide, match="but max_states is 50"):
        analyze(codes, backend=backend, max_states=50).solutions  # noqa: B018
