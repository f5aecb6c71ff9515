"""How hard a problem was: measures of its structure, and counters of the engine that solved it.

Counters are kept anyway. Measures are computed when a caller first asks for the effort.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

from csp_mines.backend import Backend, Deduction
from csp_mines.constraints import Problem
from csp_mines.counting import Posterior

__all__ = ["Effort", "effort_of"]


@dataclass(frozen=True)
class Effort:
    """Measures of one analysis. A field is None if the engine does not have that number."""

    regions: int
    """Connected components of the constraints, before any deduction."""
    boxes: int
    """Boxes of these regions: cells that occur in exactly the same constraints."""
    width: int | None
    """The most constraints that are open at once while the engine eliminates box after box. It is
    the largest over the regions that are left after simple deductions. Only `native` has an order
    of elimination; the number is that of its Python version, with and without the kernel."""
    states: int | None
    """States of all counts: partial solutions that the elimination kept apart (`native`), or
    residual problems of the search (`pysat`, `cpsat`). None if nothing was counted."""
    solver_calls: int | None
    """Calls of a SAT or CP solver for the deductions. None if the engine calls no solver."""
    conflicts: int | None
    """Conflicts that the solver met in these calls, if it tells them."""

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
    """Return the effort of an engine that made a deduction from a problem. `states` is known, or
    is the sum over the counts of the `posterior`, if there are any."""
    if posterior is not None:
        told = [count.states for count in posterior.counts]
        states = None if None in told else sum(number or 0 for number in told)
    return Effort(
        len(problem.regions),
        len(problem.boxes),
        engine.elimination_width(problem),
        states,
        deduction.calls or None,
        deduction.conflicts,
    )
