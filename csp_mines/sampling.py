"""Estimates of the risks of a problem that is too wide to count, with standard errors.

The compiled kernel draws layouts and returns the mean mines of every box with a standard error.
The headers `sweeps.hpp` and `sampler.hpp` in `solvers/native/kernel/sampling` explain how.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, log
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from csp_mines import arguments
from csp_mines.constraints import Problem, Region
from csp_mines.errors import GaveUp

if TYPE_CHECKING:
    from csp_mines.kernel import Kernel

__all__ = [
    "ROUNDING",
    "SAMPLING",
    "Z95",
    "Budget",
    "Estimate",
    "Outside",
    "estimate",
    "ignorance",
    "sea_alone",
]

SAMPLING = "sampling"  # stands in place of the name of a counting engine

UNBOUNDED = 2**62
MOST_LOG = 600  # largest natural logarithm of the weight of a box's mines
ROUNDING = 1e-9  # bounds the rounding error of a risk that was computed exactly
Z95 = 1.959963984540054  # 95 % of a normal distribution lie within ± this many standard errors


@dataclass(frozen=True)
class Budget:
    """When to stop: after `seconds`, after `samples` moves of the chain, or after `work` steps of
    about 4 ns, whichever comes first. Without `seconds`, the same seed gives the same numbers on
    every machine."""

    seconds: float = inf
    samples: int = UNBOUNDED
    work: int = UNBOUNDED
    seed: int = 0

    def __post_init__(self) -> None:
        """Check the fields. Raises InputError."""
        expected = "a number of seconds, 0 or more"
        arguments.number(self.seconds, "seconds", expected, lambda time: time >= 0)
        arguments.whole(self.samples, "samples", 0, UNBOUNDED)
        arguments.whole(self.work, "work", 0, UNBOUNDED)
        arguments.whole(self.seed, "seed")


@dataclass(frozen=True)
class Outside:
    """The outside of the boxes that are drawn, if the total is known.

    Both tables have an entry for every number of mines in the boxes. `log_ways` has the logarithm
    of the number of layouts outside, up to a constant (-inf where there are none). `risks` has a
    row for each group of `cells`: their risk."""

    log_ways: npt.NDArray[np.float64]
    cells: tuple[tuple[int, ...], ...]
    risks: npt.NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """Estimated risks: `risks` and `errors` have one entry for each group of `cells`. An error is a
    standard error: the exact risk lies within 1.96 of them in about 95 of 100 cases. `samples` is
    the number of recorded moves."""

    cells: tuple[tuple[int, ...], ...]
    risks: npt.NDArray[np.float64]
    errors: npt.NDArray[np.float64]
    samples: int


def estimate(
    kernel: Kernel,
    problem: Problem,
    budget: Budget,
    starts: Sequence[Sequence[int]] = (),
    outside: Outside | None = None,
) -> Estimate:
    """Estimate the risks of a problem without certain cells. `outside` describes everything outside
    its boxes; by default that is the sea. `starts` has layouts to start from, given as the mines of
    every box; without them the kernel looks for its own.

    Raises GaveUp if the kernel finds no layout, Contradiction if a constraint is impossible."""
    if outside is None:
        outside = sea_alone(problem)
    regions = problem.regions
    _require_moderate(problem)
    sizes = [len(box) for region in regions for box in region.boxes]
    first, members, first_weight, weights = _constraints(regions)
    drawn = kernel.sample(
        sizes, first, members, first_weight, weights, outside.log_ways.tolist(),
        outside.risks.ravel().tolist(), _odds(problem),
        [mines for start in starts for mines in start], budget.seed % 2**64, budget.samples,
        budget.work, budget.seconds,
    )  # fmt: skip
    if drawn is None:
        raise GaveUp("the kernel found no layout from which to start sampling")
    spans = np.array(sizes + [1] * len(outside.cells), float)
    risks, errors = np.array(drawn[0]) / spans, np.maximum(ROUNDING, np.array(drawn[1]) / spans)
    groups = problem.boxes + outside.cells
    if problem.mines is None and problem.sea:  # the sea is independent of everything
        groups += (problem.sea,)
        risks = np.append(risks, float(problem.odds / (1 + problem.odds)))
        errors = np.append(errors, ROUNDING)
    return Estimate(groups, risks, errors, drawn[2])


def sea_alone(problem: Problem) -> Outside:
    """Return the outside of the boxes if it is only the sea."""
    if problem.mines is None:
        return Outside(np.empty(0), (), np.empty((0, 0)))
    sea = len(problem.sea)
    left = problem.mines - np.arange(sum(map(len, problem.boxes)) + 1)
    fits = (left >= 0) & (left <= sea)
    inside = np.clip(left, 0, sea)
    fewer = inside[1:]  # the ways with each of these follow from those with one mine more
    steps = np.where(inside[:-1] == fewer, 0.0, np.log((fewer + 1) / np.maximum(1, sea - fewer)))
    log_ways = np.where(fits, np.concatenate([[0.0], np.cumsum(steps)]), -inf)
    if not sea:
        return Outside(log_ways, (), np.empty((0, len(left))))
    return Outside(log_ways, (problem.sea,), np.where(fits, left / sea, 0.0)[None])


def _odds(problem: Problem) -> float:
    """Return the odds of a mine. With a total, they follow from the density of mines."""
    if problem.mines is None:
        return float(problem.odds)
    cells = len(problem.sea) + sum(map(len, problem.boxes))
    density = min(max(problem.mines / max(cells, 1), 0.02), 0.98)
    return density / (1 - density)


def _require_moderate(problem: Problem) -> None:
    """Raise GaveUp if the weight of a box's mines would leave the range of a double."""
    largest = max(map(len, problem.boxes), default=0)
    if largest * (abs(log(problem.odds.numerator) - log(problem.odds.denominator)) + 1) > MOST_LOG:
        raise GaveUp("boxes this large, or a density this extreme, cannot be sampled")


def ignorance(cells: tuple[tuple[int, ...], ...]) -> Estimate:
    """Return the estimate if no layout was found in time: all risks of the groups are unknown."""
    unknown = np.full(len(cells), 0.5)
    return Estimate(cells, unknown, unknown, 0)


def _constraints(
    regions: Sequence[Region],
) -> tuple[list[int], list[int], list[int], list[float]]:
    """Return all constraints as lists for the kernel, with the indices at which each begins. The
    largest weight of a constraint is 1; weights outside its bounds are 0."""
    first: list[int] = [0]
    members: list[int] = []
    first_weight: list[int] = [0]
    weights: list[float] = []
    before = 0
    for region in regions:
        for constraint in region.constraints:
            members += (before + box for box in constraint.boxes)
            first.append(len(members))
            cells = sum(len(region.boxes[box]) for box in constraint.boxes)
            given = constraint.weights or (1,) * (cells + 1)
            most = max(given)
            weights += (
                given[mines] / most if constraint.low <= mines <= constraint.high else 0.0
                for mines in range(cells + 1)
            )
            first_weight.append(len(weights))
        before += len(region.boxes)
    return first, members, first_weight, weights
