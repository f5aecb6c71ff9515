"""Names for the types of the compiled kernel, and functions that make its arguments from boards.

A backend may offer a kernel (`Backend.capability`) for tasks that take too long in Python. The
kernel takes whole boards. It returns the cells that exact reasoning proves safe or mines, and
probabilities as floats. The field `error` of a result is a bound on the error of these
probabilities. The C++ bindings declare the interface, and `solvers/native/_kernel.pyi` is generated
from them. This module imports nothing from the kernel at run time, because the kernel may be
missing. A caller reads classes and enums from the kernel object that it was given, as in
`kernel.Status.FITS`.
"""

from __future__ import annotations

import atexit
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from csp_mines.geometry import SQUARE, Cell, Geometry

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

FAULT = (
    "the kernel has a defect: its probabilities do not add up to the clues or the total; "
    "analyse the board with backend 'native:pure'"
)  # the message of an EngineFault
MOST_PAIRS = 32_000_000  # the most pairs of neighbours in a table, which then takes 128 megabytes

KERNEL_MODELS = {
    "exact": "EXACT",
    "silent": "EXACT",
    "optimistic": "OPTIMISTIC",
    "cautious": "CAUTIOUS",
}
"""For each clue model, the name of its member in the kernel's enum `Model`."""


def fits_kernel(geometry: Geometry, shape: tuple[int, ...]) -> bool:
    """Return whether the kernel can take a board on a grid that is not the square grid: its table
    of neighbours must not be too large. The last two numbers of `shape` are the rows and columns of
    the board."""
    return shape[-2] * shape[-1] * geometry.most <= MOST_PAIRS


def kernel_model(kernel: Kernel, clues: str) -> KernelModel:
    """Return the member of the kernel's enum `Model` for the clue model with the name `clues`."""
    if clues not in _models:
        _models[clues] = kernel.Model[KERNEL_MODELS[clues]]
    return _models[clues]


_models: dict[str, KernelModel] = {}  # kept, because each lookup in the enum takes 200 ns


def kernel_holes(holes: Iterable[Cell], cols: int) -> list[int]:
    """Return the holes as the kernel expects them: numbered row by row, in ascending order."""
    return sorted(row * cols + col for row, col in holes)


def kernel_table(kernel: Kernel, geometry: Geometry, shape: tuple[int, ...]) -> KernelTable | None:
    """Return the neighbours of all cells as the kernel expects them: a table, or None for the
    square grid."""
    if geometry is SQUARE:
        return None
    key: Any = kernel  # type checkers wrongly think that the class has no hash
    return _table(key, geometry, *shape)


@lru_cache(maxsize=16)
def _table(kernel: Any, geometry: Geometry, rows: int, cols: int) -> KernelTable:
    starts, cells = geometry.table(rows, cols)
    table: KernelTable = kernel.Table(rows, cols, geometry.most, starts, cells)
    return table


# The cached objects are dropped at exit. If they outlived the kernel, they would be reported as
# leaks.
atexit.register(_table.cache_clear)
atexit.register(_models.clear)


def in_kernel(total: int | None) -> int:
    """Return the total as the kernel expects it: -1 if it is unknown."""
    return -1 if total is None else total
