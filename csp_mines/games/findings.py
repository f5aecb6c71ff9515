"""The result of `solve`: the analysis of a board, and a win chance or an overlay if requested."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from csp_mines.analysis.contract import Analysis
from csp_mines.analysis.overlays import Overlay
from csp_mines.analysis.winning import WinChance
from csp_mines.games.playouts import WinEstimate


@dataclass(frozen=True)
class Findings:
    """An analysis and the other results that the user asked for. `win` is the win chance, or None.
    If the win chance was requested but not computed, `no_win` says why. `overlay` has the numbers
    to show at the hidden cells."""

    analysis: Analysis
    win: WinChance | WinEstimate | None = None
    overlay: Overlay | None = None
    no_win: str | None = None

    def to_json(
        self, *, counting: bool = True, exact: bool = False, since: float | None = None
    ) -> dict[str, Any]:
        """Return the document of `solve --json`: the document of `Analysis.to_json`, with `win` and
        `overlay` if the user asked for them. `Analysis.to_json` explains the parameters."""
        document = self.analysis.to_json(counting=counting, exact=exact, since=since)
        if self.win is not None:
            document["win"] = self.win.to_json()
        elif self.no_win is not None:
            document["win"] = {"win_chance": None, "exact": False, "refused": self.no_win}
        if self.overlay is not None:
            document["overlay"] = self.overlay.to_json()
        return document
