"""The games that people play on the page: turns, undo, and training, strict and fair games. The
server holds the games, so that the browser does not receive a layout while the layout could still
help the player. The server holds at most `MOST_GAMES` games, and drops a game `MOST_AGE` seconds
after the last request for this game."""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from csp_mines.board import HIDDEN, Board, Cell, grid_json
from csp_mines.errors import BadRequest, UnknownGame
from csp_mines.games.game import Game, Rules, Start
from csp_mines.generation.deduction import open_all
from csp_mines.generation.layout_grades import numbers
from csp_mines.layout import Layout, Spec

MOST_GAMES = 200
MOST_AGE = 12 * 3600.0  # seconds since the last request


@dataclass
class Held:
    """A game and its turns. A random layout depends on the first cell, so without a given layout
    `layout` is None until a cell is opened.

    In `training` the player may take turns back, even a turn that opened a mine. So the page gets
    the layout of a training game only after the player has won or given up. A `strict` game ends at
    a needless guess. If a forced guess of a `fair` game would open a mine, the game gets another
    layout that fits the board and has no mine at the guessed cells; if no such layout exists, the
    guess opens the mine.

    If the game begins with a position, `from_here` has the open cells of this position."""

    spec: Spec
    rules: Rules
    no_guess: bool = False
    training: bool = False
    strict: bool = False
    fair: bool = False
    grade: str | None = None  # the difficulty of a no-guess game, such as `at-most:gauss`
    seed: int = field(default_factory=lambda: secrets.randbelow(10**9))
    layout: Layout | None = None
    from_here: tuple[Cell, ...] = ()
    token: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    touched: float = 0.0  # the time of the last request, by the clock of `Games`
    game: Game | None = None
    turns: list[tuple[Cell, ...]] = field(default_factory=list)
    needless: bool = False  # a needless guess has ended a strict game
    given_up: bool = False
    awaits_layout: bool = False  # a worker is making the layout, so every request is refused

    @property
    def needs_layout(self) -> bool:
        """Whether a worker must make a no-guess layout before the next opening."""
        return self.no_guess and self.layout is None

    def check(self, cells: list[Cell]) -> None:
        """Raise BadRequest if the game is over, BoardError if one of `cells` is not a cell of the
        board."""
        if self.given_up or self.needless or self._started().over:
            raise BadRequest("this game is over; begin a new one")
        for cell in cells:
            self.spec.require(cell)

    def give(self, layout: Layout) -> None:
        """Set the layout, which must fit the board, and repeat all turns on this layout."""
        self.layout = layout
        self._replay()

    @property
    def board(self) -> Board:
        """The board as the player sees it."""
        return self._started().board

    @property
    def judges(self) -> bool:
        """Whether the server must judge the next opening (by `_judge` in `server`). This is so in
        strict and fair games, as soon as some cell is open."""
        return (self.strict or self.fair) and bool((self.board.codes >= 0).any())

    def hits(self, cells: Iterable[Cell]) -> bool:
        """Whether one of these cells is a mine. False if the game has no layout yet."""
        return self.layout is not None and any(self.layout.mines[cell] for cell in cells)

    def open(self, cells: list[Cell]) -> None:
        """Open the hidden cells among `cells`, in order, until the game ends. These hidden cells
        are one turn; without any, there is no turn. Raises what `check` raises, and BoardError if
        the start leaves too few cells for the mines. An error is raised before any cell is
        opened."""
        self.check(cells)
        game = self._started()
        hidden = [cell for cell in cells if game.shown(cell) == HIDDEN]
        open_all(game, hidden)
        if hidden:
            self.layout = game.layout
            self.turns.append(tuple(hidden))

    def undo(self) -> None:
        """Take the last turn back. If a needless guess has ended the game, go on without that
        guess, which has opened no cell; all turns remain. Raises BadRequest if this is not a
        training game, if the player has given up, or if there is no turn."""
        if not self.training:
            raise BadRequest("moves can be taken back only in training")
        if self.needless:
            self.needless = False
            return
        if self.given_up:
            raise BadRequest("no move can be taken back after giving up; begin a new game")
        if not self.turns:
            raise BadRequest("there is no move to take back")
        self.turns.pop()
        self._replay()

    def _replay(self) -> None:
        self.game = None
        for cells in self.turns:
            open_all(self._started(), cells)

    def give_up(self) -> None:
        """Give the game up. Raises BadRequest if the game has no layout yet."""
        if self.layout is None:
            raise BadRequest("this game has not begun; open a cell first")
        self.given_up = True

    def _started(self) -> Game:
        """Return `game`. If `game` is None, first create a game and open the cells of `from_here`.
        The start `sqrt` opens some random safe cells before these."""
        if self.game is None:
            self.game = Game(self.layout or self.spec, self.rules, self.seed)
            if self.rules.start is Start.SQRT:
                self.game.start()
                self.layout = self.game.layout
            open_all(self.game, self.from_here)
        return self.game

    def to_json(self) -> dict[str, Any]:
        """Return what the player may see, as JSON for the page."""
        game = self._started()
        board = game.board
        lost = game.exploded > 0 or self.needless
        status = "won" if game.won else "lost" if lost or self.given_up else "playing"
        document = {
            "game": self.token,
            "rows": self.spec.rows,
            "cols": self.spec.cols,
            "mines": self.spec.mines,
            **grid_json(self.spec.geometry),
            "status": status,
            "training": self.training,
            "turns": len(self.turns),
            "board": board.to_json()["board"],
        }
        if self.needless:
            document["ended"] = "needless guess"
        if game.won or self.given_up or (lost and not self.training):
            document["seed"] = self.seed
            document["layout"] = game.layout.to_json()["layout"]
            document["3bv"] = numbers(game.layout).three_bv
        return document


class Games:
    """The games that the server holds, the least recently used first."""

    def __init__(
        self,
        most: int = MOST_GAMES,
        age: float = MOST_AGE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most, self._age, self._clock = most, age, clock
        self._held: OrderedDict[str, Held] = OrderedDict()

    def __len__(self) -> int:
        return len(self._held)

    def hold(self, held: Held) -> Held:
        """Add a new game and return it. If there are already `most` games, first drop the least
        recently used game."""
        self._forget()
        while len(self._held) >= self._most:
            self._held.popitem(last=False)
        held.touched = self._clock()
        self._held[held.token] = held
        return held

    def find(self, token: str) -> Held:
        """Return the game with this token. Raises UnknownGame if the server holds no such game."""
        self._forget()
        held = self._held.get(token)
        if held is None:
            raise UnknownGame("the server no longer has this game; begin a new one")
        held.touched = self._clock()
        self._held.move_to_end(token)
        return held

    def _forget(self) -> None:
        oldest = self._clock() - self._age
        while self._held and next(iter(self._held.values())).touched < oldest:
            self._held.popitem(last=False)
