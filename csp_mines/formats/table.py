"""Tables: CSV (with commas, semicolons, tabs or bars), or integers with blanks between them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from csp_mines.formats.notation import Contents, Notation, Text
from csp_mines.formats.words import read_words

_SEPARATOR = re.compile(r"[,;\t|]")
_INTEGER = re.compile(r"-?\d{1,3}", re.ASCII)


def _separator(text: Text) -> str | None:
    """Return the first separator in the first line. Return None if this line has no separator:
    blanks then separate the cells."""
    first = next(text.lines(), None)
    match = None if first is None else _SEPARATOR.search(first.text)
    return match.group() if match else None


def _cells(line: str, separator: str | None) -> list[str]:
    """Return the cells of a line. `separator` is None if blanks separate them."""
    if separator is None:
        return line.split()
    cells = [cell.strip().strip("\"'") for cell in line.strip().split(separator)]
    if separator == "|":
        return [cell for cell in cells if cell] if cells[0] == cells[-1] == "" else cells
    # A separator after the last cell does not begin another cell.
    return cells[:-1] if len(cells) > 1 and not cells[-1] else cells


def _recognise(text: Text) -> bool:
    """Whether every row has two or more short cells, separated by commas, tabs or bars. Blanks are
    accepted as separators if all cells are integers, and if at least one cell of the text is 9 or
    has more than one character."""
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
    "CSV, or integers between blanks: -1 hidden, 0-8, -2 marked, -3 opened mine, -4 safe; "
    "10 hidden and 11 marked as in ms_toollib; letters as in the format 'letters'",
    "-1,-1,-2,1\n1,1,2,1",
    read=_read,
    recognise=_recognise,
    write=lambda board: "\n".join(",".join(map(str, row)) for row in board.codes.tolist()),
    bare=True,
)
