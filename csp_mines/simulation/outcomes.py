"""`Outcome`, the result of one game of a plan, and `COLUMNS`, the fields of an outcome in files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any, get_type_hints

from csp_mines.games.playing import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(Record):
    """The record of one game of a plan. `setup` is the index of the setup in the plan, `game` is
    the number of the game, and `agent` is the name of the agent. `seed` is the seed of the game:
    `plan.setups[setup].game(seed)` makes the same game again.

    >>> setup = csp_mines.Setup(csp_mines.Spec(5, 5, 4))
    >>> plan = csp_mines.Plan([setup], ["exact", "disarm"], games=100)
    >>> results = csp_mines.simulate(plan, workers=1)
    >>> outcome = next(iter(results.of("exact")))
    >>> outcome.game, outcome.won
    (0, True)
    """

    setup: int
    game: int
    agent: str
    seed: int

    @classmethod
    def of(cls, record: Record, *, setup: int, game: int, agent: str, seed: int) -> Outcome:
        """Make the outcome of a game from its record and the other fields: the index of the setup
        in the plan, the number of the game, the name of the agent, and the seed of the game."""
        return cls(*_RECORD_VALUES(record), setup=setup, game=game, agent=agent, seed=seed)

    @classmethod
    def of_values(cls, values: Iterable[Any]) -> Outcome:
        """Make an outcome from the values of all fields, in the order of `to_json`. Each value is
        converted to the type of its field."""
        columns = zip(COLUMNS.items(), values, strict=True)
        return cls(**{name: kind(value) for (name, kind), value in columns})

    def to_json(self) -> dict[str, Any]:
        """Return all fields by name: `setup`, `game`, `agent` and `seed`, then the fields of
        `Record`."""
        return dict(zip(COLUMNS, self.values(), strict=True))

    def values(self) -> tuple[Any, ...]:
        """Return the values of all fields, in the order of `to_json`."""
        values: tuple[Any, ...] = _VALUES(self)
        return values


_RECORD_NAMES = tuple(field.name for field in fields(Record))
_RECORD_VALUES = attrgetter(*_RECORD_NAMES)
_TYPES = get_type_hints(Outcome)

# The name and the type of each field of `Outcome`, in the order of the columns in files.
COLUMNS: dict[str, type] = {
    name: _TYPES[name] for name in ("setup", "game", "agent", "seed", *_RECORD_NAMES)
}
_VALUES = attrgetter(*COLUMNS)
