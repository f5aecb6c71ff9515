"""`csp-mines simulate`: many games of one or more agents on the same layouts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from csp_mines.cli import batch, gameplay, options

if TYPE_CHECKING:
    from rich.table import Table

    from csp_mines.play.game import Rules
    from csp_mines.simulation.simulate import Results, Tally


def simulate(
    agent: batch.Agents = None,
    games: batch.Games = 1000,
    level: gameplay.Level = None,
    size: gameplay.Size = None,
    mines: gameplay.Mines = None,
    density: gameplay.Density = None,
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
    """Play many games and say how often each agent wins, and how sure that is.

    csp-mines simulate --level expert --agent exact --agent disarm --games 1000

    All agents play the same layouts. The same seed gives the same games, whatever the number of
    workers. With --out, a run that was stopped goes on with --resume.
    """
    from csp_mines.cli.console import show_json
    from csp_mines.play.game import Rules
    from csp_mines.simulation.simulate import Plan, Setup

    made = Rules(rules, start, flood, clues, reveal, retry, told_total)
    spec = gameplay.read_spec(level, gameplay.read_grid(size, None, None), mines, density)
    plan = Plan((Setup(spec, made),), tuple(agent or ["exact"]), games, seed)
    simulation = batch.kept_in(plan, out, resume)
    finished = batch.play_all(simulation, workers, dask)
    results = simulation.results
    if json and finished:
        tallies = [tally.report() for tally in results.tallies()]
        show_json({"games": games, "agents": tallies})
    elif not json and results.outcomes:
        _show(results, made)
    return 0 if finished else 130


def _show(results: Results, rules: Rules) -> None:
    from csp_mines.cli.console import out, show_table

    (setup,) = results.plan.setups
    console = out()
    console.print(
        f"{setup}, rules {rules.rules}, start {rules.start}, clues {rules.clues}, "
        f"seed {results.plan.seed}",
        style="bold",
    )
    show_table(_table(results.tallies()))


def _table(tallies: list[Tally]) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table("agent", box=SIMPLE_HEAD)
    for heading in ("games", "wins", "win rate", "95 %", "score", "guesses", "ms per game"):
        table.add_column(heading, justify="right")
    for tally in tallies:
        wins = tally.wins
        table.add_row(
            tally.agent,
            f"{wins.trials:,}",
            f"{wins.successes:,}",
            f"{wins.rate:.2%}",
            f"{wins.low:.1%} … {wins.high:.1%}",
            _score(tally),
            f"{tally.guesses.value:.2f}",
            "" if tally.seconds is None else f"{tally.seconds * 1000:,.2f}",
        )
    return table


def _score(tally: Tally) -> str:
    """With its standard error, which one game does not have."""
    error = f" ± {tally.score.error:.4f}" if tally.score.count > 1 else ""
    return f"{tally.score.value:.4f}{error}"
