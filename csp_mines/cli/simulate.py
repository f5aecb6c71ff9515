"""`csp-mines simulate`: many games of one or more agents on the same layouts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from csp_mines.cli import batch, gameplay, options

if TYPE_CHECKING:
    from rich.table import Table

    from csp_mines.simulation.results import AgentResult, PairedResult, Results
    from csp_mines.simulation.statistics import Mean


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
    """Play many games and say how often each agent wins, and how sure that is.

    csp-mines simulate --level expert --agent exact --agent disarm --games 1000

    All agents play the same layouts, and each is compared with the first on them. The same seed
    gives the same games, whatever the number of workers. With --out, a run that was stopped goes on
    with --resume. ± is half a 95 % interval.
    """
    from csp_mines.cli.console import show_json
    from csp_mines.play.game import Rules
    from csp_mines.simulation.plans import Plan, Setup

    made = Rules(rules, start, flood, clues, reveal, retry, told_total)
    spec = gameplay.read_spec(level, gameplay.read_grid(size, None, None), mines, density)
    setup = Setup(spec, made, gameplay.read_cell(first))
    plan = Plan((setup,), tuple(agent or ["exact"]), games, seed)
    simulation, finished = batch.play_plan(plan, out, workers, dask, resume=resume)
    results = simulation.results
    if json and finished:
        show_json(results.to_json())
    elif not json and results.played:
        _show(results)
    return 0 if finished else 130


def _show(results: Results) -> None:
    from csp_mines.cli.console import out, show_table

    (setup,) = results.plan.setups
    rules = setup.rules
    first = "" if setup.first is None else f" at {setup.first[0]},{setup.first[1]}"
    out().print(
        f"{setup}, rules {rules.rules}, start {rules.start}{first}, clues {rules.clues}, "
        f"seed {results.plan.seed}",
        style="bold",
    )
    show_table(_agent_table(results.agent_results()))
    compared = results.paired_results()
    if compared:
        show_table(_paired_table(compared))


def _agent_table(agents: list[AgentResult]) -> Table:
    headings = ("games", "wins", "win rate", "95 %", "score", "guesses", "ms per game")
    table = _table("agent", headings)
    for result in agents:
        wins = result.wins
        table.add_row(
            result.agent,
            f"{wins.trials:,}",
            f"{wins.successes:,}",
            f"{wins.rate:.2%}",
            f"{wins.low:.1%} … {wins.high:.1%}",
            f"{result.score.value:.4f}{_margin(result.score)}",
            f"{result.guesses.value:.2f}",
            "" if result.seconds is None else f"{result.seconds * 1000:,.2f}",
        )
    return table


def _paired_table(compared: list[PairedResult]) -> Table:
    """What the agents differ by on the layouts that both played."""
    against = compared[0].against
    headings = ("games", "only it won", f"only {against}", "ahead by", "95 %", "in score")
    table = _table(f"against {against}, same layouts", headings)
    for result in compared:
        wins = result.wins
        table.add_row(
            result.agent,
            f"{wins.trials:,}",
            f"{wins.only_ours:,}",
            f"{wins.only_theirs:,}",
            f"{wins.value:+.2%}",
            f"{wins.low:+.2%} … {wins.high:+.2%}",
            f"{result.score.value:+.4f}{_margin(result.score)}",
        )
    return table


def _table(first: str, headings: tuple[str, ...]) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(first, box=SIMPLE_HEAD)
    for heading in headings:
        table.add_column(heading, justify="right")
    return table


def _margin(mean: Mean) -> str:
    """Half the 95 % interval, which one game does not have."""
    return "" if mean.margin is None else f" ± {mean.margin:.4f}"
