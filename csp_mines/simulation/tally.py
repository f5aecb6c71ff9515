"""Sums of the wins, scores and guesses in the finished games of a plan.

The memory for them does not grow with the number of games. Every sum is exact, so the results do
not depend on the order in which games end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter

from csp_mines.simulation.game_numbers import GameNumbers
from csp_mines.simulation.outcomes import Outcome
from csp_mines.simulation.statistics import Moments


@dataclass(frozen=True)
class TimeSpent:
    """The time that some games of one agent on one setup took."""

    setup: int
    agent: str
    games: int
    seconds: float


@dataclass
class PartSums:
    """The sums over the games of one agent on one setup. `timed` is the number of games whose time
    is known; together these games took `seconds`."""

    games: GameNumbers = field(default_factory=GameNumbers)
    wins: int = 0
    score: Moments = field(default_factory=Moments)
    guesses: Moments = field(default_factory=Moments)
    timed: int = 0
    seconds: float = 0.0


@dataclass
class PairSums:
    """The comparison of two agents on the layouts of one setup that both have played. `only_first`
    counts the layouts that only the first agent won. `score` sums up the differences of their
    scores, first agent minus second agent."""

    only_first: int = 0
    only_second: int = 0
    score: Moments = field(default_factory=Moments)


class Tally:
    """The sums over all games so far. `parts` has one entry for each setup and agent. `pairs` has
    one entry for each setup and pair of agents; of a pair, the agent that the plan lists first
    comes first."""

    def __init__(self, agents: tuple[str, ...]) -> None:
        self.played = 0
        self.parts: defaultdict[tuple[int, str], PartSums] = defaultdict(PartSums)
        self.pairs: defaultdict[tuple[int, str, str], PairSums] = defaultdict(PairSums)
        self._places = {agent: place for place, agent in enumerate(agents)}

    def add(self, outcome: Outcome, others: Iterable[Outcome]) -> None:
        """Add an outcome, and compare it with `others`, the outcomes that other agents had in the
        same game. The `others` must have been added before. Raises ValueError if an outcome of
        this game and agent was added before."""
        part = self.parts[outcome.setup, outcome.agent]
        if not part.games.add(outcome.game):
            raise ValueError(f"game {outcome.game} of agent {outcome.agent!r} was added before")
        self.played += 1
        part.wins += outcome.won
        part.score.add(outcome.score)
        part.guesses.add(outcome.guesses)
        for other in others:
            self._compare(*sorted((outcome, other), key=lambda game: self._places[game.agent]))

    def add_in_order(self, outcomes: Iterable[Outcome]) -> None:
        """Add outcomes that come in the order of the plan: the outcomes of one game follow each
        other."""
        for _, game in groupby(outcomes, key=attrgetter("setup", "game")):
            others: list[Outcome] = []
            for outcome in game:
                self.add(outcome, others)
                others.append(outcome)

    def add_run(self, outcomes: Iterable[Outcome], times: Iterable[TimeSpent]) -> None:
        """Add the outcomes of a run, in the order of the plan, and the times of its games."""
        self.add_in_order(outcomes)
        for spent in times:
            self.add_time(spent)

    def add_time(self, spent: TimeSpent) -> None:
        part = self.parts[spent.setup, spent.agent]
        part.timed += spent.games
        part.seconds += spent.seconds

    def _compare(self, first: Outcome, second: Outcome) -> None:
        pair = self.pairs[first.setup, first.agent, second.agent]
        pair.only_first += first.won and not second.won
        pair.only_second += second.won and not first.won
        pair.score.add(first.score - second.score)


class WaitingGames:
    """Keeps the outcomes of games that some agents have played and others have not. All agents
    advance together, so there are only a few such games."""

    def __init__(self, agents: Iterable[str]) -> None:
        self._agents = frozenset(agents)
        self._dropped: defaultdict[int, set[str]] = defaultdict(set)
        self._games: defaultdict[tuple[int, int], list[Outcome]] = defaultdict(list)

    def meet(self, outcome: Outcome) -> list[Outcome]:
        """Return the outcomes that other agents had in the same game so far. Keep this outcome for
        the agents that have not played the game yet."""
        key = outcome.setup, outcome.game
        others = self._games[key]
        self._games[key] = [*others, outcome]
        self._forget(key)
        return others

    def drop(self, setup: int, agent: str) -> None:
        """Stop waiting for further games of an agent on a setup."""
        self._dropped[setup].add(agent)
        for key in [key for key in self._games if key[0] == setup]:
            self._forget(key)

    def _forget(self, key: tuple[int, int]) -> None:
        """Forget a game once every agent that is still expected has played it."""
        if len(self._games[key]) + len(self._dropped[key[0]]) >= len(self._agents):
            met = {outcome.agent for outcome in self._games[key]}
            if met | self._dropped[key[0]] >= self._agents:
                del self._games[key]
