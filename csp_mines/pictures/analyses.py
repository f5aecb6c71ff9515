"""The picture of an analysis: certain cells, risks and the move, drawn on the board."""

from __future__ import annotations

from csp_mines.analysis.analyze import Analysis
from csp_mines.arguments import instance
from csp_mines.board import HIDDEN
from csp_mines.pictures.boards import BoardArt
from csp_mines.pictures.canvas import Drawing


def draw_analysis(analysis: Analysis, *, theme: str = "light") -> Drawing:
    """Draw the board with the risk of every undecided cell in percent, as a number and a colour.
    Cells proved safe show a tick, and cells proved mines show a mine. A ring marks the move, if
    there is one.

    Parameters:
        analysis: what `analyze` returned.
        theme: the colours, `light` or `dark`.

    Raises InputError if `analysis` is not an Analysis, UnknownName for an unknown theme,
    Unsupported for a board that is too large. If the risks are not computed yet, also raises
    what `analyze` raises.

    >>> analysis = csp_mines.analyze([[-1, 1, -1]])
    >>> csp_mines.draw_analysis(analysis).to_svg()[:4]
    '<svg'
    """
    captions = ["Tick: proved safe.  Mine: proved mine.  Number: risk of a mine in percent."]
    move = instance(analysis, Analysis, "analysis").move
    if move is not None:
        captions.append(f"Ring: the move, {move.risk:.1%} risk.")
    art = BoardArt(analysis.board, theme, captions, "Risk of a mine at every hidden cell")
    art.cells()
    for cell in analysis.board.cells(HIDDEN):
        if cell in analysis.safe or cell in analysis.mines:
            art.verdict(cell, mine=cell in analysis.mines)
        else:
            art.risk(cell, float(analysis.probabilities[cell]))
    if move is not None:
        art.ring(move.cell, art.theme.ink)
    return art.drawing
