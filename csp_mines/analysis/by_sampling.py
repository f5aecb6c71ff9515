"""Analyses whose risks are estimated by sampling, mostly of boards that are too wide to count.

`safe` and `mines` are proved, as in every analysis. They are complete if the engine that proved
them is complete and did not run out of time. Each probability is an estimate with a standard error,
and `exact` is False. `solutions`, `log_solutions` and `probability` return no estimates: they raise
an error if deduction alone does not give the exact number.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from csp_mines.analysis.by_deduction import DeducedAnalysis
from csp_mines.analysis.contract import table
from csp_mines.analysis.move import Choice, choose
from csp_mines.analysis.outside import count_outside, wide_regions
from csp_mines.backend import Backend, Capability, Deadline, Deduction, offered
from csp_mines.board import HIDDEN, Cell
from csp_mines.constraints import Frontier, Problem
from csp_mines.errors import CspMinesError, GaveUp, OutOfTime, TooWide, Unsupported
from csp_mines.geometry import cells_at
from csp_mines.question import Question
from csp_mines.sampling import (
    ROUNDING,
    SAMPLING,
    Z95,
    Budget,
    Estimate,
    Outside,
    all_unknown,
    estimate,
    sea_alone,
)

if TYPE_CHECKING:
    from csp_mines.kernel import Kernel

UNKNOWN_ERROR = 0.1  # a risk with a larger standard error counts as unknown
NOTHING = Estimate((), np.empty(0), np.empty(0), 0)  # of no cells


class SampledAnalysis(DeducedAnalysis):
    """An analysis with the certain cells of `deduction`, and with risks that are estimated within
    `budget`. `engine` is the engine that deduced, and `complete` is False if its time ran out.
    `reason` is the error that ended the count, or None if no count was tried. `counted` has the
    risks of the regions that were counted before this error, by cell number, and nan elsewhere; it
    is None if no region was counted."""

    exact = False
    counter = SAMPLING

    def __init__(
        self,
        question: Question,
        frontier: Frontier,
        engine: Backend,
        deduction: Deduction,
        budget: Budget,
        reason: TooWide | OutOfTime | None,
        *,
        complete: bool = True,
        counted: npt.NDArray[np.float64] | None = None,
    ) -> None:
        super().__init__(question, frontier, engine, deduction)
        self._budget = budget
        self._reason = reason
        self.complete = complete and engine.complete
        self._counted = counted

    @cached_property
    def _estimate(self) -> Estimate:
        """The estimated risks, from layouts that the kernel draws at the first access, and the
        exact risks of lone clues. Empty if no cell is undecided.

        If some regions were counted before, the kernel draws only the others, the wide regions.
        With a known total, the risks outside the wide regions depend on how many mines these have.
        So `count_outside` counts the rest of the board once for each possible number. If it returns
        None, for example because half of the budget's time is over, the kernel draws all regions.

        If the kernel finds no layout from which to start, the engine searches for layouts. If the
        time of the engine ends, the estimate is what `all_unknown` returns.

        Raises GaveUp if the kernel finds no layout and the engine cannot make layouts, or if a
        weight might not fit a double; Contradiction if this engine finds that no layout fits.
        Without the kernel, raises the error that ended the count, or Unsupported if no count was
        tried."""
        if not self._open:
            return NOTHING
        kernel = offered(Capability.SAMPLING)
        if kernel is None:
            raise self._reason or Unsupported(
                "sampling needs the compiled kernel, which is not installed; leave out the counter "
                "'sampling' to count the risks"
            )
        deadline = Deadline(self._budget.seconds)
        rest = self._frontier.problem.given(self._deduction.safe, self._deduction.mines)
        drawn, outside, lone = rest, None, NOTHING
        if self._counted is not None:
            drawn = wide_regions(rest, self._counted)
            if rest.mines is not None:
                about = self._frontier, self._deduction, rest, drawn, self._question.max_memory
                outside = count_outside(kernel, *about, self._budget.seconds / 2)
                drawn = rest if outside is None else drawn
        if outside is None:
            drawn, lone = _without_lone_clues(drawn)
            outside = sea_alone(drawn)
        budget = replace(self._budget, seconds=max(deadline.left, 0.0))
        told = self._sampled(kernel, rest, drawn, outside, budget)
        risks, errors = np.append(told.risks, lone.risks), np.append(told.errors, lone.errors)
        return Estimate(told.cells + lone.cells, risks, errors, told.samples)

    def _sampled(
        self, kernel: Kernel, rest: Problem, drawn: Problem, outside: Outside, budget: Budget
    ) -> Estimate:
        """Estimate the risks of `drawn`, a part of the problem `rest`, and of the cells `outside`.
        Raises what `_estimate` raises."""
        try:
            return estimate(kernel, drawn, budget, outside)
        except GaveUp as refusal:  # no layout to start from: let the engine search for some
            try:
                starts = _only(drawn, rest, self._engine.layouts(rest, 4, budget.seed))
            except OutOfTime:
                return all_unknown(drawn, outside)
            except Unsupported:  # the engine cannot make layouts
                raise refusal from None
        return estimate(kernel, drawn, budget, outside, starts)

    @cached_property
    def probabilities(self) -> npt.NDArray[np.float64]:
        return self._by_cell(self._estimate.risks, self._counted)

    @cached_property
    def standard_errors(self) -> npt.NDArray[np.float64]:
        """The standard error of every probability: 0 at cells that are proved safe or a mine, nan
        at cells that are not hidden. At about 95 of 100 cells, the estimated risk differs from the
        exact risk by at most 1.96 standard errors."""
        return self._by_cell(self._estimate.errors, ROUNDING, mine=0.0)

    @property
    def _open(self) -> bool:
        """Whether at least one cell is undecided."""
        return len(self._deduction.cells) < int(np.count_nonzero(self.board.codes == HIDDEN))

    def _by_cell(
        self, estimated: npt.NDArray[np.float64], counted: Any, mine: float = 1.0
    ) -> npt.NDArray[np.float64]:
        """Return an array with a value, a risk or a standard error, for each hidden cell.
        `estimated` has the value of each group of `Estimate.cells`. `counted` has the value of the
        cells of regions that were counted before; these cells get it if no total connects all
        regions. Proved mines get `mine`, and cells proved safe get 0."""
        values: npt.NDArray[np.float64] = np.full(self.board.codes.size, np.nan)
        for group, value in zip(self._estimate.cells, estimated, strict=True):
            values[list(group)] = value
        if self._counted is not None and not self.uses_total:
            values = np.where(np.isnan(self._counted), values, counted)
        return self._table(values, self._deduction, mine)

    @cached_property
    def unknown(self) -> frozenset[Cell]:
        """The cells whose estimated risk has a standard error above UNKNOWN_ERROR."""
        return frozenset(cells_at(self.standard_errors > UNKNOWN_ERROR))

    @cached_property
    def choice(self) -> Choice | None:
        """A cell that is proved safe, if there is one. Otherwise the cell whose risk has the 95 %
        confidence interval with the lowest upper end. So of two cells with the same estimate, the
        cell with the smaller standard error is chosen. None if every hidden cell is a proved mine,
        or if no cell is hidden."""
        if self.safe:
            return super().choice
        most = np.minimum(1.0, self.probabilities + Z95 * self.standard_errors)
        chosen = choose(self.board.geometry, most, (), self.mines)
        if chosen is None:
            return None
        return chosen._replace(risk=float(self.probabilities[chosen.cell]))

    @property
    def samples(self) -> int:
        """The number of samples from which the risks are estimated (`Estimate.samples`); 0 if no
        cell is undecided."""
        return self._estimate.samples

    @property
    def error(self) -> float:
        """Twice the greatest standard error that is at most UNKNOWN_ERROR. It is 1 if the risks of
        all undecided cells are unknown, and 0 if no cell is undecided. The risks of the cells in
        `unknown`, and a few other risks, may be off by more than this."""
        if not self._open:
            return 0.0
        errors = self.standard_errors[self.standard_errors > 0]
        return min(1.0, 2 * float(errors[errors <= UNKNOWN_ERROR].max(initial=0.0)) or 1.0)

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
        risk = self._deduction.risk(self._frontier.number(self.board.require_hidden(cell)))
        if risk is None:
            raise self._refusal()
        return risk

    def _refusal(self) -> CspMinesError:
        """Return the error for a caller that asks for exact numbers."""
        if self._reason is None:
            return Unsupported(
                "this analysis sampled its risks and has no exact numbers; "
                "leave out the counter 'sampling' to count the risks"
            )
        return copy(self._reason)

    def to_json(
        self, *, counting: bool = True, exact: bool = False, since: float | None = None
    ) -> dict[str, Any]:
        """Return the document of `solve --json` with three more fields: `standard_errors`,
        `unknown` (the cells whose risk is unknown) and `samples`. With `counting=False`, these are
        null. `solutions` and `log_solutions` are always null. If a cell is undecided, `exact=True`
        raises the error that `probability` raises, unless `counting` is False."""
        document = super().to_json(counting=counting, exact=exact, since=since)
        document["standard_errors"] = table(self.standard_errors) if counting else None
        document["unknown"] = sorted(map(list, self.unknown)) if counting else None
        document["samples"] = self.samples if counting else None
        document["seconds"] = document.pop("seconds")
        return document

    @property
    def position(self) -> None:
        """None, because the player to win needs exact counts."""


def _without_lone_clues(problem: Problem) -> tuple[Problem, Estimate]:
    """Return the problem without its lone clues, and the risks of the cells of the lone clues. A
    lone clue is an exact constraint that shares no cell with another constraint, so the risk of its
    cells follows from this clue alone."""
    alone = [
        (region.boxes[0], region.constraints[0].low)
        for region in problem.regions
        if len(region.boxes) == 1 and region.constraints[0].low == region.constraints[0].high
    ]
    inside = {cells[0] for cells, _ in alone}
    mines = None if problem.mines is None else problem.mines - sum(count for _, count in alone)
    rest = tuple(
        constraint
        for constraint in problem.constraints
        if not constraint.cells or constraint.cells[0] not in inside
    )
    risks = np.array([count / len(cells) for cells, count in alone])
    lone = Estimate(tuple(cells for cells, _ in alone), risks, np.full(len(alone), ROUNDING), 0)
    return problem.changed(constraints=rest, mines=mines), lone


def _only(
    part: Problem, whole: Problem, layouts: Sequence[Sequence[int]]
) -> Sequence[Sequence[int]]:
    """Return the layouts of the `whole` problem, each reduced to the boxes that `part` has. Each
    layout is a list with the number of mines in every box."""
    place = {box: index for index, box in enumerate(whole.boxes)}
    return [[layout[place[box]] for box in part.boxes] for layout in layouts]
