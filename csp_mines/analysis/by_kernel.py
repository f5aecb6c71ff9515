"""Whole boards by a compiled kernel: the short way past frontier and engines, where there is one.

What the kernel does not take (input that is no board, above all) is answered by None, so that the
long way finds the error and names it."""

from __future__ import annotations

from fractions import Fraction
from functools import cache, cached_property, partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from csp_mines.analysis.conflict import find_conflict
from csp_mines.analysis.contract import Analysis, frontier_of
from csp_mines.backend import DEFAULT_BACKEND, Backend, backend_class, load
from csp_mines.board import Board, Cell, as_density
from csp_mines.clues import EXACT, ClueModel, clue_model
from csp_mines.constraints import Frontier, Problem
from csp_mines.errors import Contradiction, TooWide
from csp_mines.kernel import KERNEL_MODELS, Kernel, KernelResult, KernelStatus

__all__ = ["KernelAnalysis", "Memory", "by_kernel", "default_kernel", "finished", "many_by_kernel"]

RawTerms = tuple[int | None, float | Fraction | str | None, str | ClueModel | None, bool, int]


class Terms(NamedTuple):
    """The arguments of `analyze` that a kernel is told; calls carry them as plain tuples, which
    are made faster."""

    mines: int | None
    density: float | Fraction | str | None
    clues: str | ClueModel | None
    use_total: bool
    max_states: int


class Memory:
    """What one game's analyses have counted, for the next ones; give it to `analyze`. Bounded by
    `max_bytes`. It changes how long an analysis takes, nothing else, and holds nothing when the
    pure engine serves."""

    def __init__(self, max_bytes: int = 64 << 20) -> None:
        kernel = default_kernel()
        self._held = None if kernel is None else kernel.Memory(max_bytes)

    def __len__(self) -> int:
        return 0 if self._held is None else len(self._held)

    def __repr__(self) -> str:
        return f"<Memory of {len(self)} regions>"


class KernelAnalysis(Analysis):
    """What the kernel found. What it does not give, exact numbers above all, is counted by the
    engine when it is first asked for."""

    backend = counter = DEFAULT_BACKEND
    complete = True
    calls = 0

    def __init__(self, result: KernelResult, board: Board | None, terms: RawTerms) -> None:
        self.probabilities = result.probabilities
        self._result = result
        self._board = board
        self._raw_terms = terms

    @property
    def _terms(self) -> Terms:
        return Terms._make(self._raw_terms)

    @cached_property
    def safe(self) -> frozenset[Cell]:  # type: ignore[override]
        return self._result.safe

    @cached_property
    def mines(self) -> frozenset[Cell]:  # type: ignore[override]
        return self._result.mines

    @cached_property
    def safe_mask(self) -> npt.NDArray[np.bool_]:
        return self._result.safe_mask

    @cached_property
    def mine_mask(self) -> npt.NDArray[np.bool_]:
        return self._result.mine_mask

    @cached_property
    def log_solutions(self) -> float:
        return self._result.log_solutions

    @cached_property
    def frontier(self) -> Frontier:  # type: ignore[override]
        terms = self._terms
        board = Board(self._result.board) if self._board is None else self._board
        return frontier_of(board, terms.mines, density=terms.density, clues=terms.clues)

    @cached_property
    def _problem(self) -> Problem:  # type: ignore[override]
        problem = self.frontier.problem
        return problem if self._terms.use_total else problem.without_total()

    @cached_property
    def _counting(self) -> Backend:  # type: ignore[override]
        return load(DEFAULT_BACKEND, max_states=self._terms.max_states)


_SLICE = 64  # boards a thread does before Ctrl-C is heard


@cache
def default_kernel() -> Kernel | None:
    return backend_class(DEFAULT_BACKEND).kernel()


def by_kernel(
    kernel: Kernel, board: Board | npt.ArrayLike, terms: RawTerms, memory: Memory | None
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
    found = KernelAnalysis(result, known, terms)
    if result.status:
        _refuse(found)
    return found


def _prepared(
    board: Board | npt.ArrayLike, terms: RawTerms
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
    if mines is not None and not _is_total(mines, codes.size):
        return None
    likely = Fraction(1, 2) if density is None else as_density(density)
    total = -1 if mines is None or not use_total else int(mines)
    return codes, total, float(likely / (1 - likely)), KERNEL_MODELS[model.name]


def _is_total(mines: object, cells: int) -> bool:
    whole = isinstance(mines, (int, np.integer)) and not isinstance(mines, bool)
    return whole and 0 <= mines <= cells  # type: ignore[operator]


def many_by_kernel(
    kernel: Kernel, boards: list[Board | npt.ArrayLike], each: list[RawTerms], threads: int
) -> list[KernelAnalysis] | None:
    """All analyses by the kernel, or None when one of the boards is not for it. Boards go in
    slices, between which Ctrl-C is heard. Threads share the states that one analysis may keep, so
    a board may have to be done again alone: `finished` says which."""
    prepared = [_prepared(board, terms) for board, terms in zip(boards, each, strict=True)]
    ready = [one for one in prepared if one is not None]
    if not ready or len(ready) < len(boards):
        return None
    max_states = max(1, Terms._make(each[0]).max_states // threads)
    results: list[KernelResult] = []
    for start in range(0, len(ready), _SLICE * threads):
        codes, mines, odds, models = zip(*ready[start : start + _SLICE * threads], strict=True)
        try:
            results += kernel.analyze_many(codes, mines, odds[0], models[0], max_states, threads)
        except (TypeError, ValueError):
            return None
    paired = zip(results, each, strict=True)
    return [KernelAnalysis(result, None, terms) for result, terms in paired]


def finished(found: KernelAnalysis) -> bool:
    """Whether the kernel came to an end. Raises Contradiction when that is what it found."""
    status = found._result.status
    if status == KernelStatus.CONTRADICTION:
        _refuse(found)
    return status == KernelStatus.FITS


def _refuse(found: KernelAnalysis) -> None:
    """Raises what the status of the kernel's result stands for."""
    if found._result.status == KernelStatus.TOO_WIDE:
        raise TooWide(found._result.states, found._terms.max_states)
    raise Contradiction(find=partial(find_conflict, _board(found)))


def _board(found: KernelAnalysis) -> Board:
    """The board as it was analysed. Raises BoardError for a total that is none."""
    terms = found._terms
    given = Board(found._result.board) if found._board is None else found._board
    total, density = terms.mines, terms.density
    if total is None and density is None:
        total, density = given.mines, given.density
    clues = given.clues if terms.clues is None else terms.clues
    return Board(given.codes, mines=total, density=density, clues=clues)
