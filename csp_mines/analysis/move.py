"""The move rule: the safest cell, and which of several that are alike.

A proved safe cell if there is one, else the cell of lowest risk; ties go to the cell with the
fewest neighbours (corner, edge, middle), then to the first in reading order. Analyses, assistants
and agents take their choice from here; the kernel has the same rule compiled, told the tolerance.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from csp_mines.board import Cell
from csp_mines.geometry import SQUARE

__all__ = ["ALIKE", "Choice", "Move", "choose", "fewest_neighbours"]

ALIKE = 1e-9  # risks that differ by less are equal, so that ties fall alike in every engine


@dataclass(frozen=True)
class Move:
    """The cell to open next, the probability that it is a mine, and why it is the choice."""

    cell: Cell
    risk: float
    reason: str

    def to_json(self) -> dict[str, Any]:
        """`{"cell": [r, c], "risk": …, "reason": …}`."""
        return {"cell": list(self.cell), "risk": self.risk, "reason": self.reason}


@dataclass(frozen=True)
class Choice:
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
        several = f"one of {self.alike} cells with the lowest risk"
        return Move(self.cell, self.risk, several if self.alike > 1 else "lowest risk")


def choose(
    risks: npt.NDArray[np.float64], safe: Iterable[Cell], mines: Iterable[Cell]
) -> Choice | None:
    """The safest cell, given risks (nan where nothing is hidden) and what was proved. None when
    nothing but proved mines is hidden."""
    proved = list(safe)
    if proved:
        return Choice(fewest_neighbours(proved, risks.shape), 0.0, len(proved), True)
    open_risks = risks.copy()
    for cell in mines:
        open_risks[cell] = np.nan
    if np.isnan(open_risks).all():
        return None
    lowest = float(np.nanmin(open_risks))
    best = [(row, col) for row, col in np.argwhere(open_risks <= lowest + ALIKE).tolist()]
    return Choice(fewest_neighbours(best, risks.shape), lowest, len(best), False)


def fewest_neighbours(cells: Iterable[Cell], shape: tuple[int, ...]) -> Cell:
    """Of cells that are alike, the one to take."""
    rows, cols = shape
    return min(cells, key=lambda cell: (len(SQUARE.neighbours(cell, rows, cols)), cell))
