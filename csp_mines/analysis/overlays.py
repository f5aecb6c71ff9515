"""Another number of every hidden cell than its risk: the chance to win there, or what it tells."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from csp_mines.analysis.contract import Analysis, position_of, table
from csp_mines.analysis.outcomes import information
from csp_mines.analysis.winning import win_chances
from csp_mines.board import Board
from csp_mines.errors import BackendUnavailable, TooWide, UnknownName, Unsupported

__all__ = ["Overlay", "Shown", "overlay", "read_shown"]

MOST_LAYOUTS = 2_000  # of which the chance to win is searched …
SEARCH_WORK = 60_000_000  # … in no more than about half a second


class Shown(StrEnum):
    """What the numbers on a board may be."""

    RISK = "risk"
    WIN = "win"  # the exact chance to win by opening the cell and playing optimally from then on
    INFORMATION = "information"  # the bits that opening the cell tells on average


@dataclass(frozen=True)
class Overlay:
    """A number for every hidden cell; nan elsewhere, and where finding out takes too long. Where it
    is not known for any cell, `values` is None and `refused` says why."""

    shows: Shown
    values: npt.NDArray[np.float64] | None
    refused: str | None = None

    def to_json(self) -> dict[str, Any]:
        """`{"shows": …, "values": rows or null, "refused": null or why}`."""
        return {
            "shows": self.shows,
            "values": None if self.values is None else table(self.values),
            "refused": self.refused,
        }


def read_shown(name: str) -> Shown:
    """`risk`, `win`, `information`. Raises UnknownName."""
    if name not in list(Shown):
        raise UnknownName("number of a cell", name, list(Shown))
    return Shown(name)


def overlay(found: Analysis, shown: Shown) -> Overlay:
    """The numbers of an analysed board."""
    if shown is Shown.RISK:
        return Overlay(shown, found.probabilities)
    try:
        return Overlay(shown, information(found) if shown is Shown.INFORMATION else _chances(found))
    except (Unsupported, BackendUnavailable, TooWide) as refusal:
        return Overlay(shown, None, str(refusal))


def _chances(found: Analysis) -> npt.NDArray[np.float64]:
    position = position_of(found, "the chance to win")
    board = Board(position.codes, mines=position.total)
    searched = win_chances(board, max_layouts=MOST_LAYOUTS, work=SEARCH_WORK)
    values = np.full(position.codes.shape, np.nan)
    for cell, won in searched.won.items():
        values[cell] = np.nan if won is None else won / searched.layouts
    return values
