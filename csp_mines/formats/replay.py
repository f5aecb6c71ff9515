"""What a player sees of a layout after openings, flags and mouse buttons: for IDs that name their
first cell and for recordings. The game with its rules is in `play`; this is the plain one."""

from __future__ import annotations

from collections import deque

import numpy as np

from csp_mines.board import EXPLODED, HIDDEN, MARKED, Board, Cell
from csp_mines.geometry import GRID
from csp_mines.layout import Layout

__all__ = ["Replay"]


class Replay:
    """A layout and what is seen of it so far. After an opened mine nothing changes any more."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.codes = np.full(layout.shape, HIDDEN, np.int8)
        self.first: Cell | None = None
        self.lost = False
        self._left = self._right = self._chorded = False

    @property
    def board(self) -> Board:
        return Board(self.codes, mines=self.layout.count)

    def open(self, cell: Cell) -> None:
        """Opens a hidden cell; a 0 opens its surroundings."""
        if self.lost or self.codes[cell] != HIDDEN:
            return
        if self.first is None:
            self.first = cell
        if self.layout.mines[cell]:
            self.codes[cell] = EXPLODED
            self.lost = True
            return
        waiting = deque([cell])
        while waiting:
            reached = waiting.popleft()
            if self.codes[reached] != HIDDEN:
                continue
            self.codes[reached] = self.layout.number(reached)
            if not self.codes[reached]:
                waiting.extend(GRID.neighbours(reached, *self.layout.shape))

    def flag(self, cell: Cell) -> None:
        """Puts a mark on a hidden cell, or takes it off."""
        if self.lost:
            return
        if self.codes[cell] == HIDDEN:
            self.codes[cell] = MARKED
        elif self.codes[cell] == MARKED:
            self.codes[cell] = HIDDEN

    def chord(self, cell: Cell) -> None:
        """Opens what is hidden around a clue that has as many marks as it says."""
        around = GRID.neighbours(cell, *self.layout.shape)
        marks = sum(self.codes[near] == MARKED for near in around)
        if self.codes[cell] > 0 and marks == self.codes[cell]:
            for near in around:
                self.open(near)

    def mouse(self, code: str, cell: Cell | None) -> None:
        """A button goes down (`lc`, `rc`, `mc`) or up (`lr`, `rr`, `mr`) over a cell, or beside the
        board. Both buttons together chord when the first of them goes up."""
        if code == "lc":
            self._left, self._chorded = True, False
        elif code == "rc":
            self._right = True
            if cell is not None and not self._left:
                self.flag(cell)
        elif code == "lr":
            self._release_left(cell)
        elif code == "rr":
            if self._left and self._right and not self._chorded:
                self._chord_at(cell)
            self._right = False
        elif code == "mr" and cell is not None:
            self.chord(cell)
        elif code == "pf" and cell is not None:
            self.flag(cell)  # set before the clock runs

    def _release_left(self, cell: Cell | None) -> None:
        if self._left and not self._chorded:
            if self._right:
                self._chord_at(cell)
            elif cell is not None:
                self.open(cell)
        self._left = False

    def _chord_at(self, cell: Cell | None) -> None:
        self._chorded = True
        if cell is not None:
            self.chord(cell)
