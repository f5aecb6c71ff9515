"""`simulate` and `Simulation`: play all games of a plan on many workers, and sum up the outcomes.
If the caller gives a path, each batch of finished games is also written to a file.

    plan = Plan((Setup(LEVELS["expert"]),), ("exact", "disarm"), games=1000)
    results = simulate(plan)

The plan alone decides which games are played and how they go. So neither the number of workers nor
an interruption changes an outcome. This also holds for an own agent, if its moves depend only on
the boards and on the seed that the agent gets.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from copy import deepcopy
from pathlib import Path

from csp_mines import signals
from csp_mines.arguments import callback, instance, path_name, text, whole
from csp_mines.errors import AgentError, InputError
from csp_mines.games.own_agents import OwnAgent
from csp_mines.machine import usable_cores
from csp_mines.simulation.dask_workers import DaskPool, Notify
from csp_mines.simulation.game_numbers import GameNumbers
from csp_mines.simulation.games import play_games, warm_up
from csp_mines.simulation.outcomes import Outcome
from csp_mines.simulation.plans import Plan, PlanPart
from csp_mines.simulation.results import Results
from csp_mines.simulation.run_file import RunFile
from csp_mines.simulation.tally import Tally, TimeSpent, WaitingGames
from csp_mines.simulation.workers import MOST_PER_CORE, LocalPool, Pool, most_workers, run
from csp_mines.words import plural

Watch = Callable[[int], None]

MOST_OUTCOMES = 10_000_000  # at most this many outcomes are held in memory
OUTCOME_BYTES = 276  # bytes of memory for one outcome, measured on expert games


class Simulation:
    """A simulation of a plan. The method `run` plays the games. `results` can be read at any time,
    also after an interruption. `faults` has the errors of own agents that failed.

    >>> plan = csp_mines.Plan([csp_mines.Setup(csp_mines.Spec(5, 5, 4))], ["exact"], games=100)
    >>> simulation = csp_mines.Simulation(plan)
    >>> results = simulation.run(workers=1)
    >>> simulation.done, simulation.faults
    (100, [])
    """

    def __init__(
        self,
        plan: Plan,
        path: str | Path | None = None,
        *,
        resume: bool = False,
        sums_only: bool = False,
    ) -> None:
        """Prepare to play a plan.

        * `path`: a file to which `run` writes the finished games.
        * `resume`: continue the run in the file, if the file contains one. Games in the file are
          not played again. `plan` must have the setups and the seed of that run; it may have more
          games and more agents.
        * `sums_only`: keep no outcomes of single games in memory. Memory then does not grow with
          the number of games.

        Raises InputError for wrong arguments, or for more than 10,000,000 games without
        `sums_only`."""
        self.plan = instance(plan, Plan, "plan")
        self.path = None if path is None else Path(path_name(path))
        self.resume = resume
        self._sums_only = sums_only
        if not sums_only and plan.total > MOST_OUTCOMES:
            gigabytes = plan.total * OUTCOME_BYTES / 1e9
            raise InputError(
                f"the outcomes of {plan.total:,} games take about {gigabytes:,.0f} GB of memory; "
                f"at most {MOST_OUTCOMES:,} outcomes can be kept; use sums_only=True to keep only "
                "sums"
            )
        self._forget()

    def _forget(self) -> None:
        self._tally = Tally(self.plan.agents)
        self._waiting = WaitingGames(self.plan.agents)
        self._faults: dict[PlanPart, AgentError] = {}
        self._outcomes: list[Outcome] | None = None if self._sums_only else []

    @property
    def done(self) -> int:
        """The number of finished games."""
        return self._tally.played

    @property
    def faults(self) -> list[AgentError]:
        """The errors of own agents that failed, at most one for each agent and setup. If an agent
        failed in several games of a setup, the list has the error of the game with the lowest
        number."""
        return list(self._faults.values())

    @property
    def results(self) -> Results:
        """The results of the games that are finished so far."""
        return Results(self.plan, self._outcomes, tally=deepcopy(self._tally), path=self.path)

    def run(
        self,
        workers: int | None = None,
        *,
        dask: str | None = None,
        watch: Watch | None = None,
        notify: Notify | None = None,
    ) -> Results:
        """Play the remaining games, and return the results.

        * `workers`: the number of processes. The default is one per core, the maximum is four per
          core. If the number is 1, the calling process plays the games.
        * `dask`: the address of a Dask scheduler, whose workers play instead.
        * `watch`: called with the number of finished games, at the start and after every batch of
          games.
        * `notify`: called with a message if the run waits for Dask, if `workers` is above the
          maximum, or if the calling process plays all games because of an own agent (see below).

        Other processes cannot import an own agent that cannot be pickled or is defined in
        `__main__`. If the plan has such an agent and neither `workers` nor `dask` is given, the
        calling process plays all games.

        An own agent fails in a game if the agent crashes, breaks the rules or takes too long, or
        if importing the agent raises an error. After the failure, `run` hands out no more games of
        this agent with the setup of this game. All other games are played. At the end, `run`
        raises the first error of `faults`. The field `results` of this error has the results of
        all finished games. A later call of `run` tries the games that the agent left out again;
        with `sums_only` and without a file, it plays all games again.

        Raises AgentError if an own agent failed, RunFileError if the file cannot be used,
        SimulationError if a game cannot be played for another reason, WorkerError if workers do not
        start, cannot be reached or die one after another at the same game, MissingLibrary if `dask`
        is given and Dask is not installed, InputError for wrong arguments. Also raises InputError
        if `dask` is given or `workers` is above 1, but an own agent cannot be pickled or is defined
        in `__main__`."""
        workers = None if workers is None else whole(workers, "workers", 1)
        dask = None if dask is None else text(dask, "dask")
        watch = callback(watch, "watch") or _ignore
        notify = callback(notify, "notify") or _ignore
        if not self._require_portable(workers, dask):
            workers = 1
            notify("worker processes cannot import an agent, so this process plays all games")
        with ExitStack() as stack:
            file = None
            if self.path is not None:
                self._forget()
                opened = RunFile.write(self.path, self.plan, resume=self.resume)
                file = stack.enter_context(opened)
                self._tally.add_run(map(self._held, file.outcomes()), file.times())
            elif self._faults:
                self._try_again()
            watch(self.done)
            left = self._left()
            if left:
                games = self.plan.total - self.done
                pool = stack.enter_context(_pool(workers, dask, games, notify))
                batches = run(
                    play_games, left, pool, PlanPart.name_of, warm_up=warm_up, give_up=self._give_up
                )
                for part, played, seconds in batches:
                    spent = TimeSpent(part.place, part.agent, len(played), seconds)
                    with signals.held():  # store and count the batch without an interruption
                        self._keep(played, spent, file)
                    watch(self.done)
        for fault in self.faults:
            fault.results = self.results
            raise fault
        return self.results

    def _require_portable(self, workers: int | None, dask: str | None) -> bool:
        """Return False if `workers` is None and worker processes cannot import an own agent: this
        process must then play all games. Otherwise return True. Raises InputError if worker
        processes cannot import an own agent, but `workers` is above 1 or `dask` is given."""
        own = [
            agent for agent in map(self.plan.agent, self.plan.agents) if isinstance(agent, OwnAgent)
        ]
        if dask is not None or (workers or 1) > 1:
            for agent in own:
                agent.require_portable()
        return workers is not None or all(agent.is_portable for agent in own)

    def _give_up(self, part: PlanPart, error: Exception) -> bool:
        """If the error is an AgentError, store it in `faults` and return True: only the games of
        `part` end. Otherwise return False. If several games of `part` fail, `faults` keeps the
        error of the game with the lowest number."""
        if not isinstance(error, AgentError):
            return False
        first = self._faults.setdefault(part, error)
        self._faults[part] = min(first, error, key=lambda fault: fault.number)
        self._waiting.drop(part.place, part.agent)
        return True

    def _try_again(self) -> None:
        """Prepare to play the games that agents left out after their faults. These games must be
        compared with those of the other agents. If no outcomes were kept, forget everything, so
        that `run` plays all games again."""
        if self._outcomes is None:
            self._forget()
            return
        self._faults.clear()
        self._waiting = WaitingGames(self.plan.agents)
        for outcome in self._outcomes:
            self._waiting.meet(outcome)

    def _left(self) -> dict[PlanPart, GameNumbers]:
        left = {
            part: self._tally.parts[part.place, part.agent].games.missing(self.plan.games)
            for part in self.plan.parts
        }
        return {part: games for part, games in left.items() if games}

    def _keep(self, played: list[Outcome], spent: TimeSpent, file: RunFile | None) -> None:
        if file is not None:
            file.add(played, spent)
            others = file.others(played)
        for outcome in played:
            met = self._waiting.meet(outcome) if file is None else others[outcome.game]
            self._tally.add(self._held(outcome), met)
        self._tally.add_time(spent)

    def _held(self, outcome: Outcome) -> Outcome:
        if self._outcomes is not None:
            self._outcomes.append(outcome)
        return outcome


def simulate(
    plan: Plan,
    path: str | Path | None = None,
    *,
    resume: bool = False,
    sums_only: bool = False,
    workers: int | None = None,
    dask: str | None = None,
    watch: Watch | None = None,
    notify: Notify | None = None,
) -> Results:
    """Play all games of a plan, and return the results, as `Simulation(plan, path, …).run(…)` does.

    * `plan`: the setups, the agents and the number of games.
    * `path`: a file to which all finished games are written.
    * `resume`: continue the run in the file, if the file contains one. Games in the file are not
      played again.
    * `sums_only`: keep no outcomes of single games in memory.
    * `workers`: the number of processes, by default one per core, at most four per core.
    * `dask`: the address of a Dask scheduler, whose workers play instead.
    * `watch`: called with the number of finished games, at the start and after every batch of
      games.
    * `notify`: called with a message if the run waits for Dask, if `workers` is above the maximum,
      or if the calling process plays because other processes cannot import an own agent.

    Raises the same errors as `Simulation` and `Simulation.run`.

    >>> setup = csp_mines.Setup(csp_mines.Spec(5, 5, 4))
    >>> plan = csp_mines.Plan([setup], ["exact", "disarm"], games=100)
    >>> csp_mines.simulate(plan, workers=1)
    <Results: 200 games on 5×5 with 4 mines: exact 76.0% (66.8% … 83.3%), disarm 64.0% (...)>
    """
    simulation = Simulation(plan, path, resume=resume, sums_only=sums_only)
    return simulation.run(workers, dask=dask, watch=watch, notify=notify)


def _pool(workers: int | None, dask: str | None, games: int, notify: Notify) -> Pool:
    if dask is not None:
        return DaskPool(dask, notify=notify)
    most = most_workers()
    if workers is not None and workers > most:
        notify(
            f"{workers:,} workers were asked for; at most {most} are used, "
            f"{MOST_PER_CORE} for each of {plural(usable_cores(), 'core')}",
        )
    return LocalPool(workers, games)


def _ignore(_: object) -> None:
    """Do nothing. `Simulation.run` uses this function in place of a missing callback."""
