"""Report 1: row reduction (DISARM), alone, with the total, and with better guesses.

The report plots the average score on 30×30 at 40 densities, 20 games each."""

from __future__ import annotations

from rebuild import arguments, by_density, share, table

from csp_mines.simulation.densities import DensityResults, density_of
from csp_mines.simulation.results import Results
from csp_mines.simulation.statistics import paired
from csp_mines.words import plural

AGENTS = ["disarm-basic", "disarm", "disarm-global", "disarm-select", "exact"]
DENSITIES = [place / 41 for place in range(1, 41)]


def main() -> None:
    rebuild, _ = arguments(description=__doc__)
    rebuild.check_plots()
    results = rebuild.play_densities("report1", AGENTS, DENSITIES)
    curves, subject = DensityResults(results).curves(), "Report 1: average score"
    plot = rebuild.plot("report1-densities", curves, subject, results.plan.games)
    rebuild.publish("report 1, densities", plot, by_density(results, AGENTS, every=3))
    rebuild.publish("report 1, claims", claims(results))


def claims(results: Results) -> str:
    """The conclusions that the report draws from its plots, beside measurements."""
    rows = [
        ["basic is under 0.5 from density 0.3 on", _first_below(results, "disarm-basic", 0.5)],
        ["improved is ahead of basic most near 0.3", _widest(results, "disarm", "disarm-basic")],
        ["the total adds little", _mean_lead(results, "disarm-global", "disarm", 0, 1)],
        ["better guesses help from 0.3 on", _mean_lead(results, "disarm-select", "disarm", 0.3, 1)],
        ["below 0.3 they do not", _mean_lead(results, "disarm-select", "disarm", 0, 0.3)],
        ["exact play against better guesses", _mean_lead(results, "exact", "disarm-select", 0, 1)],
    ]
    return table(["claim", "measured"], rows)


def _first_below(results: Results, agent: str, level: float) -> str:
    for point in DensityResults(results).curves()[agent]:
        if point.y < level:
            return f"first below {level} at density {point.x:.3f}: {point.y:.3f}"
    return f"never below {level}"


def _widest(results: Results, agent: str, other: str) -> str:
    curves = DensityResults(results).curves()
    pairs = zip(curves[agent], curves[other], strict=True)
    gap, density = max((ours.y - theirs.y, ours.x) for ours, theirs in pairs)
    return f"widest at density {density:.3f}: ahead by {gap:.3f}"


def _mean_lead(results: Results, agent: str, other: str, low: float, high: float) -> str:
    places = [
        place for place, setup in enumerate(results.plan.setups) if low <= density_of(setup) <= high
    ]
    ours = [outcome.score for place in places for outcome in results.of(agent, place)]
    theirs = [outcome.score for place in places for outcome in results.of(other, place)]
    return f"ahead by {share(paired(ours, theirs))} in {plural(len(ours), 'game')}"


if __name__ == "__main__":
    main()
