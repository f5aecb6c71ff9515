"""`Game` and `Rules`: a hidden layout, what opening a cell shows, and when a game is won or lost.

A `Game` gets a layout, or draws a random layout from a `Spec` and a seed. Its `board` has only what
a player may see. A game can be repeated: the same `Spec`, rules, seed and first cell give the same
layout, and a cell shows the same clue in whatever order the cells are opened.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import isqrt

import numpy as np
import numpy.typing as npt

from csp_mines import arguments, defaults
from csp_mines.arguments import Name, choice, instance, known_name, several, wrong
from csp_mines.board import CLEAR, EXPLODED, HIDDEN, HOLE, MARKED, Board, Cell
from csp_mines.clues import CLUE_MODELS, NOTHING, clue_model
from csp_mines.errors import BoardError, InputError
from csp_mines.games.actions import Action, ActionKind
from csp_mines.geometry import SQUARE, cells_at
from csp_mines.layout import LEVELS, Layout, Seed, Spec, as_spec, flood, level, random_numbers
from csp_mines.words import plural

__all__ = ["LEVELS", "Game", "Layout", "RuleName", "Rules", "Seed", "Spec", "Start", "level"]


class RuleName(Name):
    """What happens when a mine is opened. Under `classic`, the game ends. Under `sweep`, the game
    goes on, but the mine lowers the score.

    >>> csp_mines.Rules(rules="sweep").rules is csp_mines.RuleName.SWEEP
    True
    """

    CLASSIC = "classic"
    SWEEP = "sweep"


class Start(Name):
    """What is guaranteed about the first cell of a game, or (`sqrt`) that the game opens safe
    cells.

    >>> csp_mines.Rules(start="zero").start is csp_mines.Start.ZERO
    True
    """

    SAFE = "safe"  # the first cell is not a mine
    ZERO = "zero"  # neither the first cell nor any cell around it is a mine
    ANY = "any"  # the first cell may be a mine
    SQRT = "sqrt"  # on a board of N cells, the game opens about √N random safe cells


def kept_clear(spec: Spec, start: Start | str, first: Cell | None) -> list[Cell]:
    """Return the cells that a start keeps free of mines: under `safe` the first cell, under `zero`
    also the cells around it. Without `first`, this is the first cell of the board. Other starts
    keep no cell free."""
    if start not in (Start.SAFE, Start.ZERO):
        return []
    first = first or spec.first
    return [first, *(spec.neighbours(first) if start == Start.ZERO else ())]


@dataclass(frozen=True)
class Rules:
    """The rules of a game.

    * `rules`: A `classic` game ends when a mine is opened or when the game is won. A `sweep` game
      ends when no cell is hidden. `Game.won` and `Game.score` explain the results.
    * `start`: how a game starts, see `Start`.
    * `flood`: whether a 0 opens the cells around it. Under the clue model `optimistic`, a 0 never
      opens them.
    * `clues`: the name of a clue model.
    * `reveal`: under the clue model `silent`, the probability that an opened cell shows its number.
    * `retry`: whether a player may open a cell again that is open but shows no number. Each such
      attempt shows the number with probability `reveal`.
    * `told_total`: whether the board shows the number of mines.

    >>> rules = csp_mines.Rules("sweep", start="zero")
    >>> game = csp_mines.Game.new("beginner", rules=rules, seed=1)
    >>> csp_mines.play(game, "exact").score
    1.0
    """

    rules: RuleName | str = defaults.RULES
    start: Start | str = defaults.START
    flood: bool = True
    clues: str = defaults.CLUES
    reveal: float = defaults.REVEAL
    retry: bool = False
    told_total: bool = True

    def __post_init__(self) -> None:
        """Raise UnknownName for an unknown name in `rules`, `start` or `clues`. Raise InputError if
        one of these is not a string, and for a wrong `reveal`."""
        object.__setattr__(self, "rules", choice("rules", self.rules, RuleName))
        object.__setattr__(self, "start", choice("start", self.start, Start))
        known_name("clue model", self.clues, tuple(CLUE_MODELS))
        expected = "a probability greater than 0 and at most 1"
        arguments.number(self.reveal, "reveal", expected, lambda chance: 0 < chance <= 1)


class Game:
    """One game. A player calls `open` and `mark`, and may see only `board`. `actions` lists the
    openings and marks that changed the board.

    A game made from a `Spec` draws its layout when the first cell is opened, so that this cell
    satisfies a `safe` or `zero` start. If a caller marks a cell or reads `layout` before, the cell
    that `start()` opens will satisfy the start. Drawing raises BoardError if the start leaves too
    few cells for the mines.

    A given layout is never changed. Instead, `start()` looks for a cell that satisfies a `safe` or
    `zero` start. It opens the cell `first` (by default the first cell of the board) if this cell
    satisfies the start. Otherwise, it opens the first cell in reading order that satisfies it.
    """

    def __init__(
        self,
        layout: Layout | Spec,
        rules: Rules | None = None,
        seed: Seed = 0,
        *,
        first: Cell | None = None,
    ) -> None:
        """Make a game. `layout` is its layout, or a `Spec` for which the game draws a layout.
        Raises InputError for a wrong layout, rules or seed, BoardError if `first` is not a cell of
        the board."""
        self.rules = Rules() if rules is None else instance(rules, Rules, "rules")
        self.seed = arguments.seed(seed)
        self._model = clue_model(self.rules.clues)
        if not isinstance(layout, (Layout, Spec)):
            raise wrong("layout", "a Layout or a Spec", layout)
        self._layout = layout if isinstance(layout, Layout) else None
        self.given = self._layout is not None
        self.spec = layout.spec if isinstance(layout, Layout) else layout
        self.first = None if first is None else self.spec.require(first)
        self._cells = self.spec.cells  # kept, because every step of a game asks for it
        self._places = self.spec.geometry.places(self.spec.rows, self.spec.cols)
        self._state = self._places.filled(self.spec.codes(HIDDEN))
        self._seen = np.frombuffer(self._state, np.int8)  # the same memory as an array
        self._shows = array("b")
        self._asked: dict[int, int] = {}  # how often each silent cell was opened again
        self.opened = 0
        self.marked = 0
        self.exploded = 0
        self._false_marks = 0
        self.started = False
        self.actions: list[Action] = []

    @classmethod
    def new(
        cls,
        level: str | None = None,
        *,
        rows: int | None = None,
        cols: int | None = None,
        mines: int | None = None,
        rules: Rules | None = None,
        seed: Seed = 0,
        first: Cell | None = None,
    ) -> Game:
        """Make a game of a named level, or of the size given by `rows`, `cols` and `mines`. If
        neither a level nor a size is given, the level is `beginner`.

        >>> csp_mines.Game.new("expert", seed=1)
        <Game 16×30, 99 mines, classic rules: running, 0 of 381 safe cells open>

        Raises UnknownName for an unknown level, BoardError for an impossible size or if `first` is
        not a cell of the board, InputError for wrong rules or a wrong seed, and if the level and
        the size are both given or only a part of the size."""
        return cls(as_spec(level, rows, cols, mines), rules, seed, first=first)

    def __repr__(self) -> str:
        """Return a text such as `<Game 16×30, 99 mines, classic rules: running, 12 of 381 safe
        cells open>`."""
        spec = self.spec
        state = "running" if not self.over else "won" if self.won else "over"
        safe = spec.cells - spec.mines
        grid = "" if spec.geometry == SQUARE else f" {spec.geometry}"
        return (
            f"<Game {spec.rows}×{spec.cols}{grid}, {plural(spec.mines, 'mine')}, "
            f"{self.rules.rules} rules: {state}, {self.opened} of {plural(safe, 'safe cell')} open>"
        )

    def start(self) -> list[Cell]:
        """Open the first cell, or the first cells of a `sqrt` start. Return all opened cells, in
        the order of opening. If the game has started already (by `start` or `open`), or if the
        start is `any` and no first cell was given, open nothing and return an empty list.

        Raises BoardError if no cell of a given layout satisfies the start, and what `open`
        raises."""
        if self.started:
            return []
        self.started = True
        before = len(self.actions)  # marks from before the start are no part of a recording
        if self.rules.start is Start.SQRT:
            opened = self._show_some()
            shown = tuple(change for action in self.actions[before:] for change in action.changes)
            self.actions = [Action(ActionKind.START, opened[0], shown)] if opened else []
            return opened
        first = self.first if self.rules.start is Start.ANY else self._first_cell()
        opened = [] if first is None else self.open(first)
        self.actions = [replace(self.actions[-1], kind=ActionKind.START)] if opened else []
        return opened

    def open(self, cell: Cell) -> list[Cell]:
        """Open a cell, and return the cells that show something new, in the order of opening. The
        list is empty if nothing changes, for example because the cell was open already. Raises
        BoardError if the cell is marked or is not a cell of the board, InputError if the game is
        over."""
        cell = self.spec.require(cell)
        index = self._places.index(cell)
        self._complete(cell)
        if self.over:
            raise InputError(f"cell {self._label(cell)} cannot be opened: the game is over")
        if self._state[index] == MARKED:
            raise BoardError(f"cell {self._label(cell)} cannot be opened: it is marked as a mine")
        self.started = True
        changed = self._open(index, cell)
        cells = self._places.cells(changed)
        if changed:
            codes = [self._state[each] for each in changed]
            shown = tuple(zip(cells, codes, strict=True))
            self.actions.append(Action(ActionKind.OPEN, cell, shown))
        return cells

    def _open(self, index: int, cell: Cell) -> list[int]:
        """Open `cell`, whose number is `index`. Return the numbers of the cells that show something
        new."""
        if self._state[index] == CLEAR and self.rules.retry:
            return self._ask_again(index, cell)
        if self._state[index] != HIDDEN:
            return []
        if self._shows[index] == EXPLODED:
            self.exploded += 1
            self._state[index] = EXPLODED
            return [index]
        self._state[index] = self._shows[index]
        return self._spread(index)

    def mark(self, cells: Iterable[Cell]) -> None:
        """Mark hidden cells as mines, one after the other. Raises BoardError at the first item that
        is not a hidden cell of the board; the cells before this item stay marked. Raises InputError
        if `cells` is not an iterable."""
        self._complete(None)
        for given in several(cells, "cells", "cells"):
            cell = self.spec.require(given)
            index = self._places.index(cell)
            if self._state[index] != HIDDEN:
                raise BoardError(f"cell {self._label(cell)} is not hidden and cannot be marked")
            self._state[index] = MARKED
            self.actions.append(Action(ActionKind.MARK, cell, ((cell, MARKED),)))
            self.marked += 1
            self._false_marks += self._shows[index] != EXPLODED

    @property
    def board(self) -> Board:
        """The board that the player sees now."""
        grid = self._places.grid(self._seen)
        mines = self.spec.mines if self.rules.told_total else None
        return Board(grid, mines=mines, clues=self._model, geometry=self.spec.geometry)

    def shown(self, cell: Cell) -> int:
        """Return the board's code at a cell."""
        return self._state[self._places.index(self.spec.require(cell))]

    @property
    def over(self) -> bool:
        """Whether the game has ended. A classic game ends when it is won or a mine is opened; a
        sweep game ends when no cell is hidden."""
        if self.rules.rules is RuleName.CLASSIC:
            return self.exploded > 0 or self.won
        return self.opened + self.exploded + self.marked == self._cells

    @property
    def won(self) -> bool:
        """Whether the game is won. A game with an opened mine or a wrong mark is not won. Any other
        classic game is won when every safe cell is open, or when every mine is marked and there is
        at least one mine. Any other sweep game is won when it is over."""
        if self.exploded or self._false_marks:
            return False
        if self.rules.rules is RuleName.SWEEP:
            return self.over
        safe = self._cells - self.spec.mines
        return self.opened == safe or 0 < self.marked == self.spec.mines

    @property
    def score(self) -> float:
        """The number of marked mines divided by the number of mines, from 0 to 1. Each wrong mark
        takes one marked mine away, so that marking every cell is worth nothing unless most cells
        are mines. A classic game that is won has the score 1. A game without mines has the score 0
        if a mark is wrong, otherwise 1."""
        if self.rules.rules is RuleName.CLASSIC and self.won:
            return 1.0
        if not self.spec.mines:
            return 0.0 if self._false_marks else 1.0
        return max(0, self.marked - 2 * self._false_marks) / self.spec.mines

    @property
    def layout(self) -> Layout:
        """The hidden layout. The program that runs the game may read it; a player must not."""
        self._complete(None)
        assert self._layout is not None
        return self._layout

    def _label(self, cell: Cell) -> str:
        return self.spec.geometry.label(cell)

    def _first_cell(self) -> Cell:
        """Return the cell that a `safe` or `zero` start opens. Raises BoardError if no cell of a
        given layout satisfies the start."""
        wanted = self.first or self.spec.first
        if not self.given:
            return wanted
        layout = self.layout
        good = layout.safe.copy()
        if self.rules.start is Start.ZERO:
            good &= layout.numbers == 0
        if good[wanted]:
            return wanted
        if not good.any():
            raise BoardError(
                f"no cell of this layout satisfies the start {str(self.rules.start)!r}; "
                "use the start 'any' or another layout"
            )
        return self._places.cell(int(good.argmax()))

    def _complete(self, first: Cell | None) -> None:
        """Draw the layout if none was given, and compute what each cell shows. Later calls do
        nothing. A drawn layout satisfies a `safe` or `zero` start at the cell `first`. If `first`
        is None, the layout satisfies the start at the cell that `start()` opens."""
        if self._shows:
            return
        if self._layout is None:
            spec = self.spec
            clear = kept_clear(spec, self.rules.start, first or self.first)
            size = spec.rows, spec.cols, spec.mines, self.seed
            self._layout = Layout.random(
                *size, clear=clear, geometry=spec.geometry, holes=spec.holes
            )
        self._shows = self._places.filled(self._clues(self._layout))

    def _clues(self, layout: Layout) -> npt.NDArray[np.int8]:
        """Return the code that each cell shows when it is opened for the first time."""
        shown = layout.numbers
        if self._model.draw is not None:
            chances = random_numbers("clues", self.seed).random(layout.shape)
            most = layout.geometry.most
            shown = self._model.draw(shown, chances, self.rules.reveal, most)
            shown = np.where(shown == NOTHING, CLEAR, shown)
        codes: npt.NDArray[np.int8] = np.where(layout.mines, EXPLODED, shown).astype(np.int8)
        if layout.holes is not None:
            codes[layout.holes] = HOLE
        return codes

    def _show_some(self) -> list[Cell]:
        """Open about √N safe cells on a board of N cells, for a `sqrt` start. The seed determines
        these cells. Return all opened cells."""
        number = (isqrt(4 * self.spec.cells) + 1) // 2  # √cells, rounded
        shown: list[Cell] = []
        for cell in shuffled_safe(self, "start")[:number]:
            if self.over:
                break
            shown += self.open(cell)
        return shown

    def _ask_again(self, index: int, cell: Cell) -> list[int]:
        """Open `cell` again, which is open but shows no clue. The cell then shows its clue with the
        probability `reveal`. Return the numbers of the cells that show something new."""
        times = self._asked[index] = self._asked.get(index, 0) + 1
        # Earlier versions used this key. It must not change, so that old games can be played again.
        key = (cell[0] + 1) * (self.spec.cols + 2) + cell[1] + 1
        chance = random_numbers("clues", f"{self.seed}/{key}/{times}").random()
        if chance >= self.rules.reveal:
            return []
        self._state[index] = int(self.layout.numbers[cell])
        self.opened -= 1
        return self._spread(index)

    def _spread(self, index: int) -> list[int]:
        """Flood from the cell with the number `index`, which has just opened, if the rules and the
        clue model allow floods. Return the numbers of this cell and of the cells that the flood
        opened. Add the count of these cells to `self.opened`."""
        opened = [index]
        if self.rules.flood and self._model.floods:
            opened = flood(self._places, self._state, self._shows, index)
        self.opened += len(opened)
        return opened


def shuffled_safe(game: Game, purpose: str) -> list[Cell]:
    """Return the safe cells of a game in a random order. The order depends only on `purpose` and on
    the seed of the game."""
    safe = cells_at(game.layout.safe)
    order = np.argsort(random_numbers(purpose, game.seed).random(len(safe)), kind="stable")
    return [safe[place] for place in order.tolist()]
