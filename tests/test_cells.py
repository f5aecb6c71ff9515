"""Every public function that takes a cell: what is none is refused in the same words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from csp_mines import Board, BoardError, Game, Layout, Spec, analyze, certify, explain, grade
from csp_mines.analysis.outcomes import outcomes
from csp_mines.analysis.winning import WinChances
from csp_mines.explanation.explain import Explainer
from csp_mines.games.assist import Session
from csp_mines.generation.wishes import Wish
from csp_mines.simulation.plans import Setup

BOARD = Board.parse("mines: 3\n1???\n????\n????")
LAYOUT = Layout.parse("..*.\n....\n....")
TAKERS: dict[str, Callable[[Any], object]] = {
    "board": lambda cell: BOARD[cell],
    "require": BOARD.require,
    "neighbours": BOARD.neighbours,
    "number": LAYOUT.number,
    "clear": lambda cell: Layout.random(3, 4, 1, 0, clear=[cell]),
    "kernel": lambda cell: analyze(BOARD).probability(cell),
    "engine": lambda cell: analyze(BOARD, backend="single").probability(cell),
    "sampled": lambda cell: analyze(BOARD, counter="sampling").probability(cell),
    "explain": lambda cell: explain(BOARD, cell),
    "witnesses": lambda cell: Explainer(analyze(BOARD)).witnesses(cell),
    "outcomes": lambda cell: outcomes(analyze(BOARD), cell),
    "open": lambda cell: Game(LAYOUT).open(cell),
    "mark": lambda cell: Game(LAYOUT).mark([cell]),
    "shown": lambda cell: Game(LAYOUT).shown(cell),
    "first": lambda cell: Game(LAYOUT, first=cell),
    "grade": lambda cell: grade(LAYOUT, cell),
    "certify": lambda cell: certify(LAYOUT, cell),
    "wish": lambda cell: Wish(Spec(3, 4, 1), cell),
    "setup": lambda cell: Setup(Spec(3, 4, 1), first=cell),
}
NONE = [5, 1.5, "0,1", "01", (0,), (0, 1, 2), (0.0, 1.0), ("0", "1"), (0, float("nan")), [[0, 1]]]


@pytest.mark.parametrize("cell", [*NONE, None, object()], ids=lambda c: repr(c)[:12])
@pytest.mark.parametrize("taker", TAKERS)
def test_what_is_no_pair_of_whole_numbers(taker: str, cell: object) -> None:
    if cell is None and taker in ("first", "grade", "setup"):
        return  # none is given: the rules' own first cell
    with pytest.raises(
        BoardError, match=r"^a cell must be a pair of whole numbers, \(row, col\), not "
    ):
        TAKERS[taker](cell)


@pytest.mark.parametrize("cell", [(-1, 0), (0, -1), (3, 0), (0, 4), (10**30, 0), (0, -(10**30))])
@pytest.mark.parametrize("taker", TAKERS)
def test_what_is_off_the_board(taker: str, cell: tuple[int, int]) -> None:
    message = f"^cell {cell[0]},{cell[1]} is not on this 3×4 board$"
    with pytest.raises(BoardError, match=message):
        TAKERS[taker](cell)


@pytest.mark.parametrize("taker", sorted(TAKERS.keys() - {"sampled"}))
def test_lists_and_numbers_of_numpy_are_cells(taker: str) -> None:
    for cell in ([2, 1], np.array([2, 1]), (np.int8(2), np.uint64(1))):
        assert repr(TAKERS[taker](cell)) == repr(TAKERS[taker]((2, 1)))


def test_chances_to_win() -> None:
    chances = WinChances(4, {(0, 1): 3, (0, 2): None})
    assert chances.chance((0, 1)) == 3 / 4
    assert chances.chance(np.array([0, 1])) == 3 / 4  # type: ignore[arg-type]
    assert chances.chance((0, 2)) is None
    with pytest.raises(
        BoardError, match=r"\(0, 0\) is not one of the hidden cells that were searched"
    ):
        chances.chance((0, 0))
    for cell in (None, 5, "x", {}, (1.5, 2)):
        with pytest.raises(BoardError, match="a cell must be a pair of whole numbers"):
            chances.chance(cell)  # type: ignore[arg-type]


def test_entries_of_a_session() -> None:
    session = Session(BOARD)
    with pytest.raises(BoardError, match="not on this 3×4 board"):
        session.enter({(-1, 0): 1})
    with pytest.raises(BoardError, match="a cell must be a pair"):
        session.enter({0: 1})  # type: ignore[dict-item]
