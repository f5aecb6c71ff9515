"""Whole boards by a compiled kernel: the short way past frontier and engines, where there is one.

What the kernel does not take (input that is no board, above all) is answered by None, so that the
long way finds the error and names it."""

from __future__ import annotations

from fractions import Fraction
from functools import cache, cached_property
from os import cpu_count

import numpy as np
import numpy.typing as npt

from csp_mines.backend import DEFAULT_BACKEND, Backend, backend_class, load
from csp_mines.board import Board, Cell, as_density
from csp_mines.clues import EXACT, ClueModel, clue_model
from csp_mines.constraints import Frontier, Problem
from csp_mines.errors import Contradiction, TooWide
from csp_mines.found import Analysis, explained, frontier_of
from csp_mines.kernel import KERNEL_MODELS, Kernel, KernelResult, KernelStatus

__all__ = ["Memory", "Terms", "default_kernel", "seen", "seen_many"]

Terms = tuple[
    int | None, float | Fraction | str | None, str | ClueModel | None, bool, int
]  # mines, density, clues, use_total, max_states


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


class _SeenAnalysis(Analysis):
    """What the kernel found. What it does not give, exact numbers above all, is counted by the
    engine when it is first asked for."""

    backend = counter = DEFAULT_BACKEND
    complete = True
    calls = 0

    def __init__(self, result: KernelResult, board: Board | None, terms: Terms) -> None:
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
def default_kernel() -> Kernel | None:
    return backend_class(DEFAULT_BACKEND).kernel()


def seen(
    kernel: Kernel, board: Board | npt.ArrayLike, terms: Terms, memory: Memory | None
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
    board: Board | npt.ArrayLike, terms: Terms
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


def seen_many(
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
    raise explained(Contradiction(), found.frontier)
