"""The contract of notations: a `Notation` reads a `Text` and returns `Contents`. The methods of
`Text` create the syntax errors, with the line and perhaps the column."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple, TypedDict, Unpack

import numpy as np
import numpy.typing as npt

from csp_mines.board import HIDDEN, Board, Cell, Codes
from csp_mines.errors import BoardError, BoardSyntaxError, FileError, UnknownName
from csp_mines.formats.alphabet import Alphabet
from csp_mines.geometry import Geometry, cells_at
from csp_mines.layout import Layout


class Header(TypedDict, total=False):
    """What a text may say about a board besides its cells."""

    mines: int | None
    density: Fraction | str | None
    clues: str
    geometry: Geometry


class Click(NamedTuple):
    """A mouse event of a recording. `code` says what happened, such as `lc` for a press of the left
    button (see `formats.replay.Replay.mouse`). `cell` is the cell under the mouse, or None if the
    mouse is beside the board."""

    seconds: float
    code: str
    cell: Cell | None


@dataclass(frozen=True)
class Clicks:
    """The events of a recording, the name of the player, and the date of the game, such as
    2026-11-18. `player` is None if the recording has no name, `date` if it has no date."""

    events: tuple[Click, ...]
    player: str | None = None
    date: str | None = None


@dataclass(frozen=True)
class Contents:
    """What a text contains: a board, a layout (perhaps with a first cell), or a board and a layout.
    A recording has a board, a layout and `clicks`. `notation` names the notation of the text.
    `note` says how an ambiguous text was read, or that the text makes sense in other formats. If
    there is nothing to say, `note` is empty."""

    board: Board | None = None
    layout: Layout | None = None
    first: Cell | None = None
    note: str = ""
    notation: str = ""
    clicks: Clicks | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        if self.layout is not None:
            return self.layout.shape
        assert self.board is not None
        return self.board.rows, self.board.cols


class Heading(NamedTuple):
    """How the first line of every board begins in a notation. `pattern` is a regular expression for
    the beginning of this line, after blanks. The line always contains the text `mark`. So a text
    without `mark` need not be searched."""

    mark: str
    pattern: str


@dataclass(frozen=True)
class Notation:
    """One way to write boards or layouts. A module of this package defines one notation as
    `NOTATION` or several as `NOTATIONS`, and `registry` finds them.

    `read` returns the contents of a text or raises BoardSyntaxError. `recognise` says whether a
    text has the form of this notation. `write` and `write_layout` return text that `read` accepts,
    or raise BoardError if the notation cannot express the value. `write` is None if the notation
    does not write boards, and `write_layout` is None if the notation does not write layouts. With
    `keeps_clues`, the text of a board names its clue model. With `keeps_first`, the text of a
    layout names its first cell. With `keeps_grid`, the text names the grid and has a sign for
    holes. If one of these fields is False, `reading.write` and `reading.write_layout` raise
    BoardError when the text would lose that information. A notation with binary files has
    `read_bytes` and, if it can write such files, `write_bytes`. A binary file is recognised by the
    end of its name (`suffix`) or by its first bytes (`magic`). If a format is called `name:…`,
    `configure` makes the notation from the text after the colon.

    The last three fields say where each board ends in a text with several boards (see `parts`). A
    `bare` notation is rows of cells, perhaps after header lines. If there is a `heading`, every
    board begins with one. If there is `one_line`, it says whether a line is a whole board."""

    name: str
    about: str
    example: str
    read: Callable[[Text], Contents]
    recognise: Callable[[Text], bool] = field(default=lambda _: False)
    write: Callable[[Board], str] | None = None
    write_layout: Callable[[Layout, Cell | None], str] | None = None
    alphabet: Alphabet | None = None
    read_bytes: Callable[[bytes, str], Contents] | None = None
    write_bytes: Callable[[Layout], bytes] | None = None
    suffix: str | None = None
    magic: bytes | None = None
    keeps_clues: bool = False
    keeps_first: bool = False
    keeps_grid: bool = False
    configure: Callable[[str], Notation] | None = None
    bare: bool = False
    heading: Heading | None = None
    one_line: Callable[[Text], bool] | None = None

    @property
    def says(self) -> str:
        """What the notation can write: `board`, `layout`, `board and layout`, or `read only`."""
        kinds = [
            kind for kind, has in (("board", self.write), ("layout", self.write_layout)) if has
        ]
        return " and ".join(kinds) or "read only"

    def to_json(self) -> dict[str, Any]:
        """Return the entry of this notation in the output of `csp-mines formats --json`."""
        return {
            "name": self.name,
            "about": self.about,
            "writes_boards": self.write is not None,
            "writes_layouts": self.write_layout is not None,
            "example": self.example,
        }


class Line(NamedTuple):
    """A line that is not blank: its number (the first line of the text has number 1), its text, and
    the position of its start in the whole text."""

    number: int
    text: str
    start: int


@dataclass(frozen=True)
class Text:
    """The text to read, with uniform line ends. `source` is the name of the text in messages."""

    text: str
    source: str = "<text>"

    @classmethod
    def of(cls, text: str, source: str) -> Text:
        """Return a text with uniform line ends and without a byte order mark."""
        text = text.removeprefix("\ufeff")
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        return cls(text, source)

    def lines(self, start: int = 0) -> Iterator[Line]:
        """Yield all lines from the position `start` on, except blank lines. Blank lines take almost
        no time, however many there are."""
        number, counted = 1 + self.text.count("\n", 0, start), start
        for match in re.compile(r"\S[^\n]*").finditer(self.text, start):
            begin = self.text.rfind("\n", counted, match.start()) + 1 or counted
            number += self.text.count("\n", counted, begin)
            counted = begin
            yield Line(number, self.text[begin : match.end()], begin)

    def first_line(self) -> str:
        """Return the first line that is not blank, stripped and cut to 10,000 characters. If all
        lines are blank, return an empty text."""
        match = re.search(r"\S[^\n]*", self.text)
        return match.group().rstrip()[:10_000] if match else ""

    def one_line(self) -> str:
        """Return the stripped text if it is one line. Otherwise return an empty text."""
        stripped = self.text.strip()
        return "" if "\n" in stripped else stripped

    def line_number(self, position: int) -> int:
        """Return the number of the line that contains this position. Lines count from 1."""
        return self.text.count("\n", 0, position) + 1

    def error(self, line: int, problem: str, column: int | None = None) -> BoardSyntaxError:
        """Return the error that says what is wrong with a line. Lines and columns count from 1."""
        return BoardSyntaxError(problem, source=self.source, line=line, column=column)

    def error_at(self, position: int, problem: str) -> BoardSyntaxError:
        """Return the error that says what is wrong at a position of the text."""
        column = position - self.text.rfind("\n", 0, position)
        return self.error(self.line_number(position), problem, column)

    def expected(self, what: str, got: str | None = None, line: int = 1) -> BoardSyntaxError:
        """Return the error `expected WHAT, not '…'`, which quotes `got`. If `got` is None, the
        error quotes the first line of the text."""
        shown = quoted(self.first_line() if got is None else got)
        return self.error(line, f"expected {what}, not {shown}")

    @contextmanager
    def refusals(self, line: int) -> Iterator[None]:
        """Turn the errors that the body of the `with` statement raises about a board, a layout or a
        grid into BoardSyntaxError, which names the line with the number `line`."""
        try:
            yield
        except BoardSyntaxError:
            raise
        except (BoardError, FileError, UnknownName) as error:
            raise self.error(line, str(error)) from None

    def without(self, comment: str | re.Pattern[str]) -> str:
        """Return the text with blanks in place of all that the regular expression `comment`
        matches. Every other character keeps its position."""
        return re.sub(comment, lambda match: " " * len(match.group()), self.text)

    def number(self, line: int, key: str, value: str) -> int:
        """Return the value of a key as a number. Raises BoardSyntaxError if the value is not a
        whole number of at most nine digits."""
        if not re.fullmatch(r"[0-9]+", value):
            raise self.error(line, f"{key} must be a whole number, not {quoted(value)}")
        if len(value) > 9:
            raise self.error(line, f"{key} is too large: {quoted(value)} has more than nine digits")
        return int(value)

    def check_counts(self, keys: Mapping[str, tuple[int, str]], counts: Mapping[str, int]) -> None:
        """Raise BoardSyntaxError if the value of a key differs from the number in `counts` for this
        key, or is not a number. `keys` maps each key to its line and its value. Keys that are not
        in `counts` are not checked."""
        for key, (line, value) in keys.items():
            if key in counts and self.number(line, key, value) != counts[key]:
                raise self.error(line, f"{key} is {value}, but the board has {counts[key]}")

    def board(self, line: int, codes: npt.ArrayLike, **header: Unpack[Header]) -> Board:
        """Return the board with these codes and this header. Raises BoardSyntaxError, which names
        the line with the number `line`, if the board is invalid."""
        with self.refusals(line):
            if "geometry" in header:
                _check_clues(np.asarray(codes), header["geometry"])
            return Board(codes, **header)


def _check_clues(codes: Codes, geometry: Geometry) -> None:
    """Raise BoardError if a clue is greater than the largest number of neighbours on the grid. The
    error of `Board` would list codes, which the text does not have."""
    geometry.check_size(*codes.shape)
    if (codes > geometry.most).any():
        cell = cells_at(codes > geometry.most)[0]
        raise BoardError(
            f"cell {geometry.label(cell)} shows {codes[cell]}, but a clue on this grid is at most "
            f"{geometry.most}"
        )


def require_clues_only(board: Board, name: str) -> None:
    """Raise BoardError if a cell is neither hidden nor a clue, because the notation `name` cannot
    write such a cell."""
    if (board.codes < HIDDEN).any():
        raise BoardError(
            f"the format {name!r} can only write hidden cells and clues; use the format 'canonical'"
        )


def quoted(text: str, around: int = 0) -> str:
    """Return `text` in quotes, cut to about 40 characters near the position `around`."""
    width = 40
    start = max(0, around - width // 2)
    cut = text[start : start + width]
    return repr(("…" if start else "") + cut + ("…" if start + width < len(text) else ""))
