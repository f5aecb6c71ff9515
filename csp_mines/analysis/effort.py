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
    """The effort of one analysis. `width`, `states`, `solver_calls` and `conflicts` may be None.

    >>> effort = csp_mines.analyze([[-1, 1, -1, 1, -1]]).effort
    >>> effort.regions, effort.boxes, effort.width
    (1, 3, 2)
    """

    regions: int
    """The number of regions, before any deduction."""
    boxes: int
    """The number of boxes, before any deduction."""
    width: int | None
    """The largest number of constraints that are open at the same time while the pure engine counts
    box after box. A constraint is open when some of its boxes are counted and others are not. The
    count begins after simple deductions. The number is that of the pure engine even if the kernel
    counted. None for an engine that does not count box after box: of the engines of csp-mines, only
    `native` does."""
    states: int | None
    """The number of states (`native`) or of residual problems (`pysat`, `cpsat`) of all counts
    together; 0 if the deductions left nothing to count. None if no count was made, or if the engine
    that counts does not give the number."""
    solver_calls: int | None
    """The number of calls of a solver for the deductions. None if no solver was called."""
    conflicts: int | None
    """The number of dead ends (conflicts) that the solver met in these calls. None if the engine
    does not count them."""

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
    """Return the effort of `engine`, which made the `deduction` from the `problem`. With a
    `posterior`, `Effort.states` is the sum of the states of all counts in the posterior, or None if
    a count does not give its states. Without a posterior, `Effort.states` is `states`. Raises what
    `engine.elimination_width` raises."""
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
