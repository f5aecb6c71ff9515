"""The chance to win where it cannot be searched: games played out from layouts drawn at random.

Every layout that fits is as likely to be drawn, and the player is shown nothing of it, so the share
of the games that it wins is an unbiased estimate of that player's chance. A game ends as soon as
the player has searched what is left of it: the chance that it found counts then, in place of a win
or a loss, which estimates the same with fewer games.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random
from statistics import fmean, stdev
from typing import Any

import numpy as np
import numpy.typing as npt

from csp_mines import arguments
from csp_mines.analysis.analyze import analyze
from csp_mines.analysis.contract import hidden_cell
from csp_mines.analysis.winning import (
    Position,
    TooManyLayouts,
    WinChance,
    WinningMove,
    advise,
    player_kernel,
    strength,
    win_chance,
)
from csp_mines.board import CLEAR, EXPLODED, HIDDEN, MARKED, Board, Cell
from csp_mines.defaults import AGENT_STATES, PLAYER
from csp_mines.errors import TooWide, Unsupported
from csp_mines.geometry import GRID
from csp_mines.layout import Seed
from csp_mines.sampling import Z95

__all__ = ["WinEstimate", "chance_to_win", "draw_layout", "estimate_win_chance", "try_cells"]

MOST_CELLS = 1_000  # of a board whose games are played out: larger ones take minutes
SEARCH_WORK = 100_000_000  # of an exact search: a second or so
Codes = npt.NDArray[np.int8]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class WinEstimate:
    """How likely `player` wins from here on, by so many `games`. The true chance lies within two
    standard errors (`error`) in about 95 of 100 cases."""

    chance: float
    error: float
    games: int
    player: str

    @property
    def margin(self) -> float:
        """What stands after ±: half the 95 % interval."""
        return Z95 * self.error

    def to_json(self) -> dict[str, Any]:
        """As `solve --win --json` shows it."""
        return {
            "win_chance": self.chance,
            "exact": False,
            "error": self.error,
            "games": self.games,
            "player": self.player,
        }


def estimate_win_chance(
    board: Board | npt.ArrayLike,
    mines: int | None = None,
    *,
    games: int = 200,
    seed: Seed = 0,
    player: str = PLAYER,
) -> WinEstimate:
    """Estimates the chance that a player wins from a board with exact clues and at most 1,000
    cells. The same seed gives the same estimate.

    Raises Contradiction, TooWide, InputError, Unsupported for a density, noisy clues or a larger
    board, BackendUnavailable without the compiled kernel."""
    codes, total = _playable(board, mines, games, player)
    random = Random(f"playouts {arguments.seed(seed)}")
    results = []
    for _ in range(games):
        layout = draw_layout(codes, total, random)
        results.append(_play_out(codes, total, layout, player))
    # One game won and one lost are added for the error: a few games that all end alike prove
    # nothing for sure.
    spread = stdev([*results, 0.0, 1.0])
    return WinEstimate(fmean(results), spread / float(np.sqrt(games + 2)), games, player)


def try_cells(
    board: Board | npt.ArrayLike,
    cells: Iterable[Cell],
    mines: int | None = None,
    *,
    games: int = 200,
    seed: Seed = 0,
    player: str = PLAYER,
) -> dict[Cell, list[float]]:
    """What came of opening each of some hidden cells, game by game: all are tried on the same drawn
    layouts, so that cells can be compared in pairs. Raises what `estimate_win_chance` raises, and
    BoardError for a cell that is not hidden."""
    codes, total = _playable(board, mines, games, player)
    known = Board(codes, mines=total)
    wanted = [hidden_cell(known, cell) for cell in arguments.several(cells, "cells", "cells")]
    random = Random(f"playouts {arguments.seed(seed)}")
    results: dict[Cell, list[float]] = {cell: [] for cell in wanted}
    for _ in range(games):
        layout = draw_layout(codes, total, random)
        for cell in wanted:
            results[cell].append(_play_out(codes, total, layout, player, opening=cell))
    return results


def _playable(
    board: Board | npt.ArrayLike, mines: int | None, games: int, player: str
) -> tuple[Codes, int | None]:
    """The codes and the total of a board from which games can be played out."""
    arguments.whole(games, "games", 1)
    strength(arguments.text(player, "player"))
    player_kernel()
    position = analyze(board, mines, max_states=AGENT_STATES).position
    if position is None:
        raise Unsupported("playing to win needs exact clues and no density")
    if position.codes.size > MOST_CELLS:
        raise Unsupported(f"games are played out on boards of at most {MOST_CELLS:,} cells")
    return position.codes, position.total


def chance_to_win(
    board: Board, *, games: int = 200, seed: Seed = 0, work: int = SEARCH_WORK
) -> WinChance | WinEstimate:
    """The chance to win from a board with exact clues: that of optimal play where few enough
    layouts are left to search, else an estimate of what `win:fast` has.

    Raises TooManyLayouts where neither is to be had: too many cells or too wide. Otherwise what
    `estimate_win_chance` raises."""
    try:
        return win_chance(board, work=work)
    except TooManyLayouts as refusal:
        if board.codes.size > MOST_CELLS:
            raise
        try:
            return estimate_win_chance(board, games=games, seed=seed)
        except TooWide:
            raise refusal from None


def draw_layout(codes: Codes, total: int | None, random: Random) -> Bools:
    """One of the layouts that fit a board with exact clues, all alike. Cells beside clues are
    decided one by one, each by its exact risk given those before it; then the sea."""
    known = np.array(codes)
    while True:
        found = analyze(known, total, max_states=AGENT_STATES)
        known[found.mine_mask] = MARKED
        known[found.safe_mask] = CLEAR
        beside = (known == HIDDEN) & (GRID.count(known >= 0) > 0)
        if not beside.any():
            break
        cell = np.unravel_index(int(beside.argmax()), known.shape)
        known[cell] = MARKED if random.random() < found.probabilities[cell] else CLEAR
    sea = np.flatnonzero(known == HIDDEN).tolist()
    mines: Bools = (known == MARKED) | (known == EXPLODED)
    if total is None:
        chosen = [cell for cell in sea if random.random() < 0.5]
    else:
        chosen = random.sample(sea, total - int(mines.sum()))
    mines.ravel()[chosen] = True
    return mines


def _play_out(
    codes: Codes, total: int | None, mines: Bools, player: str, opening: Cell | None = None
) -> float:
    """1 for a game that is won, 0 for one that is lost, or the chance that the player knows. It
    begins with `opening`, if there is one."""
    seen, numbers = np.array(codes), GRID.count(mines)
    if opening is not None:
        if mines[opening]:
            return 0.0
        _open(seen, numbers, _only(opening, seen.shape))
    while ((seen == HIDDEN) & ~mines).any():
        opened = analyze(seen, total, max_states=AGENT_STATES).safe_mask
        if not opened.any():
            advice = advise(Position(seen, total, AGENT_STATES), player)
            assert isinstance(advice, WinningMove)  # it fits, and a safe cell is hidden
            if advice.searched is not None:
                return advice.searched
            if mines[advice.cell]:
                return 0.0
            opened = _only(advice.cell, seen.shape)
        _open(seen, numbers, opened)
    return 1.0


def _only(cell: Cell, shape: tuple[int, ...]) -> Bools:
    marked = np.zeros(shape, bool)
    marked[cell] = True
    return marked


def _open(seen: Codes, numbers: npt.NDArray[np.int8], cells: Bools) -> None:
    """Opens cells, and what a 0 opens around it."""
    while cells.any():
        seen[cells] = numbers[cells]
        cells = (GRID.count(cells & (numbers == 0)) > 0) & (seen == HIDDEN)
