"""Outcomes: how one game of a plan went."""

from __future__ import annotations

from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any

__all__ = ["Outcome"]


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

    def to_json(self) -> dict[str, Any]:
        """All fields by their names."""
        return dict(zip(_NAMES, _VALUES(self), strict=True))


_NAMES = tuple(field.name for field in fields(Outcome))
_VALUES = attrgetter(*_NAMES)
