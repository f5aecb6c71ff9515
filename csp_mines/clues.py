"""Clue models: what the number an opened cell shows says about the mines around it.

A clue model turns "the cell shows `shown`" into what the true number `t` may be (bounds, for
deduction) and how likely the showing is for each `t` (likelihood, for counting). Likelihoods are
scaled to integers so that counting stays exact; a common factor cancels out of every probability.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import lcm

from csp_mines.errors import UnknownName

__all__ = ["CAUTIOUS", "CLUE_MODELS", "EXACT", "OPTIMISTIC", "SILENT", "ClueModel", "clue_model"]

_SCALE = lcm(*range(1, 10))


@dataclass(frozen=True)
class ClueModel:
    """`bounds(shown)` is the range of the true number; `likelihood(t)` how likely any one showing
    allowed by `t` is, times `lcm(1..9)`, or None where it does not depend on `t`."""

    name: str
    bounds: Callable[[int], tuple[int, int]]
    likelihood: Callable[[int], int] | None = None

    def __repr__(self) -> str:
        return f"clue_model({self.name!r})"

    def __reduce__(self) -> tuple[Callable[[str], ClueModel], tuple[str]]:
        return clue_model, (self.name,)


EXACT = ClueModel("exact", lambda shown: (shown, shown))
SILENT = ClueModel("silent", lambda shown: (shown, shown))
OPTIMISTIC = ClueModel("optimistic", lambda shown: (shown, 8), lambda t: _SCALE // (t + 1))
CAUTIOUS = ClueModel("cautious", lambda shown: (0, shown), lambda t: _SCALE // (9 - t))

CLUE_MODELS = {model.name: model for model in (EXACT, SILENT, OPTIMISTIC, CAUTIOUS)}


def clue_model(name: str | ClueModel) -> ClueModel:
    """The clue model of that name. Raises UnknownName."""
    if isinstance(name, ClueModel):
        return name
    try:
        return CLUE_MODELS[name]
    except KeyError:
        raise UnknownName("clue model", name, list(CLUE_MODELS)) from None
