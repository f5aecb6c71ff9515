"""Combine the counts of single regions into the exact probabilities of a whole problem.

The count of a region says, for each number of mines, how many solutions of the region have this
number. The probabilities also depend on the other regions and on the sea. So each number of mines
in a region gets an integer weight:

* If the problem has `M` mines, the weight is the number of layouts of the other regions and the sea
  that have all the other mines. If all regions together have `m` mines, a sea of `R` cells has the
  other `M - m` mines in one of `C(R, M - m)` ways. One pass down a product tree computes the
  weights for all regions.
* If the number of mines in the problem is unknown, the weight depends only on the odds of a mine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, reduce
from math import comb, prod
from operator import or_
from typing import TypeVar

from csp_mines.backend import Backend, Deadline, Deduction, RegionCount
from csp_mines.constraints import Problem, Region
from csp_mines.errors import Contradiction, EngineFault, TooWide
from csp_mines.polynomial import correlate, dot, multiply
from csp_mines.words import plural

NodeT = TypeVar("NodeT")


@dataclass(frozen=True)
class Combination:
    """The counts of all regions, combined with a sea of `sea` cells. `mines` is the number of mines
    in the regions and the sea together. If `mines` is None, the number is unknown, and each mine
    makes a layout `odds` times as likely.

    If constraints have weights, every number of layouts below is a sum of weights."""

    counts: tuple[RegionCount, ...]
    sea: int
    mines: int | None
    odds: Fraction

    @property
    def fits(self) -> bool:
        """Whether at least one layout fits the constraints and has `mines` mines. If `mines` is
        None, the layout may have any number of mines."""
        return all(count.ways for count in self.counts) and (self.mines is None or self.total > 0)

    @cached_property
    def low(self) -> int:
        """The fewest mines that all regions together can have."""
        return sum(count.low for count in self.counts)

    @cached_property
    def tree(self) -> list[list[list[int]]]:
        """The product tree of all regions, as the list of levels that `_tree` returns. The leaf of
        a region is the polynomial whose coefficients are `ways` of its count. The last level has
        the product of all leaves, or nothing if there are no regions."""
        return _tree([list(count.ways) for count in self.counts], multiply)

    @property
    def frontier(self) -> list[int]:
        """Entry `i` is the number of ways in which all regions together can have `low + i`
        mines."""
        return self.tree[-1][0] if self.counts else [1]

    @cached_property
    def in_sea(self) -> list[int]:
        """Entry `i` is the number of ways to place the other mines in the sea, if all regions
        together have `low + i` mines. Read this property only if `mines` is not None."""
        assert self.mines is not None
        return _binomials(self.sea, self.mines - self.low, len(self.frontier))

    @cached_property
    def total(self) -> int:
        """The number of layouts that fit. Read this property only if `mines` is not None."""
        return dot(self.frontier, self.in_sea)

    @property
    def solutions(self) -> int:
        """The number of layouts that fit; if constraints have weights, the sum of the weights of
        these layouts. The `odds` do not change it."""
        if self.mines is not None:
            return self.total
        return prod((sum(count.ways) for count in self.counts), start=2**self.sea)

    @cached_property
    def weights(self) -> tuple[tuple[int, ...], ...]:
        """One tuple per region. Entry `i` is the weight of a solution of the region with `low + i`
        mines, where `low` is the field of the region's count. If `mines` is known, this weight is
        the number of layouts of the other regions and the sea that go with the solution. If `mines`
        is None, the weight is `odds ** i`, times a factor that makes all entries of the tuple whole
        numbers."""
        if self.mines is not None:
            outside = _down(self.tree, self.in_sea, correlate) if self.counts else []
            return tuple(map(tuple, outside))
        top, bottom = self.odds.as_integer_ratio()
        return tuple(
            tuple(top**m * bottom ** (len(count.ways) - 1 - m) for m in range(len(count.ways)))
            for count in self.counts
        )

    def shares(
        self, regions: Iterable[Sequence[Sequence[int]]]
    ) -> Iterator[tuple[Sequence[int], int, int]]:
        """Yield a triple for every box: the box, and the numerator and the denominator of the risk
        that each cell of the box has. `regions` has the boxes of each region, in the order of
        `counts`. After the last box, raises EngineFault if `mines` is known and the risks of all
        cells do not add up to `mines`, or the layouts that a region gives are not `total`."""
        mines, agree = 0, True
        for boxes, count, weights in zip(regions, self.counts, self.weights, strict=True):
            denominator = dot(count.ways, weights)
            agree &= self.mines is None or denominator == self.total
            for box, sums in zip(boxes, count.mines, strict=True):
                numerator = dot(sums, weights)
                mines += numerator
                yield box, numerator, denominator * len(box)
        if self.mines is None or not self.counts:
            return
        if not agree or mines != (self.mines - self.sea_share * self.sea) * self.total:
            left = plural(self.mines, "remaining mine")
            raise EngineFault(f"the risks that the engine counted do not add up to {left}")

    @cached_property
    def sea_share(self) -> Fraction:
        """The risk of each sea cell. If `mines` is known and there is no sea cell, it is 0."""
        if self.mines is None:
            return self.odds / (self.odds + 1)
        if not self.sea:
            return Fraction(0)
        left = _binomials(self.sea - 1, self.mines - self.low - 1, len(self.frontier))
        return Fraction(dot(self.frontier, left), self.total)

    @cached_property
    def possible(self) -> tuple[list[int], set[int] | None]:
        """The numbers of mines that occur in the layouts that fit: for each region, and in the sea.

        The numbers of a region are one integer. Its bit `i` is set if the region has `low + i`
        mines in at least one layout, where `low` is the field of the region's count. If `mines` is
        None, the numbers of the sea are None."""
        supports = [_support(count.ways) for count in self.counts]
        if self.mines is None:
            return supports, None
        tree = _tree(supports, _sums)
        most = self.mines - self.low  # the regions have `low + most` mines if the sea has none
        fewest = most - self.sea
        everywhere = tree[-1][0] if supports else 1
        everywhere &= (2 << most) - (1 << max(0, fewest)) if most >= 0 else 0
        allowed = _down(tree, everywhere, lambda other, above: _differences(above, other))
        # Without regions, `allowed` has one entry that belongs to no region.
        regions = [numbers & own for numbers, own in zip(allowed, supports, strict=False)]
        return regions, {most - number for number in _bits(everywhere)}


@dataclass(frozen=True)
class Posterior:
    """The exact answer to a problem: the certain cells, and the probabilities that follow from the
    counts of its regions. `known` has the cells that were proved before the count, and `problem` is
    what was left to count without these cells."""

    problem: Problem
    combined: Combination
    known: Deduction = field(default_factory=Deduction)

    @property
    def solutions(self) -> int:
        """The number of layouts that fit; if constraints have weights, the sum of the weights of
        these layouts."""
        return self.problem.constant_weight * self.combined.solutions

    @property
    def sea_share(self) -> Fraction:
        """The risk of each sea cell."""
        return self.combined.sea_share

    @cached_property
    def shares(self) -> dict[int, tuple[int, int]]:
        """For every frontier cell of `problem`, the numerator and the denominator of its risk.
        Raises EngineFault if the number of mines is known and the risks of all cells do not add up
        to it."""
        boxes = self.combined.shares(region.boxes for region in self.problem.regions)
        return {cell: (top, bottom) for box, top, bottom in boxes for cell in box}

    def probability(self, cell: int) -> Fraction:
        """Return the risk of a cell of `known`, of the frontier or of the sea. Raises EngineFault
        as `shares` does."""
        risk = self.known.risk(cell)
        if risk is not None:
            return risk
        share = self.shares.get(cell)
        return self.sea_share if share is None else Fraction(*share)

    def certain(self) -> Deduction:
        """Return the cells that are safe in every solution, and the cells that are mines in every
        solution. They include the cells of `known`."""
        possible, in_sea = self.combined.possible
        safe, mined = set[int](), set[int]()
        parts = zip(self.problem.regions, self.combined.counts, possible, strict=True)
        for region, count, numbers in parts:
            met = [place for place in range(len(count.ways)) if numbers >> place & 1]
            ways = [count.ways[place] for place in met]
            for box, shares in zip(region.boxes, count.mines, strict=True):
                mines = [shares[place] for place in met]
                if not any(mines):
                    safe.update(box)
                elif mines == [len(box) * number for number in ways]:
                    mined.update(box)
        if in_sea == {0}:
            safe.update(self.problem.sea)
        elif in_sea == {self.combined.sea}:
            mined.update(self.problem.sea)
        return self.known | Deduction(frozenset(safe), frozenset(mined))


def count_by(engine: Backend, problem: Problem, known: Deduction | None = None) -> Posterior:
    """Return the posterior of a problem whose regions `engine` counts.

    The count leaves out the cells of `known`: deductions that `engine` made before. If `known` is
    None, this function lets `engine.simplify` make the deductions. The engine's time limit for one
    count holds here for the whole call.

    Raises what `engine.simplify`, `engine.count` and `posterior` raise, and OutOfTime if a region
    is still to be counted after the time limit. Also raises EngineFault if `engine.simplify` should
    find every deduction, but the count proves another cell."""
    deadline = engine.counting_deadline()
    if known is None:
        known = engine.simplify(problem)
    rest = problem.given(known.safe, known.mines)
    try:
        counted = posterior(rest, engine.count, deadline)
    except TooWide as error:
        # An engine in Python counts states against both limits (`Backend.python_states`).
        raise TooWide(error.states, engine.max_states, engine.max_memory) from None
    complete = engine.simplifies_fully() and not problem.has_zero_weights
    if complete and counted.certain().cells:
        raise EngineFault(
            f"{engine.name!r} counts cells as certain, but did not deduce them, although it is a "
            "complete engine"
        )
    return replace(counted, known=known)


def posterior(
    problem: Problem, count: Callable[[Region], RegionCount], deadline: Deadline | None = None
) -> Posterior:
    """Count every region with `count`, check the counts, and return their combination. Raises what
    `count` raises, and Contradiction if no layout fits, EngineFault if a count cannot belong to its
    region, OutOfTime if a region is still to be counted after `deadline`."""
    problem.check()
    counts: list[RegionCount] = []
    for region in problem.regions:
        if deadline is not None:
            deadline.check()
        counts.append(count(region))
        counts[-1].check(region)
    if not problem.constant_weight or not all(count.ways for count in counts):
        raise Contradiction
    combined = Combination(tuple(counts), len(problem.sea), problem.mines, problem.odds)
    if not combined.fits:
        raise Contradiction(
            f"the clues cannot hold with {plural(problem.mines or 0, 'remaining mine')}"
        )
    return Posterior(problem, combined)


def _binomials(cells: int, mines: int, length: int) -> list[int]:
    """Return `length` binomial coefficients: `C(cells, mines), C(cells, mines - 1), …`.
    `C(n, k)` is the number of ways to place `k` mines on `n` cells; it is 0 if `k` is negative or
    greater than `n`."""
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
    """Return the levels of a binary tree. The first level has the leaves. Each next level joins
    pairs of the level before; a node without a partner moves up unchanged. The last level has one
    node, or none if there are no leaves."""
    levels = [leaves]
    while len(levels[-1]) > 1:
        below = levels[-1]
        pairs = [join(below[i], below[i + 1]) for i in range(0, len(below) - 1, 2)]
        levels.append(pairs + below[len(pairs) * 2 :])
    return levels


def _down(
    tree: list[list[NodeT]], top: NodeT, part: Callable[[NodeT, NodeT], NodeT]
) -> list[NodeT]:
    """Pass values from the top of a tree down to the leaves, and return the value of each leaf. The
    top gets the value `top`. A child gets `part(other, above)`: `other` is the sibling of the
    child, as it stands in the tree; `above` is the value that the parent got. A child without a
    sibling gets the value of its parent. For a tree without leaves, return `[top]`."""
    level = [top]
    for below in reversed(tree[:-1]):
        level = [
            part(below[i ^ 1], level[i // 2]) if i ^ 1 < len(below) else level[i // 2]
            for i in range(len(below))
        ]
    return level
