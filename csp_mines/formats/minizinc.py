"""MiniZinc data of other authors' Minesweeper models (`exports/minizinc.py` writes whole models).
`-1` is a hidden cell. `X` and `_` are hidden cells, too, if the array has no word such as `-1` that
always means hidden (see `words`). Comments begin with `%`.

r = 2; c = 4; game = array2d(1..r, 1..c, [X,1,…]);
r = 2; c = 2; game = [| X,1 | 1,X |];"""

from __future__ import annotations

import re

from csp_mines.board import Board
from csp_mines.formats.notation import Contents, Notation, Text, quoted, require_clues_only
from csp_mines.formats.words import read_words
from csp_mines.words import plural

_SIZE = re.compile(r"\b(r|rows|c|cols|n)\s*=\s*(\d{1,7})\s*;", re.ASCII)
_GRID = re.compile(r"\b(\w+)\s*=\s*(?:array2d\s*\([^\[]{0,200})?\[(\|?)([^\[\]]*)\]\s*\)?\s*;")
_COMMENT = r"%[^\n]*"


def _recognise(text: Text) -> bool:
    if not re.match(r"\s*(?:%|include|\w+\s*=\s*\d+\s*;|int\b|game\b)", text.text[:200]):
        return False
    return _GRID.search(text.without(_COMMENT)) is not None


def _read(text: Text) -> Contents:
    plain = text.without(_COMMENT)
    match = _GRID.search(plain)
    if match is None:
        raise text.expected("an array such as 'game = [| -1, 1 | 1, 1 |];'")
    line = text.line_number(match.start(3))
    if any(again[1] == match[1] for again in _GRID.finditer(plain, match.end())):
        problem = f"{quoted(match[1])} is given twice; put a blank line between boards"
        raise text.error(line, problem)
    sizes = {key: int(value) for key, value in _SIZE.findall(plain)}
    rows = sizes.get("r", sizes.get("rows", sizes.get("n")))
    cols = sizes.get("c", sizes.get("cols", sizes.get("n")))
    words = _rows(text, match[3], bool(match[2]), line, cols)
    if rows is not None and len(words) != rows:
        array = f"the array has {plural(len(words), 'row')}"
        raise text.error(line, f"{array}, but the text gives {rows} as the number of rows")
    numbered = [(line, row) for row in words]
    return read_words(text, lambda: iter(numbered), hidden=("X", "_"))


def _rows(text: Text, body: str, barred: bool, line: int, cols: int | None) -> list[list[str]]:
    """Return the words of each row of an array. If `barred`, bars separate the rows; otherwise each
    row has `cols` words. Raises BoardSyntaxError, which names `line`, if a row between bars has
    another number of words than `cols`, or if the words without bars cannot be divided."""
    if barred:
        rows = [_words(part) for part in body.split("|") if part.strip()]
        wrong = next((row for row in rows if cols not in (None, len(row))), None)
        if wrong is not None:
            said = f"the text says {plural(cols or 0, 'column')}"
            raise text.error(line, f"{said}, but a row has {plural(len(wrong), 'cell')}")
        return rows
    words = _words(body)
    if not cols or len(words) % cols:
        raise text.error(
            line,
            f"{plural(len(words), 'cell')} cannot be split into rows of {cols or 'unknown width'}; "
            "give the number of columns as 'c = …;'",
        )
    return [words[start : start + cols] for start in range(0, len(words), cols)]


def _words(part: str) -> list[str]:
    words = [word.strip() for word in part.split(",")]
    return words if words[-1] else words[:-1]


def _write(board: Board) -> str:
    require_clues_only(board, "minizinc")
    rows = "\n  | ".join(", ".join(map(str, row)) for row in board.codes.tolist())
    return f"r = {board.rows};\nc = {board.cols};\ngame = [| {rows} |];\n"


NOTATION = Notation(
    "minizinc",
    "MiniZinc data: r = …; c = …; game = array2d(…, [X,1,…]); or [| … |]; X, _ or -1 hidden",
    "r = 2;\nc = 2;\ngame = [| -1, 1 | 1, 1 |];",
    read=_read,
    recognise=_recognise,
    write=_write,
)
