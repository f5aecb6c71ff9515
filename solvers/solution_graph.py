"""Count the solutions of a region from a graph, for `branching` and `sdd`.

A node of the graph is a problem about some boxes or cells, and has an edge for each way to begin
solving the problem. An edge gives boxes some mines, has a weight, and leads to the problems that
remain, called children. The children of an edge are independent: the solutions of the edge combine
any solutions of its children. No solution belongs to two edges. The root is the whole region. The
count has two steps:

1. For each node, from the children to the parents, compute the number of its completions: its
   solutions, each with its weight. Remove every edge that has a child without completions.
2. For each node, compute two polynomials, with a coefficient for each number of mines: the ways to
   complete the node (from the children to the parents), and the ways to reach the node (from the
   root down). The two polynomials give the mines of every box. Each polynomial is one integer, and
   is computed once, however many paths lead to the node.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

from csp_mines.backend import Deadline, RegionCount
from csp_mines.constraints import Region
from csp_mines.polynomial import unpack


class Edge(NamedTuple):
    """One way to begin solving the problem of a node."""

    fixed: tuple[tuple[int, int], ...]  # boxes, each with the mines that it gets
    weight: int
    children: tuple[int, ...]  # indexes of nodes

    @property
    def mines(self) -> int:
        """The mines that the edge gives to boxes."""
        return sum(mines for _, mines in self.fixed)


Node = list[Edge]


def count_graph(
    region: Region,
    nodes: Sequence[Node],
    upwards: Sequence[int],
    deadline: Deadline,
    states: int | None = None,
) -> RegionCount:
    """Return the count of `region`. `upwards` has the indexes of all nodes, children before
    parents; the last one is the root. `states` becomes a field of the count. The function removes
    the edges without completions from the nodes. Raises OutOfTime after the deadline."""
    root = upwards[-1]
    completions = _values(nodes, upwards, 0, deadline)
    if not completions[root]:
        return RegionCount.none(region)
    for node in nodes:
        node[:] = [
            edge
            for edge in node
            if edge.weight and all(map(completions.__getitem__, edge.children))
        ]
    cells = len(region.cells)
    width = (completions[root] * cells).bit_length() // 8 + 1
    ways = _values(nodes, upwards, 8 * width, deadline)
    shares = _shares(len(region.boxes), nodes, upwards, (ways, 8 * width), deadline)
    return RegionCount.of(
        unpack(ways[root], width, cells + 1),
        [unpack(share, width, cells + 1) for share in shares],
        [_solution(len(region.boxes), nodes, root, end) for end in (0, -1)],
        states,
    )


def _values(
    nodes: Sequence[Node], upwards: Sequence[int], bits: int, deadline: Deadline
) -> list[int]:
    """Return a polynomial for every node: coefficient `m` counts the completions with `m` mines,
    each with its weight. Each polynomial is packed with `bits` bits per coefficient. If `bits` is
    0, return the sum of the coefficients instead of the polynomial."""
    values = [0] * len(nodes)
    for number in upwards:
        deadline.check()
        values[number] = sum(
            edge.weight * prod([values[child] for child in edge.children]) << bits * edge.mines
            for edge in nodes[number]
        )
    return values


def _shares(
    boxes: int,
    nodes: Sequence[Node],
    upwards: Sequence[int],
    packed: tuple[Sequence[int], int],
    deadline: Deadline,
) -> list[int]:
    """Return a packed polynomial for each box: coefficient `m` is the number of mines in the box,
    summed over all solutions with `m` mines, each with its weight. `packed` has the result of
    `_values`, and the `bits` of its polynomials."""
    ways, bits = packed
    outer = [0] * len(nodes)
    outer[upwards[-1]] = 1
    shares = [0] * boxes
    for number in reversed(upwards):
        if not outer[number]:
            continue
        deadline.check()
        for edge in nodes[number]:
            here = outer[number] * edge.weight << bits * edge.mines
            for place, child in enumerate(edge.children):
                siblings = edge.children[:place] + edge.children[place + 1 :]
                outer[child] += here * prod([ways[other] for other in siblings])
            if edge.fixed:
                through = here * prod([ways[child] for child in edge.children])
                for box, mines in edge.fixed:
                    shares[box] += through * mines
    return shares


def _solution(boxes: int, nodes: Sequence[Node], root: int, end: int) -> list[int]:
    """Return the mines of every box in one solution. The solution takes the first edge of every
    node if `end` is 0, and the last edge if `end` is -1."""
    values = [0] * boxes
    numbers = [root]
    for number in numbers:
        edge = nodes[number][end]
        numbers += edge.children
        for box, mines in edge.fixed:
            values[box] += mines
    return values
