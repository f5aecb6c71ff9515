"""Results: summed up by agent, compared on equal layouts, and shown."""

from __future__ import annotations

import json
import random
import sys
from itertools import permutations

import pytest

import csp_mines
from csp_mines.errors import MissingLibrary
from csp_mines.games.game import Rules, Spec
from csp_mines.simulation.outcomes import Outcome
from csp_mines.simulation.plans import Plan, Setup
from csp_mines.simulation.results import ROW_NAMES, Results
from csp_mines.simulation.statistics import paired, rate_difference
from csp_mines.simulation.tally import Tally, TimeSpent

SMALL = Setup(Spec(6, 6, 6), Rules(rules="sweep", start="any"))
PLAN = Plan((SMALL,), ("disarm", "exact"), 4)


def outcome(game: int, agent: str, won: bool, score: float, guesses: int = 1) -> Outcome:
    return Outcome(won, score, 0, guesses, 0, 0, 0, setup=0, game=game, agent=agent, seed=0)


DISARM = [
    outcome(0, "disarm", True, 1.0, 1),
    outcome(1, "disarm", False, 0.5, 3),
    outcome(2, "disarm", False, 0.0, 5),
]
EXACT = [
    outcome(3, "exact", False, 0.25),
    outcome(2, "exact", True, 1.0),
    outcome(1, "exact", True, 0.75),
    outcome(0, "exact", True, 1.0),
]


def test_agents_are_summed_up() -> None:
    tally = Tally(PLAN.agents)
    tally.add_in_order(DISARM)
    tally.add_time(TimeSpent(0, "disarm", 2, 0.5))
    results = Results(PLAN, DISARM, tally=tally)
    assert [result.agent for result in results.agent_results()] == ["disarm"]
    shown = results.agent_result("disarm").to_json()
    low, high = shown.pop("interval")
    assert low < 1 / 3 < high
    error = (0.25 / 3) ** 0.5
    assert shown.pop("score_error") == pytest.approx(error)
    assert shown.pop("score_interval") == pytest.approx(
        [0.5 - 1.96 * error, 0.5 + 1.96 * error], abs=1e-4
    )
    assert shown == {
        "agent": "disarm",
        "games": 3,
        "wins": 1,
        "win_rate": 1 / 3,
        "score": 0.5,
        "guesses_per_game": 3.0,
        "seconds_per_game": 0.25,
    }


def test_a_single_game_has_no_interval_of_its_score() -> None:
    results = Results(PLAN, [*DISARM[:1], EXACT[-1]])
    shown = results.agent_result("disarm").to_json()
    assert (shown["score"], shown["score_error"], shown["score_interval"]) == (1.0, None, None)
    (compared,) = results.paired_results()
    assert compared.to_json()["score_interval"] is None


def test_agents_are_compared_on_the_layouts_that_both_played() -> None:
    results = Results(PLAN, [*EXACT, *DISARM])
    compared = results.paired_result("exact", "disarm")
    assert compared.wins == rate_difference(2, 0, 3)
    assert compared.score.value == pytest.approx((0 + 0.25 + 1) / 3)
    assert compared.to_json() == {
        "agent": "exact",
        "against": "disarm",
        "games": 3,
        "only_agent_won": 2,
        "only_against_won": 0,
        "win_rate_difference": 2 / 3,
        "interval": [compared.wins.low, compared.wins.high],
        "score_difference": compared.score.value,
        "score_interval": [compared.score.low, compared.score.high],
        "p_value": 0.5,
    }
    other = results.paired_result("disarm", "exact")
    assert other.wins.value == -compared.wins.value
    assert other.wins.low == pytest.approx(-compared.wins.high)
    assert results.paired_results() == [compared]


def test_the_order_in_which_games_end_makes_no_difference() -> None:
    """Any two agents are compared, on layouts that a third may not have played yet."""
    chance = random.Random(6)
    agents = ("disarm", "exact", "win")
    plan = Plan((SMALL,), agents, 40)
    played = [
        outcome(game, agent, chance.random() < 0.5, chance.random(), chance.randrange(9))
        for game in range(40)
        for agent in agents
    ]
    played = chance.sample(played, 90)
    results = Results(plan, played)
    assert results.to_json() == Results(plan, chance.sample(played, 90)).to_json()
    for agent, against in permutations(agents, 2):
        theirs = {game.game: game for game in results.of(against)}
        both = [(ours, theirs[ours.game]) for ours in results.of(agent) if ours.game in theirs]
        compared = results.paired_result(agent, against)
        assert compared.score == paired([a.score for a, _ in both], [b.score for _, b in both])
        assert compared.wins.only_ours == sum(a.won and not b.won for a, b in both)
        assert compared.wins.only_theirs == sum(b.won and not a.won for a, b in both)
    alone = results.paired_result("win", "win")
    assert (alone.wins.trials, alone.wins.value, alone.score.value) == (
        len(results.of("win")),
        0,
        0,
    )


def test_agents_without_a_common_layout_are_not_compared() -> None:
    results = Results(PLAN, [*DISARM, EXACT[0]])
    assert results.paired_results() == []
    assert results.paired_result("exact", "disarm").wins.trials == 0


def test_results_as_json() -> None:
    results = Results(PLAN, [*EXACT, *DISARM])
    shown = results.to_json()
    assert list(shown) == ["games", "agents", "comparisons"]
    assert shown["games"] == 4
    assert shown["agents"] == [result.to_json() for result in results.agent_results()]
    assert shown["comparisons"] == [result.to_json() for result in results.paired_results()]
    json.dumps(shown, allow_nan=False)


def test_results_of_several_setups_as_json() -> None:
    plan = Plan((SMALL, Setup(Spec(5, 7, 1))), ("disarm",), 4)
    shown = Results(plan, DISARM).to_json()
    assert [setup["mines"] for setup in shown["setups"]] == [6, 1]
    assert [len(setup["agents"]) for setup in shown["setups"]] == [1, 0]
    assert list(shown["setups"][0]) == ["rows", "cols", "mines", "agents", "comparisons"]


def test_results_show_themselves() -> None:
    results = Results(PLAN, DISARM)
    assert repr(results) == "<Results: 3 games on 6×6 with 6 mines: disarm 33.3% (6.1% … 79.2%)>"
    assert repr(Results(PLAN, [])) == "<Results: 0 games on 6×6 with 6 mines: none yet>"
    several = Plan((SMALL, Setup(Spec(5, 7, 1))), ("disarm",), 1)
    assert repr(Results(several, DISARM[:1])) == "<Results: 1 game of 1 agent on 2 setups>"


def test_results_in_a_notebook() -> None:
    shown = Results(PLAN, [*EXACT, *DISARM])._repr_html_()
    assert shown.count("<table>") == shown.count("</table>") == 1
    assert "<td>exact</td><td>4</td><td>75.00%</td>" in shown
    assert "<td>exact − disarm</td><td>3</td><td>+66.67%</td>" in shown
    assert "<p>6×6 with 6 mines, rules sweep, start any, clues exact, " in shown


ROW = {
    "rows": 6, "cols": 6, "mines": 6, "grid": "square", "holes": 0,
    "setup": 0, "game": 1, "agent": "disarm", "seed": 0, "won": False, "score": 0.5,
    "opened": 0, "guesses": 3, "deduced": 0, "exploded": 0, "steps": 0,
}  # fmt: skip


def test_rows_are_plain_dictionaries() -> None:
    rows = list(Results(PLAN, [*EXACT, *DISARM]).rows())
    assert [(row["game"], row["agent"]) for row in rows[:3]] == [
        (0, "disarm"),
        (0, "exact"),
        (1, "disarm"),
    ]
    assert rows[2] == ROW
    assert tuple(rows[2]) == ROW_NAMES
    assert len(rows) == 7


def test_data_frames() -> None:
    results = Results(PLAN, [*EXACT, *DISARM])
    pandas, polars = results.to_pandas(), results.to_polars()
    assert pandas.to_dict("records") == polars.to_dicts() == list(results.rows())
    assert pandas.groupby("agent")["won"].mean().to_dict() == {"disarm": 1 / 3, "exact": 0.75}
    assert str(polars.schema["won"]) == "Boolean"


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_missing_library_is_named(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(
        MissingLibrary, match=f"{library} is not installed: .*pip install {library}"
    ):
        getattr(Results(PLAN, DISARM), f"to_{library}")()


def test_a_plan_is_simulated_by_a_call() -> None:
    plan = csp_mines.Plan((csp_mines.Setup(Spec(5, 5, 3)),), ("exact", "disarm"), 3)
    results = csp_mines.simulate(plan, workers=1)
    assert isinstance(results, csp_mines.Results)
    assert len(results.outcomes) == 6
    assert isinstance(results.paired_results()[0], csp_mines.PairedResult)
