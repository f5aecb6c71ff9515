"""Replay openings, flags and mouse clicks on a layout, to find the board that a player sees.
Recordings, playouts, and layouts that name a first cell need this. Whole games, with rules, are in
`games`."""

from __future__ import annotations

import numpy as np

from csp_mines.board import EXPLODED, HIDDEN, MARKED, Board, Cell, Codes
from csp_mines.layout import Layout, flood


class Replay:
    """A layout, and the `codes` of the board after the moves so far. Moves after the opening of a
    mine change nothing."""

    def __init__(self, layout: Layout, codes: Codes | int = HIDDEN) -> None:
        """Begin with these codes of a board, or with the same code for all cells."""
        self.layout = layout
        self._places = layout.geometry.places(*layout.shape)
        begun = layout.spec.codes(codes) if isinstance(codes, int) else codes
        self._state = self._places.filled(begun)
        shows = np.where(layout.mines, np.int8(EXPLODED), layout.numbers)
        self._shows = self._places.filled(shows)
        self.codes = self._places.grid(np.frombuffer(self._state, np.int8))
        self.first: Cell | None = None
        self.lost = False
        self._left = self._right = self._chorded = False

    @property
    def board(self) -> Board:
        return Board(self.codes, mines=self.layout.count, geometry=self.layout.geometry)

    def open(self, cell: Cell) -> None:
        """Open a hidden cell. If it shows 0, the opening floods its neighbours."""
        if self.lost or self.codes[cell] != HIDDEN:
            return
        if self.first is None:
            self.first = cell
        index = self._places.index(cell)
        self._state[index] = self._shows[index]
        self.lost = self._shows[index] == EXPLODED
        flood(self._places, self._state, self._shows, index)

    def flag(self, cell: Cell) -> None:
        """Mark a hidden cell, or remove its mark."""
        if self.lost:
            return
        if self.codes[cell] == HIDDEN:
            self.codes[cell] = MARKED
        elif self.codes[cell] == MARKED:
            self.codes[cell] = HIDDEN

    def chord(self, cell: Cell) -> None:
        """Open the hidden cells around a clue if it has as many marks around it as it shows."""
        around = self.layout.geometry.neighbours(cell, *self.layout.shape)
        marks = sum(self.codes[near] == MARKED for near in around)
        if self.codes[cell] > 0 and marks == self.codes[cell]:
            for near in around:
                self.open(near)

    def mouse(self, code: str, cell: Cell | None) -> None:
        """Press (`lc`, `rc`, `mc`) or release (`lr`, `rr`, `mr`) a mouse button over a cell, or set
        a flag before the clock starts (`pf`). `cell` is None if the mouse is beside the board. If
        the left and the right button are down, the first of them that is released chords."""
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
