"""What simulate and densities share: the number of games, the workers, the run's file, the
progress."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

if TYPE_CHECKING:
    from csp_mines.simulation.plans import Plan
    from csp_mines.simulation.simulate import Simulation

Agents = Annotated[
    list[str] | None,
    typer.Option(
        "--agent",
        "-a",
        metavar="NAME",
        help="A preset, BACKEND+POLICY, or your own as PACKAGE.MODULE:NAME; repeat it to compare "
        "agents. By default exact.",
    ),
]
Games = Annotated[int, typer.Option("--games", "-n", metavar="N", min=1, help="Games per agent.")]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        "-w",
        metavar="N",
        min=1,
        help="Worker processes. By default one per core; at most four per core.",
    ),
]
Dask = Annotated[
    str | None,
    typer.Option("--dask", metavar="ADDRESS", help="Play on the Dask cluster of this scheduler."),
]
Out = Annotated[
    str | None,
    typer.Option(
        "--out",
        "-o",
        metavar="FILE",
        help="Write every game to this SQLite file as it ends; 'csp-mines results' shows it again.",
    ),
]
Resume = Annotated[
    bool,
    typer.Option(
        "--resume", help="Continue the run in --out, or extend it to more games or agents."
    ),
]


class _Display(NamedTuple):
    """Where a run shows its progress and what it waits for."""

    watch: Callable[[int], None]
    notify: Callable[[str], None]


def play_plan(
    plan: Plan, out: str | None, workers: int | None, dask: str | None, *, resume: bool
) -> tuple[Simulation, int]:
    """Play a plan as the options say. Return the simulation and the exit status: 0, `INTERRUPTED`,
    or another number if an agent failed and the others played on."""
    simulation = _kept_in(plan, out, resume)
    return simulation, _play_all(simulation, workers, dask)


def _kept_in(plan: Plan, out: str | None, resume: bool) -> Simulation:
    """Return the simulation that the options describe. Raises InputError."""
    from csp_mines.errors import InputError
    from csp_mines.simulation.simulate import Simulation

    if resume and out is None:
        raise InputError("--resume needs --out FILE, the file of the run to continue")
    if out == "":
        raise InputError("--out needs a file name, such as --out games.db")
    return Simulation(plan, out, resume=resume, sums_only=True)


def _play_all(simulation: Simulation, workers: int | None, dask: str | None) -> int:
    """Play with a progress bar. Return the exit status."""
    from csp_mines.cli import INTERRUPTED
    from csp_mines.cli.console import err
    from csp_mines.errors import AgentError, RunFileError, RunFileExists
    from csp_mines.words import plural

    total = simulation.plan.total
    try:
        with _progress(total) as display:
            simulation.run(workers, dask=dask, watch=display.watch, notify=display.notify)
    except RunFileExists as error:
        raise RunFileError(
            f"{error.path} exists; add --resume to continue it, or name another file"
        ) from None
    except KeyboardInterrupt:
        kept = (
            f"kept in {simulation.path}; continue with --resume" if simulation.path else "not kept"
        )
        played = f"interrupted: {simulation.done:,} of {plural(total, 'game')} played, {kept}"
        err().print(played, markup=False)
        return INTERRUPTED
    except AgentError as error:
        return error.exit_status
    return 0


def tell_faults(simulation: Simulation) -> None:
    """Report the agents that failed, after the results of the others."""
    from csp_mines.cli import tell_error

    for fault in simulation.faults:
        tell_error(fault)


@contextmanager
def _progress(total: int) -> Iterator[_Display]:
    """Show a bar with rate and time left on standard error, if that is a terminal."""
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

    from csp_mines.cli.console import progress

    rate = TextColumn("{task.fields[rate]}")
    columns = (BarColumn(), MofNCompleteColumn(), rate, TimeRemainingColumn())
    with progress(*columns) as bar:
        task = bar.add_task("games", total=total, rate="")

        def watch(done: int) -> None:
            if not bar.tasks[0].completed:  # games of an earlier run do not count for the speed
                bar.reset(task, completed=done)
            speed = bar.tasks[0].speed
            bar.update(task, completed=done, rate=f"{speed:,.1f} games/s" if speed else "")

        def notify(text: str) -> None:
            bar.console.print(f"csp-mines: {text}", markup=False)

        yield _Display(watch, notify)
