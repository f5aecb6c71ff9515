"""What opening a cell would tell, against all layouts."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from csp_mines.analysis.analyze import analyze
from csp_mines.analysis.outcomes import information, outcomes
from csp_mines.board import EXPLODED, HIDDEN, MARKED, Board, Cell
from csp_mines.errors import Unsupported
from tests.oracle import truth


def shares(board: Board, cell: Cell) -> dict[int, Fraction]:
    """By going through every layout: what the cell shows, and how often."""
    known = {known_cell for known_cell in board.cells() if board[known_cell] in (MARKED, EXPLODED)}
    fitting = truth(board).layouts
    counts = Counter(
        EXPLODED
        if cell in layout
        else sum(o in known or o in layout for o in board.neighbours(cell))
        for layout in fitting
    )
    return {shown: Fraction(count, len(fitting)) for shown, count in counts.items()}


def some_board(seed: int, grid: str = "square") -> Board:
    """Three by four, about a third opened; every other one says how many mines there are."""
    chance = Random(seed)
    cells = [(row, col) for row in range(3) for col in range(4)]
    mines = set(chance.sample(cells, chance.randrange(1, 6)))
    total = len(mines) if seed % 2 else None
    blank = Board(np.full((3, 4), HIDDEN), mines=total, geometry=grid)
    opened = [cell for cell in cells if cell not in mines and chance.random() < 0.4]
    shown = {cell: sum(near in mines for near in blank.neighbours(cell)) for cell in opened}
    marked = {cell: MARKED for cell in mines if chance.random() < 0.2}
    return blank.replace({**shown, **marked})


@pytest.mark.parametrize("grid", ["square", "orthogonal"])
@pytest.mark.parametrize("seed", range(24))
def test_outcomes_are_the_shares_of_all_layouts(seed: int, grid: str) -> None:
    board = some_board(seed, grid)
    found = analyze(board)
    bits = information(found)
    for cell in board.cells(HIDDEN):
        exact = shares(board, cell)
        told = {outcome.shown: outcome.probability for outcome in outcomes(found, cell)}
        assert set(told) == set(exact)
        for shown, share in exact.items():
            assert math.isclose(told[shown], share, rel_tol=1e-9)
        entropy = -sum(float(p) * math.log2(p) for p in exact.values())
        assert math.isclose(bits[cell], entropy, abs_tol=1e-9)
    assert np.isnan(bits[board.codes != HIDDEN]).all()


def test_what_a_number_would_prove() -> None:
    # One mine in all: 0 at the end frees its neighbour and puts the mine on the other side
    board = Board.parse("mines: 1\n?1?\n???")
    by_shown = {outcome.shown: outcome for outcome in outcomes(analyze(board), (1, 0))}
    assert {
        shown: (outcome.safe, outcome.mines, outcome.undecided, outcome.certain)
        for shown, outcome in by_shown.items()
    } == {
        0: (2, 0, 2, True),  # 0,0 and 1,1 are safe, the mine is at 0,2 or 1,2
        1: (2, 0, 2, True),  # the mine is at 0,0 or 1,1
        EXPLODED: (4, 0, 0, False),
    }
    assert by_shown[EXPLODED].to_json() == {
        "shown": "X",
        "probability": by_shown[EXPLODED].probability,
        "safe": 4,
        "mines": 0,
        "undecided": 0,
    }


def test_a_total_beside_the_board_counts() -> None:
    """The same answers, wherever the number of mines was said, and whether it is used."""
    board = Board.parse("mines: 2\n?1??\n????")
    bare = Board.parse("?1??\n????")
    for cell in [(0, 0), (1, 3)]:
        told = outcomes(analyze(board), cell)
        assert outcomes(analyze(bare, mines=2), cell) == told
        assert outcomes(analyze(np.array(board.codes), 2), cell) == told
        free = outcomes(analyze(bare), cell)
        assert outcomes(analyze(board, use_total=False), cell) == free
        assert free != told


@pytest.mark.parametrize("header", ["density: 0.3", "clues: optimistic"])
def test_layouts_that_are_not_alike_are_refused(header: str) -> None:
    found = analyze(Board.parse(f"{header}\n?1?\n???"))
    with pytest.raises(Unsupported):
        outcomes(found, (0, 0))
    with pytest.raises(Unsupported):
        information(found)
