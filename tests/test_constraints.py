"""From boards to constraints: bounds, weights, boxes, regions, the sea, and the total."""

from __future__ import annotations

from fractions import Fraction

import pytest

from csp_mines import Board, Contradiction, Frontier, Problem
from csp_mines.backend import load
from csp_mines.constraints import Constraint, merged
from csp_mines.counting import posterior


def frontier(text: str) -> Frontier:
    return Frontier.of(Board.parse(text))


def bounds(text: str) -> list[tuple[tuple[int, ...], int, int]]:
    return [
        (constraint.cells, constraint.low, constraint.high)
        for constraint in frontier(text).problem.constraints
    ]


def test_the_corner() -> None:
    assert bounds("????\n113?\n001?\n001?") == [
        ((0, 1), 1, 1),
        ((0, 1, 2), 1, 1),
        ((1, 2, 3, 7, 11), 3, 3),
        ((7, 11, 15), 1, 1),
        ((11, 15), 1, 1),
    ]


def test_marks_are_taken_in() -> None:
    assert bounds("M2?\nX??") == [((2, 4, 5), 0, 0)]
    assert bounds("C1?") == [((2,), 1, 1)]
    assert frontier("mines: 3\nM2?\nX??").problem.mines == 1


@pytest.mark.parametrize(
    ("model", "low", "high"),
    [("exact", 1, 1), ("silent", 1, 1), ("optimistic", 1, 4), ("cautious", 0, 1)],
)
def test_bounds_of_clue_models(model: str, low: int, high: int) -> None:
    assert bounds(f"clues: {model}\nM2?\n???") == [((2, 3, 4, 5), low, high)]


def test_likelihoods_count_the_marked_mines_too() -> None:
    (constraint,) = frontier("clues: optimistic\nM1?").problem.constraints
    assert constraint.weights == (2520 // 2, 2520 // 3)
    (constraint,) = frontier("clues: cautious\nM1?").problem.constraints
    assert constraint.weights == (2520 // 8, 2520 // 7)


def test_duplicates_are_merged() -> None:
    found = frontier("1?1")
    assert len(found.statements) == 2
    assert found.problem.constraints == (Constraint((1,), 1, 1),)
    a, b = Constraint((1, 2), 0, 1, (5, 3, 1)), Constraint((1, 2), 1, 2, (1, 2, 7))
    assert merged([a, b]) == (Constraint((1, 2), 1, 1, (5, 6, 7)),)


def test_boxes_regions_and_sea() -> None:
    problem = frontier("mines: 3\n?1???1?\n???????").problem
    left, right = problem.regions
    assert left.boxes == ((0, 2, 7, 8, 9),)
    assert right.boxes == ((4, 6, 11, 12, 13),)
    assert problem.sea == (3, 10)
    (region,) = frontier("?1?1?").problem.regions
    assert region.boxes == ((0,), (2,), (4,))
    assert [constraint.boxes for constraint in region.constraints] == [(0, 1), (1, 2)]


def test_a_region_can_be_made_a_problem_again() -> None:
    (region,) = frontier("????\n113?\n001?\n001?").problem.regions
    assert region.problem().regions == (region,)


def test_given_known_cells() -> None:
    problem = Problem(
        (Constraint((1, 2, 3), 1, 2, (9, 8, 7, 6)), Constraint((3,), 0, 1)), (4, 5), 2
    )
    rest = problem.given(safe=[1], mines=[2, 4])
    assert rest == Problem((Constraint((3,), 0, 1, (8, 7)),), (5,), 0)
    with pytest.raises(Contradiction):
        problem.given(safe=[], mines=[1, 2, 3])


def test_impossible_problems_are_found_out() -> None:
    for problem in (
        Problem((Constraint((1,), 2, 2),)),
        Problem((Constraint((), 1, 1),)),
        Problem.trusted((Constraint((1, 2), 1, 0),)),
        Problem((), (1, 2), 3),
        Problem.trusted((), (1, 2), -1),
    ):
        with pytest.raises(Contradiction):
            problem.check()


def test_when_the_total_bites() -> None:
    clue = Constraint((1, 2), 1, 1)
    sea = tuple(range(10, 20))
    assert not Problem((clue,), sea).total_bites
    assert not Problem((clue,), sea, 5).total_bites
    assert Problem((clue,), sea, 1).total_bites  # no mine is left for the sea
    assert Problem((clue,), sea, 11).total_bites  # the sea is full of them
    assert Problem((clue,), (), 1).total_bites


def test_priors() -> None:
    board = Board.parse("density: 0.2\n?1?")
    assert Frontier.of(board).problem.odds == Fraction(1, 4)
    assert Frontier.of(board, mines=1).problem.odds == 1
    assert Frontier.of(board, density=Fraction(1, 2)).problem.odds == 1


def test_some_statements_alone() -> None:
    found = frontier("mines: 2\n?1?1?")
    assert found.only([0], total=False) == Problem((Constraint((0, 2), 1, 1),))
    assert found.only([1], total=True) == Problem((Constraint((2, 4), 1, 1),), (0,), 2)


@pytest.mark.parametrize(
    ("constraints", "told"),
    [
        ([((1, 2), 3, 3), ((1, 2), 1, 1)], "2 cells cannot hold at least 3 and at most 1 mine"),
        ([((1, 2), 2, 2), ((1, 2), 0, 0)], "2 cells cannot hold at least 2 and at most 0 mines"),
        ([((1,), 2, 2)], "1 cell cannot hold 2 mines"),
        ([((), 1, 1)], "0 cells cannot hold 1 mine"),
        ([((1, 2), 3, 8)], "2 cells cannot hold at least 3 mines"),
        ([((), -1, -1)], "0 cells cannot hold a negative number of mines"),
    ],
)
def test_what_nothing_satisfies_in_words(
    constraints: list[tuple[tuple[int, ...], int, int]], told: str
) -> None:
    problem = Problem.trusted(tuple(Constraint(*bounds) for bounds in constraints))
    with pytest.raises(Contradiction) as caught:
        _ = problem.regions
    assert str(caught.value) == told


def test_a_total_of_one_that_the_clues_refute() -> None:
    problem = Problem((Constraint((1, 2), 1, 1), Constraint((3, 4), 1, 1)), (), 1)
    with pytest.raises(Contradiction, match=r"^the clues cannot hold with 1 remaining mine$"):
        posterior(problem, load("native").count)
