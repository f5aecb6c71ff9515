"""The result of `solve`: the analysis of a board, with a win chance and an overlay if the user
asked for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from csp_mines.analysis.contract import Analysis
from csp_mines.analysis.overlays import Overlay
from csp_mines.analysis.winning import WinChance
from csp_mines.games.playouts import WinEstimate


@dataclass(frozen=True)
class Findings:
    """An analysis and the other results that the user asked for.

    `win` is the win chance. If the user asked for it but it cannot be computed, `win` is None and
    `no_win` says why. If the user did not ask for it, both are None. `overlay` has the numbers that
    the board shows at its hidden cells; if the board shows the risks, `overlay` is None."""

    analysis: Analysis
    win: WinChance | WinEstimate | None = None
    overlay: Overlay | None = None
    no_win: str | None = None

    def to_json(
        self, *, counting: bool = True, exact: bool = False, since: float | None = None
    ) -> dict[str, Any]:
        """Return the document of `solve --json`: the document of `Analysis.to_json`, with `win` and
        `overlay` if the user asked for them. If the win chance cannot be computed, `win` has the
        reason as `refused`. The parameters and the errors are those of `Analysis.to_json`."""
        document = self.analysis.to_json(counting=counting, exact=exact, since=since)
        if self.win is not None:
            document["win"] = self.win.to_json()
        elif self.no_win is not None:
            document["win"] = {"win_chance": None, "exact": False, "refused": self.no_win}
        if self.overlay is not None:
            document["overlay"] = self.overlay.to_json()
        return document
