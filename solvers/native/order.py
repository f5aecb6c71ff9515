"""The order in which the boxes of a region are eliminated, which decides how long counting takes.

Given a region, `elimination_order` returns a permutation of its boxes. At each step, a constraint
is open if some of its boxes were taken and some were not. A state says how many mines each open
constraint has so far. If we multiply the numbers of values that the open constraints can have, the
product is a bound on the number of states. The cost of an order is the sum of these bounds over all
steps. The search makes one order for each of several first boxes and each of three values of
`age_weight`, and returns the cheapest order. Each step of an order takes the box that looks best at
that step. The search ends early at an order with a cost below CHEAP.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from math import inf

from csp_mines.backend import Deadline
from csp_mines.constraints import Region

CHEAP = 400  # an order with a smaller cost ends the search
STARTS = 12


def elimination_order(region: Region, deadline: Deadline) -> list[int]:
    """Return the indexes of all boxes of `region`, in an order for which counting needs few states.
    Raises OutOfTime after the deadline."""
    if len(region.boxes) <= 2:
        return list(range(len(region.boxes)))
    search = _Search(region, deadline)
    best_cost, best = inf, list[int]()
    for start, age_weight in search.attempts():
        cost, order = search.greedy(start, age_weight, best_cost)
        if cost < best_cost:
            best_cost, best = cost, order
        if best_cost < CHEAP:
            break
    return best


def order_width(region: Region, order: Sequence[int]) -> int:
    """Return the largest number of constraints that matter to one step of this order: those that
    are open before the step, and those that contain its box. Return 0 if there are no boxes."""
    left = [len(constraint.boxes) for constraint in region.constraints]
    begun: set[int] = set()
    width = 0
    for box in order:
        begun.update(region.of_box[box])
        width = max(width, len(begun))
        for constraint in region.of_box[box]:
            left[constraint] -= 1
            if not left[constraint]:
                begun.discard(constraint)
    return width


def along(start: int, beside: Callable[[int], Iterable[int]]) -> list[int]:
    """Return `start` and all boxes connected with it, from one end to the other: sorted by their
    distance from a box that is far from `start`. `beside` is as in `_reached`."""
    return _reached(_reached(start, beside)[-1], beside)


def _reached(start: int, beside: Callable[[int], Iterable[int]]) -> list[int]:
    """Return `start` and all boxes connected with it, the nearest first. `beside(box)` has the
    boxes that share a constraint with `box`, and perhaps `box` itself."""
    seen = {start}
    queue = [start]
    for box in queue:
        for other in beside(box):
            if other not in seen:
                seen.add(other)
                queue.append(other)
    return queue


class _Search:
    """The search for an order of the boxes of a region. Boxes and constraints are given by
    index."""

    def __init__(self, region: Region, deadline: Deadline) -> None:
        self.sizes = [len(box) for box in region.boxes]  # cells of each box
        self.of_box = region.of_box  # constraints of each box
        self.boxes = [each.boxes for each in region.constraints]  # boxes of each constraint
        self.bounds = [(constraint.low, constraint.high) for constraint in region.constraints]
        self.totals = region.sizes  # cells of each constraint
        self.deadline = deadline

    def attempts(self) -> list[tuple[int, float]]:
        """Return pairs of arguments for `greedy`, the most promising first: `start` and
        `age_weight`. The starts are from a list of all boxes, sorted by their distance from one end
        of the region: the first box, the last box, and then boxes at equal intervals."""
        walk = along(0, lambda box: chain(*(self.boxes[each] for each in self.of_box[box])))
        step = max(1, len(walk) // STARTS)
        starts = dict.fromkeys([walk[0], walk[-1], *walk[step::step]])
        return [(start, age_weight) for age_weight in (0.5, 0.0, 1.0) for start in starts]

    def greedy(self, start: int, age_weight: float, limit: float) -> tuple[float, list[int]]:
        """Return the cost of an order, and the order. The first step takes `start`. Each later step
        takes one of the boxes in open constraints, and prefers a low bound on the states. A higher
        `age_weight` also prefers boxes in constraints that were opened early. If the cost reaches
        `limit`, stop, and return the cost and the order so far. Raises OutOfTime after the
        deadline."""
        seen = [0] * len(self.boxes)
        opened = [0] * len(self.boxes)
        done = [False] * len(self.sizes)
        order: list[int] = []
        candidates: set[int] = set()
        states, cost = 1.0, 0.0
        box = start
        while True:
            self.deadline.check()
            states *= self._growth(box, seen)
            cost += states
            if cost >= limit:
                return cost, order
            order.append(box)
            done[box] = True
            candidates.discard(box)
            for constraint in self.of_box[box]:
                if not seen[constraint]:
                    opened[constraint] = len(order)
                    candidates.update(b for b in self.boxes[constraint] if not done[b])
                seen[constraint] += self.sizes[box]
            if not candidates:
                return cost, order
            age = age_weight / len(order)
            box = min(
                candidates,
                key=lambda b: (
                    self._growth(b, seen)
                    * (1 + age * sum(opened[c] or len(order) for c in self.of_box[b])),
                    b,
                ),
            )

    def _growth(self, box: int, seen: list[int]) -> float:
        """Return the factor by which taking `box` multiplies the bound on the states. `seen` has,
        for each constraint, the number of its cells in boxes that were taken."""
        factor = 1.0
        size = self.sizes[box]
        for constraint in self.of_box[box]:
            before = seen[constraint]
            factor *= self._values(constraint, before + size) / self._values(constraint, before)
        return factor

    def _values(self, constraint: int, seen: int) -> int:
        """Return how many values a constraint can have in a state: the possible numbers of mines in
        `seen` of its cells. Return 1 if these are all its cells, because it is then not open."""
        left = self.totals[constraint] - seen
        if not left:
            return 1
        low, high = self.bounds[constraint]
        return min(high, seen) - max(0, low - left) + 1
