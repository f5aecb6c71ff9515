"""The analysis of a board: what is certain, how likely a mine is elsewhere, and where to move."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
import numpy.typing as npt

from csp_mines import arguments
from csp_mines.analysis.by_engine import EngineAnalysis, counted, explained
from csp_mines.analysis.by_kernel import (
    Memory,
    RawTerms,
    Terms,
    by_kernel,
    finished,
    many_by_kernel,
)
from csp_mines.analysis.by_sampling import SampledAnalysis
from csp_mines.analysis.contract import Analysis, Status
from csp_mines.analysis.move import DEFAULT_RULE, Move, check_rule
from csp_mines.backend import (
    DEFAULT_BACKEND,
    DEFAULT_MAX_MEMORY,
    DEFAULT_MAX_STATES,
    Backend,
    Deadline,
    Deduction,
    backend_class,
    backend_name,
    default_kernel,
    limits,
    load,
)
from csp_mines.board import Board
from csp_mines.clues import ClueModel
from csp_mines.constraints import Frontier, Problem
from csp_mines.errors import (
    Contradiction,
    CspMinesError,
    InputError,
    OutOfTime,
    TooWide,
    Unsupported,
)
from csp_mines.machine import usable_cores
from csp_mines.sampling import SAMPLING, Budget
from csp_mines.words import plural

__all__ = [
    "Analysis",
    "Budget",
    "Memory",
    "Move",
    "Status",
    "analyze",
    "analyze_many",
]

PROVER = "pysat"  # finds all that is certain without counting
LARGE_PROVER = (
    "pysat:cadical195"  # four times as fast where the frontier is LARGE, slower elsewhere
)
LARGE = 50_000  # constraints
QUICK_PROVER = "subtraction"  # where a complete one has no time
TOTAL_SECONDS = 10.0  # for proofs by the total, which may take for ever, unless a time is given
START_SECONDS = 10.0  # for layouts to start from, likewise
SHARES = 4  # of the time allowed: for counting, proofs, layouts to start from, and estimates
BOUNDS_PROVER = "cpsat"  # where clues are bounds, PROVER's solver may search for minutes
MOST_THREADS = 256
CHEAP_STATES = 20_000  # counting no more than these takes no longer than asking a SAT solver


def analyze(
    board: Board | npt.ArrayLike,
    mines: int | None = None,
    *,
    density: float | Fraction | str | None = None,
    clues: str | ClueModel | None = None,
    backend: str = DEFAULT_BACKEND,
    counter: str | None = None,
    use_total: bool = True,
    max_states: int = DEFAULT_MAX_STATES,
    max_memory: int = DEFAULT_MAX_MEMORY,
    seconds: float | None = None,
    memory: Memory | None = None,
    counting: bool = True,
    approximate: float | Budget | None = None,
    notice: Callable[[str], None] | None = None,
    move: str = DEFAULT_RULE,
) -> Analysis:
    """Analyses a board, or an array of integers (-1 hidden, 0 to 8 clues).

    The prior is `mines` in all, or a `density`, or what the board says; without any, all layouts
    that fit are alike. `backend` deduces, and counts where it can; `counter` names another engine
    to count with, or `sampling`, which estimates risks within `approximate` and counts nothing.
    (`native` is the compiled kernel where there is one; `native:pure` never is.)
    Without `use_total` nothing is concluded from the number of mines. A `memory` that is given
    again for the next position of a game saves counting what did not change.

    With `approximate`, seconds or a `Budget` with a seed, a board too wide to count is no error:
    what is certain is proved by SAT, and risks are estimated (`exact` is then False, and
    there are `standard_errors`). `complete` is False when proofs took longer than their share of
    `seconds`. Without `counting` only what is certain is wanted, and nothing is counted (by
    `native`, nothing that SAT decides faster). `notice` hears of going another way.
    `move` is the rule of moves: a player's name, or `safest` (see `csp_mines.analysis.move`).

    Raises BoardError for input that is no board, Contradiction when no layout fits, TooWide when
    counting would need more than `max_memory` bytes or `max_states` states, OutOfTime when it takes
    longer than `seconds` (see `Backend`), InputError, EngineFault, Unsupported, UnknownName,
    MissingLibrary."""
    rule = move if move == DEFAULT_RULE else check_rule(arguments.text(move, "move"))
    if seconds is not None or max_states != DEFAULT_MAX_STATES or max_memory != DEFAULT_MAX_MEMORY:
        max_states, max_memory, seconds = limits(max_states, max_memory, seconds)
    if memory is not None or notice is not None:
        _check_helpers(memory, notice)
    terms: RawTerms = (mines, density, clues, use_total, max_states, max_memory, seconds, rule)
    if counter == SAMPLING:
        return _by_sampling(board, Terms._make(terms), backend, _budget(approximate))
    if not counting or approximate is not None:
        bounds = _budget(approximate), counting, notice
        return _within(bounds, board, terms, backend, counter, memory)
    return _exactly(board, terms, backend, counter, memory)


def _check_helpers(memory: Memory | None, notice: Callable[[str], None] | None) -> None:
    """Raises InputError."""
    if memory is not None:
        arguments.instance(memory, Memory, "memory")
    arguments.callback(notice, "notice")


def _within(
    bounds: tuple[Budget, bool, Callable[[str], None] | None],
    board: Board | npt.ArrayLike,
    terms: RawTerms,
    backend: str,
    counter: str | None,
    memory: Memory | None,
) -> Analysis:
    """The analysis where counting may be given up or is not wanted: within a budget, with counting
    or without, and who hears of going another way."""
    budget, counting, notice = bounds
    if not counting:
        _check_deduces(backend)
        if backend == DEFAULT_BACKEND:
            terms = (*terms[:4], min(terms[4], CHEAP_STATES), *terms[5:])
    told = Terms._make(terms)
    estimating = budget.seconds > 0 and not _has_to_count(backend, counter)
    if told.seconds is not None and estimating:
        told = told._replace(seconds=told.seconds / SHARES)
        budget = replace(budget, seconds=min(budget.seconds, told.seconds or 0.0))
    try:
        found = _exactly(board, told, backend, counter, memory)
        if counting and backend != DEFAULT_BACKEND:
            _ = found.probabilities  # an engine counts when it is asked
        return found
    except (TooWide, OutOfTime) as reason:
        wanted = estimating or (backend == DEFAULT_BACKEND and isinstance(reason, TooWide))
        if not wanted:
            raise
        prover = None if backend == DEFAULT_BACKEND else backend
        if notice is not None:
            way = f"proving what is certain by {'SAT' if prover is None else prover}"
            notice(f"{reason.what.partition(':')[0]}: {way}")
        return _by_proof(board, told, budget, reason, prover)


def _has_to_count(backend: str, counter: str | None) -> bool:
    """Whether the caller names an engine, other than the default one, to count and nothing else."""
    if backend == DEFAULT_BACKEND:
        return counter not in (None, DEFAULT_BACKEND)
    return counter is not None or backend_class(backend_name(backend)).only_counts


def _check_deduces(backend: str) -> None:
    """Raises Unsupported for an engine that can only count and is not to. The default one need not:
    what takes long to count is left to SAT."""
    if backend != DEFAULT_BACKEND and backend_class(backend_name(backend)).only_counts:
        raise Unsupported(
            f"backend {backend!r} deduces by counting alone; where only deductions are asked for, "
            f"take {DEFAULT_BACKEND!r} or {PROVER!r}"
        )


def _budget(approximate: float | Budget | None) -> Budget:
    """Raises InputError for what is neither a time nor a budget."""
    if isinstance(approximate, Budget):
        return approximate
    expected = "a finite number of seconds, 0 or more, or a Budget"
    given = 0.0 if approximate is None else approximate
    return Budget(arguments.number(given, "approximate", expected, lambda time: 0 <= time < inf))


def _exactly(
    board: Board | npt.ArrayLike,
    terms: RawTerms,
    backend: str,
    counter: str | None,
    memory: Memory | None,
) -> Analysis:
    """The analysis by the kernel where it serves, else by engines."""
    if backend == DEFAULT_BACKEND and (counter is None or counter == DEFAULT_BACKEND):
        kernel = default_kernel()
        if kernel is not None:
            found = by_kernel(kernel, board, terms, memory)
            if found is not None:
                return found
    mines, density, clues, use_total, max_states, max_memory, seconds, rule = terms
    frontier = Frontier.of(board, mines=mines, density=density, clues=clues)
    problem = frontier.problem.told(use_total)
    engine = load(backend, max_states=max_states, max_memory=max_memory, seconds=seconds)
    counting = _counter(engine, counter)
    try:
        if engine is counting and not engine.simplifies_fully():
            return counted(frontier, problem, engine, rule)
        deduced = engine.deduce(problem)
        return EngineAnalysis(frontier, problem, engine, counting, deduced, rule=rule)
    except Contradiction as error:
        raise explained(error, frontier) from None


def _by_proof(
    board: Board | npt.ArrayLike,
    terms: Terms,
    budget: Budget,
    reason: TooWide | OutOfTime | None,
    prover: str | None = None,
) -> Analysis:
    """What is certain by a prover, by SAT if none is named, and risks by sampling when they are
    asked for."""
    frontier = _frontier(board, terms)
    problem = frontier.problem.told(terms.use_total)
    prover = prover or _prover(problem, terms.seconds)
    try:
        proved, complete = _prove(problem, prover, terms.seconds)
    except Contradiction as error:
        raise explained(error, frontier) from None
    counted = None
    if isinstance(reason, TooWide) and reason.counted is not None:
        counted = reason.counted.ravel()
        safe, mined = (np.flatnonzero(counted == share).tolist() for share in (0.0, 1.0))
        proved |= Deduction(frozenset(safe), frozenset(mined))
    return SampledAnalysis(
        frontier, problem, load(prover, seconds=terms.seconds or START_SECONDS), proved,
        default_kernel(), budget, reason, terms.rule, complete=complete, counted=counted,
    )  # fmt: skip


def _prover(problem: Problem, seconds: float | None) -> str:
    if len(problem.constraints) > LARGE and seconds is None:
        return LARGE_PROVER
    bounds = any(constraint.low != constraint.high for constraint in problem.constraints)
    return BOUNDS_PROVER if bounds else PROVER


def _prove(problem: Problem, prover: str, seconds: float | None) -> tuple[Deduction, bool]:
    """What is certain, and whether that is all of it. What follows without the total comes first:
    it takes little. Raises Contradiction."""
    deadline = Deadline(seconds)
    try:
        proved = load(prover, seconds=seconds).deduce(problem.without_total())
    except OutOfTime:
        return load(QUICK_PROVER).deduce(problem), False
    if problem.mines is None:
        return proved, True
    left = TOTAL_SECONDS if seconds is None else max(0.0, deadline.left)
    rest = problem.given(proved.safe, proved.mines)
    try:
        return proved | load(prover, seconds=left).deduce(rest), True
    except OutOfTime:
        return proved | load(QUICK_PROVER).deduce(rest), False


def _by_sampling(
    board: Board | npt.ArrayLike, terms: Terms, backend: str, budget: Budget
) -> Analysis:
    """What an engine proves, and estimated risks, without trying to count."""
    if backend == DEFAULT_BACKEND:
        return _by_proof(board, terms, budget, None)
    frontier = _frontier(board, terms)
    problem = frontier.problem.told(terms.use_total)
    engine = load(
        backend,
        max_states=terms.max_states,
        max_memory=terms.max_memory,
        seconds=terms.seconds,
    )
    try:
        proved = engine.deduce(problem)
    except Contradiction as error:
        raise explained(error, frontier) from None
    return SampledAnalysis(
        frontier, problem, engine, proved, default_kernel(), budget, None, terms.rule
    )


def _frontier(board: Board | npt.ArrayLike, terms: Terms) -> Frontier:
    return Frontier.of(board, mines=terms.mines, density=terms.density, clues=terms.clues)


def analyze_many(
    boards: Iterable[Board | npt.ArrayLike],
    mines: int | Sequence[int | None] | None = None,
    *,
    density: float | Fraction | str | None = None,
    clues: str | ClueModel | None = None,
    max_states: int = DEFAULT_MAX_STATES,
    max_memory: int = DEFAULT_MAX_MEMORY,
    seconds: float | None = None,
    workers: int | None = None,
) -> list[Analysis]:
    """Analyses many boards with the default backend, on `workers` threads (all cores) where there
    is a compiled kernel. `mines` is one number for all or one for each.

    Raises what `analyze` raises, for the first board that makes it raise, and InputError when
    `mines` are not as many as the boards."""
    listed = _as_boards(boards)
    totals = _totals(mines, len(listed))
    max_states, max_memory, seconds = limits(max_states, max_memory, seconds)
    each: list[RawTerms] = [
        (total, density, clues, True, max_states, max_memory, seconds, DEFAULT_RULE)
        for total in totals
    ]
    kernel = default_kernel()
    threads = _threads(workers)
    found = None
    if kernel is not None and threads > 1:  # one has nothing to share: board by board is as quick
        found = many_by_kernel(kernel, listed, each, threads)
    done: list[Analysis] = []
    for number, board in enumerate(listed):
        try:
            if found is not None and finished(found[number]):
                done.append(found[number])
                continue
            alone = _exactly(board, each[number], DEFAULT_BACKEND, None, None)
        except Contradiction as error:
            raise Contradiction(f"board {number}: {error.message}", find=error.find) from None
        except CspMinesError as error:
            error.add_note(f"board {number}")
            raise
        done.append(alone)
    return done


def _as_boards(boards: Iterable[Board | npt.ArrayLike]) -> list[Board | npt.NDArray[Any]]:
    """What are neither boards nor arrays as boards. Raises BoardError."""
    listed: list[Board | npt.NDArray[Any]] = []
    for number, board in enumerate(arguments.several(boards, "boards", "boards")):
        try:
            listed.append(board if isinstance(board, (Board, np.ndarray)) else Board(board))
        except CspMinesError as error:
            error.add_note(f"board {number}")
            raise
    return listed


def _totals(mines: int | Sequence[int | None] | None, boards: int) -> list[int | None]:
    if not isinstance(mines, Iterable):
        return [mines] * boards
    totals = arguments.several(mines, "mines", "numbers")
    if len(totals) != boards:
        raise InputError(f"{plural(boards, 'board')}, but {plural(len(totals), 'number')} of mines")
    return totals


def _threads(workers: int | None) -> int:
    """As many as there are cores unless somebody says; more than MOST_THREADS are of no use."""
    if workers is None:
        return usable_cores()
    return min(arguments.whole(workers, "workers", 1), MOST_THREADS)


def _counter(engine: Backend, counter: str | None) -> Backend:
    """The engine itself when it counts and no other was asked for."""
    bounds: dict[str, Any] = {
        "max_states": engine.max_states,
        "max_memory": engine.max_memory,
        "seconds": engine.seconds,
    }
    if counter is None or counter == engine.name:
        return engine if engine.counts else load(DEFAULT_BACKEND, **bounds)
    chosen = load(arguments.text(counter, "counter"), **bounds)
    if not chosen.counts:
        raise Unsupported(f"backend {counter!r} cannot count")
    return chosen
