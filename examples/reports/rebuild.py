"""Shared parts of the report scripts: arguments, stored games, tables with intervals, and writing
all of it into a page."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from csp_mines.errors import CspMinesError
from csp_mines.games import agents
from csp_mines.games.game import Rules, Spec
from csp_mines.pictures.curves import check_plot, plot_curves
from csp_mines.simulation.densities import CurvePoint, density_of, density_plan
from csp_mines.simulation.plans import Plan, Setup
from csp_mines.simulation.results import AgentResult, Results
from csp_mines.simulation.simulate import Simulation
from csp_mines.simulation.statistics import Mean, Rate, paired
from csp_mines.words import plural

SWEEP = Rules(rules="sweep", start="any")
DENSITIES = [0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5]
PRESETS = [name for name, agent in agents.PRESETS.items() if agent.report is not None]


@dataclass(frozen=True)
class Rebuild:
    """How to rebuild a report: see `arguments`."""

    games: int | None
    quick: bool
    cache: Path
    plots: Path
    page: Path | None
    workers: int | None

    def number(self, full: int) -> int:
        """How many games to play, where the full rebuild plays `full`."""
        return self.games or (2 if self.quick else full)

    def spec(self, side: int, mines: int) -> Spec:
        """A square board. With `--quick`, a much smaller one of the same density."""
        short = max(6, side // 10) if self.quick else side
        return Spec(short, short, round(mines * short**2 / side**2))

    def densities(self, full: Sequence[float]) -> Sequence[float]:
        """The densities at which to measure a curve."""
        return full[:: len(full) // 2] if self.quick else full

    def play(self, name: str, plan: Plan) -> Results:
        """The results of a plan. Games already played are taken from the cache."""
        self.cache.mkdir(parents=True, exist_ok=True)
        size = f"{plan.games}-quick" if self.quick else f"{plan.games}"
        simulation = Simulation(plan, self.cache / f"{name}-{size}.db", resume=True)
        try:
            return simulation.run(self.workers, watch=_progress(name, plan.total))
        except CspMinesError as error:
            raise SystemExit(str(error)) from None

    def measure(
        self, name: str, spec: Spec, rules: Rules, names: Iterable[str], games: int
    ) -> Results:
        """The results of some agents on one setup."""
        return self.play(name, Plan((Setup(spec, rules),), tuple(names), self.number(games)))

    def play_densities(
        self,
        name: str,
        agents: Iterable[str],
        densities: Sequence[float],
        *,
        rules: Rules = SWEEP,
        side: int = 30,
    ) -> Results:
        """The results of some agents on square boards, with 20 games at each density."""
        spec = self.spec(side, 0)
        where, games = self.densities(densities), self.number(20)
        plan = density_plan(spec.rows, spec.cols, where, list(agents), games, rules=rules)
        return self.play(name, plan)

    def check_plots(self) -> None:
        """Ends the script if plots cannot be drawn. Call it before a long computation."""
        self.plots.mkdir(parents=True, exist_ok=True)
        try:
            check_plot(self.plots / "report.svg")
        except CspMinesError as error:
            raise SystemExit(str(error)) from None

    def plot(
        self, name: str, curves: Mapping[str, Sequence[CurvePoint]], subject: str, games: int
    ) -> str:
        """Draws average score against density. Returns the picture in markdown."""
        path = self.plots / f"{name}.svg"
        title = f"{subject}, {plural(games, 'game')} at each density"
        plot_curves(path, curves, title=title)
        home = self.page.parent if self.page else Path()
        return f"![{title}]({Path(os.path.relpath(path, home)).as_posix()})"

    def publish(self, name: str, *parts: str) -> None:
        """Prints a section, or replaces what the page has between its markers of that name."""
        text = "\n\n".join(parts) + "\n"
        if self.page is None:
            print(text)
            return
        replace_section(self.page, name, text)


def replace_section(page: Path, name: str, text: str) -> None:
    """Replace what a page has between its markers of that name."""
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->\n"
    head, opened, rest = page.read_text().partition(begin)
    _, closed, tail = rest.partition(end)
    if not opened or not closed:
        raise SystemExit(f"{page} has no section {name!r}")
    page.write_text(f"{head}{begin}{text}{end}{tail}")


def arguments(
    parser: argparse.ArgumentParser | None = None, description: str | None = None
) -> tuple[Rebuild, argparse.Namespace]:
    """Reads the command line of a report script. The namespace has the script's own arguments."""
    parser = parser or argparse.ArgumentParser(description=description)
    parser.add_argument("--games", type=int, help="games of each agent in each setup")
    parser.add_argument("--quick", action="store_true", help="small boards and two games")
    parser.add_argument("--cache", type=Path, default=Path("build/reports"), help="where games go")
    parser.add_argument("--plots", type=Path, help="where plots go: with the games, or beside PAGE")
    parser.add_argument("--into", type=Path, metavar="PAGE", help="replace the tables of a page")
    parser.add_argument("--workers", type=int, help="processes; by default all cores")
    given = parser.parse_args()
    workers = given.workers or (1 if given.quick else None)
    beside = given.into.parent / "reports" if given.into else given.cache
    plots = given.plots or beside
    made = Rebuild(given.games, given.quick, given.cache, plots, given.into, workers)
    return made, given


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in markdown."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def mines(score: Mean, total: int) -> str:
    """An average score as mines out of a total, with its 95 % interval."""
    margin = "" if score.margin is None else f" ± {score.margin * total:.1f}"
    return f"{score.value * total:.1f}{margin}"


def share(score: Mean) -> str:
    """An average score with its 95 % interval."""
    return f"{score.value:.3f}" + ("" if score.margin is None else f" ± {score.margin:.3f}")


def percent(rate: Rate) -> str:
    """A win rate with its 95 % interval."""
    return f"{rate.rate:.1%} ({rate.low:.1%} … {rate.high:.1%})"


def cost(ours: AgentResult, exact: AgentResult) -> str:
    """The time per game as a multiple of that of `exact` in the same run."""
    if not ours.seconds or not exact.seconds:
        return ""
    return f"{_digits(ours.seconds / exact.seconds)}×"


def _digits(value: float) -> str:
    """A number with two digits, or all digits before the point."""
    return f"{value:.2g}" if value < 10 else f"{value:,.0f}"


def lead(results: Results, agent: str, setup: int = 0) -> Mean:
    """How far the score of `exact` is ahead of an agent's on the same layouts."""
    return results.paired_result("exact", agent, setup).score


def ahead(results: Results, agent: str, setup: int = 0) -> str:
    """How much more often `exact` wins on the same layouts, with its 95 % interval. Empty for
    `exact` itself."""
    if agent == "exact":
        return ""
    ours, theirs = results.of("exact", setup), results.of(agent, setup)
    wins = paired([game.won for game in ours], [game.won for game in theirs])
    return f"{wins.value:.1%}" + ("" if wins.margin is None else f" ± {wins.margin:.1%}")


def by_density(results: Results, players: Iterable[str], every: int = 1) -> str:
    """A table of average scores, one row for every so many densities."""
    names = list(players)
    rows = []
    for place, setup in list(enumerate(results.plan.setups))[::every]:
        scores = [share(results.agent_result(name, place).score) for name in names]
        rows.append([f"{density_of(setup):.3f}", *scores])
    caption = f"Average scores, {plural(results.plan.games, 'game')} at each density:"
    return f"{caption}\n\n{table(['density', *(f'`{name}`' for name in names)], rows)}"


def _progress(name: str, total: int) -> Callable[[int], None] | None:
    if not sys.stderr.isatty():
        return None

    def watch(done: int) -> None:
        text = f"\r{name}: {done:,} of {plural(total, 'game')}"
        print(text, end="\n" if done == total else "", file=sys.stderr, flush=True)

    return watch
