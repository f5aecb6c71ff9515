"""`csp-mines simulate`: many games of one or more agents on the same layouts."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from csp_mines.cli import options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.table import Table

    from csp_mines.game import Rules, Spec
    from csp_mines.simulate import Results, Simulation, Tally

Agents = Annotated[
    list[str] | None,
    typer.Option(
        "--agent",
        "-a",
        metavar="NAME",
        help="A preset, or backend+policy; several to compare them. By default exact.",
    ),
]
Games = Annotated[int, typer.Option("--games", "-n", metavar="N", min=1, help="Games per agent.")]
Size = Annotated[
    str | None, typer.Option("--size", metavar="RxC", help="Rows and columns, such as 16x30.")
]
RuleSet = Annotated[
    str,
    typer.Option(
        "--rules",
        metavar="NAME",
        help="classic: a mine ends the game; sweep: it costs that mine and the game goes on.",
    ),
]
Start = Annotated[
    str,
    typer.Option(
        "--start",
        metavar="KIND",
        help="The first cell is no mine (safe), nor has it one around it (zero), or may be one "
        "(any), or √cells safe cells are shown (sqrt).",
    ),
]
Flood = Annotated[bool, typer.Option("--flood/--no-flood", help="Whether a 0 opens around it.")]
ClueModel = Annotated[
    str,
    typer.Option(
        "--clues", metavar="MODEL", help="What clues show: exact, silent, optimistic or cautious."
    ),
]
Reveal = Annotated[
    float, typer.Option("--reveal", metavar="P", help="How likely a silent cell says its number.")
]
Retry = Annotated[bool, typer.Option("--retry", help="Silent cells may be asked again.")]
Workers = Annotated[
    int | None,
    typer.Option("--workers", "-w", metavar="N", min=1, help="Processes; by default all cores."),
]
Dask = Annotated[
    str | None,
    typer.Option("--dask", metavar="ADDRESS", help="Play on the Dask cluster of this scheduler."),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        metavar="FILE",
        help="Write every game there as it ends, as JSON lines; how long they took to FILE.times.",
    ),
]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with the games of --out.")]


def simulate(
    agent: Agents = None,
    games: Games = 1000,
    level: Annotated[
        str | None,
        typer.Option(
            "--level",
            "-l",
            metavar="NAME",
            help="beginner, intermediate, expert, or easy, medium, hard of report 3.",
        ),
    ] = None,
    size: Size = None,
    mines: Annotated[
        int | None, typer.Option("--mines", "-m", metavar="N", help="Mines, with --size.")
    ] = None,
    rules: RuleSet = "classic",
    start: Start = "safe",
    flood: Flood = True,
    clues: ClueModel = "exact",
    reveal: Reveal = 0.6,
    retry: Retry = False,
    seed: options.Seed = 0,
    workers: Workers = None,
    dask: Dask = None,
    out: Out = None,
    resume: Resume = False,
    json: options.Json = False,
) -> int:
    """Play many games and say how often each agent wins, and how sure that is.

    csp-mines simulate --level expert --agent exact --agent disarm --games 1000

    All agents play the same layouts. The same seed gives the same games, whatever the number of
    workers. With --out, a run that was stopped goes on with --resume.
    """
    from csp_mines.cli.console import show_json
    from csp_mines.game import Rules
    from csp_mines.simulate import Plan, Setup, Simulation

    made = Rules(rules, start, flood=flood, clues=clues, reveal=reveal, retry=retry)
    setup = Setup(_spec(level, size, mines), made)
    simulation = Simulation(
        Plan((setup,), tuple(agent or ["exact"]), games, seed), out, resume=resume
    )
    finished = play_all(simulation, workers, dask)
    results = simulation.results
    if json and finished:
        tallies = [tally.report() for tally in results.tallies()]
        show_json({"games": games, "agents": tallies})
    elif not json and results.outcomes:
        _show(results, made)
    return 0 if finished else 130


def play_all(simulation: Simulation, workers: int | None, dask: str | None) -> bool:
    """Plays with a progress bar; whether it came to the end or was interrupted."""
    from csp_mines.cli.console import err

    total = simulation.plan.total
    try:
        with _progress(total) as watch:
            simulation.run(workers, dask=dask, watch=watch)
    except KeyboardInterrupt:
        kept = f"kept in {simulation.path}; go on with --resume" if simulation.path else "not kept"
        err().print(f"interrupted: {simulation.done:,} of {total:,} games played, {kept}")
        return False
    return True


def show_table(table: Table) -> None:
    """A table on standard output, as wide as it is: names and numbers are never cut."""
    from csp_mines.cli.console import out

    console = out()
    width = console.measure(table, options=console.options.update(width=1000)).maximum
    console.width = max(console.width, width)
    console.print(table)


def parse_size(size: str) -> tuple[int, int]:
    """Rows and columns. Raises BoardError."""
    from csp_mines.errors import BoardError

    rows, _, cols = size.lower().replace("×", "x").partition("x")
    try:
        return int(rows), int(cols)
    except ValueError:
        raise BoardError(f"a size is rows x columns, such as 16x30, not {size!r}") from None


def _spec(level: str | None, size: str | None, mines: int | None) -> Spec:
    from csp_mines.errors import BoardError
    from csp_mines.game import Spec
    from csp_mines.game import level as named

    if level is not None and size is None and mines is None:
        return named(level)
    if level is None and size is not None and mines is not None:
        return Spec(*parse_size(size), mines)
    raise BoardError("give --level, or --size together with --mines")


@contextmanager
def _progress(total: int) -> Iterator[Callable[[int], None]]:
    """A bar with rate and time left on standard error, where that is a terminal."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    from csp_mines.cli.console import err

    console = err()
    rate = TextColumn("{task.fields[rate]}")
    columns = (BarColumn(), MofNCompleteColumn(), rate, TimeRemainingColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("games", total=total, rate="")

        def watch(done: int) -> None:
            if not bar.tasks[0].completed:  # games of an earlier run say nothing about the speed
                bar.reset(task, completed=done)
            speed = bar.tasks[0].speed
            bar.update(task, completed=done, rate=f"{speed:,.1f} games/s" if speed else "")

        yield watch


def _show(results: Results, rules: Rules) -> None:
    from csp_mines.cli.console import out

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
            f"{tally.score.value:.4f} ± {tally.score.error:.4f}",
            f"{tally.guesses.value:.2f}",
            "" if tally.seconds is None else f"{tally.seconds * 1000:,.2f}",
        )
    return table
