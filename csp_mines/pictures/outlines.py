"""Where the cells of a grid are in a picture, and what shape they have. `around_in_words` names the
cells whose mines a clue counts. The unit of all lengths is the width of a cell.

The cells of a graph are circles. Their places come from the `positions` in the file of the graph
or, if the file has none, from `arrangement`. The cells of `hex` are hexagons, with odd rows shifted
to the right by half a cell. The cells of all other grids are squares.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import chain, combinations, pairwise
from math import cos, hypot, pi, sin, sqrt

from csp_mines.board import Cell
from csp_mines.geometry import Geometry, Lattice
from csp_mines.graph import Graph
from csp_mines.pictures.arrangement import arranged

Point = tuple[float, float]

HEX_STEP = sqrt(3) / 2  # the distance from one row of hexagons to the next
# The distance between the middles of the two nearest cells of a graph. At a distance of 1, an edge
# between these cells would have no space.
SPREAD = 1.6
_AROUND = {
    "square": "the eight cells around it",
    "orthogonal": "the four cells beside it",
    "torus": "the eight cells around it; opposite edges of the board touch",
    "hex": "the six hexagons around it",
    "graph": "the cells that a line joins with it",
}


def around_in_words(geometry: Geometry) -> str:
    """Return words for the cells whose mines a clue counts, such as `the four cells beside it`."""
    if isinstance(geometry, Lattice) and geometry.name.startswith("radius"):
        return f"the {geometry.most} cells at most {geometry.reach} rows and columns away"
    return _AROUND[geometry.name]


class Outline:
    """The places and the shape of the cells in a picture. The picture shows `rows` × `cols` cells
    of a board, and `first` is the upper left cell."""

    def __init__(self, geometry: Geometry, rows: int, cols: int, first: Cell = (0, 0)) -> None:
        self.geometry, self.rows, self.cols, self.first = geometry, rows, cols, first
        self.hexagons = geometry.name == "hex"
        self.graph = geometry if isinstance(geometry, Graph) else None

    @cached_property
    def corners(self) -> list[Point]:
        """The corners of a cell, measured from its middle. A circle has 24 corners."""
        if self.graph is not None:
            return [(0.5 * cos(turn * pi / 12), 0.5 * sin(turn * pi / 12)) for turn in range(24)]
        if self.hexagons:
            side = 1 / sqrt(3)
            half = side / 2
            return [(0, -side), (0.5, -half), (0.5, half), (0, side), (-0.5, half), (-0.5, -half)]
        return [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]

    def middle(self, cell: Cell) -> Point:
        """Return x and y of the middle of a cell, measured from the upper left corner of the space
        that all cells of the picture take."""
        row, col = cell[0] - self.first[0], cell[1] - self.first[1]
        if self.graph is not None:
            return self._places[cell[0] * self.graph.cols + cell[1]]
        if self.hexagons:
            return col + 0.5 + (cell[0] % 2) / 2, 1 / sqrt(3) + row * HEX_STEP
        return col + 0.5, row + 0.5

    @property
    def size(self) -> Point:
        """The width and the height of the space that all cells of the picture take."""
        if self.graph is not None:
            across, down = zip(*self._places, strict=True)
            return max(across) + 0.5, max(down) + 0.5
        if self.hexagons:
            return self.cols + 0.5, 2 / sqrt(3) + (self.rows - 1) * HEX_STEP
        return self.cols, self.rows

    @property
    def edges(self) -> list[tuple[Point, Point]]:
        """The lines of a graph: each joins the middles of two cells that touch. Empty for any other
        grid."""
        if self.graph is None:
            return []
        return [(self._places[first], self._places[second]) for first, second in self.graph.edges]

    @cached_property
    def _places(self) -> list[Point]:
        assert self.graph is not None
        graph = self.graph
        places: Sequence[Point] = graph.positions or arranged(graph)
        scale = SPREAD / _least_distance(places)
        left, top = min(x for x, _ in places), min(y for _, y in places)
        return [((x - left) * scale + 0.5, (y - top) * scale + 0.5) for x, y in places]


def _least_distance(places: Sequence[Point]) -> float:
    """Return the least distance between two different places, or 1 if no two places differ.

    With more than 500 places, the function compares only places that follow each other in the order
    of x or in the order of y, so the result may be too large."""
    pairs: Iterable[tuple[Point, Point]] = combinations(places, 2)
    if len(places) > 500:
        by_y = sorted(places, key=lambda place: place[::-1])
        pairs = chain(pairwise(sorted(places)), pairwise(by_y))
    distances = (hypot(a[0] - b[0], a[1] - b[1]) for a, b in pairs)
    return min((distance for distance in distances if distance > 0), default=1.0)
