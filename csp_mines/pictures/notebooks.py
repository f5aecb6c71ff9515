"""Pictures of values in notebooks. `board.as_svg` imports this module when a notebook asks for a
picture."""

from __future__ import annotations

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
    Return None for any other value, and for a value that is too large for a picture."""
    try:
        drawing = _drawing(value)
    except Unsupported:
        return None
    return None if drawing is None else drawing.to_svg()


def _drawing(value: object) -> Drawing | None:
    if isinstance(value, Board):
        return draw_board(value)
    if isinstance(value, Analysis):
        return draw_analysis(value)
    if isinstance(value, Comparison):
        return draw_comparison(value)
    if isinstance(value, Explanation) and value.board is not None:
        return draw_explanation(value.board, value)
    if isinstance(value, Review):
        return draw_review(value)
    return None
