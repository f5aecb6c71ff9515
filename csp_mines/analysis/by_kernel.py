"""Analyses by the compiled kernel: whole boards in, without frontier or engine, where it was built.

What the kernel does not take (input that is no board, above all) is answered by None, so that the
engines find the error and name it. What it does not give, exact numbers above all, is counted by
the engine when it is first asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import inf
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from csp_mines import arguments
from csp_mines.analysis.by_engine import EngineAnalysis, counted
from csp_mines.analysis.conflict import find_conflict
from csp_mines.analysis.contract import Analysis, Status
from csp_mines.analysis.exact_numbers import ExactNumbers
from csp_mines.analysis.move import ALIKE, Choice, Move
from csp_mines.analysis.winning import Position
from csp_mines.backend import DEFAULT_BACKEND, default_kernel, load
from csp_mines.board import Board, Cell, as_board, as_density
from csp_mines.clues import EXACT, ClueModel, clue_model
from csp_mines.constraints import Frontier
from csp_mines.errors import Contradiction, EngineFault, OutOfTime, TooWide
from csp_mines.kernel import KERNEL_MODELS, Kernel, KernelResult, KernelStatus, Outlook
from csp_mines.words import plural

__all__ = ["KernelAnalysis", "Memory", "by_kernel", "finished", "many_by_kernel"]

RawTerms = tuple[
    int | None,
    float | Fraction | str | None,
    str | ClueModel | None,
    bool,
    int,
    int,
    float | None,
    str,
]


class Terms(NamedTuple):
    """The arguments of `analyze` that a kernel is told, and the rule by which moves are chosen;
    calls carry them as plain tuples, which are made faster."""

    mines: int | None
    density: float | Fraction | str | None
    clues: str | ClueModel | None
    use_total: bool
    max_states: int
    max_memory: int
    seconds: float | None
    rule: str


_MOST_BYTES = 1 << 48


class Memory:
    """What one game's analyses have counted, for the next ones; give it to `analyze`. Bounded by
    `max_bytes`. It changes how long an analysis takes, nothing else, and holds nothing when the
    pure engine serves."""

    def __init__(self, max_bytes: int = 64 << 20) -> None:
        """Raises InputError for what is no number of bytes."""
        most = arguments.whole(max_bytes, "max_bytes", 0, _MOST_BYTES)
        kernel = default_kernel()
        self._held = None if kernel is None else kernel.Memory(most)

    def __len__(self) -> int:
        return 0 if self._held is None else len(self._held)

    def __repr__(self) -> str:
        return f"<Memory of {plural(len(self), 'region')}>"


class KernelAnalysis(Analysis):
    """What the kernel found."""

    __slots__ = (
        "_board", "_chosen", "_mines", "_numbers", "_result", "_safe", "_terms", "_told",
        "probabilities",
    )  # fmt: skip

    backend = counter = DEFAULT_BACKEND
    complete = True
    calls = 0

    probabilities: npt.NDArray[np.float64]

    def __init__(self, result: KernelResult, board: Board | None, terms: RawTerms) -> None:
        self.probabilities = result.probabilities
        self._result = result
        self._board = board
        self._terms = terms
        self._told: Frontier | None = None
        self._numbers: ExactNumbers | EngineAnalysis | None = None
        self._chosen: Move | None = None
        # The kernel builds a set of cells each time it is asked.
        self._safe: frozenset[Cell] | None = None
        self._mines: frozenset[Cell] | None = None

    @property
    def board(self) -> Board:
        if self._board is None:
            self._board = Board.of_codes(self._result.board)
        return self._board

    @property
    def safe(self) -> frozenset[Cell]:
        if self._safe is None:
            self._safe = self._result.safe
        return self._safe

    @property
    def mines(self) -> frozenset[Cell]:
        if self._mines is None:
            self._mines = self._result.mines
        return self._mines

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
        return _STATUS[Outlook(self._result.outlook)]

    @property
    def choice(self) -> Choice | None:
        found = self._result.safest(ALIKE)
        return None if found is None else Choice._make(found)

    @property
    def move(self) -> Move | None:
        if self._chosen is None:
            self._chosen = self._move_by(self._terms[-1])
        return self._chosen

    @property
    def rule(self) -> str:
        return self._terms[-1]

    @property
    def position(self) -> Position | None:
        _, _, clues, use_total, max_states, _, _, _ = self._terms
        mines, density = self._prior
        if self._board is not None and clues is None:
            clues = self._board.clues
        if density is not None or (clues is not None and clue_model(clues).name != EXACT.name):
            return None
        total = -1 if mines is None or not use_total else int(mines)
        result = self._result
        return Position(result.board if isinstance(result, _Kept) else result, total, max_states)

    @property
    def _prior(self) -> tuple[int | None, float | Fraction | str | None]:
        """The number of mines and the density that were given; where neither was, the board's."""
        mines, density = self._terms[:2]
        if mines is None and density is None and self._board is not None:
            return self._board.mines, self._board.density
        return mines, density

    @property
    def frontier(self) -> Frontier:
        if self._told is None:
            terms = Terms._make(self._terms)
            self._told = Frontier.of(
                self.board, mines=terms.mines, density=terms.density, clues=terms.clues
            )
        return self._told

    @property
    def uses_total(self) -> bool:
        return self._prior[0] is not None and Terms._make(self._terms).use_total

    @property
    def solutions(self) -> int:
        return self._exactly.solutions

    def probability(self, cell: Cell) -> Fraction:
        numbers = self._numbers
        return (self._exactly if numbers is None else numbers).probability(cell)

    @property
    def _exactly(self) -> ExactNumbers | EngineAnalysis:
        """What counts exactly, made when it is first needed."""
        if self._numbers is None:
            terms = Terms._make(self._terms)
            self._numbers = _exact_numbers(self.board, terms) or _by_engine(self.frontier, terms)
        return self._numbers

    def __reduce__(self) -> tuple[Any, ...]:
        return KernelAnalysis, (_Kept.of(self._result), self.board, self._terms)


_STATUS = {
    Outlook.PROGRESS: Status.PROGRESS,
    Outlook.GUESS: Status.GUESS,
    Outlook.SOLVED: Status.SOLVED,
}


@dataclass(frozen=True)
class _Kept:
    """A kernel's result that has left the kernel: what a pickle or a copy holds."""

    status: int
    states: int
    error: float
    log_solutions: float
    outlook: int
    probabilities: npt.NDArray[np.float64]
    board: npt.NDArray[np.int8]
    safe: frozenset[Cell]
    mines: frozenset[Cell]
    safe_mask: npt.NDArray[np.bool_]
    mine_mask: npt.NDArray[np.bool_]
    choice: tuple[Cell, float, int, bool] | None

    @classmethod
    def of(cls, result: KernelResult) -> _Kept:
        return cls(
            result.status, result.states, result.error, result.log_solutions, result.outlook,
            np.array(result.probabilities), result.board, result.safe, result.mines,
            result.safe_mask, result.mine_mask, result.safest(ALIKE),
        )  # fmt: skip

    def safest(self, alike: float) -> tuple[Cell, float, int, bool] | None:
        """The choice that was made with the tolerance there is."""
        return self.choice


def by_kernel(
    kernel: Kernel, board: Board | npt.ArrayLike, terms: RawTerms, memory: Memory | None
) -> Analysis | None:
    """The analysis by the kernel, or None for what it does not do: input that is no board of its
    own, so that the error is found and named elsewhere. Raises Contradiction, TooWide, OutOfTime.
    """
    mines, density, clues, use_total, max_states, max_memory, seconds, _ = terms
    held = None if memory is None else memory._held
    if type(board) is np.ndarray and density is None and clues is None and type(mines) is int:
        if mines < 0:
            return None
        codes, known, odds, model = board, None, 1.0, 0
        total = mines if use_total else -1
    else:
        given = board if isinstance(board, np.ndarray) else as_board(board)
        known = given if isinstance(given, Board) else None
        prepared = _prepared(given, terms)
        if prepared is None:
            return None
        codes, total, odds, model = prepared
    limit = inf if seconds is None else seconds
    try:
        result = kernel.analyze(codes, total, odds, model, max_states, limit, held, max_memory)
    except (TypeError, ValueError):
        return None
    found = KernelAnalysis(result, known, terms)
    if result.status:
        _refuse(found)
    return found


def _prepared(
    board: Board | npt.NDArray[Any], terms: RawTerms
) -> tuple[npt.NDArray[np.int8], int, float, int] | None:
    """Codes, total, odds and model as the kernel takes them, or None."""
    mines, density, clues, use_total, _, _, _, _ = terms
    if not isinstance(board, Board):
        if board.ndim != 2 or board.dtype.kind not in "iu":
            return None
        codes, model = board, clue_model(EXACT if clues is None else clues)
    else:
        codes, model = board.codes, board.clues if clues is None else clue_model(clues)
        if mines is None and density is None:
            mines, density = board.mines, board.density
    if model.name not in KERNEL_MODELS or (mines is not None and density is not None):
        return None
    total = -1
    if mines is not None:
        if isinstance(mines, bool) or not isinstance(mines, (int, np.integer)):
            return None
        if not 0 <= mines <= codes.size:
            return None
        total = int(mines) if use_total else -1
    odds = 1.0
    if density is not None:
        likely = as_density(density)
        odds = float(likely / (1 - likely))
    return codes, total, odds, KERNEL_MODELS[model.name]


def many_by_kernel(
    kernel: Kernel, boards: list[Board | npt.NDArray[Any]], each: list[RawTerms], threads: int
) -> list[KernelAnalysis] | None:
    """All analyses by the kernel, or None when one of the boards is not for it, or their priors or
    clue models differ. Threads share the memory that one analysis may take, so a board may have to
    be done again alone: `finished` says which."""
    prepared = [_prepared(board, terms) for board, terms in zip(boards, each, strict=True)]
    ready = [asked for asked in prepared if asked is not None]
    if not ready or len(ready) < len(boards):
        return None
    shared = Terms._make(each[0])
    max_states = max(1, shared.max_states // threads)
    max_memory = max(1, shared.max_memory // threads)
    seconds = inf if shared.seconds is None else shared.seconds
    codes, totals, odds, models = zip(*ready, strict=True)
    if len(set(odds)) > 1 or len(set(models)) > 1:
        return None
    try:
        results = kernel.analyze_many(
            codes, totals, odds[0], models[0], max_states, seconds, threads, max_memory
        )
    except (TypeError, ValueError):
        return None
    return [
        KernelAnalysis(result, board if isinstance(board, Board) else None, terms)
        for result, board, terms in zip(results, boards, each, strict=True)
    ]


def finished(found: KernelAnalysis) -> bool:
    """Whether the kernel came to an end. Raises Contradiction when that is what it found."""
    status = found._result.status
    if status in (KernelStatus.CONTRADICTION, KernelStatus.FAULT):
        _refuse(found)
    return status == KernelStatus.FITS


def _refuse(found: KernelAnalysis) -> None:
    """Raises what the status of the kernel's result stands for."""
    status, terms = found._result.status, Terms._make(found._terms)
    if status == KernelStatus.TOO_WIDE:
        refusal = TooWide(found._result.states, terms.max_states, terms.max_memory)
        refusal.counted = found._result.probabilities
        raise refusal
    if status == KernelStatus.OUT_OF_TIME:
        raise OutOfTime(terms.seconds or 0.0)
    if status == KernelStatus.FAULT:
        raise EngineFault("the kernel's probabilities do not add up to the clues")
    raise Contradiction(find=partial(find_conflict, _board(found)))


def _exact_numbers(board: Board, terms: Terms) -> ExactNumbers | None:
    """By the kernel, or None where it has no exact numbers: noisy clues weigh their layouts, and
    an engine has the weights."""
    kernel = default_kernel()
    model = board.clues if terms.clues is None else clue_model(terms.clues)
    if kernel is None or KERNEL_MODELS.get(model.name) != KERNEL_MODELS[EXACT.name]:
        return None
    mines, density = terms.mines, terms.density
    if mines is None and density is None:
        mines, density = board.mines, board.density
    likely = None if density is None else as_density(density)
    return ExactNumbers(
        kernel,
        board,
        None if mines is None or not terms.use_total else int(mines),
        Fraction(1) if likely is None else likely / (1 - likely),
        terms.max_states,
        terms.max_memory,
        inf if terms.seconds is None else terms.seconds,
    )


def _by_engine(frontier: Frontier, terms: Terms) -> EngineAnalysis:
    problem = frontier.problem.told(terms.use_total)
    # The kernel could count it, with its own order of boxes: another order may need more states.
    engine = load(
        DEFAULT_BACKEND,
        max_states=4 * terms.max_states,
        max_memory=4 * terms.max_memory,
        seconds=terms.seconds,
    )
    return counted(frontier, problem, engine, terms.rule)


def _board(found: KernelAnalysis) -> Board:
    """The board as it was analysed. Raises BoardError for a total that is none."""
    terms, given = Terms._make(found._terms), found.board
    total, density = found._prior
    clues = given.clues if terms.clues is None else terms.clues
    return Board(given.codes, mines=total, density=density, clues=clues)
