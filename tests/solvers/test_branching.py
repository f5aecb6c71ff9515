"""Counting by branching: what it remembers, and how it gives up."""

from __future__ import annotations

import pytest

from csp_mines.backend import load
from csp_mines.constraints import Constraint, Problem, Region
from csp_mines.errors import TooWide
from solvers.branching import Domains, Values, count_by_branching, narrow_by_bounds


class Asked:
    """Bounds propagation, and how often it was asked."""

    def __init__(self, region: Region) -> None:
        self.region = region
        self.questions = 0

    def narrow(self, values: Values) -> Domains | None:
        self.questions += 1
        return narrow_by_bounds(self.region, values)


def chain(length: int) -> Region:
    """Every three cells in a row have one or two mines: as many ways as coin tosses without three
    alike in a row, twice a Fibonacci number."""
    (region,) = Problem(
        tuple(Constraint((i, i + 1, i + 2), 1, 2) for i in range(length - 2))
    ).regions
    return region


def test_residual_problems_are_counted_once() -> None:
    region = chain(60)
    reasoner = Asked(region)
    count = count_by_branching(region, reasoner, 10_000)
    assert sum(count.ways) == 2 * 2_504_730_781_961
    assert reasoner.questions < 1_000
    assert count == load("native").count(region)


def test_a_reasoner_that_never_refutes_is_enough() -> None:
    class Silent(Asked):
        def narrow(self, values: Values) -> Domains | None:
            cells = enumerate(self.region.boxes)
            fixed = [(values.get(box, 0), values.get(box, len(one))) for box, one in cells]
            return None if self.broken(values) else fixed

        def broken(self, values: Values) -> bool:
            return any(
                all(box in values for box in one.boxes)
                and not one.low <= sum(values[box] for box in one.boxes) <= one.high
                for one in self.region.constraints
            )

    region = chain(9)
    assert count_by_branching(region, Silent(region), 10_000) == load("native").count(region)


def test_bounds_propagation_narrows_and_refutes() -> None:
    clues = (Constraint((0, 1, 2), 2, 2), Constraint((2, 3), 1, 1), Constraint((3, 4, 5), 3, 3))
    (region,) = Problem(clues).regions
    by_cells = dict(zip(region.boxes, narrow_by_bounds(region, {}) or (), strict=True))
    assert by_cells == {(0, 1): (2, 2), (2,): (0, 0), (3,): (1, 1), (4, 5): (2, 2)}
    assert narrow_by_bounds(region, {region.boxes.index((2,)): 1}) is None


@pytest.mark.parametrize("name", ["pysat", "cpsat"])
def test_gives_up_with_the_number_of_residual_problems(name: str) -> None:
    with pytest.raises(TooWide, match="needs 24 states or more, max_states is 20"):
        load(name, max_states=20).count(chain(60))
