"""Simulation: many games of several agents on the same layouts.

A `Plan` says what is played: every agent plays game 0, 1, … of every setup. The layout, the noise
of the clues and the agent's random choices follow from the plan's seed and the number of the game
alone, so agents meet the same layouts, and neither the number of workers nor an interruption
changes a result. Results go to a journal as they come; how long games took is kept in a second file
beside it, since that differs from run to run.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from csp_mines.errors import BoardError, CspMinesError
from csp_mines.play import agents, playing
from csp_mines.play.game import Game, Rules, Spec
from csp_mines.simulation.journal import Journal, JournalError
from csp_mines.simulation.statistics import Mean, Rate, mean, wilson
from csp_mines.simulation.workers import DaskPool, LocalPool, Pool, cores, run

__all__ = [
    "Outcome",
    "Plan",
    "Results",
    "Setup",
    "Simulation",
    "SimulationError",
    "Tally",
    "game_seed",
    "simulate",
]

Watch = Callable[[int], None]


class SimulationError(CspMinesError):
    """A game that could not be played to its end; the message says which one, and why."""


@dataclass(frozen=True)
class Setup:
    """The size of a game and its rules."""

    spec: Spec
    rules: Rules = field(default_factory=Rules)

    def __str__(self) -> str:
        return f"{self.spec.rows}×{self.spec.cols} with {self.spec.mines} mines"


@dataclass(frozen=True)
class Plan:
    """`games` games of every agent on every setup."""

    setups: tuple[Setup, ...]
    agents: tuple[str, ...]
    games: int
    seed: int = 0

    def __post_init__(self) -> None:
        """Raises BoardError for a plan without games, UnknownName for an unknown agent."""
        if self.games < 1 or not self.setups or not self.agents:
            raise BoardError("a simulation needs games to play, and agents to play them")
        for kind, several in (("agent", self.agents), ("setup", self.setups)):
            if len(set(several)) != len(several):
                raise BoardError(f"the same {kind} is given twice: {', '.join(map(str, several))}")
        for name in self.agents:
            agents.agent(name)

    def header(self) -> dict[str, Any]:
        """What the first line of a journal says."""
        return {
            "kind": "csp-mines games",
            "setups": [asdict(setup) for setup in self.setups],
            "agents": list(self.agents),
            "games": self.games,
            "seed": self.seed,
        }

    @property
    def total(self) -> int:
        """The number of games in all."""
        return self.games * len(self.setups) * len(self.agents)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one game went. `setup` is the setup's place in the plan; `seed` replays the game."""

    setup: int
    game: int
    agent: str
    seed: int
    won: bool
    score: float
    opened: int
    guesses: int
    deduced: int
    exploded: int
    steps: int


@dataclass(frozen=True)
class _Kind:
    """Games that take about the same time: one agent on one setup."""

    place: int
    setup: Setup
    agent: str
    seed: int

    def __str__(self) -> str:
        return f"agent {self.agent!r} on {self.setup}"


@dataclass(frozen=True, slots=True)
class _Job:
    game: int

    def __str__(self) -> str:
        return f"game {self.game}"


@dataclass(frozen=True)
class _Journals:
    """Where a run is kept: its outcomes, and beside them how long they took."""

    outcomes: Journal
    times: Journal


@dataclass(frozen=True)
class Tally:
    """The games of one agent on one setup, summed up. `seconds` per game: None where unknown."""

    agent: str
    wins: Rate
    score: Mean
    guesses: Mean
    seconds: float | None

    def report(self) -> dict[str, Any]:
        """As `simulate --json` shows it."""
        return {
            "agent": self.agent,
            "wins": self.wins.successes,
            "win_rate": self.wins.rate,
            "interval": [self.wins.low, self.wins.high],
            "score": self.score.value,
            "score_error": self.score.error if self.score.count > 1 else None,
            "guesses_per_game": self.guesses.value,
            "seconds_per_game": self.seconds,
        }


class Results:
    """The outcomes of a plan, in its order: by setup, game and agent."""

    def __init__(
        self, plan: Plan, outcomes: Iterable[Outcome], seconds: dict[tuple[int, str], float | None]
    ) -> None:
        self.plan = plan
        self.outcomes = sorted(outcomes, key=_order(plan))
        self._seconds = seconds
        self._of: defaultdict[tuple[str, int], list[Outcome]] = defaultdict(list)
        for one in self.outcomes:
            self._of[one.agent, one.setup].append(one)

    def of(self, agent: str, setup: int = 0) -> list[Outcome]:
        """The games of one agent on one setup, in the order of the games."""
        return list(self._of.get((agent, setup), ()))

    def tally(self, agent: str, setup: int = 0) -> Tally:
        """The games of one agent on one setup, summed up."""
        games = self.of(agent, setup)
        return Tally(
            agent,
            wilson(sum(one.won for one in games), len(games)),
            mean([one.score for one in games]),
            mean([one.guesses for one in games]),
            self._seconds.get((setup, agent)),
        )

    def tallies(self, setup: int = 0) -> list[Tally]:
        """Every agent on one setup; agents that have not finished a game are left out."""
        played = [agent for agent in self.plan.agents if (agent, setup) in self._of]
        return [self.tally(agent, setup) for agent in played]


class Simulation:
    """A plan being played. `results` may be asked at any time, also after an interruption."""

    def __init__(self, plan: Plan, path: str | Path | None = None, *, resume: bool = False) -> None:
        """With a path, games are written there as they are played, and with `resume` those that
        are there already are not played again."""
        self.plan = plan
        self.path = None if path is None else Path(path)
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
        seconds: dict[tuple[int, str], float | None] = {
            key: total / games for key, (games, total) in self._clock.items()
        }
        return Results(self.plan, self._outcomes.values(), seconds)

    def run(
        self,
        workers: int | None = None,
        *,
        dask: str | None = None,
        watch: Watch | None = None,
    ) -> Results:
        """Plays what is left, on so many processes (all cores by default) or on the Dask cluster
        at an address. `watch` is told how many games are finished, now and then.

        Raises JournalError, SimulationError, WorkerError, MissingLibrary without Dask."""
        with ExitStack() as stack:
            journals = None if self.path is None else self._journals(self.path, stack)
            if journals is not None:
                outcomes, times = journals.outcomes, journals.times
                self._keep([_outcome(outcomes, entry) for entry in outcomes.entries])
                for entry in times.entries:
                    self._count(**entry)
            _tell(watch, self.done)
            left = self._left()
            if left:
                pool = stack.enter_context(_pool(workers, dask, self.plan.total - self.done))
                for kind, played, seconds in run(_play, left, pool):
                    self._write(journals, kind, played, seconds)
                    _tell(watch, self.done)
            if journals is not None:
                journals.outcomes.finish(map(asdict, self.results.outcomes))
        return self.results

    def _journals(self, path: Path, stack: ExitStack) -> _Journals:
        header = self.plan.header()
        times = path.with_name(path.name + ".times")
        outcomes = stack.enter_context(Journal(path, header, resume=self.resume))
        if not outcomes.entries:
            times.unlink(missing_ok=True)
        return _Journals(outcomes, stack.enter_context(Journal(times, header, resume=True)))

    def _left(self) -> dict[_Kind, list[_Job]]:
        plan = self.plan
        kinds = [
            _Kind(place, setup, agent, plan.seed)
            for place, setup in enumerate(plan.setups)
            for agent in plan.agents
        ]
        left = {
            kind: [
                _Job(game)
                for game in range(plan.games)
                if (kind.place, game, kind.agent) not in self._outcomes
            ]
            for kind in kinds
        }
        return {kind: jobs for kind, jobs in left.items() if jobs}

    def _write(
        self, journals: _Journals | None, kind: _Kind, outcomes: list[Outcome], seconds: float
    ) -> None:
        spent: dict[str, Any] = {
            "setup": kind.place,
            "agent": kind.agent,
            "games": len(outcomes),
            "seconds": seconds,
        }
        if journals is not None:
            journals.outcomes.add(map(asdict, outcomes))
            journals.times.add([spent])
        self._keep(outcomes)
        self._count(**spent)

    def _keep(self, outcomes: Iterable[Outcome]) -> None:
        for one in outcomes:
            self._outcomes[one.setup, one.game, one.agent] = one

    def _count(self, setup: int, agent: str, games: int, seconds: float) -> None:
        before, spent = self._clock.get((setup, agent), (0, 0.0))
        self._clock[setup, agent] = before + games, spent + seconds


def simulate(
    plan: Plan,
    path: str | Path | None = None,
    *,
    resume: bool = False,
    workers: int | None = None,
    dask: str | None = None,
    watch: Watch | None = None,
) -> Results:
    """Plays a plan from beginning to end: `Simulation(plan, path, …).run(…)`."""
    return Simulation(plan, path, resume=resume).run(workers, dask=dask, watch=watch)


def game_seed(seed: int, game: int) -> int:
    """The seed of one game. Games of different plans have nothing in common."""
    digest = hashlib.blake2b(f"{seed}/{game}".encode(), digest_size=6).digest()
    return int.from_bytes(digest, "big")


def _play(kind: _Kind, jobs: tuple[_Job, ...]) -> list[Outcome]:
    """What a worker does with a batch."""
    player = _agent(kind.agent)
    outcomes = []
    for job in jobs:
        seed = game_seed(kind.seed, job.game)
        game = Game(kind.setup.spec, kind.setup.rules, seed)
        try:
            record = playing.play(game, player, seed)
        except CspMinesError as error:
            raise SimulationError(f"{job} (seed {seed}), {kind}: {error}") from error
        outcomes.append(
            Outcome(
                kind.place,
                job.game,
                kind.agent,
                seed,
                won=record.won,
                score=record.score,
                opened=record.opened,
                guesses=record.guesses,
                deduced=record.deduced,
                exploded=record.exploded,
                steps=record.steps,
            )
        )
    return outcomes


@cache
def _agent(name: str) -> agents.Agent:
    return agents.agent(name)


def _pool(workers: int | None, dask: str | None, games: int) -> Pool:
    if dask is not None:
        return DaskPool(dask)
    return LocalPool(min(workers or cores(), games))


def _order(plan: Plan) -> Callable[[Outcome], tuple[int, int, int]]:
    places = {agent: place for place, agent in enumerate(plan.agents)}
    return lambda one: (one.setup, one.game, places[one.agent])


def _outcome(journal: Journal, entry: dict[str, Any]) -> Outcome:
    try:
        return Outcome(**entry)
    except TypeError:
        raise JournalError(f"{journal.path}: not the line of a game: {entry!r}") from None


def _tell(watch: Watch | None, done: int) -> None:
    if watch is not None:
        watch(done)
