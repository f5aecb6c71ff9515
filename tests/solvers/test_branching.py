"""Counting by branching: what it remembers, and how it gives up."""

from __future__ import annotations

from random import Random

import pytest
from csp_mines.solvers.branching import Domains, Part, count_by_branching, narrow_by_bounds

from csp_mines.backend import Deadline, load
from csp_mines.constraints import Constraint, Frontier, Problem, Region
from csp_mines.errors import TooWide
from tests.strategies import dense_board

NEVER = Deadline(None)


class Asked:
    """Bounds propagation, and how often it was asked."""

    def __init__(self, region: Region) -> None:
        self.region = region
        self.questions = 0

    def narrow(self, part: Part) -> Domains | None:
        self.questions += 1
        return narrow_by_bounds(self.region, part)


def whole(region: Region, values: dict[int, int]) -> Part:
    boxes = [box for box in range(len(region.boxes)) if box not in values]
    return Part(boxes, range(len(region.constraints)), values)


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
    count = count_by_branching(region, reasoner, 10_000, NEVER)
    assert sum(count.ways) == 2 * 2_504_730_781_961
    assert reasoner.questions < 1_000
    assert count == load("native").count(region)


def test_a_reasoner_that_never_refutes_is_enough() -> None:
    class Silent(Asked):
        def narrow(self, part: Part) -> Domains | None:
            return {box: (0, len(self.region.boxes[box])) for box in part.boxes}

    region = chain(9)
    count = count_by_branching(region, Silent(region), 10_000, NEVER)
    assert count == load("native").count(region)


def test_bounds_propagation_narrows_and_refutes() -> None:
    clues = (Constraint((0, 1, 2), 2, 2), Constraint((2, 3), 1, 1), Constraint((3, 4, 5), 3, 3))
    (region,) = Problem(clues).regions
    by_cells = dict(
        zip(region.boxes, (narrow_by_bounds(region, whole(region, {})) or {}).values(), strict=True)
    )
    assert by_cells == {(0, 1): (2, 2), (2,): (0, 0), (3,): (1, 1), (4, 5): (2, 2)}
    assert narrow_by_bounds(region, whole(region, {region.boxes.index((2,)): 1})) is None


@pytest.mark.parametrize("name", ["pysat", "cpsat"])
def test_gives_up_with_the_number_of_residual_problems(name: str) -> None:
    with pytest.raises(TooWide, match="needs 24 states or more, but max_states is 20"):
        load(name, max_states=20).count(chain(60))


class Lazy(Asked):
    """Refutes what bounds propagation refutes, and beyond that only now and then: whatever it
    leaves out may cost time and nothing else."""

    def __init__(self, region: Region, seed: int) -> None:
        super().__init__(region)
        self.random = Random(seed)

    def narrow(self, part: Part) -> Domains | None:
        domains = {box: (0, len(self.region.boxes[box])) for box in part.boxes}
        if self.random.random() < 0.5:
            return domains
        return super().narrow(part)


@pytest.mark.parametrize("seed", range(12))
def test_what_a_reasoner_leaves_out_changes_no_count(seed: int) -> None:
    board = dense_board(Random(seed), least=5, most=8)
    for region in Frontier.of(board).problem.regions:
        expected = load("native").count(region)
        assert count_by_branching(region, Lazy(region, seed), 10**7, NEVER) == expected
