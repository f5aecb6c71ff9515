"""Replay openings, marks and mouse events on a layout, to find the board that a player sees.

Recordings, playouts, and layouts that name a first cell are replayed here. Whole games with their
rules are in `games`."""

from __future__ import annotations

import numpy as np

from csp_mines.board import EXPLODED, HIDDEN, MARKED, Board, Cell, Codes
from csp_mines.layout import Layout, flood


class Replay:
    """A layout, and the `codes` of the board after the moves so far. When a move has opened a mine,
    `lost` is True, and later moves change nothing. `first` is the first cell that a move opened, or
    None if no move has opened a cell."""

    def __init__(self, layout: Layout, codes: Codes | int = HIDDEN) -> None:
        """Begin with `codes`: the codes of a board, or one code for all cells."""
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
        """Open the cell if it is hidden. An opened 0 starts a flood."""
        if self.lost or self.codes[cell] != HIDDEN:
            return
        if self.first is None:
            self.first = cell
        index = self._places.index(cell)
        self._state[index] = self._shows[index]
        self.lost = self._shows[index] == EXPLODED
        flood(self._places, self._state, self._shows, index)

    def flag(self, cell: Cell) -> None:
        """Mark the cell if it is hidden. Remove the mark if the cell is marked."""
        if self.lost:
            return
        if self.codes[cell] == HIDDEN:
            self.codes[cell] = MARKED
        elif self.codes[cell] == MARKED:
            self.codes[cell] = HIDDEN

    def chord(self, cell: Cell) -> None:
        """Open the hidden cells around the clue at `cell` if the clue is equal to the number of
        marks around it. Do nothing for a 0 or for a cell without a clue."""
        around = self.layout.geometry.neighbours(cell, *self.layout.shape)
        marks = sum(self.codes[near] == MARKED for near in around)
        if self.codes[cell] > 0 and marks == self.codes[cell]:
            for near in around:
                self.open(near)

    def mouse(self, code: str, cell: Cell | None) -> None:
        """Apply a mouse event. `cell` is the cell under the mouse, or None if the mouse is beside
        the board. `code` says what happens:

        * `lc` presses the left button. `lr` releases the left button and opens the cell.
        * `rc` presses the right button and, unless the left button is down, calls `flag`. `rr`
          releases the right button.
        * If both buttons are down, the first release chords at the cell, and the second release
          does nothing.
        * `mr` releases the middle button and chords at the cell.
        * `pf` calls `flag` before the clock starts.

        Any other code, such as `mc` for a press of the middle button, does nothing."""
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
            self.flag(cell)

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
