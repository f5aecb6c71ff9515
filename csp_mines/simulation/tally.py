"""The tally of a plan: its games summed up one by one, in memory that does not grow with them.

Every sum is exact, so the order in which games end makes no difference to any digit."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from csp_mines.simulation.game_numbers import GameNumbers
from csp_mines.simulation.outcomes import Outcome
from csp_mines.simulation.statistics import Moments

__all__ = ["PairSums", "PartSums", "Tally", "TimeSpent"]


@dataclass(frozen=True)
class TimeSpent:
    """How long some games of one agent on one setup took."""

    setup: int
    agent: str
    games: int
    seconds: float


@dataclass
class PartSums:
    """The games of one agent on one setup. `timed` of them took `seconds` together."""

    games: GameNumbers = field(default_factory=GameNumbers)
    wins: int = 0
    score: Moments = field(default_factory=Moments)
    guesses: Moments = field(default_factory=Moments)
    timed: int = 0
    seconds: float = 0.0


@dataclass
class PairSums:
    """Two agents on the layouts of one setup that both have played. `score` is of the score of the
    first less that of the second."""

    only_first: int = 0
    only_second: int = 0
    score: Moments = field(default_factory=Moments)


class Tally:
    """What is known of the games so far. `parts` is by setup and agent; `pairs` by setup and two
    agents in the order of the plan.

    A game waits to be compared until all agents have played it. Agents advance together, so few
    games wait."""

    def __init__(self, agents: tuple[str, ...]) -> None:
        self.played = 0
        self.parts: defaultdict[tuple[int, str], PartSums] = defaultdict(PartSums)
        self.pairs: defaultdict[tuple[int, str, str], PairSums] = defaultdict(PairSums)
        self._agents = agents
        self._waiting: defaultdict[tuple[int, int], dict[str, Outcome]] = defaultdict(dict)

    def add(self, outcome: Outcome) -> None:
        """Raises ValueError for a game that is there already."""
        part = self.parts[outcome.setup, outcome.agent]
        if not part.games.add(outcome.game):
            raise ValueError(f"game {outcome.game} of agent {outcome.agent!r} is there twice")
        self.played += 1
        part.wins += outcome.won
        part.score.add(outcome.score)
        part.guesses.add(outcome.guesses)
        if len(self._agents) > 1:
            self._compare(outcome)

    def add_time(self, spent: TimeSpent) -> None:
        part = self.parts[spent.setup, spent.agent]
        part.timed += spent.games
        part.seconds += spent.seconds

    def _compare(self, outcome: Outcome) -> None:
        """With what the other agents made of the same game, so far as they have played it."""
        game = self._waiting[outcome.setup, outcome.game]
        game[outcome.agent] = outcome
        played = [game[agent] for agent in self._agents if agent in game]
        place = played.index(outcome)
        for first in played[:place]:
            self._add_pair(first, outcome)
        for second in played[place + 1 :]:
            self._add_pair(outcome, second)
        if len(played) == len(self._agents):
            del self._waiting[outcome.setup, outcome.game]

    def _add_pair(self, first: Outcome, second: Outcome) -> None:
        pair = self.pairs[first.setup, first.agent, second.agent]
        pair.only_first += first.won and not second.won
        pair.only_second += second.won and not first.won
        pair.score.add(first.score - second.score)
