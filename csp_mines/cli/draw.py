"""`csp-mines draw`: a picture of a board, of its analysis, or of what each engine proves on it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from csp_mines import defaults
from csp_mines.arguments import known_name
from csp_mines.cli import files, gameplay, options, several
from csp_mines.cli.contradiction import show_contradiction
from csp_mines.cli.groups import argument, option
from csp_mines.errors import Contradiction

if TYPE_CHECKING:
    from csp_mines import Board, Drawing
    from csp_mines.formats import Part

SHOWN = ("board", "analysis", "comparison")


def draw(
    board: options.OneBoard,
    picture: Annotated[Path, argument("PICTURE", "The file to write, .svg or .png.")],
    show: Annotated[str, option(f"What to draw: {', '.join(SHOWN)}.", metavar="WHAT")] = "analysis",
    cell: Annotated[
        str | None, option("Draw the explanation of this cell instead.", metavar="R,C")
    ] = None,
    backend: options.Backend = defaults.BACKEND,
    *,
    header: options.Header,
    limits: options.Limits,
    theme: options.Theme = "light",
    scale: Annotated[
        float, option("Size of a PNG relative to the SVG.", metavar="N", min=0.25, max=8)
    ] = 2,
    format: options.Format = None,
) -> int:
    """Draw a board with the risk of every cell, as SVG or PNG. PNG needs the extra 'plots'.

    csp-mines draw board.txt board.svg --theme dark

    If an engine finds that no layout fits the board, the picture shows the conflicting clues. If
    the input has several boards, each gets a picture: board-1.svg, board-2.svg and so on.
    """
    from csp_mines.pictures.proofs import draw_conflict

    known_name("picture", show, SHOWN)

    def draw_one(name: str, part: Part) -> int:
        path = picture
        if part.number is not None:  # one of several boards
            path = picture.with_stem(f"{picture.stem}-{part.number}")
        files.keep_input("PICTURE", path, board)
        read = header.board(part.contents(), part.name)
        try:
            drawing = _drawing(read, show, cell, theme, backend=backend, **limits.in_bytes)
        except Contradiction as error:
            if error.conflict is not None:
                draw_conflict(read, error.conflict, theme=theme).save(path, scale=scale)
            return show_contradiction(name, read, error, with_board=False)
        drawing.save(path, scale=scale)
        return 0

    return several.for_each([board], format, draw_one)


def _drawing(board: Board, show: str, cell: str | None, theme: str, **how: Any) -> Drawing:
    """Return the picture that `show` and `cell` name. `how` are further arguments of `analyze`."""
    wanted = gameplay.read_cell(cell, board.geometry)
    if wanted is None and show == "board":
        from csp_mines.pictures.boards import draw_board

        return draw_board(board, theme=theme)
    if wanted is None and show == "comparison":
        from csp_mines import compare, draw_comparison

        return draw_comparison(compare(board), theme=theme)
    from csp_mines import analyze, draw_explanation, explain

    analysis = analyze(board, **how)
    if wanted is None:
        from csp_mines.pictures.analyses import draw_analysis

        return draw_analysis(analysis, theme=theme)

    return draw_explanation(board, explain(analysis, wanted), theme=theme)
