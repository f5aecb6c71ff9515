"""Counting for engines that only solve: branch on boxes, count each residual problem once. Such an
engine says whether a problem has a solution, and perhaps what follows from the problem.

`count_by_branching` takes a region and a `Reasoner`, and returns the `RegionCount`. The value of a
box is its number of mines. A residual problem is a connected set of boxes that have no value yet,
with the remaining requirements of their constraints. The search gives one of these boxes each of
its values in turn. For each value, the reasoner finds which values of other boxes follow, or that
no values fit. The boxes that still have no value then form smaller residual problems.

Several branches of the search may lead to the same residual problem. The search expands this
problem only once, and all these branches use the result. Therefore the reasoner gets only this
problem, as a `Part`, and nothing else of a branch. (Suppose that the reasoner also got another
residual problem of the branch, and that this other problem had no solution. Then the reasoner would
answer that no values fit. This answer would be wrong for the other branches.)

The residual problems make a graph, and `solution_graph` counts from this graph. The root is the
whole region. The root has at most one edge, for the values that follow before the first choice.
Every other problem has an edge for each value that its next box may have. An edge has the boxes
that get a value, a weight, and the residual problems that remain, called children. The weight is
the product of two numbers: the ways to place the mines in these boxes, and the weight of the
constraints that this edge completes. A child has fewer boxes than its parent, unless the parent is
the root.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb, prod
from typing import Protocol

from csp_mines.backend import Deadline, RegionCount
from csp_mines.constraints import BoxConstraint, Region
from csp_mines.errors import TooWide

from .native.order import elimination_order
from .solution_graph import Edge, Node, count_graph

STATES_EACH = 4  # a residual problem counts as 4 states: it takes 2 to 7 kB, a state about 2 kB

Values = Mapping[int, int]  # box to its number of mines
Domains = Mapping[int, tuple[int, int]]  # box to its least and most mines


@dataclass(frozen=True)
class Part:
    """A problem for a `Reasoner`: which values can `boxes` have, if `values` are given and all
    `constraints` hold? Boxes and constraints are indexes into `Region.boxes` and
    `Region.constraints`. Every box of these constraints is in `boxes` or in `values`."""

    boxes: Sequence[int]
    constraints: Sequence[int]
    values: Values


class Reasoner(Protocol):
    """What `count_by_branching` needs from an engine."""

    def narrow(self, part: Part) -> Domains | None:
        """Return the least and the most mines of each box in `part.boxes`. These bounds must hold
        in all solutions of `part`. Return None only if `part` has no solution. The search checks
        all constraints itself. So if bounds are too loose, or if there are bounds although `part`
        has no solution, the count stays right and only takes longer."""


def count_by_branching(
    region: Region, reasoner: Reasoner, max_states: int, deadline: Deadline
) -> RegionCount:
    """Return the count of `region`. Raises what `reasoner` raises, OutOfTime after the deadline,
    and TooWide if the residual problems count as more than `max_states` states. Each residual
    problem counts as `STATES_EACH` states."""
    graph = _Graph(region, reasoner, max_states, deadline)
    graph.explore()
    upwards = sorted(range(1, len(graph.nodes)), key=lambda number: len(graph.boxes[number]))
    return count_graph(region, graph.nodes, [*upwards, 0], deadline, len(graph.nodes))


def narrow_by_bounds(region: Region, part: Part) -> dict[int, tuple[int, int]] | None:
    """Do what `Reasoner.narrow` says, by bounds propagation alone. `part` is a part of `region`.
    This function serves solvers that do not say which values follow."""
    low = dict.fromkeys(part.boxes, 0) | dict(part.values)
    high = {box: len(region.boxes[box]) for box in part.boxes} | dict(part.values)
    constraints = [region.constraints[index] for index in part.constraints]
    changed = True
    while changed:
        changed = False
        for constraint in constraints:
            spare = constraint.high - sum([low[box] for box in constraint.boxes])
            short = constraint.low - sum([high[box] for box in constraint.boxes])
            if spare < 0 or short > 0:
                return None
            for box in constraint.boxes:
                most, least = low[box] + spare, high[box] + short
                if most < high[box]:
                    short += high[box] - most
                    high[box] = most
                    changed = True
                if least > low[box]:
                    spare -= least - low[box]
                    low[box] = least
                    changed = True
    return {box: (low[box], high[box]) for box in part.boxes}


# The boxes of a residual problem, and for each constraint its index and the result of `_left`.
_Key = tuple[tuple[int, ...], tuple[tuple[int, int, int], ...]]


class _Graph:
    """The graph of residual problems. Node 0 is the root."""

    def __init__(
        self, region: Region, reasoner: Reasoner, max_states: int, deadline: Deadline
    ) -> None:
        self.region = region
        self.reasoner = reasoner
        self.max_states = max_states
        self.deadline = deadline
        self.sizes = [len(box) for box in region.boxes]
        self.of_box = region.of_box
        order = elimination_order(region, deadline)
        self.rank = {box: place for place, box in enumerate(order)}
        self.nodes: list[Node] = [[]]
        self.boxes: list[Sequence[int]] = [range(len(self.sizes))]  # of each node
        self.numbers: dict[_Key, int] = {}
        self.tasks: list[tuple[int, Part]] = []  # nodes to expand

    def explore(self) -> None:
        everything = range(len(self.sizes)), range(len(self.region.constraints))
        self._try(0, Part(*everything, {}), ())
        while self.tasks:
            self.deadline.check()
            number, part = self.tasks.pop()
            box = min(part.boxes, key=self.rank.__getitem__)
            rest = [other for other in part.boxes if other != box]
            least, most = self._range(part, box)
            for mines in range(least, most + 1):
                given = Part(rest, part.constraints, {**part.values, box: mines})
                self._try(number, given, ((box, mines),))

    def _range(self, part: Part, box: int) -> tuple[int, int]:
        """Return the least and the greatest number of mines that a box may have. Each constraint of
        `part` with this box limits the number, whatever the other boxes without a value contain. If
        the limits leave no number, the first returned number is greater than the second."""
        least, most = 0, self.sizes[box]
        for index in self.of_box[box]:
            if index in part.constraints:
                constraint = self.region.constraints[index]
                placed, cells = self._filled(constraint, part.values)
                least = max(least, constraint.low - placed - (cells - self.sizes[box]))
                most = min(most, constraint.high - placed)
        return least, most

    def _try(self, number: int, part: Part, chosen: tuple[tuple[int, int], ...]) -> None:
        """Add an edge to node `number`. The edge gives boxes the values `chosen`, and the values
        that the reasoner finds to follow. If these values do not fit, add no edge. `part` is the
        residual problem after the choice: its `values` contain `chosen`."""
        domains = self.reasoner.narrow(part)
        if domains is None:
            return
        fixed = [*chosen, *((box, low) for box, (low, high) in domains.items() if low == high)]
        values = {**part.values, **dict(fixed)}
        weight = prod(comb(self.sizes[box], mines) for box, mines in fixed)
        open_ones: dict[int, tuple[int, int]] = {}
        for index in part.constraints:
            constraint = self.region.constraints[index]
            placed, cells = self._filled(constraint, values)
            if cells:
                left = _left(constraint, placed, cells)
                if left is not None:
                    open_ones[index] = left
            elif not constraint.low <= placed <= constraint.high:
                return  # this constraint is broken, but a reasoner need not find that out
            elif constraint.weights is not None:
                weight *= constraint.weights[placed]
        if weight:
            children = tuple(self._number(*split) for split in self._split(part, values, open_ones))
            self.nodes[number].append(Edge(tuple(fixed), weight, children))

    def _split(
        self, part: Part, values: Values, open_ones: Mapping[int, tuple[int, int]]
    ) -> Iterable[tuple[list[int], dict[int, tuple[int, int]], Values]]:
        """Split the boxes of `part` that have no value in `values` into connected sets. For each
        set, yield its boxes, the entries of `open_ones` for its constraints, and the values of the
        other boxes of these constraints. `open_ones` has, for the index of each constraint that
        still requires something, the result of `_left`. The other constraints always hold, so they
        connect no boxes."""
        seen: set[int] = set()
        for start in part.boxes:
            if start in seen or start in values:
                continue
            boxes, asked = [start], dict[int, tuple[int, int]]()
            near: dict[int, int] = {}
            seen.add(start)
            for box in boxes:
                for index in self.of_box[box]:
                    if index in asked or index not in open_ones:
                        continue
                    asked[index] = open_ones[index]
                    for other in self.region.constraints[index].boxes:
                        if other in values:
                            near[other] = values[other]
                        elif other not in seen:
                            seen.add(other)
                            boxes.append(other)
            yield boxes, asked, near

    def _filled(self, constraint: BoxConstraint, values: Values) -> tuple[int, int]:
        """Return two numbers for a constraint: the mines in its boxes with a value, and the cells
        in its boxes without a value."""
        placed = cells = 0
        for box in constraint.boxes:
            if box in values:
                placed += values[box]
            else:
                cells += self.sizes[box]
        return placed, cells

    def _number(self, boxes: list[int], asked: Mapping[int, tuple[int, int]], near: Values) -> int:
        """Return the number of the node for a residual problem, given as `_split` yields it. If
        there is no such node yet, add it to `nodes` and to `tasks`. Raises TooWide if there are too
        many nodes."""
        boxes.sort()
        indexes = sorted(asked)
        key = tuple(boxes), tuple((index, *asked[index]) for index in indexes)
        number = self.numbers.get(key)
        if number is None:
            number = self.numbers[key] = len(self.nodes)
            if STATES_EACH * number > self.max_states:
                raise TooWide(STATES_EACH * number, self.max_states)
            self.nodes.append([])
            self.boxes.append(key[0])
            self.tasks.append((number, Part(key[0], indexes, near)))
        return number


def _left(constraint: BoxConstraint, placed: int, cells: int) -> tuple[int, int] | None:
    """Return what a constraint still requires of its boxes without a value, or None if it requires
    nothing. `cells` is the number of cells in these boxes, and `placed` is the number of mines in
    the other boxes of the constraint.

    Without weights, the result is the least and the most mines that the boxes without a value may
    have together. With weights, the result is `(placed, placed)`. In both cases, equal results for
    the same boxes mean equal requirements."""
    if constraint.weights is not None:
        return placed, placed
    low, high = max(constraint.low - placed, 0), min(constraint.high - placed, cells)
    return None if low == 0 and high == cells else (low, high)
