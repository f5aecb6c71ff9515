"""`Game` and `Rules`: a hidden layout, what opening a cell shows, and when a game is won or lost.

A `Game` is made from a seed or from a given layout. Its `Board`s never reveal the layout. A game is
deterministic: the same seed gives the same mines, and a cell shows the same clue in any order of
openings. This module decides when a game is over or won, what its score is, which cell a start
opens, and which actions are recorded.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import isqrt

import numpy as np
import numpy.typing as npt

from csp_mines import arguments
from csp_mines.arguments import Name, choice, instance, known_name, several, wrong
from csp_mines.board import CLEAR, EXPLODED, HIDDEN, HOLE, MARKED, Board, Cell
from csp_mines.clues import CLUE_MODELS, NOTHING, clue_model
from csp_mines.errors import BoardError, InputError
from csp_mines.games.actions import Action, ActionKind
from csp_mines.geometry import SQUARE
from csp_mines.layout import LEVELS, Layout, Seed, Spec, as_spec, flood, level, random_numbers
from csp_mines.words import plural

__all__ = ["LEVELS", "Game", "Layout", "RuleName", "Rules", "Seed", "Spec", "Start", "level"]


class RuleName(Name):
    """What an opened mine does: under `classic` it ends the game, under `sweep` the game goes on
    and the mine counts as not identified.

    >>> csp_mines.Rules(rules="sweep").rules is csp_mines.RuleName.SWEEP
    True
    """

    CLASSIC = "classic"
    SWEEP = "sweep"


class Start(Name):
    """What the rules guarantee about the first cell of a game.

    >>> csp_mines.Rules(start="zero").start is csp_mines.Start.ZERO
    True
    """

    SAFE = "safe"  # the first cell is not a mine
    ZERO = "zero"  # neither the first cell nor any cell around it is a mine
    ANY = "any"  # the first cell may be a mine
    SQRT = "sqrt"  # the game itself opens safe cells, about √N on a board of N cells


@dataclass(frozen=True)
class Rules:
    """The rules of a game.

    * `rules`: A `classic` game ends with the first opened mine. It is won when every safe cell is
      open or every mine is marked. A `sweep` game goes on until no cell is hidden. Its score counts
      the mines that were marked and not opened; each wrong mark takes one mine away from the count.
    * `start`: what is guaranteed about the first cell, see `Start`.
    * `flood`: whether a 0 opens the cells around it.
    * `clues`: the name of a clue model. Under `silent`, a cell shows its number with probability
      `reveal`. With `retry`, a silent cell may be opened again until it shows its number.
    * `told_total`: whether the board shows the number of mines.

    >>> rules = csp_mines.Rules("sweep", start="zero")
    >>> game = csp_mines.Game.new("beginner", rules=rules, seed=1)
    >>> csp_mines.play(game, "exact").score
    1.0
    """

    rules: RuleName | str = RuleName.CLASSIC
    start: Start | str = Start.SAFE
    flood: bool = True
    clues: str = "exact"
    reveal: float = 0.6
    retry: bool = False
    told_total: bool = True

    def __post_init__(self) -> None:
        """Raise UnknownName for an unknown rule, start or clue model, and InputError for a wrong
        `reveal`."""
        object.__setattr__(self, "rules", choice("rules", self.rules, RuleName))
        object.__setattr__(self, "start", choice("start", self.start, Start))
        known_name("clue model", self.clues, tuple(CLUE_MODELS))
        expected = "a probability greater than 0 and at most 1"
        arguments.number(self.reveal, "reveal", expected, lambda chance: 0 < chance <= 1)


class Game:
    """One game. A player calls `open` and `mark`, and may see only `board`. `actions` lists what
    was opened and marked so far, for a review.

    A game made from a `Spec` draws its layout when the first cell is opened, so that this cell
    fulfils a `safe` or `zero` start. If a caller reads `layout` earlier, the layout is drawn for
    the cell that `start()` will open. A given layout is never changed. Instead, with a `safe` or
    `zero` start, `start()` opens the cell `first` (by default the first cell of the board) if this
    cell fulfils the start. If not, `start()` opens the first cell in reading order that does.
    """

    def __init__(
        self,
        layout: Layout | Spec,
        rules: Rules | None = None,
        seed: Seed = 0,
        *,
        first: Cell | None = None,
    ) -> None:
        """Make a game. Raises InputError for a wrong layout, rules or seed, BoardError for a first
        cell off the board."""
        self.rules = Rules() if rules is None else instance(rules, Rules, "rules")
        self.seed = arguments.seed(seed)
        self._model = clue_model(self.rules.clues)
        if isinstance(layout, Layout):
            self.spec = layout.spec
        elif isinstance(layout, Spec):
            self.spec = layout
        else:
            raise wrong("layout", "a Layout or a Spec", layout)
        self.given = isinstance(layout, Layout)
        self._layout = layout if isinstance(layout, Layout) else None
        self.first = None if first is None else self.spec.require(first)
        self._cells = self.spec.cells  # kept, because every step of a game asks for it
        self._places = self.spec.geometry.places(self.spec.rows, self.spec.cols)
        self._state = self._places.filled(self.spec.codes(HIDDEN))
        self._seen = np.frombuffer(self._state, np.int8)  # the same memory as an array
        self._shows = array("b")
        self._asked: dict[int, int] = {}
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
        """Make a game of a named level, or of a size given by `rows`, `cols` and `mines`. Without
        arguments the level is `beginner`.

        >>> csp_mines.Game.new("expert", seed=1)
        <Game 16×30, 99 mines, classic rules: running, 0 of 381 safe cells open>

        Raises UnknownName for an unknown level, InputError for a wrong size or seed, BoardError for
        a first cell off the board."""
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
        """Open the first cell, or the first cells, as the rules say. Return all opened cells. Do
        nothing if the game has started, or if the start is `any` and no first cell was given."""
        if self.started:
            return []
        self.started = True
        if self.rules.start is Start.SQRT:
            before = len(self.actions)
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
        BoardError for a marked cell or a cell off the board, InputError if the game is over."""
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
        """Open the cell with the number `index`. Return the numbers of the cells that show
        something new."""
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
        """Mark hidden cells as mines. Raises BoardError for a cell that is not hidden."""
        self._complete(None)
        for cell in several(cells, "cells", "cells"):
            index = self._index(cell)
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
        return self._state[self._index(cell)]

    @property
    def over(self) -> bool:
        """Whether the game has ended. A classic game ends when it is won or a mine is opened; a
        sweep game ends when no cell is hidden."""
        if self.rules.rules is RuleName.CLASSIC:
            return self.exploded > 0 or self.won
        return self.opened + self.exploded + self.marked == self._cells

    @property
    def won(self) -> bool:
        """Whether the game is won. A classic game is won when every safe cell is open or every mine
        is marked. A sweep game is won if it is over and no mine was opened. A game with a wrong
        mark is not won."""
        if self.exploded or self._false_marks:
            return False
        if self.rules.rules is RuleName.SWEEP:
            return self.over
        safe = self._cells - self.spec.mines
        return self.opened == safe or 0 < self.marked == self.spec.mines

    @property
    def score(self) -> float:
        """The share of the mines that the player identified without opening them: the marked mines,
        or all mines if a classic game is won. Each wrong mark takes one marked mine away, so that
        marking every cell is worth nothing unless most cells are mines. The score is at least 0."""
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

    def _index(self, cell: Cell) -> int:
        return self._places.index(self.spec.require(cell))

    def _first_cell(self) -> Cell:
        """Return the cell that a `safe` or `zero` start opens."""
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
        row, col = np.argwhere(good)[0].tolist()
        return row, col

    def _complete(self, first: Cell | None) -> None:
        """Draw the layout, unless it is given or drawn already, and compute what each cell shows.
        The drawn layout fulfils a `safe` or `zero` start at the cell `first`. If `first` is None,
        the start is at the cell that `start()` opens."""
        if self._shows:
            return
        if self._layout is None:
            clear: list[Cell] = []
            if self.rules.start in (Start.SAFE, Start.ZERO):
                first = first or self._first_cell()
                clear = [first]
                if self.rules.start is Start.ZERO:
                    clear += self.spec.neighbours(first)
            spec = self.spec
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
        """Open the safe cells of a `sqrt` start. The seed chooses them."""
        safe = np.flatnonzero(self.layout.safe)
        number = (isqrt(4 * self.spec.cells) + 1) // 2  # √cells, rounded
        order = np.argsort(random_numbers("start", self.seed).random(len(safe)), kind="stable")
        shown: list[Cell] = []
        for place in safe[order[:number]].tolist():
            if self.over:
                break
            shown += self.open(divmod(place, self.spec.cols))
        return shown

    def _ask_again(self, index: int, cell: Cell) -> list[int]:
        """Open a silent cell again. It shows its number with the probability `reveal`. Return the
        numbers of the cells that show something new."""
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
        """Flood from a newly opened cell, if the rules and the clue model allow it. Return the
        numbers of this cell and of the cells that the flood opened, and add their count to
        `opened`."""
        opened = [index]
        if self.rules.flood and self._model.floods:
            opened = flood(self._places, self._state, self._shows, index)
        self.opened += len(opened)
        return opened
