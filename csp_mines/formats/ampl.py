"""AMPL data of Minesweeper models: `param game: 1 2 3 := 1 . 1 . 2 …;`. The numbers of the columns
stand before `:=`, and each row begins with the number of the row. `.` and `X` are hidden cells,
unless another sign of the board always means a hidden cell, such as `-1`. Comments begin with
`#`."""

from __future__ import annotations

import re

from csp_mines.formats.notation import Contents, Notation, Text
from csp_mines.formats.words import read_words
from csp_mines.words import plural

_TABLE = re.compile(r"\bparam\s+\w{1,99}\s*:([\d\s]+):=([^;]*);", re.ASCII)


_COMMENT = r"#[^\n]*"


def _recognise(text: Text) -> bool:
    return "param" in text.text and _TABLE.search(text.without(_COMMENT)) is not None


def _read(text: Text) -> Contents:
    plain = text.without(_COMMENT)
    match = _TABLE.search(plain)
    if match is None:
        raise text.expected("a table such as 'param game: 1 2 := … ;'")
    line = text.line_number(match.start(2))
    if _TABLE.search(plain, match.end()):
        raise text.error(line, "two tables in one board; put a blank line between boards")
    columns, cells = match[1].split(), match[2].split()
    wide = len(columns) + 1
    if not columns or not cells:
        raise text.error(line, "a table needs column numbers before := and rows after :=")
    if len(cells) % wide:
        raise text.error(
            line,
            f"the table has {plural(len(cells), 'word')}, which cannot be split into rows of one "
            f"row number and {plural(wide - 1, 'cell')}",
        )
    rows = [cells[start : start + wide] for start in range(0, len(cells), wide)]
    for number, row in enumerate(rows, 1):
        if row[0] != str(number):
            raise text.expected(f"row number {number}", row[0], line)
    return read_words(text, lambda: ((line, row[1:]) for row in rows), hidden=(".", "X"))


NOTATION = Notation(
    "ampl",
    "AMPL data: 'param game: 1 2 3 :=', then numbered rows; . or X is a hidden cell; comments "
    "after #",
    "param game: 1 2 3 :=\n  1 . . 1\n  2 1 1 1\n;",
    read=_read,
    recognise=_recognise,
)
