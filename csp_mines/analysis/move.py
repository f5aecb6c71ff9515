"""The move rule: which cell to open next, and why.

A proved safe cell if there is one. Otherwise the cell that the player to win opens, who plays by
the chance to win (`csp_mines.analysis.winning`). Under the rule `safest`, and where that player
cannot play (clues that may be wrong, a density, a board too wide to count or too large, no compiled
kernel), the cell of lowest risk. Ties between proved cells and between risks go to the cell with
the fewest neighbours (corner, edge, middle), then to the first in reading order. Analyses,
assistants and agents take their choice from here; the kernel has the choice of the safest cell
compiled, told the tolerance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from csp_mines.analysis.winning import (
    Position,
    WinningMove,
    advise,
    strength,
    won_by,
)
from csp_mines.backend import Capability, offered
from csp_mines.board import Cell
from csp_mines.errors import UnknownName
from csp_mines.geometry import GRID
from csp_mines.names import MOVE_RULES
from csp_mines.words import plural

__all__ = [
    "ALIKE",
    "MOST_CELLS",
    "SAFEST",
    "Choice",
    "Move",
    "alike_up_to",
    "check_rule",
    "choose",
    "fewest_neighbours",
    "recommend",
]

AnyCell = TypeVar("AnyCell", Cell, int)

ALIKE = 1e-9  # risks that differ by less are equal, so that ties fall alike in every engine
SAFEST = "safest"  # the rule that looks at nothing but the risk; any other names a player
MOST_CELLS = 10_000  # of a board on which `Analysis.move` asks the player: some ten milliseconds


class Move(NamedTuple):
    """The cell to open next, the probability that it is a mine, and why it is the choice.
    `win_chance` is the chance to win from here on where the layouts that are left were searched: of
    optimal play when it is `exact`, else what a strategy that was found wins, and the best may win
    more. None elsewhere."""

    cell: Cell
    risk: float
    reason: str
    win_chance: float | None = None
    exact: bool = False

    def to_json(self) -> dict[str, Any]:
        """`{"cell": [r, c], "risk": …, "reason": …, "win_chance": … or null, "exact": …}`."""
        return {
            "cell": list(self.cell),
            "risk": self.risk,
            "reason": self.reason,
            "win_chance": self.win_chance,
            "exact": self.exact,
        }


class Choice(NamedTuple):
    """A cell, its risk, and how many hidden cells are as safe; `proved` safe or not."""

    cell: Cell
    risk: float
    alike: int
    proved: bool

    @property
    def move(self) -> Move:
        """The choice with its reason."""
        if self.proved:
            return Move(self.cell, 0.0, "proved safe")
        return Move(self.cell, self.risk, self.lowest)

    @property
    def lowest(self) -> str:
        """That no cell is safer, in words."""
        return _lowest(self.alike)


@lru_cache
def _lowest(alike: int) -> str:
    return "lowest risk" if alike == 1 else f"one of {alike:,} cells with the lowest risk"


def choose(
    risks: npt.NDArray[np.float64], safe: Iterable[Cell], mines: Iterable[Cell]
) -> Choice | None:
    """The safest cell, given risks (nan where nothing is hidden) and what was proved. None when
    nothing but proved mines is hidden."""
    proved = list(safe)
    if proved:
        return Choice(_to_take(proved, risks.shape), 0.0, len(proved), True)
    open_risks = risks.copy()
    for cell in mines:
        open_risks[cell] = np.nan
    if np.isnan(open_risks).all():
        return None
    lowest = float(np.nanmin(open_risks))
    best = [(row, col) for row, col in np.argwhere(open_risks <= alike_up_to(lowest)).tolist()]
    return Choice(_to_take(best, risks.shape), lowest, len(best), False)


def alike_up_to(lowest: float) -> float:
    """The greatest risk that counts as no more than this one."""
    return lowest + ALIKE


def fewest_neighbours(cells: Iterable[AnyCell], neighbours: Callable[[AnyCell], int]) -> AnyCell:
    """Of cells that are alike, pairs or numbers, the one to take, given how many neighbours each
    has."""
    return min(cells, key=lambda cell: (neighbours(cell), cell))


def _to_take(cells: Iterable[Cell], shape: tuple[int, ...]) -> Cell:
    rows, cols = shape
    return fewest_neighbours(cells, lambda cell: len(GRID.neighbours(cell, rows, cols)))


def check_rule(rule: str) -> str:
    """The rule, which is `safest` or the name of a player. Raises UnknownName."""
    if rule != SAFEST and rule.partition(":")[0] != "win":
        raise UnknownName("move rule", rule, list(MOVE_RULES))
    if rule != SAFEST:
        strength(rule)
    return rule


def recommend(position: Position | None, choice: Choice, rule: str) -> Move:
    """The move by a rule, given the safest cell. No position: one in which the player cannot
    play, or is not to: see MOST_CELLS."""
    sure = choice.proved or choice.risk == 0.0
    if sure or rule == SAFEST or position is None or offered(Capability.WINNING) is None:
        return choice.move
    found = advise(position, rule)
    if not isinstance(found, WinningMove):
        return choice.move
    wins = _wins(position, choice, found)
    return Move(found.cell, found.risk, _reason(choice, found, wins), found.searched, found.exact)


class _Wins(NamedTuple):
    """Of an exact search: how many `layouts` there are, and how many are `won` by the best cell and
    by the `safest`, None where that takes too long to find out."""

    layouts: int
    won: int
    safest: int | None


def _wins(position: Position, choice: Choice, found: WinningMove) -> _Wins | None:
    if found.searched is None or not found.exact:
        return None
    won = round(found.searched * found.layouts)
    same = found.cell == choice.cell
    return _Wins(found.layouts, won, won if same else won_by(position, choice.cell))


def _reason(choice: Choice, found: WinningMove, wins: _Wins | None) -> str:
    beside, but = _beside(choice, found)
    if wins is not None:
        share = f"{plural(wins.won, 'layout')} of {wins.layouts:,}"
        if wins.safest is not None and wins.safest < wins.won:
            return f"{beside}, {but} wins {share} instead of {wins.safest}"
        return f"{beside}, and no cell wins more: {share}"
    if found.searched is not None:
        return f"{beside}, {but} wins at least {found.searched:.2%} of the layouts"
    told = _WHY.get(found.reason)
    return f"{beside}, {but} {told}" if told else beside


# What decided, by the rules of the player (`docs/winning.md`). A score weighs several things, so no
# reason claims that the cell is best at any one of them.
_WHY = {
    "closed": "in a part of the board that the rest tells next to nothing about",
    "opening": "no 0 is open yet: a corner has the fewest neighbours",
    "next-step": (
        "the player scores it best, by the safety of this step and the next and by guesses that "
        "cannot be avoided"
    ),
    "playouts": "the games that were played out, with the player's scores, speak for it",
}


def _beside(choice: Choice, found: WinningMove) -> tuple[str, str]:
    """How safe the cell is beside the safest, and whether that speaks for it."""
    row, col = choice.cell
    if found.cell == choice.cell:
        return choice.lowest, "and"
    if found.risk <= alike_up_to(choice.risk):
        return f"as safe as {row},{col}", "and"
    return f"riskier than {row},{col}", "but"
