"""`csp-mines generate`: a layout, or a board in the middle of a game."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from csp_mines.cli import gameplay, options

if TYPE_CHECKING:
    from csp_mines.board import Board
    from csp_mines.play.game import Game


def generate(
    level: gameplay.Level = None,
    size: gameplay.Size = None,
    rows: gameplay.Rows = None,
    cols: gameplay.Cols = None,
    mines: gameplay.Mines = None,
    density: gameplay.Density = None,
    opened: Annotated[
        float | None,
        typer.Option(
            "--opened", metavar="SHARE", help="Open this share of the safe cells, at random."
        ),
    ] = None,
    stuck: Annotated[
        bool, typer.Option("--stuck", help="The board at the first forced guess of exact play.")
    ] = False,
    solvable: Annotated[
        bool, typer.Option("--solvable", help="A layout that needs no guess after the start.")
    ] = False,
    layout: Annotated[
        str | None,
        typer.Option("--layout", metavar="text|mbf", help="Write the layout, not a board."),
    ] = None,
    first: gameplay.First = None,
    start: gameplay.Start = "safe",
    flood: gameplay.Flood = True,
    clues: gameplay.ClueModel = "exact",
    reveal: gameplay.Reveal = 0.6,
    format: options.Format = None,
    seed: options.Seed = 0,
    json: options.Json = False,
) -> int:
    """Make a layout or a board, the same one for the same seed.

    csp-mines generate --level expert --opened 0.3 --seed 5 | csp-mines solve -

    By default the board after the start. Under --start safe or zero the layout fits the first cell.
    """
    from csp_mines.errors import InputError
    from csp_mines.generation.boards import solvable_game
    from csp_mines.play.game import Game, Rules

    if layout is not None and (opened is not None or stuck):
        raise InputError("--layout shows everything; leave --opened and --stuck out")
    if opened is not None and stuck:
        raise InputError("give --opened or --stuck, not both")
    if solvable and stuck:
        raise InputError("--solvable games need no guess, so --stuck never comes; give one of them")
    rules = Rules(start=start, flood=flood, clues=clues, reveal=reveal)
    spec = gameplay.read_spec(level, gameplay.read_grid(size, rows, cols), mines, density)
    corner = gameplay.read_cell(first)
    if solvable:
        game = solvable_game(spec, rules, seed, first=corner)
    else:
        game = Game(spec, rules, seed, first=corner)
    if layout is not None:
        return _show_layout(game, layout, json=json)
    return _show_board(_board(game, opened, stuck), format, json=json)


def _board(game: Game, opened: float | None, stuck: bool) -> Board:
    from csp_mines.errors import Unsupported
    from csp_mines.generation.boards import opened_board, stuck_board

    if opened is not None:
        return opened_board(game, opened)
    if not stuck:
        game.start()
        return game.board
    board = stuck_board(game)
    if board is None:
        raise Unsupported("this game needs no guess; try another --seed")
    return board


def _show_layout(game: Game, form: str, *, json: bool) -> int:
    """The layout that the game has after its start."""
    from csp_mines.cli.console import show_json
    from csp_mines.errors import UnknownName

    if form not in ("text", "mbf"):
        raise UnknownName("layout format", form, ["text", "mbf"])
    game.start()
    layout = game.layout
    if json:
        rows, cols = layout.shape
        report = {"rows": rows, "cols": cols, "mines": layout.count}
        show_json({**report, "layout": layout.to_text().split()})
    elif form == "mbf":
        sys.stdout.buffer.write(layout.to_mbf())
        sys.stdout.buffer.flush()
    else:
        sys.stdout.write(layout.to_text())
    return 0


def _show_board(board: Board, format: str | None, *, json: bool) -> int:
    from csp_mines.cli.console import show_json

    text = board.to_text(format).rstrip("\n")
    if json:
        header = {"mines": board.mines, "clues": board.clues.name}
        rows = text.split("\n")[-board.rows :]  # without the lines that say what the fields say
        show_json({"rows": board.rows, "cols": board.cols, **header, "board": rows})
    else:
        sys.stdout.write(text + "\n")
    return 0
