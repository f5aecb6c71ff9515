"""Exact counts and risks, as integers and fractions, for analyses by the compiled kernel.

The kernel counts every region in whole numbers, and `Combination` combines the counts of all
regions. Counting only the solutions takes much less time than counting the mines of every box as
well. So there are two counts, one for `solutions` and one for the risks. Each count is made when a
caller first reads its result.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb, inf, prod
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from csp_mines.backend import RegionCount
from csp_mines.board import HIDDEN, Cell, as_board
from csp_mines.counting import Combination
from csp_mines.errors import EngineFault
from csp_mines.kernel import failure, kernel_table
from csp_mines.question import Question

if TYPE_CHECKING:
    from csp_mines.kernel import Kernel

FAULT = (
    "the kernel has a defect: its exact count of the board contradicts its analysis; use backend "
    "'native:pure'"
)  # the message of an EngineFault


@dataclass(frozen=True)
class ExactNumbers:
    """The number of solutions and the risks of a Board with exact or silent clues. The kernel
    counts when a caller first reads `solutions`, and counts again when a caller first asks for a
    risk. Each count raises TooWide or OutOfTime at a limit, and EngineFault if the kernel
    contradicts itself."""

    kernel: Kernel
    question: Question

    @cached_property
    def solutions(self) -> int:
        return self._counted(boxes=False)[0].solutions

    def probability(self, cell: Cell) -> Fraction:
        """Return the probability of a mine at a hidden cell. Raises BoardError for other cells."""
        row, col = as_board(self.question.given).require_hidden(cell)
        share = self._rows[row][col]
        if share is None:
            raise EngineFault(
                f"the kernel has a defect: its exact count has no risk for the hidden cell "
                f"{row},{col}; use backend 'native:pure'"
            )
        return share

    @cached_property
    def _rows(self) -> list[list[Fraction | None]]:
        """For each row of the board, a list with the risk of each hidden cell, and None in place of
        each other cell. Raises what `_counted` raises, and EngineFault if the risks do not add up
        to the total."""
        combined, boxes, codes = self._counted(boxes=True)
        alike = np.full(256, None, object)  # the risk for each code; boxes are written below
        alike[HIDDEN] = combined.sea_share
        proved = self.kernel.Code
        alike[proved.PROVED_SAFE], alike[proved.PROVED_MINE] = Fraction(0), Fraction(1)
        assert codes is not None  # the kernel returns the codes whenever it returns boxes
        shares: list[Fraction | None] = alike[codes.ravel()].tolist()
        for box, numerator, denominator in combined.shares(boxes):
            share = Fraction(numerator, denominator)
            for cell in box:
                shares[cell] = share
        cols = codes.shape[1]
        return [shares[start : start + cols] for start in range(0, len(shares), cols)]

    def _counted(
        self, *, boxes: bool
    ) -> tuple[Combination, list[list[list[int]]], npt.NDArray[np.int8] | None]:
        """Let the kernel count the solutions, and also the mines of every box if `boxes` is True.

        Return three values: the combined counts; for each count, its boxes, as lists of cell
        numbers; and the codes of the board, in which the cells that the kernel proved have the
        codes of `kernel.Code`. If `boxes` is False, the lists of boxes are empty and the codes are
        None. Raises what the class says."""
        asked = self.question
        status, states, sea, known, codes, regions, clues = self.kernel.count_board(
            asked.codes,
            boxes,
            asked.max_states,
            inf if asked.seconds is None else asked.seconds,
            asked.max_memory,
            kernel_table(self.kernel, asked.geometry, asked.codes.shape),
        )
        if status is not self.kernel.Status.FITS:
            limits = asked.max_states, asked.max_memory, asked.seconds
            raise failure(status, states, *limits, fault=FAULT)
        left = None if asked.total is None else asked.total - known
        counts, cells = _joined(regions, clues, boxes=boxes)
        return Combination(counts, sea, left, asked.odds), cells, codes


def _joined(
    regions: list[tuple[int, tuple[int, ...], tuple[tuple[int, ...], ...], list[list[int]]]],
    clues: list[tuple[int, int, list[list[int]]]],
    *,
    boxes: bool,
) -> tuple[tuple[RegionCount, ...], list[list[list[int]]]]:
    """Return the counts, and for each count its boxes, as lists of cell numbers. `regions` and
    `clues` are as `count_board` of the kernel returns them. Each entry of `regions` becomes one
    count. An entry of `clues` is a region of one clue and one box, which has a fixed number of
    mines. So all entries of `clues` together become one count. `boxes` is as in `_counted`."""
    counts = [RegionCount(low, ways, mines) for low, ways, mines, _ in regions]
    cells = [inside for *_, inside in regions]
    if clues:
        ways = prod(comb(size, mines) for size, mines, _ in clues)
        low = sum(mines for _, mines, _ in clues)
        shares = tuple((ways * mines,) for _, mines, _ in clues) if boxes else ()
        counts.append(RegionCount(low, (ways,), shares))
        cells.append([box for _, _, inside in clues for box in inside])
    return tuple(counts), cells
