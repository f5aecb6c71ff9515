"""The part of a compiled kernel that plays and makes layouts, where there is one."""

from __future__ import annotations

from typing import Protocol, cast

from csp_mines.backend import Capability, offered

__all__ = ["MAX_GAME_CELLS", "LayoutKernel", "Made", "Size", "layout_kernel"]

MAX_GAME_CELLS = 1_000_000

Size = tuple[int, int, int, int, int, bool]
"""Rows, columns, mines, row and column of the first cell, whether it starts with a zero."""

Made = tuple[int, bytes, int, tuple[int, ...]]
"""The number of a layout, a byte a cell, the rank of its grade, its rounds by rank."""


class LayoutKernel(Protocol):
    """Grades are ranks, -1 for none. Raises ValueError for what makes no sense, OverflowError when
    a row reduction outgrows 64 bits."""

    def uniform_layouts(
        self, size: Size, easiest: int, hardest: int, key: int, begin: int, end: int,
        max_states: int, threads: int, /,
    ) -> tuple[list[Made], int]: ...  # fmt: skip

    def repaired_layouts(
        self, size: Size, easiest: int, hardest: int, key: int, begin: int, end: int, plays: int,
        max_states: int, threads: int, /,
    ) -> list[Made]: ...  # fmt: skip

    def play_layout(
        self, size: Size, mines: bytes, hardest: int, max_states: int, /
    ) -> tuple[bool, bool, int, tuple[int, ...], list[tuple[int, list[int]]]]: ...

    def deduce_board(
        self, board: object, engine: int, mines: int, max_states: int, /
    ) -> tuple[list[int], list[int]] | None: ...


def layout_kernel() -> LayoutKernel | None:
    """The kernel, or None when the pure engines are to serve."""
    return cast("LayoutKernel | None", offered(Capability.LAYOUTS))
