"""Make the grid that a text names: `hex`, `graph:FILE`, or `graph {…}` with a graph as JSON."""

from __future__ import annotations

import re
from pathlib import Path

from csp_mines.arguments import must_be
from csp_mines.errors import BoardError, FileError, InputError, UnknownName
from csp_mines.geometry import LATTICES, Geometry
from csp_mines.graph import Graph, graph_from_json

_LARGEST_FILE = 50_000_000  # characters


def as_geometry(grid: str | Geometry) -> Geometry:
    """Return the grid that the text `grid` names.

    Parameters:
        grid: a name such as `hex` or `radius:2`, or `graph:FILE` with the name of the JSON file of
            a graph, or `graph {…}` with the JSON itself. A `Geometry` is returned unchanged.

    Raises UnknownName for an unknown name, FileError if the file cannot be read, BoardError if the
    file is too large or the JSON is not a graph, InputError if `grid` is neither a string nor a
    `Geometry`.

    >>> csp_mines.as_geometry("hex").neighbours((1, 1), 3, 3)
    [(0, 1), (0, 2), (1, 0), (1, 2), (2, 1), (2, 2)]
    """
    if isinstance(grid, Geometry):
        return grid
    if not isinstance(grid, str):
        raise InputError(must_be("grid", "a name such as 'hex', or a Geometry", grid))
    if grid in LATTICES:
        return LATTICES[grid]
    if match := re.fullmatch(r"graph\s*(\{.*)", grid, re.DOTALL):
        return graph_from_json(match[1])
    if grid.startswith("graph:") and grid != "graph:":
        return _read_graph(Path(grid.removeprefix("graph:").strip()))
    raise UnknownName("grid", grid, [*LATTICES, "graph:FILE"])


def _read_graph(path: Path) -> Graph:
    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(_LARGEST_FILE + 1)
    except UnicodeDecodeError:
        raise FileError(f"cannot read the graph {str(path)[:200]!r}: not UTF-8 text") from None
    except (OSError, ValueError) as error:  # ValueError: a null byte in the name
        reason = getattr(error, "strerror", None) or error
        raise FileError(f"cannot read the graph {str(path)[:200]!r}: {reason}") from None
    if len(text) > _LARGEST_FILE:
        raise BoardError(f"the graph {str(path)!r} is larger than {_LARGEST_FILE:,} characters")
    try:
        return graph_from_json(text)
    except BoardError as error:
        raise BoardError(f"{path}: {error}") from None
