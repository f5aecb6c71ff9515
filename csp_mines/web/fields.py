"""Requests as JSON objects. Checks each field; unknown fields are rejected."""

from __future__ import annotations

import json
from typing import Any

from csp_mines.board import Board, Cell
from csp_mines.errors import BadRequest

__all__ = ["BadRequest", "Fields"]

MOST_CELLS = 90_000  # of a board in a request
MOST_OPENED = 8  # cells of one turn: a chord opens what is around a clue


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
        """Raise BadRequest if a field was not read."""
        left = sorted(name for name, value in self._values.items() if value is not None)
        if left:
            raise BadRequest(f"unknown field {left[0][:40]!r}")

    def text(self, name: str, most: int = 100) -> str | None:
        value = self._values.pop(name, None)
        if value is None:
            return None
        if not isinstance(value, str):
            raise BadRequest(f"{name} must be text")
        if len(value) > most:
            raise BadRequest(f"{name} is longer than {most:,} characters")
        return _whole_text(name, value)

    def whole(self, name: str, low: int, high: int) -> int | None:
        value = self._values.pop(name, None)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise BadRequest(f"{name} must be a whole number from {low:,} to {high:,}")
        return value

    def share(self, name: str) -> float | None:
        value = self._values.pop(name, None)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
            raise BadRequest(f"{name} must be a number from 0 to 1")
        return float(value)

    def flag(self, name: str, default: bool = False) -> bool:
        value = self._values.pop(name, None)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise BadRequest(f"{name} must be true or false")
        return value

    def cell(self, name: str) -> Cell | None:
        value = self._values.pop(name, None)
        return None if value is None else _cell(name, value)

    def cells(self, name: str, most: int) -> list[Cell] | None:
        value = self._list(name, most)
        return None if value is None else [_cell(name, cell) for cell in value]

    def words(self, name: str, most: int, longest: int) -> list[str] | None:
        value = self._list(name, most)
        if value is None:
            return None
        if not all(isinstance(text, str) and len(text) <= longest for text in value):
            raise BadRequest(f"{name} must be a list of short texts")
        return [_whole_text(name, text) for text in value]

    def _list(self, name: str, most: int) -> list[Any] | None:
        value = self._values.pop(name, None)
        if value is None:
            return None
        if not isinstance(value, list) or len(value) > most:
            raise BadRequest(f"{name} must be a list of at most {most:,}")
        return value

    def board(self) -> Board:
        """Return the board of the field `board`, in any notation. The fields `mines`, `density`,
        `clues` and `ignore_marks` mean the same as the options of the command line."""
        text = self.text("board", 4 * MOST_CELLS)
        if text is None:
            raise BadRequest("board is missing")
        board = Board.parse(text, self.text("format"), source="board")
        if board.codes.size > MOST_CELLS:
            raise BadRequest(f"{board.codes.size:,} cells are too many; at most {MOST_CELLS:,}")
        mines, density = self.whole("mines", 0, MOST_CELLS), self.text("density")
        board = board.told(mines=mines, density=density, clues=self.text("clues"))
        return board.without_marks() if self.flag("ignore_marks") else board


def _cell(name: str, value: Any) -> Cell:
    good = isinstance(value, list) and len(value) == 2
    if not good or not all(
        isinstance(number, int) and 0 <= number < MOST_CELLS for number in value
    ):
        raise BadRequest(f"{name} must be a row and a column, such as [3, 4]")
    return int(value[0]), int(value[1])


def _whole_text(name: str, text: str) -> str:
    """Return the text. Raises BadRequest if it cannot be encoded."""
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise BadRequest(f"{name} is not valid text: it contains half a surrogate pair")
    return text


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")
