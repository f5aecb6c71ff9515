"""Estimates of the risks of a problem that is too wide to count, with standard errors.

The compiled kernel first tries sweeps and, if the sweeps fail, uses Markov chains over layouts. The
headers `sweeps.hpp` and `sampler.hpp` in `solvers/native/kernel/sampling` explain both. The kernel
returns the expected number of mines in every box, with its standard error. This module converts
these numbers to the risks of cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, log
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from csp_mines import arguments
from csp_mines.constraints import BoxConstraint, Problem
from csp_mines.errors import GaveUp
from csp_mines.kernel import flattened

if TYPE_CHECKING:
    from csp_mines.kernel import Kernel

SAMPLING = "sampling"  # the `counter` of an analysis that estimates the risks instead of counting

UNBOUNDED = 2**62
MOST_LOG = 600  # the largest logarithm (base e) of a weight; a double can hold such a weight
ROUNDING = 1e-9  # a bound on rounding errors, and therefore the least standard error
Z95 = 1.959963984540054  # 95 % of a normal distribution lie within ± this many standard errors


@dataclass(frozen=True)
class Budget:
    """The limits of sampling: `seconds`, `samples`, and `work` in steps of about 4 ns. Sampling
    ends when it reaches one of these limits, but not before it has the few samples that standard
    errors need. Sampling ends earlier if it finds the exact risks.

    One move of a Markov chain is one sample. One sweep counts as many samples as the number of
    states that it may keep at each step. If `seconds` is not given, the same `seed` gives the same
    estimates on every machine."""

    seconds: float = inf
    samples: int = UNBOUNDED
    work: int = UNBOUNDED
    seed: int = 0

    def __post_init__(self) -> None:
        """Raise InputError if `seconds` is not a number, 0 or more, if `samples` or `work` is not a
        whole number from 0 to `UNBOUNDED`, or if `seed` is not a whole number."""
        expected = "a number of seconds, 0 or more"
        arguments.number(self.seconds, "seconds", expected, lambda time: time >= 0)
        arguments.whole(self.samples, "samples", 0, UNBOUNDED)
        arguments.whole(self.work, "work", 0, UNBOUNDED)
        arguments.whole(self.seed, "seed")


@dataclass(frozen=True)
class Outside:
    """The cells outside the sampled boxes. If the total is unknown, these cells do not depend on
    the boxes, and all fields are empty.

    `log_ways[m]` is the natural logarithm of the number of layouts of these cells if the boxes have
    `m` mines; -inf if there is no such layout. To all logarithms, the same constant may be added.
    `cells` has groups of cells with the same risk. `risks[g, m]` is the risk of the cells in group
    `g` if the boxes have `m` mines."""

    log_ways: npt.NDArray[np.float64]
    cells: tuple[tuple[int, ...], ...]
    risks: npt.NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """Estimated risks. `cells` has groups of cells with the same risk; `risks` and `errors` have
    one entry for each group. An error is a standard error: in about 95 of 100 cases, the exact risk
    is within 1.96 standard errors of the estimate. `samples` is the number of samples (see
    `Budget`) from which the risks are estimated. It is 1 if a sweep was exact, and 0 if there were
    no boxes to draw or no layout was drawn."""

    cells: tuple[tuple[int, ...], ...]
    risks: npt.NDArray[np.float64]
    errors: npt.NDArray[np.float64]
    samples: int


def estimate(
    kernel: Kernel,
    problem: Problem,
    budget: Budget,
    outside: Outside,
    starts: Sequence[Sequence[int]] = (),
) -> Estimate:
    """Estimate the risks of a problem that has no certain cells, within `budget`. `outside`
    describes the cells outside the boxes of the problem. If sweeps fail, Markov chains start from
    the layouts `starts`. Each layout is a list with the number of mines in every box. Without
    `starts`, the kernel searches for layouts.

    Raises GaveUp if the kernel finds no layout, if a layout of `starts` does not fit, or if a
    weight might not fit a double; Contradiction if a constraint is impossible."""
    _require_moderate(problem)
    sizes = [len(box) for box in problem.boxes]
    constraints = problem.box_constraints
    weights = [_weights(each, sum(sizes[box] for box in each.boxes)) for each in constraints]
    drawn = kernel.sample(
        sizes,
        *flattened([each.boxes for each in constraints]),
        *flattened(weights),
        outside.log_ways.tolist(), outside.risks.ravel().tolist(), _odds(problem),
        [mines for start in starts for mines in start], budget.seed % 2**64, budget.samples,
        budget.work, budget.seconds,
    )  # fmt: skip
    if drawn is None:
        raise GaveUp("the kernel found no layout from which to start sampling")
    spans = np.array(sizes + [1] * len(outside.cells), float)
    risks, errors = np.array(drawn[0]) / spans, np.maximum(ROUNDING, np.array(drawn[1]) / spans)
    return _with_sea(problem, outside, risks, errors, drawn[2])


def all_unknown(problem: Problem, outside: Outside) -> Estimate:
    """Return an estimate for a problem of which no layout was drawn: every box and every group of
    `outside` has the risk 0.5, with a standard error of 0.5. If the total is unknown, the sea has
    its exact risk."""
    half = np.full(len(problem.boxes) + len(outside.cells), 0.5)
    return _with_sea(problem, outside, half, half, 0)


def _with_sea(
    problem: Problem,
    outside: Outside,
    risks: npt.NDArray[np.float64],
    errors: npt.NDArray[np.float64],
    samples: int,
) -> Estimate:
    """Return an `Estimate` with `risks` and `errors`, which have an entry for each box and then for
    each group of `outside`. If the total is unknown, add the sea with its exact risk, which does
    not depend on the boxes."""
    groups = problem.boxes + outside.cells
    if problem.mines is None and problem.sea:
        groups += (problem.sea,)
        risks = np.append(risks, float(problem.odds / (1 + problem.odds)))
        errors = np.append(errors, ROUNDING)
    return Estimate(groups, risks, errors, samples)


def sea_alone(problem: Problem) -> Outside:
    """Return an `Outside` that consists of the sea of the problem alone."""
    if problem.mines is None:
        return Outside(np.empty(0), (), np.empty((0, 0)))
    sea = len(problem.sea)
    left = problem.mines - np.arange(sum(map(len, problem.boxes)) + 1)
    fits = (left >= 0) & (left <= sea)
    inside = np.clip(left, 0, sea)
    fewer = inside[1:]  # C(sea, fewer) is computed from C(sea, fewer + 1)
    steps = np.where(inside[:-1] == fewer, 0.0, np.log((fewer + 1) / np.maximum(1, sea - fewer)))
    log_ways = np.where(fits, np.concatenate([[0.0], np.cumsum(steps)]), -inf)
    if not sea:
        return Outside(log_ways, (), np.empty((0, len(left))))
    return Outside(log_ways, (problem.sea,), np.where(fits, left / sea, 0.0)[None])


def _odds(problem: Problem) -> float:
    """Return the odds of a mine. With a total, estimate the odds from the share of mines among all
    cells."""
    if problem.mines is None:
        return float(problem.odds)
    cells = len(problem.sea) + sum(map(len, problem.boxes))
    density = min(max(problem.mines / max(cells, 1), 0.02), 0.98)
    return density / (1 - density)


def _require_moderate(problem: Problem) -> None:
    """Raise GaveUp if the weight of the mines in a box might not fit a double."""
    largest = max(map(len, problem.boxes), default=0)
    if largest * (abs(log(problem.odds.numerator) - log(problem.odds.denominator)) + 1) > MOST_LOG:
        raise GaveUp(
            "the risks cannot be estimated: a box has too many cells, or the density is too close "
            "to 0 or 1"
        )


def _weights(constraint: BoxConstraint, cells: int) -> list[float]:
    """Return the weight of each number of mines, from 0 to `cells`, in a constraint of `cells`
    cells. Numbers outside the bounds of the constraint have the weight 0. All weights are divided
    by the largest weight of the constraint."""
    given = constraint.weights or (1,) * (cells + 1)
    most = max(given)
    return [
        given[mines] / most if constraint.low <= mines <= constraint.high else 0.0
        for mines in range(cells + 1)
    ]
