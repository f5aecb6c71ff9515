"""The base class of engines that only count (`ganak`, `native`, `sdd`): deduction by counting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from csp_mines import apart
from csp_mines.backend import STATE_BYTES, Backend, Deadline, Deduction
from csp_mines.constraints import Problem
from csp_mines.counting import count_by
from csp_mines.errors import OutOfTime, TooWide

from .subtraction import Subtraction


class Counted(Backend):
    """A complete engine. A cell is certain if the engine `subtraction` proves it, or if a count
    shows that the cell is a mine in no solution or in every solution. Subclasses implement
    `count`."""

    complete = True
    ranges = True
    counts = True
    keeps_time = True
    only_counts = True

    def deduce(self, problem: Problem) -> Deduction:
        return count_by(self, problem.unweighted()).certain()

    def simplify(self, problem: Problem) -> Deduction:
        return Subtraction().deduce(problem)

    def call_apart(
        self, function: Callable[..., Any], *arguments: Any, deadline: Deadline, least_memory: int
    ) -> Any:
        """Return `function(*arguments)`, computed in a process apart. The process may take
        `max_memory` bytes, or the bytes of `max_states` states of an elimination if these are
        fewer, but always at least `least_memory` bytes. Raises OutOfTime after the deadline,
        TooWide if the memory does not suffice, EngineFault if the function fails."""
        deadline.check()
        try:
            return apart.call(
                function, *arguments,
                engine=self.name, seconds=deadline.left, quiet=True,
                max_memory=max(least_memory, self.python_states * STATE_BYTES),
            )  # fmt: skip
        except OutOfTime:
            raise deadline.missed() from None
        except MemoryError:
            raise TooWide(self.python_states + 1, self.python_states) from None
