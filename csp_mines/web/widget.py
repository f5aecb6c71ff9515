"""A board in a notebook: an anywidget that uses the page's module `static/board.js`.

from csp_mines.web.widget import BoardWidget
BoardWidget(board)  # shows the risks; click a proved cell to see the clues that prove it
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from csp_mines.analysis.analyze import Analysis, analyze
from csp_mines.board import HIDDEN, Board, Cell
from csp_mines.explanation.explain import Explainer, Explanation
from csp_mines.libraries import needed
from csp_mines.web.fields import checked_size
from csp_mines.web.grids import drawn_grid
from csp_mines.words import percent

with needed("the board in a notebook needs anywidget", "csp-mines[notebook]"):
    import anywidget
    import traitlets

_STATIC = Path(__file__).with_name("static")


class BoardWidget(anywidget.AnyWidget):
    """A board that shows the risk of every hidden cell. A click on a hidden cell calls `explain`.

    After a call of `explain`, `selected` is the explained cell, `explanation` is the returned
    `Explanation`, and `text` is the text of this explanation. Before the first call, `selected` and
    `explanation` are None, and `text` is empty."""

    _esm = _STATIC / "board.js"
    _css = _STATIC / "board.css"

    rows = traitlets.Int().tag(sync=True)
    cols = traitlets.Int().tag(sync=True)
    grid: traitlets.Dict[str, Any] = traitlets.Dict().tag(sync=True)
    cells = traitlets.List(traitlets.Int()).tag(sync=True)
    tones = traitlets.List(traitlets.Unicode()).tag(sync=True)
    heat: traitlets.List[Any] = traitlets.List().tag(sync=True)
    labels = traitlets.List(traitlets.Unicode()).tag(sync=True)
    lit: traitlets.List[Any] = traitlets.List().tag(sync=True)
    cursor = traitlets.List([0, 0]).tag(sync=True)
    label = traitlets.Unicode("board").tag(sync=True)
    drawing = traitlets.Bool(False).tag(sync=True)
    zoom = traitlets.Float(1.0).tag(sync=True)
    theme = traitlets.Unicode("").tag(sync=True)
    hue = traitlets.Unicode("risk").tag(sync=True)
    selected = traitlets.Tuple(allow_none=True, default_value=None)
    text = traitlets.Unicode("")

    def __init__(self, board: Board | Analysis) -> None:
        """Show a board or an analysis. Raises what `show` raises."""
        super().__init__()
        self.explanation: Explanation | None
        self.on_msg(self._hear)
        self.show(board)

    def show(self, board: Board | Analysis) -> None:
        """Show another board or analysis. Raises what `analyze` and `Explainer` raise, and
        BadRequest if the board is too large for the page."""
        analysis = board if isinstance(board, Analysis) else analyze(board)
        checked_size(analysis.board)
        self._analysis, self._explainer = analysis, Explainer(analysis)
        self.set_trait("selected", None)  # nothing is explained on this board yet
        self.text, self.explanation = "", None
        codes, risks = analysis.board.codes, analysis.probabilities.ravel()
        tones = np.full(codes.shape, "", object)
        tones[analysis.safe_mask], tones[analysis.mine_mask] = "safe", "mine"
        hidden = codes.ravel() == HIDDEN
        with self.hold_sync():
            self.rows, self.cols = analysis.board.rows, analysis.board.cols
            self.grid = drawn_grid(analysis.board.geometry)
            self.cells = codes.ravel().tolist()
            self.tones = tones.ravel().tolist()
            self.heat = [float(p) if h else None for p, h in zip(risks, hidden, strict=True)]
            self.labels = [_label(p) if h else "" for p, h in zip(risks, hidden, strict=True)]
            move = analysis.move
            self.lit = [] if move is None else [[*move.cell, "move"]]

    def explain(self, cell: Cell) -> Explanation:
        """Explain a hidden cell. Draw a ring around the cell and a ring around each clue of its
        first proof. Raises what `Explainer.explain` raises."""
        explanation = self._explainer.explain(cell)
        clues = [[*clue, "clue"] for clue in explanation.clues]
        self.lit = [*clues, [*cell, "target"]]
        self.selected, self.text, self.explanation = cell, explanation.text, explanation
        return explanation

    def _hear(self, _: Any, message: dict[str, Any], __: Any) -> None:
        """Handle a message from the browser: if the user pressed a hidden cell, explain it."""
        if message.get("event") != "press":
            return
        row, col = message["cell"]
        if self._analysis.board[row, col] == HIDDEN:
            self.explain((row, col))


def _label(risk: float) -> str:
    """Return the text for a risk: the number of percent. Only risks of exactly 0 and 1 are shown as
    0 and 100."""
    return str(percent(risk)) if 0 < risk < 1 else f"{100 * risk:.0f}"
