"""The contract of engines that write models as clauses (`ClauseEngine`), and the clauses that they
return (`Clauses`).

Each engine has its own encodings. A package offers an engine through the entry-point group
`csp_mines.encoders`. The engine of csp-mines itself is `ClauseTools` in `csp_mines.solvers`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from csp_mines.backend import Deadline, only_engine
from csp_mines.exports.model import Model


@dataclass(frozen=True)
class Clauses:
    """A model as clauses. `variables` is the number of variables: first the variables of the model,
    then the helper variables.

    `clauses` has the clauses of the first sum of the model, then those of the second, and so on.
    `ends[i]` is the number of clauses up to and including those of `model.sums[i]`. Each entry of
    `atmosts` is an at-most constraint: some literals, and how many of these may be true at most.
    Only some solvers accept at-most constraints, and only the encoding `native` makes any."""

    variables: int
    clauses: Sequence[Sequence[int]]
    ends: Sequence[int]
    atmosts: Sequence[tuple[Sequence[int], int]] = ()


class ClauseEngine(Protocol):
    """Encodes models as clauses, and draws conclusions from the clauses."""

    def encodings(self) -> Sequence[str]:
        """Return the names of the encodings. The name `native` is included if the engine has a
        solver that accepts at-most constraints."""

    def encode(self, model: Model, encoding: str, *, native: bool = False) -> Clauses:
        """Return the clauses of a model. `native` says whether the caller accepts at-most
        constraints. Raises UnknownName for an unknown encoding, and Unsupported for the encoding
        `native` if the caller does not accept at-most constraints."""

    def certain(self, encoded: Clauses, cells: int, deadline: Deadline) -> frozenset[int]:
        """Return the literals of the first `cells` variables that are true in every solution of
        `encoded`. Raises Contradiction if `encoded` has no solution, OutOfTime after the
        deadline."""

    def refute(self, encoded: Clauses, deadline: Deadline) -> list[str] | None:
        """Return the lines of a DRAT proof that the clauses of `encoded` have no solution. Return
        None if the clauses have a solution. `encoded` must have no at-most constraints.

        Each line is a clause. It follows from the clauses of `encoded` and the earlier lines by
        unit propagation (RUP). The last line is the empty clause. Raises OutOfTime after the
        deadline."""


@cache
def clause_engine() -> ClauseEngine:
    """Return the `ClauseEngine` of an installed package. Raises what `only_engine` raises."""
    engine: ClauseEngine = only_engine("csp_mines.encoders", "clauses")
    return engine
