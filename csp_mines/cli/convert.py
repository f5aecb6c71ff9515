"""`csp-mines convert`: a board, a layout or the answer of a solver, in another notation."""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from csp_mines.cli import gameplay, options, several
from csp_mines.cli.completion import writable
from csp_mines.cli.groups import argument, option
from csp_mines.errors import BoardError, InputError, UnknownName
from csp_mines.words import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from csp_mines import Board, Cell, Geometry
    from csp_mines.formats import Contents, Notation, Part


def convert(
    boards: Annotated[
        list[str], argument("INPUT...", "Files, - for standard input, or lines, links, IDs.")
    ],
    to: Annotated[
        str, option("The notation to write; see 'csp-mines formats'.", "-t")
    ] = "canonical",
    format: options.Format = None,
    mines: options.Mines = None,
    first: Annotated[
        str | None,
        option(
            "The cell to open first in a layout. By default the first cell that the layout's text "
            "names, if it names one.",
            metavar="R,C",
        ),
    ] = None,
    export: Annotated[
        Path | None,
        option("Read the inputs as a solver's answers to FILE, which 'csp-mines export' wrote."),
    ] = None,
    binary: Annotated[bool, option("With --to mbf, write bytes instead of hex digits.")] = False,
) -> int:
    """Write boards or layouts in another notation.

    csp-mines convert game.avf --to line

    A board becomes a layout only if no cell is hidden. A layout becomes the board after the opening
    of its first cell. A layout without a first cell becomes the board with every mine marked and
    every other cell open. If the new notation has no place for the input's total, density or first
    cell, a message on standard error says so. A conversion that would change the meaning is
    refused. --to minizinc writes only the data of a board; 'export --to minizinc' writes a whole
    model. With --export, the answer of a DIMACS or OPB solver is read as a layout:

    csp-mines convert answer.txt --export board.cnf --to layout
    """
    from csp_mines.formats import between, encode_layout

    target, written = _target(to), count()

    def convert_one(name: str, part: Part) -> int:
        contents = part.contents(layout=target.write is None)
        options.tell_reading(part.name, contents)
        if binary:
            if len(boards) > 1 or part.number is not None:
                raise InputError("--binary writes only one layout: give one INPUT with one layout")
            sys.stdout.buffer.write(encode_layout(part.layout(contents), target.name))
            return 0
        text = _converted(contents, part, target, mines, first).rstrip("\n")
        if next(written):
            sys.stdout.write(between(target, single_row="\n" not in text))
        sys.stdout.write(text + "\n")
        return 0

    if export is not None:
        status = max(convert_one(part.source, part) for part in _answers(boards, export, format))
    else:
        status = several.for_each(boards, format, convert_one, flags=True)
    sys.stdout.flush()
    return status


def _target(name: str) -> Notation:
    """Return the notation to write. Raises UnknownName, which lists the notations that can be
    written, for an unknown name; InputError for a notation that can only be read."""
    from csp_mines.formats import all_notations, notation

    if name.partition(":")[0] not in all_notations():
        raise UnknownName("board format", name, writable())
    target = notation(name)
    if target.write is None and target.write_layout is None:
        raise InputError(
            f"the format {target.name!r} can only be read; 'csp-mines formats' lists the formats "
            "that can be written"
        )
    return target


def _answers(names: list[str], export: Path, format: str | None) -> Iterator[Part]:
    """Read each input in `names` as a solver's answer to the file `export`. Yield one `Part` for
    each input. The text of the `Part`, the heading of the export and then the answer, can be read
    as a layout. Raises InputError if `format` is given, BoardError if the export has no heading or
    an input is not an answer, FileError if a file cannot be read."""
    from csp_mines.formats import Part, exported, load

    if format is not None:
        raise InputError("--format names the notation of a board; leave it out with --export")
    heading = exported.heading_of(load(export).decode(errors="replace"), str(export))
    for name in names:
        answer = options.data_of(name).decode(errors="replace")
        source = options.source_of(name)
        if not exported.is_answer(answer):
            raise BoardError(
                f"{source}: expected the answer of a solver, with lines such as v 1 -2 0"
            )
        yield Part(f"{heading}\n{answer}", source, exported.NOTATION, lines_before=-1)


def _converted(
    contents: Contents, part: Part, target: Notation, mines: int | None, first: str | None
) -> str:
    if target.write is None or (contents.board is None and target.write_layout is not None):
        layout = part.layout(contents)
        corner = gameplay.read_cell(first, layout.geometry) or _kept(
            contents, layout.geometry, target
        )
        return layout.to_text(target.name, corner)
    board = _board(contents, mines, first)
    _tell_losses(board, target)
    return board.to_text(target.name)


def _kept(contents: Contents, geometry: Geometry, target: Notation) -> Cell | None:
    """Return the first cell that the input names, or None if the input names none. If the new
    notation has no place for the first cell, tell the user and return None."""
    if contents.first is not None and not target.keeps_first:
        lost = f"the first cell {geometry.label(contents.first)}"
        options.tell(f"the format {target.name!r} has no place for {lost}: it is left out")
        return None
    return contents.first


def _board(contents: Contents, mines: int | None, first: str | None) -> Board:
    from csp_mines.formats import board_of

    if contents.board is not None and first is not None:
        raise InputError("--first opens the first cell of a layout, but the input is a board")
    if contents.board is None:
        layout = contents.layout
        assert layout is not None
        if mines not in (None, layout.count):
            has = plural(layout.count, "mine")
            raise InputError(f"--mines {mines} does not fit the layout, which has {has}")
        corner = gameplay.read_cell(first, layout.geometry)
        if corner is not None:
            contents = replace(contents, first=layout.spec.require(corner))
        if contents.first is None:
            return layout.board()
    return board_of(contents).told(mines=mines)


def _tell_losses(board: Board, target: Notation) -> None:
    """Tell the user if the new notation has no place for the total or the density of the board."""
    from csp_mines.formats import interpret

    if board.mines is None and board.density is None:
        return
    try:
        back = interpret(board.to_text(target.name), target.name).board
    except BoardError:
        return
    if back is not None and (back.mines, back.density) != (board.mines, board.density):
        lost = f"density {board.density}"
        if board.mines is not None:
            lost = f"total of {plural(board.mines, 'mine')}"
        options.tell(f"the format {target.name!r} has no place for the {lost}: it is left out")
