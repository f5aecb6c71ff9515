"""`csp-mines convert`: a board or a layout from any notation to any other."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from csp_mines.cli import gameplay, options
from csp_mines.words import plural

if TYPE_CHECKING:
    from csp_mines.board import Board, Cell
    from csp_mines.formats import Contents, Notation


def convert(
    boards: Annotated[
        list[str],
        typer.Argument(metavar="INPUT...", help="Files, - for standard input, lines, links, IDs."),
    ],
    to: Annotated[
        str, typer.Option("--to", "-t", metavar="NAME", help="The notation to write.")
    ] = "canonical",
    format: options.Format = None,
    mines: options.Mines = None,
    first: gameplay.First = None,
    binary: Annotated[
        bool,
        typer.Option("--binary", help="Write the bytes of a file, where the notation has one."),
    ] = False,
) -> int:
    """Write boards or layouts in another notation.

    csp-mines convert game.avf --to line

    A layout asked for out of a board needs one that hides nothing; a board out of a layout shows
    what opening its first cell does, or else everything. What has no place in the new notation is
    told on standard error; what would change the meaning is refused.
    """
    from csp_mines.formats import notation

    target = notation(to)
    for name in boards:
        found, data = options.interpret_argument(name, format, layout=_wants_layout(target))
        options.tell_reading(name, found)
        if binary:
            _write_bytes(found, data, name, target)
        else:
            text = _converted(found, data, name, target, mines, gameplay.read_cell(first))
            sys.stdout.write(text if text.endswith("\n") else text + "\n")
    sys.stdout.flush()
    return 0


def _wants_layout(target: Notation) -> bool:
    return target.write is None and target.write_layout is not None


def _converted(
    found: Contents,
    data: str | bytes,
    name: str,
    target: Notation,
    mines: int | None,
    first: Cell | None,
) -> str:
    from csp_mines.errors import InputError
    from csp_mines.formats import layout_of

    as_layout = target.write is None or (found.board is None and target.write_layout is not None)
    if as_layout:
        if target.write_layout is None:
            raise InputError(f"the format {target.name!r} can only be read")
        return target.write_layout(
            layout_of(found, data, options.source_of(name)), first or _kept(found, target)
        )
    assert target.write is not None
    board = _board(found, mines)
    _tell_losses(board, target)
    return target.write(board)


def _kept(found: Contents, target: Notation) -> Cell | None:
    """The first cell, where the new notation has a place for it."""
    if found.first is not None and not target.keeps_first:
        options.tell(f"the first cell {found.first[0]},{found.first[1]} has no place in it")
        return None
    return found.first


def _board(found: Contents, mines: int | None) -> Board:
    from csp_mines.board import Board
    from csp_mines.formats import board_of

    if found.board is None and found.first is None:
        assert found.layout is not None
        return found.layout.board()
    board = board_of(found)
    return board if mines is None else Board(board.codes, mines=mines, clues=board.clues)


def _tell_losses(board: Board, target: Notation) -> None:
    """What stands in the header of a board and has no place in the new notation."""
    from csp_mines.errors import BoardError
    from csp_mines.formats import interpret

    if board.mines is None and board.density is None:
        return
    assert target.write is not None
    try:
        back = interpret(target.write(board), target.name).board
    except BoardError:
        return
    if back is not None and (back.mines, back.density) != (board.mines, board.density):
        lost = (
            plural(board.mines, "mine") if board.mines is not None else f"density {board.density}"
        )
        options.tell(f"{target.name} has no place for: {lost}")


def _write_bytes(found: Contents, data: str | bytes, name: str, target: Notation) -> None:
    from csp_mines.formats import encode_layout, layout_of

    sys.stdout.buffer.write(
        encode_layout(layout_of(found, data, options.source_of(name)), target.name)
    )
    sys.stdout.buffer.flush()
