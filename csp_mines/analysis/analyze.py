"""`analyze` and `analyze_many`: choose the engines, and divide the time limit among the steps.

By default the engine `native` deduces and counts. If a board is too wide to count, SAT can prove
the certain cells instead, and sampling can estimate the risks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from math import inf
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from csp_mines import arguments, defaults
from csp_mines.analysis.batch import thread_count, totals_of
from csp_mines.analysis.by_engine import by_engine
from csp_mines.analysis.by_sampling import SampledAnalysis
from csp_mines.analysis.conflict import explained
from csp_mines.analysis.contract import Analysis as Analysis
from csp_mines.analysis.contract import Status as Status
from csp_mines.analysis.move import Move as Move
from csp_mines.analysis.move import check_rule
from csp_mines.backend import (
    Deadline,
    Deduction,
    backend_class,
    backend_name,
    cannot_count,
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
    OutOfTime,
    TooWide,
    Unsupported,
)
from csp_mines.question import Question, ask
from csp_mines.sampling import SAMPLING
from csp_mines.sampling import Budget as Budget
from csp_mines.words import plural

PROVER = "pysat"  # proves the certain cells if a board is too wide to count
LARGE_PROVER = "pysat:cadical195"  # for more than LARGE constraints: 4 times as fast as PROVER
LARGE = 50_000
QUICK_PROVER = "subtraction"  # takes over when a complete prover runs out of time
# Time limits that hold if the caller sets none.
TOTAL_SECONDS = 10.0  # for proofs by the total, which may take very long
START_SECONDS = 10.0  # for the search for the first layouts, from which sampling starts
SHARES = 4  # counting, proofs, first layouts and estimates get a quarter of the time limit each
BOUNDS_PROVER = "cpsat"  # for optimistic and cautious clues, on which PROVER may take minutes
CHEAP_STATES = 20_000  # counting this many states takes no longer than a call of a SAT solver


Result = TypeVar("Result")


class Memory:
    """A store that keeps the counts of regions from one position of a game to the next.

    Pass the same memory to every `analyze` of a game: regions that did not change are then not
    counted again. The results are the same without a memory. A memory takes at most `max_bytes`. It
    stays empty if the engine keeps no counts.

    >>> memory = csp_mines.Memory()
    >>> for board in ([[-1, 1, -1, -1]], [[-1, 1, -1, 1]]):
    ...     print(csp_mines.analyze(board, memory=memory).solutions)
    4
    1
    """

    def __init__(self, max_bytes: int = 64 << 20) -> None:
        """Make an empty memory. Raises InputError if `max_bytes` is not a number of bytes."""
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
    """Analyse a board.

    * `board`: a board, or an array of integers (-1 hidden, 0 to 8 clues).
    * `mines`, `density`: the number of mines, or the probability of a mine at a cell. They replace
      the prior of the board. If neither is known, all layouts that fit are equally likely.
    * `clues`: the clue model. It replaces the clue model of the board.
    * `backend`: the engine that deduces, and also counts if it can. `native` uses the compiled
      kernel if it is installed; `native:pure` never does.
    * `counter`: another engine that counts, or `sampling`. With `sampling`, nothing is counted, and
      the risks are estimated within the budget `approximate`.
    * `use_total`: if False, the number of mines is not used.
    * `max_states`, `max_memory` (in bytes), `seconds`: the limits of counting.
    * `memory`: a `Memory` that the caller passes for every position of a game, so that unchanged
      regions are not counted again.
    * `counting`: if False, the caller wants only the certain cells, so they are proved without a
      count. (`native` counts where that is faster than SAT.)
    * `approximate`: the budget for estimating risks: a number of seconds, or a `Budget` with a
      seed. With a budget and without a `counter`, a count that reaches a limit raises no error.
      Instead, `backend` proves the certain cells; SAT takes the place of the default backend.
      `complete` is False if time ran out for these proofs. The risks are estimated: `exact` is
      False, and the analysis has `standard_errors`.
    * `notice`: a function that is called with a message when the analysis changes its method.
    * `move`: the move rule: `safest`, or the name of a player (see `csp_mines.analysis.move`).

    Raises BoardError for an invalid board, Contradiction if no layout fits, TooWide if counting
    would need more than `max_memory` bytes or `max_states` states, OutOfTime if it takes longer
    than `seconds` (see `Backend`), InputError for an invalid argument, UnknownName for an unknown
    engine, clue model or move rule, Unsupported if an engine cannot do what is asked,
    MissingLibrary if a library of an engine is not installed, EngineFault if an engine contradicts
    itself.

    >>> analysis = csp_mines.analyze([[-1, 1, -1, 1, -1]], mines=1)
    >>> sorted(analysis.safe), sorted(analysis.mines)
    ([(0, 0), (0, 4)], [(0, 2)])
    >>> csp_mines.analyze([[-1, 1, -1, -1, -1]], mines=2).probability((0, 3))
    Fraction(1, 2)
    """
    rule = move if move == MOVE_RULE else check_rule(arguments.text(move, "move"))
    question = ask(board, mines, density, clues, use_total, max_states, max_memory, seconds, rule)
    if memory is not None:
        arguments.instance(memory, Memory, "memory")
    if notice is not None:
        arguments.callback(notice, "notice")
    if counter == SAMPLING:
        return _by_sampling(question, backend, _budget(approximate))
    if not counting or approximate is not None:
        engines = backend, counter, memory
        return _within(question, _budget(approximate), *engines, counting, notice)
    return _exactly(question, backend, counter, memory)


def _within(
    question: Question,
    budget: Budget,
    backend: str,
    counter: str | None,
    memory: Memory | None,
    counting: bool,
    notice: Callable[[str], None] | None,
) -> Analysis:
    """Analyse a question by counting. If the count raises TooWide or OutOfTime, catch the error,
    call `notice`, prove the certain cells by deduction and estimate the risks within `budget`.

    `counting` is False if the caller wants only certain cells. The error is not caught if
    `_has_to_count` is true, or if `counting` is False and the budget is 0 seconds. There is one
    exception: if `counting` is False, TooWide from the default backend is always caught."""
    if not counting:
        _check_deduces(backend)
        if backend == defaults.BACKEND:
            question = question._replace(max_states=min(question.max_states, CHEAP_STATES))
    estimating = (counting or budget.seconds > 0) and not _has_to_count(backend, counter)
    if question.seconds is not None and estimating:
        share = question.seconds / SHARES
        question = question._replace(seconds=share)
        budget = replace(budget, seconds=min(budget.seconds, share))
    try:
        analysis = _exactly(question, backend, counter, memory)
        if counting and backend != defaults.BACKEND:
            _ = analysis.probabilities  # counts here, so that errors are caught below
        return analysis
    except (TooWide, OutOfTime) as reason:
        tried = not counting and backend == defaults.BACKEND  # a short count, tried before SAT
        if not (estimating or (tried and isinstance(reason, TooWide))):
            raise
        prover = None if backend == defaults.BACKEND else backend
        if notice is not None:
            way = f"using {'SAT' if prover is None else prover} to prove the certain cells"
            notice(f"{reason.what.partition(':')[0]}: {way}")
        return _by_proof(question, budget, reason, prover)


def _has_to_count(backend: str, counter: str | None) -> bool:
    """Return whether the caller insists on counting, by naming a counter or a backend that can only
    count. With the default backend, the caller insists only by naming another engine as counter."""
    if backend == defaults.BACKEND:
        return counter not in (None, defaults.BACKEND)
    return counter is not None or backend_class(backend_name(backend)).only_counts


def _check_deduces(backend: str) -> None:
    """Raise Unsupported if the backend can only count. The default backend is accepted: where its
    count would take long, SAT proves the certain cells."""
    if backend != defaults.BACKEND and backend_class(backend_name(backend)).only_counts:
        raise Unsupported(
            f"backend {backend!r} can only count; to get deductions without counting, "
            f"use {defaults.BACKEND!r} or {PROVER!r}"
        )


def _budget(approximate: float | Budget | None) -> Budget:
    """Return the budget of the estimates; it is 0 seconds if `approximate` is None. Raises
    InputError if `approximate` is not a finite number of seconds or a Budget."""
    if isinstance(approximate, Budget):
        return approximate
    expected = "a finite number of seconds, 0 or more, or a Budget"
    given = 0.0 if approximate is None else approximate
    return Budget(arguments.number(given, "approximate", expected, lambda time: 0 <= time < inf))


def _exactly(
    question: Question, backend: str, counter: str | None, memory: Memory | None
) -> Analysis:
    """Let the named backend analyse the question. If a `counter` is named, that engine counts.
    Raises Unsupported if the counter cannot count."""
    engine = default_engine() if backend == defaults.BACKEND else load(backend)
    if counter is None or counter == backend:
        return engine.analyze(question, None if memory is None else memory.held)
    counting = load(arguments.text(counter, "counter"))
    if not counting.counts:
        raise cannot_count(counter)
    return by_engine(question, engine.within(question), counting.within(question))


def _by_proof(
    question: Question,
    budget: Budget,
    reason: TooWide | OutOfTime | None,
    prover: str | None = None,
) -> Analysis:
    """Prove the certain cells with the engine `prover`, or with SAT if it is None. The analysis
    estimates the risks when the caller first reads them. `reason` is the error that ended the
    count, or None if no count was tried."""
    frontier = Frontier.asked(question)
    prover = prover or _prover(frontier.problem, question.seconds)
    with explained(frontier):
        proved, complete = _prove(frontier.problem, prover, question.seconds)
    counted = None
    if isinstance(reason, TooWide) and reason.counted is not None:
        counted = reason.counted.ravel()
        safe, mined = (np.flatnonzero(counted == share).tolist() for share in (0.0, 1.0))
        proved |= Deduction(frozenset(safe), frozenset(mined))
    engine = load(prover, seconds=question.seconds or START_SECONDS)
    return SampledAnalysis(
        question, frontier, engine, proved, budget, reason, complete=complete, counted=counted
    )


def _prover(problem: Problem, seconds: float | None) -> str:
    """Return the name of the engine that is to prove the certain cells of a problem."""
    if len(problem.constraints) > LARGE and seconds is None:
        return LARGE_PROVER
    if not problem.is_exact and backend_class(BOUNDS_PROVER).missing() is None:
        return BOUNDS_PROVER
    return PROVER


def _prove(problem: Problem, prover: str, seconds: float | None) -> tuple[Deduction, bool]:
    """Return the deductions, and whether they are complete. Deductions without the total are made
    first, because they take less time. Raises Contradiction if no layout fits."""
    deadline = Deadline(seconds)
    try:
        proved = load(prover, seconds=seconds).deduce(problem.without_total())
    except OutOfTime:
        return load(QUICK_PROVER).deduce(problem), False
    if problem.mines is None:
        return proved, True
    rest = problem.given(proved.safe, proved.mines)
    left = TOTAL_SECONDS if seconds is None else deadline.left
    try:
        if left <= 0:
            raise deadline.missed()
        return proved | load(prover, seconds=left).deduce(rest), True
    except OutOfTime:
        return proved | load(QUICK_PROVER).deduce(rest), False


def _by_sampling(question: Question, backend: str, budget: Budget) -> Analysis:
    """Let an engine prove the certain cells, and estimate the risks without trying to count."""
    if backend == defaults.BACKEND:
        return _by_proof(question, budget, None)
    frontier = Frontier.asked(question)
    engine = load(backend).within(question)
    with explained(frontier):
        proved = engine.deduce(frontier.problem)
    return SampledAnalysis(question, frontier, engine, proved, budget, None)


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
    """Analyse many boards with the default backend.

    Boards of one size are analysed together, and their analyses share arrays. `analyze_batch` takes
    much less time, because it returns arrays instead of analyses.

    Parameters:
        boards: boards, or arrays of integers. They may differ in size.
        mines: one number for all boards, or one for each.
        density, clues, max_states, max_memory, seconds: as in `analyze`, for each board.
        workers: the number of threads of the compiled kernel. By default one per core.

    Raises what `analyze` raises, for the first board that fails, and InputError if the length of
    `mines` differs from the number of boards.

    >>> boards = [[[-1, 1, -1]], [[-1, 2, -1]]]
    >>> [analysis.solutions for analysis in csp_mines.analyze_many(boards)]
    [2, 1]
    """
    listed = _as_boards(boards)
    totals = totals_of(mines, len(listed))
    bounds = max_states, max_memory, seconds
    questions = [
        _numbered(number, ask, board, total, density, clues, True, *bounds)
        for number, (board, total) in enumerate(zip(listed, totals, strict=True))
    ]
    engine, threads = default_engine(), thread_count(workers, "workers")
    alike = len({(question.density, question.clues.name) for question in questions}) == 1
    answers: list[Analysis | None] = [None] * len(questions)
    if alike:
        answers = engine.analyze_many(questions, threads)
    return [
        _numbered(number, engine.analyze, question) if answer is None else answer
        for number, (answer, question) in enumerate(zip(answers, questions, strict=True))
    ]


def _numbered(number: int, step: Callable[..., Result], *given: Any) -> Result:
    """Call `step(*given)` for one of many boards. If it raises an error, put the number of the
    board before the message."""
    try:
        return step(*given)
    except Contradiction as error:
        raise Contradiction(f"board {number}: {error.message}", find=error.find) from None
    except CspMinesError as error:
        error.about_board(number)
        raise


def _as_boards(boards: Iterable[Board | npt.ArrayLike]) -> list[Board | npt.NDArray[Any]]:
    """Return the boards as a list. Boards and numpy arrays stay as they are; any other value, such
    as a list of rows, becomes a Board. Raises BoardError for a value that is not a board."""
    return [
        board if isinstance(board, (Board, np.ndarray)) else _numbered(number, Board, board)
        for number, board in enumerate(arguments.several(boards, "boards", "boards"))
    ]
