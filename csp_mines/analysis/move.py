"""The move rule: which cell to open next, and why.

1. If a cell is proved safe or has a risk of 0, the move opens such a cell.
2. Otherwise the move rule decides. The rule `safest` opens the cell with the lowest risk. Every
   other rule is the name of a player to win (`csp_mines.analysis.winning`), which chooses the cell.
3. No player chooses the cell if the clues are noisy, the prior is a density, the risks are
   estimates, the board is too large (`MOST_CELLS`), a region is too wide to count, or the compiled
   kernel is missing. In these cases, the move opens the cell with the lowest risk. With estimates,
   that is the cell whose confidence interval has the lowest upper end.

Ties: of several cells that are proved safe, or that share the lowest risk, the move opens the cell
with the fewest neighbours (first corners, then edges, then the middle). If several cells have the
fewest neighbours, the move opens the first of these cells, row by row. Analyses, `assist`, the page
and agents all use this module. The kernel has its own code that breaks ties in the same way; Python
tells the kernel which risks count as equal (`ALIKE`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from csp_mines.analysis.winning import (
    Position,
    WinningMove,
    advise,
    is_player,
    strength,
    won_by,
)
from csp_mines.backend import Capability, offered
from csp_mines.board import Cell
from csp_mines.errors import GaveUp, UnknownName
from csp_mines.geometry import Geometry, cells_at
from csp_mines.names import MOVE_RULES
from csp_mines.words import plural

AnyCell = TypeVar("AnyCell", Cell, int)

# Risks that differ by at most this much count as equal, so that all engines choose the same cell.
ALIKE = 1e-9
SAFEST = "safest"  # the rule that looks only at the risk; every other rule names a player
MOST_CELLS = 10_000  # on a larger board, `Analysis.move` opens the safest cell under every rule


class Move(NamedTuple):
    """The cell to open next, the probability that it is a mine, and the reason for the choice.

    `win_chance` is a number only if the player to win searched all layouts that fit the board;
    otherwise it is None. If `exact` is true, `win_chance` is the win chance of optimal play. If
    `exact` is false, `win_chance` is the win chance of the best strategy that the search found, and
    optimal play may win more often.

    >>> move = csp_mines.analyze([[-1, 1, 0, 1, -1, -1]], mines=2).move
    >>> move.cell, move.risk, move.reason
    ((0, 5), 0.0, 'proved safe')
    """

    cell: Cell
    risk: float
    reason: str
    win_chance: float | None = None
    exact: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return `{"cell": [r, c], "risk": …, "reason": …, "win_chance": … or null, "exact":
        …}`."""
        return self._asdict() | {"cell": list(self.cell)}


class Choice(NamedTuple):
    """The safest cell and its risk. `alike` is the number of hidden cells that are as safe as this
    cell, including this cell. `proved` says whether the cell is proved safe.

    >>> choice = csp_mines.analyze([[-1, 1, -1]]).choice
    >>> choice.cell, choice.risk, choice.alike
    ((0, 0), 0.5, 2)
    """

    cell: Cell
    risk: float
    alike: int
    proved: bool

    @property
    def move(self) -> Move:
        """The move that opens this cell, with the reason."""
        if self.proved:
            return Move(self.cell, 0.0, "proved safe")
        return Move(self.cell, self.risk, self.lowest)

    @property
    def lowest(self) -> str:
        """The reason for opening a cell that is not proved safe: `lowest risk`, or a text such as
        `one of 3 cells with the lowest risk`."""
        if self.alike == 1:
            return "lowest risk"
        return f"one of {self.alike:,} cells with the lowest risk"


def choose(
    geometry: Geometry,
    risks: npt.NDArray[np.float64],
    safe: Iterable[Cell],
    mines: Iterable[Cell],
) -> Choice | None:
    """Return the safest cell; None if no cell is hidden, or if every hidden cell is a proved mine.

    `risks` has the risk of every hidden cell, and nan at the other cells. `safe` has the cells that
    are proved safe, and `mines` has the proved mines. If `safe` is not empty, only the shape of
    `risks` is used."""
    proved = list(safe)
    if proved:
        return Choice(_to_take(geometry, proved, risks.shape), 0.0, len(proved), True)
    open_risks = risks.copy()
    for cell in mines:
        open_risks[cell] = np.nan
    if np.isnan(open_risks).all():
        return None
    lowest = float(np.nanmin(open_risks))
    best = cells_at(open_risks <= alike_up_to(lowest))
    return Choice(_to_take(geometry, best, risks.shape), lowest, len(best), False)


def alike_up_to(lowest: float) -> float:
    """Return the greatest risk that counts as equal to `lowest`."""
    return lowest + ALIKE


def fewest_neighbours(cells: Iterable[AnyCell], neighbours: Callable[[AnyCell], int]) -> AnyCell:
    """Break a tie: return the cell with the fewest neighbours. If several cells have the fewest
    neighbours, return the first of these cells, row by row. The cells are given as pairs or as
    numbers. `neighbours(cell)` is the number of neighbours of the cell."""
    return min(cells, key=lambda cell: (neighbours(cell), cell))


def _to_take(geometry: Geometry, cells: Iterable[Cell], shape: tuple[int, ...]) -> Cell:
    """Return the cell to open, out of several that are equally safe."""
    rows, cols = shape
    return fewest_neighbours(cells, lambda cell: len(geometry.neighbours(cell, rows, cols)))


def check_rule(rule: str) -> str:
    """Return `rule`. Raises UnknownName if `rule` is neither `safest` nor the name of a player."""
    if rule != SAFEST and not is_player(rule):
        raise UnknownName("move rule", rule, list(MOVE_RULES))
    if rule != SAFEST:
        strength(rule)
    return rule


def recommend(position: Position, choice: Choice, player: str) -> Move:
    """Return the move of a player: the cell that the player chooses. If the player cannot play on
    `position`, the move opens `choice`, the safest cell."""
    if offered(Capability.WINNING) is None:
        return choice.move
    try:
        best = advise(position, player)
    except GaveUp:
        return choice.move
    assert best is not None  # `choice` is a cell to open
    reason = _reason(position, choice, best)
    return Move(best.cell, best.risk, reason, best.searched, best.exact)


def _reason(position: Position, choice: Choice, best: WinningMove) -> str:
    """Return the reason in words: how the cell of the player to win compares with the safest cell,
    and why the player chose its cell."""
    beside, but = _beside(choice, best, position.geometry.label(choice.cell))
    if best.searched is not None and best.exact:
        won = round(best.searched * best.layouts)
        share = f"{plural(won, 'layout')} of {best.layouts:,}"
        safest = won if best.cell == choice.cell else won_by(position, choice.cell)
        if safest is not None and safest < won:
            return f"{beside}, {but} wins {share} instead of {safest}"
        return f"{beside}, and no cell wins more: {share}"
    if best.searched is not None:
        return f"{beside}, {but} wins at least {best.searched:.2%} of the layouts"
    why = _WHY.get(best.reason)
    return f"{beside}, {but} {why}" if why else beside


# The reasons of the player to win in words (`docs/winning.md`). The player's score combines several
# numbers, so no reason claims that the cell is best by a single number.
_WHY = {
    "closed": "it lies in a part about which the rest of the board reveals almost nothing",
    "opening": "no 0 is open yet: a corner has the fewest neighbours",
    "next-step": (
        "it has the player's best score, which combines the safety of this step and the next with "
        "the guesses that cannot be avoided"
    ),
    "playouts": "the player's scores and the games that the player played out favour this cell",
}


def _beside(choice: Choice, best: WinningMove, safest: str) -> tuple[str, str]:
    """Return a phrase that compares the risk of the cell of `best` with the risk of the safest cell
    `choice`. `safest` is the label of the safest cell. Also return "but" if the cell of `best` is
    riskier, else "and": this word joins the phrase to an advantage of the cell."""
    if best.cell == choice.cell:
        return choice.lowest, "and"
    if best.risk <= alike_up_to(choice.risk):
        return f"as safe as {safest}", "and"
    return f"riskier than {safest}", "but"
