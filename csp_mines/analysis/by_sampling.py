"""Analyses of boards too wide to count: what is certain by proof, the other risks by sampling.

`safe` and `mines` are complete and proved, as in every analysis; probabilities are estimates with
a standard error for each cell, and `exact` is False. What only counting can give is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from csp_mines.analysis.by_deduction import DeducedAnalysis
from csp_mines.analysis.contract import hidden_cell, table
from csp_mines.backend import Backend, Deduction
from csp_mines.board import HIDDEN, Cell
from csp_mines.constraints import Frontier, Problem
from csp_mines.errors import CspMinesError, GaveUp, TooWide, Unsupported
from csp_mines.kernel import SamplingKernel
from csp_mines.sampling import SAMPLING, Budget, Estimate, estimate

__all__ = ["SampledAnalysis"]


class SampledAnalysis(DeducedAnalysis):
    """What `engine` proved of a board that `reason` says is too wide, where there is one, and what
    sampling within `budget` estimates."""

    exact = False
    counter = SAMPLING

    def __init__(
        self,
        frontier: Frontier,
        problem: Problem,
        engine: Backend,
        deduction: Deduction,
        kernel: SamplingKernel | None,
        budget: Budget,
        reason: TooWide | None,
        rule: str,
    ) -> None:
        super().__init__(frontier, problem, engine, deduction, rule)
        self._kernel = kernel
        self._budget = budget
        self._reason = reason

    @cached_property
    def _estimate(self) -> Estimate:
        rest = self._problem.given(self._deduction.safe, self._deduction.mines)
        if self._kernel is None:
            raise self._reason or Unsupported("layouts are drawn by the compiled kernel only")
        try:
            return estimate(self._kernel, rest, self._budget)
        except GaveUp:  # the sampler's own search failed: SAT finds layouts where there are any
            if not self.complete:
                raise
            return estimate(self._kernel, rest, self._budget, self._starts(rest))

    def _starts(self, rest: Problem) -> Sequence[Sequence[int]]:
        return self._engine.layouts(rest, 4, self._budget.seed)

    @cached_property
    def probabilities(self) -> npt.NDArray[np.float64]:
        estimated = self._estimate.risks if self._open else None
        return self._table(self._by_cell(estimated), self._deduction)

    @cached_property
    def standard_errors(self) -> npt.NDArray[np.float64]:
        """The standard error of every probability: 0 where it is certain, nan at cells that are not
        hidden. The exact risk lies within 1.96 of them in about 95 of 100 cells."""
        estimated = self._estimate.errors if self._open else None
        return self._table(self._by_cell(estimated), self._deduction, mine=0.0)

    @property
    def _open(self) -> bool:
        """Whether anything hidden is not proved."""
        proved = len(self._deduction.safe) + len(self._deduction.mines)
        return proved < int(np.count_nonzero(self.board.codes == HIDDEN))

    def _by_cell(self, estimated: npt.NDArray[np.float64] | None) -> npt.NDArray[np.float64]:
        """What was estimated for boxes, and last for the sea, by number of cell."""
        values: npt.NDArray[np.float64] = np.full(self.board.codes.size, np.nan)
        if estimated is not None:
            values[list(self._estimate.sea)] = estimated[-1]
            for box, value in zip(self._estimate.boxes, estimated[:-1], strict=True):
                values[list(box)] = value
        return values

    @property
    def samples(self) -> int:
        """How many layouts the estimates rest on."""
        return self._estimate.samples if self._open else 0

    @property
    def error(self) -> float:
        """Twice the greatest standard error: no bound, but rarely passed."""
        return 2 * float(np.nanmax(self.standard_errors)) if self._open else 0.0

    @property
    def solutions(self) -> int:
        if not self._open:
            return 1
        raise self._refusal()

    @property
    def log_solutions(self) -> float:
        if not self._open:
            return 0.0
        raise self._refusal()

    def probability(self, cell: Cell) -> Fraction:
        cell = hidden_cell(self.board, cell)
        number = self._frontier.number(cell)
        if number in self._deduction.safe or number in self._deduction.mines:
            return Fraction(number in self._deduction.mines)
        raise self._refusal()

    def _refusal(self) -> CspMinesError:
        """Exact numbers are what the board is too wide for, or what nobody counted."""
        if self._reason is None:
            return Unsupported("risks were sampled: there are no exact numbers")
        return TooWide(self._reason.states, self._reason.limit)

    def to_json(
        self, *, counting: bool = True, exact: bool = False, since: float | None = None
    ) -> dict[str, Any]:
        """As in every analysis, with the standard error of every probability and how many samples
        there were; what only counting can give is null."""
        document = super().to_json(counting=counting, exact=exact, since=since)
        document["standard_errors"] = table(self.standard_errors) if counting else None
        document["samples"] = self.samples if counting else None
        document["seconds"] = document.pop("seconds")
        return document

    @property
    def position(self) -> None:
        """None: a player to win counts."""
