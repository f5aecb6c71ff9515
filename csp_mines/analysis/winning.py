"""The player to win: its strengths and their names, its move on a board, and the exact win chance.

The player to win is part of the compiled kernel. `docs/winning.md` says how it plays and how often
it wins. Its strengths are `win`, `win:fast` and `win:strong`. A name with a minus sign turns an
ingredient off: `win:-influence`, `win:strong,-playouts`.
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
    TooWide,
    UnknownName,
    Unsupported,
)
from csp_mines.errors import TooManyLayouts as TooManyLayouts
from csp_mines.geometry import SQUARE, Geometry, as_cell
from csp_mines.kernel import in_kernel, kernel_table
from csp_mines.names import MOVE_RULES
from csp_mines.question import Question, ask

if TYPE_CHECKING:
    from csp_mines.kernel import (
        Kernel,
        KernelResult,
        KernelSearched,
        KernelStatus,
        KernelStrength,
    )

INGREDIENTS = (
    "next-step", "influence", "wide", "closed", "endgame", "search", "opening", "playouts",
)  # fmt: skip
"""The ingredients that a name can turn off: the boolean fields of the kernel's `Strength`."""

STRENGTHS: dict[str, dict[str, float]] = {
    "fast": {"search_layouts": 200, "search_work": 400_000},
    "": {},
    "strong": {"search_layouts": 10_000, "beam": 3, "search_work": 100_000_000, "playouts": True},
}
"""For each strength, the fields that differ from the kernel's default `Strength`."""


def strength(name: str) -> dict[str, float]:
    """Return the settings of a player: the fields of the kernel's `Strength` that differ from the
    default, with their values. `name` is the name of the player, such as `win`, `win:fast`,
    `win:-influence` or `win:strong,-closed`. Raises UnknownName if there is no such player."""
    player, _, options = name.partition(":")
    if player != "win":
        raise UnknownName("player", name, [rule for rule in MOVE_RULES if rule[:3] == "win"])
    chosen = STRENGTHS[""]
    for place, option in enumerate(options.split(",") if options else []):
        if place == 0 and option in STRENGTHS and option:
            chosen = STRENGTHS[option]
        elif option[:1] == "-" and option[1:] in INGREDIENTS:
            chosen = chosen | {option[1:].replace("-", "_"): False}
        else:
            known = [*filter(None, STRENGTHS), *(f"-{ingredient}" for ingredient in INGREDIENTS)]
            raise UnknownName("option of the player", option, known)
    return chosen


class WinningMove(NamedTuple):
    """The move of the player to win. `chance` is the player's estimate of its win chance; None if
    the player made no estimate. If `exact` is true, no player has a better chance. `reason` names
    the part of the player that chose the cell, such as "endgame" or "next-step". `layouts` is the
    number of layouts that fit if the player searched them all, and 0 otherwise.

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
        """The win chance, if the player searched all layouts that fit. The player then has a
        strategy that wins with this chance. None if the chance is only an estimate, or unknown."""
        return self.chance if self.reason == "endgame" else None


@dataclass(frozen=True)
class WinChance:
    """The win chance of optimal play from here on: an optimal player wins in `won` of the `layouts`
    that fit. `cell` is a best cell to open, or None if every hidden cell is a mine.

    >>> chance = csp_mines.win_chance([[-1, 1, -1]], mines=1)
    >>> chance.won, chance.layouts, chance.chance
    (1, 2, Fraction(1, 2))
    """

    won: int
    layouts: int
    cell: Cell | None

    @property
    def chance(self) -> Fraction:
        """The share of the layouts that optimal play wins."""
        return Fraction(self.won, self.layouts)

    def to_json(self) -> dict[str, Any]:
        """Return the document that `solve --win --json` prints."""
        return {
            "win_chance": float(self.chance),
            "exact": True,
            "won": self.won,
            "layouts": self.layouts,
            "cell": None if self.cell is None else list(self.cell),
        }


@dataclass(frozen=True)
class WinChances:
    """The win chance of every cell. A player who opens `cell` and plays optimally from then on wins
    on `won[cell]` of the `layouts`. `won[cell]` is None if the search takes too long.

    >>> csp_mines.win_chances([[-1, 1, -1, -1]], mines=1).chance((0, 3))
    Fraction(1, 1)
    """

    layouts: int
    won: Mapping[Cell, int | None]

    def chance(self, cell: Cell) -> Fraction | None:
        """Return the win chance of a cell; None if its search took too long. Raises BoardError if
        the cell was not searched."""
        asked = as_cell(cell)
        if asked not in self.won:
            raise BoardError(f"{shown(asked)} is not one of the hidden cells that were searched")
        won = self.won[asked]
        return None if won is None else Fraction(won, self.layouts)


class Position(NamedTuple):
    """A board for the player to win. `board` is an array of codes, or the kernel's result for such
    an array. With the result, the board is not analysed again. All clues are exact.
    `total` is the number of mines; if `total` is None, all layouts are equally likely.

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
        """Return the position of a question. `board` is the array of codes of its board, or the
        kernel's result for this array. Return None if the question has a density or clues that are
        not exact, because the player to win cannot play then."""
        if question.density is not None or question.clues.name != EXACT.name:
            return None
        return cls(board, question.total, question.max_states, question.geometry)

    @property
    def codes(self) -> npt.NDArray[np.int8]:
        """The codes of the board."""
        return self.board if isinstance(self.board, np.ndarray) else self.board.board

    def as_board(self) -> Board:
        """Return the board with `total` as its number of mines."""
        return Board(self.codes, mines=self.total, geometry=self.geometry)

    @property
    def cells(self) -> int:
        """The number of cells of the board."""
        board = self.board
        return board.size if isinstance(board, np.ndarray) else board.probabilities.size


def player_kernel() -> Kernel:
    """Return the kernel that plays to win. Raises BackendUnavailable if there is no kernel."""
    return capability(Capability.WINNING)


def orders(player: str) -> KernelStrength:
    """Return the kernel's `Strength` for the name of a player. Raises UnknownName if there is no
    such player, BackendUnavailable without a kernel. The `Strength` is made anew at each call,
    because a `Strength` that outlives the kernel's module is reported as a leak."""
    return player_kernel().Strength(**strength(player))


def advise(position: Position, player: KernelStrength | str) -> WinningMove | KernelStatus | None:
    """Return the move of a player; None if every hidden cell is a mine. If no layout fits the
    position, or if the position is too wide to count, return the kernel's status. Raises what
    `orders` raises."""
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
    if advice.status:
        return advice.status
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
    """Return the move that the player to win makes on a board with exact clues; None if every
    hidden cell is a mine. A cell that is proved safe comes before any other.

    Parameters:
        board: a board, or an array of integers (-1 hidden, 0 to 8 clues).
        mines: the total number of mines. By default the board's own number.
        player: the name of a player, such as `win`, `win:fast` or `win:strong`.
        max_states: the largest number of states that counting may need.

    Raises BoardError for an invalid board, Contradiction if no layout fits, TooWide if counting
    needs more than `max_states`, Unsupported for a density or clues that are not exact,
    BackendUnavailable without the compiled kernel.

    >>> csp_mines.best_move([[-1, 1, -1, -1]], mines=1).cell
    (0, 3)
    """
    position = _asked(board, mines, max_states)
    kernel = player_kernel()
    if not isinstance(player, (kernel.Strength, str)):
        raise wrong("player", "a name such as 'win', or a Strength", player)
    move = advise(position, player)
    if move is kernel.Status.CONTRADICTION:
        raise _contradiction(position)
    if move is kernel.Status.TOO_WIDE:
        raise TooWide(max_states + 1, max_states)
    assert not isinstance(move, kernel.Status)
    return move


def win_chance(
    board: Board | npt.ArrayLike,
    mines: int | None = None,
    *,
    max_layouts: int = 5_000,
    work: int = 500_000_000,
) -> WinChance:
    """Return the exact win chance of optimal play on a board with exact clues.

    Besides proved mines, the board may have at most 64 hidden cells. At most `max_layouts` layouts
    may fit. `work` limits the steps of the search; the default takes a few seconds. The search uses
    about fifty megabytes at most.

    Parameters:
        board: a board, or an array of integers (-1 hidden, 0 to 8 clues).
        mines: the total number of mines. By default the board's own number.
        max_layouts: the largest number of layouts that may fit.
        work: the largest number of steps of the search.

    Raises TooManyLayouts beyond these limits, Contradiction if no layout fits, BoardError for an
    invalid board, Unsupported for a density or clues that are not exact, BackendUnavailable without
    the compiled kernel.

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
    """Return the exact win chance of opening each hidden cell, or each of `cells`, and playing
    optimally from then on. The limits are those of `win_chance`. Each cell gets an equal share of
    `work`; the chance of a cell that needs more is None.

    Parameters:
        board: a board, or an array of integers (-1 hidden, 0 to 8 clues).
        mines: the total number of mines. By default the board's own number.
        cells: the cells to open. By default all hidden cells.
        max_layouts, work: as in `win_chance`.

    Raises what `win_chance` raises, and BoardError for a cell that is not hidden.

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
    """Return the number of layouts on which a player wins if it opens the cell and plays optimally
    from then on; None if the search reaches a limit."""
    status, _, won = _search(position, [cell], _COMPARED, _COMPARED_WORK)
    if status is not type(status).FOUND:
        return None
    return next((wins for _, wins in won if wins >= 0), None)


def _search(
    position: Position, cells: Sequence[Cell], max_layouts: int, work: int
) -> tuple[KernelSearched, int, list[tuple[int, int]]]:
    """Let the kernel search the win chances of some hidden cells, or of all if `cells` is empty.
    Return the status of the search and the number of layouts that fit. Also return pairs of a cell
    number and the number of layouts won by opening this cell (-1 if the search takes too long)."""
    kernel, codes = player_kernel(), position.codes
    numbers = [row * codes.shape[1] + col for row, col in cells]
    table = kernel_table(kernel, position.geometry, codes.shape)
    total = in_kernel(position.total)
    return kernel.win_chances(codes, total, numbers, max_layouts, work, table)


_MOST_WORK = 10**15  # this many steps would take weeks
_COMPARED, _COMPARED_WORK = 100_000, 4_000_000  # the limits of the search in `won_by`


def _bounds(max_layouts: int, work: int) -> tuple[int, int]:
    """Return the limits of an exact search. Raises InputError for a limit that is not a whole
    number, is below 1 or is too large."""
    return whole(max_layouts, "max_layouts", 1, 1_000_000), whole(work, "work", 1, _MOST_WORK)


def _require_found(
    status: KernelSearched, position: Position, max_layouts: int, layouts: int, work: int
) -> None:
    """If a search did not find the win chance, raise the error that its status stands for."""
    statuses = type(status)
    if status is statuses.CONTRADICTION:
        raise _contradiction(position)
    if status is statuses.TOO_MANY_CELLS:
        raise TooManyLayouts(
            "more than 64 hidden cells besides proved mines: too many for an exact search"
        )
    if status is statuses.TOO_MANY_LAYOUTS:
        raise TooManyLayouts(
            f"more than {max_layouts:,} layouts fit the board: too many for an exact search"
        )
    if status is not statuses.FOUND:
        raise TooManyLayouts(f"searching {layouts:,} layouts takes more than {work:,} steps")


def _asked(
    board: Board | npt.ArrayLike, mines: int | None, max_states: int = defaults.POSITION_STATES
) -> Position:
    """Return the position of a board. Raises BoardError for an invalid board, Unsupported for a
    density or clues that are not exact."""
    question = ask(as_board(board), mines, max_states=max_states)
    # Even silent clues, whose numbers are all true, would make the result inexact.
    if question.clues.name != EXACT.name:
        raise Unsupported(f"playing to win needs exact clues, not {question.clues.name} clues")
    if question.density is not None:
        raise Unsupported("playing to win needs the number of mines, not a density")
    return Position(question.codes, question.total, question.max_states, question.geometry)


def _contradiction(position: Position) -> Contradiction:
    return Contradiction(find=partial(find_conflict, position.as_board()))
