"""V and Q: how often the reference player wins from a board, before and after opening cells.

V is the chance of the reference player to win if this player plays on from the board. Q is the
chance of the reference player to win if some cells are opened first and this player then plays on.
For Q, a layout with a mine at one of the opened cells counts as lost.

If few layouts fit the board, the player plays on every layout that fits, and V and Q are exact. If
many layouts fit, the player plays on layouts that are drawn at random, the same for V and for Q.

The games for Q begin by opening the cells of the guess. In `Reference.weigh`, the games for V begin
by opening the cell of the reference player's move, unless a cell is proved safe. All other games
for V open no given cell first. Counting gives the probability that all cells opened first are safe;
if no cell is opened first, this probability is 1. An estimate of V or Q is this probability times
the mean result on the drawn layouts in which all cells opened first are safe.

In this module, `turn` is the number of a move in its game. The drawn layouts depend on the seed and
on `turn`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, sqrt

import numpy as np
import numpy.typing as npt

from csp_mines import arguments
from csp_mines.analysis.analyze import Analysis
from csp_mines.analysis.move import Move
from csp_mines.analysis.winning import orders, player_kernel, strength
from csp_mines.board import Board, Cell
from csp_mines.clues import EXACT
from csp_mines.defaults import AGENT_STATES, PLAYER, REVIEW_PRECISION
from csp_mines.errors import BackendUnavailable, EngineFault
from csp_mines.games.playouts import MOST_CELLS
from csp_mines.kernel import FAULT, kernel_table
from csp_mines.layout import Seed, seed_bytes
from csp_mines.sampling import Z95

LISTED = 1_000  # if at most this many layouts fit, the player plays on every layout that fits
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Chance:
    """A win chance, the difference of two win chances, or the result of a game (1 or 0). `value` is
    the number, and `error` its standard error, which is 0 if `value` is exact. `fraction` is the
    exact number if the reference player played on all layouts that fit, and None otherwise.

    >>> from fractions import Fraction
    >>> chance = csp_mines.Chance.exactly(Fraction(1, 3))
    >>> round(chance.value, 2), chance.error
    (0.33, 0.0)
    """

    value: float
    error: float = 0.0
    fraction: Fraction | None = None

    @classmethod
    def exactly(cls, fraction: Fraction) -> Chance:
        """Return a chance that is exactly this fraction."""
        return cls(float(fraction), 0.0, fraction)


@dataclass(frozen=True)
class Weighed:
    """A guess, weighed by the reference player: `value` is V, `chance` is Q, and `lost` is V − Q.
    All three come from the same layouts, and `layouts` is the number of these layouts. `reference`
    is the move that the reference player would make in place of the guess. Guesses are weighed only
    with the compiled kernel.

    >>> layout = csp_mines.Layout([[False, False, True]])
    >>> review = csp_mines.review(csp_mines.record(layout, [("open", (0, 1)), ("open", (0, 0))]))
    >>> weighed = review.moves[1].weighed
    >>> weighed.value.value, weighed.lost.value
    (0.5, 0.0)
    """

    value: Chance
    chance: Chance
    lost: Chance
    layouts: int
    reference: Move

    @property
    def exact(self) -> bool:
        """Whether V, Q and V − Q are exact. They are exact if the reference player has played on
        every layout that fits the board."""
        return self.value.fraction is not None

    @property
    def least_lost(self) -> float:
        """The lower end of the 95 % interval of `lost`."""
        return self.lost.value - Z95 * self.lost.error


class Reference:
    """Measures the win chances of a reference player with a given precision."""

    def __init__(
        self, player: str = PLAYER, precision: float = REVIEW_PRECISION, seed: Seed = 0
    ) -> None:
        """Choose the player by its name. `precision`, from 0.001 to 0.5, decides how many layouts
        are drawn. The standard error of an estimated win chance is at most about `precision`.
        `seed` determines the drawn layouts. Raises UnknownName for an unknown player, InputError
        for a player that is not a string, and for a wrong precision or seed."""
        strength(arguments.text(player, "player"))
        expected = "a number from 0.001 to 0.5"
        arguments.number(precision, "precision", expected, lambda most: 0.001 <= most <= 0.5)
        self.player = player
        self.precision = precision
        self.seed = arguments.seed(seed)
        # The results of the games have a variance of at most 0.25. The 1e-6 is for rounding errors.
        self.layouts = ceil(0.25 / precision**2 - 1e-6)

    def refusal(self, board: Board) -> str | None:
        """Return a sentence that says why a game with this board has no win chances. Return None if
        the game can have win chances."""
        if board.clues.name != EXACT.name:
            return f"win chances need exact clues, not {board.clues.name} clues"
        if board.mines is None:
            return "win chances need the number of mines"
        if board.codes.size > MOST_CELLS:
            size = f"{MOST_CELLS:,} cells and holes, not {board.codes.size:,}"
            return f"win chances need a board of at most {size}"
        try:
            player_kernel()
        except BackendUnavailable as error:
            return f"win chances need the compiled kernel: {error}"
        return None

    def weigh(
        self, analysis: Analysis, cells: Sequence[Cell], safety: float, turn: int
    ) -> Weighed | None:
        """Weigh a guess that opens `cells` on the board of `analysis`: return V of this board, Q
        after opening `cells`, and V − Q. `safety` is the probability that all `cells` are safe. All
        `cells` must be hidden, the board must have no marks, and `refusal` must return None for the
        board. Return None if every hidden cell is a proved mine, because the reference player then
        has no move. Also return None if `_play` returns None."""
        move = analysis.move_by(self.player)
        if move is None:
            return None
        proved = bool(analysis.safe)
        ways = [[] if proved else [move.cell], list(cells)]
        same = not proved and list(cells) == [move.cell]
        played = self._play(analysis.board, ways[:1] if same else ways, turn)
        if played is None:
            return None
        every, results = played
        won = np.where(results < 0, 0.0, results)
        layouts = len(results)
        if every:
            value, *others = (Fraction(round(column.sum()), layouts) for column in won.T)
            chance = others[0] if others else value
            exactly = Chance.exactly
            lost = exactly(value - chance)
            return Weighed(exactly(value), exactly(chance), lost, layouts, move)
        first = _Column(results[:, 0], 1.0 if proved else 1 - move.risk)
        if same:
            return Weighed(first.chance, first.chance, Chance(0.0), layouts, move)
        second = _Column(results[:, 1], safety)
        return Weighed(first.chance, second.chance, first.minus(second), layouts, move)

    def value(self, board: Board, turn: int) -> Chance | None:
        """Return V of a board without marks, for which `refusal` must return None. Return None if
        `_play` returns None."""
        played = self._play(board, [[]], turn)
        if played is None:
            return None
        every, results = played
        if every:
            return Chance.exactly(Fraction(round(results.sum()), len(results)))
        return _Column(results[:, 0], 1.0).chance

    def _play(self, board: Board, ways: list[list[Cell]], turn: int) -> tuple[bool, Floats] | None:
        """Let the player play on from the board, on every layout that fits or on drawn layouts.
        Each of the `ways` is a list of cells to open first; on every layout, the player plays one
        game for each way. Return whether every layout that fits was played, and an array of the
        results with a row for each layout and a column for each way (see `_Column`). Return None if
        a position is too wide to count. Raises EngineFault if the kernel contradicts itself."""
        kernel = player_kernel()
        openings = [[row * board.cols + col for row, col in cells] for cells in ways]
        seed = int.from_bytes(seed_bytes("review", f"{self.seed}/{turn}")[:8], "little")
        assert board.mines is not None
        status, every, layouts, results = kernel.play_on(
            board.codes, board.mines, orders(self.player), openings, LISTED, self.layouts, seed,
            AGENT_STATES, kernel_table(kernel, board.geometry, board.codes.shape),
        )  # fmt: skip
        if status is kernel.Status.FAULT:
            raise EngineFault(FAULT)
        if status is not kernel.Status.FITS:
            return None
        return every, np.array(results).reshape(layouts, len(ways))


class _Column:
    """The results of games in which the same cells, or none, are opened first: one game for each
    drawn layout. A result is 1 for a won game, 0 for a lost game, and -1 if a cell that is opened
    first is a mine. If a game ended early because its win chance was known, the result is this
    chance. `safety` is the known probability that no cell that is opened first is a mine."""

    def __init__(self, results: Floats, safety: float) -> None:
        safe = results >= 0
        mean = float(results[safe].mean()) if safe.any() else 0.0
        self.value = safety * mean
        self.rest = np.where(safe, results - mean, 0.0)
        self.count = len(results)

    @property
    def chance(self) -> Chance:
        # The + 0.5 is the squared spread of one imagined win and one imagined loss. Without these
        # two games, a few games that all end alike would have the error 0.
        spread = sqrt(float((self.rest**2).sum()) + 0.5) / self.count
        return Chance(self.value, spread)

    def minus(self, other: _Column) -> Chance:
        """Return the chance of this column minus the chance of `other`, a column for the same
        layouts. The error is never 0, because two imagined layouts are added: one on which only
        this column has a win, and one on which only `other` has a win."""
        spread = sqrt(float(((self.rest - other.rest) ** 2).sum()) + 2) / self.count
        return Chance(self.value - other.value, spread)
