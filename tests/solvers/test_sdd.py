"""Counts from decision diagrams, beyond every machine word."""

from __future__ import annotations

from math import comb

import pytest

from csp_mines.backend import RegionCount, backend_class, load
from csp_mines.constraints import Constraint, Problem, Region
from csp_mines.errors import TooWide
from csp_mines.testing.problems import endless_problem

pytestmark = pytest.mark.skipif(backend_class("sdd").missing() is not None, reason="no pysdd")


def region(*constraints: Constraint) -> Region:
    (only,) = Problem(constraints).regions
    return only


def test_counts_above_two_to_the_64() -> None:
    cells = tuple(range(70))
    count = load("sdd").count(region(Constraint(cells, 35, 35)))
    ways = comb(70, 35)
    assert ways > 2**64
    assert count == RegionCount(35, (ways,), ((35 * ways,),))


def test_weights_above_two_to_the_64() -> None:
    weights = (10**40, 2**64, 7)
    weighed = region(Constraint((0, 1), 0, 2, weights), Constraint((1, 2), 1, 1))
    count = load("sdd").count(weighed)
    assert count == load("native").count(weighed)
    assert sum(count.ways) == 10**40 + 2 * 2**64 + 7


def test_a_diagram_that_becomes_too_large_is_too_wide() -> None:
    (wide,) = endless_problem(13, None).regions
    with pytest.raises(TooWide, match="max_states is 2,000"):
        load("sdd", max_states=2_000).count(wide)
