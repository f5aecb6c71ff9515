"""Arrays as programs print them: JSON, Python lists and tuples, numpy, and rows as strings.

JSON objects such as csp-mines prints are read, too. The field `board` or `layout` has the rows. The
fields `mines`, `density`, `clues` and `grid` are the header of a board; of a layout, only `grid` is
used."""

from __future__ import annotations

import json
import re
from typing import Any

from csp_mines.board import Board, Codes
from csp_mines.clues import EXACT
from csp_mines.formats import canonical, stars
from csp_mines.formats.grid_header import named_grid
from csp_mines.formats.grids import read_rows
from csp_mines.formats.json_text import from_json
from csp_mines.formats.letters import choose
from csp_mines.formats.notation import Contents, Notation, Text, quoted
from csp_mines.formats.words import read_words
from csp_mines.geometry import SQUARE, Geometry
from csp_mines.layout import Layout

# _BEFORE matches the text that may come before the brackets: comments, assignments of numbers,
# `name =`, the head of a Prolog fact, `np.array(`. _BEHIND matches what may follow the array.
_NAMED = r"[A-Za-z_]\w{0,99}\s*=\s*-?\d{1,9}[;,]?[^\S\n]*(?:#[^\n]*)?"
_LINES = rf"(?:[^\S\n]*(?:(?:#|%|//)[^\n]*|{_NAMED})?\n)*"
_NAME = r"\s*(?:[A-Za-z_]\w{0,99}\s*(?:=|\(\s*\w{1,99}\s*,)\s*)?"
_BEFORE = re.compile(_LINES + _NAME + r"(?:(?:np\.|numpy\.)?array\s*\(\s*)?")
_BEHIND = re.compile(r"[\s,;]*(?:dtype\s*=\s*[\w.'\"]{1,99})?[\s,;).]*")
_START = re.compile(_BEFORE.pattern + r"[\[(]\s*[\[(\"'\d-]")
_QUOTED = re.compile(r"\s*\"[^\"\n]{1,4000}\"\s*[,;]?\s*\Z")
_OPENING = re.compile(r"\s*[\[(][\s,;]*")
# What comes next inside an array: a row in brackets, a row in quotes, or the bracket at the end.
_ROW = re.compile(r"(?:[\[(]([^\[\]()]*)[\])]|\"([^\"\n]*)\"|'([^'\n]*)'|[\])])[\s,;]*")
_WORD = re.compile(r"\"([^\"\n]*)\"|'([^'\n]*)'|([^\s,;\"']+)")


def _recognise(text: Text) -> bool:
    head = text.text.lstrip()[:2_000]
    if _START.match(head) is not None or re.match(r"\{\s*\"\w+\"\s*:", head) is not None:
        return True
    return head.startswith('"') and all(_QUOTED.match(line.text) for line in text.lines())


def _is_whole(text: Text) -> bool:
    """Whether a line has a whole JSON object or a whole array of arrays, as in JSON lines."""
    return re.fullmatch(r"\s*(?:\{.*\}|\[\s*\[.*\]\s*\])\s*", text.text) is not None


def _read(text: Text) -> Contents:
    if text.text.lstrip().startswith("{"):
        return _read_object(text)
    if text.text.lstrip().startswith('"'):
        text = Text(f"[{text.text.strip()}]", text.source)
    match = _BEFORE.match(text.text)
    return read_array(text, match.end() if match else 0)


def read_array(text: Text, start: int, *, alone: bool = True) -> Contents:
    """Return the board or layout of the array that begins at the position `start`. Raises
    BoardSyntaxError if there is no array of rows, or if a cell cannot be read. With `alone`, text
    after the array is an error, too, except for the end of a Python expression, such as `)`."""
    if alone and (quick := _read_json(text, start)) is not None:
        return quick
    rows, strings = _parsed(text, start, alone=alone)
    if strings:
        lines = Text("\n".join(strings), text.source)
        return stars.NOTATION.read(lines) if stars.NOTATION.recognise(lines) else choose(lines)
    words = {word for _, row in rows for word in row}
    if words and words <= {"true", "True", "false", "False"}:
        mines = ((line, [word.lower() == "true" for word in row]) for line, row in rows)
        return Contents(layout=Layout(read_rows(text, mines) == 1))
    return read_words(text, lambda: iter(rows), hidden=("X",))


def _read_json(text: Text, start: int) -> Contents | None:
    """Read rows of numbers, strings and null with the JSON parser, which is ten times as fast as
    `_parsed`. Return None if the text from `start` to its end cannot be read in this way. The
    caller then uses `_parsed`, whose errors name the line."""
    if re.compile(r"[\[\]\d\s,\"?X\-nul]*").fullmatch(text.text, start) is None:
        return None
    try:
        rows = json.loads(text.text[start:])
        if not all(isinstance(row, list) for row in rows):
            return None
        names = {value: "null" if value is None else str(value) for value in set().union(*rows)}
        words = [(1, [names[value] for value in row]) for row in rows]
        return read_words(text, lambda: iter(words), hidden=("X",)) if words else None
    except (ValueError, TypeError, RecursionError):  # not JSON, or not an array of flat rows
        return None


def _parsed(
    text: Text, start: int, *, alone: bool
) -> tuple[list[tuple[int, list[str]]], list[str]]:
    """Return two lists: the rows in brackets, each as its line number and its words, and the rows
    in quotes, as strings. At most one of the lists has rows. Raises BoardSyntaxError if there is no
    whole array at `start`, if the array has rows of both kinds or, with `alone`, if other text
    follows the array."""
    rows: list[tuple[int, list[str]]] = []
    strings: list[str] = []
    words: dict[str, str] = {}  # equal words share one string object
    opening = _OPENING.match(text.text, start)
    place = start if opening is None else opening.end()
    line, counted = 1, 0
    while match := _ROW.match(text.text, place):
        line, counted = line + text.text.count("\n", counted, place), place
        place = match.end()
        if match[0][0] in "])":
            end = match.start() + 1
            if alone and not _BEHIND.fullmatch(text.text, end):
                rest = quoted(text.text[end:].strip())
                what = f"other text follows the array: {rest}"
                raise text.error(line, f"{what}; put a blank line between boards")
            return rows, strings
        if match[1] is None:
            strings.append(match[2] or match[3] or "")
        else:
            cells = ("".join(each) for each in _WORD.findall(match[1]))
            rows.append((line, [words.setdefault(cell, cell) for cell in cells]))
        if rows and strings:
            raise text.error(line, "the rows of an array must be all in brackets or all in quotes")
    shown = quoted(text.text[place:].split("\n")[0])
    expected = "expected a row in brackets or in quotes, or the bracket that ends the array"
    raise text.error_at(place, f"{expected}, not {shown}")


def _read_object(text: Text) -> Contents:
    try:
        said = from_json(text.text)
    except json.JSONDecodeError as error:
        raise text.error(error.lineno, f"invalid JSON: {error.msg}") from None
    key = next((key for key in ("board", "layout") if isinstance(said.get(key), list)), None)
    if key is None:
        raise text.error(1, "a JSON object needs a field 'board' or 'layout' with a list of rows")
    if "grid" in said or any("~" in str(row) for row in said[key]):
        return _read_grid(text, said, key)
    inner = _read(Text(json.dumps(said[key]), text.source))
    if key == "layout" or inner.board is None:
        return inner
    return Contents(board=_board(text, said, inner.board.codes, SQUARE), note=inner.note)


def _board(text: Text, said: dict[str, Any], codes: Codes, geometry: Geometry) -> Board:
    """Return the board with these codes. `said` is the JSON object, whose fields state the mines,
    the density and the clue model."""
    mines, density, clues = said.get("mines"), said.get("density"), said.get("clues") or EXACT.name
    return text.board(1, codes, mines=mines, density=density, clues=clues, geometry=geometry)


def _read_grid(text: Text, said: dict[str, Any], key: str) -> Contents:
    """Read the JSON object `said`, which has the field `grid` or has holes in its rows. The field
    `key` has the rows: those of a `board` in the canonical notation, those of a `layout` in the
    notation `layout`."""
    rows, grid = said[key], said.get("grid", SQUARE.name)
    if not all(isinstance(row, str) for row in rows) or not isinstance(grid, str):
        raise text.error(1, f"with a grid or holes, 'grid' and the rows of '{key}' must be strings")
    lines = Text("\n".join(rows), text.source)
    if key == "layout":
        return stars.NOTATION.read(Text(f"grid: {grid}\n{lines.text}", text.source))
    geometry = named_grid(text, 1, grid)
    codes = canonical.read_cells(lines, 0, geometry)
    return Contents(board=_board(text, said, codes, geometry))


NOTATION = Notation(
    "array",
    "JSON, Python and numpy arrays: -1, null, '?' or 'X' for hidden, 0-8 for clues, -2 for marked, "
    "-3 for an opened mine, -4 for safe; also, as in ms_toollib, 10 for hidden and 11 for marked; "
    "in a layout, true for a mine and false for a safe cell",
    "[[-1, -1, -2, 1], [1, 1, 2, 1]]",
    read=_read,
    recognise=_recognise,
    write=lambda board: json.dumps(board.codes.tolist()),
    write_layout=lambda layout, _: json.dumps(layout.mines.tolist()),
    one_line=_is_whole,
)
