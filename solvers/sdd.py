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
    """A region as a diagram, `root`. The variables 1, 2, … are the cells, box by box in the order
    of `elimination_order`. After the last cell of a constraint come its weight variables.
    `cells[box]` has the variables of a box.

    `edges[variable]` says what it means that the variable is true: a cell gives one mine to its
    box, a weight variable brings its weight. `edges[0]` is for any variable that is false: no mine,
    and the weight 1."""

    def __init__(self, region: Region, max_states: int, deadline: Deadline) -> None:
        from pysdd.sdd import SddManager, Vtree

        self.max_states, self.deadline = max_states, deadline
        self.edges = [Edge((), 1, ())]
        self.cells: dict[int, range] = {}
        left = [len(constraint.boxes) for constraint in region.constraints]
        complete: list[tuple[BoxConstraint, range]] = []  # constraints, with weight variables
        for box in elimination_order(region, deadline):
            self.cells[box] = self._variables([Edge(((box, 1),), 1, ())] * len(region.boxes[box]))
            for index in region.of_box[box]:
                left[index] -= 1
                if not left[index]:
                    constraint = region.constraints[index]
                    weights = (constraint.weights or ())[constraint.low : constraint.high + 1]
                    edges = [Edge((), weight, ()) for weight in weights]
                    complete.append((constraint, self._variables(edges)))
        # On dense boards, a balanced vtree takes three times as long.
        vtree = Vtree(var_count=len(self.edges) - 1, vtree_type="right")
        self.manager: Any = SddManager.from_vtree(vtree)
        self.root: Any = self.manager.true()
        self.root.ref()
        for constraint, variables in complete:
            self._conjoin(self._sum(constraint, variables))

    def _variables(self, edges: list[Edge]) -> range:
        """Make a new variable for each of these edges."""
        self.edges += edges
        return range(len(self.edges) - len(edges), len(self.edges))

    def _sum(self, constraint: BoxConstraint, weight_variables: range) -> Any:
        """Return the diagram of a constraint. If the constraint has weights, there is a weight
        variable for each number of mines that the constraint allows."""
        manager = self.manager
        ways = [manager.true()]  # ways[m]: `m` of the cells so far are mines
        for cell in sorted(cell for box in constraint.boxes for cell in self.cells[box]):
            mine, safe = manager.literal(cell), manager.literal(-cell)
            without = [*(way & safe for way in ways), manager.false()]
            ways = [
                way | (ways[mines - 1] & mine) if mines else way
                for mines, way in enumerate(without)
            ]
        fitting = manager.false()
        for mines in range(constraint.low, constraint.high + 1):
            way = ways[mines]
            for number, variable in enumerate(weight_variables, constraint.low):
                way &= manager.literal(variable if number == mines else -variable)
            fitting |= way
        return fitting

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
                edges += [compiled.edges[max(literal, 0)] for literal in _literals(node, place)]
                nodes.append(edges)
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
