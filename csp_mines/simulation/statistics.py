"""Statistics of simulated games: how far a measured rate, mean or difference can be trusted.

Every interval is one of 95 %. A rate comes with its Wilson interval, which stays inside 0..1 and is
sensible at 0 and 100 % wins, where the usual `p ± 1.96 √(p(1−p)/n)` is not. A mean comes with its
standard error. Two agents that played the same layouts are compared by the differences on each
layout, which cancels the luck of the layouts: win rates by the interval that belongs to McNemar's
test as Wilson's belongs to the test of one rate, scores by the mean of the differences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import nan, sqrt

from csp_mines.errors import InputError
from csp_mines.sampling import Z95

__all__ = [
    "Z95",
    "Mean",
    "Moments",
    "Rate",
    "RateDifference",
    "mean",
    "paired",
    "rate_difference",
    "wilson",
]

_PLACES = 1074  # after the binary point of the smallest float


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
class RateDifference:
    """By how much one rate is above another, both measured in the same `trials`, and the interval
    of that. `only_ours` were successes of the one alone, `only_theirs` of the other alone."""

    only_ours: int
    only_theirs: int
    trials: int
    low: float
    high: float

    @property
    def value(self) -> float:
        return (self.only_ours - self.only_theirs) / self.trials if self.trials else nan


@dataclass(frozen=True)
class Mean:
    """The mean of `count` values and its standard error: nan for fewer than two values."""

    value: float
    error: float
    count: int

    @property
    def margin(self) -> float | None:
        """What stands after ±: half the 95 % interval. None for fewer than two values."""
        return Z95 * self.error if self.count > 1 else None

    @property
    def low(self) -> float:
        """The lower end of the 95 % interval."""
        return self.value - Z95 * self.error

    @property
    def high(self) -> float:
        """The upper end of the 95 % interval."""
        return self.value + Z95 * self.error

    @property
    def interval(self) -> tuple[float, float] | None:
        """Both ends. None for fewer than two values."""
        return (self.low, self.high) if self.count > 1 else None


class Moments:
    """The number of some values, their sum and that of their squares, both exact: as whole numbers
    of the smallest float and of its square."""

    __slots__ = ("_squares", "_total", "count")

    def __init__(self, zeros: int = 0) -> None:
        """Begins with so many values of 0."""
        self.count = zeros
        self._total = 0
        self._squares = 0

    def add(self, value: float) -> None:
        """Raises ValueError, OverflowError for what is no finite number."""
        numerator, denominator = value.as_integer_ratio()
        places = _PLACES + 1 - denominator.bit_length()  # the denominator is a power of two
        self.count += 1
        self._total += numerator << places
        self._squares += numerator * numerator << 2 * places

    def __neg__(self) -> Moments:
        """Those of the same values with the other sign."""
        turned = Moments(self.count)
        turned._total, turned._squares = -self._total, self._squares
        return turned

    def mean(self) -> Mean:
        """The mean of the values and its standard error."""
        if not self.count:
            return Mean(nan, nan, 0)
        value = float(Fraction(self._total, self.count << _PLACES))
        if self.count == 1:
            return Mean(value, nan, 1)
        spread = self.count * self._squares - self._total**2
        variance = Fraction(spread, self.count * (self.count - 1) << 2 * _PLACES)
        return Mean(value, sqrt(variance / self.count), self.count)


def wilson(successes: int, trials: int, z: float = Z95) -> Rate:
    """The rate and its Wilson score interval; 0..1 when there were no trials.

    Raises InputError unless 0 <= successes <= trials."""
    if not 0 <= successes <= trials:
        raise InputError(f"{successes} successes in {trials} trials")
    if not trials:
        return Rate(0, 0, 0.0, 1.0)
    rate = successes / trials
    scale = 1 + z * z / trials
    centre = (rate + z * z / (2 * trials)) / scale
    reach = z * sqrt(rate * (1 - rate) / trials + z * z / (4 * trials * trials)) / scale
    low = 0.0 if successes == 0 else centre - reach
    high = 1.0 if successes == trials else centre + reach
    return Rate(successes, trials, low, high)


def rate_difference(only_ours: int, only_theirs: int, trials: int) -> RateDifference:
    """The difference of two rates measured in the same trials and its score interval (Tango 1998):
    every difference that the data do not reject. It leaves out 0 exactly when McNemar's test does
    not accept that the rates are equal. −1..1 when there were no trials.

    Raises InputError for numbers that cannot be."""
    if min(only_ours, only_theirs) < 0 or only_ours + only_theirs > trials:
        raise InputError(f"{only_ours} and {only_theirs} of {trials} trials")
    if not trials:
        return RateDifference(0, 0, 0, -1.0, 1.0)
    seen = (only_ours - only_theirs) / trials

    def accepted(difference: float) -> bool:
        far = only_ours - only_theirs - trials * difference
        variance = _variance(only_ours, only_theirs, trials, difference)
        return far * far <= Z95 * Z95 * trials * variance

    return RateDifference(
        only_ours,
        only_theirs,
        trials,
        low=_last(accepted, seen, -1.0),
        high=_last(accepted, seen, 1.0),
    )


def mean(values: Iterable[float]) -> Mean:
    """The mean and its standard error (n − 1 in the variance). The same whatever the order."""
    moments = Moments()
    for value in values:
        moments.add(value)
    return moments.mean()


def paired(ours: Sequence[float], theirs: Sequence[float]) -> Mean:
    """The mean difference of two measures of the same games, in the same order.

    Raises ValueError when there are more of one than of the other."""
    return mean([our - their for our, their in zip(ours, theirs, strict=True)])


def _variance(only_ours: int, only_theirs: int, trials: int, difference: float) -> float:
    """Of one trial's difference, where the chance of a success of theirs alone is the likeliest
    one among those under which the rates differ by `difference`: the root of a quadratic."""
    first = 2.0 * trials
    second = (2.0 * trials - only_ours + only_theirs) * difference - only_ours - only_theirs
    third = -only_theirs * difference * (1 - difference)
    likeliest = (sqrt(max(0.0, second * second - 4 * first * third)) - second) / (2 * first)
    return max(0.0, 2 * likeliest + difference * (1 - difference))


def _last(accepted: Callable[[float], bool], inside: float, outside: float) -> float:
    """By bisection, the last accepted value on the way from `inside`, which is accepted."""
    if accepted(outside):
        return outside
    for _ in range(60):  # more than a float has bits
        middle = (inside + outside) / 2
        if accepted(middle):
            inside = middle
        else:
            outside = middle
    return inside
