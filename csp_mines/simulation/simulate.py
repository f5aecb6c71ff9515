"""Simulation: many games of several agents on the same layouts, on many workers, kept as they end.

    plan = Plan((Setup(LEVELS["expert"]),), ("exact", "disarm"), games=1000)
    results = simulate(plan)

What is played follows from the plan alone, so neither the number of workers nor an interruption
changes a result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path

from csp_mines.arguments import callback, instance, path_name, text, whole
from csp_mines.machine import usable_cores
from csp_mines.simulation.dask_workers import DaskPool, Notify
from csp_mines.simulation.games import play_games, warm_up
from csp_mines.simulation.kept_games import KeptGames, TimeSpent
from csp_mines.simulation.plans import Plan, PlanPart
from csp_mines.simulation.results import Outcome, Results
from csp_mines.simulation.workers import LocalPool, Pool, run

__all__ = ["Simulation", "simulate"]

Watch = Callable[[int], None]


class Simulation:
    """A plan being played. `results` may be asked at any time, also after an interruption."""

    def __init__(self, plan: Plan, path: str | Path | None = None, *, resume: bool = False) -> None:
        """With a path, games are written there as they are played, and with `resume` those that
        are there already are not played again. Raises InputError."""
        self.plan = instance(plan, Plan, "plan")
        self.path = None if path is None else Path(path_name(path))
        self.resume = resume
        self._outcomes: dict[tuple[int, int, str], Outcome] = {}
        self._clock: dict[tuple[int, str], tuple[int, float]] = {}

    @property
    def done(self) -> int:
        """The number of games that are finished."""
        return len(self._outcomes)

    @property
    def results(self) -> Results:
        """The outcomes so far."""
        seconds = {key: total / games for key, (games, total) in self._clock.items()}
        return Results(self.plan, self._outcomes.values(), seconds)

    def run(
        self,
        workers: int | None = None,
        *,
        dask: str | None = None,
        watch: Watch | None = None,
        notify: Notify | None = None,
    ) -> Results:
        """Plays what is left, on so many processes (all cores by default) or on the Dask cluster
        at an address. `watch` is told how many games are finished, now and then; `notify` gets a
        sentence when the run has to wait for something.

        Raises JournalError, SimulationError, WorkerError, MissingLibrary without Dask, InputError.
        """
        workers = None if workers is None else whole(workers, "workers", 1)
        dask = None if dask is None else text(dask, "dask")
        watch, notify = callback(watch, "watch"), callback(notify, "notify")
        with ExitStack() as stack:
            kept = None
            if self.path is not None:
                kept = stack.enter_context(KeptGames(self.plan, self.path, resume=self.resume))
                self._keep(kept.outcomes)
                for spent in kept.times:
                    self._count(spent)
            _tell(watch, self.done)
            left = self._left()
            if left:
                pool = stack.enter_context(
                    _pool(workers, dask, self.plan.total - self.done, notify)
                )
                batches = run(play_games, left, pool, PlanPart.name_of, warm_up=warm_up)
                for part, played, seconds in batches:
                    spent = TimeSpent(part.place, part.agent, len(played), seconds)
                    if kept is not None:
                        kept.add(played, spent)
                    self._keep(played)
                    self._count(spent)
                    _tell(watch, self.done)
            results = self.results
            if kept is not None:
                kept.finish(results.outcomes)
        return results

    def _left(self) -> dict[PlanPart, list[int]]:
        left = {
            part: [
                game
                for game in range(self.plan.games)
                if (part.place, game, part.agent) not in self._outcomes
            ]
            for part in self.plan.parts
        }
        return {part: games for part, games in left.items() if games}

    def _keep(self, outcomes: Iterable[Outcome]) -> None:
        for outcome in outcomes:
            self._outcomes[outcome.setup, outcome.game, outcome.agent] = outcome

    def _count(self, spent: TimeSpent) -> None:
        key = (spent.setup, spent.agent)
        games, seconds = self._clock.get(key, (0, 0.0))
        self._clock[key] = games + spent.games, seconds + spent.seconds


def simulate(
    plan: Plan,
    path: str | Path | None = None,
    *,
    resume: bool = False,
    workers: int | None = None,
    dask: str | None = None,
    watch: Watch | None = None,
    notify: Notify | None = None,
) -> Results:
    """Plays a plan from beginning to end: `Simulation(plan, path, …).run(…)`."""
    simulation = Simulation(plan, path, resume=resume)
    return simulation.run(workers, dask=dask, watch=watch, notify=notify)


def _pool(workers: int | None, dask: str | None, games: int, notify: Notify | None) -> Pool:
    if dask is not None:
        return DaskPool(dask, notify=notify)
    return LocalPool(min(workers or usable_cores(), games))


def _tell(watch: Watch | None, done: int) -> None:
    if watch is not None:
        watch(done)
