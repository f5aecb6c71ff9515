"""Exact numbers by the compiled kernel: how many layouts fit a board, and every cell's fraction.

The kernel counts the regions of the board's frontier in whole numbers; `Combination` puts them
together. Solutions alone cost a fraction of what the mines of every box do, so each is counted when
it is first asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb, prod
from typing import Any

import numpy as np
import numpy.typing as npt

from csp_mines.backend import RegionCount
from csp_mines.board import Cell
from csp_mines.counting import Combination
from csp_mines.errors import EngineFault, OutOfTime, TooWide
from csp_mines.kernel import PROVED_MINE, PROVED_SAFE, CountingKernel, KernelStatus

__all__ = ["ExactNumbers"]


@dataclass(frozen=True)
class ExactNumbers:
    """`mines` on the whole board, or None; then a mine has `odds` to one. Exact clues only.
    Raises TooWide, OutOfTime and EngineFault when it counts."""

    kernel: CountingKernel
    codes: npt.NDArray[np.int8]
    mines: int | None
    odds: Fraction
    max_states: int
    seconds: float

    @cached_property
    def solutions(self) -> int:
        return self._counted(boxes=False).combined.solutions

    def probability(self, cell: Cell) -> Fraction:
        """The probability of a mine at a hidden cell."""
        combined, places, codes = self._shares.combined, self._places, self._shares.codes
        code = codes[cell]
        if code == PROVED_SAFE:
            return Fraction(0)
        if code == PROVED_MINE:
            return Fraction(1)
        place = places.get(cell[0] * codes.shape[1] + cell[1])
        if place is None:
            return combined.sea_share
        region, box, size = place
        numerator, denominator = combined.expected(region, box)
        return Fraction(numerator, denominator * size)

    @cached_property
    def _shares(self) -> _Counted:
        """Raises EngineFault when the counts do not add up to the total."""
        found = self._counted(boxes=True)
        expected, counts = found.combined.expected, found.combined.counts
        found.combined.check_total(
            sum(
                expected(number, box)[0]
                for number, count in enumerate(counts)
                for box in range(len(count.mines))
            )
        )
        return found

    @cached_property
    def _places(self) -> dict[int, tuple[int, int, int]]:
        """Where the cells of the frontier are counted: region, box, and the cells of that box."""
        return {
            cell: (number, index, len(box))
            for number, boxes in enumerate(self._shares.boxes)
            for index, box in enumerate(boxes)
            for cell in box
        }

    def _counted(self, *, boxes: bool) -> _Counted:
        """The counts of the kernel; without `boxes` only as far as solutions need them."""
        status, states, sea, known, codes, regions = self.kernel.count_board(
            self.codes, boxes, self.max_states, self.seconds
        )
        if status == KernelStatus.TOO_WIDE:
            raise TooWide(states, self.max_states)
        if status == KernelStatus.OUT_OF_TIME:
            raise OutOfTime(self.seconds)
        if status != KernelStatus.FITS:
            raise EngineFault("the exact count of the board does not agree with its analysis")
        left = None if self.mines is None else self.mines - known
        counts, cells = _joined(regions, boxes=boxes)
        return _Counted(Combination(counts, sea, left, self.odds), cells, codes)


@dataclass(frozen=True)
class _Counted:
    combined: Combination
    boxes: list[Any]  # per count, the cells of each of its boxes
    codes: Any  # of the board, with the cells that were proved


def _joined(
    regions: list[tuple[Any, ...]], *, boxes: bool
) -> tuple[tuple[RegionCount, ...], list[Any]]:
    """The counts of all regions, and the cells of their boxes. Regions of one clue have a fixed
    number of mines each and multiply the layouts, and that is all they do: they are one count."""
    many = [region for region in regions if region[0] is not None]
    counts = [RegionCount(low, ways, mines) for low, ways, mines, _ in many]
    cells = [inside for *_, inside in many]
    single = [region for region in regions if region[0] is None]
    if single:
        ways = prod(comb(size, mines) for _, size, mines, _ in single)
        low = sum(mines for _, _, mines, _ in single)
        shares = tuple((ways * mines,) for _, _, mines, _ in single) if boxes else ()
        counts.append(RegionCount(low, (ways,), shares))
        cells.append([inside[0] for *_, inside in single] if boxes else [])
    return tuple(counts), cells
