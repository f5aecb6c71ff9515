"""Playing to win: the strengths of the player, its move on a board, and the exact chance to win.

The player itself is compiled (see `docs/winning.md` for what it does and what that is worth). A
strength is written `win`, `win:fast`, `win:strong`, and any of them without some of its
ingredients: `win:-influence`, `win:strong,-playouts`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from fractions import Fraction
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from csp_mines import defaults
from csp_mines.analysis.conflict import find_conflict
from csp_mines.arguments import Name, several, shown, whole, wrong
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
from csp_mines.kernel import Kernel, KernelResult, KernelStatus, in_kernel
from csp_mines.names import MOVE_RULES
from csp_mines.question import Question, ask

__all__ = [
    "INGREDIENTS",
    "STRENGTHS",
    "Position",
    "Strength",
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


@dataclass(frozen=True)
class Strength:
    """What the player does when nothing is proved, and how much work it may spend on it. Work is
    counted, never timed, so the same position gives the same move on every machine."""

    next_step: bool = True
    influence: bool = True
    wide: bool = True
    closed: bool = True
    endgame: bool = True
    search: bool = True
    opening: bool = True
    playouts: bool = False
    exact_layouts: int = 200
    search_layouts: int = 5000
    beam: int = 1
    search_work: int = 8_000_000
    work: int = 3_000_000
    playout_cells: int = 300
    playout_layouts: int = 1000
    playout_work: int = 20_000_000
    playout_margin: float = 0.1
    playout_prior: float = 200.0
    playout_lead: float = 0.01


INGREDIENTS = tuple(
    field.name.replace("_", "-") for field in fields(Strength) if field.type == "bool"
)

STRENGTHS = {
    "fast": Strength(search_layouts=200, search_work=400_000),
    "": Strength(),
    "strong": Strength(search_layouts=10_000, beam=3, search_work=100_000_000, playouts=True),
}


def strength(name: str) -> Strength:
    """What `win`, `win:fast`, `win:-influence`, `win:strong,-closed` stand for. Raises
    UnknownName."""
    player, _, options = name.partition(":")
    if player != "win":
        raise UnknownName("player", name, [rule for rule in MOVE_RULES if rule[:3] == "win"])
    chosen = STRENGTHS[""]
    for place, option in enumerate(options.split(",") if options else []):
        if place == 0 and option in STRENGTHS and option:
            chosen = STRENGTHS[option]
        elif option[:1] == "-" and option[1:] in INGREDIENTS:
            chosen = replace(chosen, **{option[1:].replace("-", "_"): False})
        else:
            known = [*filter(None, STRENGTHS), *(f"-{ingredient}" for ingredient in INGREDIENTS)]
            raise UnknownName("option of the player", option, known)
    return chosen


class WinReason(Name):
    """By what the player chose its move, in the order of the kernel's numbers."""

    SAFEST = "safest"
    ENDGAME = "endgame"
    CLOSED = "closed"
    NEXT_STEP = "next-step"
    OPENING = "opening"
    PROVED = "proved"
    PLAYOUTS = "playouts"


_REASONS = tuple(WinReason)


class WinningMove(NamedTuple):
    """Where the player moves. `chance` is its estimate of the chance to win, None where it has
    none; `exact`: no player has a better one. `layouts` were searched."""

    cell: Cell
    risk: float
    chance: float | None
    exact: bool
    reason: WinReason
    layouts: int = 0

    @property
    def searched(self) -> float | None:
        """The chance where it comes from searching all layouts that are left, so that a strategy is
        known that has it; None for what the player guessed, or had no idea of."""
        return self.chance if self.reason is WinReason.ENDGAME else None


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
def orders(player: Strength | str) -> object:
    """A strength as the kernel is told it. Raises BackendUnavailable, UnknownName."""
    told = strength(player) if isinstance(player, str) else player
    return player_kernel().Strength(asdict(told))


def advise(position: Position, player: Strength | str) -> WinningMove | KernelStatus | None:
    """Where a player of that strength moves; None when nothing safe is left to open, and the status
    of a position that does not fit or is too wide. Raises BackendUnavailable, UnknownName."""
    board, total, max_states = position.board, in_kernel(position.total), position.max_states
    told = orders(player)
    status, cell, risk, chance, exact, reason, layouts = (
        player_kernel().best_move(board, total, told, max_states)
        if isinstance(board, np.ndarray)
        else board.best_move(total, told, max_states)
    )
    if status:
        return KernelStatus(status)
    if cell is None:
        return None
    return WinningMove(cell, risk, chance, exact, _REASONS[reason], layouts)


def best_move(
    board: Board | npt.ArrayLike,
    mines: int | None = None,
    *,
    player: Strength | str = "win",
    max_states: int = defaults.POSITION_STATES,
) -> WinningMove | None:
    """Where a player of that strength moves on a board with exact clues; None when nothing safe is
    left to open. A cell that is proved safe always comes first.

    Raises Contradiction, TooWide, BoardError, Unsupported for a density or noisy clues,
    BackendUnavailable without the compiled kernel."""
    player_kernel()
    if not isinstance(player, (Strength, str)):
        raise wrong("player", "a name such as 'win', or a Strength", player)
    question = _asked(board, mines, max_states)
    found = advise(Position(question.codes, question.total, question.max_states), player)
    if found is KernelStatus.CONTRADICTION:
        raise _contradiction(question)
    if found is KernelStatus.TOO_WIDE:
        raise TooWide(max_states + 1, max_states)
    assert not isinstance(found, KernelStatus)
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
    status, index, won, layouts = player_kernel().win_chance(codes, total, max_layouts, work)
    if status == _CONTRADICTION:
        raise _contradiction(question)
    if status != _FOUND:
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
    status, layouts, won = player_kernel().win_chances(codes, total, numbers, max_layouts, work)
    if status == _CONTRADICTION:
        raise _contradiction(question)
    if status != _FOUND:
        raise _too_many(status, max_layouts, layouts, work)
    found = {divmod(index, cols): None if wins < 0 else wins for index, wins in won}
    return WinChances(layouts, found)


def won_by(position: Position, cell: Cell) -> int | None:
    """How many of the layouts that fit a position are won by opening a cell and playing optimally
    from then on; None where that takes long."""
    codes, total = position.codes, in_kernel(position.total)
    wanted = cell[0] * codes.shape[1] + cell[1]
    status, _, won = player_kernel().win_chances(codes, total, [wanted], _COMPARED, _COMPARED_WORK)
    return next((wins for _, wins in won if wins >= 0), None) if status == _FOUND else None


_MOST_WORK = 10**15  # steps: it would take weeks
_COMPARED, _COMPARED_WORK = 100_000, 4_000_000
_FOUND, _CONTRADICTION, _CELLS, _LAYOUTS = range(4)  # of the ways in which an exact search ends


def _bounds(max_layouts: int, work: int) -> tuple[int, int]:
    """The bounds of an exact search. Raises InputError for what is none."""
    return whole(max_layouts, "max_layouts", 1, 1_000_000), whole(work, "work", 1, _MOST_WORK)


def _too_many(status: int, max_layouts: int, layouts: int, work: int) -> TooManyLayouts:
    if status == _CELLS:
        return TooManyLayouts("more than 64 cells are undecided: too many for an exact search")
    if status == _LAYOUTS:
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
