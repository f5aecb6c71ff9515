"""Tables, such as CSV: commas, semicolons, tabs, bars or blanks separate the cells."""

from __future__ import annotations

import re
from collections.abc import Iterator

from csp_mines.formats.notation import Contents, Notation, Text
from csp_mines.formats.words import read_words

_SEPARATOR = re.compile(r"[,;\t|]")
_INTEGER = re.compile(r"-?\d{1,3}", re.ASCII)


def _separator(text: Text) -> str | None:
    """Return the first comma, semicolon, tab or bar in the first line that is not blank. Return
    None if that line has no such character: blanks then separate the cells of the table."""
    first = next(text.lines(), None)
    match = None if first is None else _SEPARATOR.search(first.text)
    return match.group() if match else None


def _cells(line: str, separator: str | None) -> list[str]:
    """Return the cells of a line. `separator` is None if blanks separate the cells."""
    if separator is None:
        return line.split()
    cells = [cell.strip().strip("\"'") for cell in line.strip().split(separator)]
    if separator == "|":
        return cells[1:-1] if len(cells) > 2 and cells[0] == cells[-1] == "" else cells
    # A separator after the last cell does not begin another cell.
    return cells[:-1] if len(cells) > 1 and not cells[-1] else cells


def _recognise(text: Text) -> bool:
    """Whether the text is surely a table. Every row must have two or more cells of at most four
    characters, and the text must not begin with a bracket. If semicolons or blanks separate the
    cells, at least one cell of the text must be 9 or have more than one character. If blanks
    separate the cells, all cells must also be integers of at most three digits."""
    if text.text.lstrip()[:1] in ("[", "(", "{"):
        return False
    separator, longer = _separator(text), False
    for _, cells in _rows(text):
        if len(cells) < 2 or any(len(cell) > 4 for cell in cells):
            return False
        if separator is None:
            if not all(map(_INTEGER.fullmatch, cells)):
                return False
            longer = longer or any(len(cell) > 1 or cell == "9" for cell in cells)
    return separator not in (None, ";") or longer


def _rows(text: Text) -> Iterator[tuple[int, list[str]]]:
    separator = _separator(text)
    for line in text.lines():
        yield line.number, _cells(line.text, separator)


def _read(text: Text) -> Contents:
    if not text.first_line():
        raise text.expected("a table")
    return read_words(text, lambda: _rows(text))


NOTATION = Notation(
    "table",
    "CSV, or integers with blanks between them: -1 for hidden, 0-8 for clues, -2 for marked, -3 "
    "for an opened mine, -4 for safe; also, as in ms_toollib, 10 for hidden and 11 for marked; if "
    "9, -9 or 20 occurs, integers as in the format 'rutgers'; letters as in the format 'letters'",
    "-1,-1,-2,1\n1,1,2,1",
    read=_read,
    recognise=_recognise,
    write=lambda board: "\n".join(",".join(map(str, row)) for row in board.codes.tolist()),
    bare=True,
)
