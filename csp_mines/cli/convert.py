"""`csp-mines convert`: a board or a layout from any notation to any other."""

from __future__ import annotations

import sys
from itertools import count
from typing import TYPE_CHECKING, Annotated

import typer

from csp_mines.cli import gameplay, options, several
from csp_mines.words import plural

if TYPE_CHECKING:
    from csp_mines.board import Board, Cell
    from csp_mines.formats import Contents, Notation, Part


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
    from csp_mines.formats import between, notation

    target, corner, written = notation(to), gameplay.read_cell(first), count()

    def convert_one(name: str, part: Part) -> int:
        found = part.contents(layout=_wants_layout(target))
        options.tell_reading(part.name, found)
        if binary:
            _write_bytes(found, part, target, alone=len(boards) == 1 and part.number is None)
            return 0
        text = _converted(found, part, target, mines, corner).rstrip("\n")
        if next(written):
            sys.stdout.write(between(target, single_row="\n" not in text))
        sys.stdout.write(text + "\n")
        return 0

    status = several.for_each(boards, format, convert_one)
    sys.stdout.flush()
    return status


def _wants_layout(target: Notation) -> bool:
    return target.write is None and target.write_layout is not None


def _converted(
    found: Contents, part: Part, target: Notation, mines: int | None, first: Cell | None
) -> str:
    from csp_mines.errors import InputError

    as_layout = target.write is None or (found.board is None and target.write_layout is not None)
    if as_layout:
        if target.write_layout is None:
            raise InputError(f"the format {target.name!r} can only be read")
        return target.write_layout(part.layout(found), first or _kept(found, target))
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
    from csp_mines.formats import board_of

    if found.board is None and found.first is None:
        assert found.layout is not None
        return found.layout.board()
    board = board_of(found)
    return board.told(mines=mines)


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


def _write_bytes(found: Contents, part: Part, target: Notation, *, alone: bool) -> None:
    from csp_mines.errors import InputError
    from csp_mines.formats import encode_layout

    if not alone:
        raise InputError("--binary writes one file; give it one board")
    sys.stdout.buffer.write(encode_layout(part.layout(found), target.name))
    sys.stdout.buffer.flush()
