"""JSMinesweeper's links to a position: `?board=WxHxM&analysis=…`.

WxHxM is the width, the height and the number of mines. The text after `analysis=` is in base 62,
with the digits a–z, A–Z, 0–9. It begins with two digits for the width, two for the height and four
for the number of mines. Then come the cells, row by row, as runs of equal values. Each value that a
cell can have owns some of the 62 digits. A run of n cells is the number n, written in the digits
that the value owns. If the value owns only one digit, this digit is repeated n times. A clue is
stored as its number minus the number of flags and proved mines around it."""

from __future__ import annotations

import re
from itertools import groupby, islice

import numpy as np

from csp_mines.board import HIDDEN, MARKED, Board, Codes
from csp_mines.errors import BoardError
from csp_mines.formats.layout_link import query
from csp_mines.formats.notation import Contents, Notation, Text, quoted
from csp_mines.formats.runs import check_size, number_of, runs, spelled
from csp_mines.geometry import SQUARE, cells_at
from csp_mines.words import plural, typed_cell

PAGE = "https://davidnhill.github.io/JSMinesweeper/"

_DIGITS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
# Values of cells in a link, besides the clues 0 to 8 and `HIDDEN`. `_PROVED` is a hidden cell that
# is proved a mine. Each `_PROVED` and each `_FLAG` lowers the stored clues around it by 1. A
# `_LOOSE_FLAG` lowers no clue.
_PROVED, _FLAG, _LOOSE_FLAG = 9, 10, 11
# Each value, and how many digits it owns. In this order, the values get digits from `_DIGITS`.
_DEALT = (
    (0, 10), (1, 7), (2, 5), (3, 5), (4, 4), (5, 3), (6, 3), (7, 1), (8, 1),
    (_PROVED, 4), (HIDDEN, 10), (_FLAG, 8), (_LOOSE_FLAG, 1),
)  # fmt: skip


_DEAL = iter(_DIGITS)
_HANDS = {value: "".join(islice(_DEAL, size)) for value, size in _DEALT}  # the digits of each value
_OWNER = {digit: value for value, hand in _HANDS.items() for digit in hand}


def _recognise(text: Text) -> bool:
    line = text.one_line()
    return "analysis=" in line and "analysis" in query(line)


def _read(text: Text) -> Contents:
    said = query(text.one_line())
    packed = said.get("analysis")
    if packed is None:
        raise text.expected("a position link with ?analysis=…")
    if len(packed) < 9 or not set(packed) <= set(_DIGITS):
        expected = "at least 9 letters (a-z, A-Z) and digits after analysis="
        raise text.expected(expected, packed)
    width, height, mines = (number_of(packed[a:b], _DIGITS) for a, b in ((0, 2), (2, 4), (4, 8)))
    check_size(text, height, width)
    _check_header(text, said.get("board"), (width, height, mines))
    values = _cells(text, packed[8:], width * height).reshape(height, width)
    return Contents(board=text.board(1, _codes(text, values), mines=mines))


def _check_header(text: Text, header: str | None, size: tuple[int, int, int]) -> None:
    """Raise BoardSyntaxError if `header` contradicts `size`. `header` is the text after board= in
    the link, or None if the link has no board=. `size` is the width, the height and the number of
    mines that the text after analysis= gives."""
    if header is None:
        return
    match = re.fullmatch(r"(\d{1,9})x(\d{1,9})x(\d{1,9})", header, re.ASCII)
    if match is None or tuple(map(int, match.groups())) != size:
        inside = "x".join(map(str, size))
        raise text.error(1, f"the link has board={quoted(header)}, but analysis= says {inside}")


def _cells(text: Text, packed: str, wanted: int) -> Codes:
    """Return the value of every cell, row by row. `packed` is the runs of the link. Raises
    BoardSyntaxError if the runs do not have exactly `wanted` cells."""
    values: list[int] = []
    counts: list[int] = []
    total = 0
    for value, digits in groupby(packed, _OWNER.__getitem__):
        run, hand = "".join(digits), _HANDS[value]
        times = len(run) if len(hand) == 1 else number_of(run, hand)
        total += times
        if total > wanted or len(run) > wanted:
            size = plural(wanted, "cell")
            raise text.error(1, f"the position has more cells than its size allows ({size})")
        values.append(value)
        counts.append(times)
    if total != wanted:
        raise text.error(1, f"the position has only {total:,} of its {plural(wanted, 'cell')}")
    return np.repeat(np.array(values, np.int8), counts)


def _codes(text: Text, values: Codes) -> Codes:
    """Return the codes of a board from the values of a link. Raises BoardSyntaxError if a clue
    would be greater than 8."""
    around = SQUARE.count((values == _FLAG) | (values == _PROVED))
    clue = (values >= 0) & (values <= 8)
    codes = np.where(clue, values + around, HIDDEN).astype(np.int8)
    if (codes > 8).any():
        cell = cells_at(codes > 8)[0]
        raise text.error(1, f"cell {typed_cell(cell)} would show {codes[cell]}, expected 0 to 8")
    codes[(values == _FLAG) | (values == _LOOSE_FLAG)] = MARKED
    return codes


def _write(board: Board) -> str:
    if board.mines is None:
        raise BoardError("a position link needs the number of mines; the board does not say it")
    if max(board.rows, board.cols) >= 62**2 or board.mines >= 62**4:
        most = f"a position link can have at most {62**2 - 1:,} rows and {62**2 - 1:,} columns"
        raise BoardError(f"{most}, not {board.rows:,}×{board.cols:,}")
    if (board.codes < MARKED).any():
        raise BoardError("a position link can only have hidden cells, clues and marks")
    values = board.codes.copy()
    values[board.codes == MARKED] = _FLAG
    clue = board.codes >= 0
    values[clue] -= SQUARE.count(board.codes == MARKED)[clue]
    if (values[clue] < 0).any():
        raise BoardError(
            "a position link cannot have a clue with more marks around it than the clue shows"
        )
    sizes = (board.cols, 2), (board.rows, 2), (board.mines, 4)
    head = "".join(spelled(number, _DIGITS, width) for number, width in sizes)
    cells = "".join(_run(value, times) for value, times in runs(values.ravel()))
    size = f"{board.cols}x{board.rows}x{board.mines}"
    return f"{PAGE}?board={size}&analysis={head}{cells}"


def _run(value: int, times: int) -> str:
    hand = _HANDS[value]
    return hand * times if len(hand) == 1 else spelled(times, hand)


NOTATION = Notation(
    "position-link",
    "JSMinesweeper's link to a position: ?board=WxHxM&analysis=…",
    f"{PAGE}?board=30x16x99&analysis=aEaqaabLT0SsSZZ",
    read=_read,
    recognise=_recognise,
    write=_write,
    one_line=_recognise,
)
