"""Read the fields of a request from JSON, check their values, and reject unknown fields. This
module also limits the size of boards and games on the page."""

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
MOST_CLICKS = 20_000  # the most clicks in a request
MOST_OPENED = MOST_NEIGHBOURS  # the most cells of a turn: a chord opens neighbours of one cell
MOST_PLAYED = 10_000  # the most cells of a game
_GRAPH = "graph "  # after this word, the field `grid` has a graph as JSON


class Fields:
    """The fields of a request. A field with the value null counts as missing. A task reads its
    fields, then calls `done`, which rejects every field that the task has not read.

    The methods for one type, such as `text`, return None if the field is missing; only `flag`
    returns a default. They raise InputError or BadRequest for a wrong value."""

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = dict(values)

    @classmethod
    def parse(cls, body: bytes) -> Fields:
        """Return the fields of a request. Raises BadRequest if `body` is not one JSON object."""
        try:
            values = json.loads(body, parse_constant=_no_number)
        except (ValueError, RecursionError) as error:
            raise BadRequest(f"the request is not valid JSON: {str(error)[:200]}") from None
        if not isinstance(values, dict):
            raise BadRequest(f"a request must be a JSON object, not {arguments.shown(values)}")
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

    def seed(self) -> int | None:
        return self.whole("seed", 0, 10**9)

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
        return self._list(name, most, lambda value: _cell(f"an item of {name}", value))

    def turns(self, name: str, most: int, cells: int) -> list[list[Cell]] | None:
        """Return the turns in the field `name`, each a list of cells. Raises InputError for more
        than `most` turns, or for a turn of more than `cells` cells."""

        def turn(value: Any) -> list[Cell]:
            return Fields({"a turn": value}).cells("a turn", cells) or []

        return self._list(name, most, turn)

    def clicks(self, name: str) -> list[tuple[str, Cell, float]] | None:
        return self._list(name, MOST_CLICKS, _click)

    def corrections(self, name: str) -> list[tuple[Cell, int]] | None:
        """Return pairs of a cell and the code that this cell should have."""
        return self._list(name, MOST_CELLS, _correction)

    def words(self, name: str, most: int, longest: int) -> list[str] | None:
        return self._list(name, most, lambda value: _text(f"an item of {name}", value, longest))

    def _take(self, name: str, check: Callable[[Any], T]) -> T | None:
        """Remove a field. Return what `check` makes of its value, or None if the field is
        missing."""
        value = self._values.pop(name, None)
        return None if value is None else check(value)

    def _list(self, name: str, most: int, check: Callable[[Any], T]) -> list[T] | None:
        def items(value: Any) -> list[T]:
            if not isinstance(value, list) or len(value) > most:
                raise arguments.wrong(name, f"a list of at most {most:,} items", value)
            return [check(item) for item in value]

        return self._take(name, items)

    def data(self, name: str, most: int) -> bytes | None:
        """Return the bytes of a field in base64. Raises BadRequest if the value is not base64, or
        if there are more than `most` bytes."""
        return self._take(name, lambda value: _bytes(name, value, most))

    def board(self) -> Board:
        """Return the board of the field `board`, a text in any notation. The fields `format`,
        `mines`, `density`, `clues` and `ignore_marks` mean the same as the options of the command
        line, such as `--ignore-marks`. Raises CspMinesError if `board` is missing, if one of the
        fields is wrong, or if the board has more than `MOST_CELLS` cells."""
        text = required("board", self.text("board", 4 * MOST_CELLS))
        board = checked_size(Board.parse(text, self.text("format"), source="<board>"))
        mines, density = self.whole("mines", 0, MOST_CELLS), self.text("density")
        board = board.told(mines=mines, density=density, clues=self.text("clues"))
        return board.without_marks() if self.flag("ignore_marks") else board

    def grid(self) -> Geometry:
        """Return the grid of the field `grid`, or the square grid without this field. The field is
        a name such as `hex`, or `graph {…}` with a graph as JSON. Raises UnknownName for any other
        text, even for `graph:FILE`, so that no request makes the server read a file. Raises
        BoardError for a wrong graph."""
        name = self.text("grid", 4 * MOST_CELLS)
        if name is None:
            return SQUARE
        if name.startswith(_GRAPH):
            return graph_from_json(name.removeprefix(_GRAPH))
        return arguments.looked_up("grid", name, LATTICES)

    def layout(self) -> Layout | None:
        """Return the layout whose rows are in the field `layout` and whose grid is in the field
        `grid`, or None without the field `layout`. Raises CspMinesError if a field is wrong or the
        layout is too large for a game."""
        rows = self.words("layout", MOST_PLAYED, MOST_PLAYED)
        if rows is None:
            return None
        header = f"grid: {self.grid().spelled}"
        return checked_layout(Layout.parse("\n".join([header, *rows]), source="<layout>"))

    def shape(self) -> Spec | None:
        """Return the `Spec` of a game with the size, the grid and the holes of the board in the
        field `shape`, or None without this field. The field `mines` gives the number of mines;
        without that field, it is the total of the board. Raises BadRequest if both are missing or
        the board is too large for a game."""
        text = self.text("shape", 4 * MOST_CELLS)
        if text is None:
            return None
        board = Board.parse(text, source="<shape>")
        require_playable(board.codes.size)
        mines = self.whole("mines", 0, MOST_PLAYED)
        mines = board.mines if mines is None else mines
        if mines is None:
            raise BadRequest("a game on a shape needs the number of mines: give the field 'mines'")
        return Spec(board.rows, board.cols, mines, board.geometry, frozenset(board.cells(HOLE)))


def required(name: str, value: T | None) -> T:
    """Return `value`, the value of the field `name`. Raises BadRequest if `value` is None, which
    means that the field is missing."""
    if value is None:
        raise BadRequest(f"the field {name!r} is missing")
    return value


def checked_size(board: Board) -> Board:
    """Return the given board. Raises BadRequest if the board is too large for the page."""
    arguments.require_at_most(board.codes.size, MOST_CELLS, "a board on the page", error=BadRequest)
    return board


def checked_layout(layout: Layout) -> Layout:
    """Return the given layout. Raises BadRequest if the layout is too large for a game."""
    require_playable(layout.mines.size)
    return layout


def require_playable(cells: int) -> None:
    """Raise BadRequest if this number of cells is too large for a game on the page."""
    arguments.require_at_most(cells, MOST_PLAYED, "a game on the page", error=BadRequest)


def _cell(name: str, value: Any) -> Cell:
    if isinstance(value, list) and len(value) == 2:
        row, col = value
        if isinstance(row, int) and isinstance(col, int) and row >= 0 and col >= 0:
            return int(row), int(col)
    raise arguments.wrong(name, "a row and a column, such as [3, 4]", value)


def _click(value: Any) -> tuple[str, Cell, float]:
    if isinstance(value, list) and len(value) == 3:
        kind, cell, seconds = value
        expected = "a number of seconds, at least 0 and less than 1e9"
        at = arguments.number(
            seconds, "the time of a click", expected, lambda time: 0 <= time < 1e9
        )
        return _text("the kind of a click", kind, 20), _cell("the cell of a click", cell), at
    expected = 'a kind, a cell and a time, such as ["open", [3, 4], 1.5]'
    raise arguments.wrong("a click", expected, value)


def _correction(value: Any) -> tuple[Cell, int]:
    if isinstance(value, list) and len(value) == 2:
        cell, code = value
        where = _cell("the cell of a correction", cell)
        return where, arguments.whole(code, "the code of a correction")
    raise arguments.wrong("a correction", "a cell and its code, such as [[3, 4], 2]", value)


def _text(name: str, value: Any, most: int) -> str:
    text = arguments.text(value, name)
    if len(text) > most:
        raise BadRequest(f"{name} is longer than {most:,} characters")
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise BadRequest(f"{name} is not valid text: it contains half a surrogate pair")
    return text


def _bytes(name: str, value: Any, most: int) -> bytes:
    text = arguments.text(value, name)
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        raise BadRequest(f"{name} is not base64") from None
    arguments.require_at_most(len(data), most, name, "bytes", BadRequest)
    return data


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")
