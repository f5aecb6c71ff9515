"""Read the JSON object of a request, check each of its fields, and bound the size of its board.
Unknown fields are rejected. This module also bounds the size of games."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any, TypeVar

from csp_mines import arguments
from csp_mines.board import HOLE, Board, Cell
from csp_mines.errors import BadRequest
from csp_mines.geometry import LATTICES, MOST_NEIGHBOURS, SQUARE, Geometry
from csp_mines.graph import graph_from_json
from csp_mines.layout import Layout, Spec

T = TypeVar("T")

MOST_CELLS = 90_000  # the most cells of a board in a request
MOST_CLICKS = 20_000  # the most clicks of a game to review
MOST_OPENED = MOST_NEIGHBOURS  # the most cells of a turn: a chord opens several
MOST_PLAYED = 10_000  # the most cells of a game
_GRAPH = "graph "  # after this word, the field `grid` has a graph as JSON


class Fields:
    """The fields of a request. A task reads its fields and calls `done` before it works. A field
    that the task did not read is unknown, and `done` rejects it."""

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = dict(values)

    @classmethod
    def parse(cls, body: bytes) -> Fields:
        """Parse a request. Raises BadRequest unless `body` is one JSON object."""
        try:
            values = json.loads(body, parse_constant=_no_number)
        except (ValueError, RecursionError) as error:
            raise BadRequest(f"the request is not valid JSON: {str(error)[:200]}") from None
        if not isinstance(values, dict):
            raise BadRequest("a request must be a JSON object")
        return cls(values)

    def __contains__(self, name: str) -> bool:
        return self._values.get(name) is not None

    def done(self) -> None:
        """Raise BadRequest if the request has a field that the task has not read."""
        left = sorted(name for name, value in self._values.items() if value is not None)
        if left:
            raise BadRequest(f"unknown field {left[0][:40]!r}")

    def text(self, name: str, most: int = 100) -> str | None:
        return self._take(name, lambda value: _text(name, value, most))

    def whole(self, name: str, low: int, high: int) -> int | None:
        return self._take(name, lambda value: arguments.whole(value, name, low, high))

    def share(self, name: str) -> float | None:
        expected = "a number from 0 to 1"
        return self._take(
            name,
            lambda value: arguments.number(value, name, expected, lambda share: 0 <= share <= 1),
        )

    def flag(self, name: str, default: bool = False) -> bool:
        value = self._take(name, lambda value: value)
        if not isinstance(value, bool | None):
            raise arguments.wrong(name, "true or false", value)
        return default if value is None else value

    def cell(self, name: str) -> Cell | None:
        return self._take(name, lambda value: _cell(name, value))

    def cells(self, name: str, most: int) -> list[Cell] | None:
        return self._list(name, most, lambda value: _cell(name, value))

    def turns(self, name: str, most: int, cells: int) -> list[list[Cell]] | None:
        """Return the turns that a field gives: at most `most` turns, each a list of at most `cells`
        cells."""

        def turn(value: Any) -> list[Cell]:
            return Fields({name: value}).cells(name, cells) or []

        return self._list(name, most, turn)

    def clicks(self, name: str) -> list[tuple[str, Cell, float]] | None:
        return self._list(name, MOST_CLICKS, lambda value: _click(name, value))

    def corrections(self, name: str) -> list[tuple[Cell, int]] | None:
        """Return pairs of a cell and the code that this cell should have."""
        return self._list(name, MOST_CELLS, lambda value: _correction(name, value))

    def words(self, name: str, most: int, longest: int) -> list[str] | None:
        return self._list(name, most, lambda value: _text(name, value, longest))

    def _take(self, name: str, check: Callable[[Any], T]) -> T | None:
        """Return the checked value of a field, or None if the request does not give it."""
        value = self._values.pop(name, None)
        return None if value is None else check(value)

    def _list(self, name: str, most: int, check: Callable[[Any], T]) -> list[T] | None:
        def items(value: Any) -> list[T]:
            if not isinstance(value, list) or len(value) > most:
                raise arguments.wrong(name, f"a list of at most {most:,} items", value)
            return [check(item) for item in value]

        return self._take(name, items)

    def data(self, name: str, most: int) -> bytes | None:
        """Return the bytes that a field gives in base64. Raises BadRequest if the field is not
        base64 or has more than `most` bytes."""
        return self._take(name, lambda value: _bytes(name, value, most))

    def board(self) -> Board:
        """Return the board of the field `board`, a text in any notation. The fields `mines`,
        `density`, `clues` and `ignore_marks` mean the same as the options of the command line."""
        text = required("board", self.text("board", 4 * MOST_CELLS))
        board = checked_size(Board.parse(text, self.text("format"), source="<board>"))
        mines, density = self.whole("mines", 0, MOST_CELLS), self.text("density")
        board = board.told(mines=mines, density=density, clues=self.text("clues"))
        return board.without_marks() if self.flag("ignore_marks") else board

    def grid(self) -> Geometry:
        """Return the grid that the field `grid` gives, as a name or as a whole graph. Without this
        field, return the square grid. Unlike the command line, this method refuses the name of a
        file."""
        name = self.text("grid", 4 * MOST_CELLS)
        if name is None:
            return SQUARE
        if name.startswith(_GRAPH):
            return graph_from_json(name.removeprefix(_GRAPH))
        return arguments.looked_up("grid", name, LATTICES)

    def layout(self) -> Layout | None:
        """Return the layout of the request, or None if there is none. The field `layout` has its
        rows, and the field `grid` its grid."""
        rows = self.words("layout", MOST_PLAYED, MOST_PLAYED)
        if rows is None:
            return None
        header = f"grid: {self.grid().spelled}"
        return checked_layout(Layout.parse("\n".join([header, *rows]), source="<layout>"))

    def shape(self) -> Spec | None:
        """Return the size, the mines, the grid and the holes of the board in the field `shape`, or
        None without this field. The field `mines` replaces the number of mines of this board.
        Raises BadRequest if neither gives a number."""
        text = self.text("shape", 4 * MOST_CELLS)
        if text is None:
            return None
        board = Board.parse(text, source="<shape>")
        require_playable(board.codes.size)
        mines = self.whole("mines", 0, MOST_PLAYED)
        mines = board.mines if mines is None else mines
        if mines is None:
            raise BadRequest("a game on a shape needs the number of mines")
        return Spec(board.rows, board.cols, mines, board.geometry, frozenset(board.cells(HOLE)))


def required(name: str, value: T | None) -> T:
    """Return the value of a field. Raises BadRequest if the request does not give it."""
    if value is None:
        raise BadRequest(f"the field {name!r} is missing")
    return value


def checked_size(board: Board) -> Board:
    """Return the given board. Raises BadRequest if the board is too large for the page."""
    if board.codes.size > MOST_CELLS:
        raise BadRequest(f"a board may have at most {MOST_CELLS:,} cells, not {board.codes.size:,}")
    return board


def checked_layout(layout: Layout) -> Layout:
    """Return the given layout. Raises BadRequest if the layout is too large for a game."""
    require_playable(layout.mines.size)
    return layout


def require_playable(cells: int) -> None:
    """Raise BadRequest if a game on the page may not have this many cells."""
    if cells > MOST_PLAYED:
        raise BadRequest(f"a game may have at most {MOST_PLAYED:,} cells, not {cells:,}")


def _cell(name: str, value: Any) -> Cell:
    if isinstance(value, list) and len(value) == 2:
        row, col = value
        if isinstance(row, int) and isinstance(col, int) and row >= 0 and col >= 0:
            return int(row), int(col)
    raise arguments.wrong(name, "a row and a column, such as [3, 4]", value)


def _click(name: str, value: Any) -> tuple[str, Cell, float]:
    if isinstance(value, list) and len(value) == 3:
        kind, cell, seconds = value
        at = arguments.number(seconds, name, "a time in seconds", lambda time: 0 <= time < 1e9)
        return _text(name, kind, 20), _cell(name, cell), at
    raise arguments.wrong(name, 'a click such as ["open", [3, 4], 1.5]', value)


def _correction(name: str, value: Any) -> tuple[Cell, int]:
    if isinstance(value, list) and len(value) == 2:
        cell, code = value
        return _cell(name, cell), arguments.whole(code, name)
    raise arguments.wrong(name, "a cell and its code, such as [[3, 4], 2]", value)


def _text(name: str, value: Any, most: int) -> str:
    text = arguments.text(value, name)
    if len(text) > most:
        raise BadRequest(f"{name} is longer than {most:,} characters")
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise BadRequest(f"{name} is not valid text: it contains half a surrogate pair")
    return text


def _bytes(name: str, value: Any, most: int) -> bytes:
    text = arguments.text(value, name)
    if len(text) > most * 4 // 3 + 4:
        raise BadRequest(f"{name} is longer than {most:,} bytes")
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        raise BadRequest(f"{name} is not base64") from None


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")
