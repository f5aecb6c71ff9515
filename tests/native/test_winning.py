"""Playing to win: exact chances against an independent search, and moves that must be right."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from functools import cache
from itertools import combinations

import numpy as np
import pytest

from csp_mines.analysis.analyze import analyze
from csp_mines.analysis.winning import (
    TooManyLayouts,
    WinChance,
    WinningMove,
    best_move,
    win_chance,
)
from csp_mines.board import Board
from csp_mines.errors import Contradiction, Unsupported
from csp_mines.games.agents import agent
from csp_mines.games.game import Game, Rules, Spec
from csp_mines.games.playing import Step, play
from csp_mines.geometry import SQUARE

pytestmark = pytest.mark.usefixtures("kernel")


class Strategies:
    """Every strategy on every board of one size with a first cell that is no mine, by definition:
    what is open and what could be the truth decide, and every hidden cell is tried. A set of
    layouts is an integer, a bit for each."""

    def __init__(self, rows: int, cols: int, mines: int, first: int, *, sure_first: bool) -> None:
        self.cells = rows * cols
        self.safe = self.cells - mines
        self.sure_first = sure_first
        self.showing: list[defaultdict[int, int]] = [defaultdict(int) for _ in range(self.cells)]
        placed = [set(some) for some in combinations(range(self.cells), mines) if first not in some]
        for number, some in enumerate(placed):
            for cell in set(range(self.cells)) - some:
                near = SQUARE.neighbours(divmod(cell, cols), rows, cols)
                clue = sum(row * cols + col in some for row, col in near)
                self.showing[cell][clue] |= 1 << number
        self.no_mine = [sum(parts.values()) for parts in self.showing]
        self.value = cache(self._value)
        self.by_number = {
            clue: (self.value(part, 1 << first), part.bit_count())
            for clue, part in sorted(self.showing[first].items())
        }

    def _value(self, layouts: int, opened: int) -> int:
        """How many of the layouts the best strategy wins. To open a cell that is safe in all of
        them never does harm, and larger boards are too many without that."""
        if opened.bit_count() == self.safe:
            return layouts.bit_count()
        hidden = [cell for cell in range(self.cells) if not opened >> cell & 1]
        if self.sure_first:
            hidden = [c for c in hidden if not layouts & ~self.no_mine[c]][:1] or hidden
        return max(
            sum(
                self.value(layouts & part, opened | 1 << cell)
                for part in self.showing[cell].values()
                if layouts & part
            )
            for cell in hidden
        )


def first_shows(rows: int, cols: int, mines: int, first: int) -> dict[int, tuple[int, int]]:
    """Layouts won and possible, by what the first cell shows."""
    found = {}
    for number in range(9):
        codes = np.full(rows * cols, -1, np.int8)
        codes[first] = number
        try:
            chance = win_chance(codes.reshape(rows, cols), mines)
        except Contradiction:
            continue
        found[number] = chance.won, chance.layouts
    return found


@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (1, 5), (2, 2), (2, 3), (3, 2), (2, 4), (3, 3)])
def test_every_start_of_the_smallest_boards(rows: int, cols: int) -> None:
    for mines in range(rows * cols):
        for first in range(rows * cols):
            truth = Strategies(rows, cols, mines, first, sure_first=False)
            assert first_shows(rows, cols, mines, first) == truth.by_number, (mines, first)


@pytest.mark.parametrize(("rows", "cols", "mines"), [(3, 4, 3), (3, 4, 7), (4, 4, 2), (4, 4, 12)])
def test_starts_of_small_boards(rows: int, cols: int, mines: int) -> None:
    for first in (0, 1, cols + 1):
        truth = Strategies(rows, cols, mines, first, sure_first=True)
        assert first_shows(rows, cols, mines, first) == truth.by_number


@pytest.mark.parametrize(
    ("side", "mines", "won"),
    [
        (4, 4, (949, 961, 914)),
        (4, 5, (1433, 1461, 1440)),
        (4, 6, (1556, 1584, 1574)),
        (5, 3, (1798, 1763, 1736)),
    ],
)
def test_starts_that_take_brute_force_long(side: int, mines: int, won: tuple[int, ...]) -> None:
    """The numbers are those of another program, written before this one."""
    starts = [first_shows(side, side, mines, first) for first in (0, 1, side + 1)]
    assert tuple(sum(wins for wins, _ in start.values()) for start in starts) == won


def test_the_better_of_two_cells_of_the_same_risk() -> None:
    """8,8 is as safe as 6,8, but opens nothing that would tell the other two layouts apart."""
    board = Board.parse(
        "mines: 10\n000000000\n000000000\n000000000\n012210111\n02MM223M1\n"
        "02M32MM32\n0222123??\n01M1012??\n011101M2?\n"
    )
    assert win_chance(board) == WinChance(won=2, layouts=3, cell=(6, 8))
    assert best_move(board) == WinningMove((6, 8), pytest.approx(1 / 3), 2 / 3, True, "endgame", 3)


def test_a_chance_is_exact_and_says_so() -> None:
    found = win_chance(Board.parse("mines: 1\n??"))
    assert (found.chance, found.cell) == (Fraction(1, 2), (0, 0))
    assert found.to_json() == {
        "win_chance": 0.5, "exact": True, "won": 1, "layouts": 2, "cell": [0, 0]
    }  # fmt: skip


def test_without_a_total_all_layouts_are_alike() -> None:
    """Two cells and nothing known: whoever opens one of them safely reads off the other."""
    assert win_chance(np.array([[-1, -1]])) == WinChance(won=2, layouts=4, cell=(0, 0))


def test_a_safe_cell_comes_first() -> None:
    """The only mine is beside the 1, so the end of the row is safe, and shows where it is."""
    board = Board.parse("mines: 1\n?1??")
    assert best_move(board) == WinningMove((0, 3), 0.0, None, False, "proved")
    assert win_chance(board) == WinChance(won=2, layouts=2, cell=(0, 3))
    solved = Board.parse("mines: 1\n01?")
    assert win_chance(solved) == WinChance(won=1, layouts=1, cell=None)
    assert best_move(solved) is None


def test_of_cells_proved_safe_the_move_takes_the_one_that_an_analysis_takes() -> None:
    """The 0 proves the eight cells around it. (0, 1) is the first, (0, 3) has the fewest
    neighbours."""
    board = Board.parse("mines: 2\n????\n??0?\n????\n????")
    analysis = analyze(board)
    assert len(analysis.safe) == 8
    assert min(analysis.safe) == (0, 1)
    found = best_move(board)
    assert found is not None
    assert found.cell == analysis.move.cell == (0, 3)


def test_refusals() -> None:
    with pytest.raises(TooManyLayouts, match="more than 64 hidden cells besides proved mines"):
        win_chance(np.full((9, 9), -1, np.int8), 10)
    with pytest.raises(TooManyLayouts, match="more than 5,000 layouts"):
        win_chance(np.full((5, 5), -1, np.int8), 10)
    with pytest.raises(TooManyLayouts, match="searching 2,300 layouts takes more than 5,000"):
        win_chance(np.full((5, 5), -1, np.int8), 3, work=5_000)
    with pytest.raises(Contradiction):
        win_chance(np.array([[3, -1]]))
    with pytest.raises(Contradiction):
        best_move(np.array([[3, -1]]))
    with pytest.raises(Unsupported, match="does not work with a density"):
        win_chance(Board.parse("density: 0.2\n??"))
    with pytest.raises(Unsupported, match="not optimistic clues"):
        best_move(Board.parse("clues: optimistic\n1?"))
    with pytest.raises(Unsupported, match="not silent clues"):
        win_chance(Board.parse("clues: silent\n1?"))


@pytest.mark.parametrize("clues", ["silent", "optimistic", "cautious"])
def test_noisy_clues_are_played_by_lowest_risk(clues: str) -> None:
    rules = Rules("sweep", "any", clues=clues)
    moves: dict[str, list[tuple[int, int]]] = {"win": [], "exact": []}
    for name, made in moves.items():
        game = Game(Spec(5, 5, 6), rules, 4)
        play(game, agent(name), 4, watch=lambda step, made=made: made.append(step.cell))
    assert moves["win"] == moves["exact"]


@pytest.mark.parametrize("name", ["win", "win:fast", "pysat+win"])
def test_no_risk_is_taken_where_a_cell_is_safe(name: str) -> None:
    """Every guess is made on a board on which the complete engine proves nothing safe."""
    guesses = 0
    for seed in range(6):
        boards = [Board.parse("?")]

        def watch(step: Step, boards: list[Board] = boards) -> None:
            nonlocal guesses
            if step.kind == "guess":
                guesses += 1
                assert not analyze(boards[-1]).safe
            boards.append(step.board)

        play(Game(Spec(9, 9, 15), Rules(), seed), agent(name), seed, watch=watch, check=True)
    assert guesses > 3


def test_a_move_is_found_where_every_look_ahead_is_dear() -> None:
    """A lattice of clues, whose counting is wide: the work of one move is bounded all the same."""
    codes = np.full((13, 13), -1, np.int8)
    codes[1::2, 1::2] = 2
    advice = best_move(codes, 40)
    assert advice is not None
    assert codes[advice.cell] == -1
    assert advice.risk < 0.35
