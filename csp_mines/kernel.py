"""Names for the types of the compiled kernel, and functions that make arguments for the kernel.

A backend may offer a kernel (`Backend.capability`) for tasks that take too long in Python. For
example, the kernel analyses whole boards by exact reasoning. Its probabilities are floats, and
`KernelResult.error` bounds their error. The C++ bindings declare the interface of the kernel, and
`make stubs` generates `solvers/native/_kernel.pyi` from the bindings. This module imports nothing
from the kernel at run time, because the kernel may be missing. A caller of the kernel reads classes
and enums from the kernel itself, as in `kernel.Status.FITS`.
"""

from __future__ import annotations

import atexit
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, chain
from math import inf
from typing import TYPE_CHECKING, Any, TypeVar

from csp_mines import defaults
from csp_mines.errors import CspMinesError, EngineFault, OutOfTime, TooWide
from csp_mines.geometry import SQUARE, Geometry

if TYPE_CHECKING:
    from typing import TypeAlias

    from solvers.native._kernel import Kernel as _Kernel

    Kernel: TypeAlias = type[_Kernel]
    KernelMade: TypeAlias = _Kernel.Made
    KernelMemory: TypeAlias = _Kernel.Memory
    KernelModel: TypeAlias = _Kernel.Model
    KernelMoves: TypeAlias = list[tuple[_Kernel.MoveKind, int, float, float]]
    KernelRecord: TypeAlias = _Kernel.Record
    KernelResult: TypeAlias = _Kernel.Result
    KernelSearched: TypeAlias = _Kernel.Searched
    KernelStatus: TypeAlias = _Kernel.Status
    KernelStrength: TypeAlias = _Kernel.Strength
    KernelTable: TypeAlias = _Kernel.Table

Entry = TypeVar("Entry")

FAULT = (
    "the kernel has a defect: its probabilities do not add up to the clues or the total; "
    "analyse the board with backend 'native:pure'"
)  # the message of an EngineFault
MOST_PAIRS = 32_000_000  # the most entries of a table of neighbours; they take 128 megabytes

KERNEL_MODELS = {
    "exact": "EXACT",
    "silent": "EXACT",
    "optimistic": "OPTIMISTIC",
    "cautious": "CAUTIOUS",
}
"""For each supported clue model, the name of a member of the kernel's enum `Model`."""


def fits_kernel(geometry: Geometry, shape: tuple[int, ...]) -> bool:
    """Return whether the table of neighbours of a board is small enough for the kernel; the square
    grid needs no table. The last two numbers of `shape` are the rows and columns of the board."""
    return geometry is SQUARE or shape[-2] * shape[-1] * geometry.most <= MOST_PAIRS


def kernel_model(kernel: Kernel, clues: str) -> KernelModel:
    """Return the member of the kernel's enum `Model` for the clue model with the name `clues`."""
    if clues not in _models:
        _models[clues] = kernel.Model[KERNEL_MODELS[clues]]
    return _models[clues]


_models: dict[str, KernelModel] = {}  # kept, because each lookup in the enum takes 200 ns


def failure(
    status: KernelStatus,
    states: int,
    max_states: int,
    max_memory: int,
    seconds: float | None = None,
    fault: str = FAULT,
) -> CspMinesError:
    """Return the error for a status of the kernel other than FITS. `states` is the number of states
    at which the kernel stopped, and `max_states`, `max_memory` and `seconds` are its limits.
    `fault` is the message about a defect. A caller for whom CONTRADICTION is no defect checks for
    this status first."""
    statuses = type(status)
    if status is statuses.TOO_WIDE:
        return TooWide(states, max_states, max_memory)
    if status is statuses.OUT_OF_TIME:
        return OutOfTime(inf if seconds is None else seconds, defaults.BACKEND)
    return EngineFault(fault)


def kernel_table(kernel: Kernel, geometry: Geometry, shape: tuple[int, ...]) -> KernelTable | None:
    """Return the table of neighbours that the kernel needs for a board, or None for the square
    grid. `shape` is the numbers of rows and columns."""
    if geometry is SQUARE:
        return None
    key: Any = kernel  # type checkers wrongly think that the class has no hash
    return _table(key, geometry, *shape)


@lru_cache(maxsize=16)
def _table(kernel: Any, geometry: Geometry, rows: int, cols: int) -> KernelTable:
    starts, cells = geometry.table(rows, cols)
    table: KernelTable = kernel.Table(rows, cols, geometry.most, starts, cells)
    return table


# At exit, the caches are cleared. If a cached object outlived the kernel, nanobind would report a
# leak.
atexit.register(_table.cache_clear)
atexit.register(_models.clear)


def flattened(lists: Sequence[Sequence[Entry]]) -> tuple[list[int], list[Entry]]:
    """Return several lists as the kernel expects them: where each list begins, with the end of the
    last one, and the entries of all lists."""
    return [0, *accumulate(map(len, lists))], list(chain.from_iterable(lists))


def in_kernel(total: int | None) -> int:
    """Return `total` as the kernel expects it: -1 for None, an unknown total."""
    return -1 if total is None else total
