"""The types of the compiled kernel, which takes a whole board and returns risks and certain cells.

An engine may offer a kernel (`Backend.capability`) where the contract of constraints is too slow.
The results are the same: certain cells by exact reasoning, and probabilities up to `error`. The
bindings of the kernel declare its interface; `solvers/native/_kernel.pyi` is generated from them.
The kernel may not be built, so the types here serve only type checkers. A caller that has a kernel
finds its classes and enums there, as in `kernel.Status.FITS`.
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
    """Return a total as the kernel takes it: -1 if there is none."""
    return -1 if total is None else total
