"""The backbone over boxes: the search for certain cells in `cpsat`, `z3` and `highs`.

`boxes_and_sums` turns a problem into boxes and sums, also for `clingo`. Each box is one integer
variable, the number of mines in the box. The sea is one more box. Each constraint bounds a sum of
boxes, and the total fixes one more sum.

The backbone is the boxes that are empty in every solution, and the boxes that are full of mines in
every solution. `backbone` first asks the solver for any solution. The candidates are the boxes that
are empty or full in this solution. Then `backbone` asks for a solution in which at least one
candidate has another number of mines. It drops every candidate that has another number in the new
solution, and asks again. When there is no such solution, the candidates that are left are the
backbone.

Some libraries do not return to Python during a search. `stoppable` runs such a search in another
thread, so that Python can handle Ctrl-C.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import ClassVar, TypeVar

from csp_mines.backend import Deadline, Deduction
from csp_mines.constraints import BoxConstraint, Problem
from csp_mines.errors import Contradiction, EngineFault

ATTENTION = 0.25  # the longest wait, in seconds, until Python can handle Ctrl-C during a search

Result = TypeVar("Result")


@dataclass
class BoxModel(ABC):
    """A solver with one variable for each box: the number of mines in the box. `boxes` has the
    cells of each box, and `sums` the requirements.

    `calls` is the number of searches so far. `conflicts` is the number of dead ends (conflicts) in
    these searches, or None if the solver does not count conflicts."""

    library: ClassVar[str]  # the name of the solver, for messages

    boxes: Sequence[Sequence[int]]
    sums: Sequence[BoxConstraint]
    deadline: Deadline
    calls: int = field(default=0, init=False)
    conflicts: int | None = field(default=None, init=False)

    @abstractmethod
    def search(self) -> list[int] | None:
        """Search for a solution. Return the number of mines in every box, or None if there is no
        solution. Raises OutOfTime after the deadline, EngineFault if the solver gives no answer."""

    @abstractmethod
    def vary(self, fixed: Mapping[int, int]) -> None:
        """Require that, in all later solutions, at least one box of `fixed` has another number of
        mines than in `fixed`. In `fixed`, every box is empty or full. Each later call gets only
        boxes of the call before it, with the same numbers."""

    def no_answer(self, why: object) -> EngineFault:
        """Return the error that the solver gave no answer. `why` is its own reason."""
        return EngineFault(f"{self.library} ended without an answer: {why}")

    def solve(self, asked: Sequence[int] | None = None) -> list[int] | None:
        """Return the result of `search`, after a check of the solution, if there is one.

        `asked` has the indices of the sums to check; by default all sums are checked. Raises what
        `search` raises, and EngineFault if the solution breaks a checked sum."""
        self.calls += 1
        self.deadline.check()
        values = self.search()
        if values is None:
            return None
        for each in self.sums if asked is None else [self.sums[i] for i in asked]:
            if not each.low <= sum([values[box] for box in each.boxes]) <= each.high:
                raise EngineFault(f"{self.library} gave a solution that breaks a constraint")
        return values


def boxes_and_sums(problem: Problem) -> tuple[list[tuple[int, ...]], list[BoxConstraint]]:
    """Return the boxes of a problem, and the sums that its boxes must have.

    There is one sum for each entry of `Problem.box_constraints` and one for the total. The sea,
    unless it is empty, is the last box. The sum for the total leaves out the boxes of some exact
    constraints that share no box, because these constraints fix the number of mines in the boxes.

    If `Problem.total_bites` is False, the sea and the sum for the total are left out. No cell of
    the sea is certain then, and the total, if there is one, excludes no layout of the frontier.

    Raises Contradiction if `Problem.check` or `Problem.boxes` finds that no layout fits."""
    problem.check()
    boxes = list(problem.boxes)
    sums = list(problem.box_constraints)
    if problem.mines is not None and problem.total_bites:
        counted, rest = problem.split_off_exact()
        if problem.sea:
            rest.append(len(boxes))
            boxes.append(problem.sea)
        left = problem.mines - counted
        sums.append(BoxConstraint(tuple(rest), left, left))
    return boxes, sums


def backbone(model: BoxModel) -> Deduction:
    """Return the certain cells: the cells of boxes that are empty in every solution, and of boxes
    that are full in every solution. Raises Contradiction if there is no solution, and what
    `model.solve` raises."""
    values = model.solve()
    if values is None:
        raise Contradiction
    # The candidates, with their numbers of mines. At first, these are all boxes.
    fixed = dict(enumerate(values))
    while values is not None:
        fixed = {
            box: value
            for box, value in fixed.items()
            if values[box] == value and value in (0, len(model.boxes[box]))
        }
        if not fixed:
            break
        model.vary(fixed)
        values = model.solve()
    known = {cell: value > 0 for box, value in fixed.items() for cell in model.boxes[box]}
    return Deduction.of(known, model.calls, model.conflicts)


def stoppable(search: Callable[[], Result], stop: Callable[[], None]) -> Result:
    """Call `search` in another thread. Return its result, or raise its exception here.

    Use this for a search that releases the GIL, but does not return to Python before it ends. If
    Ctrl-C or another exception interrupts the calling thread, this thread calls `stop` until the
    search has ended. `stop` must make the search return early."""
    answer: Future[Result] = Future()
    given_up = Event()

    def run() -> None:
        try:
            if not given_up.is_set():
                answer.set_result(search())
        except BaseException as error:  # raised again below, in the waiting thread
            answer.set_exception(error)

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
    return answer.result()
