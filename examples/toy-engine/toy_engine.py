"""An engine that tries every layout. It is complete, it counts, and it is slow."""

from itertools import combinations

from csp_mines.backend import Backend, RegionCount
from csp_mines.counting import posterior


class Toy(Backend):
    name = "toy"
    summary = "tries every layout"
    complete = True
    ranges = True
    counts = True
    only_counts = True  # `deduce` works by counting
    keeps_time = True  # both methods look at the clock

    def deduce(self, problem):
        deadline = self.deduction_deadline()
        counted = posterior(problem.unweighted(), lambda region: tried(region, deadline))
        return counted.certain()

    def count(self, region):
        return tried(region, self.counting_deadline())


def tried(region, deadline):
    """Count the solutions of a region, and the mines of each box, by number of mines."""
    ways = [0] * (len(region.cells) + 1)
    mines = [[0] * len(ways) for _ in region.boxes]
    for number in range(len(ways)):
        for layout in combinations(region.cells, number):
            deadline.check()
            inside = [len(set(box).intersection(layout)) for box in region.boxes]
            weight = weighed(region, inside)
            ways[number] += weight
            for box, placed in enumerate(inside):
                mines[box][number] += weight * placed
    return RegionCount.of(ways, mines)


def weighed(region, inside):
    """The weight of a layout with `inside[b]` mines in box b; 0 if it breaks a constraint."""
    weight = 1
    for constraint in region.constraints:
        placed = sum(inside[box] for box in constraint.boxes)
        if not constraint.low <= placed <= constraint.high:
            return 0
        if constraint.weights is not None:
            weight *= constraint.weights[placed]
    return weight
