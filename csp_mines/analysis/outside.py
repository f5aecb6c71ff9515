"""Exact counts outside the regions that are too wide, for boards with a known total.

These regions are called wide. The other regions and the sea depend on the wide regions only through
the number of mines in the wide regions. So for each number of mines that the wide regions may have,
the kernel analyses the rest of the board exactly. Sampling estimates how likely each of these
numbers is.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from csp_mines.backend import Deadline, Deduction
from csp_mines.board import CLEAR, MARKED, Codes, known_mines
from csp_mines.constraints import Frontier, Problem
from csp_mines.kernel import kernel_table
from csp_mines.sampling import Outside

if TYPE_CHECKING:
    from csp_mines.kernel import Kernel


def wide_regions(problem: Problem, counted: npt.NDArray[np.float64]) -> Problem:
    """Return a problem that has only the constraints of the wide regions. All other cells of
    `problem` become sea. `counted` has one entry for each cell of the board, row by row: nan at the
    cells of wide regions, and the risk at the other cells of `problem`."""
    wide = tuple(
        constraint
        for constraint in problem.constraints
        if constraint.cells and np.isnan(counted[constraint.cells[0]])
    )
    sea = tuple(cell for cell in problem.cells if not np.isnan(counted[cell]))
    return problem.changed(constraints=wide, sea=sea)


def count_outside(
    kernel: Kernel,
    frontier: Frontier,
    proved: Deduction,
    rest: Problem,
    wide: Problem,
    max_memory: int,
    seconds: float,
) -> Outside | None:
    """For each number of mines that the wide regions may have, count the layouts of the cells
    outside these regions. Return these counts, and the risks of the cells outside.

    `rest` is the problem of the frontier without the `proved` cells, and has a total. `wide` is
    what `wide_regions` returns for `rest`. Return None if all regions are wide, if the clues are
    optimistic or cautious, or if the kernel cannot count within `seconds` and `max_memory`
    bytes."""
    groups = tuple(box for box in rest.boxes if box[0] in set(wide.sea))
    if not groups or not frontier.model.truthful:
        return None
    codes = _without(frontier, proved, wide)
    known = int(np.count_nonzero(known_mines(codes)))
    groups += (rest.sea,) if rest.sea else ()
    cells = [group[0] for group in groups]
    mines = rest.mines or 0
    least, most = wide.frontier_bounds()
    log_ways = np.full(len(wide.frontier) + 1, -inf)
    risks = np.zeros((len(groups), len(log_ways)))
    memory, deadline = kernel.Memory(max_memory), Deadline(seconds)
    table = kernel_table(kernel, frontier.board.geometry, codes.shape)
    states = np.iinfo(np.int64).max
    for inside in range(max(least, mines - len(wide.sea)), min(most, mines) + 1):
        if deadline.left <= 0:
            return None
        left = known + mines - inside
        result = kernel.analyze(
            codes, left, 1.0, kernel.Model.EXACT, states, deadline.left, memory, max_memory, table
        )
        if result.status is kernel.Status.CONTRADICTION:
            continue
        if result.status is not kernel.Status.FITS:
            return None
        log_ways[inside] = result.log_solutions
        risks[:, inside] = result.probabilities.ravel()[cells]
    return Outside(log_ways, groups, risks)


def _without(frontier: Frontier, proved: Deduction, wide: Problem) -> Codes:
    """Return the codes of the board without the wide regions. The cells of these regions, the clues
    that touch such a cell, and the cells proved safe become CLEAR. Proved mines become MARKED."""
    shape = frontier.board.codes.shape
    inside = np.zeros(shape, bool)
    inside.ravel()[list(wide.frontier)] = True
    codes = frontier.board.codes.copy()
    codes.ravel()[list(proved.safe)] = CLEAR
    codes.ravel()[list(proved.mines)] = MARKED
    codes[inside | ((codes >= 0) & (frontier.board.geometry.count(inside) > 0))] = CLEAR
    return codes
