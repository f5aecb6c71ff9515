"""What a player sees of a layout after openings, flags and mouse clicks: for IDs with a first cell
and for recordings. Games with all rules are in `play`; this is the plain game."""

from __future__ import annotations

from collections import deque

import numpy as np

from csp_mines.board import EXPLODED, HIDDEN, MARKED, Board, Cell
from csp_mines.geometry import GRID
from csp_mines.layout import Layout

__all__ = ["Replay"]


class Replay:
    """A layout and the board so far. After an opened mine nothing changes any more."""

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
        """Open a hidden cell; a 0 opens its neighbours."""
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
        """Mark a hidden cell, or remove its mark."""
        if self.lost:
            return
        if self.codes[cell] == HIDDEN:
            self.codes[cell] = MARKED
        elif self.codes[cell] == MARKED:
            self.codes[cell] = HIDDEN

    def chord(self, cell: Cell) -> None:
        """Open the hidden cells around a clue that has as many marks as its number."""
        around = GRID.neighbours(cell, *self.layout.shape)
        marks = sum(self.codes[near] == MARKED for near in around)
        if self.codes[cell] > 0 and marks == self.codes[cell]:
            for near in around:
                self.open(near)

    def mouse(self, code: str, cell: Cell | None) -> None:
        """Press (`lc`, `rc`, `mc`) or release (`lr`, `rr`, `mr`) a button over a cell or beside the
        board. If both buttons are down, the first release chords."""
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
            self.flag(cell)  # a flag set before the clock starts

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
