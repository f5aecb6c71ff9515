"""Answers about a problem, found by trying all layouts. This code is slow, but so simple that it is
obviously right. It uses no code of the engines."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from fractions import Fraction
from itertools import combinations
from math import prod

from csp_mines.backend import RegionCount
from csp_mines.constraints import Constraint, Problem, Region

Mines = frozenset[int]


def subsets(cells: Iterable[int]) -> Iterator[Mines]:
    """Yield every subset of the cells, small subsets first."""
    everything = sorted(cells)
    for size in range(len(everything) + 1):
        for chosen in combinations(everything, size):
            yield frozenset(chosen)


def holds(constraint: Constraint, mines: Mines) -> bool:
    """Return whether a layout with these mines is within the bounds of a constraint."""
    return constraint.low <= sum(cell in mines for cell in constraint.cells) <= constraint.high


def weight(constraint: Constraint, mines: Mines) -> int:
    """Return the weight that a constraint gives to a layout with these mines."""
    inside = sum(cell in mines for cell in constraint.cells)
    return 1 if constraint.weights is None else constraint.weights[inside]


def layouts(problem: Problem) -> dict[Mines, Fraction]:
    """Return every layout that fits, with its weight: the product of the weights that the
    constraints give to the layout. If the total is unknown, each mine multiplies the weight by
    `problem.odds`. A layout of weight 0 does not fit."""
    fitting = {}
    for mines in subsets(set(problem.cells)):
        if problem.mines not in (None, len(mines)):
            continue
        if all(holds(constraint, mines) for constraint in problem.constraints):
            weighs = prod(weight(constraint, mines) for constraint in problem.constraints)
            odds = problem.odds ** len(mines) if problem.mines is None else Fraction(1)
            if weighs:
                fitting[mines] = odds * weighs
    return fitting


def solutions(problem: Problem) -> int:
    """Return the sum of the weights of all layouts that fit, as if the odds of a mine were 1."""
    return int(sum(layouts(problem.changed(odds=Fraction(1))).values()))


def certain(problem: Problem, fitting: Collection[Mines]) -> tuple[frozenset[int], frozenset[int]]:
    """Return the cells that are safe in all layouts of `fitting`, and the cells that are mines in
    all layouts of `fitting`. If `fitting` is empty, both sets have all cells of the problem."""
    cells = frozenset(problem.cells)
    return cells.difference(*fitting), cells.intersection(*fitting)


def probabilities(problem: Problem, fitting: dict[Mines, Fraction]) -> dict[int, Fraction]:
    """Return the probability of a mine at every cell. `fitting` has the layouts that fit, with
    their weights, and is not empty."""
    total = sum(fitting.values(), Fraction(0))
    return {
        cell: sum((some for mines, some in fitting.items() if cell in mines), Fraction(0)) / total
        for cell in problem.cells
    }


def region_count(region: Region) -> RegionCount:
    """Return the count of a region, as `RegionCount` defines it."""
    problem = region.problem()
    ways = [0] * (len(region.cells) + 1)
    mines = [[0] * len(ways) for _ in region.boxes]
    for layout, exact in layouts(problem).items():
        ways[len(layout)] += int(exact)
        for box, cells in enumerate(region.boxes):
            mines[box][len(layout)] += int(exact) * sum(cell in layout for cell in cells)
    return RegionCount.of(ways, mines)
