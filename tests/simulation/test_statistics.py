"""Intervals and means against values worked out by hand, and against what they promise."""

from __future__ import annotations

import random
from fractions import Fraction
from math import comb, isnan, log

import pytest

from csp_mines.simulation.statistics import (
    Z95,
    Moments,
    Rate,
    RateDifference,
    mean,
    paired,
    rate_difference,
    wilson,
)


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


@pytest.mark.parametrize("scale", [1.0, 1e-300, 1e100, 5e-324])
def test_moments_are_the_mean_of_all_values_at_once(scale: float) -> None:
    """By sums of fractions; with values of one kind as much as with all that floats can be."""
    chance = random.Random(4)
    values = [chance.choice([0.0, 1.0, -1.0, 1 / 3, chance.random()]) * scale for _ in range(500)]
    exact = [Fraction(value) for value in values]
    centre = sum(exact) / len(exact)
    variance = sum((value - centre) ** 2 for value in exact) / (len(exact) - 1)
    found = mean(values)
    assert found.value == float(centre)
    if scale == 1.0:
        assert found.error == pytest.approx(float(variance / len(exact)) ** 0.5, rel=1e-15)


def test_moments_turn_round_and_begin_with_zeros() -> None:
    moments = Moments(zeros=2)
    for value in (0.25, 0.5):
        moments.add(value)
    assert moments.mean() == mean([0, 0, 0.25, 0.5])
    assert (-moments).mean() == mean([0, 0, -0.25, -0.5])
    assert str((-Moments(3)).mean().value) == "0.0"


def test_pairing_cancels_what_both_share() -> None:
    luck = [random.Random(3).random() for _ in range(50)]
    found = paired([value + 0.25 for value in luck], luck)
    assert found.value == pytest.approx(0.25)
    assert found.error == pytest.approx(0, abs=1e-12)
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        paired([1.0], [])


def test_the_margin_is_half_the_interval_and_none_for_one_value() -> None:
    found = mean([1.0, 2.0, 3.0, 4.0])
    assert found.margin == pytest.approx((found.high - found.low) / 2)
    assert found.interval == (found.low, found.high)
    assert mean([7.0]).margin is None
    assert mean([7.0]).interval is None
    assert mean([]).margin is None


@pytest.mark.parametrize(
    ("only_ours", "only_theirs", "trials"), [(9, 3, 40), (3, 9, 40), (30, 10, 100), (1, 0, 5)]
)
def test_ends_of_a_difference_are_1_96_deviations_away(
    only_ours: int, only_theirs: int, trials: int
) -> None:
    """The deviation by brute force: of all chances that two differing outcomes can have, those
    that make the data likeliest."""
    found = rate_difference(only_ours, only_theirs, trials)
    assert found.value == (only_ours - only_theirs) / trials
    assert -1 < found.low < found.value < found.high < 1
    both_same = trials - only_ours - only_theirs

    def likelihood(theirs: float, difference: float) -> float:
        chances = (theirs + difference, theirs, 1 - 2 * theirs - difference)
        seen = (only_ours, only_theirs, both_same)
        if any(
            chance <= 0 < number or chance < 0 for chance, number in zip(chances, seen, strict=True)
        ):
            return float("-inf")
        return sum(n * log(chance) for chance, n in zip(chances, seen, strict=True) if n)

    for end in (found.low, found.high):
        steps = 100_000
        theirs = max((step / steps for step in range(steps)), key=lambda t: likelihood(t, end))
        deviation = ((2 * theirs + end - end * end) / trials) ** 0.5
        assert abs(found.value - end) == pytest.approx(Z95 * deviation, rel=1e-3)


def test_a_difference_without_any_is_as_wilson_has_it() -> None:
    """Nothing seen to differ: as sure as a rate of 0 out of as many."""
    found = rate_difference(0, 0, 100)
    assert found.value == 0
    assert found.high == pytest.approx(wilson(0, 100).high)
    assert found.low == pytest.approx(-found.high)


def test_differences_turn_round() -> None:
    rate, other = rate_difference(7, 2, 30), rate_difference(2, 7, 30)
    assert (rate.low, rate.high) == (pytest.approx(-other.high), pytest.approx(-other.low))


def test_all_and_nothing() -> None:
    assert rate_difference(5, 0, 5).high == 1.0
    assert rate_difference(0, 5, 5).low == -1.0
    assert rate_difference(0, 0, 0) == RateDifference(0, 0, 0, -1.0, 1.0)
    assert isnan(rate_difference(0, 0, 0).value)


@pytest.mark.parametrize("numbers", [(-1, 0, 5), (0, -1, 5), (3, 3, 5)])
def test_differences_that_cannot_be(numbers: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="trials"):
        rate_difference(*numbers)


@pytest.mark.parametrize(("only_ours", "only_theirs"), [(12, 3), (10, 3), (30, 15), (40, 22)])
def test_the_interval_leaves_out_0_when_mcnemar_rejects(only_ours: int, only_theirs: int) -> None:
    statistic = (only_ours - only_theirs) ** 2 / (only_ours + only_theirs)
    found = rate_difference(only_ours, only_theirs, 500)
    assert (found.low > 0) == (statistic > Z95**2)


@pytest.mark.parametrize(("ours", "theirs"), [(0.1, 0.05), (0.3, 0.3), (0.2, 0.1)])
def test_a_difference_is_held_95_times_in_100(ours: float, theirs: float) -> None:
    """Summed exactly over the multinomial distribution of 60 trials, where outcomes that differ
    come with these chances."""
    trials, covered = 60, 0.0
    for a in range(trials + 1):
        for b in range(trials + 1 - a):
            chance = comb(trials, a) * comb(trials - a, b) * ours**a * theirs**b
            chance *= (1 - ours - theirs) ** (trials - a - b)
            if chance > 1e-9:
                found = rate_difference(a, b, trials)
                covered += chance * (found.low <= ours - theirs <= found.high)
    assert 0.93 < covered < 0.99


@pytest.mark.parametrize("ours", range(9))
@pytest.mark.parametrize("theirs", [0, 1, 3, 8])
def test_the_p_value_is_that_of_mcnemars_exact_test(ours: int, theirs: int) -> None:
    """All outcomes of the decided games, each equally likely, that differ at least as much."""
    decided = ours + theirs
    extreme = sum(
        comb(decided, wins)
        for wins in range(decided + 1)
        if abs(2 * wins - decided) >= abs(ours - theirs)
    )
    found = rate_difference(ours, theirs, decided + 5).p_value
    assert found == pytest.approx(extreme / 2**decided, rel=1e-12)


def test_the_p_value_of_many_games() -> None:
    exact = 2 * sum(comb(4000, wins) for wins in range(1901)) / 2**4000
    assert rate_difference(1900, 2100, 9000).p_value == pytest.approx(exact, rel=1e-9)
    assert rate_difference(500_000, 500_000, 10**7).p_value == 1
    assert 0 <= rate_difference(0, 10**6, 10**7).p_value < 1e-300
