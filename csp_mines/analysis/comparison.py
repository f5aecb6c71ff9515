"""The engines compared on one board: what each proves, what it misses, what it costs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy.typing as npt

from csp_mines.analysis.analyze import Analysis
from csp_mines.analysis.conflict import explained
from csp_mines.analysis.grades import Difficulty, Grade, as_frontier, grade_board
from csp_mines.arguments import callback, several, text
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
    """The deductions of one engine on a board. `share` is the part of all certain cells that the
    engine found. It is None if no complete engine answered, or if no cell is certain."""

    backend: str
    complete: bool
    safe: frozenset[Cell]
    mines: frozenset[Cell]
    share: float | None
    calls: int
    seconds: float
    too_wide: bool = False  # the engine gave up, because counting needed too many states
    out_of_time: bool = False  # the engine gave up, because it took too long
    floating_point: bool = False  # the engine decides in floats: what it finds is no proof
    differs: bool = False  # the engine decides in floats, and proofs of other engines differ

    @property
    def proved(self) -> int:
        """The number of cells that the engine proved."""
        return len(self.safe) + len(self.mines)

    def to_json(self) -> dict[str, Any]:
        return {
            "backend": self.backend,
            "complete": self.complete,
            "floating_point": self.floating_point,
            "differs": self.differs,
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
    """The entries of all engines for one board. `certain` is the number of certain cells, None if
    no complete engine answered."""

    frontier: Frontier
    use_total: bool
    entries: tuple[Entry, ...]
    certain: int | None

    def __repr__(self) -> str:
        """`<Comparison of 7 engines: 41 certain cells>`."""
        certain = "" if self.certain is None else f": {plural(self.certain, 'certain cell')}"
        return f"<Comparison of {plural(len(self.entries), 'engine')}{certain}>"

    def _repr_svg_(self) -> str | None:
        return as_svg(self)

    def to_json(self, *, name: str | None = None) -> dict[str, Any]:
        """Return the document of `compare --json`. `difficulty` is empty if grading takes too much
        time or memory. `name` becomes the first field, `board`."""
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
        """The number of certain cells by grade; empty if grading takes too much time or memory."""
        try:
            return dict(self.difficulty.counts)
        except GaveUp:
            return {}

    @cached_property
    def difficulty(self) -> Difficulty:
        """The grade of each certain cell."""
        return grade_board(self.frontier.told(self.use_total))


@dataclass(frozen=True)
class Tally:
    """The sums of one engine over several boards: cells proved, calls and seconds."""

    backend: str
    complete: bool
    proved: int
    calls: int
    seconds: float


@dataclass(frozen=True)
class Summary:
    """The sum of comparisons of the same engines on several boards."""

    boards: int
    certain: int | None
    tallies: tuple[Tally, ...]


def summed_up(comparisons: Sequence[Comparison]) -> Summary:
    """Add up comparisons. Raises InputError unless all have the same engines."""
    engines = [
        [(entry.backend, entry.complete) for entry in comparison.entries]
        for comparison in comparisons
    ]
    if not engines or any(other != engines[0] for other in engines):
        raise InputError("expected one or more comparisons, all of the same engines")
    columns = list(zip(*(comparison.entries for comparison in comparisons), strict=True))
    known = [comparison.certain for comparison in comparisons if comparison.certain is not None]
    return Summary(
        len(comparisons),
        sum(known) if len(known) == len(comparisons) else None,
        tuple(
            Tally(
                column[0].backend,
                column[0].complete,
                sum(entry.proved for entry in column),
                sum(entry.calls for entry in column),
                sum(entry.seconds for entry in column),
            )
            for column in columns
        ),
    )


def available_backends() -> list[str]:
    """Return the names of the backends whose libraries are installed."""
    return [name for name in backend_names() if backend_class(name).missing() is None]


def compare(
    board: Board | npt.ArrayLike | Analysis | Frontier,
    backends: Iterable[str] | None = None,
    *,
    mines: int | None = None,
    use_total: bool = True,
    seconds: float | None = None,
    progress: Callable[[Comparison], None] | None = None,
) -> Comparison:
    """Let several backends deduce from the same constraints, and compare their answers.

    `board` is a board, an array of integers, or an analysis or frontier of one. `backends` are
    names; the default is every available backend. Each backend gets at most `seconds`. `progress`
    is called with the comparison of the backends that are done, each time that there are more of
    them, from the first complete answer on. What an engine finds that decides in floating point is
    shown, and compared with proofs, but never taken for one.

    Raises BoardError, Contradiction if no layout fits, InputError if a backend is named twice,
    UnknownName, MissingLibrary. Raises Disagreement if an engine proves something that a complete
    engine refutes, or if a complete engine misses something that another complete engine proves.

    >>> csp_mines.compare([[-1, 1, -1, 1, -1]], ["single", "native"], mines=1)
    <Comparison of 2 engines: 3 certain cells>
    """
    given = [] if backends is None else several(backends, "backends", "names of engines")
    names = [text(name, "the name of a backend") for name in given] or available_backends()
    for place, name in enumerate(names):
        if name in names[:place]:
            raise InputError(f"backend {name!r} is named twice")
    frontier = as_frontier(board, mines)
    problem = frontier.problem.told(use_total)
    runs: list[_Run] = []
    callback(progress, "progress")
    for name in names:
        runs.append(_run(name, problem, seconds))
        if progress is not None and _complete_answer(runs) is not None:
            progress(_compared(runs, frontier, use_total))
    return _compared(runs, frontier, use_total)


@dataclass(frozen=True)
class _Run:
    """One engine's answer: a deduction, or the error that it raised."""

    name: str
    complete: bool
    floating_point: bool
    answer: Deduction | Contradiction | GaveUp
    seconds: float

    @property
    def deduction(self) -> Deduction:
        return self.answer if isinstance(self.answer, Deduction) else Deduction()


def _run(name: str, problem: Problem, seconds: float | None) -> _Run:
    engine = load(name, seconds=seconds, floating_point=True)
    begin = time.perf_counter()
    answer: Deduction | Contradiction | GaveUp
    try:
        answer = engine.deduce(problem)
    except (Contradiction, GaveUp) as error:
        answer = error
    seconds = time.perf_counter() - begin
    return _Run(name, engine.complete, engine.floating_point, answer, seconds)


def _complete_answer(runs: Sequence[_Run]) -> Deduction | None:
    """Return the first complete answer, if there is one and it is a deduction."""
    proving = [run for run in runs if run.complete and not run.floating_point]
    return next((run.answer for run in proving if isinstance(run.answer, Deduction)), None)


def _compared(runs: Sequence[_Run], frontier: Frontier, use_total: bool) -> Comparison:
    """Compare the answers. Raises Contradiction, Disagreement."""
    answer = _agreed(runs, frontier)
    entries = tuple(_entry(run, answer, frontier) for run in runs)
    certain = None if answer is None else len(answer.cells)
    return Comparison(frontier, use_total, entries, certain)


def _agreed(runs: Sequence[_Run], frontier: Frontier) -> Deduction | None:
    """Return the complete answer, None if no complete engine gave one. Raises Contradiction if that
    is the answer, Disagreement if a run contradicts it."""
    answered = [
        run for run in runs if not isinstance(run.answer, GaveUp) and not run.floating_point
    ]
    refuting = [run for run in answered if isinstance(run.answer, Contradiction)]
    complete = [run for run in answered if run.complete]
    reference = next(iter(complete or refuting), None)
    if reference is None:
        return None
    for run in answered:
        _check(run, reference, frontier)
    if isinstance(reference.answer, Contradiction):
        with explained(frontier):
            raise Contradiction
    return reference.deduction


def _check(run: _Run, reference: _Run, frontier: Frontier) -> None:
    """Raise Disagreement if `run` contradicts the reference."""
    refutes = isinstance(run.answer, Contradiction)
    refuted = isinstance(reference.answer, Contradiction)
    if refutes or refuted:
        if refutes != refuted and (run.complete or refutes):
            denier, other = (run, reference) if refutes else (reference, run)
            raise Disagreement(
                f"{denier.name} says that no layout fits, but {other.name} says that one does"
            )
        return
    for word, proved, certain in (
        ("safe", run.deduction.safe, reference.deduction.safe),
        ("a mine", run.deduction.mines, reference.deduction.mines),
    ):
        for more, less, engine in (
            (proved - certain, reference.name, run.name),
            (certain - proved if run.complete else frozenset(), run.name, reference.name),
        ):
            if more:
                row, col = frontier.cell(min(more))
                raise Disagreement(
                    f"{engine} proves that {row},{col} is {word}, but {less} does not"
                )


def _entry(run: _Run, answer: Deduction | None, frontier: Frontier) -> Entry:
    """The entry of a run, given the complete answer."""
    deduction = run.deduction
    certain = 0 if answer is None else len(answer.cells)
    gave_up = isinstance(run.answer, GaveUp)
    same = gave_up or answer is None or replace(deduction, calls=0) == replace(answer, calls=0)
    return Entry(
        run.name,
        run.complete,
        frontier.cells(deduction.safe),
        frontier.cells(deduction.mines),
        len(deduction.cells) / certain if certain else None,
        deduction.calls,
        run.seconds,
        too_wide=isinstance(run.answer, TooWide),
        out_of_time=isinstance(run.answer, OutOfTime),
        floating_point=run.floating_point,
        differs=run.floating_point and not same,
    )
