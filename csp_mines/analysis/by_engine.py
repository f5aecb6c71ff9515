"""Analyses by constraints: one engine deduces the certain cells, and the same engine or another one
counts."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from csp_mines.analysis.by_deduction import DeducedAnalysis
from csp_mines.analysis.conflict import explained
from csp_mines.analysis.effort import Effort, effort_of
from csp_mines.backend import Backend, Deduction, default_engine
from csp_mines.board import Cell
from csp_mines.constraints import Frontier
from csp_mines.counting import Posterior, count_by
from csp_mines.question import Question

ROUNDING = 2.0**-53  # the error of a risk: a quotient of whole numbers, rounded once


class EngineAnalysis(DeducedAnalysis):
    """An analysis by `engine`, which made the `deduction`, and `counter`, which counts. Both may be
    the same engine. `counted` is the result of `count_by` if that is known already. If it is None,
    the count is made when a caller first reads a number that needs it."""

    def __init__(
        self,
        question: Question,
        frontier: Frontier,
        engine: Backend,
        counter: Backend,
        deduction: Deduction,
        counted: Posterior | None = None,
    ) -> None:
        super().__init__(question, frontier, engine, deduction)
        self._counting = counter
        self.counter = counter.name
        # If the same engine deduces and counts, its count starts from its deductions, provided that
        # these are complete.
        self._known = deduction if counter is engine and engine.simplifies_fully() else None
        if counted is not None:
            self.__dict__["_counted"] = counted

    @property
    def effort(self) -> Effort:
        counted = self.__dict__.get("_counted")  # reading self._counted would start a count
        return effort_of(self._frontier.problem, self._deduction, self._engine, counted)

    @cached_property
    def _counted(self) -> Posterior:
        with explained(self._frontier):
            return count_by(self._counting, self._frontier.problem, self._known)

    @cached_property
    def probabilities(self) -> npt.NDArray[np.float64]:
        counted = self._counted
        risks: npt.NDArray[np.float64] = np.full(self.board.codes.size, np.nan)
        risks[list(self._frontier.problem.sea)] = float(counted.sea_share)
        for cell, (numerator, denominator) in counted.shares.items():
            risks[cell] = numerator / denominator
        return self._table(risks, counted.known)

    @cached_property
    def solutions(self) -> int:
        problem = self._frontier.problem
        if all(constraint.weights is None for constraint in problem.constraints):
            return self._counted.solutions
        return count_by(self._counting, problem.unweighted(), self._known).solutions

    @cached_property
    def log_solutions(self) -> float:
        return math.log(self.solutions)

    def probability(self, cell: Cell) -> Fraction:
        number = self._frontier.number(self.board.require_hidden(cell))
        return self._counted.probability(number)

    @property
    def error(self) -> float:
        return ROUNDING


def by_engine(
    question: Question, engine: Backend, counter: Backend | None = None
) -> EngineAnalysis:
    """Analyse with an `engine` that deduces now, and a `counter` that counts when a caller first
    reads a risk or the number of solutions.

    By default, `engine` is also the counter; if `engine` cannot count, the default engine counts.
    Some engines find more certain cells by counting than by deduction. If such an engine is also
    the counter, it counts at once, and its deductions include the cells that its count makes
    certain.

    Raises BoardError if the board of the question is an invalid array, Contradiction if `engine`
    finds that no layout fits, TooWide or OutOfTime at a limit, EngineFault if `engine` contradicts
    itself. The analysis raises the errors of a later count."""
    frontier = Frontier.asked(question)
    if counter is None:
        counter = engine if engine.counts else default_engine().within(question)
    with explained(frontier):
        if engine is counter and not engine.simplifies_fully():
            counted = count_by(engine, frontier.problem)
            certain = counted.certain()
            return EngineAnalysis(question, frontier, engine, counter, certain, counted)
        deduced = engine.deduce(frontier.problem)
    return EngineAnalysis(question, frontier, engine, counter, deduced)
