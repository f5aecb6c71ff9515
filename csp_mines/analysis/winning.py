"""The player to win (its strengths and its move on a board), and the win chance of optimal play.

The player to win is part of the compiled kernel. `docs/winning.md` says how the player chooses
cells and how many games it wins. The names of its strengths are `win`, `win:fast` and `win:strong`.
A minus sign in a name turns an ingredient off: `win:-influence`, `win:strong,-playouts`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from csp_mines import defaults
from csp_mines.analysis.conflict import find_conflict
from csp_mines.arguments import several, shown, whole, wrong
from csp_mines.backend import Capability, capability
from csp_mines.board import Board, Cell, as_board
from csp_mines.clues import EXACT
from csp_mines.errors import (
    BoardError,
    Contradiction,
    InputError,
    UnknownName,
    Unsupported,
)
from csp_mines.errors import TooManyLayouts as TooManyLayouts
from csp_mines.geometry import SQUARE, Geometry, as_cell
from csp_mines.kernel import failure, in_kernel, kernel_table
from csp_mines.names import MOVE_RULES
from csp_mines.question import Question, ask

if TYPE_CHECKING:
    from csp_mines.kernel import (
        Kernel,
        KernelResult,
        KernelSearched,
        KernelStrength,
    )

INGREDIENTS = (
    "next-step", "influence", "wide", "closed", "endgame", "search", "opening", "playouts",
)  # fmt: skip
"""The ingredients that the name of a player can turn off. Each of them is a boolean field of the
kernel's `Strength`, written with `-` instead of `_`."""

STRENGTHS: dict[str, dict[str, float]] = {
    "fast": {"search_layouts": 200, "search_work": 400_000},
    "": {},
    "strong": {"search_layouts": 10_000, "beam": 3, "search_work": 100_000_000, "playouts": True},
}
"""For each strength, the fields that differ from the kernel's default `Strength`. The key of `win`
is the empty string."""


def is_player(name: str) -> bool:
    """Return whether a name, such as `win:fast`, is that of a player to win. Its options may be
    wrong; `strength` checks them."""
    return name.partition(":")[0] == "win"


def strength(name: str) -> dict[str, float]:
    """Return the settings of a player: fields of the kernel's `Strength` with their values. All
    other fields have the default values. `name` is the name of the player, such as `win`,
    `win:fast`, `win:-influence` or `win:strong,-closed`. Raises UnknownName if there is no player
    with this name."""
    if not is_player(name):
        raise UnknownName("player", name, list(filter(is_player, MOVE_RULES)))
    chosen, options = STRENGTHS[""], name.partition(":")[2]
    for place, option in enumerate(options.split(",") if options else []):
        if place == 0 and option in STRENGTHS and option:
            chosen = STRENGTHS[option]
        elif option[:1] == "-" and option[1:] in INGREDIENTS:
            chosen = chosen | {option[1:].replace("-", "_"): False}
        else:
            ingredients = [f"-{ingredient}" for ingredient in INGREDIENTS]
            known = ingredients if place else [*filter(None, STRENGTHS), *ingredients]
            misplaced = option != "" and option in STRENGTHS
            hint = "a strength must come first, as in win:fast,-closed" if misplaced else ""
            raise UnknownName("player option", option, known, hint)
    return chosen


class WinningMove(NamedTuple):
    """The move of the player to win.

    `chance` is the win chance that the player computed or estimated, or None if the player did
    neither. If `exact` is true, no player has a better win chance. `reason` is "proved" for a
    cell that is proved safe. Otherwise `reason` names the part of the player that chose the cell,
    such as "endgame" or "next-step". If the player searched all layouts that fit, `layouts` is
    their number; otherwise `layouts` is 0.

    >>> move = csp_mines.best_move([[-1, 1, -1, -1]], mines=1)
    >>> move.cell, move.chance, move.exact
    ((0, 3), None, False)
    """

    cell: Cell
    risk: float
    chance: float | None
    exact: bool
    reason: str
    layouts: int = 0

    @property
    def searched(self) -> float | None:
        """`chance` if the player searched all layouts that fit, otherwise None. After such a
        search, the player has a strategy that wins on this share of the layouts."""
        return self.chance if self.reason == "endgame" else None


@dataclass(frozen=True)
class WinChance:
    """The win chance of optimal play on a board. `layouts` is the number of layouts that fit the
    board, and `won` is the number of these layouts on which optimal play wins. `cell` is a best
    cell to open, or None if every hidden cell is a mine.

    >>> chance = csp_mines.win_chance([[-1, 1, -1]], mines=1)
    >>> chance.won, chance.layouts, chance.chance
    (1, 2, Fraction(1, 2))
    """

    won: int
    layouts: int
    cell: Cell | None

    @property
    def chance(self) -> Fraction:
        """The share of the layouts on which optimal play wins."""
        return Fraction(self.won, self.layouts)

    def to_json(self) -> dict[str, Any]:
        """Return the field `win` of the document that `solve --win --json` prints."""
        return {
            "win_chance": float(self.chance),
            "exact": True,
            "won": self.won,
            "layouts": self.layouts,
            "cell": None if self.cell is None else list(self.cell),
        }


@dataclass(frozen=True)
class WinChances:
    """The win chances of the cells that were searched. `layouts` is the number of layouts that fit
    the board. A player who opens `cell` and plays optimally from then on wins on `won[cell]` of
    these layouts. `won[cell]` is None if the search of this cell took too long.

    >>> csp_mines.win_chances([[-1, 1, -1, -1]], mines=1).chance((0, 3))
    Fraction(1, 1)
    """

    layouts: int
    won: Mapping[Cell, int | None]

    def chance(self, cell: Cell) -> Fraction | None:
        """Return the win chance of a cell; None if the search of this cell took too long. Raises
        BoardError if the cell was not searched."""
        asked = as_cell(cell)
        if asked not in self.won:
            raise BoardError(f"{shown(asked)} is not one of the hidden cells that were searched")
        won = self.won[asked]
        return None if won is None else Fraction(won, self.layouts)


class Position(NamedTuple):
    """What a player needs to know to choose a move on a board. All clues of the board are exact.

    `board` is an array of codes, or the result of the kernel for this array and `total`. With a
    result, the player does not have to analyse the board again. `total` is the number of mines,
    or None if it is unknown: then all layouts that fit the clues are equally likely, however many
    mines they have. `max_states` limits every count, and `geometry` is the grid.

    >>> from csp_mines.question import ask
    >>> board = csp_mines.Board([[-1, 1, -1, -1]], mines=1)
    >>> csp_mines.Position.of(ask(board), board.codes).total
    1
    """

    board: npt.NDArray[np.int8] | KernelResult
    total: int | None
    max_states: int = defaults.POSITION_STATES
    geometry: Geometry = SQUARE

    @classmethod
    def of(cls, question: Question, board: npt.NDArray[np.int8] | KernelResult) -> Position | None:
        """Return the position of a question. `board` has the codes of the question's board, as an
        array or as a result of the kernel. Return None if the clue model of the question is not
        `exact`, or if the question has a density: in both cases the player to win cannot play."""
        if question.density is not None or question.clues.name != EXACT.name:
            return None
        return cls(board, question.total, question.max_states, question.geometry)

    @property
    def codes(self) -> npt.NDArray[np.int8]:
        """The codes of the board, as an array."""
        return self.board if isinstance(self.board, np.ndarray) else self.board.board

    def as_board(self) -> Board:
        """Return the position as a Board, with `total` as its number of mines."""
        return Board(self.codes, mines=self.total, geometry=self.geometry)

    @property
    def cells(self) -> int:
        """The number of rows times the number of columns, so holes count, too."""
        board = self.board
        return board.size if isinstance(board, np.ndarray) else board.probabilities.size


def player_kernel() -> Kernel:
    """Return the kernel for playing to win. Raises BackendUnavailable if there is no kernel."""
    return capability(Capability.WINNING)


def orders(player: str) -> KernelStrength:
    """Return the kernel's `Strength` for the name of a player. Raises UnknownName if there is no
    player with this name, BackendUnavailable if there is no kernel.

    Each call makes a new `Strength`. A cache would keep a `Strength` longer than the kernel's
    module, and nanobind would report a leak."""
    return player_kernel().Strength(**strength(player))


def advise(position: Position, player: KernelStrength | str) -> WinningMove | None:
    """Return the move of a player; None if every hidden cell is a mine. Raises what `orders`
    raises. Raises Contradiction if no layout fits, TooWide if counting needs more than `max_states`
    states or 2 GiB of memory, EngineFault if the kernel contradicts itself."""
    result, total, max_states = position.board, in_kernel(position.total), position.max_states
    told = orders(player) if isinstance(player, str) else player
    if isinstance(result, np.ndarray):
        kernel = player_kernel()
        exact = kernel.Model.EXACT
        table = kernel_table(kernel, position.geometry, result.shape)
        result = kernel.analyze(
            result, total, 1.0, exact, max_states, inf, None, defaults.MAX_MEMORY, table
        )
    advice = result.best_move(total, told, max_states)
    if advice.status is type(advice.status).CONTRADICTION:
        raise _contradiction(position)
    if advice.status:
        raise failure(advice.status, result.states, max_states, defaults.MAX_MEMORY)
    if advice.cell is None:
        return None
    reason = advice.reason.name.lower().replace("_", "-")
    return WinningMove(
        advice.cell, advice.risk, advice.chance, advice.exact, reason, advice.layouts
    )


def best_move(
    board: Board | npt.ArrayLike,
    mines: int | None = None,
    *,
    player: KernelStrength | str = "win",
    max_states: int = defaults.POSITION_STATES,
) -> WinningMove | None:
    """Return the move of a player on a board with exact clues; None if every hidden cell is a mine.
    If any cell is proved safe, the move opens such a cell.

    Parameters:
        board: a board, or an array of integers (-1 hidden, 0 to 8 clues).
        mines: the total number of mines. By default the board's own number, if it has one.
        player: the name of a player, such as `win`, `win:fast` or `win:strong`, or a strength of
            the kernel.
        max_states: the largest number of states that counting a region may need.

    Raises BoardError for an invalid board or an impossible `mines`, UnknownName for an unknown
    player, InputError for any other wrong argument, Contradiction if no layout fits, TooWide if
    counting needs more than `max_states` states or 2 GiB of memory, Unsupported for a density and
    for a clue model other than `exact`, BackendUnavailable without the compiled kernel.

    >>> csp_mines.best_move([[-1, 1, -1, -1]], mines=1).cell
    (0, 3)
    """
    position = _asked(board, mines, max_states)
    kernel = player_kernel()
    if not isinstance(player, (kernel.Strength, str)):
        raise wrong("player", "a name such as 'win', or a Strength", player)
    return advise(position, player)


def win_chance(
    board: Board | npt.ArrayLike,
    mines: int | None = None,
    *,
    max_layouts: int = 5_000,
    work: int = 500_000_000,
) -> WinChance:
    """Return the exact win chance of optimal play on a board with exact clues.

    Besides proved mines, the board may have at most 64 hidden cells. With the default limits, the
    search takes at most a few seconds and about 50 megabytes.

    Parameters:
        board: a board, or an array of integers (-1 hidden, 0 to 8 clues).
        mines: the total number of mines. By default the board's own number, if it has one.
        max_layouts: the largest number of layouts that may fit, from 1 to 1,000,000.
        work: the largest number of steps of the search, from 1 to 10**15.

    Raises TooManyLayouts if the board or the search exceeds one of these limits, Contradiction if
    no layout fits, BoardError for an invalid board or an impossible `mines`, InputError for a wrong
    limit, Unsupported for a density and for a clue model other than `exact`, BackendUnavailable
    without the compiled kernel.

    >>> csp_mines.win_chance([[-1, 1, -1, -1]], mines=1)
    WinChance(won=2, layouts=2, cell=(0, 3))
    """
    max_layouts, work = _bounds(max_layouts, work)
    position = _asked(board, mines)
    codes, total = position.codes, in_kernel(position.total)
    kernel = player_kernel()
    table = kernel_table(kernel, position.geometry, codes.shape)
    status, index, won, layouts = kernel.win_chance(codes, total, max_layouts, work, table)
    _require_found(status, position, max_layouts, layouts, work)
    return WinChance(won, layouts, None if index < 0 else divmod(index, codes.shape[1]))


def win_chances(
    board: Board | npt.ArrayLike,
    mines: int | None = None,
    *,
    cells: Iterable[Cell] | None = None,
    max_layouts: int = 5_000,
    work: int = 500_000_000,
) -> WinChances:
    """Return, for each hidden cell or for each of `cells`, the exact win chance of opening the cell
    and playing optimally from then on. Each cell gets an equal share of `work`; the win chance of a
    cell whose search needs more is None. If more than 64 cells are hidden, proved mines are left
    out of the result.

    Parameters:
        board: a board, or an array of integers (-1 hidden, 0 to 8 clues).
        mines: the total number of mines. By default the board's own number, if it has one.
        cells: the cells to open. By default all hidden cells.
        max_layouts, work: as in `win_chance`.

    Raises what `win_chance` raises, BoardError for a cell that is not hidden, and InputError if
    `cells` is not an iterable of at least one cell.

    >>> csp_mines.win_chances([[-1, 1, -1, -1]], mines=1)
    WinChances(layouts=2, won={(0, 0): 1, (0, 2): 1, (0, 3): 2})
    """
    max_layouts, work = _bounds(max_layouts, work)
    position = _asked(board, mines)
    wanted = None if cells is None else several(cells, "cells", "cells")
    if wanted == []:
        raise InputError("cells is empty; leave it out to search every hidden cell")
    searched = position.as_board()
    hidden = [searched.require_hidden(cell) for cell in wanted or ()]
    status, layouts, won = _search(position, hidden, max_layouts, work)
    _require_found(status, position, max_layouts, layouts, work)
    by_cell = {divmod(index, searched.cols): None if wins < 0 else wins for index, wins in won}
    return WinChances(layouts, by_cell)


def won_by(position: Position, cell: Cell) -> int | None:
    """Return the number of layouts that are won if the player opens the cell and plays optimally
    from then on. Return None if the search does not find this number, for example because of the
    limits `_COMPARED` and `_COMPARED_WORK`."""
    status, _, won = _search(position, [cell], _COMPARED, _COMPARED_WORK)
    if status is not type(status).FOUND:
        return None
    return next((wins for _, wins in won if wins >= 0), None)


def _search(
    position: Position, cells: Sequence[Cell], max_layouts: int, work: int
) -> tuple[KernelSearched, int, list[tuple[int, int]]]:
    """Let the kernel search the win chances of `cells`, or of all hidden cells if `cells` is empty.
    Return the status of the search, the number of layouts that fit, and a pair for each searched
    cell. A pair has the number of the cell, and the number of layouts that are won if the cell is
    opened first, or -1 if the search of the cell takes too long."""
    kernel, codes = player_kernel(), position.codes
    numbers = [row * codes.shape[1] + col for row, col in cells]
    table = kernel_table(kernel, position.geometry, codes.shape)
    total = in_kernel(position.total)
    return kernel.win_chances(codes, total, numbers, max_layouts, work, table)


_MOST_WORK = 10**15  # this many steps would take weeks
_COMPARED, _COMPARED_WORK = 100_000, 4_000_000  # most layouts and most steps in `won_by`


def _bounds(max_layouts: int, work: int) -> tuple[int, int]:
    """Return the limits of an exact search as plain integers. Raises InputError for a limit that is
    not a whole number, is below 1 or is too large."""
    return whole(max_layouts, "max_layouts", 1, 1_000_000), whole(work, "work", 1, _MOST_WORK)


def _require_found(
    status: KernelSearched, position: Position, max_layouts: int, layouts: int, work: int
) -> None:
    """Raise the error that the status of a search stands for; do nothing if the status is FOUND.
    `layouts` is the number of layouts that fit. The other parameters are those of the search."""
    statuses = type(status)
    if status is statuses.CONTRADICTION:
        raise _contradiction(position)
    if status is statuses.TOO_MANY_CELLS:
        raise TooManyLayouts(
            "more than 64 hidden cells besides proved mines: too many for an exact search"
        )
    if status is statuses.TOO_MANY_LAYOUTS:
        raise TooManyLayouts(
            f"more than {max_layouts:,} layouts fit the board, or listing the layouts takes more "
            f"than {work:,} steps: too many for an exact search"
        )
    if status is not statuses.FOUND:
        raise TooManyLayouts(f"searching {layouts:,} layouts takes more than {work:,} steps")


def _asked(
    board: Board | npt.ArrayLike, mines: int | None, max_states: int = defaults.POSITION_STATES
) -> Position:
    """Return the Position for the board and the other arguments of a public function. Raises
    BoardError for an invalid board or an impossible `mines`, InputError for a wrong `max_states`,
    Unsupported for a density and for a clue model other than `exact`."""
    question = ask(as_board(board), mines, max_states=max_states)
    # With silent clues, all numbers are true, but an opened cell may show no number. The kernel
    # does not take that into account, so the result would not be exact.
    if question.clues.name != EXACT.name:
        raise Unsupported(f"playing to win needs exact clues, not {question.clues.name} clues")
    if question.density is not None:
        raise Unsupported(
            "playing to win does not work with a density; give the number of mines instead"
        )
    return Position(question.codes, question.total, question.max_states, question.geometry)


def _contradiction(position: Position) -> Contradiction:
    return Contradiction(find=partial(find_conflict, position.as_board()))
