"""Estimates of win chances by playouts, where an exact search takes too long. In a playout, a
player such as `win:fast` plays on from a board, on a layout drawn at random.

All layouts that fit the board are equally likely to be drawn, and the player does not see the drawn
layout. So the share of won playouts is an unbiased estimate of the player's win chance. A playout
ends as soon as the player can search all layouts that still fit. Then the result of the playout is
the win chance from that search, instead of 1 for a win or 0 for a loss. This does not change the
expected result, and the estimate needs fewer playouts for the same error.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from statistics import fmean, stdev
from typing import Any

import numpy as np
import numpy.typing as npt

from csp_mines import arguments
from csp_mines.analysis import winning
from csp_mines.analysis.analyze import analyze
from csp_mines.analysis.contract import position_of
from csp_mines.board import CLEAR, HIDDEN, MARKED, Board, known_mines
from csp_mines.defaults import AGENT_STATES, PLAYER
from csp_mines.errors import TooManyLayouts, TooWide, Unsupported
from csp_mines.formats.replay import Replay
from csp_mines.layout import Bools, Layout, Seed
from csp_mines.sampling import Z95

MOST_CELLS = 1_000  # rows × cols; an estimate on a larger board would take minutes
SEARCH_WORK = 100_000_000  # most steps of an exact search, about a second


@dataclass(frozen=True)
class WinEstimate:
    """An estimate of the chance that `player` wins from a board. `chance` is the estimate, `error`
    is the standard error of the estimate, and `games` is the number of playouts. In about 95 of 100
    cases the true chance lies within two standard errors of the estimate.

    >>> estimate = csp_mines.estimate_win_chance([[-1, 1, -1]], mines=1, games=100)
    >>> estimate.chance, round(estimate.error, 4), estimate.player
    (0.5, 0.007, 'win:fast')
    """

    chance: float
    error: float
    games: int
    player: str

    @property
    def margin(self) -> float:
        """Half the width of the 95 % interval."""
        return Z95 * self.error

    def to_json(self) -> dict[str, Any]:
        """Return the field `win` of the document that `solve --win --json` prints."""
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
    """Estimate the chance that `player` wins from a board with exact clues and at most 1,000 cells,
    holes included. The same arguments give the same estimate.

    Parameters:
        board: a board, or an array of integers (-1 hidden, 0 to 8 clues).
        mines: the total number of mines. By default the board's own number, if it has one.
        games: the number of playouts, at least 1.
        seed: determines the layouts that are drawn.
        player: the name of a player, such as `win`, `win:fast` or `win:strong`.

    Raises Contradiction if no layout fits, TooWide if the board is too wide to count, InputError
    for wrong arguments, Unsupported for a density, for noisy clues and for a larger board,
    BackendUnavailable without the compiled kernel.

    >>> estimate = csp_mines.estimate_win_chance([[-1, 1, -1]], mines=1, games=100)
    >>> estimate.chance
    0.5
    """
    known = _playable(board, mines, games, player)
    random = Random(f"playouts {arguments.seed(seed)}")
    results = [play_out(known, draw_layout(known, random), player) for _ in range(games)]
    # One win and one loss are added to compute the error. Otherwise a few games that all end alike
    # would have the error 0.
    spread = stdev([*results, 0.0, 1.0])
    return WinEstimate(fmean(results), spread / float(np.sqrt(games + 2)), games, player)


def _playable(board: Board | npt.ArrayLike, mines: int | None, games: int, player: str) -> Board:
    """Check the arguments of `estimate_win_chance` except `seed`, and return the position as a
    Board. Raises what `estimate_win_chance` raises."""
    arguments.whole(games, "games", 1)
    winning.strength(arguments.text(player, "player"))
    winning.player_kernel()
    analysis = analyze(board, mines, max_states=AGENT_STATES)
    position = position_of(analysis, "an estimate of the win chance")
    if position.codes.size > MOST_CELLS:
        raise Unsupported(
            f"the win chance is estimated only on boards of at most {MOST_CELLS:,} cells, holes "
            f"included; this board has {position.codes.size:,}"
        )
    return position.as_board()


def chance_to_win(
    board: Board, *, games: int = 200, seed: Seed = 0
) -> winning.WinChance | WinEstimate:
    """Return the win chance from a board with exact clues: the exact chance of optimal play if
    `win_chance` can search all layouts, otherwise an estimate for the player `win:fast`. `games`
    and `seed` are those of `estimate_win_chance`.

    Raises TooManyLayouts if the exact search fails and the board has more than 1,000 cells (holes
    included) or is too wide to count. Also raises the errors of `estimate_win_chance` except
    TooWide."""
    try:
        return winning.win_chance(board, work=SEARCH_WORK)
    except TooManyLayouts as refusal:
        if board.codes.size > MOST_CELLS:
            raise
        try:
            return estimate_win_chance(board, games=games, seed=seed)
        except TooWide:
            raise refusal from None


def draw_layout(board: Board, random: Random) -> Bools:
    """Draw one of the layouts that fit a board with exact clues and without a density; all these
    layouts are equally likely. Return an array that is True at the mines.

    First the cells beside clues are drawn one by one: each cell becomes a mine with its exact risk,
    given the cells drawn before. Then the mines of the sea are drawn. Raises Contradiction if no
    layout fits, TooWide if the board is too wide to count."""
    known, total = np.array(board.codes), board.mines
    while True:
        analysis = analyze(board.with_codes(known), max_states=AGENT_STATES)
        known[analysis.mine_mask] = MARKED
        known[analysis.safe_mask] = CLEAR
        beside = (known == HIDDEN) & (board.geometry.count(known >= 0) > 0)
        if not beside.any():
            break
        cell = np.unravel_index(int(beside.argmax()), known.shape)
        known[cell] = MARKED if random.random() < analysis.probabilities[cell] else CLEAR
    sea = np.flatnonzero(known == HIDDEN).tolist()
    mines = known_mines(known)
    if total is None:
        chosen = [cell for cell in sea if random.random() < 0.5]
    else:
        chosen = random.sample(sea, total - int(mines.sum()))
    mines.ravel()[chosen] = True
    return mines


def play_out(board: Board, mines: Bools, player: str) -> float:
    """Play on from a board with exact clues, on a layout that fits the board. `mines` is True at
    the mines of this layout. Return 1 for a win, 0 for a loss, or the player's win chance as soon
    as the player has searched all layouts that still fit."""
    total, geometry = board.mines, board.geometry
    game = Replay(Layout(mines, geometry=geometry), board.codes)
    while not game.lost and ((game.codes == HIDDEN) & ~mines).any():
        seen = game.codes.copy()
        safe = analyze(board.with_codes(seen), max_states=AGENT_STATES).safe
        for cell in safe:
            game.open(cell)
        if not safe:
            move = winning.advise(winning.Position(seen, total, AGENT_STATES, geometry), player)
            assert move is not None  # None would mean that every hidden cell is a mine
            if move.searched is not None:
                return move.searched
            game.open(move.cell)
    return 0.0 if game.lost else 1.0
