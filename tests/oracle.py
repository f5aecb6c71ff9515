"""Brute force over all layouts: slow, independent of the engines, and meant to be obviously right.

Two oracles that share nothing: one for problems, which tries every set of mines against every
constraint (it is part of the suite for engines), and one for boards, which counts the mines around
every opened cell of every layout.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from csp_mines.board import EXPLODED, HIDDEN, MARKED, Board, Cell
from csp_mines.testing.brute_force import (
    Mines,
    certain,
    layouts,
    probabilities,
    region_count,
    solutions,
    subsets,
)

__all__ = [
    "Mines",
    "Truth",
    "certain",
    "layouts",
    "probabilities",
    "region_count",
    "showing",
    "solutions",
    "subsets",
    "truth",
]


@dataclass(frozen=True)
class Truth:
    """What brute force says about a board: the layouts of its hidden cells that fit, weighed."""

    hidden: frozenset[Cell]
    layouts: dict[frozenset[Cell], Fraction]

    @property
    def safe(self) -> frozenset[Cell]:
        return self.hidden.difference(*self.layouts)

    @property
    def mines(self) -> frozenset[Cell]:
        return self.hidden.intersection(*self.layouts)

    def probability(self, cell: Cell) -> Fraction:
        share = sum((some for layout, some in self.layouts.items() if cell in layout), Fraction(0))
        return share / sum(self.layouts.values())


def truth(board: Board, *, use_total: bool = True) -> Truth:
    """Tries every layout of the hidden cells against what every opened cell shows."""
    hidden = sorted(board.cells(HIDDEN))
    known = {*board.cells(MARKED), *board.cells(EXPLODED)}
    fitting = {}
    for chosen in subsets(range(len(hidden))):
        layout = frozenset(hidden[index] for index in chosen)
        likelihood = _prior(board, len(layout), len(hidden), len(known), use_total)
        for cell in board.cells():
            if likelihood and board[cell] >= 0:
                around = sum(other in known or other in layout for other in board.neighbours(cell))
                likelihood *= showing(board.clues.name, board[cell], around)
        if likelihood:
            fitting[layout] = likelihood
    return Truth(frozenset(hidden), fitting)


def showing(model: str, shown: int, true: int) -> Fraction:
    """How likely a cell with `true` mines around it is to show `shown`, up to a constant."""
    if model == "optimistic":
        return Fraction(1, true + 1) if shown <= true else Fraction(0)
    if model == "cautious":
        return Fraction(1, 9 - true) if shown >= true else Fraction(0)
    return Fraction(shown == true)


def _prior(board: Board, mines: int, hidden: int, known: int, use_total: bool) -> Fraction:
    if board.mines is not None and use_total:
        return Fraction(known + mines == board.mines)
    if board.density is not None:
        return board.density**mines * (1 - board.density) ** (hidden - mines)
    return Fraction(1)
