"""`csp-mines draw`: a picture of a board, of what follows from it, or of the engines on it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from csp_mines.cli import gameplay, options

if TYPE_CHECKING:
    from csp_mines.board import Board
    from csp_mines.pictures.canvas import Drawing

SHOWN = ("board", "analysis", "comparison")


def draw(
    board: options.OneBoard,
    picture: Annotated[
        Path,
        typer.Argument(
            metavar="PICTURE", parser=options.file_name, help="Where to, a name in .svg or .png."
        ),
    ],
    show: Annotated[
        str,
        typer.Option("--show", metavar="WHAT", help=f"What to draw: {', '.join(SHOWN)}."),
    ] = "analysis",
    cell: Annotated[
        str | None,
        typer.Option("--cell", metavar="R,C", help="Draw the explanation of this cell instead."),
    ] = None,
    backend: options.Backend = "native",
    mines: options.Mines = None,
    density: options.Density = None,
    clues: options.Clues = None,
    ignore_marks: options.IgnoreMarks = False,
    max_states: options.MaxStates = 2_000_000,
    theme: options.Theme = "light",
    scale: Annotated[
        float,
        typer.Option("--scale", metavar="N", min=0.25, max=8, help="The size of a PNG."),
    ] = 2,
    format: options.Format = None,
) -> int:
    """Draw a board with the risk of every cell; SVG needs no library, PNG the extra 'plots'.

    csp-mines draw board.txt board.svg --theme dark

    A board that contradicts itself is drawn with the clues that cannot hold together.
    """
    from csp_mines.cli.contradiction import show_contradiction
    from csp_mines.errors import Contradiction, UnknownName
    from csp_mines.pictures.proofs import draw_conflict

    if show not in SHOWN:
        raise UnknownName("picture", show, SHOWN)
    read = options.read_board(
        board, format, mines=mines, density=density, clues=clues, ignore_marks=ignore_marks
    )
    try:
        drawing = _drawing(read, show, cell, backend, max_states, theme)
    except Contradiction as error:
        if error.conflict is not None:
            draw_conflict(read, error.conflict, theme=theme).save(picture, scale=scale)
        return show_contradiction(board, read, error, with_board=False)
    drawing.save(picture, scale=scale)
    return 0


def _drawing(
    board: Board, show: str, cell: str | None, backend: str, max_states: int, theme: str
) -> Drawing:
    wanted = gameplay.read_cell(cell)
    if wanted is None and show == "board":
        from csp_mines.pictures.boards import draw_board

        return draw_board(board, theme=theme)
    if wanted is None and show == "comparison":
        from csp_mines.analysis.comparison import compare
        from csp_mines.pictures.comparisons import draw_comparison

        return draw_comparison(compare(board), theme=theme)
    from csp_mines.analysis.analyze import analyze

    found = analyze(board, backend=backend, max_states=max_states)
    if wanted is None:
        from csp_mines.pictures.analyses import draw_analysis

        return draw_analysis(found, theme=theme)
    from csp_mines.explanation.explain import explain
    from csp_mines.pictures.proofs import draw_explanation

    return draw_explanation(board, explain(found, wanted), theme=theme)
