"""Plans: what a simulation plays.

Every agent of a `Plan` plays game 0, 1, … of every setup. The layout, the noise of the clues and
the agent's random choices follow from the plan's seed and the number of the game alone, so agents
meet the same layouts, and neither the number of workers nor an interruption changes a result.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, TypeVar

from csp_mines.arguments import instance, several, whole, wrong
from csp_mines.board import Cell
from csp_mines.errors import InputError
from csp_mines.games import agents
from csp_mines.games.game import Game, Rules, Spec, Start
from csp_mines.geometry import checked_cell

__all__ = ["Plan", "PlanPart", "Setup", "game_seed"]

T = TypeVar("T")

MOST_GAMES = 10**12  # per agent: a lifetime of them, and still numbers that any machine counts with


@dataclass(frozen=True)
class Setup:
    """The size of a game, its rules, and the cell that is opened first (None: what the rules'
    start opens by itself)."""

    spec: Spec
    rules: Rules = field(default_factory=Rules)
    first: Cell | None = None

    def __post_init__(self) -> None:
        """Raises InputError for what is no size or no rules, for a first cell off the board, or
        where the start has none."""
        instance(self.spec, Spec, "spec")
        instance(self.rules, Rules, "rules")
        if self.first is None:
            return
        first = checked_cell(self.first, self.spec.rows, self.spec.cols)
        object.__setattr__(self, "first", first)
        if self.rules.start is Start.SQRT:
            raise InputError("a start of kind 'sqrt' shows cells by chance; it has no first cell")

    def game(self, seed: int) -> Game:
        """The game of that seed, not yet started."""
        return Game(self.spec, self.rules, seed, first=self.first)

    def __str__(self) -> str:
        return str(self.spec)


@dataclass(frozen=True)
class Plan:
    """`games` games of every agent on every setup."""

    setups: tuple[Setup, ...]
    agents: tuple[str, ...]
    games: int
    seed: int = 0

    def __post_init__(self) -> None:
        """Raises InputError for a plan without games, UnknownName for an unknown agent."""
        given = {
            "games": whole(self.games, "games"),
            "seed": whole(self.seed, "seed"),
            "setups": _tuple(self.setups, "setups", Setup),
            "agents": _tuple(self.agents, "agents", str),
        }
        for field_name, value in given.items():
            object.__setattr__(self, field_name, value)
        if self.games > MOST_GAMES:
            raise wrong("games", f"at most {MOST_GAMES:,}", self.games)
        if self.games < 1 or not self.setups or not self.agents:
            raise InputError("a simulation needs games to play, and agents to play them")
        for kind, all_of in (("agent", self.agents), ("setup", self.setups)):
            if len(set(all_of)) != len(all_of):
                raise InputError(f"the same {kind} is given twice: {', '.join(map(str, all_of))}")
        for name in self.agents:
            agents.agent(name)

    def to_json(self) -> dict[str, Any]:
        """What is played, in full: two plans that say the same are the same."""
        return {
            "setups": [asdict(setup) for setup in self.setups],
            "agents": list(self.agents),
            "games": self.games,
            "seed": self.seed,
        }

    @classmethod
    def of_json(cls, document: Mapping[str, Any]) -> Plan:
        """The plan of which this is the `to_json`. Raises InputError, UnknownName."""
        setups = (
            Setup(Spec(**setup["spec"]), Rules(**setup["rules"]), setup["first"])
            for setup in document["setups"]
        )
        return cls(tuple(setups), document["agents"], document["games"], document["seed"])

    @property
    def total(self) -> int:
        """The number of games in all."""
        return self.games * len(self.setups) * len(self.agents)

    @property
    def parts(self) -> list[PlanPart]:
        """The plan cut into what one agent plays on one setup."""
        return [
            PlanPart(place, setup, agent, self.seed)
            for place, setup in enumerate(self.setups)
            for agent in self.agents
        ]


def _tuple(values: Iterable[T], what: str, kind: type[T]) -> tuple[T, ...]:
    items = "names" if kind is str else f"{kind.__name__} values"
    return tuple(
        instance(value, kind, f"each of the {what}") for value in several(values, what, items)
    )


@dataclass(frozen=True)
class PlanPart:
    """The games of one agent on one setup, which stands at `place` in its plan; they take about
    the same time each. `seed` is the plan's."""

    place: int
    setup: Setup
    agent: str
    seed: int

    def name_of(self, game: int) -> str:
        """How messages name one of the games."""
        return f"game {game}, agent {self.agent!r} on {self.setup}"


def game_seed(seed: int, game: int) -> int:
    """The seed of one game. Games of different plans have nothing in common."""
    digest = hashlib.blake2b(f"{seed}/{game}".encode(), digest_size=6).digest()
    return int.from_bytes(digest, "big")
