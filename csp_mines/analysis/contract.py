"""What follows from a board: certain cells, probabilities, the number of layouts, the move."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cached_property, partial

import numpy as np
import numpy.typing as npt

from csp_mines.analysis.conflict import find_conflict
from csp_mines.backend import Backend, Deduction
from csp_mines.board import HIDDEN, Board, Cell, as_density
from csp_mines.clues import ClueModel, clue_model
from csp_mines.constraints import Frontier, Problem
from csp_mines.counting import Posterior, count_by
from csp_mines.errors import BoardError, Contradiction

__all__ = ["Analysis", "Move", "Status", "counted", "explained", "frontier_of"]

_ALIKE = 1e-9  # risks that differ by less are equal


class Status(StrEnum):
    """How things stand on a board."""

    PROGRESS = "progress"  # something hidden was proved
    GUESS = "guess"  # nothing was
    SOLVED = "solved"  # nothing is hidden
    CONTRADICTION = "contradiction"  # no layout fits


@dataclass(frozen=True)
class Move:
    """The cell to open next, the probability that it is a mine, and why it is the choice."""

    cell: Cell
    risk: float
    reason: str


class Analysis:
    """What follows from a board. `safe` and `mines` are what the backend proved; everything about
    probabilities is exact, and counted when it is first asked for."""

    _known: Deduction | None = None  # what the counter deduced already, all that is certain

    def __init__(
        self,
        frontier: Frontier,
        problem: Problem,
        engine: Backend,
        counter: Backend,
        deduction: Deduction,
        counted: tuple[Deduction, Posterior] | None = None,
    ) -> None:
        self.frontier = frontier
        self.backend = engine.name
        self.counter = counter.name
        self.complete = engine.complete
        self.calls = deduction.calls
        self.safe = frontier.cells(deduction.safe)
        self.mines = frontier.cells(deduction.mines)
        self._problem = problem
        self._counting = counter
        self._known = deduction if counter is engine and engine.simplifies_fully() else None
        if counted is not None:
            self.__dict__["_counted"] = counted

    @property
    def board(self) -> Board:
        return self.frontier.board

    @cached_property
    def _counted(self) -> tuple[Deduction, Posterior]:
        try:
            return count_by(self._counting, self._problem, self._known)
        except Contradiction as error:
            raise explained(error, self.frontier) from None

    @cached_property
    def probabilities(self) -> npt.NDArray[np.float64]:
        """The probability of a mine at every hidden cell; nan elsewhere."""
        known, counted = self._counted
        table: npt.NDArray[np.float64] = np.full(self.board.codes.size, np.nan)
        table[list(self._problem.sea)] = float(counted.sea_share)
        for cell, (numerator, denominator) in counted.shares.items():
            table[cell] = numerator / denominator
        table[list(known.safe)] = 0.0
        table[list(known.mines)] = 1.0
        table = table.reshape(self.board.codes.shape)
        table.flags.writeable = False
        return table

    @cached_property
    def safe_mask(self) -> npt.NDArray[np.bool_]:
        """Where a cell is proved safe."""
        return self._mask(self.safe)

    @cached_property
    def mine_mask(self) -> npt.NDArray[np.bool_]:
        """Where a cell is a proved mine."""
        return self._mask(self.mines)

    def _mask(self, cells: frozenset[Cell]) -> npt.NDArray[np.bool_]:
        mask = np.zeros(self.board.codes.shape, bool)
        for cell in cells:
            mask[cell] = True
        return mask

    @cached_property
    def solutions(self) -> int:
        """The number of layouts that fit, exactly."""
        if all(one.weights is None for one in self._problem.constraints):
            return self._counted[1].solutions
        return count_by(self._counting, self._problem.unweighted(), self._known)[1].solutions

    @cached_property
    def log_solutions(self) -> float:
        """The natural logarithm of the number of layouts that fit."""
        return math.log(self.solutions)

    def probability(self, cell: Cell) -> Fraction:
        """The probability of a mine at a hidden cell, exactly. Raises BoardError for others."""
        if self.board[cell] != HIDDEN:
            raise BoardError(f"cell {cell[0]},{cell[1]} is not hidden")
        known, counted = self._counted
        number = self.frontier.number(cell)
        if number in known.safe or number in known.mines:
            return Fraction(number in known.mines)
        return counted.probability(number)

    @property
    def status(self) -> Status:
        if not (self.board.codes == HIDDEN).any():
            return Status.SOLVED
        return Status.PROGRESS if self.safe or self.mines else Status.GUESS

    @cached_property
    def move(self) -> Move | None:
        """The safest cell to open: a proved one if there is any, else the lowest risk. Ties go to
        the cell with the fewest neighbours (corner, edge, middle), then the first in reading order.
        None when nothing is hidden or everything hidden is a proved mine."""
        if self.safe:
            cell = min(self.safe, key=self._tie)
            return Move(cell, 0.0, "proved safe")
        risks = self.probabilities
        candidates = ~np.isnan(risks)
        candidates[tuple(zip(*self.mines, strict=True)) if self.mines else ([], [])] = False
        if not candidates.any():
            return None
        risk = float(risks[candidates].min())
        alike = candidates & (risks <= risk + _ALIKE)
        best = [(r, c) for r, c in np.argwhere(alike).tolist()]
        cell = min(best, key=self._tie)
        share = f"one of {len(best)} cells with the lowest risk" if len(best) > 1 else "lowest risk"
        return Move(cell, risk, share)

    def _tie(self, cell: Cell) -> tuple[int, Cell]:
        return len(self.board.neighbours(cell)), cell


def frontier_of(
    board: Board | npt.ArrayLike,
    mines: int | None = None,
    *,
    density: float | Fraction | str | None = None,
    clues: str | ClueModel | None = None,
) -> Frontier:
    """The frontier of a board under a prior and a clue model, its own where none are given.
    Raises BoardError, UnknownName."""
    if mines is not None and density is not None:
        raise BoardError("give the number of mines or their density, not both")
    if not isinstance(board, Board):
        board = Board(board)
    if mines is not None:
        mines = Board(board.codes, mines=mines).mines
    return Frontier.of(
        board,
        mines=mines,
        density=None if density is None else as_density(density),
        clues=None if clues is None else clue_model(clues),
    )


def counted(frontier: Frontier, problem: Problem, engine: Backend) -> Analysis:
    """The analysis of an engine that counts: certain is what every solution agrees on."""
    known, counted = count_by(engine, problem)
    safe, mines = counted.certain()
    deduction = known | Deduction(frozenset(safe), frozenset(mines))
    return Analysis(frontier, problem, engine, engine, deduction, (known, counted))


def explained(error: Contradiction, frontier: Frontier) -> Contradiction:
    """The same error, able to name the clues."""
    return Contradiction(str(error), find=partial(find_conflict, frontier))
