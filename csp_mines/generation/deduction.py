"""Play a layout by deduction alone, round by round, and note the grade of each round. A round uses
the weakest engine that proves any cell safe, and opens all cells that this engine proves safe.

The grade of a game is the grade of its hardest round. The kernel plays whole games. If the kernel
is missing or cannot play a game, `_by_engines` plays the same rounds in Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from csp_mines.analysis.grades import Grade, deduce_at, easiest, hardest
from csp_mines.backend import Capability, offered
from csp_mines.board import Board, Cell, Codes
from csp_mines.constraints import Frontier
from csp_mines.defaults import POSITION_STATES
from csp_mines.errors import BoardError, TooWide
from csp_mines.games.compiled import kernel_grid
from csp_mines.games.game import Game
from csp_mines.geometry import Geometry
from csp_mines.kernel import kernel_table
from csp_mines.layout import MAX_GAME_CELLS, Layout

if TYPE_CHECKING:
    from csp_mines.kernel import Kernel


@dataclass(frozen=True)
class Round:
    """One round: the cells that the engine of `grade` proved safe, in reading order."""

    grade: Grade
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Deduced:
    """A game that was played from the cell `first` by deduction, until the game was won or no cell
    was proved safe."""

    layout: Layout
    first: Cell
    won: bool
    rounds: tuple[Round, ...]

    @property
    def grade(self) -> Grade | None:
        """The hardest grade of a round; None if there was no round."""
        return hardest(self.counts)

    @cached_property
    def counts(self) -> dict[Grade, int]:
        """The number of rounds of each grade that occurs, easiest grade first."""
        rounds = Counter(round_.grade for round_ in self.rounds)
        return {grade: rounds[grade] for grade in Grade if rounds[grade]}

    def game(self) -> Game:
        """Return a new game on this layout, with the cell `first` open."""
        game = Game(self.layout, first=self.first)
        game.open(self.first)
        return game

    def replayed(self) -> Iterator[tuple[Round, Game]]:
        """Play the game again. Yield each round, and the game before this round."""
        game = self.game()
        for round_ in self.rounds:
            yield round_, game
            open_all(game, round_.cells)

    @cached_property
    def end(self) -> Board:
        """The board at the end of the deduction."""
        game = self.game()
        open_all(game, [cell for round_ in self.rounds for cell in round_.cells])
        return game.board


def open_all(game: Game, cells: Iterable[Cell]) -> None:
    """Open cells in order until the game ends; cells that are already open are skipped."""
    for cell in cells:
        if not game.over:
            game.open(cell)


def solve_by_deduction(
    layout: Layout, first: Cell, *, hardest: Grade = Grade.TOTAL, pure: bool = False
) -> Deduced:
    """Play a layout from the cell `first` by deduction, with the engines up to the grade `hardest`.
    With `pure`, call the engines one by one, even if the kernel could play the whole game. Raises
    BoardError if `first` is not a safe cell of the layout, TooWide if a position is too wide to
    count."""
    rows, cols = layout.shape
    first = layout.spec.require(first)
    if layout.mines[first]:
        raise BoardError(f"the first cell {layout.geometry.label(first)} is a mine")
    kernel = None if pure else _kernel(layout.mines.size)
    if kernel is None:
        return _by_engines(layout, first, hardest)
    size = (rows, cols, layout.count, *first, False)
    mines = layout.mines.astype(np.uint8).tobytes()
    try:
        won, too_wide, _, _, script = kernel.play_layout(
            size, mines, hardest.rank, POSITION_STATES, *kernel_grid(kernel, layout.spec)
        )
    except OverflowError:  # a row reduction needs numbers that are too large for the kernel
        return _by_engines(layout, first, hardest)
    if too_wide:
        raise TooWide(POSITION_STATES + 1, POSITION_STATES)
    grades = list(Grade)
    rounds = tuple(
        Round(grades[rank], tuple(divmod(cell, cols) for cell in sorted(cells)))
        for rank, cells in script
    )
    return Deduced(layout, first, won, rounds)


def _by_engines(layout: Layout, first: Cell, most: Grade) -> Deduced:
    game = Game(layout, first=first)
    game.open(first)
    rounds: list[Round] = []
    while not game.over:
        grade, safe = easiest(Frontier.of(game.board), most)
        if grade is None:
            break
        rounds.append(Round(grade, tuple(sorted(safe))))
        open_all(game, rounds[-1].cells)
    return Deduced(layout, first, game.over, tuple(rounds))


def proved_by_clues(codes: Codes, geometry: Geometry, grade: Grade) -> tuple[list[int], list[int]]:
    """Return the cells that the engine of `grade` proves safe, and the cells that this engine
    proves to be mines. Cells are numbered row by row. The engine gets the board with these `codes`,
    without a total.

    Raises TooWide if the board is too wide to count, Contradiction if the engine notices that no
    layout fits. The engine of `search` and `total` always notices this; other engines may not."""
    kernel = _kernel(codes.size)
    if kernel is not None:
        table = kernel_table(kernel, geometry, codes.shape)
        with suppress(OverflowError):  # the row reduction needs the larger numbers of Python
            proved = kernel.deduce_board(codes, grade.rank, -1, POSITION_STATES, table)
            if proved is not None:
                return proved
    deduced = deduce_at(grade, Frontier.of(Board(codes, geometry=geometry)).problem)
    return list(deduced.safe), list(deduced.mines)


def _kernel(cells: int) -> Kernel | None:
    """Return the kernel, or None if there is no kernel or a board with this many cells is too large
    for the kernel."""
    return offered(Capability.LAYOUTS) if cells <= MAX_GAME_CELLS else None
