"""From the counts of single regions to the exact probabilities of a whole problem.

A region's count is a polynomial in the number of its mines. The probability of each number depends
on the rest of the board. With a total, it depends on the other regions and on the sea, which has
`C(R, M - m)` ways to take the remaining mines. With a density, it depends on nothing else. Outer
weights express this: one integer for each number of mines. One pass down a product tree computes
them for all regions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from math import comb, prod
from operator import or_
from typing import TypeVar

from csp_mines.backend import Backend, Deadline, Deduction, RegionCount
from csp_mines.constraints import Problem, Region
from csp_mines.errors import Contradiction, EngineFault
from csp_mines.polynomial import correlate, dot, multiply
from csp_mines.words import plural

__all__ = ["Combination", "Posterior", "count_by", "posterior"]

NodeT = TypeVar("NodeT")


@dataclass(frozen=True)
class Combination:
    """The combined counts of regions and a sea of `sea` cells. `mines` is the number of mines in
    all of them, or None. If it is None, a mine weighs `odds` times as much as a safe cell. Only
    what a caller asks for is computed."""

    counts: tuple[RegionCount, ...]
    sea: int
    mines: int | None
    odds: Fraction

    @property
    def fits(self) -> bool:
        """Whether there is a layout. Without a total, every region that has a solution fits."""
        return all(count.ways for count in self.counts) and (self.mines is None or self.total > 0)

    @cached_property
    def low(self) -> int:
        """The fewest mines that the regions can have."""
        return sum(count.low for count in self.counts)

    @cached_property
    def tree(self) -> list[list[list[int]]]:
        """The product tree of the regions' counts."""
        return _tree([list(count.ways) for count in self.counts], multiply)

    @property
    def frontier(self) -> list[int]:
        """The weight of all regions together, by number of mines from `low` on."""
        return self.tree[-1][0] if self.counts else [1]

    @cached_property
    def in_sea(self) -> list[int]:
        """The number of ways in which the sea can take the remaining mines, for every number in the
        frontier."""
        assert self.mines is not None
        return _binomials(self.sea, self.mines - self.low, len(self.frontier))

    @cached_property
    def total(self) -> int:
        """The weight of all layouts, with a total."""
        return dot(self.frontier, self.in_sea)

    @property
    def solutions(self) -> int:
        """The number of layouts that fit; with weights, the weight of all of them."""
        if self.mines is not None:
            return self.total
        return prod((sum(count.ways) for count in self.counts), start=2**self.sea)

    @cached_property
    def weights(self) -> tuple[tuple[int, ...], ...]:
        """For each region, the weight of each number of its mines, aligned with its `ways`."""
        if self.mines is not None:
            return (
                tuple(map(tuple, _down(self.tree, self.in_sea, correlate))) if self.counts else ()
            )
        top, bottom = self.odds.as_integer_ratio()
        return tuple(
            tuple(top**m * bottom ** (len(count.ways) - 1 - m) for m in range(len(count.ways)))
            for count in self.counts
        )

    @cached_property
    def denominators(self) -> tuple[int, ...]:
        """For each region, the weight of all layouts."""
        return tuple(
            dot(count.ways, weights)
            for count, weights in zip(self.counts, self.weights, strict=True)
        )

    def shares(
        self, regions: Iterable[Sequence[Sequence[int]]]
    ) -> Iterator[tuple[Sequence[int], int, int]]:
        """Yield each box of the regions, given as their boxes, and the probability of a mine at one
        of its cells, as numerator and denominator. Raises EngineFault at the end if the
        probabilities do not add up to the total."""
        mines = 0
        parts = zip(regions, self.counts, self.weights, self.denominators, strict=True)
        for boxes, count, weights, denominator in parts:
            for box, sums in zip(boxes, count.mines, strict=True):
                numerator = dot(sums, weights)
                mines += numerator
                yield box, numerator, denominator * len(box)
        self._check_total(mines)

    @cached_property
    def sea_share(self) -> Fraction:
        """The probability of a mine at one sea cell; 0 if there is no sea."""
        if self.mines is None:
            return self.odds / (self.odds + 1)
        if not self.sea:
            return Fraction(0)
        left = _binomials(self.sea - 1, self.mines - self.low - 1, len(self.frontier))
        return Fraction(dot(self.frontier, left), self.total)

    @cached_property
    def possible(self) -> Possible:
        """For each region and for the sea, the numbers of mines that some layout has."""
        supports = [_support(count.ways) for count in self.counts]
        if self.mines is None:
            return Possible(tuple(supports), sea_is_safe=False, sea_is_mined=False)
        tree = _tree(supports, _sums)
        most = self.mines - self.low  # of the frontier above `low`; the sea takes the rest
        fewest = most - self.sea
        everywhere = tree[-1][0] if supports else 1
        everywhere &= (2 << most) - (1 << max(0, fewest)) if most >= 0 else 0
        allowed = _down(tree, everywhere, lambda other, above: _differences(above, other))
        return Possible(
            tuple(numbers & own for numbers, own in zip(allowed, supports, strict=False)),
            sea_is_safe=everywhere == 1 << max(0, most),
            sea_is_mined=fewest >= 0 and everywhere == 1 << fewest,
        )

    def _check_total(self, mines: int) -> None:
        """Check that the numerators of all cells and the sea add up to the total exactly. With a
        total, all denominators are the weight of all layouts; `mines` is the sum of all numerators.
        Raises EngineFault."""
        if self.mines is None or not self.counts:
            return
        agree = all(denominator == self.total for denominator in self.denominators)
        if not agree or mines != (self.mines - self.sea_share * self.sea) * self.total:
            raise EngineFault(f"the probabilities do not add up to {self.mines} mines")


@dataclass(frozen=True)
class Possible:
    """For each region, the numbers of mines that some layout has: bit `i` stands for `low + i`.
    Also whether no layout has a mine in the sea, and whether every layout has only mines there."""

    regions: tuple[int, ...]
    sea_is_safe: bool
    sea_is_mined: bool


@dataclass(frozen=True)
class Posterior:
    """The exact answer to a problem: the counts of its regions, and what follows from them."""

    problem: Problem
    regions: tuple[Region, ...]
    combined: Combination

    @property
    def counts(self) -> tuple[RegionCount, ...]:
        return self.combined.counts

    @property
    def solutions(self) -> int:
        """The number of layouts that fit; with weights, the weight of all of them."""
        return self.problem.constant_weight * self.combined.solutions

    @property
    def sea_share(self) -> Fraction:
        """The probability of a mine at one sea cell."""
        return self.combined.sea_share

    @cached_property
    def shares(self) -> dict[int, tuple[int, int]]:
        """The probability of a mine at every frontier cell, as numerator and denominator. Raises
        EngineFault if they do not add up to the total."""
        boxes = self.combined.shares(region.boxes for region in self.regions)
        return {cell: (top, bottom) for box, top, bottom in boxes for cell in box}

    def probability(self, cell: int) -> Fraction:
        """Return the probability of a mine at a frontier or sea cell."""
        share = self.shares.get(cell)
        return self.sea_share if share is None else Fraction(*share)

    def certain(self) -> tuple[set[int], set[int]]:
        """Return the cells that are safe in every solution, and those that are mines in every
        solution. This is decided by what is possible, not by weights."""
        possible = self.combined.possible
        safe, mined = set[int](), set[int]()
        for region, count, numbers in zip(self.regions, self.counts, possible.regions, strict=True):
            met = [place for place in range(len(count.ways)) if numbers >> place & 1]
            ways = [count.ways[place] for place in met]
            for box, shares in zip(region.boxes, count.mines, strict=True):
                mines = [shares[place] for place in met]
                if not any(mines):
                    safe.update(box)
                elif mines == [len(box) * number for number in ways]:
                    mined.update(box)
        if possible.sea_is_safe:
            safe.update(self.problem.sea)
        if possible.sea_is_mined:
            mined.update(self.problem.sea)
        return safe, mined


def count_by(
    engine: Backend, problem: Problem, known: Deduction | None = None
) -> tuple[Deduction, Posterior]:
    """Return what an engine knows before it counts, and the posterior of the rest. That knowledge
    is `known`, or what the engine simplifies.

    No region is started after the time limit of one count. Raises what `posterior` raises, and
    EngineFault if a complete engine counts more cells as certain than it deduces."""
    deadline = engine.counting_deadline()
    if known is None:
        known = engine.simplify(problem)
    counted = posterior(problem.given(known.safe, known.mines), engine.count, deadline)
    complete = engine.simplifies_fully() and not problem.has_zero_weights
    if complete and any(counted.certain()):
        raise EngineFault(f"{engine.name!r} counts cells as certain that it does not deduce")
    return known, counted


def posterior(
    problem: Problem, count: Callable[[Region], RegionCount], deadline: Deadline | None = None
) -> Posterior:
    """Count every region, check the counts and combine them. Raises Contradiction if no layout
    fits, EngineFault for an impossible count, OutOfTime after `deadline`, and what `count`
    raises."""
    problem.check()
    regions = problem.regions
    counts = tuple(_checked(region, count, deadline) for region in regions)
    if not problem.constant_weight or not all(count.ways for count in counts):
        raise Contradiction("the clues allow no layout")
    combined = Combination(counts, len(problem.sea), problem.mines, problem.odds)
    if not combined.fits:
        raise Contradiction(
            f"the clues cannot hold with {plural(problem.mines or 0, 'remaining mine')}"
        )
    return Posterior(problem, regions, combined)


def _checked(
    region: Region, count: Callable[[Region], RegionCount], deadline: Deadline | None
) -> RegionCount:
    if deadline is not None:
        deadline.check()
    region_count = count(region)
    region_count.check(region)
    return region_count


def _binomials(cells: int, mines: int, length: int) -> list[int]:
    """`C(cells, mines), C(cells, mines - 1), …`: the ways in which the sea takes the remaining
    mines."""
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


def _support(ways: Sequence[int]) -> int:
    """Return an integer with bit `i` set if coefficient `i` is positive."""
    return sum(1 << place for place, number in enumerate(ways) if number)


def _bits(numbers: int) -> Iterator[int]:
    while numbers:
        lowest = numbers & -numbers
        yield lowest.bit_length() - 1
        numbers ^= lowest


def _sums(a: int, b: int) -> int:
    """Return all sums of a number from each set, as bits."""
    if a.bit_count() > b.bit_count():
        a, b = b, a
    return reduce(or_, (b << number for number in _bits(a)), 0)


def _differences(a: int, b: int) -> int:
    """Return all differences of a number from `a` and a number from `b`, as bits."""
    return reduce(or_, (a >> number for number in _bits(b)), 0)


def _tree(leaves: list[NodeT], join: Callable[[NodeT, NodeT], NodeT]) -> list[list[NodeT]]:
    """Return the levels from the leaves up to all of them joined. An unpaired node moves up
    unchanged."""
    levels = [leaves]
    while len(levels[-1]) > 1:
        below = levels[-1]
        pairs = [join(below[i], below[i + 1]) for i in range(0, len(below) - 1, 2)]
        levels.append(pairs + below[len(pairs) * 2 :])
    return levels


def _down(
    tree: list[list[NodeT]], top: NodeT, part: Callable[[NodeT, NodeT], NodeT]
) -> list[NodeT]:
    """For each leaf, return what is left of `top` for it. `part(other, above)` gives what is left
    of a node for one of its two children; `other` is the other child."""
    level = [top]
    for below in reversed(tree[:-1]):
        level = [
            part(below[i ^ 1], level[i // 2]) if i ^ 1 < len(below) else level[i // 2]
            for i in range(len(below))
        ]
    return level
