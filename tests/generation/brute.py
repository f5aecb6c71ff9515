"""No-guess play by brute force: slow, and meant to be obviously right. A cell is proved safe when
no layout that shows the same numbers has a mine there."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt

from csp_mines.layout import Layout

Cell = tuple[int, int]
Mines = frozenset[int]  # cells by number, row by row


class Brute:
    """All layouts of a board with these numbers of mines, one a row, and what they would show."""

    def __init__(self, rows: int, cols: int, counts: range | list[int]) -> None:
        cells = rows * cols
        near = np.array(
            [
                [0 < max(abs(a // cols - b // cols), abs(a % cols - b % cols)) < 2
                 for a in range(cells)]
                for b in range(cells)
            ]
        )  # fmt: skip
        sets = [chosen for count in counts for chosen in combinations(range(cells), count)]
        self.mines = np.zeros((len(sets), cells), bool)
        for number, chosen in enumerate(sets):
            self.mines[number, list(chosen)] = True
        self.row_of = {frozenset(chosen): number for number, chosen in enumerate(sets)}
        self.shown = self.mines.astype(np.int8) @ near.astype(np.int8)

    def won_without_a_guess(self, layout: Mines, first: int) -> bool:
        """Plays one layout against all layouts that the player must think possible."""
        row = self.row_of[layout]
        truth = self.mines[row]
        possible = np.ones(len(self.mines), bool)
        opened: npt.NDArray[np.bool_] = np.zeros_like(truth)
        fresh = [first]
        while fresh:
            for cell in fresh:
                opened[cell] = True
                possible &= ~self.mines[:, cell] & (self.shown[:, cell] == self.shown[row, cell])
            safe = ~self.mines[possible].any(axis=0) & ~opened
            fresh = np.flatnonzero(safe).tolist()
        return bool((opened == ~truth).all())


def all_layouts(rows: int, cols: int, mines: int, clear: list[Cell]) -> list[Mines]:
    """Every layout with so many mines and none in the clear cells."""
    free = [cell for cell in range(rows * cols) if divmod(cell, cols) not in clear]
    return [frozenset(chosen) for chosen in combinations(free, mines)]


def as_layout(mines: Mines, rows: int, cols: int) -> Layout:
    return Layout([[r * cols + c in mines for c in range(cols)] for r in range(rows)])
