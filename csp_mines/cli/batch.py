"""What `simulate` and `densities` share: options, and playing a plan with a progress bar."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from csp_mines import defaults
from csp_mines.cli import gameplay
from csp_mines.cli.console import err, progress
from csp_mines.cli.groups import option
from csp_mines.errors import AgentError, InputError, RunFileError, RunFileExists
from csp_mines.words import plural

if TYPE_CHECKING:
    from csp_mines import Plan, Simulation

Agents = Annotated[
    list[str] | None,
    option(
        "An agent: a preset, BACKEND+POLICY, or your own as PACKAGE.MODULE:NAME. Repeat the option "
        f"to compare agents. By default the preset {defaults.AGENT}.",
        "-a",
    ),
]
Games = Annotated[
    int, option("Games per agent (with 'densities': per agent and density).", "-n", min=1)
]


@dataclass(frozen=True)
class Run:
    """The options for the processes that play the games, and for the file of the run."""

    workers: Annotated[
        int | None,
        option(
            "Number of worker processes. By default one per core; at most four per core.",
            "-w",
            min=1,
        ),
    ] = None
    dask: Annotated[
        str | None,
        option("Play on the Dask cluster whose scheduler has this address.", metavar="ADDRESS"),
    ] = None
    out: Annotated[
        str | None,
        option(
            "Write every finished game to this SQLite file; 'csp-mines results' reads the file.",
            "-o",
            metavar="FILE",
        ),
    ] = None
    resume: Annotated[
        bool,
        option("Continue the run in the file --out; more --games or agents extend the run."),
    ] = False

    def play(self, plan: Plan) -> tuple[Simulation, int]:
        """Play a plan. Return the simulation and the exit status: 0, `INTERRUPTED` after Ctrl-C, or
        the status of the error if an own agent failed.

        Raises InputError for --resume without --out and for an empty --out, and RunFileError if the
        file exists and --resume is not given. Also raises what `Simulation` and `Simulation.run`
        raise, except AgentError."""
        from csp_mines.cli import INTERRUPTED
        from csp_mines.simulation.simulate import Simulation

        if self.resume and self.out is None:
            raise InputError("--resume needs --out FILE, the file of the run to continue")
        if self.out == "":
            raise InputError("--out needs a file name, such as --out games.db")
        simulation = Simulation(plan, self.out, resume=self.resume, sums_only=True)
        gameplay.tell_lowest_risk(*map(plan.agent, plan.agents))
        games = plural(plan.total, "game")
        try:
            with _progress(plan.total) as (watch, notify):
                simulation.run(self.workers, dask=self.dask, watch=watch, notify=notify)
        except RunFileExists as error:
            raise RunFileError(
                f"{error.path} exists; add --resume to continue its run, or name another file"
            ) from None
        except KeyboardInterrupt:
            kept = "not kept"
            if simulation.path is not None:
                kept = f"kept in {simulation.path}; continue with --resume"
            err().print(f"interrupted: {simulation.done:,} of {games} played, {kept}")
            return simulation, INTERRUPTED
        except AgentError as error:
            return simulation, error.exit_status
        return simulation, 0


def tell_faults(simulation: Simulation) -> None:
    """Print the errors of the own agents that failed. The commands call this after they have shown
    the results, so that the errors come last."""
    from csp_mines.cli import tell_error

    for fault in simulation.faults:
        tell_error(fault)


@contextmanager
def _progress(total: int) -> Iterator[tuple[Callable[[int], None], Callable[[str], None]]]:
    """Show a progress bar with games per second and the time left, if standard error is a terminal.
    Yield the functions `watch` and `notify`: `watch` gets the number of games played so far and
    moves the bar; `notify` prints a message on standard error."""
    from rich.progress import TextColumn

    with progress(TextColumn("{task.fields[rate]}")) as bar:
        task = bar.add_task("games", total=total, rate="")

        def watch(done: int) -> None:
            if not bar.tasks[0].completed:  # the speed must not count games of an earlier run
                bar.reset(task, completed=done)
            speed = bar.tasks[0].speed
            bar.update(task, completed=done, rate=f"{speed:,.1f} games/s" if speed else "")

        def notify(text: str) -> None:
            bar.console.print(f"csp-mines: {text}")

        yield watch, notify
