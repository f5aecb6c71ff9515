"""The line: a board or a layout as one line of text that is safe in a URL and in a shell. The page
`docs/notation.md` has the grammar.

    b1_4x4_m3_He113H001H001H   a board:  size [prior] [clue model] [grid] runs of cells
    l1_9x9_f0-0_…              a layout: size [first cell] [grid] [holes] digits of five cells each
"""

from __future__ import annotations

import re
from array import array
from fractions import Fraction
from string import ascii_lowercase, ascii_uppercase

import numpy as np
import numpy.typing as npt

from csp_mines.board import CLEAR, EXPLODED, HIDDEN, HOLE, MARKED, Board, Cell
from csp_mines.clues import CLUE_MODELS, EXACT
from csp_mines.formats.grid_header import packed_grid, unpacked_grid
from csp_mines.formats.notation import Contents, Header, Notation, Text, quoted
from csp_mines.formats.runs import check_size, from_digits, number_of, runs, spelled, to_digits
from csp_mines.geometry import MOST_NEIGHBOURS, SQUARE, Geometry
from csp_mines.layout import Bools, Layout
from csp_mines.words import plural

_LETTERS = {HIDDEN: "H", MARKED: "M", EXPLODED: "X", CLEAR: "C", HOLE: "O"}
_LETTERS |= {n: str(n) if n < 10 else f"T{n}" for n in range(MOST_NEIGHBOURS + 1)}
_CODES = {letter: code for code, letter in _LETTERS.items()}
_TOLD = {"clues": "the clue model", "geometry": "the grid", "mines": "mines", "density": "density"}

# In a link, the line follows one of ? # = & / and is the last part of the link.
_FOUND = re.compile(r"(?:.*[?#=&/])?((?:b|l)(\d+)_[A-Za-z0-9_.-]*)", re.DOTALL)
_PART = re.compile(r"(\d{1,9})x(\d{1,9})")
_RUN = re.compile(r"([0-9HMXCO]|T[1-9][0-9])([a-z]*)")
_DIGIT_RUN = re.compile(r"([0-9a-v])([A-Z]*)")


def _write(board: Board) -> str:
    parts = [f"b1_{board.rows}x{board.cols}"]
    if board.mines is not None:
        parts.append(f"m{board.mines}")
    if board.density is not None:
        parts.append(f"d{board.density.numerator}-{board.density.denominator}")
    if board.clues is not EXACT:
        parts.append(board.clues.name)
    if board.geometry != SQUARE:
        parts.append(f"g{packed_grid(board.geometry)}")
    cells = "".join(_run(_LETTERS[code], times) for code, times in runs(board.codes.ravel()))
    return "_".join([*parts, cells])


def _write_layout(layout: Layout, first: Cell | None) -> str:
    rows, cols = layout.shape
    parts = [] if first is None else [f"f{first[0]}-{first[1]}"]
    if layout.geometry != SQUARE:
        parts.append(f"g{packed_grid(layout.geometry)}")
    if layout.holes is not None:
        parts.append(f"h{_digits(layout.holes)}")
    return "_".join([f"l1_{rows}x{cols}", *parts, _digits(layout.mines)])


def _digits(mask: Bools) -> str:
    """Write truth values, one for each cell, as digits. Each digit holds five values. A run of
    more than three equal digits is shortened."""
    digits = np.frombuffer(to_digits(mask.ravel(), 5).encode(), np.uint8)
    return "".join(_run(chr(digit), times, ascii_uppercase) for digit, times in runs(digits))


def _run(letter: str, times: int, digits: str = ascii_lowercase) -> str:
    """Write a letter `times` times. A run of up to three letters is written in full. A longer run
    is the letter and then `times`, spelled with `digits`."""
    return letter * times if times <= 3 else letter + spelled(times, digits)


def _read(text: Text) -> Contents:
    match = _FOUND.fullmatch(text.one_line())
    if match is None:
        raise text.expected("a line such as b1_… or l1_…")
    kind, version = match[1][0], match[2]
    if version != "1":
        raise text.error(1, f"unknown version {quoted(version)} of the line; known: 1")
    size, *parts = match[1].split("_")[1:]
    match = _PART.fullmatch(size)
    if match is None:
        raise text.expected("a size such as 16x30 after the version", size)
    rows, cols = map(int, match.groups())
    check_size(text, rows, cols)
    if not parts:
        raise text.error(1, "the line has no cells after its size")
    read = _read_board if kind == "b" else _read_layout
    return read(text, rows, cols, parts)


def _read_board(text: Text, rows: int, cols: int, parts: list[str]) -> Contents:
    *header, cells = parts
    said: Header = {}
    for part in header:
        entry = _header(text, part)
        for key in entry.keys() & said.keys():
            raise text.error(1, f"the line gives {_TOLD[key]} twice: {quoted(part)}")
        said.update(entry)
    values, counts = _runs(text, cells, _RUN, ascii_lowercase, rows * cols)
    codes = np.repeat(np.array([_CODES[value] for value in values], np.int8), counts)
    return Contents(board=text.board(1, codes.reshape(rows, cols), **said))


def _header(text: Text, part: str) -> Header:
    """Return what one part of a line says about its board: the number of mines, the density, the
    clue model or the grid. Raises BoardSyntaxError for any other part, for a density that divides
    by 0 and for an unknown grid."""
    if match := re.fullmatch(r"m(\d{1,9})", part, re.ASCII):
        return {"mines": int(match[1])}
    if match := re.fullmatch(r"d(\d{1,400})-(\d{1,400})", part, re.ASCII):
        if not int(match[2]):
            raise text.error(1, f"the density {quoted(part)} divides by 0")
        return {"density": Fraction(int(match[1]), int(match[2]))}
    if part in CLUE_MODELS:
        return {"clues": part}
    if part.startswith("g"):
        return {"geometry": unpacked_grid(text, part[1:])}
    models = ", ".join(CLUE_MODELS)
    expected = f"mines (m10), a density (d1-5), a clue model ({models}) or a grid (ghex)"
    raise text.expected(expected, part)


def _read_layout(text: Text, rows: int, cols: int, parts: list[str]) -> Contents:
    *header, cells = parts
    first: Cell | None = None
    holes: Bools | None = None
    geometry: Geometry = SQUARE
    for part in header:
        match = re.fullmatch(r"f(\d{1,9})-(\d{1,9})", part, re.ASCII)
        if match is not None and first is None:
            first = int(match[1]), int(match[2])
        elif part.startswith("g") and geometry is SQUARE:
            geometry = unpacked_grid(text, part[1:])
        elif part.startswith("h") and holes is None:
            holes = _mask(text, part[1:], rows, cols)
        else:
            expected = "a first cell (f0-3), a grid (ghex) or holes (h…), each once"
            raise text.expected(expected, part)
    with text.refusals(1):
        layout = Layout(_mask(text, cells, rows, cols), geometry=geometry, holes=holes)
        return Contents(layout=layout, first=None if first is None else layout.spec.require(first))


def _mask(text: Text, cells: str, rows: int, cols: int) -> Bools:
    """Return the truth values that `_digits` wrote as `cells`."""
    letters, counts = _runs(text, cells, _DIGIT_RUN, ascii_uppercase, -(-rows * cols // 5))
    digits = "".join(letter * count for letter, count in zip(letters, counts.tolist(), strict=True))
    return from_digits(text, digits, 5, rows, cols)


def _runs(
    text: Text, cells: str, pattern: re.Pattern[str], digits: str, wanted: int
) -> tuple[list[str], npt.NDArray[np.int64]]:
    """Return the letter and the count of every run. Raises BoardSyntaxError for a character that
    begins no run, for a count that is 0 or too large, and if the counts do not add up to `wanted`.
    So no caller makes a larger array than the size in the line needs."""
    unit = "cell" if pattern is _RUN else "digit"
    letters: list[str] = []
    counts = array("q")
    place = 0
    while place < len(cells):
        match = pattern.match(cells, place)
        if match is None:
            raise text.error(1, f"unexpected {quoted(cells[place])} in the {unit}s of the line")
        if len(match[2]) > 9:
            raise text.error(1, f"the count {quoted(match[2])} is too large")
        letters.append(match[1])
        counts.append(number_of(match[2], digits) if match[2] else 1)
        if not counts[-1]:
            raise text.error(
                1, f"the count {quoted(match[2])} in the line is 0; expected 1 or more"
            )
        place = match.end()
    if sum(counts) != wanted:
        problem = f"the line has {plural(sum(counts), unit)}, but its size needs {wanted:,}"
        raise text.error(1, problem)
    return letters, np.frombuffer(counts, np.int64)


def _recognise(text: Text) -> bool:
    match = _FOUND.fullmatch(text.one_line())
    return match is not None and re.match(r"[bl]\d+_\d+x\d+_", match[1]) is not None


NOTATION = Notation(
    "line",
    "one line for a board (b1_…), or for a layout and perhaps its first cell (l1_…), safe in URLs "
    "and shells",
    "b1_2x4_m3_HHM11121",
    read=_read,
    recognise=_recognise,
    write=_write,
    write_layout=_write_layout,
    keeps_clues=True,
    keeps_first=True,
    keeps_grid=True,
    one_line=_recognise,
)
