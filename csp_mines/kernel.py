"""The compiled kernel as the library names it: a whole board in, floats and certain cells out.

A backend may offer a kernel (`Backend.capability`) for what the constraints-only contract is too
slow for. It finds the same: certain cells by exact reasoning, probabilities to within `error`. The
kernel declares its own interface, in its bindings; `solvers/native/_kernel.pyi` is generated from
them. Nothing here is there when the kernel is not built, so all but the models serves type checkers
only: a caller that has a kernel finds its classes and enums there, as in `kernel.Status.FITS`.
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
"""The member of the kernel's `Model` that serves a clue model, by name."""


def in_kernel(total: int | None) -> int:
    """A total as the kernel takes it: -1 where there is none."""
    return -1 if total is None else total
