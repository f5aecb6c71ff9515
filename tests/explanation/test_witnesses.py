"""The two layouts of an undecided cell differ in no more cells than any two must."""

from __future__ import annotations

import random

import pytest

from csp_mines import Board, Frontier, analyze
from csp_mines.board import HIDDEN
from csp_mines.explanation import witnesses
from csp_mines.explanation.explain import Explainer
from csp_mines.layout import Layout
from tests import oracle


def position(seed: int) -> Board:
    """A few opened cells of a 3×4 layout, the total known or not."""
    numbers = random.Random(seed)
    layout = Layout.random(3, 4, numbers.randrange(1, 6), seed)
    full = layout.board()
    shown = {
        cell: full[cell] if full[cell] >= 0 and numbers.random() < 0.4 else HIDDEN
        for cell in full.cells()
    }
    board = full.replace(shown)
    return board if seed % 2 else Board(board.codes)


@pytest.mark.parametrize("seed", range(12))
def test_no_two_layouts_are_closer(seed: int) -> None:
    board = position(seed)
    found = analyze(board)
    frontier = Frontier.of(board)
    fitting = [frontier.cells(mines) for mines in oracle.layouts(frontier.problem)]
    for cell in sorted(board.hidden - found.safe - found.mines):
        pair = Explainer(found).witnesses(cell)
        assert pair.with_mine in fitting
        assert pair.without in fitting
        assert cell in pair.with_mine - pair.without
        closest = min(
            len(layout ^ other) for layout in fitting if cell in layout
            for other in fitting if cell not in other
        )  # fmt: skip
        assert len(pair.with_mine ^ pair.without) == closest


def test_a_large_frontier_has_witnesses_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(witnesses, "MOST_CELLS", 1)
    pair = Explainer(analyze(Board.parse("mines: 1\n?1?"))).witnesses((0, 2))
    assert (pair.with_mine, pair.without) == ({(0, 2)}, {(0, 0)})
