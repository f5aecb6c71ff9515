"""Counting for engines that only solve: branch on boxes, count each residual problem once. Such an
engine can only say what follows from a problem, and whether it has a solution.

`count_by_branching` takes a region and a `Reasoner`, and returns the `RegionCount`. The value of a
box is its number of mines. A residual problem is a connected set of boxes that have no value yet,
with the remaining requirements of their constraints. The search gives one of these boxes each of
its values in turn. The reasoner finds which values of other boxes follow, or that no values fit.
The boxes that still have no value then form smaller residual problems. If several branches lead to
the same residual problem, the search expands it only once, and all these branches use the result.
Therefore the reasoner sees only the residual problem, as a `Part`, and nothing else of a branch.
(Suppose that the reasoner also saw the other residual problems of the branch, and that one of them
had no solution. Then the reasoner would find no solution at all, and the other branches would use
this wrong result for the residual problem that they share.)

The count has three steps:

1. Build the graph of residual problems. It has an edge for every value that was tried: the boxes
   that the value fixes, the weight of fixing them (the ways to place the mines in each box, and the
   weights of completed constraints), and the residual problems that remain, called children. Each
   child has fewer boxes than its parent.
2. Count the completions of each residual problem in plain numbers, the smallest problem first.
3. For each residual problem, compute two polynomials, with a coefficient for each number of mines:
   the ways to complete the problem (from the smallest problem up), and the ways to reach it (from
   the whole region down). Together they give the mines of every box. Each polynomial is packed into
   one integer. Each problem is visited twice, however many paths lead to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb, prod
from typing import Protocol

from csp_mines.backend import Deadline, RegionCount
from csp_mines.constraints import BoxConstraint, Region
from csp_mines.errors import TooWide
from csp_mines.polynomial import unpack

from .native.order import elimination_order

STATES_EACH = 4  # a residual problem counts as 4 states: it takes 2 to 7 kB, a state about 2 kB

Values = Mapping[int, int]  # box to its number of mines
Domains = Mapping[int, tuple[int, int]]  # box to its least and most mines


@dataclass(frozen=True)
class Part:
    """A residual problem, by index: the `boxes` without a value, the `constraints` over them that
    can still be violated, and the `values` of the other boxes of these constraints."""

    boxes: Sequence[int]
    constraints: Sequence[int]
    values: Values


class Reasoner(Protocol):
    """The method that an engine offers to `count_by_branching`."""

    def narrow(self, part: Part) -> Domains | None:
        """Return, for each box of the part, bounds on its mines that hold in all solutions of the
        part. Return None only if the part has no solution. Bounds that are not tight only cost
        time, because the search checks every value."""


def count_by_branching(
    region: Region, reasoner: Reasoner, max_states: int, deadline: Deadline
) -> RegionCount:
    """Count `region`. A residual problem takes as much memory as `STATES_EACH` states of an
    elimination. Raises TooWide if all residual problems together take more memory than `max_states`
    states would, and OutOfTime after the deadline."""
    graph = _Graph(region, reasoner, max_states, deadline)
    graph.explore()
    return _evaluate(region, graph.nodes, deadline)


def narrow_by_bounds(region: Region, part: Part) -> dict[int, tuple[int, int]] | None:
    """Return bounds on the mines of boxes, as `Reasoner.narrow` does, by bounds propagation alone.
    This serves engines that can only look for a solution."""
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


@dataclass(frozen=True)
class _Edge:
    """A value that was tried for a box: the boxes that it fixes, and the residual problems that
    remain."""

    fixed: tuple[tuple[int, int], ...]  # boxes and their mines
    weight: int
    children: tuple[int, ...]

    @property
    def mines(self) -> int:
        return sum(mines for _, mines in self.fixed)


@dataclass
class _Node:
    """A residual problem. The search tries the values of one box. `edges` has one edge for each
    value that may fit."""

    boxes: tuple[int, ...]
    edges: list[_Edge]


# The boxes of a residual problem, and for each constraint its index and the result of `_left`.
_Key = tuple[tuple[int, ...], tuple[tuple[int, int, int], ...]]


class _Graph:
    """The graph of residual problems; node 0 is the whole region."""

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
        self.nodes = [_Node(tuple(range(len(self.sizes))), [])]
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
        """Return the least and the most mines of a box that fit each of its constraints, taken
        alone."""
        least, most = 0, self.sizes[box]
        for index in self.of_box[box]:
            if index in part.constraints:
                constraint = self.region.constraints[index]
                placed, cells = self._filled(constraint, part.values)
                least = max(least, constraint.low - placed - (cells - self.sizes[box]))
                most = min(most, constraint.high - placed)
        return least, most

    def _try(self, number: int, part: Part, chosen: tuple[tuple[int, int], ...]) -> None:
        """Give boxes the values `chosen`, let the reasoner find the values that follow, and add one
        edge to node `number`. If no values fit, add no edge. `part` is the residual problem in
        which the boxes have the values `chosen`."""
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
                return  # a reasoner need not notice that this constraint is broken
            elif constraint.weights is not None:
                weight *= constraint.weights[placed]
        if weight:
            children = tuple(self._number(*split) for split in self._split(part, values, open_ones))
            self.nodes[number].edges.append(_Edge(tuple(fixed), weight, children))

    def _split(
        self, part: Part, values: Values, open_ones: Mapping[int, tuple[int, int]]
    ) -> Iterable[tuple[list[int], dict[int, tuple[int, int]], Values]]:
        """Split the boxes of `part` that have no value in `values` into connected sets. Yield each
        set with its constraints, as `_left` describes them, and with the values of the other boxes
        of these constraints. Constraints outside `open_ones` always hold and connect nothing."""
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
        """Return the mines placed in a constraint, and the number of its cells without a value."""
        placed = cells = 0
        for box in constraint.boxes:
            if box in values:
                placed += values[box]
            else:
                cells += self.sizes[box]
        return placed, cells

    def _number(self, boxes: list[int], asked: Mapping[int, tuple[int, int]], near: Values) -> int:
        """Return the number of the node of a residual problem that `_split` yielded. If there is no
        such node yet, add it to `nodes` and to `tasks`."""
        boxes.sort()
        indexes = sorted(asked)
        key = tuple(boxes), tuple((index, *asked[index]) for index in indexes)
        number = self.numbers.get(key)
        if number is None:
            number = self.numbers[key] = len(self.nodes)
            if STATES_EACH * number > self.max_states:
                raise TooWide(STATES_EACH * number, self.max_states)
            self.nodes.append(_Node(key[0], []))
            self.tasks.append((number, Part(key[0], indexes, near)))
        return number


def _left(constraint: BoxConstraint, placed: int, cells: int) -> tuple[int, int] | None:
    """Return what a constraint still requires, or None if it requires nothing more. `cells` of its
    cells have no value yet; its other cells have `placed` mines. Without weights, the result is a
    pair of bounds on the mines of the cells without a value. With weights, it is
    `(placed, placed)`. In both forms, equal results mean equal requirements."""
    if constraint.weights is not None:
        return placed, placed
    low, high = max(constraint.low - placed, 0), min(constraint.high - placed, cells)
    return None if low == 0 and high == cells else (low, high)


def _evaluate(region: Region, nodes: list[_Node], deadline: Deadline) -> RegionCount:
    """Compute the count of the region from the graph of its residual problems."""
    upwards = sorted(range(len(nodes)), key=lambda number: len(nodes[number].boxes))
    upwards.remove(0)
    upwards.append(0)
    completions = _values(nodes, upwards, 0, deadline)
    cells = sum(len(box) for box in region.boxes)
    if not completions[0]:
        return RegionCount.of((), [()] * len(region.boxes))
    for node in nodes:
        node.edges[:] = [
            edge for edge in node.edges if all(completions[child] for child in edge.children)
        ]
    width = (completions[0] * cells).bit_length() // 8 + 1
    ways = _values(nodes, upwards, 8 * width, deadline)
    shares = _shares(len(region.boxes), nodes, upwards, (ways, 8 * width), deadline)
    return RegionCount.of(
        unpack(ways[0], width, cells + 1),
        [unpack(share, width, cells + 1) for share in shares],
        [_solution(len(region.boxes), nodes, end) for end in (0, -1)],
        len(nodes),
    )


def _values(
    nodes: Sequence[_Node], upwards: Sequence[int], bits: int, deadline: Deadline
) -> list[int]:
    """Return a polynomial for every node: coefficient `m` counts the completions with `m` mines.
    Each polynomial is packed with `bits` bits per coefficient; with 0 bits, it is the number of all
    completions. `upwards` lists the nodes, children before parents."""
    values = [0] * len(nodes)
    for number in upwards:
        deadline.check()
        values[number] = sum(
            edge.weight * prod(values[child] for child in edge.children) << bits * edge.mines
            for edge in nodes[number].edges
        )
    return values


def _shares(
    boxes: int,
    nodes: Sequence[_Node],
    upwards: Sequence[int],
    packed: tuple[Sequence[int], int],
    deadline: Deadline,
) -> list[int]:
    """Return a packed polynomial for each box: coefficient `m` is the sum of the box's mines over
    all solutions with `m` mines. `packed` has the result of `_values` and its `bits`."""
    ways, bits = packed
    outer = [0] * len(nodes)
    outer[0] = 1
    shares = [0] * boxes
    for number in reversed(upwards):
        if not outer[number]:
            continue
        deadline.check()
        for edge in nodes[number].edges:
            here = outer[number] * edge.weight << bits * edge.mines
            for place, child in enumerate(edge.children):
                siblings = edge.children[:place] + edge.children[place + 1 :]
                outer[child] += here * prod(ways[other] for other in siblings)
            through = here * prod(ways[child] for child in edge.children)
            for box, mines in edge.fixed:
                if mines:
                    shares[box] += through * mines
    return shares


def _solution(boxes: int, nodes: Sequence[_Node], end: int) -> list[int]:
    """Return the solution that follows the first edge of every node (`end` 0) or the last (-1)."""
    values = [0] * boxes
    numbers = [0]
    for number in numbers:
        edge = nodes[number].edges[end]
        numbers += edge.children
        for box, mines in edge.fixed:
            values[box] = mines
    return values
