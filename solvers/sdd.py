"""Counting by knowledge compilation: PySDD.

A region is compiled once into a sentential decision diagram over its cells. Two passes over the
diagram then count everything: from the leaves up, how often each node is satisfied; from the root
down, how often each cell is a mine. Numbers are polynomials in the number of mines, packed into one
Python integer each: the library's own counts overflow at 2⁶⁴ or are floats. A constraint with
weights gets one more variable for each number of its mines. Such a variable is called a carrier,
because it carries the weight of that number.

Compiling may take any time and memory inside the library, so it runs in a process apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from csp_mines import apart
from csp_mines.backend import STATE_BYTES, Deadline, RegionCount
from csp_mines.constraints import BoxConstraint, Region
from csp_mines.errors import TooWide
from csp_mines.polynomial import unpack

from .counted import Counted
from .native.order import elimination_order

LEAST_MEMORY = 256 << 20  # the library takes about 150 MiB for the smallest region


class Sdd(Counted):
    """Counts by compiling each region into a decision diagram, within the memory allowed."""

    name = "sdd"
    summary = "knowledge compilation by PySDD: one diagram counts all cells"
    module = library = "pysdd"
    install = "csp-mines[engines]"

    def count(self, region: Region) -> RegionCount:
        deadline = self.counting_deadline()
        try:
            counted: RegionCount = apart.call(
                _count, region, self.python_states, deadline.left,
                engine=self.name, seconds=deadline.seconds, quiet=True,
                max_memory=max(LEAST_MEMORY, self.python_states * STATE_BYTES),
            )  # fmt: skip
        except MemoryError:
            raise TooWide(self.python_states + 1, self.python_states) from None
        return counted


def _count(region: Region, max_states: int, seconds: float) -> RegionCount:
    """Count a region. This function runs in the process apart. Raises TooWide if the diagram has
    more than `max_states` elements, and OutOfTime."""
    deadline = Deadline(seconds, Sdd.name)
    compiled = _Compiled(region, max_states, deadline)
    diagram = _Diagram(compiled.manager, compiled.root)
    models = _Weighing(diagram, compiled.weights, 0).root
    boxes, cells = len(region.boxes), len(region.cells)
    if not models:
        return RegionCount.of((), [()] * boxes)
    deadline.check()
    width = (models * cells).bit_length() // 8 + 1
    weighing = _Weighing(diagram, compiled.weights, 8 * width)
    shares = [0] * boxes
    for variable, share in weighing.shares(deadline).items():
        if variable <= cells:
            shares[compiled.box[variable - 1]] += share
    ways, *mines = (unpack(packed, width, cells + 1) for packed in (weighing.root, *shares))
    return RegionCount.of(ways, mines)


class _Compiled:
    """A region as a diagram, `root`. Variables 1 to `cells` are the cells, box by box in the order
    of `elimination_order`; `box` names the box of each. Then come the carriers: a constraint with
    weights has one for each number of mines, which is true if the constraint has that number.
    `weights` has the weight of each carrier."""

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
        carriers = [self._carriers(constraint) for constraint in region.constraints]
        order = list(self._order(region, carriers))
        # Measured on dense boards, a balanced vtree takes three times as long.
        vtree = Vtree(var_count=len(order), var_order=order, vtree_type="right")
        self.manager: Any = SddManager.from_vtree(vtree)
        self.root: Any = self.manager.true()
        self.root.ref()
        for place in sorted(
            range(len(carriers)), key=lambda place: self._last(region.constraints[place])
        ):
            self._conjoin(self._sum(region.constraints[place], carriers[place]))

    def _last(self, constraint: BoxConstraint) -> int:
        return max(self.of_box[box][-1] for box in constraint.boxes)

    def _carriers(self, constraint: BoxConstraint) -> dict[int, int]:
        """Return a new carrier for each number of mines that the constraint allows; none if it has
        no weights."""
        if constraint.weights is None:
            return {}
        first = len(self.box) + len(self.weights) + 1
        told = constraint.weights[constraint.low : constraint.high + 1]
        self.weights |= {first + place: weight for place, weight in enumerate(told)}
        return {constraint.low + place: first + place for place in range(len(told))}

    def _order(self, region: Region, carriers: Sequence[Mapping[int, int]]) -> Iterator[int]:
        """Yield all variables: cells in order, and the carriers of a constraint after its last
        cell."""
        due: dict[int, list[int]] = {}
        for constraint, numbers in zip(region.constraints, carriers, strict=True):
            due.setdefault(self._last(constraint), []).extend(numbers.values())
        for cell in range(1, len(self.box) + 1):
            yield cell
            yield from due.get(cell, ())

    def _sum(self, constraint: BoxConstraint, carriers: Mapping[int, int]) -> Any:
        """Return the diagram of a constraint. In the loop, `ways[m]` says that `m` of the cells so
        far are mines."""
        manager = self.manager
        ways = [manager.true()]
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
            for number, carrier in carriers.items():
                way &= manager.literal(carrier if number == mines else -carrier)
            fitting |= way
        return fitting

    def _conjoin(self, diagram: Any) -> None:
        """Replace the root by the diagram in which both the root and `diagram` hold. Raises
        TooWide if it has too many elements."""
        self.deadline.check()
        before, self.root = self.root, self.root & diagram
        self.root.ref()
        before.deref()
        size = self.root.size()
        if size > self.max_states:
            raise TooWide(size, self.max_states)
        if self.manager.dead_size() > size:
            self.manager.garbage_collect()


@dataclass(frozen=True)
class _Place:
    """A node of the vtree. A leaf has a `variable`. An inner node has 0 instead, and two places
    below it. The root has the parent -1."""

    variable: int
    left: int
    right: int
    parent: int


TRUE, FALSE = -1, -2  # in place of the index of a node


@dataclass(frozen=True)
class _Node:
    """A node of the diagram, at a place of the vtree. A leaf has a `literal`. An inner node has 0
    instead, and elements: pairs of a prime and a sub, given by index. It is true if both parts of
    some element are true."""

    place: int
    literal: int
    elements: tuple[tuple[int, int], ...]


class _Diagram:
    """A diagram in Python: the places of the vtree by position, and the nodes, children first."""

    def __init__(self, manager: Any, root: Any) -> None:
        self.places: dict[int, _Place] = {}
        top = manager.vtree()
        self.top: int = top.position()
        self._read_vtree(top)
        self.nodes: list[_Node] = []
        self.root = self._read(root)

    def _read_vtree(self, top: Any) -> None:
        todo = [(top, -1)]
        while todo:
            vtree, parent = todo.pop()
            position = vtree.position()
            if vtree.is_leaf():
                self.places[position] = _Place(vtree.var(), -1, -1, parent)
                continue
            left, right = vtree.left(), vtree.right()
            self.places[position] = _Place(0, left.position(), right.position(), parent)
            todo += [(left, position), (right, position)]

    def _read(self, root: Any) -> int:
        """Read the nodes below `root` and return its index."""
        indexes: dict[int, int] = {}
        elements: dict[int, list[tuple[Any, Any]]] = {}
        todo = [root]
        while todo:
            node = todo[-1]
            if node.id in indexes or self._known(node) is not None:
                todo.pop()
            elif node.is_decision() and node.id not in elements:
                elements[node.id] = list(node.elements())
                todo += [child for pair in elements[node.id] for child in pair]
            else:
                todo.pop()
                pairs = tuple(
                    (self._index(prime, indexes), self._index(sub, indexes))
                    for prime, sub in elements.get(node.id, ())
                )
                indexes[node.id] = len(self.nodes)
                literal = node.literal if node.is_literal() else 0
                self.nodes.append(_Node(node.vtree().position(), literal, pairs))
        return self._index(root, indexes)

    def _known(self, node: Any) -> int | None:
        return TRUE if node.is_true() else FALSE if node.is_false() else None

    def _index(self, node: Any, indexes: Mapping[int, int]) -> int:
        known = self._known(node)
        return indexes[node.id] if known is None else known


class _Weighing:
    """The weights of the nodes of a diagram. The weight of a node is a polynomial in the number of
    mines: coefficient `m` is the number of its models with `m` mines. A polynomial is packed with
    `bits` bits per coefficient. With 0 bits, a weight is the value of the polynomial at 1.

    A true cell weighs one mine. A true carrier weighs what it carries (`carried`). A variable that
    is false weighs 1. A variable that a part of the diagram does not mention may be true or false
    there, so it weighs the sum of both. For each place, `free` has the weight of all variables
    below it if none of them is mentioned."""

    def __init__(self, diagram: _Diagram, carried: Mapping[int, int], bits: int) -> None:
        self.diagram, self.carried, self.mine = diagram, carried, 1 << bits
        self.free: dict[int, int] = {}
        todo = [diagram.top]
        while todo:
            place = diagram.places[todo[-1]]
            if place.variable:
                self.free[todo.pop()] = 1 + self._weight(place.variable)
            elif place.left in self.free and place.right in self.free:
                self.free[todo.pop()] = self.free[place.left] * self.free[place.right]
            else:
                todo += [place.left, place.right]
        self.weights: list[int] = []
        for node in diagram.nodes:
            place = diagram.places[node.place]
            self.weights.append(
                self._weight(node.literal)
                if node.literal
                else sum(
                    self._at(prime, place.left) * self._at(sub, place.right)
                    for prime, sub in node.elements
                )
            )
        self.root = self._at(diagram.root, diagram.top)

    def _weight(self, literal: int) -> int:
        return self.carried.get(literal, self.mine) if literal > 0 else 1

    def _at(self, node: int, place: int) -> int:
        """Return the weight of a node over all variables below `place`, which is the node's own
        place or above it."""
        if node == FALSE:
            return 0
        if node == TRUE:
            return self.free[place]
        return self.weights[node] * (self.free[place] // self.free[self.diagram.nodes[node].place])

    def shares(self, deadline: Deadline) -> dict[int, int]:
        """Return, for each variable, the weight of the models in which it is true."""
        outer = [0] * len(self.weights)  # per node: the weight of everything outside it
        left_out = dict.fromkeys(self.diagram.places, 0)  # per place: models that do not mention it
        shares = dict.fromkeys((place.variable for place in self.diagram.places.values()), 0)

        def pass_on(around: int, node: int, place: int) -> None:
            """Add the models that pass through a node; `around` is the weight of everything outside
            it."""
            if node == FALSE or not around:
                return
            own = place if node == TRUE else self.diagram.nodes[node].place
            through = around * self._at(node, place)
            if node == TRUE:
                left_out[place] += through
            else:
                outer[node] += around * (self.free[place] // self.free[own])
            while own != place:
                above = self.diagram.places[own].parent
                both = self.diagram.places[above]
                left_out[both.left if own == both.right else both.right] += through
                own = above

        pass_on(1, self.diagram.root, self.diagram.top)
        for index in reversed(range(len(self.weights))):
            deadline.check()
            node = self.diagram.nodes[index]
            if node.literal > 0:
                shares[node.literal] += outer[index] * self.weights[index]
            place = self.diagram.places[node.place]
            for prime, sub in node.elements:
                pass_on(outer[index] * self._at(sub, place.right), prime, place.left)
                pass_on(outer[index] * self._at(prime, place.left), sub, place.right)
        self._share_left_out(left_out, shares)
        return shares

    def _share_left_out(self, left_out: dict[int, int], shares: dict[int, int]) -> None:
        """Complete the shares. In a model that does not mention a variable, the variable may be
        true or false; the models in which it is true belong to its share."""
        todo = [self.diagram.top]
        while todo:
            position = todo.pop()
            place = self.diagram.places[position]
            if place.variable:
                weight = self._weight(place.variable)
                shares[place.variable] += left_out[position] // (1 + weight) * weight
                continue
            for below in (place.left, place.right):
                left_out[below] += left_out[position]
                todo.append(below)
