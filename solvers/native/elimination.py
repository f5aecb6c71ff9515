"""Count the solutions of a region by number of mines, in Python: eliminate its boxes one by one.

Given a region and an order of its boxes, `eliminate` returns its `RegionCount`. Boxes are taken one
after the other. A state says, for each open constraint, how many of its mines were placed so far;
two partial layouts in the same state can be completed in the same ways. A step keeps a state only
if each constraint, taken alone, can still be met. States that lead to no solution are dropped
before any polynomial is computed. All arithmetic is in integers.

1. `_graph` finds the edges from each state to the states after the next box. An edge that gives
   this box `k` mines weighs `C(size, k)`, times the weights of the constraints that have no later
   box.
2. `_prune` goes backward and counts in plain numbers how many completions each state has. A state
   without completions is dropped.
3. `_polynomials` goes forward and then backward. It computes polynomials in the number of mines,
   each packed into one integer, with a field of bits for each coefficient. No coefficient exceeds
   the weight of all solutions times the number of cells, so fields of that size are wide enough.
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

STRETCH = 10_000  # states between two checks of the clock and the limit: about 20 ms


def eliminate(
    region: Region, order: Sequence[int], max_states: int, deadline: Deadline
) -> RegionCount:
    """Count `region`, box by box in this order. Raises TooWide if that takes more than `max_states`
    states, OutOfTime after the deadline."""
    layers, states = _graph(region, order, max_states, deadline)
    kept = sum(map(len, layers))
    total = _prune(layers, states)
    cells = sum(len(box) for box in region.boxes)
    if total == 0:
        return RegionCount.of((), [()] * len(region.boxes))
    width = (total * cells).bit_length() // 8 + 1
    ways, shares = _polynomials(layers, 8 * width, deadline)
    mines: list[list[int]] = [[] for _ in order]
    for box, share in zip(order, shares, strict=True):
        mines[box] = unpack(share, width, cells + 1)
    witnesses = [_solution(layers, order, end) for end in (0, -1)]
    return RegionCount.of(unpack(ways, width, cells + 1), mines, witnesses, kept)


@dataclass(frozen=True)
class _Touch:
    """The change of one constraint at the step that takes one of its boxes. The bits of a state
    from `shift` on say how many mines the constraint has so far."""

    shift: int
    mask: int
    least: int  # after this box, the constraint must have at least this many mines …
    most: int  # … and at most this many, or it cannot be met
    satisfied_from: int  # from here to `satisfied_to` mines, the bounds are met whatever follows …
    satisfied_to: int  # … so all these values are stored as `satisfied_from`
    closes: bool
    weights: tuple[int, ...] | None


def _touches(region: Region, order: Sequence[int]) -> list[list[_Touch]]:
    """Return, for every step, a `_Touch` for each constraint that has the box of this step."""
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
    """Return one layer for each box in order, and the number of states after the last box (1 or
    0)."""
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
    """Return an edge for every number of mines that the box can take in `state`. `ways[k]` is the
    number of ways to place `k` mines in the box. `numbers` maps the states of the next layer to
    their numbers. New states are added to `numbers`."""
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
    """Remove edges to states that cannot be completed. Return the weight of all solutions."""
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
    """Return a packed polynomial for the region, and one for the box of each step. For the
    region, coefficient `m` is the weight of the solutions with `m` mines. For a box, coefficient
    `m` is the mines of the box, summed over these solutions."""
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
    """Return a solution that takes the first edge of every state (`end` 0) or the last (-1)."""
    values = [0] * len(order)
    state = 0
    for box, layer in zip(order, layers, strict=True):
        values[box], state, _ = layer[state][end]
    return values
