"""A simple bot, twice: as a function, and as a class that remembers the mines it has found."""

from __future__ import annotations

import numpy as np

from csp_mines import Board, Cell


def careful(board: Board) -> Cell:
    """Look at each clue alone. Open a cell that is safe, else the cell with the lowest ratio of
    mines left to cells left."""
    return best_cell(board, np.zeros(board.codes.shape, bool))


class Careful:
    """The same bot. It is constructed for each game, so it starts without any mines."""

    def __init__(self) -> None:
        self.mines: np.ndarray | None = None

    def move(self, board: Board) -> Cell:
        if self.mines is None:
            self.mines = np.zeros(board.codes.shape, bool)
        return best_cell(board, self.mines)


def best_cell(board: Board, mines: np.ndarray) -> Cell:
    """Return the cell to open. Add the mines that follow from single clues to `mines`."""
    codes = board.codes  # -1 hidden, 0 to 8 clues
    hidden, clue = codes == -1, codes > 0
    mines |= hidden & near(clue & (near(hidden).sum((2, 3)) == codes)).any((2, 3))
    free = near(hidden & ~mines).sum((2, 3))
    left = codes - near(mines).sum((2, 3))
    ratio = np.where(clue & (free > 0), left / np.maximum(free, 1), 0.0)
    risk = np.maximum(near(ratio).max((2, 3)), 0.1)
    risk[near(clue & (left == 0)).any((2, 3))] = 0.0
    risk[~hidden | mines] = 2.0
    row, col = np.unravel_index(risk.argmin(), risk.shape)
    return int(row), int(col)


def near(cells: np.ndarray) -> np.ndarray:
    """Return the 3×3 cells around each cell: an array of (rows, cols, 3, 3)."""
    rows, cols = cells.shape
    wide = np.zeros((rows + 2, cols + 2), cells.dtype)
    wide[1:-1, 1:-1] = cells
    return np.lib.stride_tricks.sliding_window_view(wide, (3, 3))
