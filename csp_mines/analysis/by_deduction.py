"""The base class of analyses whose certain cells were deduced by an engine.

`DeducedAnalysis` has two subclasses, which add the risks. `EngineAnalysis` in `by_engine` computes
them from a count, and `SampledAnalysis` in `by_sampling` estimates them."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property

import numpy as np
import numpy.typing as npt

from csp_mines.analysis.contract import Analysis, Status
from csp_mines.analysis.effort import Effort, effort_of
from csp_mines.analysis.move import Choice, choose
from csp_mines.backend import Backend, Deduction
from csp_mines.board import HIDDEN, Board, Cell
from csp_mines.constraints import Frontier
from csp_mines.question import Question


class DeducedAnalysis(Analysis):
    """An analysis whose certain cells are those of `deduction`, which follows from the problem of
    `frontier`. The analysis names `engine` as the engine that deduced."""

    def __init__(
        self, question: Question, frontier: Frontier, engine: Backend, deduction: Deduction
    ) -> None:
        self._question = question
        self._frontier = frontier
        self._engine = engine
        self._deduction = deduction
        self.backend, self.complete, self.calls = engine.name, engine.complete, deduction.calls

    @property
    def board(self) -> Board:
        return self._frontier.board

    @property
    def frontier(self) -> Frontier:
        return self._frontier

    @property
    def effort(self) -> Effort:
        return effort_of(self._frontier.problem, self._deduction, self._engine)

    @cached_property
    def safe(self) -> frozenset[Cell]:
        return self._frontier.cells(self._deduction.safe)

    @cached_property
    def mines(self) -> frozenset[Cell]:
        return self._frontier.cells(self._deduction.mines)

    @cached_property
    def safe_mask(self) -> npt.NDArray[np.bool_]:
        return self._mask(self._deduction.safe)

    @cached_property
    def mine_mask(self) -> npt.NDArray[np.bool_]:
        return self._mask(self._deduction.mines)

    def _mask(self, numbers: Collection[int]) -> npt.NDArray[np.bool_]:
        """Return an array of the shape of the board that is True at the cells with these `numbers`.
        Cells are numbered row by row."""
        mask = np.zeros(self.board.codes.size, bool)
        mask[list(numbers)] = True
        return mask.reshape(self.board.codes.shape)

    def _table(
        self, values: npt.NDArray[np.float64], known: Deduction, mine: float = 1.0
    ) -> npt.NDArray[np.float64]:
        """Change `values`, which has one number for each cell, row by row: the safe cells of
        `known` get 0, and its mines get `mine`. Return `values` as a read-only array of the shape
        of the board."""
        values[list(known.safe)] = 0.0
        values[list(known.mines)] = mine
        table = values.reshape(self.board.codes.shape)
        table.flags.writeable = False
        return table

    @property
    def status(self) -> Status:
        if not (self.board.codes == HIDDEN).any():
            return Status.SOLVED
        return Status.PROGRESS if self._deduction.cells else Status.GUESS

    @cached_property
    def choice(self) -> Choice | None:
        geometry = self.board.geometry
        if self.safe:  # the choice among safe cells needs no risks
            return choose(geometry, np.full(self.board.codes.shape, np.nan), self.safe, ())
        return choose(geometry, self.probabilities, (), self.mines)
