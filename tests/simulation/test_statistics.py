"""Intervals and means against values worked out by hand, and against what they promise."""

from __future__ import annotations

import random
from math import comb, isnan

import pytest

from csp_mines.simulation.statistics import Rate, mean, paired, wilson


@pytest.mark.parametrize(("successes", "trials"), [(36, 100), (1, 3), (3911, 10_000)])
def test_wilson_ends_are_where_the_rate_seen_is_1_96_deviations_away(
    successes: int, trials: int
) -> None:
    found = wilson(successes, trials)
    assert (found.successes, found.trials, found.rate) == (successes, trials, successes / trials)
    for end in (found.low, found.high):
        deviation = (end * (1 - end) / trials) ** 0.5
        assert abs(found.rate - end) == pytest.approx(1.959963984540054 * deviation)
    assert found.low < found.rate < found.high


@pytest.mark.parametrize("trials", [1, 2, 10, 100, 10_000])
def test_wilson_ends_at_0_and_1_exactly(trials: int) -> None:
    z2 = 1.959963984540054**2
    none, all_of_them = wilson(0, trials), wilson(trials, trials)
    assert none.low == 0.0
    assert none.high == pytest.approx(z2 / (trials + z2))
    assert all_of_them.high == 1.0
    assert all_of_them.low == pytest.approx(trials / (trials + z2))


def test_wilson_without_trials_knows_nothing() -> None:
    nothing = wilson(0, 0)
    assert nothing == Rate(0, 0, 0.0, 1.0)
    assert isnan(nothing.rate)


@pytest.mark.parametrize(("successes", "trials"), [(-1, 5), (6, 5), (0, -1)])
def test_wilson_refuses_what_cannot_be(successes: int, trials: int) -> None:
    with pytest.raises(ValueError, match="trials"):
        wilson(successes, trials)


@pytest.mark.parametrize("rate", [0.05, 0.36, 0.5, 0.9])
def test_wilson_holds_the_true_rate_95_times_in_100(rate: float) -> None:
    """Summed exactly over the binomial distribution of 200 trials."""
    covered = 0.0
    for successes in range(201):
        found = wilson(successes, 200)
        if found.low <= rate <= found.high:
            covered += comb(200, successes) * rate**successes * (1 - rate) ** (200 - successes)
    assert 0.93 < covered < 0.97


def test_mean_and_its_error() -> None:
    found = mean([1.0, 2.0, 3.0, 4.0])
    assert (found.value, found.count) == (2.5, 4)
    assert found.error == pytest.approx((5 / 3 / 4) ** 0.5)
    assert found.low == pytest.approx(2.5 - 1.96 * found.error, abs=1e-4)
    assert found.high == pytest.approx(2.5 + 1.96 * found.error, abs=1e-4)


def test_mean_of_too_little() -> None:
    assert isnan(mean([]).value)
    assert mean([7.0]).value == 7.0
    assert isnan(mean([7.0]).error)


def test_mean_does_not_depend_on_the_order() -> None:
    values = [random.Random(1).random() for _ in range(999)]
    shuffled = random.Random(2).sample(values, len(values))
    assert mean(values) == mean(shuffled)


def test_pairing_cancels_what_both_share() -> None:
    luck = [random.Random(3).random() for _ in range(50)]
    found = paired([value + 0.25 for value in luck], luck)
    assert found.value == pytest.approx(0.25)
    assert found.error == pytest.approx(0, abs=1e-12)
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        paired([1.0], [])
