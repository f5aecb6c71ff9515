"""The part of the compiled kernel that plays and makes layouts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from csp_mines.backend import Capability, offered

if TYPE_CHECKING:
    from csp_mines.kernel import Kernel

__all__ = ["MAX_GAME_CELLS", "layout_kernel"]

MAX_GAME_CELLS = 1_000_000


def layout_kernel() -> Kernel | None:
    """Return the kernel, or None if the pure-Python engines must do the work."""
    return offered(Capability.LAYOUTS)
