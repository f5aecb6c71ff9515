"""Sums of the wins, scores, guesses and times of the finished games of a plan.

The memory for the sums does not grow with the number of games. All sums except those of the times
are exact, so they do not depend on the order in which games end."""

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
    """The time in `seconds` that a batch of games of one agent on one setup took. `games` is the
    number of games in the batch. `setup` is the index of the setup in the plan."""

    setup: int
    agent: str
    games: int
    seconds: float


@dataclass
class PartSums:
    """The sums over the games of one agent on one setup. `games` has the numbers of these games.
    `timed` counts the games whose time is known; together, the timed games took `seconds`."""

    games: GameNumbers = field(default_factory=GameNumbers)
    wins: int = 0
    score: Moments = field(default_factory=Moments)
    guesses: Moments = field(default_factory=Moments)
    timed: int = 0
    seconds: float = 0.0


@dataclass
class PairSums:
    """The comparison of two agents on one setup, on the layouts that both agents have played.
    `only_first` counts the layouts that only the first agent won, `only_second` the layouts that
    only the second agent won. `score` sums up the differences of the scores, first agent minus
    second agent."""

    only_first: int = 0
    only_second: int = 0
    score: Moments = field(default_factory=Moments)


class Tally:
    """The sums over the games that were added. `played` is the number of these games. `parts` has
    sums for each setup and agent, `pairs` for each setup and pair of agents. The keys have the
    index of the setup in the plan. The agents of a pair are in the order of the plan."""

    def __init__(self, agents: tuple[str, ...]) -> None:
        self.played = 0
        self.parts: defaultdict[tuple[int, str], PartSums] = defaultdict(PartSums)
        self.pairs: defaultdict[tuple[int, str, str], PairSums] = defaultdict(PairSums)
        self._agents = agents

    def add(self, outcome: Outcome, others: Iterable[Outcome]) -> None:
        """Add an outcome, and compare it with `others`, the outcomes that other agents had in the
        same game of the same setup. The `others` must have been added before. Raises ValueError if
        this agent's outcome of this game was added before."""
        part = self.parts[outcome.setup, outcome.agent]
        if not part.games.add(outcome.game):
            raise ValueError(f"game {outcome.game} of agent {outcome.agent!r} was added before")
        self.played += 1
        part.wins += outcome.won
        part.score.add(outcome.score)
        part.guesses.add(outcome.guesses)
        for other in others:
            self._compare(
                *sorted((outcome, other), key=lambda game: self._agents.index(game.agent))
            )

    def add_in_order(self, outcomes: Iterable[Outcome]) -> None:
        """Add outcomes in the order of the plan. In this order, the outcomes that the agents had in
        the same game of the same setup follow each other."""
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

    def pair(self, setup: int, agent: str, against: str) -> PairSums:
        """Return the comparison of any two agents on one setup: the first agent is `agent`, the
        second is `against`."""
        if agent == against:
            return PairSums(score=Moments(self.parts[setup, agent].score.count))
        if self._agents.index(agent) < self._agents.index(against):
            return self.pairs[setup, agent, against]
        turned = self.pairs[setup, against, agent]
        return PairSums(turned.only_second, turned.only_first, -turned.score)

    def _compare(self, first: Outcome, second: Outcome) -> None:
        pair = self.pairs[first.setup, first.agent, second.agent]
        pair.only_first += first.won and not second.won
        pair.only_second += second.won and not first.won
        pair.score.add(first.score - second.score)


class WaitingGames:
    """The outcomes of the games that some agents, but not all, have played. All agents advance
    together, so only a few games wait for an agent."""

    def __init__(self, agents: Iterable[str]) -> None:
        self._agents = frozenset(agents)
        self._dropped: defaultdict[int, set[str]] = defaultdict(set)
        self._games: defaultdict[tuple[int, int], list[Outcome]] = defaultdict(list)

    def meet(self, outcome: Outcome) -> list[Outcome]:
        """Return the outcomes that other agents had in the same game so far. Keep `outcome` for the
        agents that have not played the game yet."""
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
        """Forget the game `key` if each agent has played it or was dropped."""
        if len(self._games[key]) + len(self._dropped[key[0]]) >= len(self._agents):
            met = {outcome.agent for outcome in self._games[key]}
            if met | self._dropped[key[0]] >= self._agents:
                del self._games[key]
