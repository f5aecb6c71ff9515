"""Report 0: a baseline, a knowledge base with and without the total, and noisy clues.

The report measures the score: mines identified without opening them, on 30×30 with 300 mines."""

from __future__ import annotations

from dataclasses import replace

from rebuild import (
    DENSITIES,
    PRESETS,
    SWEEP,
    Rebuild,
    arguments,
    by_density,
    cost,
    lead,
    mines,
    share,
    table,
)

from csp_mines.games.game import Rules
from csp_mines.simulation.densities import CurvePoint, DensityResults
from csp_mines.simulation.results import Results

SILENT = replace(SWEEP, clues="silent", reveal=0.6)
# Clues that are bounds connect the whole board. On 30×30 this is too wide to count, and `exact`
# estimates most risks. A game takes up to a minute, so the script plays fewer games.
GAMES = {"optimistic": 6, "cautious": 4}

Setup = tuple[str, Rules, str, float | None, float | None]
TABLE_2: list[Setup] = [  # name, rules, agent, reported score, reported seconds
    ("baseline", SWEEP, "rutgers-baseline", 225.6, 0.855),
    ("knowledge base", SWEEP, "rutgers-kb", 239.5, 3.534),
    ("knowledge base, total told", SWEEP, "rutgers-kb-total", 267.0, 6.145),
    ("silent clues, asked again", replace(SILENT, retry=True), "rutgers-kb", 207.7, 1.587),
    ("silent clues, asked once", SILENT, "rutgers-kb", 154.4, 1.748),
    ("optimistic clues", replace(SWEEP, clues="optimistic"), "rutgers-kb", None, None),
]
CAUTIOUS: list[Setup] = [
    ("cautious clues", replace(SWEEP, clues="cautious"), "rutgers-kb", None, None),
]


def main() -> None:
    rebuild, _ = arguments(description=__doc__)
    rebuild.check_plots()
    rebuild.publish("report 0, table 2", *scores(rebuild, TABLE_2))
    rebuild.publish("report 0, cautious clues", *scores(rebuild, CAUTIOUS))
    rebuild.publish("report 0, every preset", every_preset(rebuild))
    rebuild.publish("report 0, densities", *densities(rebuild))
    rebuild.publish("report 0, noisy clues", *noisy(rebuild))
    rebuild.publish("report 0, large boards", large(rebuild))


def scores(rebuild: Rebuild, setups: list[Setup]) -> list[str]:
    """A table like table 2 of the report, with `exact` under the same clues."""
    spec = rebuild.spec(30, 300)
    rows = []
    for title, rules, agent, reported, time in setups:
        results = _presets(rebuild) if rules is SWEEP else _clues(rebuild, rules, agent)
        theirs, ours = results.agent_result(agent), results.agent_result("exact")
        rows.append(
            [
                title,
                "" if reported is None else f"{reported}",
                f"`{agent}` {mines(theirs.score, spec.mines)}",
                mines(ours.score, spec.mines),
                str(theirs.score.count),
                "" if time is None else f"{time}",
                cost(theirs, ours),
            ]
        )
    headings = ["", "reported", "rebuilt", "`exact`", "games"]
    times = ["seconds reported", "time, `exact` = 1"]
    caption = f"Mines identified out of {spec.mines} on {spec.rows}×{spec.cols}, per game:"
    return [caption, table([*headings, *times], rows)]


def every_preset(rebuild: Rebuild) -> str:
    """All agents of all reports on the same layouts."""
    spec = rebuild.spec(30, 300)
    results = _presets(rebuild)
    rows = [
        [
            f"`{result.agent}`",
            mines(result.score, spec.mines),
            f"{result.guesses.value:.1f}",
            "" if result.agent == "exact" else mines(lead(results, result.agent), spec.mines),
            str(result.score.count),
        ]
        for result in results.agent_results()
    ]
    headings = ["agent", "mines identified", "guesses per game", "`exact` is ahead by", "games"]
    return table(headings, rows)


def densities(rebuild: Rebuild) -> list[str]:
    """Average score against density with exact clues."""
    agents = ["rutgers-baseline", "rutgers-kb", "rutgers-kb-total", "exact"]
    results = rebuild.play_densities("report0-densities", agents, DENSITIES)
    curves, subject = DensityResults(results).curves(), "Report 0: average score"
    plot = rebuild.plot("report0-densities", curves, subject, results.plan.games)
    return [plot, by_density(results, agents)]


def noisy(rebuild: Rebuild) -> list[str]:
    """Average score against density under the three noisy clue models; `exact` where it counts."""
    both = ["rutgers-kb", "exact"]
    parts = []
    lines: dict[str, list[CurvePoint]] = {}
    for clues, side, agents in (
        ("silent", 30, both),
        ("optimistic", 30, both[:1]),
        ("cautious", 30, both[:1]),
        ("optimistic", 10, both),
        ("cautious", 10, both),
    ):
        rules, name = replace(SWEEP, clues=clues), f"report0-{clues}-{side}"
        results = rebuild.play_densities(name, agents, DENSITIES, rules=rules, side=side)
        for agent, points in DensityResults(results).curves().items():
            lines[f"{agent}, {clues}, {side}×{side}"] = points
        parts += [f"### {clues.capitalize()} clues, {side}×{side}", by_density(results, agents)]
    subject = "Report 0: noisy clues"
    return [rebuild.plot("report0-noisy", lines, subject, results.plan.games), *parts]


def large(rebuild: Rebuild) -> str:
    """100×100, where the report's program became slow past 3,000 mines."""
    rows = []
    for number in (2000, 3100):
        spec = rebuild.spec(100, number)
        agents = ["rutgers-kb", "rutgers-kb-total", "exact"]
        results = rebuild.measure(f"report0-large-{number}", spec, SWEEP, agents, 10)
        exact = results.agent_result("exact")
        rows += [
            [
                f"{spec.rows}×{spec.cols}, {spec.mines:,} mines",
                f"`{result.agent}`",
                share(result.score),
                f"{result.guesses.value:.1f}",
                str(result.score.count),
                cost(result, exact),
            ]
            for result in results.agent_results()
        ]
    headings = ["board", "agent", "average score", "guesses per game", "games"]
    return table([*headings, "time, `exact` = 1"], rows)


def _presets(rebuild: Rebuild) -> Results:
    """All agents with exact clues."""
    agents = [*PRESETS, "exact"]
    return rebuild.measure("report0-presets", rebuild.spec(30, 300), SWEEP, agents, 100)


def _clues(rebuild: Rebuild, rules: Rules, agent: str) -> Results:
    """One agent with noisy clues, and `exact`."""
    name = f"report0-{rules.clues}{'-retry' if rules.retry else ''}"
    games = GAMES.get(rules.clues, 100)
    return rebuild.measure(name, rebuild.spec(30, 300), rules, [agent, "exact"], games)


if __name__ == "__main__":
    main()
