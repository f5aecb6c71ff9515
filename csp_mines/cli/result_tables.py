"""The tables of `simulate` and `results`: how often each agent wins, and how agents compare."""

from __future__ import annotations

from rich.table import Table

from csp_mines.cli.console import numbers_table, out, show_table
from csp_mines.simulation.results import AgentResult, PairedResult, Results
from csp_mines.simulation.statistics import Mean


def show_results(results: Results) -> None:
    """Print each setup of a run, followed by the tables of its results."""
    for place, setup in enumerate(results.plan.setups):
        rules = setup.rules
        first = "" if setup.first is None else f" at {setup.spec.geometry.label(setup.first)}"
        out().print(
            f"{setup}, rules {rules.rules}, start {rules.start}{first}, clues {rules.clues}, "
            f"seed {results.plan.seed}",
            style="bold",
        )
        show_table(_agent_table(results.agent_results(place)))
        compared = results.paired_results(place)
        if compared:
            show_table(_paired_table(compared))


def _agent_table(agents: list[AgentResult]) -> Table:
    headings = ("games", "wins", "win rate", "95 %", "score", "guesses", "ms per game")
    table = numbers_table("agent", numbers=headings)
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
    """Return a table that compares each other agent with the first agent, on the layouts that both
    agents played."""
    against = compared[0].against
    headings = ("games", "only it won", "only it lost", "ahead by", "95 %", "p", "in score")
    table = numbers_table(f"against {against}, same layouts", numbers=headings)
    for result in compared:
        wins = result.wins
        table.add_row(
            result.agent,
            f"{wins.trials:,}",
            f"{wins.only_ours:,}",
            f"{wins.only_theirs:,}",
            f"{wins.value:+.2%}",
            f"{100 * wins.low:+.1f} … {wins.high:+.1%}",
            _p_text(wins.p_value),
            f"{result.score.value:+.3f}{_margin(result.score, 3)}",
        )
    return table


def _p_text(value: float) -> str:
    """Return a p-value as text, with more digits if it is small."""
    return "< 0.0001" if value < 0.0001 else f"{value:.4f}" if value < 0.01 else f"{value:.2f}"


def _margin(mean: Mean, digits: int = 4) -> str:
    """Return half the width of the 95 % interval as text, such as ` ± 0.0123`. For fewer than two
    games there is no interval, and the text is empty."""
    return "" if mean.margin is None else f" ± {mean.margin:.{digits}f}"
