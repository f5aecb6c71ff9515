"""The board in a notebook: the same module that draws it on the page, as an anywidget.

from csp_mines.web.widget import BoardWidget
BoardWidget(board)          # shows what follows; click a cell to light up why
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anywidget
import numpy as np
import traitlets

from csp_mines.analysis.analyze import Analysis, analyze
from csp_mines.board import HIDDEN, Board, Cell
from csp_mines.explanation.explain import Explainer, Explanation

__all__ = ["BoardWidget"]

_STATIC = Path(__file__).with_name("static")


class BoardWidget(anywidget.AnyWidget):
    """A board with the risk of every cell. `selected` is the cell clicked last, `text` what there
    is to say about it; `explanation` is the same as a value, or None."""

    _esm = _STATIC / "board.js"
    _css = _STATIC / "board.css"

    rows = traitlets.Int().tag(sync=True)
    cols = traitlets.Int().tag(sync=True)
    cells = traitlets.List(traitlets.Int()).tag(sync=True)
    tones = traitlets.List(traitlets.Unicode()).tag(sync=True)
    heat: traitlets.List[Any] = traitlets.List().tag(sync=True)
    labels = traitlets.List(traitlets.Unicode()).tag(sync=True)
    lit: traitlets.List[Any] = traitlets.List().tag(sync=True)
    cursor = traitlets.List([0, 0]).tag(sync=True)
    label = traitlets.Unicode("board").tag(sync=True)
    wheel = traitlets.Bool(False).tag(sync=True)
    zoom = traitlets.Float(1.0).tag(sync=True)
    theme = traitlets.Unicode("").tag(sync=True)
    hue = traitlets.Unicode("risk").tag(sync=True)
    selected = traitlets.Tuple(allow_none=True, default_value=None)
    text = traitlets.Unicode("")

    def __init__(self, board: Board | Analysis) -> None:
        """Raises what `analyze` raises."""
        super().__init__()
        self.explanation: Explanation | None = None
        self.on_msg(self._hear)
        self.show(board)

    def show(self, board: Board | Analysis) -> None:
        """Shows another board, or what is known of it. Raises what `analyze` raises."""
        found = board if isinstance(board, Analysis) else analyze(board)
        self._found, self._explainer = found, Explainer(found)
        codes, risks = found.board.codes, found.probabilities.ravel()
        tones = np.full(codes.shape, "", object)
        tones[found.safe_mask], tones[found.mine_mask] = "safe", "mine"
        hidden = codes.ravel() == HIDDEN
        with self.hold_sync():
            self.rows, self.cols = found.board.rows, found.board.cols
            self.cells = codes.ravel().tolist()
            self.tones = tones.ravel().tolist()
            self.heat = [float(p) if h else None for p, h in zip(risks, hidden, strict=True)]
            self.labels = [f"{p:.0%}"[:-1] if h else "" for p, h in zip(risks, hidden, strict=True)]
            move = found.move
            self.lit = [] if move is None else [[*move.cell, "move"]]

    def explain(self, cell: Cell) -> Explanation:
        """Lights up why a hidden cell is what it is. Raises BoardError, Unsupported."""
        explanation = self._explainer.explain(cell)
        clues = [[*clue, "clue"] for clue in explanation.clues]
        self.lit = [*clues, [*cell, "target"]]
        self.selected, self.text, self.explanation = cell, explanation.text, explanation
        return explanation

    def _hear(self, _: Any, message: dict[str, Any], __: Any) -> None:
        """What the board tells: a press on a hidden cell asks why."""
        if message.get("event") != "press":
            return
        row, col = message["cell"]
        if self._found.board[row, col] == HIDDEN:
            self.explain((row, col))
