"""Choose a place in the picture for each cell of a graph whose file has no positions.

Cells that touch come close together: the distance of two places should be the number of edges on
the shortest path between their cells. Stress majorisation (SMACOF) moves all places in steps, and
no step makes the weighted sum of the squared errors of the distances larger. The steps start from a
circle and, for at most 150 cells, also from random places. The result with the smallest sum is
used. The same graph always gets the same places.

A graph of more than 200 cells, or with several rows, gets places in rows and columns instead.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from csp_mines.graph import Graph

MOST_ARRANGED = 200  # cells; a graph with more is drawn as a block
STEPS = 100  # how often all places are moved, from each start
MOST_STARTS = 8  # the largest number of random starts
STARTED = 150  # the number of random starts times the number of cells is at most this
CLOSEST = 1e-9  # closer places count as equal, which prevents a division by zero

Floats = npt.NDArray[np.float64]


@lru_cache(maxsize=16)
def arranged(graph: Graph) -> list[tuple[float, float]]:
    """Return x and y of the place of every cell, in the order of the numbers of the cells. A graph
    with several rows keeps its rows and columns. A graph with one row of more than `MOST_ARRANGED`
    cells becomes a block that is about square."""
    count = len(graph.names)
    if graph.rows > 1 or not 2 < count <= MOST_ARRANGED:
        cols = graph.cols if graph.rows > 1 or count <= MOST_ARRANGED else int(count**0.5) + 1
        return [(number % cols, number // cols) for number in range(count)]
    wanted = _distances(graph)
    turns = np.linspace(0, 2 * np.pi, count, endpoint=False)
    circle = np.stack([np.cos(turns), np.sin(turns)], axis=1) * float(wanted.max()) / 2
    draw = np.random.default_rng(0)
    starts = [
        circle,
        *(draw.normal(size=circle.shape) for _ in range(min(MOST_STARTS, STARTED // count))),
    ]
    best = min((_settled(places, wanted) for places in starts), key=lambda it: _stress(it, wanted))
    return [(x, y) for x, y in best.tolist()]


def _distances(graph: Graph) -> Floats:
    """Return for every two cells the number of edges on the shortest path between them. Two
    cells without a path between them get the largest of these numbers plus one."""
    count = len(graph.names)
    steps = np.full((count, count), np.inf)
    np.fill_diagonal(steps, 0)
    for first, second in graph.edges:
        steps[first, second] = steps[second, first] = 1
    for middle in range(count):  # add the paths through this cell (Floyd and Warshall)
        np.minimum(steps, steps[:, middle, None] + steps[None, middle], out=steps)
    apart = np.isinf(steps)
    steps[apart] = steps[~apart].max() + 1
    return steps


def _settled(places: Floats, wanted: Floats) -> Floats:
    """Return the places after `STEPS` steps, which bring the distances of the places closer to the
    distances `wanted`."""
    weights = _weights(wanted)
    inverse = np.linalg.pinv(np.diag(weights.sum(axis=1)) - weights)
    for _ in range(STEPS):
        apart = _apart(places)
        pulls = np.where(apart > CLOSEST, weights * wanted / np.maximum(apart, CLOSEST), 0)
        places = inverse @ ((np.diag(pulls.sum(axis=1)) - pulls) @ places)
    return places


def _stress(places: Floats, wanted: Floats) -> float:
    return float((_weights(wanted) * (_apart(places) - wanted) ** 2).sum())


def _weights(wanted: Floats) -> Floats:
    """Return for every two cells how much an error of their distance counts. The larger the
    distance in `wanted`, the less the error counts."""
    return np.where(wanted > 0, 1 / np.maximum(wanted, 1) ** 2, 0)


def _apart(places: Floats) -> Floats:
    distances: Floats = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))
    return distances
