"""Combine the counts of single regions into the exact probabilities of a whole problem.

The count of a region has one entry for each number of mines in the region. The probability of each
number depends on everything outside the region. With a total of `M` mines, the outside is the
other regions and the sea. Let the sea have `R` cells. If all regions together have `m` mines, the
other `M - m` mines are in the sea, in one of `C(R, M - m)` ways. Without a total, only the odds of
a mine matter. In both cases the outside gives a region one integer weight for each number of mines
in the region. One pass down a product tree computes these weights for all regions.
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

NodeT = TypeVar("NodeT")


@dataclass(frozen=True)
class Combination:
    """The counts of all regions, combined with a sea of `sea` cells. `mines` is the number of mines
    in the regions and the sea together, or None. If it is None, each mine makes a layout `odds`
    times as likely. Each property is computed when a caller first reads it."""

    counts: tuple[RegionCount, ...]
    sea: int
    mines: int | None
    odds: Fraction

    @property
    def fits(self) -> bool:
        """Whether some layout fits. Without a total, it is enough that every region has a
        solution."""
        return all(count.ways for count in self.counts) and (self.mines is None or self.total > 0)

    @cached_property
    def low(self) -> int:
        """The fewest mines that all regions together can have."""
        return sum(count.low for count in self.counts)

    @cached_property
    def tree(self) -> list[list[list[int]]]:
        """The levels of the product tree: the counts of the regions as polynomials, then the
        products of pairs of them, and so on. The last level is the product of all."""
        return _tree([list(count.ways) for count in self.counts], multiply)

    @property
    def frontier(self) -> list[int]:
        """The count of all regions together. Entry `i` is for `low + i` mines in all regions."""
        return self.tree[-1][0] if self.counts else [1]

    @cached_property
    def in_sea(self) -> list[int]:
        """Entry `i` is the number of ways in which the sea can take the remaining mines, if the
        regions have `low + i` mines."""
        assert self.mines is not None
        return _binomials(self.sea, self.mines - self.low, len(self.frontier))

    @cached_property
    def total(self) -> int:
        """The sum of the weights of all layouts that fit. The number `mines` must be known."""
        return dot(self.frontier, self.in_sea)

    @property
    def solutions(self) -> int:
        """The number of layouts that fit; if constraints have weights, the sum of the weights of
        these layouts."""
        if self.mines is not None:
            return self.total
        return prod((sum(count.ways) for count in self.counts), start=2**self.sea)

    @cached_property
    def weights(self) -> tuple[tuple[int, ...], ...]:
        """One tuple per region. Entry `i` is the weight of all layouts of the other regions and the
        sea, if the region has `low + i` mines, where `low` is the least number of mines in its
        count. Without a total, a factor that is the same for all entries is left out."""
        if self.mines is not None:
            outside = _down(self.tree, self.in_sea, correlate) if self.counts else []
            return tuple(map(tuple, outside))
        top, bottom = self.odds.as_integer_ratio()
        return tuple(
            tuple(top**m * bottom ** (len(count.ways) - 1 - m) for m in range(len(count.ways)))
            for count in self.counts
        )

    @cached_property
    def denominators(self) -> tuple[int, ...]:
        """For each region, the weight of all layouts: the sum of `ways[i] * weights[i]`, where
        `ways` is from the count of the region, and `weights` is its tuple in the property
        `weights`. With a total, all regions have the same denominator."""
        return tuple(
            dot(count.ways, weights)
            for count, weights in zip(self.counts, self.weights, strict=True)
        )

    def shares(
        self, regions: Iterable[Sequence[Sequence[int]]]
    ) -> Iterator[tuple[Sequence[int], int, int]]:
        """Yield every box with the numerator and the denominator of the probability of a mine at
        each of its cells. `regions` has the boxes of each region. Raises EngineFault after the last
        box if the probabilities do not add up to the total."""
        mines = 0
        parts = zip(regions, self.counts, self.weights, self.denominators, strict=True)
        for boxes, count, weights, denominator in parts:
            for box, sums in zip(boxes, count.mines, strict=True):
                numerator = dot(sums, weights)
                mines += numerator
                yield box, numerator, denominator * len(box)
        if self.mines is None or not self.counts:
            return
        # With a total, all regions have the same denominator: the weight of all layouts.
        agree = all(denominator == self.total for denominator in self.denominators)
        if not agree or mines != (self.mines - self.sea_share * self.sea) * self.total:
            raise EngineFault(f"the probabilities do not add up to {self.mines} mines")

    @cached_property
    def sea_share(self) -> Fraction:
        """The probability of a mine at one sea cell. With a total but no sea, it is 0."""
        if self.mines is None:
            return self.odds / (self.odds + 1)
        if not self.sea:
            return Fraction(0)
        left = _binomials(self.sea - 1, self.mines - self.low - 1, len(self.frontier))
        return Fraction(dot(self.frontier, left), self.total)

    @cached_property
    def possible(self) -> Possible:
        """The numbers of mines that each region and the sea have in at least one layout."""
        supports = [_support(count.ways) for count in self.counts]
        if self.mines is None:
            return Possible(tuple(supports), sea_is_safe=False, sea_is_mined=False)
        tree = _tree(supports, _sums)
        most = self.mines - self.low  # the regions have `low + most` mines if the sea has none
        fewest = most - self.sea
        everywhere = tree[-1][0] if supports else 1
        everywhere &= (2 << most) - (1 << max(0, fewest)) if most >= 0 else 0
        allowed = _down(tree, everywhere, lambda other, above: _differences(above, other))
        return Possible(
            tuple(numbers & own for numbers, own in zip(allowed, supports, strict=False)),
            sea_is_safe=everywhere == 1 << max(0, most),
            sea_is_mined=fewest >= 0 and everywhere == 1 << fewest,
        )


@dataclass(frozen=True)
class Possible:
    """Which numbers of mines occur in at least one layout. `regions` has one integer for each
    region; bit `i` is set if the region may have `low + i` mines, where `low` is the least number
    of mines in the count of the region. `sea_is_safe` says that no layout has a mine in the sea.
    `sea_is_mined` says that every cell of the sea is a mine in every layout."""

    regions: tuple[int, ...]
    sea_is_safe: bool
    sea_is_mined: bool


@dataclass(frozen=True)
class Posterior:
    """The exact answer to a problem: the probabilities that follow from the counts of its
    regions."""

    problem: Problem
    combined: Combination

    @property
    def solutions(self) -> int:
        """The number of layouts that fit; if constraints have weights, the sum of the weights of
        these layouts."""
        return self.problem.constant_weight * self.combined.solutions

    @property
    def sea_share(self) -> Fraction:
        """The probability of a mine at one sea cell."""
        return self.combined.sea_share

    @cached_property
    def shares(self) -> dict[int, tuple[int, int]]:
        """The numerator and the denominator of the probability of a mine, for every frontier cell.
        Raises EngineFault if the probabilities do not add up to the total."""
        boxes = self.combined.shares(region.boxes for region in self.problem.regions)
        return {cell: (top, bottom) for box, top, bottom in boxes for cell in box}

    def probability(self, cell: int) -> Fraction:
        """Return the probability of a mine at a frontier or sea cell."""
        share = self.shares.get(cell)
        return self.sea_share if share is None else Fraction(*share)

    def certain(self) -> Deduction:
        """Return the cells that are safe in every solution, and the cells that are mines in every
        solution."""
        possible = self.combined.possible
        safe, mined = set[int](), set[int]()
        parts = zip(self.problem.regions, self.combined.counts, possible.regions, strict=True)
        for region, count, numbers in parts:
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
        return Deduction(frozenset(safe), frozenset(mined))


def count_by(
    engine: Backend, problem: Problem, known: Deduction | None = None
) -> tuple[Deduction, Posterior]:
    """Return deductions, and the posterior of all other cells. The deductions are `known`; if
    `known` is None, they are those that `engine.simplify` finds.

    The time limit that the engine has for one count holds here for all regions together: when it is
    over, no further region is counted. Raises what `posterior` raises. Also raises EngineFault if a
    complete engine did not deduce a cell that its count makes certain."""
    deadline = engine.counting_deadline()
    if known is None:
        known = engine.simplify(problem)
    counted = posterior(problem.given(known.safe, known.mines), engine.count, deadline)
    complete = engine.simplifies_fully() and not problem.has_zero_weights
    if complete and counted.certain().cells:
        raise EngineFault(
            f"{engine.name!r} counts cells as certain, but did not deduce them, although it is a "
            "complete engine"
        )
    return known, counted


def posterior(
    problem: Problem, count: Callable[[Region], RegionCount], deadline: Deadline | None = None
) -> Posterior:
    """Count every region with `count`, check the counts and combine them. Raises what `count`
    raises, and Contradiction if no layout fits, EngineFault if a count cannot belong to its region,
    OutOfTime after `deadline`."""
    problem.check()
    counts: list[RegionCount] = []
    for region in problem.regions:
        if deadline is not None:
            deadline.check()
        counts.append(count(region))
        counts[-1].check(region)
    if not problem.constant_weight or not all(count.ways for count in counts):
        raise Contradiction("the clues allow no layout")
    combined = Combination(tuple(counts), len(problem.sea), problem.mines, problem.odds)
    if not combined.fits:
        raise Contradiction(
            f"the clues cannot hold with {plural(problem.mines or 0, 'remaining mine')}"
        )
    return Posterior(problem, combined)


def _binomials(cells: int, mines: int, length: int) -> list[int]:
    """Return `length` binomial coefficients: `C(cells, mines), C(cells, mines - 1), …`.
    `C(n, k)` is the number of ways to place `k` mines on `n` cells."""
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
    """Return an integer whose bit `i` is set if `ways[i]` is positive."""
    return sum(1 << place for place, number in enumerate(ways) if number)


def _bits(numbers: int) -> Iterator[int]:
    while numbers:
        lowest = numbers & -numbers
        yield lowest.bit_length() - 1
        numbers ^= lowest


def _sums(a: int, b: int) -> int:
    """Return the set of all sums `x + y` with `x` in `a` and `y` in `b`. A set is written as an
    integer: bit `i` is set if the set contains `i`."""
    if a.bit_count() > b.bit_count():
        a, b = b, a
    return reduce(or_, (b << number for number in _bits(a)), 0)


def _differences(a: int, b: int) -> int:
    """Return the set of all differences `x - y` that are not negative, with `x` in `a` and `y` in
    `b`. Sets are written as in `_sums`."""
    return reduce(or_, (a >> number for number in _bits(b)), 0)


def _tree(leaves: list[NodeT], join: Callable[[NodeT, NodeT], NodeT]) -> list[list[NodeT]]:
    """Return the levels of a binary tree. The first level has the leaves, and each next level joins
    pairs of the level before; the last level has one node. A node without a partner moves up
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
    """Pass a value from the top of a tree down to the leaves, and return the value of each leaf.
    The top gets `top`. A child gets `part(other, above)`: `other` is its sibling in the tree,
    `above` is the value of its parent. A child without a sibling gets the value of its parent."""
    level = [top]
    for below in reversed(tree[:-1]):
        level = [
            part(below[i ^ 1], level[i // 2]) if i ^ 1 < len(below) else level[i // 2]
            for i in range(len(below))
        ]
    return level
