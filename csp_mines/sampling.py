"""Approximate risks of a problem that is too wide to count: drawn, not counted, with their errors.

The compiled kernel draws layouts (`solvers/native/kernel/sweeps.hpp` and `sampler.hpp` say how) and
gives every box the mean of its mines and a standard error. What is drawn converges to the
posterior.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, log

import numpy as np
import numpy.typing as npt

from csp_mines import arguments
from csp_mines.constraints import Problem, Region
from csp_mines.errors import GaveUp
from csp_mines.kernel import SamplingKernel

__all__ = ["ROUNDING", "SAMPLING", "Z95", "Budget", "Estimate", "estimate", "ignorance"]

SAMPLING = "sampling"  # the name that stands where a counting engine's would

UNBOUNDED = 2**62
MOST_LOG = 600  # of the weight of a box's mines, as a natural logarithm
ROUNDING = 1e-9  # more than a risk is off that was computed without chance
Z95 = 1.959963984540054  # the 97.5 % point of the normal distribution: ± so many errors is 95 %


@dataclass(frozen=True)
class Budget:
    """When to stop: after `seconds`, after so many `samples` (moves of the chain), after so much
    `work` (steps of some 4 ns), whichever comes first. Without seconds the same seed
    gives the same numbers everywhere."""

    seconds: float = inf
    samples: int = UNBOUNDED
    work: int = UNBOUNDED
    seed: int = 0

    def __post_init__(self) -> None:
        """Raises InputError."""
        expected = "a number of seconds, 0 or more"
        arguments.number(self.seconds, "seconds", expected, lambda time: time >= 0)
        arguments.whole(self.samples, "samples", 0, UNBOUNDED)
        arguments.whole(self.work, "work", 0, UNBOUNDED)
        arguments.whole(self.seed, "seed")


@dataclass(frozen=True)
class Estimate:
    """Risks of the cells of a problem: `risks` and `errors` have one entry for each of its `boxes`,
    and the sea's last. An error is a standard error: 1.96 times as much holds
    the exact risk in about 95 of 100 cases. `samples` moves were recorded."""

    boxes: tuple[tuple[int, ...], ...]
    sea: tuple[int, ...]
    risks: npt.NDArray[np.float64]
    errors: npt.NDArray[np.float64]
    samples: int


def estimate(
    kernel: SamplingKernel, problem: Problem, budget: Budget, starts: Sequence[Sequence[int]] = ()
) -> Estimate:
    """Draws layouts of a problem whose certain cells are gone. `starts` are layouts to begin with,
    the mines of every box; without, the kernel looks for its own. Raises GaveUp when it finds
    none, Contradiction when a constraint is impossible."""
    regions = problem.regions
    _require_moderate(problem)
    sizes = [len(box) for region in regions for box in region.boxes]
    cells = np.array([*sizes, max(len(problem.sea), 1)], float)
    first, members, first_weight, weights = _constraints(regions)
    drawn = kernel.sample(
        sizes, first, members, first_weight, weights, len(problem.sea),
        -1 if problem.mines is None else problem.mines, float(problem.odds),
        [mines for start in starts for mines in start], budget.seed % 2**64, budget.samples,
        budget.work, budget.seconds,
    )  # fmt: skip
    if drawn is None:
        raise GaveUp("no layout to start sampling from was found")
    risks, errors = np.array(drawn[0]) / cells, np.maximum(ROUNDING, np.array(drawn[1]) / cells)
    if problem.mines is None:  # the sea is independent of everything
        risks[-1], errors[-1] = float(problem.odds / (1 + problem.odds)), ROUNDING
    return Estimate(problem.boxes, problem.sea, risks, errors, drawn[2])


def _require_moderate(problem: Problem) -> None:
    """Raises GaveUp where the weight of a box's mines would leave the range of a double."""
    largest = max(map(len, problem.boxes), default=0)
    if largest * (abs(log(problem.odds.numerator) - log(problem.odds.denominator)) + 1) > MOST_LOG:
        raise GaveUp("boxes this large, or a density this extreme, cannot be sampled")


def ignorance(problem: Problem) -> Estimate:
    """What is known of risks when no layout was found in time: nothing."""
    unknown = np.full(len(problem.boxes) + 1, 0.5)
    return Estimate(problem.boxes, problem.sea, unknown, unknown, 0)


def _constraints(
    regions: Sequence[Region],
) -> tuple[list[int], list[int], list[int], list[float]]:
    """All constraints, one list after the other, with where each begins. Weights are scaled to
    1 at the most, and 0 outside the bounds."""
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
