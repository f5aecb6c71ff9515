"""The games that people play on the page: turns, undo, and training, strict and fair games. The
server holds the games, so that the browser does not receive a layout while it could still help the
player. The server holds at most `MOST_GAMES` games, and drops a game `MOST_AGE` seconds after its
last request."""

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
    """A game and its turns. If no `layout` is given, it is None until the first opening, because a
    random layout depends on the first cell. In `training` the player may take turns back, even a
    turn that opened a mine. So the page gets the layout of a training game only after the game was
    won or given up.

    `from_here` has the open cells of the position with which the game begins. A `strict` game ends
    at a needless guess. If a forced guess of a `fair` game would open a mine, the game gets another
    layout if possible: one that fits the board and has no mine at that cell."""

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
    touched: float = 0.0
    game: Game | None = None
    turns: list[tuple[Cell, ...]] = field(default_factory=list)
    needless: bool = False  # a needless guess has ended a strict game
    given_up: bool = False
    awaits_layout: bool = False  # a worker makes the layout now, so no turn is accepted

    @property
    def needs_layout(self) -> bool:
        """Whether a no-guess layout must be made before the next opening."""
        return self.no_guess and self.layout is None

    def check(self, cells: list[Cell]) -> None:
        """Raise BadRequest if the game is over, and BoardError if a cell is not on the board."""
        if self.given_up or self.needless or self._started().over:
            raise BadRequest("this game is over; begin a new one")
        for cell in cells:
            self.spec.require(cell)

    def give(self, layout: Layout) -> None:
        """Give the game its first layout, or replace its layout by another one that fits the board.
        Then make all turns again."""
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
        """Whether one of these cells is a mine."""
        return self.layout is not None and any(self.layout.mines[cell] for cell in cells)

    def open(self, cells: list[Cell]) -> None:
        """Open cells in order until the game ends. The cells of one call are one turn; if all of
        them are open already, no turn is made. Raises the same errors as `check`, before any cell
        is opened."""
        self.check(cells)
        game = self._started()
        hidden = [cell for cell in cells if game.shown(cell) == HIDDEN]
        open_all(game, hidden)
        if hidden:
            self.layout = game.layout
            self.turns.append(tuple(hidden))

    def undo(self) -> None:
        """Take the last turn back. If the game ended at a needless guess, no cell was opened, so
        take back only the end of the game. Raises BadRequest if this is not a training game, or if
        there is no turn to take back."""
        if not self.training:
            raise BadRequest("moves can be taken back only in training")
        if self.needless:
            self.needless = False
            return
        if not self.turns or self.given_up:
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
        """Return the game. The first call creates it and opens the cells of `from_here`. With the
        start `sqrt`, it also opens some safe cells."""
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
            "board": board.to_text().strip().split("\n")[-board.rows :],
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
        """Add a new game and return it. If there are too many games, drop the least recently used
        one."""
        self._forget()
        while len(self._held) >= self._most:
            self._held.popitem(last=False)
        held.touched = self._clock()
        self._held[held.token] = held
        return held

    def find(self, token: str) -> Held:
        """Return the game with this token. Raises UnknownGame if the server does not hold the
        game."""
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
