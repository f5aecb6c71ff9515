"""Grids as the page draws them: which cells touch, where the cells are, and what shape they have.

The page itself knows no grid: it draws every grid from the document that `drawn_grid` returns.
`Geometry` says which cells touch, and `Outline` says where the cells are, so that the page and the
pictures agree."""

from __future__ import annotations

from typing import Any

from csp_mines.formats.grid_header import in_words
from csp_mines.geometry import LATTICES, Geometry, Lattice
from csp_mines.graph import Graph
from csp_mines.grids import GRID_NAMES
from csp_mines.pictures.outlines import Outline, Point, around_in_words
from csp_mines.web.titles import GRID_TITLES

DIGITS = 4  # decimals of lengths, which are in cells


def offered_grids() -> list[dict[str, Any]]:
    """Return the grids that a person can choose, the usual one first."""
    return [drawn_grid(LATTICES[name]) for name in GRID_NAMES if name in LATTICES]


def drawn_grid(geometry: Geometry) -> dict[str, Any]:
    """Return everything that the page must know about a grid, as a JSON document. Lengths are in
    cells.

    `grid` is the text that names the grid, and `most` is the largest clue. `between` separates the
    cells of a row in a text. `corners` is the outline of a cell, relative to its middle. A grid
    with the same pattern everywhere has `offsets` (from a cell to the cells that touch it, in even
    and in odd rows), `wraps` (whether opposite edges touch), `origin` (the middle of the first
    cell), `step` (to the next column and row) and `shift` (of odd rows). A graph has its `extent`,
    the `names` and `places` of its cells, and `near`: for every cell, the numbers of the cells that
    touch it."""
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
