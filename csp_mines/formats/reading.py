"""Read and write boards and layouts in every notation, and recognise the notation of a text.

If the caller names no format, a notation that recognises the text reads the text. If no notation
recognises the text, the forgiving reader (see `letters`) reads it. A syntax error in a row also
names the formats that could read this row. `load` refuses files of more than `MAX_BYTES` bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from io import BytesIO, TextIOBase
from os import PathLike, fspath
from pathlib import Path
from typing import BinaryIO

from csp_mines.arguments import path_name, wrong
from csp_mines.arguments import text as checked_text
from csp_mines.board import HIDDEN, Board, Cell, known_mines
from csp_mines.clues import EXACT
from csp_mines.errors import BoardError, BoardSyntaxError, FileError
from csp_mines.formats import letters
from csp_mines.formats.alphabet import fits_locally
from csp_mines.formats.canonical import OUR_HEADER
from csp_mines.formats.meanings import MEANINGS
from csp_mines.formats.notation import Contents, Notation, Text
from csp_mines.formats.parts import TRIED, boards_in
from csp_mines.formats.registry import all_notations, notation
from csp_mines.formats.replay import Replay
from csp_mines.geometry import SQUARE, Geometry, cells_at
from csp_mines.layout import Layout, layout_on
from csp_mines.names import listed
from csp_mines.words import plural

MAX_BYTES = 64_000_000  # enough for the largest board with a comma and a blank after each cell
_GZIP = b"\x1f\x8b"


def parse(data: str | bytes, format: str | None = None, *, source: str = "<text>") -> Board:
    """Read a board from text or from the bytes of a file. A layout with a first cell is read as the
    board after opening that cell. `source` is the name of the data in messages; a suffix such as
    `.mbf` also tells the format of bytes. Raises BoardError if the data is not exactly one board,
    UnknownName for an unknown format."""
    return board_of(interpret(data, format, source=source), source)


def write(board: Board, format: str | None = None) -> str:
    """Return the text of a board in a format, by default `canonical`. Raises BoardError if the
    format cannot express the board, UnknownName for an unknown format."""
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
    """Raise BoardError if `chosen` cannot express the grid, or if `holes` is True and `chosen`
    cannot express holes. The message names every notation that can express all grids and holes and
    that has the method `writes`: `write` or `write_layout`."""
    if chosen.keeps_grid or (geometry == SQUARE and not holes):
        return
    what = "a board with holes" if geometry == SQUARE else f"the grid {geometry.name!r}"
    others = all_notations().values()
    able = listed(each.name for each in others if each.keeps_grid and getattr(each, writes))
    raise BoardError(f"the format {chosen.name!r} cannot express {what}; use {able}")


def parse_layout(data: str | bytes, format: str | None = None, *, source: str = "<text>") -> Layout:
    """Read a layout from text or from the bytes of a file. A board without hidden cells is read as
    the layout that the board shows. `source` is the name of the data in messages; a suffix such as
    `.mbf` also tells the format of bytes. Raises BoardError if the data is not exactly one layout,
    UnknownName for an unknown format."""
    return layout_of(interpret(data, format, source=source, layout=True), data, source)


def write_layout(layout: Layout, format: str | None = None, first: Cell | None = None) -> str:
    """Return the text of a layout in a format, by default `layout`. If `first` is given, the text
    also names this first cell. Raises BoardError if the format cannot express the layout or the
    first cell, or if `first` is not a cell of the layout. Raises UnknownName for an unknown
    format."""
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
    """Return the bytes of a file with this layout. Raises BoardError if the format cannot express
    the layout, UnknownName for an unknown format."""
    chosen = notation(format)
    if chosen.write_bytes is None:
        return write_layout(layout, format).encode()
    _require_grid(chosen, "write_layout", layout.geometry, layout.holes is not None)
    return chosen.write_bytes(layout)


def load(path: str | PathLike[str] | BinaryIO) -> bytes:
    """Return the bytes of a file or of a binary stream. Gzipped data is unpacked. Raises FileError
    if the file cannot be read, BoardError if gzip data is damaged, or if there are more than
    `MAX_BYTES` bytes before or after unpacking. Raises InputError for a stream of text and for a
    value that is neither a path nor a stream."""
    if isinstance(path, TextIOBase):
        raise wrong("an open file", "binary (mode 'rb')", path)
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
    """Whether the bytes begin like a PNG, JPEG, WebP or BMP file."""
    if data.startswith((b"\x89PNG\r\n", b"\xff\xd8\xff")):
        return True
    if data.startswith(b"BM"):
        return data[6:10] == bytes(4) and len(data) > 26
    return data.startswith(b"RIFF") and data[8:12] == b"WEBP"


def _unpacked(data: bytes, name: str) -> bytes:
    """Return the data; gzipped data is unpacked. Raises BoardError if gzip data is damaged, or if
    the result is larger than `MAX_BYTES`. `name` is the name of the data in messages."""
    if data.startswith(_GZIP):
        import gzip
        import zlib

        try:
            with gzip.GzipFile(fileobj=BytesIO(data)) as packed:
                data = packed.read(MAX_BYTES + 1)
        except (OSError, EOFError, zlib.error):
            raise BoardError(f"{name}: damaged gzip data") from None
    if len(data) > MAX_BYTES:
        raise BoardError(f"{name}: a file may have at most {MAX_BYTES // 1_000_000} MB")
    return data


def interpret(
    data: str | bytes, format: str | None = None, *, source: str = "<text>", layout: bool = False
) -> Contents:
    """Read the contents of text or of the bytes of a file: one board or layout. With `layout`, a
    text that may be a board or a layout is read as a layout. Raises BoardError if the data is not
    exactly one board or layout, UnknownName for an unknown format."""
    first, *others = split(data, format, source=source)
    if others:
        problem = f"expected one board, got {len(others) + 1:,}: the second begins here"
        raise BoardSyntaxError(problem, source=source, line=others[0].lines_before + 1)
    return first.contents(layout=layout)


def split(data: str | bytes, format: str | None = None, *, source: str = "<text>") -> list[Part]:
    """Divide a text into parts, one for each board or layout. A text without boards and a binary
    file are one part. `source` is the name of the data in messages; a suffix such as `.mbf` also
    tells the format of bytes.

    `part.contents()` reads one part, so an error in one part does not affect the other parts.

    Raises BoardSyntaxError if it is unclear where a board ends, if there are too many boards, or if
    bytes are neither a binary file nor UTF-8 text. Raises the error of the first part if there are
    several parts and none of the first 100 can be read. Raises UnknownName for an unknown
    format."""
    chosen = None if format is None else notation(format)
    checked_text(source, "source")
    if not isinstance(data, (str, bytes)):
        raise wrong("text", "a string", data)
    if isinstance(data, bytes):
        if (binary := _binary(data, source, chosen)) is not None:
            return [Part(data, source, binary)]
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
    """A board or a layout that is not read yet. `data` is the text of this part, or the bytes of a
    binary file. `source` is the name of the whole text or file. `chosen` is the notation of the
    binary file or, of a text, the notation that the caller named, or None. `number` counts the
    parts of one text from 1; if there is only one part, `number` is None. `lines_before` is the
    number of lines above this part in the text."""

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
        """Read this part. With `layout`, a text that may be a board or a layout is read as a
        layout. Raises BoardError if the part is neither a board nor a layout."""
        with self._placed():
            if isinstance(self.data, str):
                text = Text(self.data, self.name)
                try:
                    return _read_text(text, self.chosen, layout=layout)
                except BoardSyntaxError as error:
                    raise _with_hint(error, text, self.chosen) from None
            assert self.chosen is not None
            assert self.chosen.read_bytes is not None
            return replace(self.chosen.read_bytes(self.data, self.name), notation=self.chosen.name)

    def board(self) -> Board:
        """Read the board of this part. A layout with a first cell is read as the board after
        opening that cell. Raises BoardError if the part is not a board."""
        return board_of(self.contents(), self.name)

    def layout(self, contents: Contents | None = None) -> Layout:
        """Return the layout of this part. If the caller passes no `contents`, read the part first.
        Raises BoardError if the part is not a layout."""
        contents = self.contents(layout=True) if contents is None else contents
        with self._placed():
            return layout_of(contents, self.data, self.name)

    @contextmanager
    def _placed(self) -> Iterator[None]:
        """Change the syntax errors that the body of the `with` statement raises: count lines from
        the beginning of the whole text, and name the number of this part if it has one."""
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
    """Return the notation that reads `data` as a binary file, or None if `data` is text. The
    notation is `chosen`. If `chosen` is None, it is the notation to which the first bytes of `data`
    or the suffix of `source` belong."""
    name = source.lower().removesuffix(".gz")
    for candidate in all_notations().values() if chosen is None else (chosen,):
        by_magic = candidate.magic is not None and data.startswith(candidate.magic)
        by_name = candidate.suffix is not None and name.endswith(candidate.suffix)
        if by_magic or by_name or candidate is chosen:
            if candidate.read_bytes is None or candidate.recognise(Text(data.decode("latin-1"))):
                return None  # MBF files may be text, too: their bytes in hex
            return candidate
    return None


def _decoded(raw: bytes, source: str) -> str:
    """Return the text that the bytes encode in UTF-8. Raises BoardSyntaxError if a byte is not
    UTF-8. The error gives the line of this byte; its column counts bytes."""
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
    """Read a text in the notation `chosen` or, if `chosen` is None, as `_recognised` does. Raises
    BoardError if the text cannot be read."""
    if chosen is not None:
        contents = replace(chosen.read(text), notation=chosen.name)
    else:
        contents = _recognised(text, layout=layout)
    if not layout and contents.board is not None and not contents.note:
        contents = replace(contents, note=_doubt(text, contents))
    return contents


def _recognised(text: Text, *, layout: bool) -> Contents:
    """Return the contents of the text. Every notation that recognises the text reads it; those that
    fail are ignored if another one succeeds. If no notation recognises the text, the forgiving
    reader reads it; with `layout`, it prefers readings without hidden cells. Raises
    BoardSyntaxError if no reader succeeds, or if two notations read the text differently."""
    claiming = [candidate for candidate in all_notations().values() if candidate.recognise(text)]
    if not claiming:
        contents = letters.choose(text, layout=layout)
        return replace(contents, notation="letters" if contents.note else "canonical")
    readings: dict[str, Contents] = {}
    for candidate in claiming:
        with suppress(BoardSyntaxError):
            readings[candidate.name] = candidate.read(text)
    if not readings:
        claiming[0].read(text)  # raises the error of this notation
    different = {(reading.board, reading.layout, reading.first) for reading in readings.values()}
    if len(different) > 1:
        names = " and as ".join(readings)
        raise text.error(1, f"the text can be read as {names}; name the format")
    name, contents = next(iter(readings.items()))
    return replace(contents, notation=name)


def _doubt(text: Text, contents: Contents) -> str:
    """If a clue of the board cannot be true, but the text makes sense in other formats, return a
    note that names these formats. Otherwise return an empty text. Boards with noisy clues, with
    more than 100,000 cells or on another grid than squares are not checked."""
    board = contents.board
    assert board is not None
    checked = board.clues.name == "exact" and board.geometry == SQUARE
    if not checked or board.codes.size > 100_000 or fits_locally(board.codes):
        return ""
    others = ", ".join(name for name in _other_readings(text) if name != contents.notation)
    problem = f"a clue cannot be true in the format {contents.notation}"
    return f"{problem}; the text makes sense as {others}" if others else ""


def _other_readings(text: Text) -> list[str]:
    """Return the names of all formats in which the text, without headers and comments, is a board
    on which no clue contradicts the cells around it."""
    lines = [
        line.text for line in text.lines() if ":" not in line.text and not line.text.startswith(";")
    ]
    grid = Text("\n".join(lines), text.source)
    names = []
    for candidate in all_notations().values():
        if candidate.write is not None:
            with suppress(BoardError):
                board = candidate.read(grid).board
                if board is not None and fits_locally(board.codes):
                    names.append(candidate.name)
    return names + letters.sensible_formats(grid)


def _with_hint(error: BoardSyntaxError, text: Text, chosen: Notation | None) -> BoardSyntaxError:
    """Return the error with a hint: the formats other than `chosen` that could read the wrong line.
    There is no hint if the wrong line is blank or a header such as `mines: 9`, or if the error
    is that the text has several readings or none that makes sense."""
    line = next((row.text for row in text.lines() if row.number >= error.line), "")
    if not line.strip() or OUR_HEADER.match(line) or "readings make sense" in error.problem:
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
    able = f"formats that read this line: {', '.join(names)}"
    problem = f"{error.problem}; {able if names else 'no format reads this line'}"
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
    """Return the layout of the contents. If the contents have only a board, return the layout with
    a mine at every mark and at every opened mine. Raises BoardSyntaxError if a cell of this board
    is hidden or shows a wrong number; the error names `source` and the line of this cell in `data`,
    the text of the board."""
    if contents.layout is not None:
        return contents.layout
    assert contents.board is not None
    codes, geometry = contents.board.codes, contents.board.geometry
    layout = layout_on(contents.board, known_mines(codes))
    wrong = codes == HIDDEN
    if not wrong.any():
        wrong = (codes >= 0) & (codes != layout.numbers)
    if not wrong.any():
        return layout
    cell = cells_at(wrong)[0]
    label = geometry.label(cell)
    if codes[cell] == HIDDEN:
        problem = f"a layout has no hidden cells, but cell {label} is hidden"
    else:
        around = plural(layout.number(cell), "mine")
        problem = f"cell {label} shows {codes[cell]}, but has {around} around it"
    raise BoardSyntaxError(problem, source=source, line=_line_of(cell[0], len(codes), data))


def _line_of(row: int, rows: int, data: str | bytes) -> int:
    """Return the number of the line with the row `row` of a board. The `rows` rows of the board are
    the last lines of the text `data` that are neither blank nor comments. If there are fewer such
    lines, return 1."""
    text = data if isinstance(data, str) else data.decode("utf-8", "replace")
    filled = [
        line.number for line in Text.of(text, "").lines() if line.text.split(";", 1)[0].strip()
    ]
    return filled[-rows:][row] if len(filled) >= rows else 1
