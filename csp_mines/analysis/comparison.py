"""Comparisons: what several engines prove on one board, and how long each engine takes.

`summed_up` adds up the comparisons of several boards. In the docstrings here, "complete engine"
means a complete engine that does not compute in floating point."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy.typing as npt

from csp_mines.analysis.analyze import Analysis
from csp_mines.analysis.conflict import explained
from csp_mines.analysis.contract import size_header
from csp_mines.analysis.grades import Difficulty, Grade, as_frontier, grade_board
from csp_mines.arguments import callback, several, text
from csp_mines.backend import Backend, Deduction, available_backends, load
from csp_mines.board import Board, Cell, Pictured
from csp_mines.constraints import Frontier, Problem
from csp_mines.errors import (
    Contradiction,
    Disagreement,
    EngineFault,
    GaveUp,
    InputError,
    OutOfTime,
    TooWide,
)
from csp_mines.words import plural


@dataclass(frozen=True)
class Entry:
    """The answer of one engine for a board. `share` is the number of cells that the engine proved,
    divided by the number of certain cells. `share` is None if no cell is certain, or if the number
    of certain cells is unknown because no complete engine answered.

    >>> comparison = csp_mines.compare([[-1, 1, -1, 1, -1]], ["single", "native"], mines=1)
    >>> [(entry.backend, entry.proved, entry.share) for entry in comparison.entries]
    [('single', 0, 0.0), ('native', 3, 1.0)]
    """

    backend: str
    complete: bool
    safe: frozenset[Cell]
    mines: frozenset[Cell]
    share: float | None
    calls: int
    seconds: float
    too_wide: bool = False  # the engine gave up at its limit of states or memory
    out_of_time: bool = False  # the engine gave up at its time limit
    floating_point: bool = False  # the engine computes in floats: its deductions are not proofs
    differs: bool = False  # the deductions, made from floats, differ from a complete engine's
    failed: EngineFault | None = None  # the error that shows a defect of the engine, if any

    @property
    def proved(self) -> int:
        """The number of cells that the engine proved."""
        return len(self.safe) + len(self.mines)

    def to_json(self) -> dict[str, Any]:
        """Return the entry of this engine in `compare --json`."""
        document = vars(self) | {"failed": None if self.failed is None else str(self.failed)}
        document["certain_mines"] = document.pop("mines")
        for name in ("safe", "certain_mines"):
            document[name] = [list(cell) for cell in sorted(document[name])]
        return document


@dataclass(frozen=True, repr=False)
class Comparison(Pictured):
    """The answers of several engines for one board. Each engine has one entry. `certain` is the
    number of certain cells, or None if no complete engine answered.

    >>> comparison = csp_mines.compare([[-1, 1, -1, 1, -1]], ["single", "native"], mines=1)
    >>> comparison.certain, comparison.needed
    (3, {<Grade.TOTAL: 'total'>: 3})
    """

    frontier: Frontier
    use_total: bool
    entries: tuple[Entry, ...]
    certain: int | None

    def __repr__(self) -> str:
        """Return a text such as `<Comparison of 7 engines: 41 certain cells>`."""
        certain = "" if self.certain is None else f": {plural(self.certain, 'certain cell')}"
        return f"<Comparison of {plural(len(self.entries), 'engine')}{certain}>"

    def to_json(self, *, name: str | None = None) -> dict[str, Any]:
        """Return the document of `compare --json`. Its field `difficulty` is the value of `needed`.
        A given `name` becomes the first field, `board`."""
        return {
            **size_header(self.frontier.board, name),
            "use_total": self.use_total,
            "certain": self.certain,
            "difficulty": self.needed,
            "engines": [entry.to_json() for entry in self.entries],
        }

    @property
    def needed(self) -> dict[Grade, int]:
        """For each grade that occurs, the number of certain cells of this grade. Empty if grading
        would take too much time or memory. Also empty if no complete engine answered and at least
        one engine gave up at a limit."""
        if self.certain is None and any(
            entry.out_of_time or entry.too_wide for entry in self.entries
        ):
            return {}
        try:
            return dict(self.difficulty.counts)
        except GaveUp:
            return {}

    @cached_property
    def difficulty(self) -> Difficulty:
        """The grade of each certain cell. Raises what `grade_board` raises."""
        return grade_board(self.frontier.told(self.use_total))


@dataclass(frozen=True)
class Tally:
    """Sums over several boards for one engine: proved cells, calls of a solver and seconds.
    `complete` is False for an engine in floating point, which proves nothing. `whole` is the number
    of boards on which the engine proved every certain cell. A board whose number of certain cells
    is unknown does not count for `whole`, and neither does a board on which the answer of the
    engine differs from the answer of a complete engine."""

    backend: str
    complete: bool
    proved: int
    calls: int
    seconds: float
    whole: int


@dataclass(frozen=True)
class Summary:
    """Sums over the comparisons of several boards, with one tally for each engine. `certain` is the
    number of certain cells, or None if this number is unknown for at least one board.

    >>> from csp_mines.analysis.comparison import summed_up
    >>> comparison = csp_mines.compare([[-1, 1, 0]], ["single", "native"])
    >>> summary = summed_up([comparison, comparison])
    >>> [(tally.backend, tally.proved) for tally in summary.tallies]
    [('single', 2), ('native', 2)]
    """

    boards: int
    certain: int | None
    tallies: tuple[Tally, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the document that `compare --json` prints last if there are several boards."""
        return {
            "boards": self.boards,
            "certain": self.certain,
            "total": [asdict(tally) for tally in self.tallies],
        }


def summed_up(comparisons: Sequence[Comparison]) -> Summary:
    """Return the sums over one or more comparisons. Raises InputError if `comparisons` is empty, or
    if the comparisons do not all have the same engines in the same order."""
    engines = [
        [(entry.backend, entry.complete) for entry in comparison.entries]
        for comparison in comparisons
    ]
    if not engines or any(other != engines[0] for other in engines):
        raise InputError(
            "give one or more comparisons, all with the same engines in the same order"
        )
    columns = list(zip(*(comparison.entries for comparison in comparisons), strict=True))
    known = [comparison.certain for comparison in comparisons if comparison.certain is not None]
    return Summary(
        len(comparisons),
        sum(known) if len(known) == len(comparisons) else None,
        tuple(
            Tally(
                column[0].backend,
                column[0].complete and not column[0].floating_point,
                sum(entry.proved for entry in column),
                sum(entry.calls for entry in column),
                sum(entry.seconds for entry in column),
                sum(
                    entry.proved == comparison.certain and not entry.differs
                    for comparison, entry in zip(comparisons, column, strict=True)
                ),
            )
            for column in columns
        ),
    )


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

    * `board`: a board, an array of integers, or the analysis or the frontier of a board.
    * `backends`: the names of the backends. By default, or if empty, all available backends.
    * `mines`: the total number of mines. By default the board's own number.
    * `use_total`: if False, the total is not used.
    * `seconds`: the time limit of each backend.
    * `progress`: a function that gets the comparison of the backends that have finished.
      `compare` first calls this function when a complete backend has answered, then after each
      further backend.

    The deductions of an engine that computes in floating point are not proofs. If these deductions
    differ from the deductions of a complete engine, `differs` is True in the entry of the engine.
    An engine that fails or gives up at a limit does not end the comparison. Its entry has the error
    as `failed`, or True as `too_wide` or `out_of_time`.

    Raises BoardError for an invalid board, Contradiction if no layout fits. Raises InputError if a
    backend is named twice, and if `mines` is given together with an analysis or a frontier. Raises
    what `load` raises for an unknown or unavailable backend, such as UnknownName or MissingLibrary.
    Raises Disagreement if an engine proves a cell that a complete engine does not prove, or if
    engines contradict each other about whether a layout fits.

    >>> csp_mines.compare([[-1, 1, -1, 1, -1]], ["single", "native"], mines=1)
    <Comparison of 2 engines: 3 certain cells>
    """
    given = [] if backends is None else several(backends, "backends", "names of engines")
    names = [text(name, "the name of a backend") for name in given] or available_backends()
    for place, name in enumerate(names):
        if name in names[:place]:
            raise InputError(f"backend {name!r} is named twice; name each backend once")
    if isinstance(board, Analysis) and not board._question.use_total:
        use_total = False
    frontier = as_frontier(board, mines).told(use_total)
    problem = frontier.problem
    runs: list[_Run] = []
    callback(progress, "progress")
    # All are loaded first, so that a wrong name does not cost the work of the engines before it.
    engines = [load(name, seconds=seconds, floating_point=True) for name in names]
    for name, engine in zip(names, engines, strict=True):
        runs.append(_run(name, engine, problem))
        answered = any(
            isinstance(run.answer, Deduction)
            and run.engine.complete
            and not run.engine.floating_point
            for run in runs
        )
        if progress is not None and answered:
            progress(_compared(runs, frontier, use_total))
    return _compared(runs, frontier, use_total)


@dataclass(frozen=True)
class _Run:
    """The answer of one engine: a deduction, or the error that it raised."""

    name: str
    engine: Backend
    answer: Deduction | Contradiction | GaveUp | EngineFault
    seconds: float

    @property
    def deduction(self) -> Deduction:
        return self.answer if isinstance(self.answer, Deduction) else Deduction()


def _run(name: str, engine: Backend, problem: Problem) -> _Run:
    begin = time.perf_counter()
    answer: Deduction | Contradiction | GaveUp | EngineFault
    try:
        answer = engine.deduce(problem)
    except (Contradiction, GaveUp, EngineFault) as error:
        answer = error
    return _Run(name, engine, answer, time.perf_counter() - begin)


def _compared(runs: Sequence[_Run], frontier: Frontier, use_total: bool) -> Comparison:
    """Return the comparison of the answers in `runs`. Raises what `_agreed` raises."""
    answer = _agreed(runs, frontier)
    entries = tuple(_entry(run, answer, frontier) for run in runs)
    certain = None if answer is None else len(answer.cells)
    return Comparison(frontier, use_total, entries, certain)


def _agreed(runs: Sequence[_Run], frontier: Frontier) -> Deduction | None:
    """Return the deduction of a complete engine, or None if no complete engine answered. Raises
    Disagreement if two engines contradict each other, otherwise Contradiction if an engine says
    that no layout fits. The answers of engines that compute in floating point are ignored."""
    answered = [
        run
        for run in runs
        if not isinstance(run.answer, GaveUp | EngineFault) and not run.engine.floating_point
    ]
    refuting = [run for run in answered if isinstance(run.answer, Contradiction)]
    complete = [run for run in answered if run.engine.complete]
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
    """Raise Disagreement if the answers of `run` and `reference` contradict each other. `reference`
    is the run of a complete engine or, if no complete engine answered, of an engine that says that
    no layout fits."""
    refutes = isinstance(run.answer, Contradiction)
    refuted = isinstance(reference.answer, Contradiction)
    if refutes or refuted:
        if refutes != refuted and (run.engine.complete or refutes):
            denier, other = (run, reference) if refutes else (reference, run)
            raise Disagreement(
                f"{denier.name} says that no layout fits, but {other.name} says that one does"
            )
        return
    pairs = zip(("safe", "a mine"), run.deduction, reference.deduction, strict=True)
    for word, proved, certain in pairs:
        for more, less, engine in (
            (proved - certain, reference.name, run.name),
            (certain - proved if run.engine.complete else frozenset(), run.name, reference.name),
        ):
            if more:
                row, col = frontier.cell(min(more))
                raise Disagreement(
                    f"{engine} proves that {row},{col} is {word}, but {less} does not"
                )


def _entry(run: _Run, answer: Deduction | None, frontier: Frontier) -> Entry:
    """Return the entry of a run. `answer` is the deduction of a complete engine, or None if no
    complete engine answered."""
    deduction = run.deduction
    certain = 0 if answer is None else len(answer.cells)
    gave_up = isinstance(run.answer, GaveUp | EngineFault)
    same = gave_up or answer is None or replace(deduction, calls=0) == replace(answer, calls=0)
    return Entry(
        run.name,
        run.engine.complete,
        frontier.cells(deduction.safe),
        frontier.cells(deduction.mines),
        len(deduction.cells) / certain if certain else None,
        deduction.calls,
        run.seconds,
        too_wide=isinstance(run.answer, TooWide),
        out_of_time=isinstance(run.answer, OutOfTime),
        floating_point=run.engine.floating_point,
        differs=run.engine.floating_point and not same,
        failed=run.answer if isinstance(run.answer, EngineFault) else None,
    )
