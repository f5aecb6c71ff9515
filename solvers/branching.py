"""Counting by branching: an engine refutes and narrows, this module splits and remembers.

Given a region and a `Reasoner`, `count_by_branching` returns its `RegionCount`. A residual problem
is a connected set of boxes that are not fixed yet, with what the constraints over them still ask
for. One box of it is given each of its values in turn; the reasoner says what follows, or that
nothing fits; what is left falls into connected residual problems again. Equal ones are expanded
once.

1. The graph: residual problems and, for every value tried, the boxes that it fixed, the weight of
   fixing them (ways to place the mines in each box, weights of the constraints that are complete),
   and the residual problems that remain. Children always have fewer boxes.
2. Plain numbers, smallest residual problem first: how many completions each one has.
3. Polynomials in the number of mines, packed into one integer each: from the smallest up, how each
   residual problem can be completed; from the whole region down, how it can be reached. Together
   they give the mines of every box, and a node is visited twice, however many paths lead to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb, prod
from typing import Protocol

from csp_mines.backend import RegionCount
from csp_mines.constraints import Region
from csp_mines.errors import TooWide
from csp_mines.polynomial import unpack
from solvers.native.order import elimination_order

__all__ = ["Domains", "Reasoner", "Values", "count_by_branching", "narrow_by_bounds"]

STATES_EACH = 4  # measured: a residual problem with its edges and polynomials takes 2 to 7 kB

Values = Mapping[int, int]  # box to its number of mines
Domains = Sequence[tuple[int, int]]  # least and most mines of every box


class Reasoner(Protocol):
    """What branching asks of an engine."""

    def narrow(self, values: Values) -> Domains | None:
        """Bounds on the mines of every box that follow from `values`; None when nothing fits.
        What it concludes about a box must follow from the constraints that are connected with that
        box through boxes without a value; a whole that has a solution makes sure of that."""


def count_by_branching(region: Region, reasoner: Reasoner, max_states: int) -> RegionCount:
    """Counts `region`. Raises TooWide when the residual problems that come up, each as large as
    `STATES_EACH` states of a sweep, are more than `max_states`."""
    graph = _Graph(region, reasoner, max_states)
    graph.explore()
    return _evaluate(region, graph.nodes)


def narrow_by_bounds(region: Region, values: Values) -> list[tuple[int, int]] | None:
    """What bounds propagation alone concludes: for engines that cannot be asked for less than
    a solution."""
    low = [values.get(box, 0) for box in range(len(region.boxes))]
    high = [values.get(box, len(cells)) for box, cells in enumerate(region.boxes)]
    changed = True
    while changed:
        changed = False
        for one in region.constraints:
            spare = one.high - sum(low[box] for box in one.boxes)
            short = one.low - sum(high[box] for box in one.boxes)
            if spare < 0 or short > 0:
                return None
            for box in one.boxes:
                most, least = low[box] + spare, high[box] + short
                if most < high[box]:
                    short += high[box] - most
                    high[box] = most
                    changed = True
                if least > low[box]:
                    spare -= least - low[box]
                    low[box] = least
                    changed = True
    return list(zip(low, high, strict=True))


@dataclass(frozen=True)
class _Edge:
    fixed: tuple[tuple[int, int], ...]  # boxes and their mines
    weight: int
    children: tuple[int, ...]

    @property
    def mines(self) -> int:
        return sum(mines for _, mines in self.fixed)


@dataclass
class _Node:
    """A residual problem, and an edge for each value of one of its boxes that may fit."""

    boxes: tuple[int, ...]
    edges: list[_Edge]


# The boxes, and for each constraint that still says something what it says.
_Key = tuple[tuple[int, ...], tuple[tuple[int, int, int], ...]]


@dataclass(frozen=True)
class _Task:
    """A node to expand: where it was met first, and what its branching box may take there."""

    node: int
    values: dict[int, int]
    box: int
    domain: tuple[int, int]


class _Graph:
    """The graph of residual problems; node 0 is the whole region."""

    def __init__(self, region: Region, reasoner: Reasoner, max_states: int) -> None:
        self.region = region
        self.reasoner = reasoner
        self.max_states = max_states
        self.sizes = [len(box) for box in region.boxes]
        self.of_box = region.of_box
        self.rank = {box: place for place, box in enumerate(elimination_order(region))}
        self.nodes = [_Node(tuple(range(len(self.sizes))), [])]
        self.numbers: dict[_Key, int] = {}
        self.tasks: list[_Task] = []

    def explore(self) -> None:
        self._try(0, {})
        while self.tasks:
            task = self.tasks.pop()
            least, most = task.domain
            for mines in range(least, most + 1):
                self._try(task.node, task.values | {task.box: mines})

    def _try(self, number: int, values: dict[int, int]) -> None:
        """Adds the edge that leads on from `values`, unless nothing fits. Only boxes of the node
        are fixed: what is connected with it in no other way is counted elsewhere."""
        domains = self.reasoner.narrow(values)
        if domains is None:
            return
        node = self.nodes[number]
        fixed = [(box, domains[box][0]) for box in node.boxes if domains[box][0] == domains[box][1]]
        values = values | dict(fixed)
        children = tuple(
            self._number(boxes, constraints, values, domains)
            for boxes, constraints in self._split(node.boxes, values)
        )
        weight = prod(comb(self.sizes[box], mines) for box, mines in fixed)
        node.edges.append(_Edge(tuple(fixed), weight * self._closed(fixed, values), children))

    def _closed(self, fixed: Iterable[tuple[int, int]], values: Values) -> int:
        """The weight of the constraints whose last boxes were fixed just now."""
        weight = 1
        for index in {index for box, _ in fixed for index in self.of_box[box]}:
            one = self.region.constraints[index]
            if one.weights is not None and all(box in values for box in one.boxes):
                weight *= one.weights[sum(values[box] for box in one.boxes)]
        return weight

    def _split(
        self, boxes: Iterable[int], values: Values
    ) -> Iterable[tuple[list[int], dict[int, tuple[int, int]]]]:
        """The connected parts of the boxes without a value, with what each constraint over them
        still says. A constraint that can no longer be missed says, and connects, nothing."""
        seen: set[int] = set()
        for start in boxes:
            if start in seen or start in values:
                continue
            part, asked = [start], dict[int, tuple[int, int]]()
            seen.add(start)
            for box in part:
                for index in self.of_box[box]:
                    if index in asked or (left := self._left(index, values)) is None:
                        continue
                    asked[index] = left
                    for other in self.region.constraints[index].boxes:
                        if other not in seen and other not in values:
                            seen.add(other)
                            part.append(other)
            yield part, asked

    def _left(self, index: int, values: Values) -> tuple[int, int] | None:
        """What a constraint says about its boxes without a value, the same whenever it means the
        same: bounds within what is possible, or the mines placed where those decide its weight."""
        one = self.region.constraints[index]
        placed = cells = 0
        for box in one.boxes:
            if box in values:
                placed += values[box]
            else:
                cells += self.sizes[box]
        if one.weights is not None:
            return placed, placed
        low, high = max(one.low - placed, 0), min(one.high - placed, cells)
        return None if low == 0 and high == cells else (low, high)

    def _number(
        self,
        boxes: list[int],
        asked: Mapping[int, tuple[int, int]],
        values: dict[int, int],
        domains: Domains,
    ) -> int:
        """The node of a residual problem; a new one is put on the list to expand."""
        boxes.sort()
        key = tuple(boxes), tuple((index, *asked[index]) for index in sorted(asked))
        number = self.numbers.get(key)
        if number is None:
            number = self.numbers[key] = len(self.nodes)
            if STATES_EACH * number > self.max_states:
                raise TooWide(STATES_EACH * number, self.max_states)
            self.nodes.append(_Node(key[0], []))
            box = min(boxes, key=self.rank.__getitem__)
            self.tasks.append(_Task(number, values, box, domains[box]))
        return number


def _evaluate(region: Region, nodes: list[_Node]) -> RegionCount:
    """Reads the count off the graph."""
    upwards = sorted(range(len(nodes)), key=lambda number: len(nodes[number].boxes))
    upwards.remove(0)
    upwards.append(0)
    completions = _values(nodes, upwards, 0)
    cells = sum(len(box) for box in region.boxes)
    if not completions[0]:
        return RegionCount.of((), [()] * len(region.boxes))
    for node in nodes:
        node.edges[:] = [
            edge for edge in node.edges if all(completions[child] for child in edge.children)
        ]
    width = (completions[0] * cells).bit_length() // 8 + 1
    ways = _values(nodes, upwards, 8 * width)
    shares = _shares(len(region.boxes), nodes, upwards, ways, 8 * width)
    return RegionCount.of(
        unpack(ways[0], width, cells + 1), [unpack(share, width, cells + 1) for share in shares]
    )


def _values(nodes: Sequence[_Node], upwards: Sequence[int], bits: int) -> list[int]:
    """The polynomial of every node, packed with `bits` a coefficient; with 0 bits, its value at 1:
    the number of completions."""
    values = [0] * len(nodes)
    for number in upwards:
        values[number] = sum(
            edge.weight * prod(values[child] for child in edge.children) << bits * edge.mines
            for edge in nodes[number].edges
        )
    return values


def _shares(
    boxes: int, nodes: Sequence[_Node], upwards: Sequence[int], ways: Sequence[int], bits: int
) -> list[int]:
    """Per box, the packed polynomial of its mines summed over all solutions."""
    outer = [0] * len(nodes)
    outer[0] = 1
    shares = [0] * boxes
    for number in reversed(upwards):
        if not outer[number]:
            continue
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
