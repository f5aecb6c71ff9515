"""Games played out: layouts that are all alike, and chances that agree with exact ones."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from random import Random

import numpy as np
import pytest

from csp_mines.analysis.winning import TooManyLayouts, WinChance, win_chance, win_chances
from csp_mines.board import Board
from csp_mines.errors import Contradiction, InputError, Unsupported
from csp_mines.games.playouts import (
    WinEstimate,
    chance_to_win,
    draw_layout,
    estimate_win_chance,
)
from tests.oracle import truth

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

from winning import try_cells

pytestmark = pytest.mark.usefixtures("kernel")


@pytest.mark.parametrize(
    "text", ["mines: 3\n?2??\n????\n???M", "mines: 3\n????\n?2C?\nC??X", "?1?\n??1\n??C"]
)
def test_every_layout_is_as_likely_to_be_drawn(text: str) -> None:
    board = Board.parse(text)
    known = {cell for cell in board.cells() if board[cell] in (-2, -3)}
    fitting = [frozenset(layout | known) for layout in truth(board).layouts]
    random, games = Random(7), 40 * len(fitting)
    drawn = Counter(
        frozenset((row, col) for row, col in np.argwhere(draw_layout(board, random)).tolist())
        for _ in range(games)
    )
    assert set(drawn) == set(fitting)
    expected = games / len(fitting)
    chi_square = sum((count - expected) ** 2 / expected for count in drawn.values())
    freedom = len(fitting) - 1
    assert chi_square < freedom + 4 * (2 * freedom) ** 0.5


@pytest.mark.parametrize(("side", "mines"), [(4, 4), (5, 3)])
def test_estimates_agree_with_the_exact_chance(side: int, mines: int) -> None:
    """After a corner that shows 1 there are more layouts than the fast player searches, and it
    plays as well as anybody on such a board, to within a point."""
    codes = np.full((side, side), -1, np.int8)
    codes[0, 0] = 1
    exact = float(win_chance(codes, mines).chance)
    found = estimate_win_chance(codes, mines, games=150)
    assert abs(found.chance - exact) < 4 * found.error + 0.01
    assert 0 < found.error < 0.04
    assert estimate_win_chance(codes, mines, games=150) == found  # the same seed


def test_exactly_where_that_can_be_had() -> None:
    assert chance_to_win(Board.parse("mines: 1\n??")) == WinChance(1, 2, (0, 0))
    wide = Board(np.full((9, 9), -1, np.int8), mines=10)
    found = chance_to_win(wide, games=20)
    assert isinstance(found, WinEstimate)
    assert found.to_json() == {
        "win_chance": found.chance, "exact": False, "error": found.error, "games": 20,
        "player": "win:fast",
    }  # fmt: skip


def test_refusals() -> None:
    with pytest.raises(TooManyLayouts, match="more than 64 hidden cells besides proved mines"):
        chance_to_win(Board(np.full((40, 40), -1, np.int8), mines=300))
    with pytest.raises(Unsupported, match="at most 1,000 cells"):
        estimate_win_chance(np.full((40, 40), -1, np.int8), 300)
    with pytest.raises(Unsupported, match="exact clues and without a density"):
        estimate_win_chance(Board.parse("density: 0.2\n???"))
    with pytest.raises(InputError, match="games must be a whole number, at least 1, not 0"):
        estimate_win_chance(np.array([[-1, -1]]), 1, games=0)
    with pytest.raises(Contradiction):
        estimate_win_chance(np.array([[3, -1]]), 1)


def test_cells_that_are_tried_win_what_exact_play_says() -> None:
    """Every end of such a small game is searched, so nothing but the drawn layouts is left to
    chance, and these are the same for every cell."""
    board = Board.parse("mines: 3\n?2??\n????\n???M")
    exact = win_chances(board)
    cells = sorted(exact.won)
    tried = try_cells(board, cells, 400, 3)
    assert list(tried) == cells
    for cell in cells:
        chance = float(exact.chance(cell) or 0)
        assert abs(np.mean(tried[cell]) - chance) < 4 * 0.5 / 20
    assert try_cells(board, cells[:1], 400, 3)[cells[0]] == tried[cells[0]]
