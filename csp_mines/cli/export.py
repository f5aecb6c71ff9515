"""`csp-mines export`: write the constraints of a board in a notation that other solvers read."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from csp_mines.cli import files, gameplay, options
from csp_mines.cli.groups import option
from csp_mines.errors import InputError
from csp_mines.names import EXPORT_NAMES, listed

if TYPE_CHECKING:
    from csp_mines import Cell, Geometry


def export(
    board: options.OneBoard,
    to: Annotated[str, option(f"The notation: {listed(EXPORT_NAMES)}.", "-t")],
    output: Annotated[
        Path | None, option("Write to this file instead of standard output.", "-o")
    ] = None,
    assume: Annotated[
        list[str] | None,
        option("Add a fact: 3,4=mine or 3,4=safe. Repeat the option for more.", metavar="R,C=WHAT"),
    ] = None,
    encoding: Annotated[
        str | None,
        option(
            "The encoding of sums as clauses for dimacs, such as totalizer; see 'csp-mines "
            "backends pysat'. By default direct.",
        ),
    ] = None,
    *,
    header: options.Header,
    no_total: options.NoTotal = False,
    format: options.Format = None,
) -> None:
    """Write the constraints of a board for a solver, before any deduction.

    csp-mines export board.txt --to dimacs -o board.cnf

    Every solution is a layout that fits the board. Comments say which cell a variable stands for.
    With --assume 3,4=mine the file has no solution exactly when 3,4 is certainly safe. --to
    minizinc writes a whole model; 'convert --to minizinc' writes only the data of the board.
    'convert' reads the answer of a DIMACS or OPB solver back as a layout.
    """
    from csp_mines.exports.export import export as export_board

    files.keep_input("--output", output, board)
    read = header.read(board, format)
    assumptions = _assumptions(assume or [], read.geometry)
    text = export_board(read, to, use_total=not no_total, assume=assumptions, encoding=encoding)
    if output is not None:
        files.write_whole(output, text)
    else:
        sys.stdout.write(text)
        sys.stdout.flush()


def _assumptions(given: list[str], geometry: Geometry) -> dict[Cell, str]:
    """Return the assumption about each cell that --assume names. The assumption is the text after
    the last `=`; `export` checks that it is `safe` or `mine`. Raises InputError if a text has no
    `=` or no cell before it, or if two texts state different facts about one cell."""
    assumptions: dict[Cell, str] = {}
    for text in given:
        place, equals, what = text.rpartition("=")
        cell = gameplay.read_cell(place, geometry) if equals else None
        if cell is None:
            raise InputError(
                f"--assume must be CELL=mine or CELL=safe, such as 3,4=mine, not {text!r}"
            )
        if assumptions.setdefault(cell, what.strip()) != what.strip():
            raise InputError(
                f"--assume states two different facts about cell {place}: leave one out"
            )
    return assumptions
