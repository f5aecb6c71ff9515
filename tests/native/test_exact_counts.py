"""Exact counts by the kernel against the pure engine, which shares no code with it."""

from __future__ import annotations

import json
from fractions import Fraction
from math import comb
from pathlib import Path
from random import Random

import numpy as np
import pytest
from csp_mines.solvers.native import compiled
from csp_mines.solvers.native.region import count_compiled

from csp_mines import Board, BoardError, OutOfTime, TooWide, analyze
from csp_mines.backend import Deadline, RegionCount, load
from csp_mines.board import HIDDEN
from csp_mines.constraints import BoxConstraint, Constraint, Problem, Region
from csp_mines.errors import Contradiction
from tests.oracle import region_count, truth

DATA = Path(__file__).parents[1] / "data"
KERNEL = compiled.load()
PURE = load("native:pure")


def compiled_count(region: Region, max_states: int = 10**7, seconds: float = 60):
    assert KERNEL is not None
    return count_compiled(KERNEL, region, max_states, Deadline(seconds))


def hypergraph(random: Random, cells: int, constraints: int, *, weighted: bool) -> Problem:
    """Constraints over any cells: a hidden layout keeps them satisfiable."""
    mines = {cell for cell in range(cells) if random.random() < random.choice([0.2, 0.5, 0.8])}
    made = []
    for _ in range(constraints):
        inside = tuple(sorted(random.sample(range(cells), random.randint(1, min(cells, 14)))))
        number = len(mines.intersection(inside))
        low, high = number, number
        if random.random() < 0.4:
            low = max(0, low - random.randint(0, 3))
            high = min(len(inside), high + random.randint(0, 3))
        weights = None
        if weighted and random.random() < 0.5:
            weights = tuple(random.choice([1, 2, 2520, 10**9]) for _ in range(len(inside) + 1))
        made.append(Constraint(inside, low, high, weights))
    return Problem(tuple(made))


@pytest.mark.parametrize("weighted", [False, True])
def test_regions_that_come_from_no_grid(weighted: bool) -> None:
    random = Random(11)
    compared = 0
    for _ in range(60):
        problem = hypergraph(
            random, random.randint(2, 60), random.randint(1, 12), weighted=weighted
        )
        for region in problem.regions:
            try:
                expected = load("native:pure", max_states=8_000).count(region)
            except TooWide:
                continue
            found = compiled_count(region)
            assert found == expected
            assert found is not None
            found.check(region)
            compared += 1
    assert compared > 30


def test_counts_of_many_words() -> None:
    """Boxes of hundreds of cells: counts need many primes, and the widest fields."""
    region = Region(
        ((*range(400),), (*range(400, 1000),), (1000,)),
        (BoxConstraint((0, 1), 300, 310), BoxConstraint((1, 2), 200, 250)),
    )
    found = compiled_count(region)
    assert found == PURE.count(region)
    assert found is not None
    assert max(found.ways) > 2**700
    region = Region(((*range(900),),), (BoxConstraint((0,), 450, 450),))
    count = compiled_count(region)
    assert count is not None
    assert (count.low, count.ways) == (450, (comb(900, 450),))
    assert count.mines == ((450 * comb(900, 450),),)


def test_weights_multiply_over_many_constraints() -> None:
    """Products of weights far beyond a word, many numbers of mines."""
    weights = tuple(10**18 + m for m in range(5))
    region = Region(
        tuple((4 * i, 4 * i + 1) for i in range(40)),
        tuple(BoxConstraint((i, i + 1), 0, 4, weights) for i in range(39)),
    )
    found = compiled_count(region)
    assert found == PURE.count(region)
    assert found is not None
    assert len(found.ways) == 81


@pytest.mark.parametrize("cells", [480, 960, 998])
@pytest.mark.parametrize("settled", [1, 2, 3])
def test_weights_and_binomials_that_no_double_holds(cells: int, settled: int) -> None:
    """The ways of a box times the weights that it settles pass 2^1024, which is infinity."""
    half = cells // 2
    few = [(cell,) for cell in range(settled - 1)]
    region = Region(
        (*few, tuple(range(10, 10 + cells))),
        tuple(
            BoxConstraint((*range(taken), len(few)), half, half + 1, (2**64 - 1,) * (cells + 9))
            for taken in reversed(range(settled))
        ),
    )
    found = compiled_count(region)
    assert found == PURE.count(region)
    assert found is not None
    assert max(found.ways) > 2**cells


@pytest.mark.parametrize("weights", [(1, 0, 3, 0, 5), (0, 0, 2, 0, 0), (0, 7, 0, 7, 0), (0,) * 5])
def test_weights_of_zero(weights: tuple[int, ...]) -> None:
    region = Region(
        tuple((2 * i, 2 * i + 1) for i in range(6)),
        tuple(BoxConstraint((i, i + 1), 0, 4, weights) for i in range(5)),
    )
    found = compiled_count(region)
    assert found is not None
    assert found == PURE.count(region) == region_count(region)
    found.check(region)


@pytest.mark.parametrize("constraints", [1000, 1100, 4200])
def test_many_open_constraints_with_few_states(constraints: int) -> None:
    """All of them open with the first box; a key has a bit for each."""
    region = Region(
        tuple((box,) for box in range(constraints + 1)),
        tuple(BoxConstraint((0, 1 + other), 0, 0) for other in range(constraints)),
    )
    assert compiled_count(region) == RegionCount(0, (1,), ((0,),) * (constraints + 1))


def test_the_kernel_refuses_regions_that_are_not_connected() -> None:
    assert KERNEL is not None
    with pytest.raises(ValueError, match="connected"):
        KERNEL.count_region([1, 1], [0, 1, 2], [0, 1], [0, 0], [1, 1], [0, 0, 0], [], 100, 60.0)


def test_what_the_kernel_does_not_take_is_left_to_the_pure_engine() -> None:
    huge = Region(((0,), (1,)), (BoxConstraint((0, 1), 0, 2, (1, 2**70, 3)),))
    assert compiled_count(huge) is None
    assert load("native").count(huge) == PURE.count(huge)
    wide_box = Region(((*range(1500),),), (BoxConstraint((0,), 1, 1),))
    assert compiled_count(wide_box) is None
    assert load("native").count(wide_box).ways == (1500,)


def test_a_region_that_nothing_fits() -> None:
    odd = Region(
        ((0,), (1,), (2,)),
        (BoxConstraint((0, 1), 1, 1), BoxConstraint((1, 2), 1, 1), BoxConstraint((0, 2), 1, 1)),
    )
    found = compiled_count(odd)
    assert found == PURE.count(odd)
    assert found is not None
    assert found.ways == ()
    with pytest.raises(Contradiction):
        load("native").deduce(odd.problem())


def grid_of_lines(size: int) -> Region:
    """Every cell in a row and in a column constraint: the width is that of the grid."""
    lines = [tuple(range(r * size, r * size + size)) for r in range(size)]
    lines += [tuple(range(c, size * size, size)) for c in range(size)]
    half = size // 2
    (region,) = Problem(tuple(Constraint(line, half, half) for line in lines)).regions
    return region


def test_bounds_hold() -> None:
    with pytest.raises(TooWide, match="5,000"):
        compiled_count(grid_of_lines(10), max_states=5000)
    with pytest.raises(OutOfTime):
        compiled_count(grid_of_lines(16), max_states=10**8, seconds=0.05)
    with pytest.raises(OutOfTime, match=r"'native' gave no answer within 0\.05 seconds"):
        load("native", seconds=0.05, max_states=10**8).count(grid_of_lines(16))


def test_only_the_kernel_keeps_counts_between_positions() -> None:
    assert load("native").memory(1 << 20) is not None
    assert PURE.memory(1 << 20) is None


def test_binary_matrices_with_given_sums() -> None:
    """6 x 6 matrices of zeros and ones with three ones in every line: 297200 of them (OEIS
    A001501's neighbour A058527)."""
    count = compiled_count(grid_of_lines(6))
    assert count is not None
    assert (count.low, count.ways) == (18, (297200,))


@pytest.mark.parametrize("clues", ["exact", "silent", "optimistic", "cautious"])
@pytest.mark.parametrize("prior", ["total", "density", None])
def test_boards_to_the_digit(clues: str, prior: str | None) -> None:
    random = np.random.default_rng(5)
    compared = 0
    for _ in range(40):
        rows, cols = random.integers(2, 9, 2)
        mined = random.random((rows, cols)) < random.choice([0.15, 0.3, 0.45])
        around = np.array([[mined[max(0, r - 1) : r + 2, max(0, c - 1) : c + 2].sum() - mined[r, c]
                            for c in range(cols)] for r in range(rows)])  # fmt: skip
        opened = ~mined & (random.random((rows, cols)) < random.choice([0.3, 0.6]))
        shown = {
            "optimistic": random.integers(0, around + 1),
            "cautious": random.integers(around, 9),
        }.get(clues, around)
        codes = np.where(opened, shown, HIDDEN)
        kwargs = {
            "total": {"mines": int(mined.sum())},
            "density": {"density": Fraction(1, 5)},
            None: {},
        }[prior]
        found = analyze(codes, clues=clues, **kwargs)
        pure = analyze(codes, clues=clues, backend="native:pure", **kwargs)
        assert found.solutions == pure.solutions
        for cell in found.board.cells(HIDDEN):
            assert found.probability(cell) == pure.probability(cell)
            compared += 1
    assert compared > 500


def test_marked_and_opened_mines_and_blanks_count() -> None:
    board = Board(Board.parse("?2F2\n?4?C\n?X??\n??2?\n").codes, mines=6)
    found, true = analyze(board), truth(board)
    assert found.solutions == len(true.layouts) > 1
    for cell in board.cells(HIDDEN):
        assert found.probability(cell) == true.probability(cell)
    with pytest.raises(BoardError, match="0,1 is not hidden"):
        found.probability((0, 1))


def test_too_wide_and_exact_agree() -> None:
    """Where probabilities can be had within a bound, so can the digits."""
    random = np.random.default_rng(8)
    mined = random.random((30, 30)) < 0.25
    around = sum(np.roll(np.pad(mined, 1), (dr, dc), (0, 1))[1:-1, 1:-1]
                 for dr in (-1, 0, 1) for dc in (-1, 0, 1) if dr or dc)  # fmt: skip
    codes = np.where(~mined & (random.random((30, 30)) < 0.5), around, HIDDEN)
    for max_states in (10, 100, 1000, 10_000, 100_000):
        try:
            found = analyze(codes, int(mined.sum()), max_states=max_states)
        except TooWide:
            continue
        assert found.solutions > 0
        assert 0 <= found.probability(next(iter(found.board.cells(HIDDEN)))) <= 1


def test_json_does_not_wait_for_a_long_count_under_noisy_clues() -> None:
    """Under optimistic clues, the risks of this board take a second. To count its layouts exactly
    takes more than a minute, so JSON leaves the number out, as for numbers of many digits."""
    positions = map(json.loads, (DATA / "lattice.jsonl").read_text().splitlines())
    rows = next(position["rows"] for position in positions if position["id"] == "vL-15-1")
    analysis = analyze(Board.parse("\n".join(rows)), clues="optimistic")
    document = analysis.to_json()
    assert document["solutions"] is None
    assert document["log_solutions"] == analysis.log_solutions > 0
    assert analyze(Board.parse("??\n1?"), clues="optimistic").to_json()["solutions"] == "7"
