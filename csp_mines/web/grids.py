"""Grids as the page draws them: which cells touch, where the cells are, and what shape they have.

The page has no rule of any grid: it draws a grid from the document that `drawn_grid` returns.
`Geometry` says which cells touch. `Outline` says where the cells are and what shape they have, both
for the page and for the pictures."""

from __future__ import annotations

from typing import Any

from csp_mines.formats.grid_header import in_words
from csp_mines.geometry import LATTICES, Geometry, Lattice
from csp_mines.graph import Graph
from csp_mines.pictures.outlines import Outline, Point, around_in_words
from csp_mines.web.titles import GRID_TITLES

DIGITS = 4  # lengths are rounded to this many decimals


def offered_grids() -> list[dict[str, Any]]:
    """Return the documents of the grids that the page offers by name, the square grid first."""
    return [drawn_grid(LATTICES[name]) for name in GRID_TITLES]


def drawn_grid(geometry: Geometry) -> dict[str, Any]:
    """Return everything that the page must know about a grid, as a JSON document. The unit of
    lengths is the width of a cell.

    * `grid`: the text from which `as_geometry` makes the grid.
    * `name`, `title`: the name of the grid, and its name for people.
    * `around`: words for the cells whose mines a clue counts.
    * `most`: the largest clue.
    * `between`: the separator of the cells of a row in a text, a blank or nothing.
    * `corners`: the corners of a cell, measured from its middle.

    Any grid except a graph also has these fields:

    * `offsets`: the offsets `[down, right]` from a cell to its neighbours: first for cells in even
      rows, then for cells in odd rows.
    * `wraps`: whether opposite edges of the board are joined.
    * `origin`: the middle of the first cell, measured from the upper left corner of the board.
    * `step`: the distance from one column to the next, and from one row to the next.
    * `shift`: how far odd rows are shifted to the right.

    A graph also has these fields:

    * `extent`: the width and the height of the whole graph.
    * `names`: the name of each cell.
    * `places`: the middle of each cell, measured from the upper left corner of the board.
    * `near`: for each cell, the numbers of its neighbours."""
    outline = Outline(geometry, *_size(geometry))
    document = {
        "grid": geometry.spelled,
        "name": geometry.name,
        "title": GRID_TITLES.get(geometry.name, geometry.name.capitalize()),
        "around": around_in_words(geometry),
        "most": geometry.most,
        "between": " " if in_words(geometry) else "",
        "corners": [_rounded(corner) for corner in outline.corners],
    }
    if isinstance(geometry, Graph):
        return document | _graph(geometry, outline)
    assert isinstance(geometry, Lattice)
    return document | _lattice(geometry, outline)


def _size(geometry: Geometry) -> tuple[int, int]:
    return (geometry.rows, geometry.cols) if isinstance(geometry, Graph) else (2, 2)


def _lattice(lattice: Lattice, outline: Outline) -> dict[str, Any]:
    first, right, below = (outline.middle(cell) for cell in ((0, 0), (0, 1), (1, 0)))
    return {
        "offsets": [lattice.offsets, lattice.odd],
        "wraps": lattice.wraps,
        "origin": _rounded(first),
        "step": _rounded((right[0] - first[0], below[1] - first[1])),
        "shift": round(below[0] - first[0], DIGITS),
    }


def _graph(graph: Graph, outline: Outline) -> dict[str, Any]:
    starts, cells = graph.table(graph.rows, graph.cols)
    bounds = starts.tolist()
    near = [cells[bounds[i] : bounds[i + 1]].tolist() for i in range(len(graph.names))]
    places = [outline.middle(divmod(i, graph.cols)) for i in range(len(graph.names))]
    return {
        "names": graph.names,
        "extent": _rounded(outline.size),
        "places": [_rounded(place) for place in places],
        "near": near,
    }


def _rounded(point: Point) -> list[float]:
    return [round(length, DIGITS) for length in point]
