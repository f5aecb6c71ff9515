"""`Analysis.error` bounds the error of every probability, against exact fractions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
import pytest

from csp_mines import Board, analyze
from csp_mines.board import HIDDEN
from csp_mines.geometry import SQUARE

Boards = Callable[[np.random.Generator], Iterator[Board]]


def hidden_boards(random: np.random.Generator) -> Iterator[Board]:
    """Nothing is open: the risk is one division, or the density itself."""
    for _ in range(20):
        size = tuple(random.integers(1, 60, 2))
        codes = np.full(size, HIDDEN)
        yield Board(codes, mines=int(random.integers(0, codes.size + 1)))
        yield Board(codes, density=Fraction(int(random.integers(1, 1000)), 1000))


def lone_clues(random: np.random.Generator) -> Iterator[Board]:
    """Clues that share no cell are not counted: each risk is a division."""
    for _ in range(10):
        layout = random.random(tuple(random.integers(5, 40, 2))) < 0.3
        codes = np.full(layout.shape, HIDDEN)
        codes[::3, ::3] = np.where(layout, HIDDEN, SQUARE.count(layout))[::3, ::3]
        yield Board(codes, mines=int(layout.sum()))
        yield Board(codes, density="1/3")
        yield Board(codes)


def mixed_boards(random: np.random.Generator) -> Iterator[Board]:
    """A few regions in a sea that is small or large, and many regions."""
    for opened in (0.01, 0.05, 0.4):
        for side in (12, 30, 50):
            layout = random.random((side, side)) < 0.2
            shown = ~layout & (random.random(layout.shape) < opened)
            codes = np.where(shown, SQUARE.count(layout), HIDDEN)
            yield Board(codes, mines=int(layout.sum()))
            yield Board(codes, density="1/7")


@pytest.mark.parametrize("boards", [hidden_boards, lone_clues, mixed_boards])
@pytest.mark.parametrize(
    "backend",
    # With the pure engine, both are the same.
    ["native", pytest.param("native:pure", marks=pytest.mark.once)],
)
def test_no_probability_is_further_off(boards: Boards, backend: str) -> None:
    for board in boards(np.random.default_rng(3)):
        if backend == "native:pure" and board.codes.size > 2000:
            continue
        found = analyze(board, backend=backend)
        told, exact = found.probabilities, analyze(board).probability
        for row, col in np.argwhere(board.codes == HIDDEN)[::7].tolist():
            off = abs(Fraction(float(told[row, col])) - exact((row, col)))
            assert off <= Fraction(found.error), (str(board)[:40], row, col)
        assert found.error < 1e-11
