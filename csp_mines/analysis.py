"""The analysis of a board: what is certain, how likely a mine is elsewhere, and where to move."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cache, cached_property, partial
from os import cpu_count

import numpy as np
import numpy.typing as npt

from csp_mines.backend import (
    DEFAULT_BACKEND,
    DEFAULT_MAX_STATES,
    Backend,
    Deduction,
    backend_class,
    load,
)
from csp_mines.board import HIDDEN, Board, Cell, as_density
from csp_mines.clues import EXACT, ClueModel, clue_model
from csp_mines.constraints import Frontier, Problem
from csp_mines.counting import Posterior, posterior
from csp_mines.errors import BoardError, Contradiction, TooWide, Unsupported
from csp_mines.kernel import KERNEL_MODELS, Kernel, KernelResult, KernelStatus

__all__ = ["Analysis", "Memory", "Move", "Status", "analyze", "analyze_many", "frontier_of"]


_ALIKE = 1e-9  # risks that differ by less are equal


class Status(StrEnum):
    """How things stand on a board."""

    PROGRESS = "progress"  # something hidden was proved
    GUESS = "guess"  # nothing was
    SOLVED = "solved"  # nothing is hidden
    CONTRADICTION = "contradiction"  # no layout fits


@dataclass(frozen=True)
class Move:
    """The cell to open next, the probability that it is a mine, and why it is the choice."""

    cell: Cell
    risk: float
    reason: str


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
    memory: Memory | None = None,
) -> Analysis:
    """Analyses a board, or an array of integers (-1 hidden, 0 to 8 clues).

    The prior is `mines` in all, or a `density`, or what the board says; without any, all layouts
    that fit are alike. `backend` deduces, and counts where it can; `counter` names another engine
    to count with. Without `use_total` nothing is concluded from the number of mines. A `memory`
    that is given again for the next position of a game saves counting what did not change.

    Raises BoardError for input that is no board, Contradiction when no layout fits, TooWide when
    counting would need more than `max_states` states, UnknownName, BackendUnavailable.
    """
    if backend == DEFAULT_BACKEND and counter is None:
        kernel = _kernel()
        if kernel is not None:
            terms = (mines, density, clues, use_total, max_states)
            seen = _seen(kernel, board, terms, memory)
            if seen is not None:
                return seen
    frontier = frontier_of(board, mines, density=density, clues=clues)
    problem = frontier.problem if use_total else frontier.problem.without_total()
    engine = load(backend, max_states=max_states)
    counting = _counter(engine, counter, max_states)
    try:
        if engine is counting:
            return _counted(frontier, problem, engine)
        return Analysis(frontier, problem, engine, counting, engine.deduce(problem))
    except Contradiction as error:
        raise _explained(error, frontier) from None


def frontier_of(
    board: Board | npt.ArrayLike,
    mines: int | None = None,
    *,
    density: float | Fraction | str | None = None,
    clues: str | ClueModel | None = None,
) -> Frontier:
    """The frontier of a board under a prior and a clue model, its own where none are given.
    Raises BoardError, UnknownName."""
    if mines is not None and density is not None:
        raise BoardError("give the number of mines or their density, not both")
    if not isinstance(board, Board):
        board = Board(board)
    if mines is not None:
        mines = Board(board.codes, mines=mines).mines
    return Frontier.of(
        board,
        mines=mines,
        density=None if density is None else as_density(density),
        clues=None if clues is None else clue_model(clues),
    )


class Analysis:
    """What follows from a board. `safe` and `mines` are what the backend proved; everything about
    probabilities is exact, and counted when it is first asked for."""

    def __init__(
        self,
        frontier: Frontier,
        problem: Problem,
        engine: Backend,
        counter: Backend,
        deduction: Deduction,
        counted: tuple[Deduction, Posterior] | None = None,
    ) -> None:
        self.frontier = frontier
        self.backend = engine.name
        self.counter = counter.name
        self.complete = engine.complete
        self.calls = deduction.calls
        self.safe = frontier.cells(deduction.safe)
        self.mines = frontier.cells(deduction.mines)
        self._problem = problem
        self._counting = counter
        if counted is not None:
            self.__dict__["_counted"] = counted

    @property
    def board(self) -> Board:
        return self.frontier.board

    @cached_property
    def _counted(self) -> tuple[Deduction, Posterior]:
        try:
            return _count(self._problem, self._counting)
        except Contradiction as error:
            raise _explained(error, self.frontier) from None

    @cached_property
    def probabilities(self) -> npt.NDArray[np.float64]:
        """The probability of a mine at every hidden cell; nan elsewhere."""
        known, counted = self._counted
        table: npt.NDArray[np.float64] = np.full(self.board.codes.size, np.nan)
        table[list(self._problem.sea)] = float(counted.sea_share)
        for cell, (numerator, denominator) in counted.shares.items():
            table[cell] = numerator / denominator
        table[list(known.safe)] = 0.0
        table[list(known.mines)] = 1.0
        table = table.reshape(self.board.codes.shape)
        table.flags.writeable = False
        return table

    @cached_property
    def solutions(self) -> int:
        """The number of layouts that fit, exactly."""
        if all(one.weights is None for one in self._problem.constraints):
            return self._counted[1].solutions
        return _count(self._problem.unweighted(), self._counting)[1].solutions

    @cached_property
    def log_solutions(self) -> float:
        """The natural logarithm of the number of layouts that fit."""
        return math.log(self.solutions)

    def probability(self, cell: Cell) -> Fraction:
        """The probability of a mine at a hidden cell, exactly. Raises BoardError for others."""
        if self.board[cell] != HIDDEN:
            raise BoardError(f"cell {cell[0]},{cell[1]} is not hidden")
        known, counted = self._counted
        number = self.frontier.number(cell)
        if number in known.safe or number in known.mines:
            return Fraction(number in known.mines)
        return counted.probability(number)

    @property
    def status(self) -> Status:
        if not (self.board.codes == HIDDEN).any():
            return Status.SOLVED
        return Status.PROGRESS if self.safe or self.mines else Status.GUESS

    @cached_property
    def move(self) -> Move | None:
        """The safest cell to open: a proved one if there is any, else the lowest risk. Ties go to
        the cell with the fewest neighbours (corner, edge, middle), then the first in reading order.
        None when nothing is hidden or everything hidden is a proved mine."""
        if self.safe:
            cell = min(self.safe, key=self._tie)
            return Move(cell, 0.0, "proved safe")
        risks = self.probabilities
        candidates = ~np.isnan(risks)
        candidates[tuple(zip(*self.mines, strict=True)) if self.mines else ([], [])] = False
        if not candidates.any():
            return None
        risk = float(risks[candidates].min())
        alike = candidates & (risks <= risk + _ALIKE)
        best = [(r, c) for r, c in np.argwhere(alike).tolist()]
        cell = min(best, key=self._tie)
        share = f"one of {len(best)} cells with the lowest risk" if len(best) > 1 else "lowest risk"
        return Move(cell, risk, share)

    def _tie(self, cell: Cell) -> tuple[int, Cell]:
        return len(self.board.neighbours(cell)), cell


class Memory:
    """What one game's analyses have counted, for the next ones; give it to `analyze`. Bounded by
    `max_bytes`. It changes how long an analysis takes, nothing else, and holds nothing when the
    pure engine serves."""

    def __init__(self, max_bytes: int = 64 << 20) -> None:
        kernel = _kernel()
        self._held = None if kernel is None else kernel.Memory(max_bytes)

    def __len__(self) -> int:
        return 0 if self._held is None else len(self._held)

    def __repr__(self) -> str:
        return f"<Memory of {len(self)} regions>"


def analyze_many(
    boards: Iterable[Board | npt.ArrayLike],
    mines: int | Sequence[int | None] | None = None,
    *,
    density: float | Fraction | str | None = None,
    clues: str | ClueModel | None = None,
    max_states: int = DEFAULT_MAX_STATES,
    workers: int | None = None,
) -> list[Analysis]:
    """Analyses many boards with the default backend, on `workers` threads (all cores) where there
    is a compiled kernel. `mines` is one number for all or one for each.

    Raises what `analyze` raises, for the first board that makes it raise, and ValueError when
    `mines` are not as many as the boards."""
    listed = list(boards)
    totals = [mines] * len(listed) if mines is None or isinstance(mines, int) else list(mines)
    if len(totals) != len(listed):
        raise ValueError(f"{len(listed)} boards, but {len(totals)} numbers of mines")
    kernel = _kernel()
    if kernel is not None and all(isinstance(board, np.ndarray) for board in listed):
        seen = _seen_many(kernel, listed, totals, (density, clues, max_states), workers)
        if seen is not None:
            return seen
    return [
        analyze(board, total, density=density, clues=clues, max_states=max_states)
        for board, total in zip(listed, totals, strict=True)
    ]


_Terms = tuple[
    int | None, float | Fraction | str | None, str | ClueModel | None, bool, int
]  # mines, density, clues, use_total, max_states


class _SeenAnalysis(Analysis):
    """What the kernel found. What it does not give, exact numbers above all, is counted by the
    engine when it is first asked for."""

    backend = counter = DEFAULT_BACKEND
    complete = True
    calls = 0

    def __init__(self, result: KernelResult, board: Board | None, terms: _Terms) -> None:
        self.probabilities = result.probabilities
        self._result = result
        self._board = board
        self._terms = terms

    @cached_property
    def safe(self) -> frozenset[Cell]:  # type: ignore[override]
        return self._result.safe

    @cached_property
    def mines(self) -> frozenset[Cell]:  # type: ignore[override]
        return self._result.mines

    @cached_property
    def log_solutions(self) -> float:
        return self._result.log_solutions

    @cached_property
    def frontier(self) -> Frontier:  # type: ignore[override]
        mines, density, clues, _, _ = self._terms
        board = Board(self._result.board) if self._board is None else self._board
        return frontier_of(board, mines, density=density, clues=clues)

    @cached_property
    def _problem(self) -> Problem:  # type: ignore[override]
        use_total = self._terms[3]
        return self.frontier.problem if use_total else self.frontier.problem.without_total()

    @cached_property
    def _counting(self) -> Backend:  # type: ignore[override]
        return load(DEFAULT_BACKEND, max_states=self._terms[4])


@cache
def _kernel() -> Kernel | None:
    return backend_class(DEFAULT_BACKEND).kernel()


def _seen(
    kernel: Kernel, board: Board | npt.ArrayLike, terms: _Terms, memory: Memory | None
) -> Analysis | None:
    """The analysis by the kernel, or None for what it does not do: input that is no board of its
    own, so that the error is found and named elsewhere. Raises Contradiction, TooWide."""
    mines, density, clues, use_total, max_states = terms
    held = None if memory is None else memory._held
    if type(board) is np.ndarray and density is None and clues is None and type(mines) is int:
        if mines < 0:
            return None
        codes, known, odds, model = board, None, 1.0, 0
        total = mines if use_total else -1
    else:
        known = board if isinstance(board, Board) else None
        prepared = _prepared(board, terms)
        if prepared is None:
            return None
        codes, total, odds, model = prepared
    try:
        result = kernel.analyze(codes, total, odds, model, max_states, held)
    except (TypeError, ValueError):
        return None
    found = _SeenAnalysis(result, known, terms)
    if result.status:
        _refuse(found)
    return found


def _prepared(
    board: Board | npt.ArrayLike, terms: _Terms
) -> tuple[npt.NDArray[np.int8], int, float, int] | None:
    """Codes, total, odds and model as the kernel takes them, or None."""
    mines, density, clues, use_total, _ = terms
    if not isinstance(board, Board):
        if not isinstance(board, np.ndarray) or board.ndim != 2 or board.dtype.kind not in "iu":
            return None
        codes, model = board, clue_model(EXACT if clues is None else clues)
    else:
        codes, model = board.codes, board.clues if clues is None else clue_model(clues)
        if mines is None and density is None:
            mines, density = board.mines, board.density
    if model.name not in KERNEL_MODELS or (mines is not None and density is not None):
        return None
    if mines is not None and (isinstance(mines, bool) or not 0 <= mines <= codes.size):
        return None
    likely = Fraction(1, 2) if density is None else as_density(density)
    if not 0 < likely < 1:
        return None
    total = -1 if mines is None or not use_total else int(mines)
    return codes, total, float(likely / (1 - likely)), KERNEL_MODELS[model.name]


def _seen_many(
    kernel: Kernel,
    boards: list[Board | npt.ArrayLike],
    totals: list[int | None],
    shared: tuple[float | Fraction | str | None, str | ClueModel | None, int],
    workers: int | None,
) -> list[Analysis] | None:
    """All analyses by the kernel, or None when one of the boards is not for it."""
    density, clues, max_states = shared
    each = [(total, density, clues, True, max_states) for total in totals]
    prepared = [_prepared(board, terms) for board, terms in zip(boards, each, strict=True)]
    ready = [one for one in prepared if one is not None]
    if not ready or len(ready) < len(boards):
        return None
    codes, mines, odds, models = zip(*ready, strict=True)
    threads = workers or cpu_count() or 1
    try:
        results = kernel.analyze_many(codes, mines, odds[0], models[0], max_states, threads)
    except (TypeError, ValueError):
        return None
    paired = zip(results, each, strict=True)
    found = [_SeenAnalysis(result, None, terms) for result, terms in paired]
    for one in found:
        if one._result.status:
            _refuse(one)
    return list(found)


def _refuse(found: _SeenAnalysis) -> None:
    """Raises what the status of the kernel's result stands for."""
    if found._result.status == KernelStatus.TOO_WIDE:
        raise TooWide(found._result.states, found._terms[4])
    raise _explained(Contradiction(), found.frontier)


def _counter(engine: Backend, counter: str | None, max_states: int) -> Backend:
    """The engine itself when it counts and no other was asked for."""
    if counter is None:
        return engine if engine.counts else load(DEFAULT_BACKEND, max_states=max_states)
    chosen = load(counter, max_states=max_states)
    if not chosen.counts:
        raise Unsupported(f"backend {counter!r} cannot count")
    return chosen


def _count(problem: Problem, counter: Backend) -> tuple[Deduction, Posterior]:
    """What the counter knew beforehand, and the posterior of the rest."""
    known = counter.simplify(problem)
    return known, posterior(problem.given(known.safe, known.mines), counter.count)


def _counted(frontier: Frontier, problem: Problem, engine: Backend) -> Analysis:
    """The analysis of an engine that counts: certain is what every solution agrees on."""
    known, counted = _count(problem, engine)
    safe, mines = counted.certain()
    deduction = known | Deduction(frozenset(safe), frozenset(mines))
    return Analysis(frontier, problem, engine, engine, deduction, (known, counted))


def _explained(error: Contradiction, frontier: Frontier) -> Contradiction:
    """The same error, able to name the clues."""
    from csp_mines.conflict import find_conflict

    return Contradiction(str(error), find=partial(find_conflict, frontier))
