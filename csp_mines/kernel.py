"""The types of the compiled kernel, for annotations.

A backend may offer a kernel (`Backend.capability`) for tasks that take too long in Python. The
kernel takes whole boards. It returns certain cells, which it finds by exact reasoning, and
probabilities as floats, whose error is at most `error`. The bindings declare the interface, and
`solvers/native/_kernel.pyi` is generated from them. This module imports nothing from the kernel at
run time, because the kernel may be missing. A caller reads classes and enums from the kernel object
that it was given, as in `kernel.Status.FITS`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

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

__all__ = ["KERNEL_MODELS", "in_kernel"]

KERNEL_MODELS = {
    "exact": "EXACT",
    "silent": "EXACT",
    "optimistic": "OPTIMISTIC",
    "cautious": "CAUTIOUS",
}
"""For each clue model, the name of the member of the kernel's enum `Model` that stands for it."""


def in_kernel(total: int | None) -> int:
    """Return the total as the kernel expects it: -1 if it is unknown."""
    return -1 if total is None else total
