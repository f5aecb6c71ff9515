"""The part of a compiled kernel that plays and makes layouts, where there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from csp_mines.backend import Capability, offered

if TYPE_CHECKING:
    from csp_mines.kernel import Kernel

__all__ = ["MAX_GAME_CELLS", "layout_kernel"]

MAX_GAME_CELLS = 1_000_000


def layout_kernel() -> Kernel | None:
    """The kernel, or None when the pure engines are to serve."""
    return offered(Capability.LAYOUTS)
