"""What an engine calls certain is checked: counts that cannot be are errors, and no answers."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from csp_mines.backend import Backend, Deduction, RegionCount, load, wrong_answer
from csp_mines.constraints import Constraint, Problem, Region
from csp_mines.counting import count_by, posterior
from csp_mines.errors import EngineFault

# Its layouts of the frontier: {2}, {2, 3}, {0, 3}, {1, 3}.
PROBLEM = Problem((Constraint((0, 1, 2), 1, 1), Constraint((2, 3), 1, 2)), (9,), 2)


def counted() -> tuple[Region, RegionCount]:
    (region,) = PROBLEM.regions
    return region, load("native").count(region)


def test_a_right_count_passes() -> None:
    region, count = counted()
    assert region.boxes == ((0, 1), (2,), (3,))
    assert (count.low, count.ways, count.mines) == (1, (1, 3), ((0, 2), (1, 1), (0, 3)))
    assert len(count.witnesses) == 2
    count.check(region)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mines": ((0, 2), (1, 1))}, "the engine counted 2 boxes, but the region has 3"),
        ({"mines": ((0, 2), (1, 1), (0, 2))}, "in the solutions with 2 mines, .* do not add up"),
        ({"mines": ((0, -1), (1, 4), (0, 3))}, "has fewer than 0 mines, or more mines than cells"),
        ({"mines": ((0, 1), (1, 0), (0, 5))}, "more mines than cells"),
        (
            {"mines": ((0, 3), (1, 1), (0, 2))},
            r"boxes \(0, 1\) must have 1 to 1 mines, but the engine counts more or fewer",
        ),
        ({"mines": ((0, 2), (1, 1), (0, 3, 0))}, "the lists have 2 and 3 entries"),
        ({"witnesses": ((1, 0),)}, "found a solution for 2 boxes, but the region has 3"),
        ({"ways": (1, 0), "mines": ((0, 0), (1, 0), (0, 0))}, "but did not count it"),
        (
            {"low": 2, "ways": (3,), "mines": ((3,), (0,), (3,)), "witnesses": ((0, 1, 0),)},
            "but did not count it",
        ),
        (
            {"witnesses": ((1, 0, 0),)},
            "must have 1 to 2 mines, but the engine found a solution with more or fewer",
        ),
        (
            {"witnesses": ((1, 1, 0),)},
            "must have 1 to 1 mines, but the engine found a solution with more or fewer",
        ),
    ],
)
def test_a_wrong_count_is_an_error(change: dict[str, object], message: str) -> None:
    region, count = counted()
    wrong = replace(count, **change)
    with pytest.raises(EngineFault, match=message):
        wrong.check(region)
    with pytest.raises(EngineFault, match=message):
        posterior(PROBLEM, lambda _: wrong)


def test_a_solution_that_was_met_is_not_denied() -> None:
    (region,) = Problem((Constraint((0, 1), 1, 1), Constraint((1, 2), 1, 1))).regions
    right = load("native").count(region)
    assert right.mines == ((0, 1), (1, 0), (0, 1))
    fewer = RegionCount(1, (1,), ((0,), (1,), (0,)), ((1, 0, 1),))
    with pytest.raises(EngineFault, match="found a solution with 2 mines, but did not count it"):
        fewer.check(region)
    loose = Problem((Constraint((0, 1), 1, 1), Constraint((0, 2), 0, 1))).regions[0]
    certain = RegionCount(1, (1,), ((0,), (1,), (0,)), ((1, 0, 0),))
    with pytest.raises(EngineFault, match=r"box 0 is without a mine if .* with 1 mine in this box"):
        certain.check(loose)


def test_probabilities_add_up_to_the_total() -> None:
    right = posterior(PROBLEM, load("native").count)
    assert right.sea_share == Fraction(1, 4)
    (count,) = right.combined.counts
    fewer = replace(count, mines=((0, 2), (1, 1), (0, 2)))
    wrong = replace(right, combined=replace(right.combined, counts=(fewer,)))
    with pytest.raises(EngineFault, match="do not add up to 2 remaining mines"):
        wrong.probability(3)


class Forgetful(Backend):
    """Says that it is complete, deduces nothing, and counts half of the solutions."""

    name = "forgetful"
    summary = "for tests"
    complete = ranges = counts = True

    def deduce(self, problem: Problem) -> Deduction:
        return Deduction()

    def count(self, region: Region) -> RegionCount:
        return RegionCount(1, (1,), ((0,), (1,), (0,)))


def test_counting_adds_nothing_to_a_complete_deduction() -> None:
    problem = Problem((Constraint((0, 1), 1, 1), Constraint((1, 2), 1, 1)))
    with pytest.raises(EngineFault, match="'forgetful' counts cells as certain"):
        count_by(Forgetful(), problem)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({}, None),
        ({"ways": (np.int64(1), np.int64(3))}, None),
        ({"ways": None}, "a RegionCount whose fields are not lists of numbers"),
        ({"mines": None}, "a RegionCount whose fields are not lists of numbers"),
        ({"witnesses": (1,)}, "a RegionCount whose fields are not lists of numbers"),
        ({"low": None}, "a count with None, expected whole numbers"),
        ({"ways": (1.5, 3)}, "a count with 1.5, expected whole numbers"),
    ],
)
def test_a_malformed_count_is_described(change: dict[str, object], problem: str | None) -> None:
    region, count = counted()
    assert wrong_answer("count", (region,), replace(count, **change)) == problem
