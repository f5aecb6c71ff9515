"""Exact numbers by the compiled kernel: how many layouts fit a board, and every cell's fraction.

The kernel counts the regions of the board's frontier in whole numbers; `Combination` puts them
together. Solutions alone cost a fraction of what the mines of every box do, so each is counted when
it is first asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb, inf, prod
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from csp_mines.analysis.contract import hidden_cell
from csp_mines.backend import RegionCount
from csp_mines.board import HIDDEN, Cell
from csp_mines.counting import Combination
from csp_mines.errors import EngineFault, OutOfTime, TooWide
from csp_mines.question import Question

if TYPE_CHECKING:
    from csp_mines.kernel import Kernel

__all__ = ["ExactNumbers"]

_SAFE, _MINED = Fraction(0), Fraction(1)


@dataclass(frozen=True)
class ExactNumbers:
    """The exact numbers of a question about a board with exact clues. Raises TooWide, OutOfTime and
    EngineFault when it counts."""

    kernel: Kernel
    question: Question

    @cached_property
    def solutions(self) -> int:
        return self._counted(boxes=False).combined.solutions

    def probability(self, cell: Cell) -> Fraction:
        """The probability of a mine at a hidden cell. Raises BoardError for others."""
        try:
            row, col = cell
            found = self._rows[row][col] if row >= 0 <= col else None
        except (TypeError, ValueError, IndexError):
            found = None  # no cell of the board: the check below says what it is
        if found is None:
            row, col = hidden_cell(self.question.board(), cell)
            found = self._rows[row][col]
        if found is None:
            raise EngineFault(f"cell {row},{col} was not counted")
        return found

    @cached_property
    def _rows(self) -> list[list[Fraction | None]]:
        """`_shares`, row by row."""
        shares, cols = self._shares, self.question.codes.shape[1]
        return [shares[start : start + cols] for start in range(0, len(shares), cols)]

    @cached_property
    def _shares(self) -> list[Fraction | None]:
        """Of every cell in reading order, None where nothing is hidden. Raises EngineFault when
        they do not add up to the total."""
        found = self._counted(boxes=True)
        combined, mines = found.combined, 0
        alike = np.full(256, None, object)  # what cells with a code have in common
        alike[HIDDEN] = combined.sea_share
        proved = self.kernel.Code
        alike[proved.PROVED_SAFE], alike[proved.PROVED_MINE] = _SAFE, _MINED
        assert found.codes is not None  # they come with the boxes
        shares: list[Fraction | None] = alike[found.codes.ravel()].tolist()
        for number, boxes in enumerate(found.boxes):
            for index, box in enumerate(boxes):
                numerator, denominator = combined.expected(number, index)
                mines += numerator
                share = Fraction(numerator, denominator * len(box))
                for cell in box:
                    shares[cell] = share
        combined.check_total(mines)
        return shares

    def _counted(self, *, boxes: bool) -> _Counted:
        """The counts of the kernel; without `boxes` only as far as solutions need them."""
        asked = self.question
        seconds = inf if asked.seconds is None else asked.seconds
        status, states, sea, known, codes, regions, clues = self.kernel.count_board(
            asked.codes, boxes, asked.max_states, seconds, asked.max_memory
        )
        if status is self.kernel.Status.TOO_WIDE:
            raise TooWide(states, asked.max_states, asked.max_memory)
        if status is self.kernel.Status.OUT_OF_TIME:
            raise OutOfTime(seconds)
        if status is not self.kernel.Status.FITS:
            raise EngineFault("the exact count of the board does not agree with its analysis")
        left = None if asked.total is None else asked.total - known
        counts, cells = _joined(regions, clues, boxes=boxes)
        return _Counted(Combination(counts, sea, left, asked.odds), cells, codes)


@dataclass(frozen=True)
class _Counted:
    combined: Combination
    boxes: list[list[list[int]]]  # per count, the cells of each of its boxes
    codes: npt.NDArray[np.int8] | None  # of the board, with the cells that were proved


def _joined(
    regions: list[tuple[int, tuple[int, ...], tuple[tuple[int, ...], ...], list[list[int]]]],
    clues: list[tuple[int, int, list[list[int]]]],
    *,
    boxes: bool,
) -> tuple[tuple[RegionCount, ...], list[list[list[int]]]]:
    """The counts of all regions, and the cells of their boxes. Regions of one clue have a fixed
    number of mines each and multiply the layouts, and that is all they do: they are one count."""
    counts = [RegionCount(low, ways, mines) for low, ways, mines, _ in regions]
    cells = [inside for *_, inside in regions]
    if clues:
        ways = prod(comb(size, mines) for size, mines, _ in clues)
        low = sum(mines for _, mines, _ in clues)
        shares = tuple((ways * mines,) for _, mines, _ in clues) if boxes else ()
        counts.append(RegionCount(low, (ways,), shares))
        cells.append([box for _, _, inside in clues for box in inside])
    return tuple(counts), cells
