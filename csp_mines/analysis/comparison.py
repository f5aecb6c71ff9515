"""Engines side by side on one board: what each proves, what it misses, what it costs."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy.typing as npt

from csp_mines.analysis.analyze import Analysis
from csp_mines.analysis.conflict import find_conflict
from csp_mines.analysis.grades import Difficulty, Grade, as_frontier, grade_board
from csp_mines.arguments import several, text
from csp_mines.backend import Deduction, backend_class, backend_names, load
from csp_mines.board import Board, Cell, as_svg
from csp_mines.constraints import Frontier, Problem
from csp_mines.errors import (
    Contradiction,
    Disagreement,
    GaveUp,
    InputError,
    OutOfTime,
    TooWide,
)
from csp_mines.words import plural

__all__ = [
    "Comparison",
    "Disagreement",
    "Entry",
    "Summary",
    "Tally",
    "available_backends",
    "compare",
    "summed_up",
]


@dataclass(frozen=True)
class Entry:
    """What one engine proved on a board. `share` is the part of all certain cells that it found,
    None when no complete engine took part, or nothing is certain."""

    backend: str
    complete: bool
    safe: frozenset[Cell]
    mines: frozenset[Cell]
    share: float | None
    calls: int
    seconds: float
    too_wide: bool = False  # it gave up: counting would have taken too many states
    out_of_time: bool = False  # it gave up: it took too long

    def to_json(self) -> dict[str, Any]:
        return {
            "backend": self.backend,
            "complete": self.complete,
            "safe": [list(cell) for cell in sorted(self.safe)],
            "certain_mines": [list(cell) for cell in sorted(self.mines)],
            "share": self.share,
            "calls": self.calls,
            "seconds": self.seconds,
            "too_wide": self.too_wide,
            "out_of_time": self.out_of_time,
        }


@dataclass(frozen=True, repr=False)
class Comparison:
    """All entries for one board. `certain` counts the complete answer, None when nobody gave it."""

    frontier: Frontier
    use_total: bool
    entries: tuple[Entry, ...]
    certain: int | None

    def __repr__(self) -> str:
        """`<Comparison of 7 engines: 41 certain cells>`."""
        found = "" if self.certain is None else f": {plural(self.certain, 'certain cell')}"
        return f"<Comparison of {plural(len(self.entries), 'engine')}{found}>"

    def _repr_svg_(self) -> str | None:
        return as_svg(self)

    def to_json(self, *, name: str | None = None) -> dict[str, Any]:
        """As `compare --json` gives it; `difficulty` is empty where that is too much to find out,
        and `name` is put first, as `board`."""
        board = self.frontier.board
        return {
            **({} if name is None else {"board": name}),
            "rows": board.rows,
            "cols": board.cols,
            "mines": board.mines,
            "use_total": self.use_total,
            "certain": self.certain,
            "difficulty": self.needed,
            "engines": [entry.to_json() for entry in self.entries],
        }

    @property
    def needed(self) -> dict[Grade, int]:
        """How many certain cells need which reasoning; empty where that is too much to find out."""
        try:
            return dict(self.difficulty.counts)
        except GaveUp:
            return {}

    @cached_property
    def difficulty(self) -> Difficulty:
        """The weakest reasoning that finds each certain cell."""
        told = self.frontier.problem.told(self.use_total)
        return grade_board(replace(self.frontier, problem=told))


@dataclass(frozen=True)
class Tally:
    """One engine over several boards: how many certain cells it found, and what that cost."""

    backend: str
    complete: bool
    found: int
    calls: int
    seconds: float


@dataclass(frozen=True)
class Summary:
    """Comparisons of the same engines on several boards, added up."""

    boards: int
    certain: int | None
    tallies: tuple[Tally, ...]


def summed_up(comparisons: Sequence[Comparison]) -> Summary:
    """Adds up comparisons. Raises InputError unless all have the same engines."""
    engines = [
        [(entry.backend, entry.complete) for entry in comparison.entries]
        for comparison in comparisons
    ]
    if not engines or any(other != engines[0] for other in engines):
        raise InputError("only comparisons of the same engines can be added up")
    columns = list(zip(*(comparison.entries for comparison in comparisons), strict=True))
    known = [comparison.certain for comparison in comparisons if comparison.certain is not None]
    return Summary(
        len(comparisons),
        sum(known) if len(known) == len(comparisons) else None,
        tuple(
            Tally(
                column[0].backend,
                column[0].complete,
                sum(len(entry.safe) + len(entry.mines) for entry in column),
                sum(entry.calls for entry in column),
                sum(entry.seconds for entry in column),
            )
            for column in columns
        ),
    )


def available_backends() -> list[str]:
    """The names of the backends whose libraries are installed."""
    return [name for name in backend_names() if backend_class(name).missing() is None]


def compare(
    board: Board | npt.ArrayLike | Analysis | Frontier,
    backends: Iterable[str] | None = None,
    *,
    mines: int | None = None,
    use_total: bool = True,
    seconds: float | None = None,
) -> Comparison:
    """Lets each backend (all that are available by default) deduce from the same constraints: those
    of a board, of an array of integers, or of what was made of either; for `seconds` at most where
    they are given.

    Raises BoardError, Contradiction when no layout fits, Disagreement when an engine proves what a
    complete one refutes or misses what another complete one proves, InputError for an engine named
    twice, UnknownName, MissingLibrary."""
    given = [] if backends is None else several(backends, "backends", "names of engines")
    names = [text(name, "the name of a backend") for name in given] or available_backends()
    for place, name in enumerate(names):
        if name in names[:place]:
            raise InputError(f"backend {name!r} is named twice")
    frontier = as_frontier(board, mines)
    problem = frontier.problem.told(use_total)
    runs = [_run(name, problem, seconds) for name in names]
    answer = _agreed(runs, frontier)
    certain = None if answer is None else len(answer.safe) + len(answer.mines)
    entries = tuple(_entry(run, certain, frontier) for run in runs)
    return Comparison(frontier, use_total, entries, certain)


@dataclass(frozen=True)
class _Run:
    """One engine's answer, a deduction or the error that it ended with."""

    name: str
    complete: bool
    answer: Deduction | Contradiction | GaveUp
    seconds: float

    @property
    def found(self) -> Deduction:
        return self.answer if isinstance(self.answer, Deduction) else Deduction()


def _run(name: str, problem: Problem, seconds: float | None) -> _Run:
    engine = load(name, seconds=seconds)
    begin = time.perf_counter()
    answer: Deduction | Contradiction | GaveUp
    try:
        answer = engine.deduce(problem)
    except (Contradiction, GaveUp) as error:
        answer = error
    return _Run(name, engine.complete, answer, time.perf_counter() - begin)


def _agreed(runs: Sequence[_Run], frontier: Frontier) -> Deduction | None:
    """The complete answer, None when no complete engine gave one. Raises Contradiction when that
    is the answer, Disagreement when a run cannot be right beside it."""
    answered = [run for run in runs if not isinstance(run.answer, GaveUp)]
    refuting = [run for run in answered if isinstance(run.answer, Contradiction)]
    complete = [run for run in answered if run.complete]
    reference = next(iter(complete or refuting), None)
    if reference is None:
        return None
    for run in answered:
        _check(run, reference, frontier)
    if isinstance(reference.answer, Contradiction):
        raise Contradiction("no layout fits", find=partial(find_conflict, frontier))
    return reference.found


def _check(run: _Run, reference: _Run, frontier: Frontier) -> None:
    """Raises Disagreement unless `run` can stand beside the reference."""
    refutes = isinstance(run.answer, Contradiction)
    refuted = isinstance(reference.answer, Contradiction)
    if refutes or refuted:
        if refutes != refuted and (run.complete or refutes):
            denier, other = (run, reference) if refutes else (reference, run)
            raise Disagreement(
                f"{denier.name} says that no layout fits, {other.name} that one does"
            )
        return
    for word, found, certain in (
        ("safe", run.found.safe, reference.found.safe),
        ("a mine", run.found.mines, reference.found.mines),
    ):
        for more, less, engine in (
            (found - certain, reference.name, run.name),
            (certain - found if run.complete else frozenset(), run.name, reference.name),
        ):
            if more:
                row, col = frontier.cell(min(more))
                raise Disagreement(f"{engine} proves that {row},{col} is {word}, {less} refutes it")


def _entry(run: _Run, certain: int | None, frontier: Frontier) -> Entry:
    found = len(run.found.safe) + len(run.found.mines)
    return Entry(
        run.name,
        run.complete,
        frontier.cells(run.found.safe),
        frontier.cells(run.found.mines),
        found / certain if certain else None,
        run.found.calls,
        run.seconds,
        too_wide=isinstance(run.answer, TooWide),
        out_of_time=isinstance(run.answer, OutOfTime),
    )
