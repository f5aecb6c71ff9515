"""Playing to win: the strengths of the player, its move on a board, and the exact chance to win.

The player itself is compiled (see `docs/winning.md` for what it does and what that is worth). A
strength is written `win`, `win:fast`, `win:strong`, and any of them without some of its
ingredients: `win:-influence`, `win:strong,-playouts`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from csp_mines import defaults
from csp_mines.analysis.conflict import find_conflict
from csp_mines.arguments import several, shown, whole, wrong
from csp_mines.backend import Capability, capability
from csp_mines.board import HIDDEN, Board, Cell, as_board
from csp_mines.clues import EXACT
from csp_mines.errors import (
    BoardError,
    Contradiction,
    InputError,
    TooManyLayouts,
    TooWide,
    UnknownName,
    Unsupported,
)
from csp_mines.geometry import as_cell, checked_cell
from csp_mines.kernel import in_kernel
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

__all__ = [
    "INGREDIENTS",
    "STRENGTHS",
    "Position",
    "TooManyLayouts",
    "WinChance",
    "WinChances",
    "WinningMove",
    "advise",
    "best_move",
    "orders",
    "strength",
    "win_chance",
    "win_chances",
    "won_by",
]


INGREDIENTS = (
    "next-step", "influence", "wide", "closed", "endgame", "search", "opening", "playouts",
)  # fmt: skip
"""What can be left out of a player: the fields of the kernel's `Strength` that are on or off."""

STRENGTHS: dict[str, dict[str, float]] = {
    "fast": {"search_layouts": 200, "search_work": 400_000},
    "": {},
    "strong": {"search_layouts": 10_000, "beam": 3, "search_work": 100_000_000, "playouts": True},
}
"""The fields in which a player differs from the kernel's usual `Strength`."""


def strength(name: str) -> dict[str, float]:
    """What `win`, `win:fast`, `win:-influence`, `win:strong,-closed` stand for: the fields in which
    they differ from the kernel's usual `Strength`. Raises UnknownName."""
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
    """Where the player moves. `chance` is its estimate of the chance to win, None where it has
    none; `exact`: no player has a better one. `reason` is the name of the kernel's `Reason`, such
    as "endgame" or "next-step". `layouts` were searched."""

    cell: Cell
    risk: float
    chance: float | None
    exact: bool
    reason: str
    layouts: int = 0

    @property
    def searched(self) -> float | None:
        """The chance where it comes from searching all layouts that are left, so that a strategy is
        known that has it; None for what the player guessed, or had no idea of."""
        return self.chance if self.reason == "endgame" else None


@dataclass(frozen=True)
class WinChance:
    """The chance to win under optimal play, from here on, and a cell that has it (None when no safe
    cell is left to open). `layouts` that are possible, `won` of them by an optimal player."""

    won: int
    layouts: int
    cell: Cell | None

    @property
    def chance(self) -> Fraction:
        return Fraction(self.won, self.layouts)

    def to_json(self) -> dict[str, Any]:
        """As `solve --win --json` shows it."""
        return {
            "win_chance": float(self.chance),
            "exact": True,
            "won": self.won,
            "layouts": self.layouts,
            "cell": None if self.cell is None else list(self.cell),
        }


@dataclass(frozen=True)
class WinChances:
    """The chance to win of every cell: `won` of so many `layouts` by opening it and playing
    optimally from then on; None where finding out takes too long."""

    layouts: int
    won: Mapping[Cell, int | None]

    def chance(self, cell: Cell) -> Fraction | None:
        """That of one hidden cell. Raises BoardError for others."""
        asked = as_cell(cell)
        if asked not in self.won:
            raise BoardError(f"{shown(asked)} is no hidden cell that was asked about")
        won = self.won[asked]
        return None if won is None else Fraction(won, self.layouts)


class Position(NamedTuple):
    """What the player is told: a `board` of exact clues, as codes or with what the kernel found
    there, which need not be found again; and the number of mines, None where it is unknown and all
    layouts are alike."""

    board: npt.NDArray[np.int8] | KernelResult
    total: int | None
    max_states: int = defaults.POSITION_STATES

    @classmethod
    def of(cls, question: Question, board: npt.NDArray[np.int8] | KernelResult) -> Position | None:
        """The position that a question is about; None where the player cannot play: under a density
        and under clues that may say less than the true number."""
        if question.density is not None or question.clues.name != EXACT.name:
            return None
        return cls(board, question.total, question.max_states)

    @property
    def codes(self) -> npt.NDArray[np.int8]:
        return self.board if isinstance(self.board, np.ndarray) else self.board.board

    @property
    def cells(self) -> int:
        board = self.board
        return board.size if isinstance(board, np.ndarray) else board.probabilities.size


def player_kernel() -> Kernel:
    """What plays to win. Raises BackendUnavailable where nothing does."""
    return capability(Capability.WINNING)


@cache
def orders(player: str) -> KernelStrength:
    """The strength of a player, as the kernel takes it. Raises BackendUnavailable, UnknownName."""
    return player_kernel().Strength(**strength(player))


def advise(position: Position, player: KernelStrength | str) -> WinningMove | KernelStatus | None:
    """Where a player of that strength moves; None when nothing safe is left to open, and the status
    of a position that does not fit or is too wide. Raises BackendUnavailable, UnknownName."""
    board, total, max_states = position.board, in_kernel(position.total), position.max_states
    told = orders(player) if isinstance(player, str) else player
    advice = (
        player_kernel().best_move(board, total, told, max_states)
        if isinstance(board, np.ndarray)
        else board.best_move(total, told, max_states)
    )
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
    """Where a player of that strength moves on a board with exact clues; None when nothing safe is
    left to open. A cell that is proved safe always comes first. The player has a name, or is a
    `Strength` of the kernel.

    Raises Contradiction, TooWide, BoardError, Unsupported for a density or noisy clues,
    BackendUnavailable without the compiled kernel."""
    kernel = player_kernel()
    if not isinstance(player, (kernel.Strength, str)):
        raise wrong("player", "a name such as 'win', or a Strength", player)
    question = _asked(board, mines, max_states)
    found = advise(Position(question.codes, question.total, question.max_states), player)
    if found is kernel.Status.CONTRADICTION:
        raise _contradiction(question)
    if found is kernel.Status.TOO_WIDE:
        raise TooWide(max_states + 1, max_states)
    assert not isinstance(found, kernel.Status)
    return found


def win_chance(
    board: Board | npt.ArrayLike,
    mines: int | None = None,
    *,
    max_layouts: int = 5_000,
    work: int = 500_000_000,
) -> WinChance:
    """The exact chance to win under optimal play, for boards with exact clues, at most 64 hidden
    cells that are no proved mines and `max_layouts` layouts. `work` bounds the time (a few seconds
    as it is), and memory is bounded by some fifty megabytes.

    Raises TooManyLayouts beyond that, Contradiction, BoardError, Unsupported for a density or noisy
    clues, BackendUnavailable without the compiled kernel."""
    max_layouts, work = _bounds(max_layouts, work)
    question = _asked(board, mines)
    codes, total = question.codes, in_kernel(question.total)
    kernel = player_kernel()
    status, index, won, layouts = kernel.win_chance(codes, total, max_layouts, work)
    if status is kernel.Searched.CONTRADICTION:
        raise _contradiction(question)
    if status is not kernel.Searched.FOUND:
        raise _too_many(status, max_layouts, layouts, work)
    return WinChance(won, layouts, None if index < 0 else divmod(index, codes.shape[1]))


def win_chances(
    board: Board | npt.ArrayLike,
    mines: int | None = None,
    *,
    cells: Iterable[Cell] | None = None,
    max_layouts: int = 5_000,
    work: int = 500_000_000,
) -> WinChances:
    """The exact chance to win of every hidden cell, or of some `cells`, when it is opened next and
    play is optimal from then on. Bounds are those of `win_chance`; the cells share `work` alike,
    and one that needs more has None.

    Raises what `win_chance` raises, and BoardError for a cell that is not hidden."""
    max_layouts, work = _bounds(max_layouts, work)
    question = _asked(board, mines)
    codes, total = question.codes, in_kernel(question.total)
    rows, cols = codes.shape
    wanted = None if cells is None else several(cells, "cells", "cells")
    if wanted == []:
        raise InputError("no cell was asked about")
    numbers = []
    for cell in wanted or ():
        row, col = checked_cell(cell, rows, cols)
        if codes[row, col] != HIDDEN:
            raise BoardError(f"cell {row},{col} is not hidden")
        numbers.append(row * cols + col)
    kernel = player_kernel()
    status, layouts, won = kernel.win_chances(codes, total, numbers, max_layouts, work)
    if status is kernel.Searched.CONTRADICTION:
        raise _contradiction(question)
    if status is not kernel.Searched.FOUND:
        raise _too_many(status, max_layouts, layouts, work)
    found = {divmod(index, cols): None if wins < 0 else wins for index, wins in won}
    return WinChances(layouts, found)


def won_by(position: Position, cell: Cell) -> int | None:
    """How many of the layouts that fit a position are won by opening a cell and playing optimally
    from then on; None where that takes long."""
    codes, total = position.codes, in_kernel(position.total)
    wanted = cell[0] * codes.shape[1] + cell[1]
    kernel = player_kernel()
    status, _, won = kernel.win_chances(codes, total, [wanted], _COMPARED, _COMPARED_WORK)
    if status is not kernel.Searched.FOUND:
        return None
    return next((wins for _, wins in won if wins >= 0), None)


_MOST_WORK = 10**15  # steps: it would take weeks
_COMPARED, _COMPARED_WORK = 100_000, 4_000_000


def _bounds(max_layouts: int, work: int) -> tuple[int, int]:
    """The bounds of an exact search. Raises InputError for what is none."""
    return whole(max_layouts, "max_layouts", 1, 1_000_000), whole(work, "work", 1, _MOST_WORK)


def _too_many(status: KernelSearched, max_layouts: int, layouts: int, work: int) -> TooManyLayouts:
    statuses = type(status)
    if status is statuses.TOO_MANY_CELLS:
        return TooManyLayouts("more than 64 cells are undecided: too many for an exact search")
    if status is statuses.TOO_MANY_LAYOUTS:
        return TooManyLayouts(f"more than {max_layouts:,} layouts: too many for an exact search")
    return TooManyLayouts(f"the search of {layouts:,} layouts takes more than {work:,} steps")


def _asked(
    board: Board | npt.ArrayLike, mines: int | None, max_states: int = defaults.POSITION_STATES
) -> Question:
    """The question about a board on which the player can play. Raises BoardError, Unsupported."""
    question = ask(as_board(board), mines, max_states=max_states)
    if question.clues.name != EXACT.name:  # a silent clue, too, would spoil what is called exact
        raise Unsupported(f"playing to win needs exact clues, not {question.clues.name} ones")
    if question.density is not None:
        raise Unsupported("playing to win needs the number of mines, not a density")
    return question


def _contradiction(question: Question) -> Contradiction:
    return Contradiction(find=partial(find_conflict, question.board()))
