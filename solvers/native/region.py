"""Count a region in the compiled kernel, with the same result as `elimination`. Like `elimination`,
the kernel eliminates boxes, but it computes modulo primes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from csp_mines import defaults
from csp_mines.backend import Deadline, RegionCount
from csp_mines.constraints import Region
from csp_mines.kernel import failure, flattened

if TYPE_CHECKING:
    from csp_mines.kernel import Kernel

LARGEST_BOX = 1000  # cells; the pure engine counts regions with larger boxes
LARGEST_WEIGHT = 2**64  # the pure engine counts regions with this weight or larger ones
FAULT = (
    "the kernel has a defect: the mines that it counted in the boxes of a region do not add up to "
    "the mines of the region; count with backend 'native:pure'"
)  # the message of an EngineFault


def count_compiled(
    kernel: Kernel,
    region: Region,
    max_states: int,
    deadline: Deadline,
    max_memory: int = defaults.MAX_MEMORY,
) -> RegionCount | None:
    """Return the count of `region`. Return None if a weight or a box is too large for the kernel.

    Raises TooWide if the count needs more than `max_states` states or `max_memory` bytes, OutOfTime
    after the deadline, EngineFault if the mines that the kernel counts in the boxes do not add up
    to the mines of the region."""
    constraints = region.constraints
    sizes = [len(box) for box in region.boxes]
    weight_starts, weights = flattened([constraint.weights or () for constraint in constraints])
    if max(sizes, default=0) > LARGEST_BOX or max(weights, default=0) >= LARGEST_WEIGHT:
        return None
    bounds = [
        (max(constraint.low, 0), min(constraint.high, cells))
        for constraint, cells in zip(constraints, region.sizes, strict=True)
    ]
    if any(low > high for low, high in bounds):
        return RegionCount.none(region)
    status, states, low, ways, mines, witnesses = kernel.count_region(
        sizes,
        *flattened([constraint.boxes for constraint in constraints]),
        [low for low, _ in bounds],
        [high for _, high in bounds],
        weight_starts,
        weights,
        max_states,
        deadline.left,
        max_memory,
    )
    if status is kernel.Status.CONTRADICTION:
        return RegionCount.none(region)
    if status:
        raise failure(status, states, max_states, max_memory, deadline.seconds, FAULT)
    return RegionCount(low, ways, mines, witnesses, states)
