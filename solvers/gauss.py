"""The engine `gauss`: row reduction of the clues as linear equations, in whole numbers. Then each
row by itself may force the mines of its boxes."""

from __future__ import annotations

from collections.abc import Iterable

from csp_mines.backend import Backend, Deduction
from csp_mines.constraints import BoxConstraint, Problem
from csp_mines.rows import equation, forced, reduced

from .single import Single


class Gauss(Backend):
    """An engine that is not complete. The exact constraints of a region form a matrix over its
    boxes, which is reduced to row-echelon form in integers. A row whose greatest (or least)
    possible value equals its right side fixes all its boxes. Constraints that are not exact serve
    only the single-clue rule. If the total may exclude some layout, it is one more row and joins
    all regions into one matrix."""

    name = "gauss"
    summary = "exact row reduction, then bounds on every row"
    keeps_time = True

    def deduce(self, problem: Problem) -> Deduction:
        deduction = Single().deduce(problem)
        while True:
            new = _reduce(problem.given(deduction.safe, deduction.mines))
            if not new.cells:
                return deduction
            deduction |= new
            deduction |= Single().deduce(problem.given(deduction.safe, deduction.mines))


def _reduce(problem: Problem) -> Deduction:
    """Reduce every matrix once, and return what its rows prove. Raises Contradiction if a row
    cannot be true."""
    deduction = Deduction()
    for boxes, equations in _systems(problem):
        sizes = [len(box) for box in boxes]
        # A column stands for the number of mines in a box, so every coefficient is 1 at first.
        for row in reduced(equation(*told) for told in equations):
            for box, mines in forced(row, sizes):
                cells = frozenset(boxes[box])
                deduction |= Deduction(mines=cells) if mines else Deduction(safe=cells)
    return deduction


Equation = tuple[tuple[int, ...], int]  # boxes, and the number of mines in them
System = tuple[tuple[tuple[int, ...], ...], list[Equation]]


def _systems(problem: Problem) -> Iterable[System]:
    """Return the boxes and the equations `(boxes, right side)` of each matrix."""
    if problem.mines is None or not problem.total_bites:
        return [(region.boxes, _equations(region.constraints)) for region in problem.regions]
    boxes = problem.boxes + ((problem.sea,) if problem.sea else ())
    everything = tuple(range(len(boxes))), problem.mines
    return [(boxes, [*_equations(problem.box_constraints), everything])]


def _equations(constraints: Iterable[BoxConstraint]) -> list[Equation]:
    return [(each.boxes, each.low) for each in constraints if each.low == each.high]
