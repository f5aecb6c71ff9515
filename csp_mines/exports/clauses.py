"""Models as clauses: what is asked of the engine that encodes and refutes them.

Encodings belong to engines. A package offers such an engine in the entry-point group
`csp_mines.encoders`, as the package `csp_mines.solvers` does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from typing import Protocol

from csp_mines.backend import Deadline, load_entry
from csp_mines.errors import BackendUnavailable
from csp_mines.exports.model import Model

__all__ = ["ClauseEngine", "Clauses", "clause_engine"]


@dataclass(frozen=True)
class Clauses:
    """A model as clauses. Variables 1, 2, … are those of the model; the others are helpers.

    `ends[i]` is the number of clauses up to the end of the model's sum `i`. `atmosts` are pairs of
    literals and bounds, which only some solvers take; the encoding `native` makes them."""

    variables: int
    clauses: Sequence[Sequence[int]]
    ends: Sequence[int]
    atmosts: Sequence[tuple[Sequence[int], int]] = ()


class ClauseEngine(Protocol):
    """Encodes models as clauses, and reasons about them."""

    def encodings(self) -> Sequence[str]:
        """Return the names of the encodings. `native` is one if solvers have at-most constraints
        of their own."""

    def encode(self, model: Model, encoding: str, *, native: bool = False) -> Clauses:
        """Encode a model. Raises UnknownName for an unknown encoding, Unsupported for `native`
        unless the caller takes at-most constraints (`native`)."""

    def certain(self, encoded: Clauses, cells: int, deadline: Deadline) -> frozenset[int]:
        """Return the literals of the first `cells` variables that are true in every model. Raises
        Contradiction if there is no model, OutOfTime."""

    def refute(self, encoded: Clauses, deadline: Deadline) -> list[str] | None:
        """Return the lines of a DRAT proof that the clauses have no model. Each line follows from
        the clauses before it by unit propagation (RUP); the last line is the empty clause. None if
        the clauses have a model. Raises OutOfTime."""


@cache
def clause_engine() -> ClauseEngine:
    """Return the installed engine. Raises MissingLibrary, BackendUnavailable."""
    for entry in entry_points(group="csp_mines.encoders"):
        engine: ClauseEngine = load_entry(entry, "the engine that writes clauses")()
        return engine
    raise BackendUnavailable(
        "clauses need an engine, and no installed package offers one in the entry-point group "
        "csp_mines.encoders"
    )
