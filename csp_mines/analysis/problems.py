"""The analysis of problems (`analyze_problem`) and their conflicts (`find_problem_conflict`).

A problem has constraints, but no board. The cells of a `Problem` are integers. The cells of a
`NamedProblem` have names."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, overload

from csp_mines import defaults
from csp_mines.analysis.clue_sets import core_engine
from csp_mines.analysis.contract import Status, digits, spelled
from csp_mines.analysis.effort import Effort, effort_of
from csp_mines.arguments import instance, looked_up, whole, wrong
from csp_mines.backend import Backend, Deadline, cannot_count, load
from csp_mines.constraints import Constraint, Problem
from csp_mines.counting import Posterior, count_by
from csp_mines.errors import InputError, OutOfTime
from csp_mines.formats.named_problem import NamedProblem
from csp_mines.words import plural

# Beyond these limits, `find_problem_conflict` gives up.
MOST_CONSTRAINTS = 2_000
CONFLICT_SECONDS = 0.5  # the time to decide whether the problem has a solution
MOST_TOTAL = 600  # the number of cells of a problem with a total


@dataclass(frozen=True, repr=False)
class ProblemAnalysis:
    """The answer about a problem: the cells that are safe in every solution, the cells that are
    mines in every solution, and the probability of a mine at every cell. All numbers are exact.

    >>> problem = csp_mines.Problem([csp_mines.Constraint((0, 1, 2), 1, 1)])
    >>> csp_mines.analyze_problem(problem).probability(0)
    Fraction(1, 3)
    """

    problem: Problem
    posterior: Posterior  # the result of counting
    engine: Backend

    @cached_property
    def effort(self) -> Effort:
        """How hard the problem was: measures of its constraints, and counters of the engine. Raises
        OutOfTime if the measures take too long to compute."""
        return effort_of(self.problem, self.posterior.known, self.engine, self.posterior)

    @cached_property
    def safe(self) -> frozenset[int]:
        """The cells that are a mine in no solution."""
        return self.posterior.certain().safe

    @cached_property
    def mines(self) -> frozenset[int]:
        """The cells that are a mine in every solution."""
        return self.posterior.certain().mines

    @property
    def solutions(self) -> int:
        """The number of solutions; if constraints have weights, the sum of the weights of all
        solutions. The weight of a solution is a product with one factor for each constraint that
        has `weights`: the factor is `weights[m]` if the constraint has `m` mines in the solution.
        The odds of a mine are not a factor."""
        return self.posterior.solutions

    def probability(self, cell: int) -> Fraction:
        """Return the probability of a mine at a cell. Raises InputError if the problem does not
        have the cell."""
        cell = whole(cell, "cell")
        if cell not in self._cells:
            raise InputError(
                f"the problem has no cell {cell}: neither a constraint nor the sea has it"
            )
        return self.posterior.probability(cell)

    @cached_property
    def _cells(self) -> frozenset[int]:
        return frozenset(self.problem.cells)

    @property
    def probabilities(self) -> dict[int, Fraction]:
        """The probability of a mine at every cell. The cells are in ascending order."""
        return {cell: self.probability(cell) for cell in sorted(self._cells)}

    def __repr__(self) -> str:
        proved = f"{len(self.safe)} safe, {plural(len(self.mines), 'mine')}"
        return f"<ProblemAnalysis of {plural(len(self._cells), 'cell')}: {proved}>"


@dataclass(frozen=True, repr=False)
class NamedAnalysis:
    """The answer about a problem with named cells. All numbers are exact.

    >>> problem = csp_mines.parse_problem("+1 x1 +1 x2 = 1;\\n+1 x1 = 0;")
    >>> analysis = csp_mines.analyze_problem(problem)
    >>> analysis.safe, analysis.mines
    (frozenset({'x1'}), frozenset({'x2'}))
    """

    named: NamedProblem
    analysis: ProblemAnalysis
    backend: str

    @cached_property
    def safe(self) -> frozenset[str]:
        """The cells that are a mine in no solution."""
        return self._named(self.analysis.safe)

    @cached_property
    def mines(self) -> frozenset[str]:
        """The cells that are a mine in every solution."""
        return self._named(self.analysis.mines)

    @property
    def solutions(self) -> int:
        """The number of solutions; if constraints have weights, the sum of the weights of all
        solutions."""
        return self.analysis.solutions

    @cached_property
    def probabilities(self) -> dict[str, Fraction]:
        """The probability of a mine at every cell, by the name of the cell. The cells are in the
        order of their numbers in `named.names`."""
        return {
            name: self.analysis.probability(cell) for cell, name in sorted(self.named.names.items())
        }

    def probability(self, name: str) -> Fraction:
        """Return the probability of a mine at the cell with this name. Raises UnknownName if no
        cell has this name."""
        return looked_up("cell", name, self.probabilities)

    @property
    def status(self) -> Status:
        """`progress` if at least one cell is certain, else `guess`."""
        return Status.PROGRESS if self.safe or self.mines else Status.GUESS

    def _named(self, cells: frozenset[int]) -> frozenset[str]:
        return frozenset(name for cell, name in self.named.names.items() if cell in cells)

    def __repr__(self) -> str:
        proved = f"{len(self.safe)} safe, {plural(len(self.mines), 'mine')}"
        return f"<NamedAnalysis of {plural(len(self.named.names), 'cell')}: {proved}>"

    def to_json(
        self, *, exact: bool = False, effort: bool = False, seconds: float | None = None
    ) -> dict[str, Any]:
        """Return the document of `solve --problem --json`. `exact` adds the field `fractions`: the
        probabilities as texts such as `1/3`. `effort` adds the field `effort`. `seconds` is the
        time that the command took; it becomes the last field."""
        document: dict[str, Any] = {
            **_problem_header(self.named, self.backend),
            "status": self.status,
            "safe": [name for name in self.probabilities if name in self.safe],
            "certain_mines": [name for name in self.probabilities if name in self.mines],
            "probabilities": {name: float(risk) for name, risk in self.probabilities.items()},
            "solutions": digits(self.solutions),
        }
        if exact:
            document["fractions"] = {
                name: spelled(risk) for name, risk in self.probabilities.items()
            }
        if effort:
            document["effort"] = self.analysis.effort.to_json()
        document["seconds"] = seconds
        return document


def _problem_header(named: NamedProblem, backend: str) -> dict[str, Any]:
    return {
        "cells": len(named.names),
        "constraints": len(named.labels),
        "mines": named.problem.mines,
        "backend": backend,
    }


def refuted_json(
    named: NamedProblem,
    backend: str,
    conflict: tuple[str, ...] | None,
    seconds: float | None = None,
) -> dict[str, Any]:
    """Return the document of `solve --problem --json` for a problem without solutions. `conflict`
    is what `find_problem_conflict` returned."""
    return {
        **_problem_header(named, backend),
        "status": Status.CONTRADICTION,
        "conflict": None if conflict is None else list(conflict),
        "seconds": seconds,
    }


@overload
def analyze_problem(
    problem: Problem,
    backend: str = ...,
    *,
    max_states: int = ...,
    max_memory: int = ...,
    seconds: float | None = ...,
) -> ProblemAnalysis: ...
@overload
def analyze_problem(
    problem: NamedProblem,
    backend: str = ...,
    *,
    max_states: int = ...,
    max_memory: int = ...,
    seconds: float | None = ...,
) -> NamedAnalysis: ...


def analyze_problem(
    problem: Problem | NamedProblem,
    backend: str = defaults.BACKEND,
    *,
    max_states: int = defaults.MAX_STATES,
    max_memory: int = defaults.MAX_MEMORY,
    seconds: float | None = None,
) -> ProblemAnalysis | NamedAnalysis:
    """Analyse a problem with an engine that counts. Return a `ProblemAnalysis` for a `Problem`, and
    a `NamedAnalysis` for a `NamedProblem`.

    Parameters:
        problem: a `Problem`, or a `NamedProblem` such as `read_problem` returns.
        backend: the engine. It must be able to count.
        max_states, max_memory, seconds: the limits of counting, as in `analyze`.

    Raises InputError for an invalid argument, Contradiction if the problem has no solution (see
    `find_problem_conflict`), TooWide or OutOfTime at a limit, Unsupported if the backend cannot
    count, UnknownName for an unknown backend, MissingLibrary if the library of the backend is not
    installed, EngineFault if the engine contradicts itself.

    >>> problem = csp_mines.Problem([csp_mines.Constraint((0, 1, 2), 1, 1)])
    >>> csp_mines.analyze_problem(problem).solutions
    3
    """
    engine = load(backend, max_states=max_states, max_memory=max_memory, seconds=seconds)
    if not engine.counts:
        raise cannot_count(backend)
    bare = problem.problem if isinstance(problem, NamedProblem) else problem
    if not isinstance(bare, Problem):
        raise wrong("problem", "a Problem or a NamedProblem", problem)
    analysis = ProblemAnalysis(bare, count_by(engine, bare), engine)
    if isinstance(problem, NamedProblem):
        return NamedAnalysis(problem, analysis, engine.name)
    return analysis


def find_problem_conflict(problem: NamedProblem) -> tuple[str, ...] | None:
    """Return the labels of a minimal set of constraints that contradict each other; None if no such
    set is found. If any one constraint of the set is left out, the others have a solution. The
    label `the total` stands for the number of mines.

    Only the bounds of the constraints are used. So the result is None if the bounds alone have a
    solution, even if weights of 0 exclude every solution. The result is also None in three cases in
    which the search may take very long:

    * The problem has a total, more than 600 cells and no opposites (`~`).
    * The problem has more than 2,000 constraints, with the total as one of them, and no constraint
      is impossible by itself.
    * A solver needs more than half a second to decide whether the problem has a solution.

    Parameters:
        problem: what `parse_problem` or `read_problem` returned.

    Raises InputError if `problem` is not a NamedProblem.

    >>> problem = csp_mines.parse_problem("+1 x1 +1 x2 = 1;\\n+1 x1 = 0;\\n+1 x2 = 0;")
    >>> csp_mines.find_problem_conflict(problem)
    ('line 1', 'line 2', 'line 3')
    """
    instance(problem, NamedProblem, "problem")
    bare, told = problem.problem, list(problem.constraints)
    labels = [*problem.labels]
    if bare.mines is not None:
        cells = (*bare.frontier, *bare.sea)
        if len(cells) > MOST_TOTAL:
            return None
        told.append(Constraint(tuple(sorted(cells)), bare.mines, bare.mines))
        labels.append("the total")
    for label, constraint in zip(labels, told, strict=True):
        if constraint.impossible:
            return (label,)
    if len(told) > MOST_CONSTRAINTS:
        return None
    ties = bare.constraints[len(problem.labels) :]
    try:
        if core_engine().model([*told, *ties], Deadline(CONFLICT_SECONDS)) is not None:
            return None
    except OutOfTime:
        return None
    core = core_engine().minimal(told, ties)
    return None if core is None else tuple(labels[place] for place in core)
