"""Row reduction: clues as linear equations, reduced exactly, then read for what bounds force."""

from __future__ import annotations

from collections.abc import Iterable

from csp_mines.backend import Backend, Deduction
from csp_mines.constraints import Problem
from csp_mines.rows import equation, forced, reduced

from .single import Single

__all__ = ["Gauss"]


class Gauss(Backend):
    """Sound, not complete. Every region's equalities form a matrix over its boxes, reduced to
    row-echelon form in integers. A row whose greatest (or least) possible value equals its right
    side fixes all its boxes. Ranges take part in the single-clue rule only. The total is one more
    row where it can bite; then it joins all regions into one matrix."""

    name = "gauss"
    summary = "exact row reduction, then bounds on every row"
    complete = False
    ranges = False
    counts = False
    keeps_time = True

    def deduce(self, problem: Problem) -> Deduction:
        single = Single()
        found = single.deduce(problem)
        while True:
            rest = problem.given(found.safe, found.mines)
            new = _reduce(rest)
            if not new.safe and not new.mines:
                return found
            found |= new
            again = single.deduce(problem.given(found.safe, found.mines))
            found |= again


def _reduce(problem: Problem) -> Deduction:
    """What one reduction of every matrix proves. Raises Contradiction."""
    found = Deduction()
    for boxes, equations in _systems(problem):
        sizes = [len(box) for box in boxes]
        # Columns are boxes counted in mines, so every coefficient starts as 1.
        for row in reduced(equation(*told) for told in equations):
            for box, mines in forced(row, sizes):
                cells = frozenset(boxes[box])
                found |= Deduction(mines=cells) if mines else Deduction(safe=cells)
    return found


System = tuple[list[tuple[int, ...]], list[tuple[tuple[int, ...], int]]]


def _systems(problem: Problem) -> Iterable[System]:
    """Boxes and equations `(boxes, right side)` of each matrix."""
    total = problem.mines if problem.total_bites else None
    systems: list[System] = []
    for region in problem.regions:
        equations = [
            (constraint.boxes, constraint.low)
            for constraint in region.constraints
            if constraint.low == constraint.high
        ]
        systems.append((list(region.boxes), equations))
    if total is None:
        return systems
    boxes: list[tuple[int, ...]] = []
    equations = []
    for some_boxes, some_equations in systems:
        shift = len(boxes)
        boxes += some_boxes
        equations += [(tuple(box + shift for box in of), right) for of, right in some_equations]
    if problem.sea:
        boxes.append(problem.sea)
    equations.append((tuple(range(len(boxes))), total))
    return [(boxes, equations)]
