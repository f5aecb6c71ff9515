"""The formulas: rates, means and paired differences, with 95 % intervals and p-values.

The interval of a rate is Wilson's. Unlike the usual interval `p ± 1.96 √(p(1−p)/n)`, it stays
inside 0..1 and is sensible at 0 and 100 % wins. The interval of a mean is ± 1.96 standard errors.

Two agents that played the same layouts are compared by their differences on each layout, so that
the luck of the layouts cancels out. The interval of the difference of two win rates is Tango's. The
p-value of this difference comes from McNemar's exact test. The scores of two agents are compared by
the mean of the differences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, lgamma, log, nan, sqrt

from csp_mines.errors import InputError
from csp_mines.sampling import Z95

_PLACES = 1074  # the smallest positive float is 2**-1074


@dataclass(frozen=True)
class Rate:
    """`successes` out of `trials`, and `low` and `high`, the 95 % interval of the true rate.

    >>> setup = csp_mines.Setup(csp_mines.Spec(5, 5, 4))
    >>> plan = csp_mines.Plan([setup], ["exact", "disarm"], games=100)
    >>> results = csp_mines.simulate(plan, workers=1)
    >>> wins = results.agent_result("exact").wins
    >>> wins.successes, wins.rate, round(wins.low, 3), round(wins.high, 3)
    (76, 0.76, 0.668, 0.833)
    """

    successes: int
    trials: int
    low: float
    high: float

    @property
    def rate(self) -> float:
        """The share of successes in the trials; nan if `trials` is 0."""
        return self.successes / self.trials if self.trials else nan


@dataclass(frozen=True)
class RateDifference:
    """The difference of the success rates of two agents in the same `trials`. The first agent is
    called ours, the second theirs. `only_ours` counts the trials in which only the first agent
    succeeded. `only_theirs` counts the trials in which only the second agent succeeded. `low` and
    `high` are the 95 % interval of the difference.

    >>> setup = csp_mines.Setup(csp_mines.Spec(5, 5, 4))
    >>> plan = csp_mines.Plan([setup], ["exact", "disarm"], games=100)
    >>> results = csp_mines.simulate(plan, workers=1)
    >>> difference = results.paired_result("exact", "disarm").wins
    >>> round(difference.value, 2), round(difference.p_value, 4)
    (0.12, 0.0357)
    """

    only_ours: int
    only_theirs: int
    trials: int
    low: float
    high: float

    @property
    def value(self) -> float:
        """The difference of the rates, ours minus theirs; nan if `trials` is 0."""
        return (self.only_ours - self.only_theirs) / self.trials if self.trials else nan

    @property
    def p_value(self) -> float:
        """The p-value of McNemar's exact test (two-sided): the probability that two equally good
        agents differ at least this much. Only trials in which exactly one agent succeeded matter;
        without such a trial, the p-value is 1."""
        decided = self.only_ours + self.only_theirs
        fewer = min(self.only_ours, self.only_theirs)
        return min(1.0, 2 * _binomial_tail(decided, fewer))


@dataclass(frozen=True)
class Mean:
    """The mean of `count` values. `value` is the mean; nan without values. `error` is the standard
    error of the mean; nan for fewer than two values.

    >>> setup = csp_mines.Setup(csp_mines.Spec(5, 5, 4))
    >>> plan = csp_mines.Plan([setup], ["exact", "disarm"], games=100)
    >>> results = csp_mines.simulate(plan, workers=1)
    >>> score = results.agent_result("exact").score
    >>> round(score.value, 3), round(score.margin, 3), score.count
    (0.83, 0.066, 100)
    """

    value: float
    error: float
    count: int

    @property
    def margin(self) -> float | None:
        """The number after ±: half the width of the 95 % interval. None for fewer than two
        values."""
        return Z95 * self.error if self.count > 1 else None

    @property
    def low(self) -> float:
        """The lower end of the 95 % interval; nan for fewer than two values."""
        return self.value - Z95 * self.error

    @property
    def high(self) -> float:
        """The upper end of the 95 % interval; nan for fewer than two values."""
        return self.value + Z95 * self.error

    @property
    def interval(self) -> tuple[float, float] | None:
        """Both ends of the 95 % interval. None for fewer than two values."""
        return (self.low, self.high) if self.count > 1 else None


class Moments:
    """The number of some values, their sum, and the sum of their squares. Both sums are exact: the
    first is stored as an integer multiple of 2**-1074, the smallest positive float, and the second
    as an integer multiple of 2**-2148."""

    __slots__ = ("_squares", "_total", "count")

    def __init__(self, zeros: int = 0) -> None:
        """Begin with `zeros` values, each of them 0."""
        self.count = zeros
        self._total = 0
        self._squares = 0

    def add(self, value: float) -> None:
        """Add a value. Raises ValueError for nan, OverflowError for an infinite value."""
        numerator, denominator = value.as_integer_ratio()
        places = _PLACES + 1 - denominator.bit_length()  # the denominator is a power of two
        self.count += 1
        self._total += numerator << places
        self._squares += numerator * numerator << 2 * places

    def __neg__(self) -> Moments:
        """Return the moments of the negated values."""
        turned = Moments(self.count)
        turned._total, turned._squares = -self._total, self._squares
        return turned

    def mean(self) -> Mean:
        """Return the mean of the values, with its standard error."""
        if not self.count:
            return Mean(nan, nan, 0)
        value = float(Fraction(self._total, self.count << _PLACES))
        if self.count == 1:
            return Mean(value, nan, 1)
        spread = self.count * self._squares - self._total**2
        variance = Fraction(spread, self.count * (self.count - 1) << 2 * _PLACES)
        return Mean(value, sqrt(variance / self.count), self.count)


def wilson(successes: int, trials: int) -> Rate:
    """Return the rate of `successes` in `trials`, with Wilson's 95 % interval. If `trials` is 0,
    the interval is 0..1.

    Raises InputError unless 0 <= successes <= trials."""
    if not 0 <= successes <= trials:
        raise InputError(
            f"successes must be at least 0 and at most trials, not {successes} of {trials}"
        )
    if not trials:
        return Rate(0, 0, 0.0, 1.0)
    rate = successes / trials
    z = Z95
    scale = 1 + z * z / trials
    centre = (rate + z * z / (2 * trials)) / scale
    reach = z * sqrt(rate * (1 - rate) / trials + z * z / (4 * trials * trials)) / scale
    low = 0.0 if successes == 0 else centre - reach
    high = 1.0 if successes == trials else centre + reach
    return Rate(successes, trials, low, high)


def rate_difference(only_ours: int, only_theirs: int, trials: int) -> RateDifference:
    """Return the difference of two rates measured in the same `trials`, with its 95 % interval
    (Tango 1998). `only_ours` counts the trials in which only the first agent succeeded,
    `only_theirs` the trials in which only the second agent succeeded. The interval contains every
    difference that Tango's test does not reject at the 5 % level. If `trials` is 0, the interval is
    −1..1.

    Raises InputError if `only_ours` or `only_theirs` is negative, or if their sum is above
    `trials`."""
    if min(only_ours, only_theirs) < 0 or only_ours + only_theirs > trials:
        raise InputError(
            "only_ours and only_theirs must be at least 0 and together at most trials, "
            f"not {only_ours} and {only_theirs} of {trials}"
        )
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
    """Return the mean of the values, with its standard error. The order of the values makes no
    difference. The variance of n values has the divisor n − 1."""
    moments = Moments()
    for value in values:
        moments.add(value)
    return moments.mean()


def paired(ours: Sequence[float], theirs: Sequence[float]) -> Mean:
    """Return the mean of the differences, `ours` minus `theirs`, with its standard error. Both
    `ours` and `theirs` have one value for each game, for the same games in the same order.

    Raises ValueError if the lengths of `ours` and `theirs` differ."""
    return mean([our - their for our, their in zip(ours, theirs, strict=True)])


def _variance(only_ours: int, only_theirs: int, trials: int, difference: float) -> float:
    """Return the variance of the result of one trial if the true rates differ by `difference`. The
    result is 1 if only the first agent succeeds, −1 if only the second does, otherwise 0. The
    variance also depends on the unknown chance that only the second agent succeeds. For this
    chance, the most likely value is used: the larger root of a quadratic equation."""
    first = 2.0 * trials
    second = (2.0 * trials - only_ours + only_theirs) * difference - only_ours - only_theirs
    third = -only_theirs * difference * (1 - difference)
    likeliest = (sqrt(max(0.0, second * second - 4 * first * third)) - second) / (2 * first)
    return max(0.0, 2 * likeliest + difference * (1 - difference))


def _last(accepted: Callable[[float], bool], inside: float, outside: float) -> float:
    """Return the last accepted value on the way from `inside` to `outside`, found by bisection. The
    value `inside` must be accepted, and on this way all accepted values must come before all
    rejected values."""
    if accepted(outside):
        return outside
    for _ in range(60):  # a float has fewer than 60 bits of precision
        middle = (inside + outside) / 2
        if accepted(middle):
            inside = middle
        else:
            outside = middle
    return inside


def _binomial_tail(tosses: int, most: int) -> float:
    """Return the probability of at most `most` heads among `tosses` tosses of a fair coin. `most`
    is at most half of `tosses`."""
    ways = lgamma(tosses + 1) - lgamma(most + 1) - lgamma(tosses - most + 1)
    term = exp(ways - tosses * log(2))
    total = 0.0
    for heads in range(most, -1, -1):  # the terms become smaller from here on
        total += term
        term *= heads / (tosses - heads + 1)
        if term < total * 1e-17:
            break
    return total
