"""`csp-mines simulate`: many games of one or more agents on the same layouts."""

from __future__ import annotations

from csp_mines.cli import INTERRUPTED, batch, gameplay, options


def simulate(
    agent: batch.Agents = None,
    games: batch.Games = 1000,
    level: gameplay.Level = None,
    size: gameplay.Size = None,
    mines: gameplay.Mines = None,
    density: gameplay.Density = None,
    first: gameplay.First = None,
    rules: gameplay.RuleSet = "classic",
    start: gameplay.Start = "safe",
    flood: gameplay.Flood = True,
    clues: gameplay.ClueModel = "exact",
    reveal: gameplay.Reveal = 0.6,
    retry: gameplay.Retry = False,
    told_total: gameplay.ToldTotal = True,
    seed: options.Seed = 0,
    workers: batch.Workers = None,
    dask: batch.Dask = None,
    out: batch.Out = None,
    resume: batch.Resume = False,
    json: options.Json = False,
) -> int:
    """Play many games and say how often each agent wins, with a 95 % interval.

    csp-mines simulate --level expert --agent exact --agent disarm --games 1000

    All agents play the same layouts, and each agent is compared with the first one. The same seed
    gives the same games with any number of workers. With --out, add --resume to continue a run that
    was stopped, or to extend a finished run to more games and agents. ± is half a 95 % interval.
    """
    from csp_mines.cli.console import show_json
    from csp_mines.cli.result_tables import show_results
    from csp_mines.games.game import Rules
    from csp_mines.simulation.plans import Plan, Setup

    made = Rules(rules, start, flood, clues, reveal, retry, told_total)
    spec = gameplay.read_spec(level, gameplay.read_grid(size, None, None), mines, density)
    setup = Setup(spec, made, gameplay.read_cell(first))
    plan = Plan((setup,), tuple(agent or ["exact"]), games, seed)
    simulation, status = batch.play_plan(plan, out, workers, dask, resume=resume)
    results = simulation.results
    if json and status != INTERRUPTED:
        show_json(results.to_json())
    elif not json and results.played:
        show_results(results)
    batch.tell_faults(simulation)
    return status
