"""`parse` and `write` for all notations; `parse` recognises the notation of a text or of bytes.

The size of the input is checked before anything is built from it. If the caller names no format,
the notation that recognises the text reads it. If no notation recognises the text, the forgiving
reader (see `letters`) reads it. An error about a line names the formats that could read this
line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from io import BytesIO
from os import PathLike, fspath
from pathlib import Path
from typing import BinaryIO

import numpy as np

from csp_mines.arguments import path_name, wrong
from csp_mines.arguments import text as checked_text
from csp_mines.board import HIDDEN, HOLE, Board, Cell, known_mines
from csp_mines.clues import EXACT
from csp_mines.errors import BoardError, BoardSyntaxError, FileError
from csp_mines.formats import letters
from csp_mines.formats.alphabet import fits_locally
from csp_mines.formats.meanings import MEANINGS
from csp_mines.formats.notation import Contents, Notation, Text
from csp_mines.formats.parts import TRIED, boards_in
from csp_mines.formats.registry import all_notations, notation
from csp_mines.formats.replay import Replay
from csp_mines.geometry import SQUARE, Geometry
from csp_mines.layout import Layout
from csp_mines.names import listed
from csp_mines.words import plural

MAX_BYTES = 64_000_000  # enough for the largest board with a comma and a blank after each cell
_GZIP = b"\x1f\x8b"


def parse(data: str | bytes, format: str | None = None, *, source: str = "<text>") -> Board:
    """Read a board from text or from the bytes of a file. Raises BoardError if the data is not one
    board, UnknownName for an unknown format."""
    return board_of(interpret(data, format, source=source), source)


def write(board: Board, format: str | None = None) -> str:
    """Write a board as text. Raises BoardError if the format cannot express it, and UnknownName for
    an unknown format."""
    chosen = notation("canonical" if format is None else format)
    if chosen.write is None:
        raise BoardError(f"the format {chosen.name!r} cannot write boards")
    if board.clues is not EXACT and not chosen.keeps_clues:
        raise BoardError(
            f"the format {chosen.name!r} can only write exact clues, not {board.clues.name}"
        )
    _require_grid(chosen, "write", board.geometry, board.has_holes)
    return chosen.write(board)


def _require_grid(chosen: Notation, writes: str, geometry: Geometry, holes: bool) -> None:
    """Raise BoardError if the notation `chosen` cannot express the grid, or if `holes` is True and
    `chosen` cannot express holes. The message names the notations that can express all grids and
    holes. `writes` is the method that they must have: `write` or `write_layout`."""
    if chosen.keeps_grid or (geometry == SQUARE and not holes):
        return
    what = "a board with holes" if geometry == SQUARE else f"the grid {geometry.name!r}"
    others = all_notations().values()
    able = listed(each.name for each in others if each.keeps_grid and getattr(each, writes))
    raise BoardError(f"the format {chosen.name!r} cannot express {what}; use {able}")


def parse_layout(data: str | bytes, format: str | None = None, *, source: str = "<text>") -> Layout:
    """Read a layout from text or from the bytes of a file. Raises BoardError if the data is not one
    layout, UnknownName for an unknown format."""
    return layout_of(interpret(data, format, source=source, layout=True), data, source)


def write_layout(layout: Layout, format: str | None = None, first: Cell | None = None) -> str:
    """Write a layout as text. If `first` is given, write it as the first cell of the layout. Raises
    BoardError if the format cannot express this, and UnknownName for an unknown format."""
    chosen = notation("layout" if format is None else format)
    if chosen.write_layout is None:
        raise BoardError(f"the format {chosen.name!r} cannot write layouts")
    _require_grid(chosen, "write_layout", layout.geometry, layout.holes is not None)
    if first is None:
        return chosen.write_layout(layout, None)
    if not chosen.keeps_first:
        raise BoardError(f"the format {chosen.name!r} has no place for a first cell")
    return chosen.write_layout(layout, layout.spec.require(first))


def encode_layout(layout: Layout, format: str) -> bytes:
    """Return the bytes of a layout file. Raises BoardError if the format cannot express the layout,
    UnknownName for an unknown format."""
    chosen = notation(format)
    if chosen.write_bytes is None:
        return write_layout(layout, format).encode()
    _require_grid(chosen, "write_layout", layout.geometry, layout.holes is not None)
    return chosen.write_bytes(layout)


def load(path: str | PathLike[str] | BinaryIO) -> bytes:
    """Return the bytes of a file or stream, unpacked if gzipped. Raises FileError if the file
    cannot be read, BoardError if the file is larger than MAX_BYTES or has damaged gzip data."""
    if hasattr(path, "read"):
        return _unpacked(path.read(MAX_BYTES + 1), "<stdin>")
    name = fspath(path_name(path))
    try:
        with Path(name).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # a missing file; a name with NUL
        raise FileError.of(name, error) from None
    return _unpacked(data, name)


def is_picture(data: bytes) -> bool:
    """Whether bytes begin as a PNG, JPEG, WebP or BMP file does."""
    if data.startswith((b"\x89PNG\r\n", b"\xff\xd8\xff")):
        return True
    if data.startswith(b"BM"):
        return data[6:10] == bytes(4) and len(data) > 26
    return data.startswith(b"RIFF") and data[8:12] == b"WEBP"


def _unpacked(data: bytes, source: str | bytes) -> bytes:
    """Return the data, unpacked if gzipped. Raises BoardError if the data is damaged or larger than
    MAX_BYTES."""
    name = source if isinstance(source, str) else source.decode(errors="replace")
    if data.startswith(_GZIP):
        import gzip
        import zlib

        try:
            with gzip.GzipFile(fileobj=BytesIO(data)) as packed:
                data = packed.read(MAX_BYTES + 1)
        except (OSError, EOFError, zlib.error):
            raise BoardError(f"{name}: damaged gzip data") from None
    if len(data) > MAX_BYTES:
        raise BoardError(f"{name}: a board file may have at most {MAX_BYTES // 1_000_000} MB")
    return data


def interpret(
    data: str | bytes, format: str | None = None, *, source: str = "<text>", layout: bool = False
) -> Contents:
    """Read one board or layout from text or from the bytes of a file. With `layout`, a text that
    may be a board or a layout is read as a layout. Raises BoardError if the data is not exactly one
    board or layout, UnknownName for an unknown format."""
    first, *others = split(data, format, source=source)
    if others:
        problem = f"expected one board, got {len(others) + 1:,}: the second begins here"
        raise BoardSyntaxError(problem, source=source, line=others[0].lines_before + 1)
    return first.contents(layout=layout)


def split(data: str | bytes, format: str | None = None, *, source: str = "<text>") -> list[Part]:
    """Split a text or a file into parts, one for each board. There is at least one part.

    `part.contents()` reads one board, so an error in one board does not affect the others. Raises
    the error of the first board if none of the first 100 can be read, BoardSyntaxError if it is
    unclear where a board ends, UnknownName for an unknown format."""
    chosen = None if format is None else notation(format)
    checked_text(source, "source")
    if not isinstance(data, (str, bytes)):
        raise wrong("text", "a string", data)
    if isinstance(data, bytes):
        if _binary(data, source, chosen) is not None:
            return [Part(data, source, chosen)]
        data = _decoded(data, source)
    text = Text.of(data, source)
    _refuse_halves(text)
    spans = boards_in(text, chosen)
    parts: list[Part] = []
    place = lines = 0
    for number, span in enumerate(spans, 1):
        lines, place = lines + text.text.count("\n", place, span.start), span.start
        piece = text.text[span.start : span.end]
        parts.append(Part(piece, source, chosen, number if len(spans) > 1 else None, lines))
    if len(parts) > 1 and not any(part.is_readable for part in parts[:TRIED]):
        parts[0].contents()  # no part can be read, so this raises the first error
    return parts


@dataclass(frozen=True)
class Part:
    """A board or a layout of a text or a file, not read yet. `number` counts the parts of one text
    from 1; it is None if there is only one part. `lines_before` is the number of lines above this
    part in the text."""

    data: str | bytes
    source: str
    chosen: Notation | None = None
    number: int | None = None
    lines_before: int = 0

    @property
    def name(self) -> str:
        """The name of this part in messages, such as `boards.txt: board 2`."""
        return self.source if self.number is None else f"{self.source}: board {self.number}"

    @property
    def is_readable(self) -> bool:
        """Whether this part can be read as a board or a layout."""
        for layout in (False, True):
            with suppress(BoardError):
                self.contents(layout=layout)
                return True
        return False

    def contents(self, *, layout: bool = False) -> Contents:
        """Read this part. Raises BoardError if it is not a board or a layout."""
        with self._placed():
            if isinstance(self.data, str):
                text = Text(self.data, self.name)
                try:
                    return _read_text(text, self.chosen, layout=layout)
                except BoardSyntaxError as error:
                    raise _with_hint(error, text, self.chosen) from None
            binary = _binary(self.data, self.source, self.chosen)
            assert binary is not None
            assert binary.read_bytes is not None
            return replace(binary.read_bytes(self.data, self.name), notation=binary.name)

    def board(self) -> Board:
        """Read the board of this part. Raises BoardError if it is not a board."""
        return board_of(self.contents(), self.name)

    def layout(self, contents: Contents | None = None) -> Layout:
        """Return the layout of this part. A caller that has already read the contents can pass
        them. Raises BoardError if the part is not a layout."""
        contents = self.contents(layout=True) if contents is None else contents
        with self._placed():
            return layout_of(contents, self.data, self.name)

    @contextmanager
    def _placed(self) -> Iterator[None]:
        """In the body of the `with` statement, make syntax errors count lines from the beginning of
        the whole text, and name the number of this part."""
        try:
            yield
        except BoardSyntaxError as error:
            number = "" if self.number is None else f"board {self.number}: "
            raise BoardSyntaxError(
                f"{number}{error.problem}",
                source=self.source,
                line=self.lines_before + error.line,
                column=error.column,
            ) from None


def _refuse_halves(text: Text) -> None:
    """Raise BoardSyntaxError if the text has half a surrogate pair. Python uses such halves for
    bytes that are not text, and no encoding can write them."""
    half = None if text.text.isascii() else re.search("[\ud800-\udfff]", text.text)
    if half is not None:
        raise text.error_at(
            half.start(), f"{half.group()!a} is not a character; write the text in UTF-8"
        )


def _binary(data: bytes, source: str, chosen: Notation | None) -> Notation | None:
    """Return the notation of a binary file: `chosen`, or if this is None, the notation to which the
    first bytes or the suffix of the file belong. Return None if the file is text."""
    name = source.lower().removesuffix(".gz")
    notation = chosen
    for candidate in all_notations().values() if chosen is None else ():
        by_magic = candidate.magic is not None and data.startswith(candidate.magic)
        if by_magic or (candidate.suffix is not None and name.endswith(candidate.suffix)):
            notation = candidate
            break
    if notation is None or notation.read_bytes is None or _is_hex(notation, data):
        return None
    return notation


def _is_hex(notation: Notation, data: bytes) -> bool:
    """Whether the notation is MBF, but the file is a text: the bytes of MBF in hex digits."""
    return notation.name == "mbf" and notation.recognise(Text(data.decode("latin-1").strip()))


def _decoded(raw: bytes, source: str) -> str:
    """Return the text that the bytes encode in UTF-8. Raises BoardSyntaxError, with line and
    column, if they are not UTF-8."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        column = error.start - raw.rfind(b"\n", 0, error.start)
        raise BoardSyntaxError(
            f"byte 0x{raw[error.start]:02x} is not UTF-8 text", source=source, line=line,
            column=column,
        ) from None  # fmt: skip


def _read_text(text: Text, chosen: Notation | None, *, layout: bool) -> Contents:
    """Read a text in the notation `chosen`. If this is None, a notation that recognises the text
    reads it. If no notation recognises the text, the forgiving reader reads it."""
    if chosen is not None:
        contents: Contents | None = replace(chosen.read(text), notation=chosen.name)
    else:
        contents = _recognised(text)
    if contents is None:
        contents = letters.choose(text, layout=layout)
        contents = replace(contents, notation="letters" if contents.note else "canonical")
    if not layout and contents.board is not None and not contents.note:
        contents = replace(contents, note=_doubt(text, contents))
    return contents


def _recognised(text: Text) -> Contents | None:
    """Read the text with every notation that recognises it, and return its contents. Return None if
    no notation recognises the text. Raises BoardSyntaxError if every notation that recognises the
    text fails to read it, or if two notations read it differently."""
    claiming = [candidate for candidate in all_notations().values() if candidate.recognise(text)]
    readings: dict[str, Contents] = {}
    for candidate in claiming:
        try:
            readings[candidate.name] = candidate.read(text)
        except BoardSyntaxError:
            if len(claiming) == 1:
                raise
    if claiming and not readings:
        claiming[0].read(text)
    different = {(reading.board, reading.layout, reading.first) for reading in readings.values()}
    if len(different) > 1:
        raise text.error(1, f"this can be read as {' and as '.join(readings)}; name the format")
    for name, contents in readings.items():
        return replace(contents, notation=name)
    return None


def _doubt(text: Text, contents: Contents) -> str:
    """If a clue of the board cannot be true, but the text makes sense in other formats, return a
    note that names these formats. Otherwise return an empty text."""
    board = contents.board
    assert board is not None
    if board.clues.name != "exact" or board.codes.size > 100_000 or fits_locally(board.codes):
        return ""
    others = [name for name in _other_readings(text) if name != contents.notation]
    if not others:
        return ""
    return f"a clue cannot be true in this reading; the text makes sense as {', '.join(others)}"


def _other_readings(text: Text) -> list[str]:
    """Return the names of the formats in which the text is a board whose clues do not contradict
    the cells around them."""
    lines = [
        line.text for line in text.lines() if ":" not in line.text and not line.text.startswith(";")
    ]
    grid = Text("\n".join(lines), text.source)
    names = []
    for candidate in all_notations().values():
        if candidate.write is not None:
            try:
                board = candidate.read(grid).board
            except BoardError:
                continue
            if board is not None and fits_locally(board.codes):
                names.append(candidate.name)
    return names + letters.sensible_formats(grid)


_HEADER = re.compile(r"\s*(mines|density|clues)\s*:", re.IGNORECASE)


def _with_hint(error: BoardSyntaxError, text: Text, chosen: Notation | None) -> BoardSyntaxError:
    """Return the error with a hint: the formats that could read the wrong line. If this line is a
    header such as `mines: 9`, there is no hint, because a header is not a row."""
    line = next((row.text for row in text.lines() if row.number >= error.line), "")
    if not line.strip() or _HEADER.match(line) or "readings make sense" in error.problem:
        return error
    names = [
        candidate.name
        for candidate in all_notations().values()
        if candidate is not chosen
        and candidate.alphabet is not None
        and candidate.alphabet.reads(line)
    ]
    if set(line) - set(" \t") <= MEANINGS.keys() and (chosen is None or chosen.name != "letters"):
        names.append("letters")
    hint = (
        f"formats that read this line: {', '.join(names)}" if names else "no format reads this line"
    )
    problem = f"{error.problem}; {hint}"
    return BoardSyntaxError(problem, source=error.source, line=error.line, column=error.column)


def board_of(contents: Contents, source: str = "<text>") -> Board:
    """Return the board of the contents. For a layout with a first cell, this is the board after
    opening that cell. Raises BoardError for a layout without a first cell."""
    if contents.board is not None:
        return contents.board
    assert contents.layout is not None
    if contents.first is None:
        raise BoardError(
            f"{source}: this is a layout ({contents.notation}), which shows the mines; expected a "
            "board as a player sees it. `csp-mines convert FILE --first ROW,COL` writes the board "
            "after a first opening; `play --board` and `grade` take layouts"
        )
    replay = Replay(contents.layout)
    replay.open(contents.first)
    return replay.board


def layout_of(contents: Contents, data: str | bytes = "", source: str = "<text>") -> Layout:
    """Return the layout of the contents. If they have only a board, return the layout that its
    marks and opened mines show. Raises BoardSyntaxError if a cell of this board is hidden or shows
    a wrong number."""
    if contents.layout is not None:
        return contents.layout
    assert contents.board is not None
    codes = contents.board.codes
    text = data if isinstance(data, str) else data.decode("utf-8", "replace")
    if (codes == HIDDEN).any():
        row, col = np.argwhere(codes == HIDDEN)[0].tolist()
        label = contents.board.geometry.label((row, col))
        problem = f"a layout has no hidden cells, but cell {label} is '?'"
        raise BoardSyntaxError(problem, source=source, line=_line_of(row, len(codes), text))
    holes = codes == HOLE
    layout = Layout(known_mines(codes), geometry=contents.board.geometry, holes=holes)
    wrong = (codes >= 0) & (codes != layout.numbers)
    if wrong.any():
        row, col = np.argwhere(wrong)[0].tolist()
        around = plural(layout.number((row, col)), "mine")
        label = layout.geometry.label((row, col))
        problem = f"cell {label} shows {codes[row, col]}, but has {around} around it"
        raise BoardSyntaxError(problem, source=source, line=_line_of(row, len(codes), text))
    return layout


def _line_of(row: int, rows: int, text: str) -> int:
    """Return the number of the line with this row of a board. The rows of the board are the last
    lines of the text that are not blank."""
    filled = [
        line.number for line in Text.of(text, "").lines() if line.text.split(";", 1)[0].strip()
    ]
    return filled[-rows:][row] if len(filled) >= rows else 1
