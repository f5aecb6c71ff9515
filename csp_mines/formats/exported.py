"""Files that `csp-mines export` wrote, alone or followed by the answer of a solver.

One comment at the top of every export is the heading: the board as a line, and the assumptions if
there are any. An export alone is read as this board. An export that is followed by the `v` lines of
a solver is read as a layout. The hidden cells, row by row, are the variables 1, 2, … of DIMACS and
x1, x2, … of OPB:

    c csp-mines board b1_1x3_H1H assuming 0,0=safe
    s SATISFIABLE
    v -1 2 0
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from csp_mines.board import HIDDEN, Board, Cell, known_mines
from csp_mines.errors import BoardError
from csp_mines.formats import line
from csp_mines.formats.notation import Contents, Heading, Notation, Text, quoted
from csp_mines.geometry import cells_at
from csp_mines.layout import Layout, layout_on
from csp_mines.words import cut, plural, typed_cell

_MARK = "csp-mines board"
_HEADING = rf"(?:[c*%;\\] )?{_MARK} (?P<board>b\d+_\S+)(?: assuming (?P<assumed>[^\n]*))?"
_ASSUMED = re.compile(r"(\d{1,9}),(\d{1,9})=(mine|safe)")
_VALUES = re.compile(r"^v\b([^\n]*)", re.MULTILINE)
_UNSATISFIABLE = re.compile(r"^s UNSAT", re.MULTILINE)
_LITERAL = re.compile(r"([+-]?)(?:x)?(\d{1,9})")


def board_comment(board: Board, assumed: Mapping[Cell, str]) -> str:
    """Return the heading of an export, without the comment sign: the board that is exported, and
    what is assumed about its cells."""
    told = " ".join(f"{typed_cell(cell)}={what}" for cell, what in assumed.items())
    return f"{_MARK} {board.to_line()}" + (f" assuming {told}" if told else "")


def is_answer(text: str) -> bool:
    """Return whether the text has `v` lines, which give values to variables, or a line such as
    `s UNSATISFIABLE`."""
    return _VALUES.search(text) is not None or _UNSATISFIABLE.search(text) is not None


def heading_of(export: str, source: str) -> str:
    """Return the heading of an export. Raises BoardError if the text has none."""
    return _found(Text.of(export, source))[0]


def _heading(text: Text) -> re.Match[str] | None:
    return re.search(rf"^{_HEADING}", text.text, re.MULTILINE) if _MARK in text.text else None


def _found(text: Text) -> re.Match[str]:
    """Return the match of the heading. Raises BoardError if the text has none."""
    match = _heading(text)
    if match is None:
        raise BoardError(
            f"{text.source}: expected a comment '{_MARK} …', which csp-mines export writes, not "
            f"{quoted(text.first_line())}; to read a solver's answer, put the exported file before "
            "the answer, or name the exported file with --export"
        )
    return match


def _read(text: Text) -> Contents:
    match = _found(text)
    number = text.line_number(match.start())
    try:
        board = line.NOTATION.read(Text(match["board"], text.source)).board
    except BoardError as error:
        raise text.error(number, f"the board of the export cannot be read: {error}") from None
    assert board is not None
    if _UNSATISFIABLE.search(text.text, match.end()):
        assumed = f" with the assumptions {cut(match['assumed'])}" if match["assumed"] else ""
        raise BoardError(
            f"{text.source}: the solver says UNSATISFIABLE: no layout fits the board{assumed}"
        )
    if _VALUES.search(text.text, match.end()) is None:
        return Contents(board=board)
    layout = _layout(text, board, match.end())
    _check_assumed(text, number, layout, (match["assumed"] or "").split())
    return Contents(layout=layout)


def _layout(text: Text, board: Board, start: int) -> Layout:
    """Return the layout that the `v` lines after the position `start` give. Raises BoardError if a
    word of these lines is not a variable, if a variable has two different values, if a hidden cell
    has no value, or if the layout does not fit the board."""
    cells = np.flatnonzero(board.codes == HIDDEN)
    values: dict[int, bool] = {}
    for match in _VALUES.finditer(text.text, start):
        for word in match[1].split():
            literal = _LITERAL.fullmatch(word)
            if literal is None:
                what = f"expected a variable such as -3 or x3, not {quoted(word)}"
                raise text.error_at(match.start(), what)
            variable, mine = int(literal[2]), literal[1] != "-"
            if values.setdefault(variable, mine) != mine:
                raise text.error_at(match.start(), f"variable {variable} has two values")
    missing = next((each for each in range(1, len(cells) + 1) if each not in values), None)
    if missing is not None:
        cell = board.geometry.label(divmod(int(cells[missing - 1]), board.cols))
        problem = f"the v lines give no value to variable {missing}, cell {cell}"
        raise BoardError(f"{text.source}: {problem}")
    mines = known_mines(board.codes)
    mines.ravel()[cells] = [values[number] for number in range(1, len(cells) + 1)]
    layout = layout_on(board, mines)
    _check(text, board, layout)
    return layout


def _check(text: Text, board: Board, layout: Layout) -> None:
    """Raise BoardError if the layout does not fit the board, for example because the `v` lines
    answer another export."""
    what = f"{text.source}: the v lines are not a layout of the exported board"
    for cell in cells_at(board.codes >= 0):
        shown, around = board[cell], layout.number(cell)
        low, high = board.clues.bounds(shown, board.geometry.most)
        if not low <= around <= high:
            mines, label = plural(around, "mine"), board.geometry.label(cell)
            raise BoardError(f"{what}: cell {label} shows {shown}, but has {mines} around it")
    if board.mines is not None and layout.count != board.mines:
        mines = plural(board.mines, "mine")
        raise BoardError(f"{what}: the board has {mines}, but the layout has {layout.count}")


def _check_assumed(text: Text, number: int, layout: Layout, assumed: Sequence[str]) -> None:
    """Raise BoardError if the layout breaks an assumption of the export, or if an assumption cannot
    be read. `assumed` has the assumptions, and `number` is the number of the line with them."""
    for word in assumed:
        match = _ASSUMED.fullmatch(word)
        cell = (int(match[1]), int(match[2])) if match else (-1, -1)
        rows, cols = layout.shape
        if match is None or cell[0] >= rows or cell[1] >= cols:
            expected = "an assumption such as 3,4=mine about a cell of the board"
            raise text.expected(expected, word, number)
        if layout.mines[cell] != (match[3] == "mine"):
            is_mine = "is a mine" if layout.mines[cell] else "is safe"
            raise BoardError(
                f"{text.source}: the v lines are not a layout of the export: the export assumes "
                f"{word}, but cell {typed_cell(cell)} {is_mine}"
            )


def _recognise(text: Text) -> bool:
    if _MARK in text.text:
        return _heading(text) is not None
    return re.search(r"^s (?:UN)?SATISFIABLE$", text.text, re.MULTILINE) is not None


NOTATION = Notation(
    "exported",
    "a file that csp-mines export wrote (a board), or that file followed by the v lines of a DIMACS"
    " or OPB solver (a layout)",
    "c csp-mines board b1_1x3_H1H",
    read=_read,
    recognise=_recognise,
    heading=Heading(_MARK, _HEADING),
)
