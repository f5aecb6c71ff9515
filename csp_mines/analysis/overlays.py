"""Overlays: the numbers that a board shows at its hidden cells, such as risks or win chances."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from csp_mines.analysis.contract import Analysis, position_of, table
from csp_mines.analysis.outcomes import information, zero_chances
from csp_mines.analysis.winning import win_chances
from csp_mines.arguments import choice
from csp_mines.errors import BackendUnavailable, TooWide, Unsupported

MOST_LAYOUTS = 2_000  # if more layouts fit a board, no win chances are computed
SEARCH_WORK = 60_000_000  # the step limit for all win chances of one board: about half a second


class Shown(StrEnum):
    """The meanings that the numbers of an overlay can have."""

    RISK = "risk"
    WIN = "win"  # the exact win chance of opening the cell and playing optimally from then on
    ZERO = "zero"  # the chance that the cell shows a 0
    INFORMATION = "information"  # the average information from opening the cell, in bits


@dataclass(frozen=True)
class Overlay:
    """A number for every hidden cell. `shows` says what the numbers mean. `values` has nan at cells
    that are not hidden, and at hidden cells whose number takes too long to compute. If no number is
    available, `values` is None and `refused` says why; otherwise `refused` is None."""

    shows: Shown
    values: npt.NDArray[np.float64] | None
    refused: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return `{"shows": …, "values": rows or null, "refused": reason or null}`."""
        return {
            "shows": self.shows,
            "values": None if self.values is None else table(self.values),
            "refused": self.refused,
        }


def read_shown(name: str) -> Shown:
    """Return the member of `Shown` whose name is `name`: `risk`, `win`, `zero` or `information`.
    Raises UnknownName for any other name."""
    return choice("number to show", name, Shown)


def overlay(analysis: Analysis, shown: Shown) -> Overlay:
    """Return the overlay of an analysed board with the numbers that `shown` names. If no number is
    available, the overlay says why. For `Shown.RISK`, raises what `analysis.probabilities`
    raises."""
    if shown is Shown.RISK:
        return Overlay(shown, analysis.probabilities)
    try:
        compute = {
            Shown.WIN: _chances,
            Shown.ZERO: zero_chances,
            Shown.INFORMATION: information,
        }
        return Overlay(shown, compute[shown](analysis))
    except (Unsupported, BackendUnavailable, TooWide) as refusal:
        return Overlay(shown, None, str(refusal))


def _chances(analysis: Analysis) -> npt.NDArray[np.float64]:
    """Return an array: for each hidden cell, the exact win chance of opening the cell; nan at the
    other cells, and at hidden cells for which the search takes too long."""
    board = position_of(analysis, "the chance to win").as_board()
    searched = win_chances(board, max_layouts=MOST_LAYOUTS, work=SEARCH_WORK)
    values = np.full(board.codes.shape, np.nan)
    for cell, won in searched.won.items():
        values[cell] = np.nan if won is None else won / searched.layouts
    return values
