"""The canonical notation: header lines such as `mines: 10`, then rows of cells. Boards are written
in this notation unless the caller names another."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

from csp_mines.board import CLEAR, EXPLODED, HIDDEN, HOLE, MARKED, Board, Codes
from csp_mines.clues import CLUE_MODELS, EXACT
from csp_mines.formats.alphabet import DIGITS, Alphabet
from csp_mines.formats.grid_header import in_words, named_grid, worded
from csp_mines.formats.grids import read_grid
from csp_mines.formats.notation import Contents, Line, Notation, Text, quoted
from csp_mines.geometry import SQUARE, Geometry

ALPHABET = Alphabet(
    {"?": HIDDEN, **DIGITS, "M": MARKED, "X": EXPLODED, "C": CLEAR, "~": HOLE}, comment=";"
)
SYMBOLS = {code: letter for letter, code in ALPHABET.letters.items()}
HEADERS = ("mines", "density", "clues", "grid")

_HEADER = re.compile(r"([A-Za-z_]\w*)\s*:(.*)", re.DOTALL)
# The beginning of a header line. A link begins like a header, with `https:`, but is no header.
HEADER_LINE = re.compile(r"[A-Za-z_]\w*[^\S\n]*:(?!//)")
OUR_HEADER = re.compile(rf"\s*(?:{'|'.join(HEADERS)})\s*:", re.IGNORECASE)
_LAYOUT = re.compile(r"\s*grid\s*:[^\n]*\n[.~\s]*[*.][*.~\s]*", re.IGNORECASE)  # see `stars`


def _recognise(text: Text) -> bool:
    """Whether the text begins with a header or a comment, or is only rows of canonical letters with
    at least one hole. A layout with the header `grid:` is not recognised here, but in `stars`. Rows
    without a header and without holes are left to `letters`."""
    for line in text.lines():
        if line.text.lstrip().startswith(";") or OUR_HEADER.match(line.text) is not None:
            return _LAYOUT.fullmatch(text.text) is None
        return "~" in text.text and set(text.text.split()) != {"~"} and ALPHABET.reads(text.text)
    return False


def _read(text: Text) -> Contents:
    header: dict[str, tuple[int, str]] = {}
    start = len(text.text)
    for line in text.lines():
        bare = line.text.split(";", 1)[0].strip()
        if match := _HEADER.fullmatch(bare):
            _take_header(text, line, match[1].lower(), match[2].strip(), header)
        elif bare:
            start = line.start
            break
    number, grid = header.get("grid", (1, SQUARE.name))
    geometry = named_grid(text, number, grid)
    return Contents(board=_board(text, read_cells(text, start, geometry), geometry, header))


def read_cells(text: Text, start: int, geometry: Geometry) -> Codes:
    """Return the codes of the rows from the position `start` on. If clues of the grid `geometry`
    may have two digits, blanks separate the cells of a row, with one exception: if no row has a
    blank between letters, and some row is not the text of one cell, each letter is a cell. Raises
    BoardSyntaxError if the rows cannot be read."""
    if not in_words(geometry):
        return read_grid(text, worded(ALPHABET, geometry), start)
    alphabet = worded(ALPHABET, geometry)
    rows = [words for line in text.lines(start) if (words := line.text.split(";", 1)[0].split())]
    if all(len(words) == 1 for words in rows) and any(
        words[0] not in alphabet.letters for words in rows
    ):
        return read_grid(text, ALPHABET, start)
    # Blanks replace the comments, so `start` is the same place in `clean` as in `text`.
    clean = Text(text.without(r";[^\n]*"), text.source)
    return read_grid(clean, replace(alphabet, tokens=True), start)


def _take_header(
    text: Text, line: Line, key: str, value: str, header: dict[str, tuple[int, str]]
) -> None:
    if key not in HEADERS:
        known = ", ".join(HEADERS)
        problem = f"unknown header {quoted(key)} in {quoted(line.text)}; known: {known}"
        raise text.error(line.number, problem)
    if key in header:
        raise text.error(line.number, f"the header {key!r} appears twice: {quoted(line.text)}")
    if not value:
        raise text.error(line.number, f"the header {key!r} has no value: {quoted(line.text)}")
    header[key] = line.number, value


def _board(
    text: Text, codes: Codes, geometry: Geometry, header: dict[str, tuple[int, str]]
) -> Board:
    line, clues = header.get("clues", (1, EXACT.name))
    if clues not in CLUE_MODELS:
        known = ", ".join(CLUE_MODELS)
        raise text.error(line, f"unknown clue model {quoted(clues)}; known: {known}")
    mines = None
    if "mines" in header:
        mines = text.number(header["mines"][0], "mines", header["mines"][1])
    line, density = header.get("density", (header.get("mines", (1, ""))[0], None))
    if density is None and mines is None and "grid" in header:
        line = header["grid"][0]
    return text.board(line, codes, mines=mines, density=density, clues=clues, geometry=geometry)


def _write(board: Board) -> str:
    header = ""
    if board.mines is not None:
        header += f"mines: {board.mines}\n"
    if board.density is not None:
        header += f"density: {spelled_density(board.density)}\n"
    if board.geometry != SQUARE:
        header += f"grid: {board.geometry.spelled}\n"
    grid = worded(ALPHABET, board.geometry).grid(board)
    # A header shows that a text is canonical. So a board without any other header gets the header
    # `clues:` if its rows could be read in another notation.
    if board.clues is not EXACT or (not header and _mistakable(board, grid)):
        header += f"clues: {board.clues.name}\n"
    return header + grid


def _mistakable(board: Board, grid: str) -> bool:
    """Whether `grid`, the rows of a board without a header, could be read in another notation. If
    the board has no `?`, an X could mean a hidden cell, and a single row could be MBF text (see
    `mbf`). Two rows of digits at the top could be the size of the rows below them (see `textbook`).
    For a board with holes, the answer is always True."""
    if "~" in grid or ("?" not in grid and ("X" in grid or board.rows == 1)):
        return True
    first_rows = grid.split("\n", 2)[:2]
    if board.rows < 3 or board.cols > 7 or not all(map(str.isdigit, first_rows)):
        return False
    return sorted(map(int, first_rows)) == sorted((board.rows - 2, board.cols))


def spelled_density(density: Fraction) -> str:
    """Return the density as the decimal number of the nearest float, or as a fraction if this
    decimal number is not exactly the density."""
    decimal = repr(float(density))
    return decimal if Fraction(decimal) == density else str(density)


NOTATION = Notation(
    "canonical",
    "? hidden, 0-8, M marked mine, X opened mine, C safe without a clue, ~ hole; "
    "headers mines: density: clues: grid:, comments after ;",
    "mines: 3\n??M1\n1121",
    read=_read,
    recognise=_recognise,
    write=_write,
    keeps_clues=True,
    keeps_grid=True,
    alphabet=ALPHABET,
    bare=True,
)
