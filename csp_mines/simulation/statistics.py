"""Statistics of simulated games: how far a measured rate or mean can be trusted.

A rate comes with its Wilson interval, which stays inside 0..1 and is sensible at 0 and 100 % wins,
where the usual `p ± 1.96 √(p(1−p)/n)` is not. A mean comes with its standard error. Two agents that
played the same layouts are compared by the differences on each layout, which cancels the luck of
the layouts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, nan, sqrt

__all__ = ["Z95", "Mean", "Rate", "mean", "paired", "wilson"]

Z95 = 1.959963984540054  # the 97.5 % point of the normal distribution


@dataclass(frozen=True)
class Rate:
    """`successes` out of `trials`, and the interval that holds the true rate 95 times in 100."""

    successes: int
    trials: int
    low: float
    high: float

    @property
    def rate(self) -> float:
        return self.successes / self.trials if self.trials else nan


@dataclass(frozen=True)
class Mean:
    """The mean of `count` values and its standard error: nan for fewer than two values."""

    value: float
    error: float
    count: int

    @property
    def low(self) -> float:
        """The lower end of the 95 % interval."""
        return self.value - Z95 * self.error

    @property
    def high(self) -> float:
        """The upper end of the 95 % interval."""
        return self.value + Z95 * self.error


def wilson(successes: int, trials: int, z: float = Z95) -> Rate:
    """The rate and its Wilson score interval; 0..1 when there were no trials.

    Raises ValueError unless 0 <= successes <= trials."""
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} successes in {trials} trials")
    if not trials:
        return Rate(0, 0, 0.0, 1.0)
    rate = successes / trials
    scale = 1 + z * z / trials
    centre = (rate + z * z / (2 * trials)) / scale
    reach = z * sqrt(rate * (1 - rate) / trials + z * z / (4 * trials * trials)) / scale
    low = 0.0 if successes == 0 else centre - reach
    high = 1.0 if successes == trials else centre + reach
    return Rate(successes, trials, low, high)


def mean(values: Sequence[float]) -> Mean:
    """The mean and its standard error (n − 1 in the variance). The same whatever the order."""
    count = len(values)
    if not count:
        return Mean(nan, nan, 0)
    centre = fsum(values) / count
    if count == 1:
        return Mean(centre, nan, 1)
    variance = fsum((value - centre) ** 2 for value in values) / (count - 1)
    return Mean(centre, sqrt(variance / count), count)


def paired(ours: Sequence[float], theirs: Sequence[float]) -> Mean:
    """The mean difference of two measures of the same games, in the same order.

    Raises ValueError when there are more of one than of the other."""
    return mean([one - other for one, other in zip(ours, theirs, strict=True)])
