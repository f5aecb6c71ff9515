"""The boards that csp-mines prints: rows and columns with numbers, below a headline.

The headline gives the size, the grid unless it is square, the mines or the rounded density, and the
clue model. If a board is printed whole, `csp-mines solve FILE | csp-mines solve -` solves the same
board again. A board of hexagons, a graph, and a board that shows holes, clues of two digits or
estimates of risks, such as `~12`, cannot be read."""

from __future__ import annotations

import re

from csp_mines.board import CLEAR, EXPLODED, HIDDEN, MARKED, Board
from csp_mines.formats.alphabet import CLUES
from csp_mines.formats.grid_header import named_grid
from csp_mines.formats.grids import read_rows
from csp_mines.formats.notation import Contents, Heading, Line, Notation, Text, quoted
from csp_mines.geometry import SQUARE
from csp_mines.words import plural

_HEADLINE = re.compile(
    r".*: (?P<rows>\d{1,9})×(?P<cols>\d{1,9})(?: (?P<grid>[\w:-]{1,40}))?, "
    r"(?:(?P<mines>\d{1,9}) mines?|mines unknown|density (?P<density>[0-9.e/-]{1,40})), "
    r"(?P<clues>\w+) clues: \w+"
)
_COLUMNS = re.compile(r"\s+\d+(?:\s+\d+)*\s*", re.ASCII)
_ROW = re.compile(r"\s*(\d{1,9}) (.+)", re.ASCII)
_FIXED = {".": 0, **CLUES, "M": MARKED, "X": EXPLODED, "C": CLEAR}
_FIXED |= dict.fromkeys(("?", "ok", "**", "!!"), HIDDEN)
# Other signs for hidden cells: proved safe (+), proved a mine (*), the move (@), and risks (bars or
# letters). Risks in percent are recognised by `_cell`.
HIDDEN_MARKS = "+*@▁▂▃▄▅▆▇█abcdefgh"


def _lines(text: Text) -> tuple[re.Match[str] | None, Line | None, list[Line]]:
    """Return the headline, the line with the column numbers, and the rows below that line. A
    headline that the text does not have is None, and so is a missing line of column numbers."""
    headline: re.Match[str] | None = None
    columns: Line | None = None
    rows: list[Line] = []
    for line in text.lines():
        if columns is None:
            headline = _HEADLINE.fullmatch(line.text) or headline
            columns = line if _COLUMNS.fullmatch(line.text) else None
        elif (row := _ROW.fullmatch(line.text)) and int(row[1]) == len(rows):
            rows.append(line)
        else:
            break
    return headline, columns, rows


def _recognise(text: Text) -> bool:
    headline, columns, rows = _lines(text)
    if columns is None:
        return False
    return headline is not None or (len(rows) > 0 and _width(columns, rows) is not None)


def _width(columns: Line, rows: list[Line], cols: int | None = None) -> tuple[int, int] | None:
    """Return the width of a cell in characters, and the position in a row at which the first cell
    begins. `cols` is the number of columns that the headline gives, or None if there is no
    headline. With `cols`, the width follows from the length of the first row. Without `cols`, the
    width follows from the column numbers: each number stands above the last character of its
    column. Return None if the width is not a whole number, or without `cols` not 1 to 4."""
    length = len(rows[0].text.lstrip().lstrip("0")) - 1  # behind the number 0 and a blank
    begin = len(rows[0].text) - length
    places = [(int(m.group()), m.end()) for m in re.finditer(r"\d+", columns.text)]
    if cols is not None:
        return (length // cols, begin) if cols and not length % cols else None
    if len(places) > 1 and places[1][0]:
        wide = (places[1][1] - places[0][1]) / places[1][0]
    else:
        wide = places[0][1] - begin
    if wide not in (1, 2, 3, 4) or length % wide:
        return None
    return int(wide), begin


def _read(text: Text) -> Contents:
    headline, columns, rows = _lines(text)
    if columns is None or (not rows and headline is None):
        raise text.expected("a printed board")
    size = (int(headline["rows"]), int(headline["cols"])) if headline else None
    if size is not None and len(rows) != size[0]:
        problem = f"the headline gives {plural(size[0], 'row')}, but {len(rows):,} are shown"
        raise text.error(columns.number, f"{problem}; give the whole board as printed")
    measured = _width(columns, rows, size[1] if size else None) if rows else None
    if measured is None:
        raise text.error(
            columns.number, "some columns are missing or not aligned; give the board as printed"
        )
    wide, begin = measured
    said = {} if headline is None else headline.groupdict()
    geometry = named_grid(text, columns.number, said.get("grid") or SQUARE.name)
    most = geometry.most
    grid = ((line.number, _row(text, line, begin, wide, most)) for line in rows)
    codes = read_rows(text, grid)
    if headline is None:
        return Contents(board=Board(codes))
    mines = None if headline["mines"] is None else int(headline["mines"])
    density, clues = headline["density"], headline["clues"]
    board = text.board(
        columns.number, codes, mines=mines, density=density, clues=clues, geometry=geometry
    )
    return Contents(board=board)


def _row(text: Text, line: Line, begin: int, wide: int, most: int) -> list[int]:
    return [_cell(text, line, place, wide, most) for place in range(begin, len(line.text), wide)]


def _cell(text: Text, line: Line, place: int, wide: int, most: int) -> int:
    """Return the code of the cell at the position `place` of a line. A cell has `wide` characters,
    and `most` is the largest clue of the grid. Raises BoardSyntaxError if the characters have no
    meaning, or if two digits may be a clue as well as a risk."""
    # `>` stands before the move.
    shown = line.text[place : place + wide].strip().removeprefix(">")
    if shown in _FIXED or (shown == "9" and most >= 9):
        return _FIXED.get(shown, 9)
    if re.fullmatch(r"\d\d", shown, re.ASCII) and int(shown) <= most:
        problem = f"{shown} may be a clue or a risk on this grid; give the board in another format"
        raise text.error(line.number, problem, place + 1)
    if re.fullmatch(r"\d{1,3}%|\d\d", shown, re.ASCII) or (
        len(shown) == 1 and shown in HIDDEN_MARKS
    ):
        return HIDDEN
    raise text.error(line.number, f"{quoted(shown)} has no meaning in a printed board", place + 1)


NOTATION = Notation(
    "printed",
    "what this program prints: numbered rows and columns; a hidden cell shows ok (proved safe), "
    "** (proved mine), a risk or ?",
    "    0  1  2\n0  ok  1  .\n1  **  1  .",
    read=_read,
    recognise=_recognise,
    heading=Heading("×", _HEADLINE.pattern + r"[^\S\n]*$"),
)
