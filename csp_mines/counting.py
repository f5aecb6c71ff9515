"""From the counts of single regions to the probabilities of a whole problem, exactly.

A region's count is a polynomial in the number of its mines. How likely each number is depends on
the rest of the board: with a total, on the other regions and on the sea (`C(R, M - m)` ways to put
the remaining mines there); with a density, on nothing else. Outer weights say so, one integer per
number of mines, and come for all regions from one pass down a product tree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb

from csp_mines.backend import Backend, Deadline, Deduction, RegionCount
from csp_mines.constraints import Problem, Region
from csp_mines.errors import Contradiction, EngineFault
from csp_mines.polynomial import correlate, dot, multiply

__all__ = ["Posterior", "count_by", "posterior"]


@dataclass(frozen=True)
class Posterior:
    """The exact answer: each region's count, and how much each number of its mines weighs."""

    problem: Problem
    regions: tuple[Region, ...]
    counts: tuple[RegionCount, ...]
    weights: tuple[tuple[int, ...], ...]  # aligned with counts[i].ways
    sea_share: Fraction  # the probability of a mine at one sea cell

    @cached_property
    def solutions(self) -> int:
        """The number of layouts that fit; for constraints with weights, the weight of them all."""
        if self.problem.mines is None:
            product: int = 2 ** len(self.problem.sea)
            for count in self.counts:
                product *= sum(count.ways)
            return product
        if not self.counts:
            return comb(len(self.problem.sea), self.problem.mines)
        return dot(self.counts[0].ways, self.weights[0])

    @cached_property
    def denominators(self) -> tuple[int, ...]:
        """Per region: the weight of everything."""
        return tuple(
            dot(count.ways, weights)
            for count, weights in zip(self.counts, self.weights, strict=True)
        )

    def expected(self, region: int, box: int) -> tuple[int, int]:
        """The expected mines in a box, as numerator and denominator."""
        numerator = dot(self.counts[region].mines[box], self.weights[region])
        return numerator, self.denominators[region]

    @cached_property
    def shares(self) -> dict[int, tuple[int, int]]:
        """The probability of a mine at every frontier cell, as numerator and denominator.
        Raises EngineFault when they do not add up to the total."""
        shares = {}
        mines = 0
        for number, region in enumerate(self.regions):
            for index, box in enumerate(region.boxes):
                numerator, denominator = self.expected(number, index)
                mines += numerator
                for cell in box:
                    shares[cell] = (numerator, denominator * len(box))
        self._check_total(mines)
        return shares

    def _check_total(self, mines: int) -> None:
        """With a total all denominators are the weight of everything: `mines`, the sum of all
        numerators, and the sea make up the total, exactly."""
        if self.problem.mines is None or not self.counts:
            return
        everything = self.denominators[0]
        in_sea = self.sea_share * len(self.problem.sea)
        agree = all(denominator == everything for denominator in self.denominators)
        if not agree or mines != (self.problem.mines - in_sea) * everything:
            raise EngineFault(f"the probabilities do not add up to {self.problem.mines} mines")

    def probability(self, cell: int) -> Fraction:
        """The probability of a mine at a frontier or sea cell."""
        share = self.shares.get(cell)
        return self.sea_share if share is None else Fraction(*share)

    def certain(self) -> tuple[set[int], set[int]]:
        """The cells that are safe in every solution, and those that are mines in every one."""
        safe = {cell for cell, (numerator, _) in self.shares.items() if numerator == 0}
        mines = {cell for cell, (top, bottom) in self.shares.items() if top == bottom}
        if self.sea_share == 0:
            safe.update(self.problem.sea)
        elif self.sea_share == 1:
            mines.update(self.problem.sea)
        return safe, mines


def count_by(
    engine: Backend, problem: Problem, known: Deduction | None = None
) -> tuple[Deduction, Posterior]:
    """What an engine knows before it counts, `known` or what it simplifies, and the posterior of
    the rest. No region is begun past the time of one count. Raises what `posterior` does, and
    EngineFault when an engine counts its way to more than its complete deduction."""
    deadline = engine.counting_deadline()
    if known is None:
        known = engine.simplify(problem)
    counted = posterior(problem.given(known.safe, known.mines), engine.count, deadline)
    if engine.simplifies_fully() and any(counted.certain()):
        raise EngineFault(f"{engine.name!r} counts cells as certain that it does not deduce")
    return known, counted


def posterior(
    problem: Problem, count: Callable[[Region], RegionCount], deadline: Deadline | None = None
) -> Posterior:
    """Counts every region, checks and combines them. Raises Contradiction when nothing fits,
    EngineFault for a count that cannot be, OutOfTime past `deadline`, and what `count` raises."""
    problem.check()
    regions = problem.regions
    counts = tuple(_checked(region, count, deadline) for region in regions)
    if not all(one.ways for one in counts):
        raise Contradiction("the clues allow no layout")
    if problem.mines is None:
        return _with_odds(problem, regions, counts)
    return _with_total(problem, problem.mines, regions, counts)


def _checked(
    region: Region, count: Callable[[Region], RegionCount], deadline: Deadline | None
) -> RegionCount:
    if deadline is not None:
        deadline.check()
    found = count(region)
    found.check(region)
    return found


def _with_odds(
    problem: Problem, regions: tuple[Region, ...], counts: tuple[RegionCount, ...]
) -> Posterior:
    """Regions are independent: a solution with `m` mines weighs `odds ** m`, made whole."""
    top, bottom = problem.odds.as_integer_ratio()
    weights = tuple(
        tuple(top**m * bottom ** (len(one.ways) - 1 - m) for m in range(len(one.ways)))
        for one in counts
    )
    return Posterior(problem, regions, counts, weights, Fraction(top, top + bottom))


def _with_total(
    problem: Problem, mines: int, regions: tuple[Region, ...], counts: tuple[RegionCount, ...]
) -> Posterior:
    sea = len(problem.sea)
    low = sum(one.low for one in counts)
    tree = _product_tree([list(one.ways) for one in counts])
    frontier = tree[-1][0] if counts else [1]
    weights = _binomials(sea, mines - low, len(frontier))
    total = dot(frontier, weights)
    if total == 0:
        raise Contradiction(f"the clues cannot hold with {mines} mines left")
    in_sea = 0
    if sea:
        in_sea = dot(frontier, _binomials(sea - 1, mines - low - 1, len(frontier)))
    outer = tuple(map(tuple, _outer_weights(tree, weights))) if counts else ()
    return Posterior(problem, regions, counts, outer, Fraction(in_sea, total))


def _binomials(cells: int, mines: int, length: int) -> list[int]:
    """`C(cells, mines), C(cells, mines - 1), …`: how the sea takes what a frontier leaves."""
    row: list[int] = []
    value = 0
    for k in range(mines, mines - length, -1):
        if not 0 <= k <= cells:
            value = 0
        elif value:
            value = value * (k + 1) // (cells - k)
        else:
            value = comb(cells, k)
        row.append(value)
    return row


def _product_tree(leaves: list[list[int]]) -> list[list[list[int]]]:
    """Levels from the leaves up to the product of all; an odd one out moves up as it is."""
    levels = [leaves]
    while len(levels[-1]) > 1:
        below = levels[-1]
        pairs = [multiply(below[i], below[i + 1]) for i in range(0, len(below) - 1, 2)]
        levels.append(pairs + below[len(pairs) * 2 :])
    return levels


def _outer_weights(tree: Sequence[Sequence[Sequence[int]]], weights: list[int]) -> list[list[int]]:
    """For each leaf, the weight that all the rest gives to each of its coefficients."""
    level = [weights]
    for below in reversed(tree[:-1]):
        next_level = []
        for index in range(len(below)):
            other = index ^ 1
            above = level[index // 2]
            next_level.append(correlate(below[other], above) if other < len(below) else above)
        level = next_level
    return level
