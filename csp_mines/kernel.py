"""The contract of a compiled kernel: a whole board in, floats and certain cells out.

A backend may offer one (`Backend.kernel`) for what the constraints-only contract is too slow for.
What it finds is the same: certain cells by exact reasoning, probabilities to within `error`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

__all__ = [
    "KERNEL_MODELS",
    "PROVED_MINE",
    "PROVED_SAFE",
    "CountingKernel",
    "Kernel",
    "KernelMemory",
    "KernelResult",
    "KernelStatus",
    "Outlook",
    "SamplingKernel",
    "in_kernel",
]

KERNEL_MODELS = {"exact": 0, "silent": 0, "optimistic": 1, "cautious": 2}


def in_kernel(total: int | None) -> int:
    """A total as the kernel takes it: -1 where there is none."""
    return -1 if total is None else total


class KernelStatus(IntEnum):
    """How an analysis ended. FAULT: what was found breaks a law that every answer keeps."""

    FITS = 0
    CONTRADICTION = 1
    TOO_WIDE = 2
    OUT_OF_TIME = 3
    FAULT = 4


class Outlook(IntEnum):
    """How things stand on a board that some layout fits."""

    PROGRESS = 0
    GUESS = 1
    SOLVED = 2


# Status, cell, risk, chance to win, whether no player has a better one, number of the reason, and
# how many layouts were searched.
Advice = tuple[int, tuple[int, int] | None, float, float | None, bool, int, int]


class KernelResult(Protocol):
    """`status` is a KernelStatus; with another than FITS only `states` and `board` mean anything.
    `error` bounds the error of every probability, `outlook` is an Outlook. `states` were made in
    all; with TOO_WIDE, so many were kept at once when the kernel gave up."""

    @property
    def status(self) -> int: ...
    @property
    def states(self) -> int: ...
    @property
    def error(self) -> float: ...
    @property
    def outlook(self) -> int: ...
    @property
    def log_solutions(self) -> float: ...
    @property
    def probabilities(self) -> npt.NDArray[np.float64]: ...
    @property
    def board(self) -> npt.NDArray[np.int8]: ...
    @property
    def safe(self) -> frozenset[tuple[int, int]]: ...
    @property
    def mines(self) -> frozenset[tuple[int, int]]: ...
    @property
    def safe_mask(self) -> npt.NDArray[np.bool_]: ...
    @property
    def mine_mask(self) -> npt.NDArray[np.bool_]: ...
    def safest(self, alike: float, /) -> tuple[tuple[int, int], float, int, bool] | None:
        """A cell, its risk, how many are as safe (risks that differ by less than `alike` are equal)
        and whether it is proved, by the rule of `csp_mines.analysis.move`."""

    def best_move(self, mines: int, strength: object, max_states: int, /) -> Advice:
        """Of the board that was analysed."""


class KernelMemory(Protocol):
    """Regions counted before, kept between calls."""

    def __len__(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def hits(self) -> int: ...
    @property
    def misses(self) -> int: ...


class SamplingKernel(Protocol):
    """What a kernel needs for this. Boxes and constraints are those of all regions, in order;
    a constraint's weights say how much every number of its mines weighs. `log_ways` and `risks` are
    those of `csp_mines.sampling.Outside`, empty without a total. Gives the expected mines of every
    box, then the risk of every group outside, their standard errors, and how many moves and batches
    they come from; None when it finds no layout to start from."""

    def sample(
        self,
        sizes: Sequence[int],
        first: Sequence[int],
        members: Sequence[int],
        first_weight: Sequence[int],
        weights: Sequence[float],
        log_ways: Sequence[float],
        risks: Sequence[float],
        odds: float,
        starts: Sequence[int],
        seed: int,
        moves: int,
        work: int,
        seconds: float,
        sweeps: bool = ...,
        /,
    ) -> tuple[list[float], list[float], int, int] | None: ...


class CountingKernel(Protocol):
    """Exact counts. `status` is a KernelStatus; with another than FITS only `states` means
    anything."""

    def count_region(
        self,
        sizes: Sequence[int],
        first: Sequence[int],
        members: Sequence[int],
        low: Sequence[int],
        high: Sequence[int],
        first_weight: Sequence[int],
        weights: Sequence[int],
        max_states: int,
        seconds: float,
        max_bytes: int = ...,
        /,
    ) -> tuple[
        int, int, int, tuple[int, ...], tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]
    ]:
        """Any region: boxes of these `sizes`, constraints over boxes `members[first[c]:first[c +
        1]]`, whose weights, where it has any, are `weights[first_weight[c]:first_weight[c + 1]]`.
        Status, states, and what a RegionCount holds."""

    def count_board(
        self, board: object, boxes: bool, max_states: int, seconds: float, max_bytes: int = ..., /
    ) -> tuple[int, int, int, int, npt.NDArray[np.int8] | None, list[tuple[Any, ...]]]:
        """The regions of a board with exact clues, when single clues and pairs of them were heard:
        status, states, cells in the sea, mines known, and per region its fewest mines, its `ways`,
        the `mines` of its boxes and their cells; for a region of one clue None, its size, its mines
        and its box. Without `boxes` only the ways; with them, codes that tell PROVED cells."""


PROVED_MINE, PROVED_SAFE = -5, -6  # the codes of cells that are no longer hidden


class Kernel(SamplingKernel, CountingKernel, Protocol):
    """`mines` is -1 without a total; then every cell is a mine with odds `odds` to one. `model` is
    a value of KERNEL_MODELS. Raises TypeError and ValueError for what is no board."""

    def analyze(
        self,
        board: object,
        mines: int,
        odds: float,
        model: int,
        max_states: int,
        seconds: float,
        memory: KernelMemory | None,
        max_bytes: int = ...,
        /,
    ) -> KernelResult: ...

    def analyze_many(
        self,
        boards: Sequence[object],
        mines: Sequence[int],
        odds: float,
        model: int,
        max_states: int,
        seconds: float,
        threads: int,
        max_bytes: int = ...,
        /,
    ) -> list[KernelResult]: ...

    def play_games(
        self,
        terms: Mapping[str, float],
        strength: object | None,
        count: int,
        seeds: bytes | None,
        start_seeds: bytes | None,
        flags: bytes | None,
        watched: bool,
        /,
    ) -> tuple[list[Any], list[Any]]: ...

    def Strength(self, told: Mapping[str, float], /) -> object: ...  # noqa: N802

    def best_move(self, board: object, mines: int, strength: object, max_states: int, /) -> Advice:
        """Of a board."""

    def move_work(
        self, board: object, mines: int, strength: object, max_states: int, /
    ) -> tuple[int, int, int]: ...

    def draw_layouts(self, board: object, mines: int, count: int, seed: int, /) -> bytes | None: ...

    def win_chance(
        self, board: object, mines: int, max_layouts: int, work: int, /
    ) -> tuple[int, int, int, int]: ...

    def win_chances(
        self, board: object, mines: int, cells: Sequence[int], max_layouts: int, work: int, /
    ) -> tuple[int, int, list[tuple[int, int]]]: ...

    def Memory(self, max_bytes: int, /) -> KernelMemory: ...  # noqa: N802
