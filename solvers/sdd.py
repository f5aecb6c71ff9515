"""The engine `sdd`: counting by knowledge compilation, with PySDD.

The engine compiles a region into a sentential decision diagram over the cells of the region. (The
library orders the variables of a diagram by a binary tree, the vtree, whose leaves are the
variables.) The models of the diagram are the solutions of the region. `solution_graph` counts them,
because the library's own counts overflow at 2⁶⁴ or are floats.

A constraint with weights gets a weight variable for each number of mines that it allows. In the
models in which the constraint has this number of mines, the weight variable is true and multiplies
the weight of the model by the weight of this number.

PySDD runs in a process apart, because compiling may take any time and memory inside the library.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from csp_mines.backend import Deadline, RegionCount
from csp_mines.constraints import BoxConstraint, Region
from csp_mines.errors import TooWide

from .counted import Counted
from .native.order import elimination_order
from .solution_graph import Edge, Node, count_graph

LEAST_MEMORY = 256 << 20  # bytes; the library takes about 150 MiB for the smallest region


class Sdd(Counted):
    """A complete engine that compiles each region into a decision diagram."""

    name = "sdd"
    summary = "knowledge compilation by PySDD: one diagram for each region"
    module = library = "pysdd"
    install = "csp-mines[engines]"

    def count(self, region: Region) -> RegionCount:
        deadline = self.counting_deadline()
        counted: RegionCount = self.call_apart(
            _count, region, self.python_states, deadline.left,
            deadline=deadline, least_memory=LEAST_MEMORY,
        )  # fmt: skip
        return counted


def _count(region: Region, max_states: int, seconds: float) -> RegionCount:
    """Return the count of a region. Raises TooWide if the diagram has more than `max_states`
    elements, OutOfTime after `seconds`. This function runs in the process apart."""
    deadline = Deadline(seconds, Sdd.name)
    compiled = _Compiled(region, max_states, deadline)
    nodes = _nodes(compiled)
    return count_graph(region, nodes, range(len(nodes)), deadline)


class _Compiled:
    """A region as a diagram, `root`. Variables 1, 2, … are the cells, box by box in the order of
    `elimination_order`; `box` lists the boxes of these variables, and `of_box` has the variables of
    each box. The weight variables follow; `weights` has the weight of each weight variable."""

    def __init__(self, region: Region, max_states: int, deadline: Deadline) -> None:
        from pysdd.sdd import SddManager, Vtree

        self.max_states, self.deadline = max_states, deadline
        self.box: list[int] = []
        self.of_box: dict[int, range] = {}
        for box in elimination_order(region, deadline):
            size = len(region.boxes[box])
            self.of_box[box] = range(len(self.box) + 1, len(self.box) + 1 + size)
            self.box += [box] * size
        self.weights: dict[int, int] = {}
        by_mines = [self._weight_variables(constraint) for constraint in region.constraints]
        order = list(self._order(region, by_mines))
        # On dense boards, a balanced vtree takes three times as long.
        vtree = Vtree(var_count=len(order), var_order=order, vtree_type="right")
        self.manager: Any = SddManager.from_vtree(vtree)
        self.root: Any = self.manager.true()
        self.root.ref()
        for place in sorted(
            range(len(by_mines)), key=lambda place: self._last(region.constraints[place])
        ):
            self._conjoin(self._sum(region.constraints[place], by_mines[place]))

    def _last(self, constraint: BoxConstraint) -> int:
        return max(self.of_box[box][-1] for box in constraint.boxes)

    def _weight_variables(self, constraint: BoxConstraint) -> dict[int, int]:
        """Make a weight variable for each number of mines that the constraint allows. Return a
        dictionary from these numbers to the variables. For a constraint without weights, make no
        variables and return an empty dictionary."""
        if constraint.weights is None:
            return {}
        first = len(self.box) + len(self.weights) + 1
        told = constraint.weights[constraint.low : constraint.high + 1]
        self.weights |= {first + place: weight for place, weight in enumerate(told)}
        return {constraint.low + place: first + place for place in range(len(told))}

    def _order(self, region: Region, by_mines: Sequence[Mapping[int, int]]) -> Iterator[int]:
        """Yield all variables: the cells in order, and after the last cell of each constraint the
        weight variables of the constraint. `by_mines` has the result of `_weight_variables` for
        each constraint."""
        due: dict[int, list[int]] = {}
        for constraint, variables in zip(region.constraints, by_mines, strict=True):
            due.setdefault(self._last(constraint), []).extend(variables.values())
        for cell in range(1, len(self.box) + 1):
            yield cell
            yield from due.get(cell, ())

    def _sum(self, constraint: BoxConstraint, by_mines: Mapping[int, int]) -> Any:
        """Return the diagram of a constraint. `by_mines` is the result of `_weight_variables` for
        the constraint."""
        manager = self.manager
        ways = [manager.true()]  # ways[m]: `m` of the cells so far are mines
        for cell in sorted(cell for box in constraint.boxes for cell in self.of_box[box]):
            mine, safe = manager.literal(cell), manager.literal(-cell)
            without = [*(way & safe for way in ways), manager.false()]
            ways = [
                way | (ways[mines - 1] & mine) if mines else way
                for mines, way in enumerate(without)
            ]
        fitting = manager.false()
        for mines in range(constraint.low, constraint.high + 1):
            way = ways[mines]
            for number, variable in by_mines.items():
                way &= manager.literal(variable if number == mines else -variable)
            fitting |= way
        return fitting

    def edge(self, literal: int) -> Edge:
        """Return the edge of a node that allows this literal."""
        if literal < 0:
            return Edge((), 1, ())
        if literal in self.weights:
            return Edge((), self.weights[literal], ())
        return Edge(((self.box[literal - 1], 1),), 1, ())

    def _conjoin(self, diagram: Any) -> None:
        """Replace the root by the conjunction of the root and `diagram`. Raises TooWide if the new
        root has more than `max_states` elements."""
        self.deadline.check()
        before, self.root = self.root, self.root & diagram
        self.root.ref()
        before.deref()
        size = self.root.size()
        if size > self.max_states:
            raise TooWide(size, self.max_states)
        if self.manager.dead_size() > size:
            self.manager.garbage_collect()


def _nodes(compiled: _Compiled) -> list[Node]:
    """Return the nodes of the diagram, children first and the root last. Each node is over all
    variables below a place of the vtree. At a leaf of the vtree, a node has an edge for each
    literal that it allows. Elsewhere, it has an edge for each of its elements; its two children are
    over the variables to the left and to the right. The library leaves out a variable that may be
    either true or false; this function adds a node for such a variable."""
    nodes: list[Node] = []
    indexes: dict[tuple[int, int], int] = {}  # from the `_key` of a node to its index in `nodes`
    true = compiled.manager.true()
    todo = [(compiled.root, compiled.manager.vtree())]
    while todo:
        node, place = todo[-1]
        pairs = _elements(node, place, true)
        missing = [child for pair in pairs for child in pair if _key(*child) not in indexes]
        todo += missing
        if not missing:
            todo.pop()
            if _key(node, place) not in indexes:
                indexes[_key(node, place)] = len(nodes)
                edges = [Edge((), 1, (indexes[_key(*a)], indexes[_key(*b)])) for a, b in pairs]
                nodes.append(edges + list(map(compiled.edge, _literals(node, place))))
    return nodes


def _key(node: Any, place: Any) -> tuple[int, int]:
    """Return the library's number of `node`, and the number of `place` in the vtree."""
    return node.id, place.position()


def _literals(node: Any, place: Any) -> tuple[int, ...]:
    if not place.is_leaf() or node.is_false():
        return ()
    return (place.var(), -place.var()) if node.is_true() else (node.literal,)


def _elements(node: Any, place: Any, true: Any) -> list[tuple[tuple[Any, Any], tuple[Any, Any]]]:
    """Return the elements that `node` has as a node over all variables below `place`. An element is
    a pair of nodes, each with the place of the node. At a leaf, the list is empty."""
    if place.is_leaf() or node.is_false():
        return []
    left, right = place.left(), place.right()
    if node.is_true():
        return [((true, left), (true, right))]
    own = node.vtree().position()  # positions grow from left to right
    if own == place.position():
        return [((prime, left), (sub, right)) for prime, sub in node.elements()]
    return [
        ((node, left), (true, right)) if own < place.position() else ((true, left), (node, right))
    ]
