"""Boards as text: the canonical alphabet with header lines, and the formats of other programs.

Reading takes time linear in the text. Every syntax error says where it is and quotes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path

import numpy as np

from csp_mines.board import CLEAR, EXPLODED, HIDDEN, MARKED, MAX_CELLS, Board, Codes
from csp_mines.clues import CLUE_MODELS, EXACT
from csp_mines.errors import BoardError, BoardSyntaxError, UnknownName

__all__ = ["FORMATS", "SYMBOLS", "parse", "read", "write"]

Line = tuple[int, str]  # its number, from 1, and its text without the line end
Header = dict[str, str]


def parse(text: str, format: str | None = None, *, source: str = "<text>") -> Board:
    """The board that `text` shows. Without a format: canonical, unless the first line can only be
    another format's. Raises BoardSyntaxError, UnknownName."""
    chosen = _format(format) if format else _recognised(text)
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    lines = list(enumerate(text.split("\n"), 1))
    reader = _Reader(source)
    return chosen.read(reader, lines)


def read(path: str | PathLike[str], format: str | None = None) -> Board:
    """The board in the file at `path`. Raises BoardSyntaxError, OSError."""
    source = fspath(path)
    raw = Path(path).read_bytes()
    return parse(decode(raw, source), format, source=source)


def decode(raw: bytes, source: str) -> str:
    """Bytes as UTF-8 text. Raises BoardSyntaxError that names line and column."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        column = error.start - raw.rfind(b"\n", 0, error.start)
        raise BoardSyntaxError(
            f"byte 0x{raw[error.start]:02x} is not UTF-8 text", source=source, line=line,
            column=column,
        ) from None  # fmt: skip


def write(board: Board, format: str | None = None) -> str:
    """The board as text. Raises BoardError where the format cannot say it, UnknownName."""
    return _format(format or "canonical").write(board)


@dataclass(frozen=True)
class Format:
    """How one program writes boards."""

    name: str
    description: str
    read: Callable[[_Reader, list[Line]], Board]
    write: Callable[[Board], str]


@dataclass(frozen=True)
class Alphabet:
    """The letters of a format. `letters` reads, and writes where a code has more than one letter
    the first of them; `tokens` are separated by blanks and may be longer than one character."""

    letters: Mapping[str, int]
    separator: str = ""
    tokens: bool = False
    comment: str | None = None

    @cached_property
    def table(self) -> Codes:
        """The code of every Latin-1 character: `_BLANK` to skip, `_UNKNOWN` where it has none."""
        table = np.full(256, _UNKNOWN, np.int8)
        table[[ord(blank) for blank in " \t\v\f"]] = _BLANK
        for letter, code in self.letters.items():
            table[ord(letter)] = code
        return table

    def spelled(self, code: int) -> str:
        for letter, meaning in self.letters.items():
            if meaning == code:
                return letter
        name = "a cell that is safe without a clue" if code == CLEAR else "an opened mine"
        raise BoardError(f"this format has no letter for {name}")


@dataclass(frozen=True)
class _Reader:
    """Turns lines into codes and complains with the place."""

    source: str

    def error(self, line: int, problem: str, column: int | None = None) -> BoardSyntaxError:
        return BoardSyntaxError(problem, source=self.source, line=line, column=column)

    def grid(self, lines: Iterable[Line], alphabet: Alphabet) -> Codes:
        row_of = _token_row if alphabet.tokens else _letter_row
        rows: list[Codes] = []
        cells = 0
        last = 1
        for number, line in lines:
            last = number
            row = row_of(self, number, line, alphabet)
            if not len(row):
                continue
            if rows and len(row) != len(rows[0]):
                raise self.error(
                    number,
                    f"this row has {len(row)} cells, the first has {len(rows[0])}: {_quoted(line)}",
                )
            cells += len(row)
            if cells > MAX_CELLS:
                raise self.error(number, f"more than {MAX_CELLS:,} cells are too many")
            rows.append(row)
        if not rows:
            raise self.error(last, "no board here: not one row of cells")
        return np.vstack(rows)

    def number(self, line: int, key: str, value: str) -> int:
        if not re.fullmatch(r"[0-9]+", value):
            raise self.error(line, f"{key} must be a whole number, not {_quoted(value)}")
        if len(value) > 9:
            raise self.error(line, f"{key} is far too large: {_quoted(value)}")
        return int(value)

    def board(self, line: int, codes: object, **header: object) -> Board:
        """The board, with a complaint about its header given the header's line."""
        try:
            return Board(codes, **header)  # type: ignore[arg-type]
        except (BoardError, UnknownName) as error:
            raise self.error(line, str(error)) from None


_UNKNOWN, _BLANK = 127, 126


def _letter_row(reader: _Reader, number: int, line: str, alphabet: Alphabet) -> Codes:
    """One character a cell; blanks are skipped."""
    text = line.split(alphabet.comment, 1)[0] if alphabet.comment else line
    codes = alphabet.table[np.frombuffer(text.encode("latin-1", "replace"), np.uint8)]
    wrong = codes == _UNKNOWN
    if not text.isascii():
        wrong |= np.fromiter((ord(char) > 127 for char in text), bool, len(text))
    if wrong.any():
        column = int(wrong.argmax())
        raise _unknown(reader, number, column, text[column], line, alphabet)
    row: Codes = codes[codes != _BLANK]
    return row


def _token_row(reader: _Reader, number: int, line: str, alphabet: Alphabet) -> Codes:
    codes = []
    for token in re.finditer(r"[^\s,]+", line):
        code = alphabet.letters.get(token.group())
        if code is None:
            raise _unknown(reader, number, token.start(), token.group(), line, alphabet)
        codes.append(code)
    return np.array(codes, np.int8)


def _unknown(
    reader: _Reader, number: int, column: int, letter: str, line: str, alphabet: Alphabet
) -> BoardSyntaxError:
    known = " ".join(alphabet.letters)
    return reader.error(
        number,
        f"{_quoted(letter)} is no cell in {_quoted(line, column)}; cells are: {known}",
        column + 1,
    )


def _quoted(text: str, around: int = 0, width: int = 40) -> str:
    """`text` as a literal, cut to what lies around one position."""
    start = max(0, around - width // 2)
    cut = text[start : start + width]
    return repr(("…" if start else "") + cut + ("…" if start + width < len(text) else ""))


# --- the canonical format ---------------------------------------------------------------------

_DIGITS = {str(clue): clue for clue in range(9)}
_CANONICAL = Alphabet({"?": HIDDEN, **_DIGITS, "M": MARKED, "X": EXPLODED, "C": CLEAR}, comment=";")
SYMBOLS = {code: letter for letter, code in _CANONICAL.letters.items()}
_HEADERS = ("mines", "density", "clues")
_HEADER = re.compile(r"\s*([A-Za-z_]\w*)\s*:(.*)", re.DOTALL)


def _read_canonical(reader: _Reader, lines: list[Line]) -> Board:
    header: Header = {}
    where = dict.fromkeys(_HEADERS, 1)
    start = 0
    for start, (number, line) in enumerate(lines):  # noqa: B007
        text = line.split(";", 1)[0]
        match = _HEADER.fullmatch(text.rstrip())
        if match is None:
            if text.strip():
                break
            continue
        key, value = match[1].lower(), match[2].strip()
        _check_header(reader, number, line, key, value, header)
        header[key], where[key] = value, number
    codes = reader.grid(lines[start:] or [(len(lines) or 1, "")], _CANONICAL)
    return _canonical_board(reader, codes, header, where)


def _check_header(
    reader: _Reader, number: int, line: str, key: str, value: str, header: Header
) -> None:
    if key not in _HEADERS:
        known = ", ".join(_HEADERS)
        raise reader.error(number, f"unknown header {key!r} in {_quoted(line)}; known: {known}")
    if key in header:
        raise reader.error(number, f"a second {key!r} header: {_quoted(line)}")
    if not value:
        raise reader.error(number, f"the header {key!r} has no value: {_quoted(line)}")


def _canonical_board(
    reader: _Reader, codes: object, header: Header, where: Mapping[str, int]
) -> Board:
    clues = header.get("clues", EXACT.name)
    if clues not in CLUE_MODELS:
        known = ", ".join(CLUE_MODELS)
        raise reader.error(where["clues"], f"unknown clue model {_quoted(clues)}; known: {known}")
    mines = None
    if "mines" in header:
        mines = reader.number(where["mines"], "mines", header["mines"])
    line = where["density"] if "density" in header else where["mines"]
    return reader.board(line, codes, mines=mines, density=header.get("density"), clues=clues)


def _write_canonical(board: Board) -> str:
    header = ""
    if board.mines is not None:
        header += f"mines: {board.mines}\n"
    if board.density is not None:
        header += f"density: {_spelled_density(board)}\n"
    if board.clues is not EXACT:
        header += f"clues: {board.clues.name}\n"
    return header + _spelled(board, _CANONICAL)


def _spelled_density(board: Board) -> str:
    """A decimal when it says the density exactly, else the fraction."""
    density = board.density
    assert density is not None
    decimal = repr(float(density))
    return decimal if type(density)(decimal) == density else str(density)


def _spelled(board: Board, alphabet: Alphabet) -> str:
    """The grid, a line a row, without a line end after the last."""
    used = np.unique(board.codes).tolist()
    letters = {code: alphabet.spelled(code) for code in used}
    return "\n".join(
        alphabet.separator.join([letters[code] for code in row]) for row in board.codes.tolist()
    )


# --- the formats of other programs ------------------------------------------------------------


def _plain(name: str, description: str, alphabet: Alphabet) -> Format:
    """A format that is its grid and nothing else."""

    def reading(reader: _Reader, lines: list[Line]) -> Board:
        return Board(reader.grid(lines or [(1, "")], alphabet))

    return Format(name, description, reading, lambda board: _spelled(board, alphabet))


_CLUES_ONLY = {str(clue): clue for clue in range(1, 9)}
_MINE = Alphabet({"H": HIDDEN, **_DIGITS, "F": MARKED, "?": EXPLODED})
_MINE_HEADER = re.compile(r"\s*(\d{1,9})x(\d{1,9})x(\d{1,9})\s*")


def _read_mine(reader: _Reader, lines: list[Line]) -> Board:
    first = lines[0][1] if lines else ""
    match = _MINE_HEADER.fullmatch(first)
    if match is None:
        raise reader.error(1, f"the first line must be WIDTHxHEIGHTxMINES, not {_quoted(first)}")
    width, height, mines = map(int, match.groups())
    codes = reader.grid(lines[1:] or [(1, "")], _MINE)
    if codes.shape != (height, width):
        raise reader.error(
            1, f"the header says {width}x{height}, the grid is {codes.shape[1]}x{codes.shape[0]}"
        )
    return reader.board(1, codes, mines=mines)


def _write_mine(board: Board) -> str:
    if board.mines is None:
        raise BoardError("the format 'mine' needs the number of mines")
    return f"{board.cols}x{board.rows}x{board.mines}\n" + _spelled(board, _MINE)


_TOOLLIB_HEADER = "# MINESWEEPER-BOARD v0.1"
_TOOLLIB = Alphabet({"U": HIDDEN, "?": HIDDEN, **_DIGITS, "F": MARKED, "X": EXPLODED, "@": EXPLODED, "#": CLEAR})  # fmt: skip  # noqa: E501


def _read_toollib(reader: _Reader, lines: list[Line]) -> Board:
    first = lines[0][1].strip() if lines else ""
    if first != _TOOLLIB_HEADER:
        raise reader.error(1, f"the first line must be {_TOOLLIB_HEADER!r}, not {_quoted(first)}")
    keys: dict[str, Line] = {}
    sections: dict[str, list[Line]] = {}
    section: list[Line] | None = None
    for number, line in lines[1:]:
        text = line.strip()
        if match := re.fullmatch(r"\[(\w+)\]", text):
            section = sections.setdefault(match[1], [])
        elif section is not None:
            section.append((number, line))
        elif text and not text.startswith("#"):
            key, _, value = text.partition(":")
            keys[key.strip()] = (number, value.strip())
    if "view" not in sections:
        raise reader.error(
            len(lines), "no [view] section: this file does not say what a player sees"
        )
    codes = reader.grid(sections["view"] or [(len(lines), "")], _TOOLLIB)
    return _toollib_board(reader, codes, keys)


def _toollib_board(reader: _Reader, codes: Codes, keys: Mapping[str, Line]) -> Board:
    for key, seen in (("rows", codes.shape[0]), ("columns", codes.shape[1])):
        if key in keys:
            number, value = keys[key]
            if reader.number(number, key, value) != seen:
                raise reader.error(number, f"{key} is {value}, the grid has {seen}")
    if "mines" not in keys:
        return Board(codes)
    number, value = keys["mines"]
    return reader.board(number, codes, mines=reader.number(number, "mines", value))


def _write_toollib(board: Board) -> str:
    head = [_TOOLLIB_HEADER, "# Render: ascii", "", f"rows: {board.rows}", f"columns: {board.cols}"]
    if board.mines is not None:
        head.append(f"mines: {board.mines}")
    return "\n".join([*head, "game_mode: classic", "", "[view]", _spelled(board, _TOOLLIB)])


FORMATS: dict[str, Format] = {
    fmt.name: fmt
    for fmt in (
        Format("canonical", "? 0-8 M X C, headers mines: density: clues:, comments after ;",
               _read_canonical, _write_canonical),
        _plain("minesweepr", ". for 0, 1-8, * mine, x hidden",
               Alphabet({"x": HIDDEN, ".": 0, **_CLUES_ONLY, "*": MARKED})),
        _plain("zig", "tokens: # hidden, . or number, * mine",
               Alphabet({"#": HIDDEN, ".": 0, **_DIGITS, "*": MARKED}, " ", tokens=True)),
        Format("mine", "first line WxHxM; H hidden, F flag, ? opened mine, 0-8",
               _read_mine, _write_mine),
        _plain("sgt", "- for 0, digits, * mine, ? hidden",
               Alphabet({"?": HIDDEN, "-": 0, **_CLUES_ONLY, "*": MARKED})),
        _plain("madewokherd", "- hidden, m mine, digits",
               Alphabet({"-": HIDDEN, **_DIGITS, "m": MARKED})),
        Format("board", "ms_toollib: # MINESWEEPER-BOARD v0.1, keys, [view] with U 0-8 F ? X @ #",
               _read_toollib, _write_toollib),
        _plain("rutgers", "integers: -9 opened mine, -1 marked mine, 0-8, 9 hidden, 20 safe",
               Alphabet({"9": HIDDEN, **_DIGITS, "-1": MARKED, "-9": EXPLODED, "20": CLEAR}, " ",
                        tokens=True)),
    )
}  # fmt: skip


def _format(name: str) -> Format:
    try:
        return FORMATS[name]
    except KeyError:
        raise UnknownName("board format", name, list(FORMATS)) from None


def _recognised(text: str) -> Format:
    """Another format only by an unmistakable first line."""
    first = text[: text.find("\n")] if "\n" in text else text[:200]
    first = first.removeprefix("\ufeff").strip()
    if first == _TOOLLIB_HEADER:
        return FORMATS["board"]
    if _MINE_HEADER.fullmatch(first):
        return FORMATS["mine"]
    return FORMATS["canonical"]
