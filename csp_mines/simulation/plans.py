"""`Plan` and `Setup`: which agents play how many games of which size and rules.

Every agent of a `Plan` plays game 0, 1, … of every setup. The setup, the seed of the plan and the
number of the game determine the layout, the noise of the clues and the seed of the agent's random
choices. So all agents play the same layouts, and neither the number of workers nor an interruption
changes a result.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, TypeVar

from csp_mines.arguments import instance, several, whole, wrong
from csp_mines.board import Cell
from csp_mines.errors import InputError
from csp_mines.games.game import Game, Rules, Spec, Start
from csp_mines.games.own_agents import AgentLike, AnyAgent, as_agent

T = TypeVar("T")

MOST_GAMES = 10**12  # the most games of one agent on one setup: more than a machine can play


@dataclass(frozen=True)
class Setup:
    """The size of a game (`spec`), its `rules`, and the cell that is opened first (`first`). If
    `first` is None, a `safe` or `zero` start opens the first cell of the board, a `sqrt` start
    opens random safe cells, and under the start `any` the agent chooses the first cell.

    >>> rules = csp_mines.Rules(start="zero")
    >>> print(csp_mines.Setup(csp_mines.Spec(9, 9, 10), rules, first=(4, 4)))
    9×9 with 10 mines
    """

    spec: Spec
    rules: Rules = field(default_factory=Rules)
    first: Cell | None = None

    def __post_init__(self) -> None:
        """Raise InputError if `spec` is not a Spec, if `rules` is not a Rules, or if `first` is
        given although the start is `sqrt`; BoardError if `first` is not a cell of the board."""
        instance(self.spec, Spec, "spec")
        instance(self.rules, Rules, "rules")
        if self.first is None:
            return
        object.__setattr__(self, "first", self.spec.require(self.first))
        if self.rules.start is Start.SQRT:
            raise InputError("the start 'sqrt' opens random cells; leave out the first cell")

    def game(self, seed: int) -> Game:
        """Return a new game with this `seed`. The game has not started. Raises InputError for a
        wrong seed."""
        return Game(self.spec, self.rules, seed, first=self.first)

    def to_json(self) -> dict[str, Any]:
        """Return a document with all fields."""
        return {"spec": self.spec.to_json(), "rules": asdict(self.rules), "first": self.first}

    def __str__(self) -> str:
        return str(self.spec)

    @property
    def title(self) -> str:
        """The size, the rules and the first cell in words, such as `9×9 with 10 mines, rules
        classic, start safe, clues exact`. Setups with different rules have different titles."""
        rules = self.rules
        first = "" if self.first is None else f" at {self.spec.geometry.label(self.first)}"
        parts = [f"{self}, rules {rules.rules}, start {rules.start}{first}, clues {rules.clues}"]
        parts += [] if rules.flood else ["no flood"]
        parts += [] if rules.reveal == Rules.reveal else [f"reveal {rules.reveal}"]
        parts += ["retry"] if rules.retry else []
        parts += [] if rules.told_total else ["total not told"]
        return ", ".join(parts)


@dataclass(frozen=True, init=False)
class Plan:
    """A plan of a simulation: every agent plays `games` games on every setup. `agents` has the
    names of the agents. `seed` determines the layouts.

    A plan that was read from a file has only the names of its agents, and loads an agent when the
    agent is needed. So the file of a run can be read on a machine without these agents.

    >>> setup = csp_mines.Setup(csp_mines.LEVELS["beginner"])
    >>> plan = csp_mines.Plan([setup], ["exact", "disarm"], games=100)
    >>> plan.total
    200
    """

    setups: tuple[Setup, ...]
    agents: tuple[str, ...]
    games: int
    seed: int
    _given: dict[str, AnyAgent] = field(init=False, compare=False, repr=False)

    def __init__(
        self,
        setups: Iterable[Setup],
        agents: Iterable[AgentLike],
        games: int,
        seed: int = 0,
    ) -> None:
        """Make a plan. An agent is a name, an `Agent`, or an agent of your own (see `OwnAgent`).

        Raises InputError for wrong values, such as 0 games or the same agent twice. For an agent
        that cannot be loaded, raises UnknownName, another InputError, MissingLibrary,
        BackendUnavailable or AgentError."""
        given = [as_agent(agent) for agent in several(agents, "agents", "names")]
        self._set(setups, [agent.name for agent in given], games, seed)
        self._given.update((agent.name, agent) for agent in given)

    def _set(self, setups: Iterable[Setup], agents: Iterable[str], games: int, seed: int) -> None:
        """Set the fields; `_given` is empty. Raises InputError for wrong values."""
        self.__dict__.update(
            games=whole(games, "games"),
            seed=whole(seed, "seed"),
            setups=_tuple(setups, "setups", Setup),
            agents=_tuple(agents, "agents", str),
            _given={},
        )
        if self.games > MOST_GAMES:
            raise wrong("games", f"at most {MOST_GAMES:,}", self.games)
        if self.games < 1 or not self.setups or not self.agents:
            raise InputError("a plan needs at least 1 game, 1 setup and 1 agent")
        for kind, all_of in (("agent", self.agents), ("setup", self.setups)):
            if len(set(all_of)) != len(all_of):
                raise InputError(f"the same {kind} is given twice: {', '.join(map(str, all_of))}")

    def agent(self, name: str) -> AnyAgent:
        """Return the agent with this `name`. If the plan was read from a file, load the agent.
        Raises the errors that `Plan` raises for an agent that cannot be loaded."""
        return self._given.get(name) or as_agent(name)

    def to_json(self) -> dict[str, Any]:
        """Return a document with all fields. Two plans with equal documents are equal."""
        return {
            "setups": [setup.to_json() for setup in self.setups],
            "agents": list(self.agents),
            "games": self.games,
            "seed": self.seed,
        }

    @classmethod
    def of_json(cls, document: Mapping[str, Any]) -> Plan:
        """Make a plan from a `document` that `to_json` returned. This imports no agent. Raises
        InputError for wrong values, and KeyError, TypeError or ValueError for a document of another
        form."""
        setups = (
            Setup(Spec.from_json(setup["spec"]), Rules(**setup["rules"]), setup["first"])
            for setup in document["setups"]
        )
        plan = cls.__new__(cls)
        plan._set(setups, document["agents"], document["games"], document["seed"])
        return plan

    @property
    def total(self) -> int:
        """The number of games of all agents on all setups."""
        return self.games * len(self.setups) * len(self.agents)

    @property
    def parts(self) -> list[PlanPart]:
        """The parts of the plan, one for each setup and agent, ordered by setup. Raises what the
        method `agent` raises."""
        agents = [self.agent(name) for name in self.agents]
        return [
            PlanPart(place, setup, agent, self.seed)
            for place, setup in enumerate(self.setups)
            for agent in agents
        ]


def _tuple(values: Iterable[T], what: str, kind: type[T]) -> tuple[T, ...]:
    items = "names" if kind is str else f"{kind.__name__} values"
    return tuple(
        instance(value, kind, f"each of the {what}") for value in several(values, what, items)
    )


@dataclass(frozen=True)
class PlanPart:
    """The games of one agent on one setup. All games of a part take about the same time. `place` is
    the index of the setup in the plan, `player` is the agent itself, and `seed` is the seed of the
    plan."""

    place: int
    setup: Setup
    player: AnyAgent
    seed: int

    @property
    def agent(self) -> str:
        """The name of the agent."""
        return self.player.name

    def name_of(self, game: int) -> str:
        """Return the name of a game in messages, such as `game 7, agent 'exact' on 9×9 with 10
        mines`."""
        return f"game {game}, agent {self.agent!r} on {self.setup}"


def game_seed(seed: int, game: int) -> int:
    """Return the seed of the game with the number `game`. `seed` is the seed of the plan. Plans
    with different seeds have unrelated games."""
    digest = hashlib.blake2b(f"{seed}/{game}".encode(), digest_size=6).digest()
    return int.from_bytes(digest, "big")
