"""Clue models: how the number that an opened cell shows depends on the mines around it.

Let `shown` be the number that a cell shows, and `t` the true number of mines around the cell. For
deduction, a clue model gives bounds on `t`. For counting, the clue model gives the probability of
`shown` for each `t`. These probabilities are multiplied by a common factor that makes them
integers, so that counting stays exact; the factor cancels out in the end. A clue model also says
how a game draws the shown number, whether a 0 opens its neighbours, and how a clue is written. To
add a clue model, add a `ClueModel` here, its name in `names.py` and its kernel model in
`kernel.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import lcm
from typing import Any

import numpy as np
import numpy.typing as npt

from csp_mines.arguments import looked_up

NOTHING = -1  # `draw` returns this for a cell that shows no clue

Numbers = npt.NDArray[np.int8]
Chances = npt.NDArray[np.float64]  # one random number per cell, uniform in [0, 1)


@dataclass(frozen=True)
class ClueModel:
    """How the number that a cell shows relates to the true number of mines around it.

    * `bounds(shown, most)`: the least and the greatest true number, if a cell shows `shown`. Here
      and below, `most` is the largest number of neighbours that a cell of the grid can have.
    * `likelihood(t, most)`: if `t` mines are around a cell, the cell shows one of several numbers,
      each with the same probability. The function returns this probability times the least common
      multiple of 1 to `most + 1`; the product is an integer. The field is None if the probability
      does not depend on `t`.
    * `draw(true, chances, reveal, most)`: an array of the numbers that cells show, with -1 at
      each cell that shows no clue. `true` has the true number of each cell, and `chances` a
      random number for each cell. `reveal` is the probability that a cell shows a clue at all; only
      silent clues use `reveal`. The field is None if every cell shows its true number.
    * `floods`: whether a shown 0 means that there is no mine around the cell.
    * `relation`: the sign between the true number and the shown number: `=`, `≥` or `≤`.
    * `silent`: whether an opened cell may show no clue.

    >>> board = csp_mines.Board([[-1, 1, -1]], clues="optimistic")
    >>> board.clues.name, board.clues.bounds(1, 8)
    ('optimistic', (1, 8))
    """

    name: str
    bounds: Callable[[int, int], tuple[int, int]]
    likelihood: Callable[[int, int], int] | None = None
    draw: Callable[[Numbers, Chances, float, int], npt.NDArray[Any]] | None = None
    floods: bool = True
    relation: str = "="
    silent: bool = False

    @property
    def truthful(self) -> bool:
        """Whether every number that is shown is the true number."""
        return self.likelihood is None

    def all_bounds(self, most: int) -> list[tuple[int, int]]:
        """Return `bounds` for every number that a cell can show: 0 to `most`."""
        return [self.bounds(shown, most) for shown in range(most + 1)]

    def __repr__(self) -> str:
        return f"clue_model({self.name!r})"

    def __reduce__(self) -> tuple[Callable[[str], ClueModel], tuple[str]]:
        return clue_model, (self.name,)


def _true(shown: int, most: int) -> tuple[int, int]:
    return shown, shown


@cache
def _scale(most: int) -> int:
    return lcm(*range(1, most + 2))


EXACT = ClueModel("exact", _true)
SILENT = ClueModel(
    "silent",
    _true,
    draw=lambda true, chances, reveal, most: np.where(chances < reveal, true, NOTHING),
    silent=True,
)
OPTIMISTIC = ClueModel(
    "optimistic",
    lambda shown, most: (shown, most),
    lambda t, most: _scale(most) // (t + 1),
    lambda true, chances, reveal, most: np.floor(chances * (true + 1)),
    floods=False,
    relation="≥",
)
CAUTIOUS = ClueModel(
    "cautious",
    lambda shown, most: (0, shown),
    lambda t, most: _scale(most) // (most + 1 - t),
    lambda true, chances, reveal, most: true + np.floor(chances * (most + 1 - true)),
    relation="≤",
)

CLUE_MODELS = {model.name: model for model in (EXACT, SILENT, OPTIMISTIC, CAUTIOUS)}


def clue_model(name: str | ClueModel) -> ClueModel:
    """Return the clue model with this name; a clue model is returned as it is. Raises UnknownName
    for an unknown name, InputError for a value that is neither a string nor a clue model."""
    return name if isinstance(name, ClueModel) else looked_up("clue model", name, CLUE_MODELS)
