"""The analysis of a board: what is certain, how likely a mine is elsewhere, and where to move."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from math import inf
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from csp_mines import arguments, defaults
from csp_mines.analysis.by_engine import by_engine, explained
from csp_mines.analysis.by_sampling import SampledAnalysis
from csp_mines.analysis.contract import Analysis, Status
from csp_mines.analysis.move import Move, check_rule
from csp_mines.backend import (
    Deadline,
    Deduction,
    backend_class,
    backend_name,
    default_engine,
    load,
)
from csp_mines.board import Board
from csp_mines.clues import ClueModel
from csp_mines.constraints import Frontier, Problem
from csp_mines.defaults import MOVE_RULE
from csp_mines.errors import (
    Contradiction,
    CspMinesError,
    InputError,
    OutOfTime,
    TooWide,
    Unsupported,
)
from csp_mines.machine import usable_cores
from csp_mines.question import Question, ask
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


Result = TypeVar("Result")


class Memory:
    """What one game's analyses have counted, for the next ones; give it to `analyze`. Bounded by
    `max_bytes`. It changes how long an analysis takes, nothing else, and holds nothing where the
    engine keeps nothing."""

    def __init__(self, max_bytes: int = 64 << 20) -> None:
        """Raises InputError for what is no number of bytes."""
        self.held = default_engine().memory(arguments.whole(max_bytes, "max_bytes", 0, 1 << 48))

    def __len__(self) -> int:
        return 0 if self.held is None else len(self.held)

    def __repr__(self) -> str:
        return f"<Memory of {plural(len(self), 'region')}>"


def analyze(
    board: Board | npt.ArrayLike,
    mines: int | None = None,
    *,
    density: float | Fraction | str | None = None,
    clues: str | ClueModel | None = None,
    backend: str = defaults.BACKEND,
    counter: str | None = None,
    use_total: bool = True,
    max_states: int = defaults.MAX_STATES,
    max_memory: int = defaults.MAX_MEMORY,
    seconds: float | None = None,
    memory: Memory | None = None,
    counting: bool = True,
    approximate: float | Budget | None = None,
    notice: Callable[[str], None] | None = None,
    move: str = defaults.MOVE_RULE,
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
    rule = move if move == MOVE_RULE else check_rule(arguments.text(move, "move"))
    question = ask(board, mines, density, clues, use_total, max_states, max_memory, seconds, rule)
    if memory is not None or notice is not None:
        _check_helpers(memory, notice)
    if counter == SAMPLING:
        return _by_sampling(question, backend, _budget(approximate))
    if not counting or approximate is not None:
        bounds = _budget(approximate), counting, notice
        return _within(bounds, question, backend, counter, memory)
    return _exactly(question, backend, counter, memory)


def _check_helpers(memory: Memory | None, notice: Callable[[str], None] | None) -> None:
    """Raises InputError."""
    if memory is not None:
        arguments.instance(memory, Memory, "memory")
    arguments.callback(notice, "notice")


def _within(
    bounds: tuple[Budget, bool, Callable[[str], None] | None],
    question: Question,
    backend: str,
    counter: str | None,
    memory: Memory | None,
) -> Analysis:
    """The analysis where counting may be given up or is not wanted: within a budget, with counting
    or without, and who hears of going another way."""
    budget, counting, notice = bounds
    if not counting:
        _check_deduces(backend)
        if backend == defaults.BACKEND:
            question = question._replace(max_states=min(question.max_states, CHEAP_STATES))
    estimating = budget.seconds > 0 and not _has_to_count(backend, counter)
    if question.seconds is not None and estimating:
        share = question.seconds / SHARES
        question = question._replace(seconds=share)
        budget = replace(budget, seconds=min(budget.seconds, share))
    try:
        found = _exactly(question, backend, counter, memory)
        if counting and backend != defaults.BACKEND:
            _ = found.probabilities  # an engine counts when it is asked
        return found
    except (TooWide, OutOfTime) as reason:
        wanted = estimating or (backend == defaults.BACKEND and isinstance(reason, TooWide))
        if not wanted:
            raise
        prover = None if backend == defaults.BACKEND else backend
        if notice is not None:
            way = f"proving what is certain by {'SAT' if prover is None else prover}"
            notice(f"{reason.what.partition(':')[0]}: {way}")
        return _by_proof(question, budget, reason, prover)


def _has_to_count(backend: str, counter: str | None) -> bool:
    """Whether the caller names an engine, other than the default one, to count and nothing else."""
    if backend == defaults.BACKEND:
        return counter not in (None, defaults.BACKEND)
    return counter is not None or backend_class(backend_name(backend)).only_counts


def _check_deduces(backend: str) -> None:
    """Raises Unsupported for an engine that can only count and is not to. The default one need not:
    what takes long to count is left to SAT."""
    if backend != defaults.BACKEND and backend_class(backend_name(backend)).only_counts:
        raise Unsupported(
            f"backend {backend!r} deduces by counting alone; where only deductions are asked for, "
            f"take {defaults.BACKEND!r} or {PROVER!r}"
        )


def _budget(approximate: float | Budget | None) -> Budget:
    """Raises InputError for what is neither a time nor a budget."""
    if isinstance(approximate, Budget):
        return approximate
    expected = "a finite number of seconds, 0 or more, or a Budget"
    given = 0.0 if approximate is None else approximate
    return Budget(arguments.number(given, "approximate", expected, lambda time: 0 <= time < inf))


def _exactly(
    question: Question, backend: str, counter: str | None, memory: Memory | None
) -> Analysis:
    """The answer of the engine that is named, and of another that counts where one is named."""
    engine = default_engine() if backend == defaults.BACKEND else load(backend)
    if counter is None or counter == backend:
        return engine.analyze(question, None if memory is None else memory.held)
    counting = load(arguments.text(counter, "counter"))
    if not counting.counts:
        raise Unsupported(f"backend {counter!r} cannot count")
    return by_engine(question, engine.within(question), counting.within(question))


def _by_proof(
    question: Question,
    budget: Budget,
    reason: TooWide | OutOfTime | None,
    prover: str | None = None,
) -> Analysis:
    """What is certain by a prover, by SAT if none is named, and risks by sampling when they are
    asked for."""
    frontier = Frontier.asked(question)
    problem = frontier.problem.told(question.use_total)
    prover = prover or _prover(problem, question.seconds)
    try:
        proved, complete = _prove(problem, prover, question.seconds)
    except Contradiction as error:
        raise explained(error, frontier) from None
    counted = None
    if isinstance(reason, TooWide) and reason.counted is not None:
        counted = reason.counted.ravel()
        safe, mined = (np.flatnonzero(counted == share).tolist() for share in (0.0, 1.0))
        proved |= Deduction(frozenset(safe), frozenset(mined))
    engine = load(prover, seconds=question.seconds or START_SECONDS)
    return SampledAnalysis(
        question, frontier, problem, engine, proved, budget, reason,
        complete=complete, counted=counted,
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


def _by_sampling(question: Question, backend: str, budget: Budget) -> Analysis:
    """What an engine proves, and estimated risks, without trying to count."""
    if backend == defaults.BACKEND:
        return _by_proof(question, budget, None)
    frontier = Frontier.asked(question)
    problem = frontier.problem.told(question.use_total)
    engine = load(backend).within(question)
    try:
        proved = engine.deduce(problem)
    except Contradiction as error:
        raise explained(error, frontier) from None
    return SampledAnalysis(question, frontier, problem, engine, proved, budget, None)


def analyze_many(
    boards: Iterable[Board | npt.ArrayLike],
    mines: int | Sequence[int | None] | None = None,
    *,
    density: float | Fraction | str | None = None,
    clues: str | ClueModel | None = None,
    max_states: int = defaults.MAX_STATES,
    max_memory: int = defaults.MAX_MEMORY,
    seconds: float | None = None,
    workers: int | None = None,
) -> list[Analysis]:
    """Analyses many boards with the default backend, on `workers` threads (all cores) where there
    is a compiled kernel. `mines` is one number for all or one for each.

    Raises what `analyze` raises, for the first board that makes it raise, and InputError when
    `mines` are not as many as the boards."""
    listed = _as_boards(boards)
    totals = _totals(mines, len(listed))
    bounds = max_states, max_memory, seconds
    questions = [
        _numbered(number, ask, board, total, density, clues, True, *bounds)
        for number, (board, total) in enumerate(zip(listed, totals, strict=True))
    ]
    engine, threads = default_engine(), _threads(workers)
    alike = len({(question.density, question.clues.name) for question in questions}) == 1
    found: list[Analysis | None] = [None] * len(questions)
    if threads > 1 and alike:  # one has nothing to share: board by board is as quick
        found = engine.analyze_many(questions, threads)
    return [
        _numbered(number, engine.analyze, question) if answer is None else answer
        for number, (answer, question) in enumerate(zip(found, questions, strict=True))
    ]


def _numbered(number: int, step: Callable[..., Result], *given: Any) -> Result:
    """What a step makes of one of many boards. Its errors say which."""
    try:
        return step(*given)
    except Contradiction as error:
        raise Contradiction(f"board {number}: {error.message}", find=error.find) from None
    except CspMinesError as error:
        error.add_note(f"board {number}")
        raise


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
