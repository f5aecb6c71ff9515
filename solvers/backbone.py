"""What engines that search for solutions have in common: the backbone over boxes.

A box is one integer variable, a clue bounds a sum of boxes, the total is one more sum, with the sea
as one more box. What is certain is the backbone: solutions are asked for in which something varies
that none before has varied, until there is none. A search runs in a thread of its own where a
library does not come back to Python, so that Ctrl-C is heard.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import Event, Thread
from typing import NamedTuple, Protocol, TypeVar

from csp_mines.backend import Deduction
from csp_mines.constraints import Problem
from csp_mines.errors import Contradiction, EngineFault

__all__ = ["BoxModel", "Sum", "backbone", "boxes_and_sums", "check_solution", "stoppable"]

ATTENTION = 0.25  # seconds after which a waiting thread looks again

Result = TypeVar("Result")


class Sum(NamedTuple):
    """The boxes, given by index, have between `low` and `high` mines together."""

    boxes: Sequence[int]
    low: int
    high: int


class BoxModel(Protocol):
    """What `backbone` asks of an engine."""

    calls: int

    @property
    def conflicts(self) -> int | None:
        """The conflicts of the solver so far, if it tells."""

    def solve(self) -> list[int] | None:
        """The mines of every box in some solution, or None when there is none."""

    def vary(self, fixed: Mapping[int, int]) -> None:
        """Demand, from now on, that some box of `fixed` differs from its value there."""


def boxes_and_sums(problem: Problem) -> tuple[list[tuple[int, ...]], list[Sum]]:
    """The boxes of a problem and what is known of them. The sea is a box if the total may matter;
    without that it is neither mentioned nor certain. Raises Contradiction."""
    problem.check()
    boxes, sums = list(problem.boxes), []
    first = mines = 0
    rest: list[int] = []  # the boxes that `mines`, those of disjoint exact clues, leave out
    for region in problem.regions:
        for constraint in region.constraints:
            shifted = [first + box for box in constraint.boxes]
            sums.append(Sum(shifted, constraint.low, constraint.high))
        exact, others = region.split_off_exact()
        mines += exact
        rest += (first + box for box in others)
        first += len(region.boxes)
    if problem.mines is not None and problem.total_bites:
        if problem.sea:
            rest.append(len(boxes))
            boxes.append(problem.sea)
        sums.append(Sum(rest, problem.mines - mines, problem.mines - mines))
    return boxes, sums


def backbone(model: BoxModel, boxes: Sequence[tuple[int, ...]]) -> Deduction:
    """The boxes that are empty, or full, in every solution. Raises Contradiction."""
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
    """Raise EngineFault unless a solution that an engine gave is one."""
    for boxes, low, high in sums:
        if not low <= sum([values[box] for box in boxes]) <= high:
            raise EngineFault(f"{engine} gave a solution that breaks a constraint")


def stoppable(search: Callable[[], Result], stop: Callable[[], None]) -> Result:
    """Run a search that does not come back to Python. `stop` makes it return early; it is called
    when Ctrl-C, or any other exception, ends the waiting. The search must release the interpreter.
    """
    found: list[Result] = []
    failed: list[BaseException] = []
    given_up = Event()

    def run() -> None:
        try:
            if not given_up.is_set():
                found.append(search())
        except BaseException as error:  # is raised again below, in the thread that waits
            failed.append(error)

    thread = Thread(target=run, daemon=True)
    try:
        thread.start()  # Ctrl-C may come in here, too, with the search about to begin
        while thread.is_alive():
            thread.join(ATTENTION)
    finally:
        given_up.set()
        while thread.is_alive():
            stop()  # may be without effect before the search has begun
            thread.join(ATTENTION)
    if failed:
        raise failed[0]
    return found[0]
