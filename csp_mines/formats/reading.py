"""From bytes or text in any notation to boards and layouts, and back.

The size of what is read is bounded before anything is made of it. Where no format is named, the one
whose marks the text bears is taken, else the forgiving reader decides; an error names the formats
that would read the line."""

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
from csp_mines.board import EXPLODED, HIDDEN, MARKED, Board, Cell
from csp_mines.errors import BoardError, BoardSyntaxError, FileError
from csp_mines.formats import letters
from csp_mines.formats.alphabet import fits_locally
from csp_mines.formats.meanings import MEANINGS
from csp_mines.formats.notation import Contents, Notation, Text
from csp_mines.formats.parts import TRIED, boards_in
from csp_mines.formats.registry import all_notations, notation
from csp_mines.formats.replay import Replay
from csp_mines.geometry import checked_cell
from csp_mines.layout import Layout
from csp_mines.words import plural

__all__ = [
    "MAX_BYTES",
    "Part",
    "board_of",
    "encode_layout",
    "interpret",
    "layout_of",
    "load",
    "parse",
    "parse_layout",
    "read",
    "read_layout",
    "split",
    "write",
    "write_layout",
]

MAX_BYTES = 64_000_000  # of one text or file: the largest board with blanks and a comma a cell
_GZIP = b"\x1f\x8b"


def parse(text: str, format: str | None = None, *, source: str = "<text>") -> Board:
    """The board that `text` says. Raises BoardSyntaxError, UnknownName."""
    return board_of(interpret(text, format, source=source), source)


def read(path: str | PathLike[str], format: str | None = None) -> Board:
    """The board in the file at `path`. Raises BoardError, FileError."""
    return board_of(interpret(load(path), format, source=fspath(path)), fspath(path))


def write(board: Board, format: str | None = None) -> str:
    """The board as text. Raises BoardError where the format cannot say it, UnknownName."""
    chosen = notation("canonical" if format is None else format)
    if chosen.write is None:
        raise BoardError(f"the format {chosen.name!r} writes no boards")
    return chosen.write(board)


def parse_layout(data: str | bytes, format: str | None = None, *, source: str = "<text>") -> Layout:
    """The layout that a text or the bytes of a file say. Raises BoardError, UnknownName."""
    return layout_of(interpret(data, format, source=source, layout=True), data, source)


def read_layout(path: str | PathLike[str], format: str | None = None) -> Layout:
    """The layout in the file at `path`. Raises BoardError, FileError."""
    return parse_layout(load(path), format, source=fspath(path))


def write_layout(layout: Layout, format: str | None = None, first: Cell | None = None) -> str:
    """The layout as text. Raises BoardError where the format cannot say it, UnknownName."""
    chosen = notation("layout" if format is None else format)
    if chosen.write_layout is None:
        raise BoardError(f"the format {chosen.name!r} writes no layouts")
    return chosen.write_layout(
        layout, None if first is None else checked_cell(first, *layout.shape)
    )


def encode_layout(layout: Layout, format: str) -> bytes:
    """The layout as the bytes of a file. Raises BoardError, UnknownName."""
    chosen = notation(format)
    if chosen.write_bytes is None:
        return write_layout(layout, format).encode()
    return chosen.write_bytes(layout)


def load(path: str | PathLike[str] | BinaryIO) -> bytes:
    """The bytes of a file or stream, unpacked if they are gzipped; a file whose end does not come
    is given up. Raises BoardError, FileError."""
    if hasattr(path, "read"):
        return _unpacked(path.read(MAX_BYTES + 1), "<stdin>")
    name = fspath(path_name(path))
    try:
        with Path(name).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # no such file; a name with NUL
        raise FileError.of(name, error) from None
    return _unpacked(data, name)


def _unpacked(data: bytes, source: str | bytes) -> bytes:
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
        raise BoardError(f"{name}: more than {MAX_BYTES // 1_000_000} MB are too much for a board")
    return data


def interpret(
    data: str | bytes, format: str | None = None, *, source: str = "<text>", layout: bool = False
) -> Contents:
    """What a text or the bytes of a file say; with `layout`, what they say of a layout where that
    makes a difference. Raises BoardError, also for several boards, and UnknownName."""
    first, *others = split(data, format, source=source)
    if others:
        problem = f"{len(others) + 1:,} boards in this text, expected one: the second begins here"
        raise BoardSyntaxError(problem, source=source, line=others[0].lines_before + 1)
    return first.contents(layout=layout)


def split(data: str | bytes, format: str | None = None, *, source: str = "<text>") -> list[Part]:
    """The boards of a text or a file, at least one, none of them read yet: `part.contents()` does
    that, and an error in one says nothing of the others. Raises BoardSyntaxError where it is
    unclear what is one board, UnknownName."""
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
        parts[0].contents()  # raises: this is something else than boards
    return parts


@dataclass(frozen=True)
class Part:
    """A board of a text or a file, not read yet. `number` counts the boards of one text from 1; it
    is None where there is only one. `lines_before` stand before it in the text."""

    data: str | bytes
    source: str
    chosen: Notation | None = None
    number: int | None = None
    lines_before: int = 0

    @property
    def name(self) -> str:
        """`boards.txt: board 2`."""
        return self.source if self.number is None else f"{self.source}: board {self.number}"

    @property
    def is_readable(self) -> bool:
        """Whether this is a board or a layout."""
        for layout in (False, True):
            with suppress(BoardError):
                self.contents(layout=layout)
                return True
        return False

    def contents(self, *, layout: bool = False) -> Contents:
        """What is said here. Raises BoardError."""
        with self._placed():
            if isinstance(self.data, str):
                return self._interpreted(Text(self.data, self.name), layout=layout)
            binary = _binary(self.data, self.source, self.chosen)
            assert binary is not None
            assert binary.read_bytes is not None
            return replace(binary.read_bytes(self.data, self.name), notation=binary.name)

    def board(self) -> Board:
        """The board that is said here. Raises BoardError."""
        return board_of(self.contents(), self.name)

    def layout(self, found: Contents | None = None) -> Layout:
        """The layout that is said here, or in what was read here. Raises BoardError."""
        found = self.contents(layout=True) if found is None else found
        with self._placed():
            return layout_of(found, self.data, self.name)

    def _interpreted(self, text: Text, *, layout: bool) -> Contents:
        try:
            return _read_text(text, self.chosen, layout=layout)
        except BoardSyntaxError as error:
            raise _with_hint(error, text, self.chosen) from None

    @contextmanager
    def _placed(self) -> Iterator[None]:
        """Errors name the line of the whole text, and which board it is."""
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
    """Raises BoardSyntaxError for half a pair of surrogates: it stands for a byte that is no text,
    and no encoding has it."""
    half = None if text.text.isascii() else re.search("[\ud800-\udfff]", text.text)
    if half is not None:
        raise text.error_at(half.start(), f"{half.group()!a} is not a character of any text")


def _binary(data: bytes, source: str, chosen: Notation | None) -> Notation | None:
    """The notation of a file that is no text: the one that was named, else by its first bytes or
    its name. None for text."""
    name = source.lower().removesuffix(".gz")
    found = chosen
    for candidate in all_notations().values() if chosen is None else ():
        by_magic = candidate.magic is not None and data.startswith(candidate.magic)
        if by_magic or (candidate.suffix is not None and name.endswith(candidate.suffix)):
            found = candidate
            break
    if found is None or found.read_bytes is None or _is_hex(found, data):
        return None
    return found


def _is_hex(notation: Notation, data: bytes) -> bool:
    """Whether the bytes are the text of a notation that has both."""
    return notation.name == "mbf" and notation.recognise(Text(data.decode("latin-1").strip()))


def _decoded(raw: bytes, source: str) -> str:
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


def _read_text(text: Text, chosen: Notation | None, *, layout: bool) -> Contents:
    if chosen is not None:
        found: Contents | None = replace(chosen.read(text), notation=chosen.name)
    else:
        found = _recognised(text)
    if found is None:
        found = letters.choose(text, layout=layout)
        found = replace(found, notation="letters" if found.note else "canonical")
    if not layout and found.board is not None and not found.note:
        found = replace(found, note=_doubt(text, found))
    return found


def _recognised(text: Text) -> Contents | None:
    """By the notation whose marks the text bears; by several only if they agree."""
    claiming = [candidate for candidate in all_notations().values() if candidate.recognise(text)]
    found: dict[str, Contents] = {}
    for candidate in claiming:
        try:
            found[candidate.name] = candidate.read(text)
        except BoardSyntaxError:
            if len(claiming) == 1:
                raise
    if claiming and not found:
        claiming[0].read(text)
    different = {(reading.board, reading.layout, reading.first) for reading in found.values()}
    if len(different) > 1:
        raise text.error(1, f"this can be read as {' and as '.join(found)}; say which")
    for name, contents in found.items():
        return replace(contents, notation=name)
    return None


def _doubt(text: Text, found: Contents) -> str:
    """What to think of a board in which a clue cannot hold while other letters would make sense."""
    board = found.board
    assert board is not None
    if board.clues.name != "exact" or board.codes.size > 100_000 or fits_locally(board.codes):
        return ""
    others = [name for name in _other_readings(text) if name != found.notation]
    if not others:
        return ""
    return f"in these letters some clue cannot hold; it would make sense as {', '.join(others)}"


def _other_readings(text: Text) -> list[str]:
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


def _with_hint(error: BoardSyntaxError, text: Text, chosen: Notation | None) -> BoardSyntaxError:
    """The same error with the names of the formats that would read the line."""
    line = next((row.text for row in text.lines() if row.number >= error.line), "")
    if not line.strip() or "readings make sense" in error.problem:
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
    hint = f"this line could be {', '.join(names)}" if names else "no format reads this line"
    problem = f"{error.problem}; {hint}"
    return BoardSyntaxError(problem, source=error.source, line=error.line, column=error.column)


def board_of(found: Contents, source: str = "<text>") -> Board:
    """The board of what was read; of a layout with a first cell, what opening that cell shows.
    Raises BoardError for a layout alone."""
    if found.board is not None:
        return found.board
    assert found.layout is not None
    if found.first is None:
        raise BoardError(
            f"{source}: this is a layout ({found.notation}): it says where the mines are, not what "
            "a player sees; play, grade or convert it"
        )
    replay = Replay(found.layout)
    replay.open(found.first)
    return replay.board


def layout_of(found: Contents, data: str | bytes = "", source: str = "<text>") -> Layout:
    """The layout of what was read, or of a board that hides nothing. Raises BoardSyntaxError."""
    if found.layout is not None:
        return found.layout
    assert found.board is not None
    codes = found.board.codes
    text = data if isinstance(data, str) else data.decode("utf-8", "replace")
    if (codes == HIDDEN).any():
        row, col = np.argwhere(codes == HIDDEN)[0].tolist()
        problem = f"a layout hides nothing, but cell {row},{col} is '?'"
        raise BoardSyntaxError(problem, source=source, line=_line_of(row, len(codes), text))
    layout = Layout((codes == MARKED) | (codes == EXPLODED))
    wrong = (codes >= 0) & (codes != layout.numbers)
    if wrong.any():
        row, col = np.argwhere(wrong)[0].tolist()
        around = plural(layout.number((row, col)), "mine")
        problem = f"cell {row},{col} shows {codes[row, col]}, with {around} around it"
        raise BoardSyntaxError(problem, source=source, line=_line_of(row, len(codes), text))
    return layout


def _line_of(row: int, rows: int, text: str) -> int:
    """The line on which a row of a board stands: the rows are the last lines with something on."""
    filled = [
        line.number for line in Text.of(text, "").lines() if line.text.split(";", 1)[0].strip()
    ]
    return filled[-rows:][row] if len(filled) >= rows else 1
