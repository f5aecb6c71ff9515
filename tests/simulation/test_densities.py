"""Agents against the density of mines."""

from __future__ import annotations

import json
from math import isnan

import pytest

from csp_mines.errors import InputError, UnknownName
from csp_mines.simulation.densities import CurvePoint, DensityResults, density_of, density_plan
from csp_mines.simulation.outcomes import Outcome
from csp_mines.simulation.results import Results

PLAN = density_plan(6, 6, [0.25, 0.01, 0.02, 0.5], ["disarm"], 2)


def outcome(setup: int, game: int, won: bool, score: float) -> Outcome:
    return Outcome(won, score, 0, 0, 0, 0, 0, setup=setup, game=game, agent="disarm", seed=0)


RESULTS = DensityResults(
    Results(PLAN, [outcome(0, 0, True, 1.0), outcome(1, 0, True, 1.0), outcome(1, 1, False, 0.5)])
)


def test_densities_are_rounded_to_whole_mines_and_each_played_once() -> None:
    assert [setup.spec.mines for setup in PLAN.setups] == [1, 9, 18]
    assert density_of(PLAN.setups[1]) == 0.25
    with pytest.raises(
        InputError, match="a density must be a number greater than 0 and less than 1, not 1"
    ):
        density_plan(6, 6, [1], ["disarm"], 2)


def test_curves_have_intervals_where_there_are_any() -> None:
    single, double = RESULTS.curves()["disarm"]
    assert (single.x, single.y) == (1 / 36, 1.0)
    assert isnan(single.low)
    assert isnan(single.high)
    assert double == CurvePoint(0.25, 0.75, pytest.approx(0.75 - 1.96 * 0.25, abs=1e-4), 1.0)
    rate = RESULTS.curves("win-rate")["disarm"][0]
    assert (rate.y, rate.high) == (1.0, 1.0)
    assert 0 < rate.low < 1
    with pytest.raises(UnknownName, match="unknown measure 'luck'"):
        RESULTS.curves("luck")


def test_they_show_themselves() -> None:
    assert repr(RESULTS) == "<DensityResults: 3 games of 1 agent at 3 densities, 0.028 … 0.500>"
    assert RESULTS._repr_html_().count("<table>") == 3
    shown = RESULTS.to_json()
    assert shown["games"] == 3
    assert [place["mines"] for place in shown["densities"]] == [1, 9, 18]
    assert list(shown["densities"][0]) == ["density", "mines", "agents", "comparisons"]
    json.dumps(shown, allow_nan=False)
