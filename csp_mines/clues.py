"""Clue models: how the number that an opened cell shows depends on the mines around it.

A clue model turns "the cell shows `shown`" into bounds on the true number `t` (for deduction), and
into the likelihood of showing it for each `t` (for counting). Likelihoods are scaled to integers so
that counting stays exact; a common factor cancels out of every probability. A model also says how a
game draws the shown number, whether a 0 opens its neighbours, and how a clue is written. To add a
model, add a value here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import lcm
from typing import Any

import numpy as np
import numpy.typing as npt

from csp_mines.arguments import looked_up
from csp_mines.words import clue_text

__all__ = [
    "CAUTIOUS",
    "CLUE_MODELS",
    "EXACT",
    "NOTHING",
    "OPTIMISTIC",
    "SILENT",
    "ClueModel",
    "clue_model",
]

_SCALE = lcm(*range(1, 10))

NOTHING = -1  # drawn for a cell that shows no clue

Numbers = npt.NDArray[np.int8]
Chances = npt.NDArray[np.float64]  # one per cell, uniform from 0 to 1


@dataclass(frozen=True)
class ClueModel:
    """How shown numbers relate to true ones.

    * `bounds(shown)`: the range of the true number.
    * `likelihood(t)`: the probability of each showing that `t` allows, times `lcm(1..9)`. None if
      it does not depend on `t`.
    * `draw(true, chances, reveal)`: what cells show. None if they show the true number.
    * `floods`: whether no mine is around a shown 0.
    * `relation`: the relation of the true number to the shown one. `reads` uses it."""

    name: str
    bounds: Callable[[int], tuple[int, int]]
    likelihood: Callable[[int], int] | None = None
    draw: Callable[[Numbers, Chances, float], npt.NDArray[Any]] | None = None
    floods: bool = True
    relation: str = "="
    silent: bool = False  # an opened cell may show nothing

    def reads(self, cell: tuple[int, int], shown: int) -> str:
        """Write a clue: `(3,4)=1`, or with `≥` or `≤` for clues that are bounds."""
        return clue_text(cell, self.relation, shown)

    def __repr__(self) -> str:
        return f"clue_model({self.name!r})"

    def __reduce__(self) -> tuple[Callable[[str], ClueModel], tuple[str]]:
        return clue_model, (self.name,)


def _true(shown: int) -> tuple[int, int]:
    return shown, shown


EXACT = ClueModel("exact", _true)
SILENT = ClueModel(
    "silent",
    _true,
    draw=lambda true, chances, reveal: np.where(chances < reveal, true, NOTHING),
    silent=True,
)
OPTIMISTIC = ClueModel(
    "optimistic",
    lambda shown: (shown, 8),
    lambda t: _SCALE // (t + 1),
    lambda true, chances, reveal: np.floor(chances * (true + 1)),
    floods=False,
    relation="≥",
)
CAUTIOUS = ClueModel(
    "cautious",
    lambda shown: (0, shown),
    lambda t: _SCALE // (9 - t),
    lambda true, chances, reveal: true + np.floor(chances * (9 - true)),
    relation="≤",
)

CLUE_MODELS = {model.name: model for model in (EXACT, SILENT, OPTIMISTIC, CAUTIOUS)}


def clue_model(name: str | ClueModel) -> ClueModel:
    """Return the clue model with that name. Raises UnknownName, InputError."""
    return name if isinstance(name, ClueModel) else looked_up("clue model", name, CLUE_MODELS)
