"""Count the solutions of a region for each number of mines, in Python: eliminate box after box.

`eliminate` gets a region and an order of its boxes, and returns the `RegionCount`. Each step takes
the next box. A constraint is open if some of its boxes were taken and others were not. A state says
how many mines each open constraint has so far; two partial layouts in the same state can be
completed in the same ways. (A constraint without weights may be met whatever the later boxes get.
Then its exact number of mines so far no longer matters, so the state has a fixed number in its
place, `satisfied_from`.) All arithmetic is in integers. The count has three steps:

1. `_graph` finds the edges from each state to the states after the next box. An edge gives the box
   `k` mines, and has a weight: `C(size, k)`, times the weights of the constraints whose last box
   this is. No edge leads to a state in which some constraint, taken alone, can no longer be met.
2. `_prune` goes backward and computes, as a plain number, the weight of all ways to complete each
   state. It removes the edges to states that cannot be completed.
3. `_polynomials` goes forward and then backward. It computes polynomials in the number of mines,
   each packed into one integer with a fixed number of bits for each coefficient. No coefficient
   exceeds the weight of all solutions times the number of cells, so the bits of this product are
   enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

from csp_mines.backend import Deadline, RegionCount
from csp_mines.constraints import BoxConstraint, Region
from csp_mines.errors import TooWide
from csp_mines.polynomial import unpack

Edge = tuple[int, int, int]  # mines of the box, number of the state reached, weight
Layer = list[list[Edge]]  # the edges out of each state

STRETCH = 10_000  # states between two checks of the deadline and of `max_states`: about 20 ms


def eliminate(
    region: Region, order: Sequence[int], max_states: int, deadline: Deadline
) -> RegionCount:
    """Return the count of `region`. `order` has the indexes of all boxes, in the order in which the
    count takes them. Raises TooWide if the count needs more than `max_states` states, OutOfTime
    after the deadline."""
    layers, states = _graph(region, order, max_states, deadline)
    kept = sum(map(len, layers))
    total = _prune(layers, states)
    cells = sum(len(box) for box in region.boxes)
    if total == 0:
        return RegionCount.none(region)
    width = (total * cells).bit_length() // 8 + 1
    ways, shares = _polynomials(layers, 8 * width, deadline)
    mines: list[list[int]] = [[] for _ in order]
    for box, share in zip(order, shares, strict=True):
        mines[box] = unpack(share, width, cells + 1)
    witnesses = [_solution(layers, order, end) for end in (0, -1)]
    return RegionCount.of(unpack(ways, width, cells + 1), mines, witnesses, kept)


@dataclass(frozen=True)
class _Touch:
    """One constraint at a step that takes one of its boxes. In a state, `state >> shift & mask` is
    the number of mines that the constraint has so far."""

    shift: int
    mask: int
    least: int  # with fewer mines after this step, the constraint cannot be met
    most: int  # with more mines after this step, the constraint cannot be met
    # With `satisfied_from` to `satisfied_to` mines after this step, the bounds are met whatever
    # follows. So a state has `satisfied_from` for all these numbers. If there is no such number,
    # `satisfied_to` is less than `satisfied_from`.
    satisfied_from: int
    satisfied_to: int
    closes: bool  # whether the box is the last of the constraint
    weights: tuple[int, ...] | None  # of the constraint


def _touches(region: Region, order: Sequence[int]) -> list[list[_Touch]]:
    """Return a list for every step, with a `_Touch` for each constraint that has the box of the
    step."""
    sizes = [len(box) for box in region.boxes]
    of_box = region.of_box
    left = list(region.sizes)
    bits = max((cells.bit_length() for cells in left), default=1)
    slots: dict[int, int] = {}
    free: list[int] = []
    steps = []
    for box in order:
        step = []
        for index in of_box[box]:
            if index not in slots:
                slots[index] = free.pop() if free else len(slots)
            left[index] -= sizes[box]
            step.append(_touch(region.constraints[index], slots[index] * bits, bits, left[index]))
        free.extend(slots.pop(index) for index in of_box[box] if not left[index])
        steps.append(step)
    return steps


def _touch(constraint: BoxConstraint, shift: int, bits: int, left: int) -> _Touch:
    plain = constraint.weights is None and constraint.low < constraint.high
    return _Touch(
        shift,
        (1 << bits) - 1,
        constraint.low - left,
        constraint.high,
        constraint.low if plain else 0,
        constraint.high - left if plain else -1,
        left == 0,
        constraint.weights,
    )


def _graph(
    region: Region, order: Sequence[int], max_states: int, deadline: Deadline
) -> tuple[list[Layer], int]:
    """Return one layer for each box of `order`, and the number of states after the last box: 1, or
    0 if the region has no solution. Raises what `eliminate` raises."""
    layers: list[Layer] = []
    states = [0]
    count = 0
    for box, touches in zip(order, _touches(region, order), strict=True):
        ways = [comb(len(region.boxes[box]), k) for k in range(len(region.boxes[box]) + 1)]
        numbers: dict[int, int] = {}
        layer: Layer = []
        for start in range(0, len(states), STRETCH):
            deadline.check()
            some = states[start : start + STRETCH]
            layer += [_edges(state, touches, ways, numbers) for state in some]
            if count + len(numbers) > max_states:
                raise TooWide(count + len(numbers), max_states)
        layers.append(layer)
        states = list(numbers)
        count += len(states)
    return layers, len(states)


def _edges(
    state: int, touches: Sequence[_Touch], ways: Sequence[int], numbers: dict[int, int]
) -> list[Edge]:
    """Return an edge for every number of mines that the next box can have in `state`. `touches` has
    the constraints of the box. `ways[k]` is the number of ways to place `k` mines in the box.
    `numbers` maps the states after the box to their numbers; this function adds new states."""
    least, most = 0, len(ways) - 1
    placed = []
    for touch in touches:
        value = state >> touch.shift & touch.mask
        placed.append(value)
        state -= value << touch.shift
        least = max(least, touch.least - value)
        most = min(most, touch.most - value)
    edges = []
    for k in range(least, most + 1):
        reached, factor = state, ways[k]
        for touch, value in zip(touches, placed, strict=True):
            value += k
            if touch.closes:
                if touch.weights is not None:
                    factor *= touch.weights[value]
            elif touch.satisfied_from <= value <= touch.satisfied_to:
                reached |= touch.satisfied_from << touch.shift
            else:
                reached |= value << touch.shift
        if factor:
            edges.append((k, numbers.setdefault(reached, len(numbers)), factor))
    return edges


def _prune(layers: list[Layer], last: int) -> int:
    """Remove the edges to states that cannot be completed. Return the weight of all solutions.
    `last` is the number of states after the last box."""
    completions = [1] * last
    for layer in reversed(layers):
        here = []
        for edges in layer:
            if not all(completions[to] for _, to, _ in edges):
                edges[:] = [edge for edge in edges if completions[edge[1]]]
            here.append(sum(completions[to] * factor for _, to, factor in edges))
        completions = here
    return completions[0]


def _polynomials(layers: list[Layer], bits: int, deadline: Deadline) -> tuple[int, list[int]]:
    """Return a polynomial for the region, and a list with a polynomial for the box of each step. In
    the polynomial of the region, coefficient `m` is the weight of all solutions with `m` mines. In
    the polynomial of a box, coefficient `m` is the weighted number of mines in the box, summed over
    these solutions. Each coefficient has `bits` bits. Raises OutOfTime after the deadline."""
    forward = [[1]]
    for layer, following in zip(layers, [*map(len, layers[1:]), 1], strict=True):
        deadline.check()
        reached = [0] * following
        for value, edges in zip(forward[-1], layer, strict=True):
            if value:
                for k, to, factor in edges:
                    reached[to] += (value * factor) << (bits * k)
        forward.append(reached)
    backward = [1]
    shares = []
    for layer, values in zip(reversed(layers), reversed(forward[:-1]), strict=True):
        deadline.check()
        share = 0
        here = []
        for value, edges in zip(values, layer, strict=True):
            rest = mines = 0
            if value:
                for k, to, factor in edges:
                    term = (backward[to] * factor) << (bits * k)
                    rest += term
                    mines += term * k
                share += value * mines
            here.append(rest)
        backward = here
        shares.append(share)
    return forward[-1][0], shares[::-1]


def _solution(layers: Sequence[Layer], order: Sequence[int], end: int) -> list[int]:
    """Return one solution, as the number of mines of every box. The solution takes the first edge
    of every state if `end` is 0, and the last edge if `end` is -1."""
    values = [0] * len(order)
    state = 0
    for box, layer in zip(order, layers, strict=True):
        values[box], state, _ = layer[state][end]
    return values
