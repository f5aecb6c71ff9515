"""Analyses by engines: any backend deduces, and one that counts gives exact probabilities."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property, partial

import numpy as np
import numpy.typing as npt

from csp_mines.analysis.by_deduction import DeducedAnalysis
from csp_mines.analysis.conflict import find_conflict
from csp_mines.analysis.contract import hidden_cell
from csp_mines.analysis.move import DEFAULT_RULE
from csp_mines.analysis.winning import Position
from csp_mines.backend import Backend, Deduction
from csp_mines.board import Cell
from csp_mines.constraints import Frontier, Problem
from csp_mines.counting import Posterior, count_by
from csp_mines.errors import Contradiction

__all__ = ["EngineAnalysis", "counted", "explained"]

ROUNDING = 2.0**-53  # a fraction of whole numbers is rounded once


class EngineAnalysis(DeducedAnalysis):
    """What an engine deduced, and what a counting engine (the same, where it can) counts."""

    def __init__(
        self,
        frontier: Frontier,
        problem: Problem,
        engine: Backend,
        counter: Backend,
        deduction: Deduction,
        counted: tuple[Deduction, Posterior] | None = None,
        *,
        rule: str = DEFAULT_RULE,
    ) -> None:
        super().__init__(frontier, problem, engine, deduction, rule)
        self._counting = counter
        # What the counter deduced already, where that is all that is certain.
        self._known = deduction if counter is engine and engine.simplifies_fully() else None
        if counted is not None:
            self.__dict__["_counted"] = counted

    @property
    def counter(self) -> str:
        return self._counting.name

    @cached_property
    def _counted(self) -> tuple[Deduction, Posterior]:
        try:
            return count_by(self._counting, self._problem, self._known)
        except Contradiction as error:
            raise explained(error, self._frontier) from None

    @cached_property
    def probabilities(self) -> npt.NDArray[np.float64]:
        known, counted = self._counted
        risks: npt.NDArray[np.float64] = np.full(self.board.codes.size, np.nan)
        risks[list(self._problem.sea)] = float(counted.sea_share)
        for cell, (numerator, denominator) in counted.shares.items():
            risks[cell] = numerator / denominator
        return self._table(risks, known)

    @cached_property
    def solutions(self) -> int:
        if all(constraint.weights is None for constraint in self._problem.constraints):
            return self._counted[1].solutions
        return count_by(self._counting, self._problem.unweighted(), self._known)[1].solutions

    @cached_property
    def log_solutions(self) -> float:
        return math.log(self.solutions)

    def probability(self, cell: Cell) -> Fraction:
        cell = hidden_cell(self.board, cell)
        known, counted = self._counted
        number = self._frontier.number(cell)
        if number in known.safe or number in known.mines:
            return Fraction(number in known.mines)
        return counted.probability(number)

    @property
    def error(self) -> float:
        return ROUNDING

    @property
    def position(self) -> Position | None:
        problem, board = self._problem, self.board
        if problem.odds != 1 or self._frontier.model.name != "exact":
            return None
        total = -1 if problem.mines is None else problem.mines + board.known_mines
        return Position(board.codes, total, self._counting.max_states)


def counted(
    frontier: Frontier, problem: Problem, engine: Backend, rule: str = DEFAULT_RULE
) -> EngineAnalysis:
    """The analysis of an engine that counts: certain is what every solution agrees on."""
    known, counted = count_by(engine, problem)
    safe, mines = counted.certain()
    deduction = known | Deduction(frozenset(safe), frozenset(mines))
    return EngineAnalysis(frontier, problem, engine, engine, deduction, (known, counted), rule=rule)


def explained(error: Contradiction, frontier: Frontier) -> Contradiction:
    """The same error, able to name the clues."""
    return Contradiction(error.message, find=partial(find_conflict, frontier))
