"""What `solve` says of a board: the analysis, and what else was asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from csp_mines.analysis.contract import Analysis
from csp_mines.analysis.overlays import Overlay
from csp_mines.analysis.winning import WinChance
from csp_mines.games.playouts import WinEstimate

__all__ = ["Findings"]


@dataclass(frozen=True)
class Findings:
    """An analysis; with it, where they were asked for, the chance to win and other numbers than
    risks for the cells."""

    found: Analysis
    win: WinChance | WinEstimate | None = None
    overlay: Overlay | None = None

    def to_json(
        self, *, counting: bool = True, exact: bool = False, since: float | None = None
    ) -> dict[str, Any]:
        """What `solve --json` gives: the analysis (`Analysis.to_json`), and `win` and `overlay`
        only where they were asked for."""
        document = self.found.to_json(counting=counting, exact=exact, since=since)
        if self.win is not None:
            document["win"] = self.win.to_json()
        if self.overlay is not None:
            document["overlay"] = self.overlay.to_json()
        return document
