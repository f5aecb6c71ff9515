"""Compiled no-guess play and generation: against the engines, against all layouts, for seams."""

from __future__ import annotations

from collections import Counter
from math import sqrt
from random import Random
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pytest

from csp_mines.analysis.grades import Grade
from csp_mines.backend import load
from csp_mines.constraints import Frontier
from csp_mines.games.game import Game, Rules
from csp_mines.generation.boards import opened_board
from csp_mines.generation.certificates import certify
from csp_mines.generation.checker import check
from csp_mines.generation.deduction import solve_by_deduction
from csp_mines.generation.draws import drawn_layout, seed_key
from csp_mines.generation.noguess import NoGuessGame, generate
from csp_mines.generation.wishes import GradeBounds, Wish, read_difficulty
from csp_mines.layout import Layout, Spec, level
from tests.generation.brute import Brute, all_layouts

if TYPE_CHECKING:
    from csp_mines.kernel import Kernel

STATES = 2_000_000
SIZES = [(5, 5), (9, 9), (16, 16), (3, 70)]


@pytest.mark.parametrize("seed", range(4))
def test_every_engine_is_the_same_compiled(kernel: Kernel, seed: int) -> None:
    random = Random(seed)
    for _ in range(12):
        rows, cols = random.choice(SIZES)
        mines = int(rows * cols * random.uniform(0.1, 0.35))
        rules = Rules(start=random.choice(["safe", "any"]), flood=random.random() < 0.7)
        game = Game(Spec(rows, cols, mines), rules, random.random().hex())
        board = opened_board(game, random.uniform(0.05, 0.9))
        frontier = Frontier.of(board)
        for grade in Grade:
            problem = frontier.problem
            asked = problem if grade is Grade.TOTAL else problem.without_total()
            expected = load(grade.engine).deduce(asked)
            found = kernel.deduce_board(np.array(board.codes), grade.rank, mines, STATES)
            assert found is not None
            assert (set(found[0]), set(found[1])) == (expected.safe, expected.mines), board


@pytest.mark.parametrize("seed", range(3))
def test_games_are_the_same_compiled(kernel: Kernel, seed: int) -> None:
    random = Random(seed)
    for _ in range(15):
        rows, cols = random.choice(SIZES[:3])
        mines = int(rows * cols * random.uniform(0.1, 0.22))
        layout = Layout.random(rows, cols, mines, random.random().hex(), clear=[(0, 0), (1, 1)])
        hardest = random.choice(list(Grade))
        compiled = solve_by_deduction(layout, (0, 0), hardest=hardest)
        assert compiled == solve_by_deduction(layout, (0, 0), hardest=hardest, pure=True)


def test_draws_are_the_same_compiled(kernel: Kernel) -> None:
    wish = Wish(Spec(6, 8, 7), (2, 3))
    key = seed_key("layouts", 11)
    made, too_wide = kernel.uniform_layouts(wish.size, -1, 5, key, 100, 140, STATES, 2)
    assert too_wide == 0
    expected = []
    for number in range(100, 140):
        layout = drawn_layout(wish, key, number)
        found = solve_by_deduction(layout, wish.first, pure=True)
        if found.won:
            rank = -1 if found.grade is None else found.grade.rank
            rounds = tuple(found.counts.get(grade, 0) for grade in Grade)
            expected.append((number, layout.mines.astype(np.uint8).tobytes(), rank, rounds))
    assert [(game.number, game.mines, game.grade, game.rounds) for game in made] == expected


@pytest.mark.parametrize(("mines", "start", "total"), [(4, "safe", True), (4, "zero", False)])
def test_uniform_is_uniform(kernel: Kernel, mines: int, start: str, total: bool) -> None:
    """All no-guess layouts of 4×4, found by brute force, come up equally often in 50,000."""
    wish = Wish(Spec(4, 4, mines), (0, 0), start, read_difficulty(None, use_total=total))
    brute = Brute(4, 4, [mines] if total else range(17))
    expected = {
        layout
        for layout in all_layouts(4, 4, mines, wish.clear)
        if brute.won_without_a_guess(layout, 0)
    }
    draws = 50_000
    key = seed_key("layouts", 1)
    ranks = wish.difficulty.ranks
    made, _ = kernel.uniform_layouts(wish.size, *ranks, key, 0, 300_000, STATES, 2)
    drawn = Counter(game.mines for game in made[:draws])
    assert drawn.total() == draws
    assert {
        frozenset(np.flatnonzero(np.frombuffer(drawn_bytes, bool)).tolist())
        for drawn_bytes in drawn
    } == (expected)
    each = draws / len(expected)
    square = sum((number - each) ** 2 / each for number in drawn.values())
    freedom = len(expected) - 1
    assert abs(square - freedom) < 4 * sqrt(2 * freedom)


def densities(games: list[NoGuessGame]) -> list[tuple[float, float]]:
    """Mean and standard error of the mines' density by distance to the edge, then to the first
    cell."""
    grids = np.array([game.layout.mines for game in games], float)
    _, rows, cols = grids.shape
    row, col = np.indices((rows, cols))
    edge = np.minimum.reduce([row, col, rows - 1 - row, cols - 1 - col])
    first = np.maximum(abs(row - games[0].first[0]), abs(col - games[0].first[1]))
    found = []
    for distance in (edge, first):
        for value in range(int(distance.max()) + 1):
            means: npt.NDArray[np.float64] = grids[:, distance == value].mean(axis=1)
            found.append((float(means.mean()), float(means.std() / sqrt(len(games)))))
    return found


@pytest.mark.parametrize(
    ("spec", "first"), [(level("intermediate"), (8, 8)), (level("expert"), (0, 0))]
)
def test_repair_leaves_no_seams(kernel: Kernel, spec: Spec, first: tuple[int, int]) -> None:
    """At no distance does the density differ by more than a twelfth of the mean and chance."""
    wish = Wish(spec, first, difficulty=read_difficulty(None, use_total=False))
    repaired = densities(list(generate(wish, 600, seed=1, method="repair")))
    uniform = densities(list(generate(wish, 600, seed=1, method="uniform")))
    mean = spec.mines / (spec.rows * spec.cols)
    for (share, error), (other, other_error) in zip(repaired, uniform, strict=True):
        assert abs(share - other) <= mean / 12 + 3.5 * sqrt(error**2 + other_error**2)


@pytest.mark.parametrize(
    ("spec", "bounds"),
    [
        (Spec(16, 30, 99), "single"),
        (Spec(16, 30, 99), "search"),
        (Spec(16, 16, 40), "subtraction"),
        (Spec(9, 9, 20), "total"),
        (Spec(10, 60, 130), "at-most:pair"),
    ],
)
def test_repair_meets_the_grade(kernel: Kernel, spec: Spec, bounds: str) -> None:
    wish = Wish(spec, (4, 4), difficulty=read_difficulty(bounds))
    for game in generate(wish, 2, seed=7, method="repair"):
        found = solve_by_deduction(game.layout, game.first, pure=True)
        assert found.won
        assert found.counts == game.rounds
        assert wish.difficulty.allows(found.grade)


def test_where_rejection_is_hopeless(kernel: Kernel) -> None:
    wish = Wish(Spec(30, 30, 250), (15, 15))
    games = list(generate(wish, 3, seed=1))
    assert games == list(generate(wish, 3, seed=1, workers=1))
    assert all(game.layout.count == 250 for game in games)
    assert solve_by_deduction(games[0].layout, (15, 15), pure=True).won


def test_repaired_games_are_certified(kernel: Kernel) -> None:
    (game,) = generate(Wish(Spec(10, 10, 30), (5, 5)), 1, seed=1, method="repair")
    assert check(certify(game.layout, game.first).to_json()) > 0


def test_grades_by_uniform(kernel: Kernel) -> None:
    for grade in Grade:
        wish = Wish(level("intermediate"), (8, 8), difficulty=GradeBounds(grade, grade))
        for game in generate(wish, 2, seed=3, method="uniform"):
            found = solve_by_deduction(game.layout, game.first, pure=True)
            assert (found.won, found.grade, found.counts) == (True, grade, game.rounds)


def test_boards_without_room_for_mines(kernel: Kernel) -> None:
    for size in ((1, 1, 0, 0, 0, True), (2, 2, 0, 1, 1, True), (3, 3, 0, 1, 1, True)):
        assert kernel.repaired_layouts(size, 2, 2, 1, 0, 2, 50, STATES, 1) == []
        assert len(kernel.repaired_layouts(size, -1, 2, 1, 0, 2, 50, STATES, 1)) == 2


def test_calls_that_make_no_sense(kernel: Kernel) -> None:
    good = (4, 4, 3, 0, 0, True)
    for size in ((0, 4, 0, 0, 0, True), (4, 4, 3, 4, 0, True), (4, 4, 13, 0, 0, True)):
        with pytest.raises(ValueError):  # noqa: PT011 - each has words of its own
            kernel.uniform_layouts(size, -1, 5, 1, 0, 10, STATES, 1)
    with pytest.raises(ValueError, match="rank"):
        kernel.uniform_layouts(good, -1, 6, 1, 0, 10, STATES, 1)
    with pytest.raises(ValueError, match="after end"):
        kernel.repaired_layouts(good, -1, 5, 1, 3, 2, 100, STATES, 1)
    with pytest.raises(ValueError, match="one byte for each cell"):
        kernel.play_layout(good, b"\0", 5, STATES)
    with pytest.raises(ValueError, match="is a mine"):
        kernel.play_layout(good, b"\1" * 16, 5, STATES)
