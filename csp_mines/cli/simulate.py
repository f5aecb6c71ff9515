"""`csp-mines simulate`: let agents play many games; every agent plays the same layouts."""

from __future__ import annotations

from csp_mines import defaults
from csp_mines.cli import INTERRUPTED, batch, gameplay, options
from csp_mines.cli.console import show_json


def simulate(
    agent: batch.Agents = None,
    games: batch.Games = 1000,
    *,
    size: gameplay.Size,
    mines: gameplay.Mines = None,
    density: gameplay.Density = None,
    first: gameplay.First = None,
    rules: gameplay.GameRules,
    seed: options.Seed = 0,
    run: batch.Run,
    json: options.Json = False,
) -> int:
    """Play many games and say how often each agent wins, with a 95 % interval.

    csp-mines simulate --level expert --agent exact --agent disarm --games 1000

    All agents play the same layouts, and every agent after the first is compared with the first.
    The same seed gives the same games with any number of workers. The options --out FILE --resume
    continue the run in FILE if it was stopped, or extend it to more games or agents. In the tables,
    the number after ± is half the width of the 95 % interval.
    """
    from csp_mines.cli.result_tables import show_results
    from csp_mines.simulation.plans import Plan, Setup

    spec = size.spec(mines, density)
    setup = Setup(spec, rules.read(), gameplay.read_cell(first, spec.geometry))
    plan = Plan((setup,), tuple(agent or [defaults.AGENT]), games, seed)
    simulation, status = run.play(plan)
    results = simulation.results
    if json and status != INTERRUPTED:
        show_json(results.to_json())
    elif not json and results.played:
        show_results(results)
    batch.tell_faults(simulation)
    return status
