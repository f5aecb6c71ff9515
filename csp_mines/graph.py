"""Grids that are given as graphs in JSON: the names of the cells, and the pairs that touch.

    {"cells": ["a", "b", "c"], "edges": [["a", "b"], ["b", "c"]]}

`positions` (optional) says where a picture shows each cell: `{"a": [0, 0], …}`, x to the right and
y downwards. The unit does not matter, because pictures scale the positions. `rows` (optional) is
the number of rows in which a text shows the cells, by default 1.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from csp_mines.arguments import must_be, require_at_most, shown
from csp_mines.errors import BoardError, InputError
from csp_mines.geometry import MOST_NEIGHBOURS, Cell, Geometry

MOST_CELLS = 100_000
_LONGEST_NAME = 40
_FIELDS = {"cells", "edges", "positions", "rows"}


class Graph(Geometry):
    """A grid of named cells in `rows` rows of equal length. `names` has the names of the cells, row
    by row. `edges` has a pair of numbers for every two cells that touch. `positions` has the place
    of each cell in a picture, `(x, y)`, or is empty."""

    name = "graph"

    def __init__(
        self,
        names: tuple[str, ...],
        edges: tuple[tuple[int, int], ...],
        positions: tuple[tuple[float, float], ...] = (),
        rows: int = 1,
    ) -> None:
        self.names = names
        self.edges = tuple(sorted({(min(pair), max(pair)) for pair in edges}))
        self.positions = positions
        self.rows, self.cols = rows, len(names) // rows
        self._near: list[list[int]] = [[] for _ in names]  # in ascending order, as `edges` are
        for first, second in self.edges:
            self._near[first].append(second)
            self._near[second].append(first)
        self.most = max(map(len, self._near), default=0)

    def check_size(self, rows: int, cols: int) -> None:
        if (rows, cols) != (self.rows, self.cols):
            raise BoardError(
                f"the graph has {self.rows}×{self.cols} cells, but the board is {rows}×{cols}"
            )

    def neighbours(self, cell: Cell, rows: int, cols: int) -> list[Cell]:
        return [divmod(other, cols) for other in self._near[cell[0] * cols + cell[1]]]

    def beside(
        self, numbers: npt.NDArray[np.intp], rows: int, cols: int
    ) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        near = [self._near[number] for number in numbers.tolist()]
        flat = [other for some in near for other in some]
        return np.array(flat, np.intp), np.array(list(map(len, near)), np.intp)

    def label(self, cell: Cell) -> str:
        return self.names[cell[0] * self.cols + cell[1]]

    def cell(self, name: str) -> Cell:
        """Return the cell with this name. Raises InputError if the graph has no such cell."""
        if name not in self.numbers:
            raise InputError(f"the graph has no cell {shown(name)}")
        return divmod(self.numbers[name], self.cols)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Maps the name of each cell to its number."""
        return {name: number for number, name in enumerate(self.names)}

    def to_json(self) -> dict[str, Any]:
        """Return this graph as a dictionary for JSON. To make the graph again, pass the JSON text
        of this dictionary to `graph_from_json`."""
        names = self.names
        document: dict[str, Any] = {
            "cells": list(names),
            "edges": [[names[first], names[second]] for first, second in self.edges],
        }
        if self.positions:
            places = zip(names, self.positions, strict=True)
            document["positions"] = {name: list(place) for name, place in places}
        return document | ({"rows": self.rows} if self.rows != 1 else {})

    @property
    def spelled(self) -> str:
        text = json.dumps(self.to_json(), separators=(",", ":"))
        return f"graph {text}".replace(";", "\\u003b")  # in the text of a board, ; begins a comment

    def _key(self) -> tuple[Any, ...]:
        return self.names, self.edges, self.positions, self.rows

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Geometry):
            return NotImplemented
        return self is other or (isinstance(other, Graph) and self._key() == other._key())

    @cached_property
    def _hash(self) -> int:
        return hash(self._key())

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        return Graph, self._key()


def graph_from_json(text: str) -> Graph:
    """Make a grid from the JSON text of a graph. Raises BoardError if the text is not JSON, is not
    a graph, or exceeds a limit."""
    try:
        document = json.loads(text)
    except RecursionError:
        raise BoardError("a graph must be JSON, but the text is nested too deeply") from None
    except ValueError as error:
        raise BoardError(f"a graph must be JSON: {error}") from None
    if not isinstance(document, dict):
        expected = 'a JSON object with "cells" and "edges"'
        raise BoardError(must_be("a graph", expected, document))
    for field in sorted(document.keys() - _FIELDS):
        raise BoardError(f"a graph has no field {field!r}; known: {', '.join(sorted(_FIELDS))}")
    names = _names(document.get("cells"))
    numbers = {name: number for number, name in enumerate(names)}
    graph = Graph(
        names,
        _edges(document.get("edges"), numbers),
        _positions(document.get("positions"), names),
        _rows(document.get("rows", 1), len(names)),
    )
    require_at_most(graph.most, MOST_NEIGHBOURS, "a cell of a graph", "neighbours", BoardError)
    return graph


def _names(given: Any) -> tuple[str, ...]:
    if not isinstance(given, list) or not given:
        raise BoardError(must_be('"cells" of a graph', "a list of at least one name", given))
    require_at_most(len(given), MOST_CELLS, "a graph", error=BoardError)
    for name in given:
        is_text = isinstance(name, str) and name.isprintable()
        if not is_text or not 0 < len(name) <= _LONGEST_NAME:
            expected = f"1 to {_LONGEST_NAME} printable characters"
            raise BoardError(must_be("the name of a cell", expected, name))
    name, times = Counter(given).most_common(1)[0]
    if times > 1:
        raise BoardError(f"the graph has {times} cells with the name {name!r}")
    return tuple(given)


def _edges(given: Any, numbers: dict[str, int]) -> tuple[tuple[int, int], ...]:
    if not isinstance(given, list):
        raise BoardError(must_be('"edges" of a graph', "a list of pairs of names", given))
    edges = []
    for pair in given:
        if not isinstance(pair, list) or len(pair) != 2:
            raise BoardError(must_be("an edge", "a pair of names", pair))
        for name in pair:
            if not isinstance(name, str) or name not in numbers:
                raise BoardError(f"an edge names {shown(name)}, which is not a cell of the graph")
        if pair[0] == pair[1]:
            raise BoardError(f"an edge joins the cell {pair[0]!r} with itself")
        edges.append((numbers[pair[0]], numbers[pair[1]]))
    return tuple(edges)


def _positions(given: Any, names: tuple[str, ...]) -> tuple[tuple[float, float], ...]:
    if given is None:
        return ()
    if not isinstance(given, dict) or given.keys() != set(names):
        raise BoardError(
            '"positions" of a graph must be a JSON object with a pair of numbers for every cell, '
            "and without other names"
        )
    return tuple(_position(given[name]) for name in names)


def _position(place: Any) -> tuple[float, float]:
    if isinstance(place, list) and len(place) == 2:
        x, y = place
        if all(type(value) in (int, float) and abs(value) <= 1e6 for value in (x, y)):
            return x, y
    expected = "two numbers from -1,000,000 to 1,000,000"
    raise BoardError(must_be("the position of a cell", expected, place))


def _rows(given: Any, cells: int) -> int:
    if type(given) is not int or given < 1 or cells % given:
        raise BoardError(
            '"rows" of a graph must be a positive whole number that divides the number of cells '
            f"({cells}); got {shown(given)}"
        )
    return given
