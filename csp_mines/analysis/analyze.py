"""`analyze` and `analyze_many`, and the choice of engines and time limits for each analysis.

By default the engine `native` deduces and counts. If a board is too wide to count, `analyze` can
let a SAT solver prove the certain cells, and estimate the risks by sampling.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
import numpy.typing as npt

from csp_mines import arguments, defaults
from csp_mines.analysis.batch import numbered, thread_count, totals_of
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
from csp_mines.errors import OutOfTime, TooWide, Unsupported
from csp_mines.question import Question, ask
from csp_mines.sampling import SAMPLING
from csp_mines.sampling import Budget as Budget
from csp_mines.words import plural

PROVER = "pysat"  # proves the certain cells if a board is too wide to count
LARGE = 50_000  # constraints
# With more than LARGE constraints, this solver is 4 times as fast as PROVER. It does not stop at a
# time limit, so it is used only if the caller sets none.
LARGE_PROVER = "pysat:cadical195"
BOUNDS_PROVER = "cpsat"  # for optimistic and cautious clues, on which PROVER may take minutes
QUICK_PROVER = "subtraction"  # takes over when another prover runs out of time
CHEAP_STATES = 20_000  # counting this many states takes no longer than a call of a SAT solver
SHARES = 4  # counting, proofs, first layouts and estimates get a quarter of the time limit each
# These two limits, in seconds, hold if the caller sets no time limit.
TOTAL_SECONDS = 10.0  # for proofs by the total, which may take very long
START_SECONDS = 10.0  # for the search for the first layouts, from which sampling starts


class Memory:
    """A store that keeps the counts of regions from one position of a game to the next.

    Pass the same memory to every `analyze` of a game. A region that did not change is then not
    counted again, as long as the memory keeps its count. The results are the same without a memory.
    Between two calls, a memory takes at most `max_bytes` bytes. Only the compiled kernel keeps
    counts, of regions with at least 20 boxes, and not with optimistic or cautious clues.

    >>> memory = csp_mines.Memory()
    >>> for board in ([[-1, 1, -1, -1]], [[-1, 1, -1, 1]]):
    ...     print(csp_mines.analyze(board, memory=memory).solutions)
    4
    1
    """

    def __init__(self, max_bytes: int = 64 << 20) -> None:
        """Make an empty memory. Raises InputError if `max_bytes` is not a whole number from 0 to
        2^48."""
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
    """Analyse a board: find its certain cells, the risks of all hidden cells and the move.

    * `board`: a board, or an array of integers: -1 hidden, 0 to 8 clues (`analyze_batch` lists the
      other codes).
    * `mines`, `density`: the number of mines on the board, or the probability of a mine at a cell
      before any clue. Give at most one of them. It replaces the prior of the board. Without any
      prior, all layouts are equally likely before any clue.
    * `clues`: the clue model. It replaces the clue model of the board.
    * `backend`: the engine that deduces. Without a `counter`, it also counts; if it cannot count,
      `native` counts. `native` uses the compiled kernel if it can; `native:pure` never does.
    * `counter`: the engine that counts, or `sampling`. With `sampling`, the risks are not counted
      but estimated, within the budget `approximate`.
    * `use_total`: if False, the number of mines is not used.
    * `max_states`, `max_memory` (in bytes): the limits of a count.
    * `seconds`: the time limit for each deduction and for each count. By default, the kernel has no
      limit for a whole board, and any other count has 60 seconds.
    * `memory`: a `Memory` that the caller passes for every position of a game, so that unchanged
      regions are not counted again.
    * `counting`: if False, the caller wants only the certain cells. `backend` then proves them by
      deduction. The default backend tries a short count first; if the board is too wide for that, a
      SAT solver proves the cells.
    * `approximate`: the budget for estimating risks: a number of seconds, or a `Budget`. With a
      budget and without a `counter`, a count that reaches a limit raises no error, unless `backend`
      can only count. Instead, `backend` proves the certain cells; if it is the default backend, a
      SAT solver proves them. The risks are estimated: `exact` is False, and the analysis has
      `standard_errors`. `complete` is False if time ran out for the proofs. Counting, proofs and
      estimates get a quarter of `seconds` each.
    * `notice`: a function that takes a message. `analyze` calls it if a count reached a limit and
      the certain cells are proved in another way.
    * `move`: the move rule: `safest`, or the name of a player (see `csp_mines.analysis.move`).

    Raises BoardError for an invalid board, Contradiction if no layout fits, TooWide if a count
    needs more than `max_memory` bytes or `max_states` states, OutOfTime if a deduction or a count
    takes longer than its time limit, InputError for an invalid argument, UnknownName for an unknown
    engine, clue model or move rule, Unsupported if an engine does not support its task,
    MissingLibrary if a library of an engine is not installed, BackendUnavailable if an engine
    cannot be loaded, EngineFault if an engine contradicts itself. If an engine counts later, when
    the caller first reads a risk, the errors of the count are raised then.

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
    """Return the exact analysis. If making it raises TooWide or OutOfTime, catch the error, call
    `notice`, prove the certain cells by deduction and estimate the risks within `budget`.

    `counting` is False if the caller wants only certain cells. In that case, TooWide from the
    default backend is always caught. Any other error is raised if `_has_to_count` is true, or if
    `counting` is False and the budget is 0 seconds."""
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
    """Return whether the caller insists on a count. With the default backend, the caller insists by
    naming another engine as `counter`. With any other backend, the caller insists by naming any
    `counter`, or because the backend can only count."""
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
    """Return the budget of the estimates: 0 seconds if `approximate` is None. Raises InputError if
    `approximate` is neither a Budget nor a finite number of seconds, 0 or more."""
    if isinstance(approximate, Budget):
        return approximate
    expected = "a finite number of seconds, 0 or more, or a Budget"
    given = 0.0 if approximate is None else approximate
    return Budget(arguments.number(given, "approximate", expected, lambda time: 0 <= time < inf))


def _exactly(
    question: Question, backend: str, counter: str | None, memory: Memory | None
) -> Analysis:
    """Let `backend` analyse the question. If `counter` names another engine, that engine counts.
    Raises Unsupported if that engine cannot count."""
    engine = default_engine() if backend == defaults.BACKEND else load(backend)
    if counter is None or (counter == backend and engine.counts):
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
    """Return an analysis whose certain cells are proved now, and whose risks are estimated within
    `budget` when a caller first reads them. `reason` is the error that ended the count, or None if
    no count was tried. The regions counted before that error also give certain cells. `prover` is
    the engine that proves; if it is None, `_prover` chooses the engine."""
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
    """Return the name of the engine that proves the certain cells of a problem if the caller named
    none. `seconds` is the time limit."""
    if len(problem.constraints) > LARGE and seconds is None:
        return LARGE_PROVER
    if not problem.is_exact and backend_class(BOUNDS_PROVER).missing() is None:
        return BOUNDS_PROVER
    return PROVER


def _prove(problem: Problem, prover: str, seconds: float | None) -> tuple[Deduction, bool]:
    """Return deductions, and whether `prover` finished in time. If it did not, QUICK_PROVER makes
    some of the missing deductions. Deductions without the total are made first, because they take
    less time. Raises Contradiction if an engine finds that no layout fits."""
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
    """Return an analysis whose risks are estimated without trying a count. `backend` proves the
    certain cells; if it is the default backend, `_prover` chooses another engine."""
    if backend == defaults.BACKEND:
        return _by_proof(question, budget, None)
    frontier = Frontier.asked(question)
    engine = load(backend).within(question)
    with explained(frontier):
        proved = engine.deduce(frontier.problem)
    seconds = START_SECONDS if question.seconds is None else question.seconds
    engine = engine.within(question._replace(seconds=seconds))
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

    If all boards have the same density and clue model, the compiled kernel analyses boards of one
    size and grid together, and their analyses share arrays. `analyze_batch` takes much less time,
    because it returns arrays instead of analyses.

    Parameters:
        boards: boards, or arrays of integers. They may differ in size.
        mines: one number for all boards, or one for each. Where this is None, `density` or the
            header of the board gives the prior.
        density, clues, max_states, max_memory, seconds: as in `analyze`, for each board.
        workers: the number of threads of the compiled kernel. By default one per core.

    Raises what `analyze` raises. If a board is at fault, the message begins with the number of this
    board, from 0. Also raises InputError if the length of `mines` differs from the number of
    boards.

    >>> boards = [[[-1, 1, -1]], [[-1, 2, -1]]]
    >>> [analysis.solutions for analysis in csp_mines.analyze_many(boards)]
    [2, 1]
    """
    listed = _as_boards(boards)
    totals = totals_of(mines, len(listed))
    bounds = max_states, max_memory, seconds
    questions = [
        numbered(number, ask, board, total, density, clues, True, *bounds)
        for number, (board, total) in enumerate(zip(listed, totals, strict=True))
    ]
    engine, threads = default_engine(), thread_count(workers, "workers")
    alike = len({(question.density, question.clues.name) for question in questions}) == 1
    answers: list[Analysis | None] = [None] * len(questions)
    if alike:
        answers = engine.analyze_many(questions, threads)
    return [
        numbered(number, engine.analyze, question) if answer is None else answer
        for number, (answer, question) in enumerate(zip(answers, questions, strict=True))
    ]


def _as_boards(boards: Iterable[Board | npt.ArrayLike]) -> list[Board | npt.NDArray[Any]]:
    """Return the boards as a list. Boards and numpy arrays stay as they are; any other value, such
    as a list of rows, becomes a Board. Raises BoardError for a value that is not a board, and
    InputError if `boards` is not an iterable."""
    return [
        board if isinstance(board, (Board, np.ndarray)) else numbered(number, Board, board)
        for number, board in enumerate(arguments.several(boards, "boards", "boards"))
    ]
