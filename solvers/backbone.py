"""Finds the backbone for `cpsat`, `z3` and `highs`; makes boxes and sums for these and `clingo`.

A box is one integer variable: its number of mines. A clue bounds a sum of boxes. The total fixes
one more sum, in which the sea is one more box. The backbone is the set of boxes that are empty, or
full of mines, in every solution. To find it, the engine is first asked for any solution. Candidates
are the boxes that were empty in all solutions so far, and the boxes that were full in all of them.
The engine is asked again and again for a solution in which at least one candidate has another
number of mines. When there is no such solution, the candidates are the backbone. If a library does
not return to Python during a search, the search runs in another thread, so that Python can handle
Ctrl-C.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from threading import Event, Thread
from typing import ClassVar, NamedTuple, TypeVar

from csp_mines.backend import Deadline, Deduction
from csp_mines.constraints import Problem
from csp_mines.errors import Contradiction, EngineFault

ATTENTION = 0.25  # seconds after which a waiting thread wakes up, so that Python can handle Ctrl-C

Result = TypeVar("Result")


class Sum(NamedTuple):
    """The requirement that the boxes with these indices have `low` to `high` mines together."""

    boxes: Sequence[int]
    low: int
    high: int


class BoxModel(ABC):
    """A solver with one variable for each box: the number of its mines. `calls` is the number of
    searches so far. `conflicts` is the number of conflicts, or None if the solver does not count
    them."""

    library: ClassVar[str]  # the name of the solver, for messages

    def __init__(self, sums: Sequence[Sum], deadline: Deadline) -> None:
        self.sums, self.deadline = list(sums), deadline
        self.calls = 0
        self.conflicts: int | None = None

    @abstractmethod
    def search(self) -> list[int] | None:
        """Search for a solution. Return the number of mines of every box, or None if there is no
        solution. Raises OutOfTime after the deadline, EngineFault if the solver gives no answer."""

    @abstractmethod
    def vary(self, fixed: Mapping[int, int]) -> None:
        """Require that, in all later solutions, at least one box differs from its value in
        `fixed`."""

    def solve(self, asked: Sequence[int] | None = None) -> list[int] | None:
        """Call `search`, check the solution, and return it. Raises the same errors as `search`, and
        EngineFault if the solution breaks a sum with an index in `asked` (by default, any sum)."""
        self.calls += 1
        self.deadline.check()
        values = self.search()
        if values is None:
            return None
        for boxes, low, high in self.sums if asked is None else [self.sums[i] for i in asked]:
            if not low <= sum([values[box] for box in boxes]) <= high:
                raise EngineFault(f"{self.library} gave a solution that breaks a constraint")
        return values


def boxes_and_sums(problem: Problem) -> tuple[list[tuple[int, ...]], list[Sum]]:
    """Return the boxes of a problem, and a `Sum` for each constraint and for the total. If
    `Problem.total_bites` is False, the sea and the total are left out: the total then excludes no
    layout of the frontier, and no cell of the sea is certain. Raises Contradiction if
    `Problem.check` finds that no layout fits."""
    problem.check()
    boxes = list(problem.boxes)
    sums = [Sum(each.boxes, each.low, each.high) for each in problem.box_constraints]
    if problem.mines is not None and problem.total_bites:
        mines, rest = problem.split_off_exact()
        if problem.sea:
            rest.append(len(boxes))
            boxes.append(problem.sea)
        sums.append(Sum(rest, problem.mines - mines, problem.mines - mines))
    return boxes, sums


def backbone(model: BoxModel, boxes: Sequence[tuple[int, ...]]) -> Deduction:
    """Return the certain cells: all cells of boxes that are empty, or full, in every solution.
    Raises Contradiction if there is no solution."""
    values = model.solve()
    if values is None:
        raise Contradiction("the clues allow no layout")
    # Before the loop: all boxes. In the loop: the candidates, with their numbers of mines.
    fixed = dict(enumerate(values))
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
    known = {cell: value > 0 for box, value in fixed.items() for cell in boxes[box]}
    return Deduction.of(known, model.calls, model.conflicts)


def stoppable(search: Callable[[], Result], stop: Callable[[], None]) -> Result:
    """Run a search in another thread and return its result. Use this for a search that does not
    return to Python before it ends, but releases the GIL. If Ctrl-C or another exception interrupts
    the waiting thread, that thread calls `stop`, which must make the search return early.
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
        thread.start()  # Ctrl-C may interrupt even this line, before the search begins
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
