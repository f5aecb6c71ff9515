"""Simulations over several densities of mines: a plan with one setup for each density, and a curve
for each agent."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import nan
from typing import Any

from csp_mines.arguments import Name, choice, instance, number, several
from csp_mines.games.game import Rules, Spec
from csp_mines.games.own_agents import AgentLike
from csp_mines.simulation.plans import Plan, Setup
from csp_mines.simulation.results import AgentResult, Results
from csp_mines.words import plural


class Measure(Name):
    """What a curve shows for each density of mines: the average score or the win rate.

    >>> plan = csp_mines.density_plan(5, 5, [0.1], ["exact"], games=100)
    >>> results = csp_mines.DensityResults(csp_mines.simulate(plan, workers=1))
    >>> list(results.curves(csp_mines.Measure.SCORE))
    ['exact']
    """

    SCORE = "score"
    WIN_RATE = "win-rate"

    @property
    def words(self) -> str:
        """The measure in words, such as `average score`."""
        return "average score" if self is Measure.SCORE else "win rate"


@dataclass(frozen=True)
class CurvePoint:
    """A point of a curve: the value `y` at the density `x`. The 95 % interval of `y` goes from
    `low` to `high`. For the average score of a single game, `low` and `high` are nan.

    `x` is the density after rounding to whole mines. In the example, 0.1 of 25 cells is 2.5 mines.
    Halves are rounded to an even number, here 2, so `x` is 2 / 25 = 0.08.

    >>> plan = csp_mines.density_plan(5, 5, [0.1], ["exact"], games=100)
    >>> results = csp_mines.DensityResults(csp_mines.simulate(plan, workers=1))
    >>> [point] = results.curves("win-rate")["exact"]
    >>> point.x, point.y
    (0.08, 0.88)
    """

    x: float
    y: float
    low: float
    high: float


@dataclass(frozen=True, repr=False)
class DensityResults:
    """The results of a plan that `density_plan` made. The points of a curve and the `densities` of
    `to_json` are in ascending order of density.

    >>> plan = csp_mines.density_plan(5, 5, [0.1, 0.3], ["exact"], games=100)
    >>> results = csp_mines.DensityResults(csp_mines.simulate(plan, workers=1))
    >>> [(point.x, point.y) for point in results.curves("win-rate")["exact"]]
    [(0.08, 0.88), (0.32, 0.17)]
    """

    results: Results

    def __post_init__(self) -> None:
        """Raise InputError if `results` is not a Results."""
        instance(self.results, Results, "results")

    def curves(self, measure: Measure | str = Measure.SCORE) -> dict[str, list[CurvePoint]]:
        """Return the curve of each agent, by the name of the agent. A curve has a point for each
        density at which the agent has finished a game. `measure` says what the curves show. Raises
        UnknownName for an unknown `measure`, InputError if `measure` is not a string."""
        drawn = choice("measure", measure, Measure)
        points: dict[str, list[CurvePoint]] = {agent: [] for agent in self.results.plan.agents}
        for place, setup in enumerate(self.results.plan.setups):
            for result in self.results.agent_results(place):
                points[result.agent].append(_point(density_of(setup), result, drawn))
        return points

    def to_json(self) -> dict[str, Any]:
        """Return a document. `games` is the number of all finished games. `densities` has one
        object for each density: `density`, `mines`, and the fields of `Results.setup_json`."""
        return {
            "games": self.results.played,
            "densities": [
                {
                    "density": density_of(setup),
                    "mines": setup.spec.mines,
                    **self.results.setup_json(place),
                }
                for place, setup in enumerate(self.results.plan.setups)
            ],
        }

    def __repr__(self) -> str:
        plan = self.results.plan
        first, last = density_of(plan.setups[0]), density_of(plan.setups[-1])
        played = plural(self.results.played, "game")
        agents = plural(len(plan.agents), "agent")
        densities = plural(len(plan.setups), "density", "densities")
        return f"<DensityResults: {played} of {agents} at {densities}, {first:.3f} … {last:.3f}>"

    def _repr_html_(self) -> str:
        return self.results._repr_html_()


def density_plan(
    rows: int,
    cols: int,
    densities: Iterable[float],
    agents: Iterable[AgentLike],
    games: int,
    *,
    rules: Rules | None = None,
    seed: int = 0,
) -> Plan:
    """Return a plan with one setup for each density. Each density is rounded to a whole number of
    mines, at least 1. Densities that give the same number of mines share a setup.

    Parameters:
        rows, cols: the size of the boards.
        densities: the shares of the cells that are mines, each greater than 0 and less than 1.
        agents: names, `Agent`s or agents of your own, as in `Plan`.
        games: the number of games of each agent on each setup.
        rules: the rules of the games, by default `sweep` with the start `any`.
        seed: the seed of the plan, a whole number. It determines the layouts.

    Raises InputError for a wrong argument, UnknownName for an unknown agent, and the other errors
    that `Plan` raises.

    >>> csp_mines.density_plan(9, 9, [0.1, 0.2], ["exact"], games=100).total
    200
    """
    size = Spec(rows, cols, 0)
    mines = set()
    for given in several(densities, "densities", "numbers"):
        expected = "a number greater than 0 and less than 1"
        density = number(given, "a density", expected, lambda share: 0 < share < 1)
        mines.add(max(1, round(density * size.rows * size.cols)))
    if rules is None:
        rules = Rules(rules="sweep", start="any")
    setups = tuple(Setup(Spec(rows, cols, number), rules) for number in sorted(mines))
    return Plan(setups, agents, games, seed)


def density_of(setup: Setup) -> float:
    """Return the density of a setup: the share of its cells that are mines."""
    return setup.spec.density


def _point(density: float, result: AgentResult, measure: Measure) -> CurvePoint:
    if measure is Measure.WIN_RATE:
        return CurvePoint(density, result.wins.rate, result.wins.low, result.wins.high)
    if result.score.interval is None:
        return CurvePoint(density, result.score.value, nan, nan)
    low, high = result.score.interval
    return CurvePoint(density, result.score.value, max(0.0, low), min(1.0, high))
