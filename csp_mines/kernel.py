"""The types of the compiled kernel, for annotations.

A backend may offer a kernel (`Backend.capability`) for tasks that are too slow over constraints.
The kernel takes whole boards and gives floats and certain cells. Certain cells come from exact
reasoning; the error of a probability is at most `error`. The bindings declare the interface, and
`solvers/native/_kernel.pyi` is generated from them. The kernel may not be built, so this module
imports nothing from it at run time. A caller finds classes and enums at the kernel that it was
given, as in `kernel.Status.FITS`.
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
"""The name of the member of the kernel's `Model` for each clue model."""


def in_kernel(total: int | None) -> int:
    """Return a total as the kernel takes it: -1 if there is none."""
    return -1 if total is None else total
