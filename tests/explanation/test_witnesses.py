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


@pytest.mark.parametrize("seed", range(2))
def test_nor_where_clues_are_bounds(seed: int) -> None:
    board = position(seed)
    board = Board(board.codes, mines=board.mines, clues=["optimistic", "cautious"][seed % 2])
    found = analyze(board)
    frontier = Frontier.of(board)
    fitting = [frontier.cells(mines) for mines in oracle.layouts(frontier.problem)]
    for cell in sorted(board.hidden - found.safe - found.mines)[:1]:
        pair = Explainer(found).witnesses(cell)
        closest = min(
            len(layout ^ other) for layout in fitting if cell in layout
            for other in fitting if cell not in other
        )  # fmt: skip
        assert len(pair.with_mine ^ pair.without) == closest


@pytest.mark.parametrize(("mines", "cells"), [(None, 3), (180, 6)])
def test_a_wide_frontier(mines: int | None, cells: int) -> None:
    """120 times the same: a mine in the middle, or one on either side. With the total, what one of
    them loses another gains."""
    found = analyze(Board(Board.parse("?1?1?C" * 120).codes, mines=mines))
    pair = Explainer(found).witnesses((0, 302))
    assert pair.closest
    assert len(pair.with_mine ^ pair.without) == cells
    for layout in (pair.with_mine, pair.without):
        assert mines is None or len(layout) == mines
        for start in range(0, 720, 6):
            inside = {col - start for _, col in layout if start <= col < start + 6}
            assert inside in ({2}, {0, 4})


def test_where_it_takes_too_long_there_are_witnesses_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(witnesses, "MOST_STEPS", 0)
    pair = Explainer(analyze(Board.parse("mines: 1\n?1?"))).witnesses((0, 2))
    assert (pair.with_mine, pair.without) == ({(0, 2)}, {(0, 0)})
    swapped = Explainer(analyze(Board.parse("?1?1?"))).witnesses((0, 2))
    assert not swapped.closest


def test_a_closest_pair_under_bounds_that_takes_long_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(witnesses, "PATIENCE", 0.0)
    board = Board.parse("mines: 3\nclues: optimistic\n?1?\n???\n?0?")
    found = Explainer(analyze(board)).witnesses((0, 0))
    assert not found.closest
    assert (0, 0) in found.with_mine - found.without
    assert len(found.with_mine) == len(found.without) == 3
