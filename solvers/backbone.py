"""The backbone over boxes, for engines that search for solutions.

A box is one integer variable. A clue bounds a sum of boxes. The total fixes one more sum, in which
the sea is one more box. The certain cells are the backbone. To find it, the engine is asked for a
solution in which some box differs that was the same in all earlier solutions, until there is none.
If a library does not return to Python during a search, the search runs in another thread, so that
Python can handle Ctrl-C.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import Event, Thread
from typing import NamedTuple, Protocol, TypeVar

from csp_mines.backend import Deduction
from csp_mines.constraints import Problem
from csp_mines.errors import Contradiction, EngineFault

__all__ = ["BoxModel", "Sum", "backbone", "boxes_and_sums", "check_solution", "stoppable"]

ATTENTION = 0.25  # seconds between two checks of a waiting thread

Result = TypeVar("Result")


class Sum(NamedTuple):
    """The boxes, given by index, have between `low` and `high` mines together."""

    boxes: Sequence[int]
    low: int
    high: int


class BoxModel(Protocol):
    """The methods of an engine that `backbone` calls."""

    calls: int

    @property
    def conflicts(self) -> int | None:
        """The conflicts of the solver so far, if it tells."""

    def solve(self) -> list[int] | None:
        """Return the mines of every box in some solution, or None if there is none."""

    def vary(self, fixed: Mapping[int, int]) -> None:
        """Require, from now on, that some box of `fixed` differs from its value there."""


def boxes_and_sums(problem: Problem) -> tuple[list[tuple[int, ...]], list[Sum]]:
    """Return the boxes of a problem and the sums of their mines. The sea is one of the boxes only
    if the total may exclude something; otherwise no cell of the sea is certain. Raises
    Contradiction if a simple check finds that nothing fits."""
    problem.check()
    boxes, sums = list(problem.boxes), []
    first = 0
    for region in problem.regions:
        for constraint in region.constraints:
            shifted = [first + box for box in constraint.boxes]
            sums.append(Sum(shifted, constraint.low, constraint.high))
        first += len(region.boxes)
    if problem.mines is not None and problem.total_bites:
        mines, rest = problem.split_off_exact()
        if problem.sea:
            rest.append(len(boxes))
            boxes.append(problem.sea)
        sums.append(Sum(rest, problem.mines - mines, problem.mines - mines))
    return boxes, sums


def backbone(model: BoxModel, boxes: Sequence[tuple[int, ...]]) -> Deduction:
    """Return the cells of boxes that are empty, or full, in every solution. Raises Contradiction if
    there is no solution."""
    values = model.solve()
    if values is None:
        raise Contradiction("the clues allow no layout")
    fixed = dict(enumerate(values))  # boxes with the same extreme value in all solutions so far
    while values is not None:
        fixed = {
            box: value
            for box, value in fixed.items()
            if values[box] == value and value in (0, len(boxes[box]))
        }
        if not fixed:
            break
        model.vary(fixed)
        values = model.solve()
    return Deduction(
        frozenset(cell for box, value in fixed.items() if not value for cell in boxes[box]),
        frozenset(cell for box, value in fixed.items() if value for cell in boxes[box]),
        model.calls,
        model.conflicts,
    )


def check_solution(values: Sequence[int], sums: Sequence[Sum], engine: str) -> None:
    """Raise EngineFault if the values that an engine gave break a constraint."""
    for boxes, low, high in sums:
        if not low <= sum([values[box] for box in boxes]) <= high:
            raise EngineFault(f"{engine} gave a solution that breaks a constraint")


def stoppable(search: Callable[[], Result], stop: Callable[[], None]) -> Result:
    """Run a search that does not return to Python, in another thread. If Ctrl-C or another
    exception ends the waiting, call `stop`, which must make the search return early. The search
    must release the GIL.
    """
    results: list[Result] = []
    failed: list[BaseException] = []
    given_up = Event()

    def run() -> None:
        try:
            if not given_up.is_set():
                results.append(search())
        except BaseException as error:  # raised again below, in the waiting thread
            failed.append(error)

    thread = Thread(target=run, daemon=True)
    try:
        thread.start()  # Ctrl-C may come here, too, before the search begins
        while thread.is_alive():
            thread.join(ATTENTION)
    finally:
        given_up.set()
        while thread.is_alive():
            stop()  # may have no effect until the search has begun
            thread.join(ATTENTION)
    if failed:
        raise failed[0]
    return results[0]
