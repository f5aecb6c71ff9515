"""The contract of engines that write models as clauses (`ClauseEngine`), and their result
(`Clauses`).

The encodings themselves are in the engines. A package offers its engine in the entry-point group
`csp_mines.encoders`; the package `csp_mines.solvers` offers one.
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
    """A model as clauses. The first variables are those of the model; the others are helper
    variables.

    `clauses` has the clauses of the first sum of the model, then those of the second, and so on.
    `ends[i]` is the number of clauses up to and including those of sum `i`. Each entry of `atmosts`
    is an at-most constraint: some literals, and how many of them may be true at most. Only some
    solvers accept such constraints, and only the encoding `native` makes them."""

    variables: int
    clauses: Sequence[Sequence[int]]
    ends: Sequence[int]
    atmosts: Sequence[tuple[Sequence[int], int]] = ()


class ClauseEngine(Protocol):
    """Encodes models as clauses, and draws conclusions from the clauses."""

    def encodings(self) -> Sequence[str]:
        """Return the names of the encodings. `native` is among them if the engine has a solver that
        accepts at-most constraints."""

    def encode(self, model: Model, encoding: str, *, native: bool = False) -> Clauses:
        """Encode a model. Raises UnknownName for an unknown encoding. Raises Unsupported for the
        encoding `native`, unless `native=True` says that the caller accepts at-most
        constraints."""

    def certain(self, encoded: Clauses, cells: int, deadline: Deadline) -> frozenset[int]:
        """Return those literals of the first `cells` variables that are true in every solution of
        the clauses. Raises Contradiction if there is no solution, OutOfTime after the deadline."""

    def refute(self, encoded: Clauses, deadline: Deadline) -> list[str] | None:
        """Return the lines of a DRAT proof that the clauses have no solution; None if the clauses
        have a solution. Each line follows from the clauses before it by unit propagation (RUP); the
        last line is the empty clause. Raises OutOfTime after the deadline."""


@cache
def clause_engine() -> ClauseEngine:
    """Return the engine for clauses. Raises what `only_engine` raises."""
    engine: ClauseEngine = only_engine("csp_mines.encoders", "clauses")
    return engine
