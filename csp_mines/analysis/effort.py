"""How hard a problem was: measures of its structure, and counters of the engine that solved it.

Engines keep the counters during their work. The measures are computed when a caller asks for them.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

from csp_mines.backend import Backend, Deduction
from csp_mines.constraints import Problem
from csp_mines.counting import Posterior


@dataclass(frozen=True)
class Effort:
    """The effort of one analysis. A field is None if the engine does not have that number.

    >>> effort = csp_mines.analyze([[-1, 1, -1, 1, -1]]).effort
    >>> effort.regions, effort.boxes, effort.width
    (1, 3, 2)
    """

    regions: int
    """The number of regions, before any deduction."""
    boxes: int
    """The number of boxes, before any deduction."""
    width: int | None
    """The largest number of constraints that are unfinished at the same time while the pure engine
    counts box after box. Simple deductions are made before the count. Only `native` has this
    number. The number is that of the pure engine even if the kernel counted."""
    states: int | None
    """The number of states of all counts (`native`), or of problems that the search met while it
    counted (`pysat`, `cpsat`). None if nothing was counted."""
    solver_calls: int | None
    """How often the engine called a SAT or CP solver for its deductions. None if it calls none."""
    conflicts: int | None
    """The number of conflicts that the solver met during its calls. None if it does not say."""

    def to_json(self) -> dict[str, int | None]:
        """Return the fields by name."""
        return asdict(self)


def effort_of(
    problem: Problem,
    deduction: Deduction,
    engine: Backend,
    posterior: Posterior | None = None,
    states: int | None = None,
) -> Effort:
    """Return the effort of the engine that made a deduction from a problem. With a `posterior`, the
    number of states is the sum over all its counts; without a posterior, it is `states`."""
    if posterior is not None:
        told = [count.states for count in posterior.combined.counts]
        states = None if None in told else sum(number or 0 for number in told)
    return Effort(
        len(problem.regions),
        len(problem.boxes),
        engine.elimination_width(problem),
        states,
        deduction.calls or None,
        deduction.conflicts,
    )
