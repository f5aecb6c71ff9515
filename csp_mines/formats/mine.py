"""JSMinesweeper's files: a line `WIDTHxHEIGHTxMINES`, then the rows of cells."""

from __future__ import annotations

import re

from csp_mines.board import EXPLODED, HIDDEN, MARKED, Board
from csp_mines.errors import BoardError
from csp_mines.formats.alphabet import DIGITS, Alphabet
from csp_mines.formats.grids import read_grid
from csp_mines.formats.notation import Contents, Heading, Notation, Text, quoted

ALPHABET = Alphabet({"H": HIDDEN, **DIGITS, "F": MARKED, "?": EXPLODED})

_HEADER = re.compile(r"(\d{1,9})x(\d{1,9})x(\d{1,9})", re.ASCII)


def _read(text: Text) -> Contents:
    match = _HEADER.fullmatch(text.first_line())
    if match is None:
        shown = quoted(text.first_line())
        raise text.error(1, f"the first line must be WIDTHxHEIGHTxMINES, not {shown}")
    first = next(text.lines())
    width, height, mines = map(int, match.groups())
    codes = read_grid(text, ALPHABET, first.start + len(first.text))
    if codes.shape != (height, width):
        size = f"{codes.shape[1]}x{codes.shape[0]}"
        raise text.error(first.number, f"the header says {width}x{height}, but the board is {size}")
    return Contents(board=text.board(first.number, codes, mines=mines))


def _write(board: Board) -> str:
    if board.mines is None:
        raise BoardError("the format 'mine' needs the number of mines; the board does not say it")
    return f"{board.cols}x{board.rows}x{board.mines}\n" + ALPHABET.grid(board)


NOTATION = Notation(
    "mine",
    "JSMinesweeper's file: first line WIDTHxHEIGHTxMINES, then rows: H hidden, 0-8 clues, F flag, "
    "? opened mine",
    "4x2x2\nHHF1\n1121",
    read=_read,
    recognise=lambda text: _HEADER.fullmatch(text.first_line()) is not None,
    write=_write,
    alphabet=ALPHABET,
    heading=Heading("x", _HEADER.pattern + r"[^\S\n]*$"),
)
