"""Analyses by the compiled kernel, which takes whole boards, one or many at a time.

The kernel returns risks as floats. The exact numbers (`solutions` and `probability`) are counted
when a caller first reads them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property, partial
from math import inf
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import numpy.typing as npt

from csp_mines import defaults
from csp_mines.analysis.batch import NOWHERE, Batch, checked_codes, note
from csp_mines.analysis.by_engine import EngineAnalysis, by_engine
from csp_mines.analysis.conflict import find_conflict
from csp_mines.analysis.contract import Analysis, Status
from csp_mines.analysis.effort import Effort, effort_of
from csp_mines.analysis.exact_numbers import ExactNumbers
from csp_mines.analysis.move import ALIKE, Choice, alike_up_to
from csp_mines.analysis.winning import Position
from csp_mines.backend import Capability, Deduction, default_engine, offered
from csp_mines.board import HOLE, Board, Cell, Codes
from csp_mines.constraints import Frontier
from csp_mines.errors import BoardError, Contradiction, EngineFault, TooWide
from csp_mines.geometry import SQUARE, Geometry, cells_at
from csp_mines.kernel import (
    FAULT,
    failure,
    fits_kernel,
    in_kernel,
    kernel_model,
    kernel_table,
)
from csp_mines.question import Question, Questions

if TYPE_CHECKING:
    from csp_mines.kernel import Kernel, KernelMemory, KernelResult

# The largest number of boards in a batch of `analyze_many`. An analysis keeps all arrays of its
# batch in memory, so batches must be small.
TOGETHER = 512
# With optimistic or cautious clues, JSON contains the number of layouts only if the risks needed at
# most this many states. Then the exact count usually takes at most two seconds.
MOST_NOISY_STATES = 200_000


class KernelAnalysis(Analysis):
    """An analysis by the compiled kernel."""

    # `__dict__` holds the values of cached properties. Python creates it with the first value.
    __slots__ = ("__dict__", "_kernel", "_question", "_result", "probabilities")

    backend = counter = defaults.BACKEND
    complete = True
    calls = 0

    probabilities: npt.NDArray[np.float64]

    def __init__(
        self, kernel: Kernel | None, result: KernelResult | _Row, question: Question
    ) -> None:
        self.probabilities = result.probabilities
        self._kernel = kernel
        self._result = result
        self._question = question

    @cached_property
    def board(self) -> Board:
        given = self._question.given
        if isinstance(given, Board):
            return given
        return Board(given) if given.min() == HOLE else Board.of_codes(self._result.board)

    @property
    def effort(self) -> Effort:
        engine = default_engine().within(self._question)
        return effort_of(self.frontier.problem, Deduction(), engine, states=self._result.states)

    # Cached, because the kernel builds a new set of cells at each access.
    @cached_property
    def safe(self) -> frozenset[Cell]:
        return self._result.safe

    @cached_property
    def mines(self) -> frozenset[Cell]:
        return self._result.mines

    @property
    def safe_mask(self) -> npt.NDArray[np.bool_]:
        return self._result.safe_mask

    @property
    def mine_mask(self) -> npt.NDArray[np.bool_]:
        return self._result.mine_mask

    @property
    def error(self) -> float:
        return self._result.error

    @property
    def log_solutions(self) -> float:
        return self._result.log_solutions

    @property
    def status(self) -> Status:
        return Status[self._result.outlook.name]

    @property
    def choice(self) -> Choice | None:
        safest = self._result.safest(ALIKE)
        return None if safest is None else Choice._make(safest)

    @property
    def position(self) -> Position | None:
        result = self._result
        return Position.of(self._question, result.board if isinstance(result, _Row) else result)

    @cached_property
    def frontier(self) -> Frontier:
        return Frontier.asked(self._about_board)

    @property
    def spells_solutions(self) -> bool:
        quick = self._question.clues.truthful or self._result.states <= MOST_NOISY_STATES
        return quick and super().spells_solutions

    @property
    def solutions(self) -> int:
        return self._exactly.solutions

    def probability(self, cell: Cell) -> Fraction:
        return self._exactly.probability(cell)

    @cached_property
    def _exactly(self) -> ExactNumbers | EngineAnalysis:
        """The counts that give `solutions` and `probability`. With optimistic or cautious clues,
        layouts have weights, which `ExactNumbers` does not support. Then, and without a kernel, the
        default engine counts region by region. It may need more states and memory than the analysis
        needed, so both limits are four times as high."""
        question = self._about_board
        if self._kernel is not None and question.clues.truthful:
            return ExactNumbers(self._kernel, question)
        states, memory = 4 * question.max_states, 4 * question.max_memory
        wider = question._replace(max_states=states, max_memory=memory)
        return by_engine(wider, default_engine().within(wider))

    @property
    def _about_board(self) -> Question:
        """The question, with a `Board` in place of an array that the caller gave."""
        return self._question._replace(given=self.board, codes=self.board.codes)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the question, and the answer as a batch of one board."""
        batch = Batch.empty(1, *self.board.codes.shape)
        note(batch, 0, self)
        batch.states[0] = self._result.states
        return _unpickled, (batch, self._about_board)


def _unpickled(batch: Batch, question: Question) -> KernelAnalysis:
    kernel = offered(Capability.BOARDS)
    return KernelAnalysis(kernel, _Row(batch, question.codes[None], 0), question)


class _Row:
    """The answer about one board of a batch, with the interface of a result of the kernel. Each row
    keeps its whole batch in memory."""

    __slots__ = ("_batch", "_codes", "_number", "probabilities")

    def __init__(self, batch: Batch, codes: Codes, number: int) -> None:
        self._batch = batch
        self._codes = codes
        self._number = number
        self.probabilities: npt.NDArray[np.float64] = batch.probabilities[number]

    @property
    def board(self) -> Codes:
        board: Codes = self._codes[self._number]
        return board

    @property
    def states(self) -> int:
        return int(self._batch.states[self._number])

    @property
    def error(self) -> float:
        return float(self._batch.errors[self._number])

    @property
    def log_solutions(self) -> float:
        return float(self._batch.log_solutions[self._number])

    @property
    def outlook(self) -> Status:
        return tuple(Status)[int(self._batch.status[self._number])]

    @property
    def safe(self) -> frozenset[Cell]:
        return frozenset(cells_at(self._batch.safe[self._number]))

    @property
    def mines(self) -> frozenset[Cell]:
        return frozenset(cells_at(self._batch.mines[self._number]))

    @property
    def safe_mask(self) -> npt.NDArray[np.bool_]:
        return np.array(self._batch.safe[self._number])

    @property
    def mine_mask(self) -> npt.NDArray[np.bool_]:
        return np.array(self._batch.mines[self._number])

    def safest(self, alike: float) -> tuple[Cell, float, int, bool] | None:
        """Return the fields of a `Choice` for the safest cell; None if there is no cell to open.
        The parameter `alike` is ignored. Risks count as equal if they differ by at most the
        constant ALIKE, because the kernel used this constant when it analysed the batch."""
        row, col = self._batch.moves[self._number].tolist()
        if row == NOWHERE:
            return None
        safe = int(np.count_nonzero(self._batch.safe[self._number]))
        if safe:
            return (row, col), 0.0, safe, True
        risks = self.probabilities[~self._batch.mines[self._number]]
        lowest = float(np.nanmin(risks))
        return (row, col), lowest, int(np.count_nonzero(risks <= alike_up_to(lowest))), False


def by_kernel(kernel: Kernel, question: Question, memory: KernelMemory | None) -> KernelAnalysis:
    """Analyse a board with the kernel. The caller has checked that the kernel supports the clue
    model and the grid. `memory` keeps the counts of regions between calls, or is None.

    Raises BoardError for an invalid array, Contradiction if no layout fits, TooWide or OutOfTime at
    a limit, EngineFault if the kernel contradicts itself."""
    # Unpacked at once: looking up the fields one by one takes as long as analysing an easy board.
    given, codes, mines, density, clues, use_total, states, max_bytes, limit, _, grid = question
    try:
        result = kernel.analyze(
            codes,
            -1 if mines is None or not use_total else mines,
            1.0 if density is None else float(question.odds),
            kernel_model(kernel, clues.name),
            states,
            inf if limit is None else limit,
            memory,
            max_bytes,
            None if grid is SQUARE else kernel_table(kernel, grid, codes.shape),
        )
    except (TypeError, ValueError):
        if isinstance(given, Board):
            raise
        # Raises BoardError for an invalid array. The kernel also refuses some valid arrays, such as
        # those with holes.
        board = Board(given)
        return by_kernel(kernel, question._replace(given=board, codes=board.codes), memory)
    analysis = KernelAnalysis(kernel, result, question)
    if result.status:
        _refuse(result, question)
    return analysis


def many_by_kernel(
    kernel: Kernel, questions: Sequence[Question], threads: int
) -> list[Analysis | None]:
    """Analyse many boards in several threads, and return an answer for each question. The questions
    differ only in their boards and totals. Boards of one size and grid form batches of at most
    TOGETHER boards.

    An answer is None if the caller must analyse that board alone, which may raise an error. The
    reason is that the board is not two-dimensional, that its grid is too large for the kernel, that
    a board of its batch is invalid, that no layout fits, that a limit was reached, or that the
    kernel contradicts itself."""
    answers: list[Analysis | None] = [None] * len(questions)
    for numbers in _by_size(questions):
        some = [questions[number] for number in numbers]
        grid, shape = some[0].geometry, some[0].codes.shape
        if not fits_kernel(grid, shape):
            continue
        try:
            joined = np.concatenate([question.codes for question in some])  # quicker than np.stack
            codes = checked_codes(joined.reshape(len(some), -1, joined.shape[1]))
        except BoardError:  # the caller analyses each board alone and gets the error
            continue
        batch = Batch.empty(*codes.shape)
        totals = np.array([in_kernel(question.total) for question in some], np.int64)
        _analyze_batch(kernel, Questions(some[0], codes, totals, threads), batch)
        codes.flags.writeable = batch.probabilities.flags.writeable = False
        for row in np.flatnonzero(batch.status < Status.CONTRADICTION.code).tolist():
            result = _Row(batch, codes, row)
            answers[numbers[row]] = KernelAnalysis(kernel, result, some[row])
    return answers


def _by_size(questions: Sequence[Question]) -> Iterator[list[int]]:
    """Yield groups of questions whose boards have the same size and grid. A group is a list of at
    most TOGETHER indexes of `questions`. Boards that are not two-dimensional are left out."""
    numbers: dict[tuple[tuple[int, ...], Geometry], list[int]] = {}
    for number, question in enumerate(questions):
        numbers.setdefault((question.codes.shape, question.geometry), []).append(number)
    for (shape, _), some in numbers.items():
        if len(shape) == 2:
            yield from (some[first : first + TOGETHER] for first in range(0, len(some), TOGETHER))


def batch_by_kernel(kernel: Kernel, asked: Questions, batch: Batch) -> None:
    """Analyse the boards of `asked`, and write the answers into `batch`; see
    `Backend.analyze_batch`. Raises EngineFault if the kernel contradicts itself."""
    _analyze_batch(kernel, asked, batch)
    faults = np.flatnonzero(batch.status == int(kernel.BoardStatus.FAULT))
    if len(faults):
        raise EngineFault(f"board {faults[0]}: {FAULT}")


def _analyze_batch(kernel: Kernel, asked: Questions, batch: Batch) -> None:
    shared = asked.shared
    kernel.analyze_batch(
        asked.codes,
        asked.totals,
        float(shared.odds),
        kernel_model(kernel, shared.clues.name),
        shared.max_states,
        inf if shared.seconds is None else shared.seconds,
        asked.threads,
        shared.max_memory,
        ALIKE,
        batch.probabilities, batch.safe, batch.mines, batch.moves,
        batch.status, batch.log_solutions, batch.errors, batch.states,
        kernel_table(kernel, shared.geometry, asked.codes.shape[1:]),
    )  # fmt: skip


def _refuse(result: KernelResult, question: Question) -> NoReturn:
    """Raise the error that the status of the kernel's result stands for."""
    status = result.status
    if status is type(status).CONTRADICTION:
        board = question.board() if question.use_total else question.board().without_total()
        raise Contradiction(find=partial(find_conflict, board))
    limits = question.max_states, question.max_memory, question.seconds
    error = failure(status, result.states, *limits)
    if isinstance(error, TooWide):
        error.counted = result.probabilities
    raise error
