"""Playing to win: the strengths of the player, its move on a board, and the exact chance to win.

The player itself is compiled (see `docs/winning.md` for what it does and what that is worth). A
strength is written `win`, `win:fast`, `win:strong`, and any of them without some of its
ingredients: `win:-influence`, `win:strong,-playouts`.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields, replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from csp_mines.analysis.analyze import frontier_of
from csp_mines.analysis.by_kernel import default_kernel
from csp_mines.analysis.conflict import find_conflict
from csp_mines.backend import DEFAULT_MAX_STATES
from csp_mines.board import Board, Cell
from csp_mines.errors import (
    BackendUnavailable,
    Contradiction,
    InputError,
    TooWide,
    UnknownName,
    Unsupported,
)
from csp_mines.kernel import Kernel, KernelStatus

__all__ = [
    "INGREDIENTS",
    "STRENGTHS",
    "Strength",
    "TooManyLayouts",
    "WinChance",
    "WinningMove",
    "best_move",
    "strength",
    "win_chance",
]


class TooManyLayouts(Unsupported):
    """The position is too large for an exact search."""


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
    exact_layouts: int = 200
    search_layouts: int = 3000
    beam: int = 1
    search_work: int = 4_000_000
    work: int = 3_000_000


INGREDIENTS = tuple(
    field.name.replace("_", "-") for field in fields(Strength) if field.type == "bool"
)

STRENGTHS = {
    "fast": Strength(search_layouts=500, search_work=400_000),
    "": Strength(),
    "strong": Strength(search_layouts=10_000, beam=3, search_work=100_000_000),
}


def strength(name: str) -> Strength:
    """What `win`, `win:fast`, `win:-influence`, `win:strong,-closed` stand for. Raises
    UnknownName."""
    player, _, options = name.partition(":")
    if player != "win":
        raise UnknownName("player", name, ["win", "win:fast", "win:strong"])
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


REASONS = ("safest", "endgame", "closed", "next-step", "opening", "proved")


@dataclass(frozen=True)
class WinningMove:
    """Where the player moves. `chance` is its estimate of the chance to win, None where it has
    none; `exact`: no player has a better one. `reason` is one of REASONS."""

    cell: Cell
    risk: float
    chance: float | None
    exact: bool
    reason: str


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


def player_kernel() -> Kernel:
    """The compiled kernel. Raises BackendUnavailable without one."""
    kernel = default_kernel()
    if kernel is None:
        raise BackendUnavailable("playing to win needs the compiled kernel, which is not in use")
    return kernel


def best_move(
    board: Board | npt.ArrayLike,
    mines: int | None = None,
    *,
    player: Strength | str = "win",
    max_states: int = DEFAULT_MAX_STATES,
) -> WinningMove | None:
    """Where a player of that strength moves on a board with exact clues; None when nothing safe is
    left to open. A cell that is proved safe always comes first.

    Raises Contradiction, TooWide, BoardError, Unsupported for a density or noisy clues,
    BackendUnavailable without the compiled kernel."""
    kernel = player_kernel()
    codes, total = _terms(board, mines)
    wanted = strength(player) if isinstance(player, str) else player
    status, index, risk, chance, exact, reason = kernel.best_move(
        codes, total, asdict(wanted), max_states
    )
    if status == KernelStatus.CONTRADICTION:
        raise _contradiction(board, mines)
    if status == KernelStatus.TOO_WIDE:
        raise TooWide(max_states, max_states)
    if index < 0:
        return None
    cell = divmod(index, codes.shape[1])
    return WinningMove(cell, risk, None if math.isnan(chance) else chance, exact, REASONS[reason])


def win_chance(
    board: Board | npt.ArrayLike,
    mines: int | None = None,
    *,
    max_layouts: int = 5_000,
    work: int = 500_000_000,
) -> WinChance:
    """The exact chance to win under optimal play, for boards with exact clues, at most 64 hidden
    cells and `max_layouts` layouts. `work` bounds the time (a few seconds as it is), and memory is
    bounded by some fifty megabytes.

    Raises TooManyLayouts beyond that, Contradiction, BoardError, Unsupported for a density or noisy
    clues, BackendUnavailable without the compiled kernel."""
    if not 1 <= max_layouts <= 1_000_000:
        raise InputError(f"max_layouts is 1 to 1,000,000, not {max_layouts}")
    codes, total = _terms(board, mines)
    status, index, won, layouts = player_kernel().win_chance(codes, total, max_layouts, work)
    if status == 1:
        raise _contradiction(board, mines)
    if status == 2:
        raise TooManyLayouts("more than 64 cells are hidden: too many for an exact search")
    if status == 3:
        raise TooManyLayouts(f"more than {max_layouts:,} layouts: too many for an exact search")
    if status == 4:
        raise TooManyLayouts(f"the search of {layouts:,} layouts takes more than {work:,} steps")
    return WinChance(won, layouts, None if index < 0 else divmod(index, codes.shape[1]))


def _terms(board: Board | npt.ArrayLike, mines: int | None) -> tuple[npt.NDArray[np.int8], int]:
    """The codes, and the total or -1. Raises BoardError, Unsupported."""
    known = board if isinstance(board, Board) else Board(board)
    if known.clues.name != "exact":  # a silent clue, too, would spoil what is called exact
        raise Unsupported(f"playing to win needs exact clues, not {known.clues.name} ones")
    if mines is not None:
        known = Board(known.codes, mines=mines)
    elif known.density is not None:
        raise Unsupported("playing to win needs the number of mines, not a density")
    return known.codes, -1 if known.mines is None else known.mines


def _contradiction(board: Board | npt.ArrayLike, mines: int | None) -> Contradiction:
    return Contradiction(find=partial(find_conflict, frontier_of(board, mines)))
