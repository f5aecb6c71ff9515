"""Sweeps: how the score or the win rate of agents goes down as the mines get denser."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from csp_mines.errors import BoardError, UnknownName
from csp_mines.play.game import Rules, Spec
from csp_mines.simulation.simulate import Plan, Results, Setup, Tally

__all__ = ["MEASURES", "Point", "curves", "density_of", "density_plan", "sweep_report"]

MEASURES = {"score": "average score", "win-rate": "win rate"}


@dataclass(frozen=True)
class Point:
    """A measured value at `x` and the ends of its 95 % interval."""

    x: float
    y: float
    low: float
    high: float


def density_plan(
    rows: int,
    cols: int,
    densities: Iterable[float],
    agents: Iterable[str],
    games: int,
    *,
    rules: Rules | None = None,
    seed: int = 0,
) -> Plan:
    """A plan with one setup for each density, rounded to whole mines; densities that come to the
    same number of mines are one. Raises BoardError, UnknownName."""
    mines = set()
    for density in densities:
        if not 0 < density < 1:
            raise BoardError(f"a density lies between 0 and 1, not at {density}")
        mines.add(max(1, round(density * rows * cols)))
    rules = rules or Rules(rules="sweep", start="any")
    setups = tuple(Setup(Spec(rows, cols, number), rules) for number in sorted(mines))
    return Plan(setups, tuple(agents), games, seed)


def curves(results: Results, measure: str = "score") -> Mapping[str, list[Point]]:
    """For each agent its points by density, so far as games were played. Raises UnknownName."""
    if measure not in MEASURES:
        raise UnknownName("measure", measure, list(MEASURES))
    found: dict[str, list[Point]] = {agent: [] for agent in results.plan.agents}
    for place, setup in enumerate(results.plan.setups):
        for tally in results.tallies(place):
            found[tally.agent].append(_point(density_of(setup), tally, measure))
    return found


def density_of(setup: Setup) -> float:
    """The share of the cells that are mines."""
    return setup.spec.mines / (setup.spec.rows * setup.spec.cols)


def sweep_report(results: Results) -> dict[str, Any]:
    """As `sweep --json` shows it."""
    return {
        "games": len(results.outcomes),
        "densities": [
            {
                "density": density_of(setup),
                "mines": setup.spec.mines,
                "agents": [tally.report() for tally in results.tallies(place)],
            }
            for place, setup in enumerate(results.plan.setups)
        ],
    }


def _point(density: float, tally: Tally, measure: str) -> Point:
    if measure == "win-rate":
        return Point(density, tally.wins.rate, tally.wins.low, tally.wins.high)
    score = tally.score
    if score.count < 2:
        return Point(density, score.value, score.value, score.value)
    return Point(density, score.value, max(0.0, score.low), min(1.0, score.high))
