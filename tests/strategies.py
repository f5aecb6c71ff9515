"""Small boards and problems for property tests: few enough hidden cells for brute force."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from csp_mines.board import CLEAR, EXPLODED, HIDDEN, MARKED, Board, Cell
from csp_mines.clues import CLUE_MODELS
from csp_mines.constraints import Constraint, Problem
from csp_mines.geometry import SQUARE

MOST_HIDDEN = 10

models = st.sampled_from(list(CLUE_MODELS))
densities = st.sampled_from([Fraction(1, 10), Fraction(1, 5), Fraction(1, 2), Fraction(7, 9)])


@st.composite
def consistent_boards(draw: st.DrawFn) -> Board:
    """A board that some layout gave rise to, under any clue model and any prior."""
    rows, cols = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    cells = [(row, col) for row in range(rows) for col in range(cols)]
    mines = draw(st.sets(st.sampled_from(cells), max_size=len(cells)))
    hidden = draw(st.sets(st.sampled_from(cells), max_size=MOST_HIDDEN))
    model = draw(models)
    codes = [[HIDDEN] * cols for _ in range(rows)]
    for cell in cells:
        if cell not in hidden:
            codes[cell[0]][cell[1]] = draw(_seen(cell, mines, rows, cols, model))
    prior = draw(st.sampled_from(["mines", "density", "neither"]))
    return Board(
        codes,
        mines=len(mines) if prior == "mines" else None,
        density=draw(densities) if prior == "density" else None,
        clues=model,
    )


def _seen(cell: Cell, mines: set[Cell], rows: int, cols: int, model: str) -> st.SearchStrategy[int]:
    """What a cell that is not hidden may look like."""
    if cell in mines:
        return st.sampled_from([MARKED, EXPLODED])
    around = sum(other in mines for other in SQUARE.neighbours(cell, rows, cols))
    if model == "optimistic":
        return st.integers(0, around)
    if model == "cautious":
        return st.integers(around, 8)
    if model == "silent":
        return st.sampled_from([CLEAR, around])
    return st.sampled_from([around, around, around, CLEAR])


@st.composite
def arbitrary_boards(draw: st.DrawFn) -> Board:
    """Any codes at all, so mostly a contradiction. Small clues are likelier."""
    rows, cols = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    hidden = draw(st.sets(st.integers(0, rows * cols - 1), max_size=MOST_HIDDEN))
    seen = st.sampled_from([0, 0, 1, 1, 1, 2, 2, 3, 4, 8, MARKED, EXPLODED, CLEAR])
    codes = [
        [HIDDEN if row * cols + col in hidden else draw(seen) for col in range(cols)]
        for row in range(rows)
    ]
    total = draw(st.none() | st.integers(0, rows * cols))
    return Board(codes, mines=total, clues=draw(models))


boards = consistent_boards() | arbitrary_boards()


@st.composite
def constraints(draw: st.DrawFn, cells: int) -> Constraint:
    """Equalities and ranges, with weights or without, now and then impossible."""
    members = tuple(sorted(draw(st.sets(st.integers(0, cells - 1), min_size=1, max_size=5))))
    low = draw(st.integers(0, len(members)))
    high = draw(st.just(low) | st.integers(low, len(members)) | st.integers(-1, 9))
    weights = draw(
        st.none()
        | st.lists(st.integers(1, 300), min_size=len(members) + 1, max_size=len(members) + 1)
    )
    return Constraint(members, low, high, None if weights is None else tuple(weights))


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Constraints over few cells, with a sea, a total or odds."""
    cells = draw(st.integers(1, 8))
    told = tuple(draw(st.lists(constraints(cells), min_size=0, max_size=5)))
    sea = tuple(range(100, 100 + draw(st.integers(0, 3))))
    odds = draw(st.sampled_from([Fraction(1), Fraction(1, 4), Fraction(7, 2)]))
    total = draw(st.none() | st.integers(0, cells + len(sea)))
    return Problem(told, sea, total, odds)
