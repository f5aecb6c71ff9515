"""The pictures that notebooks show of boards, analyses, comparisons, explanations and reviews.

`board.Pictured` imports this module only when a picture is needed, because the modules of
`pictures` import `board`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from csp_mines.analysis.analyze import Analysis
from csp_mines.analysis.comparison import Comparison
from csp_mines.board import Board
from csp_mines.errors import Unsupported
from csp_mines.explanation.explain import Explanation
from csp_mines.pictures.analyses import draw_analysis
from csp_mines.pictures.boards import draw_board
from csp_mines.pictures.canvas import Drawing
from csp_mines.pictures.comparisons import draw_comparison
from csp_mines.pictures.proofs import draw_explanation
from csp_mines.pictures.reviews import draw_review
from csp_mines.reviews.review import Review


def svg(value: object) -> str | None:
    """Return the picture of a board, an analysis, a comparison, an explanation or a review as SVG.
    Return None for any other value, for an explanation without its board, and for a value that is
    too large for a picture."""
    draw = next((draw for kind, draw in _DRAW.items() if isinstance(value, kind)), None)
    try:
        drawing = None if draw is None else draw(value)
    except Unsupported:
        return None
    return None if drawing is None else drawing.to_svg()


_DRAW: dict[type, Callable[[Any], Drawing | None]] = {
    Board: draw_board,
    Analysis: draw_analysis,
    Comparison: draw_comparison,
    Explanation: lambda told: None if told.board is None else draw_explanation(told.board, told),
    Review: draw_review,
}
