"""The engine `gauss`: exact constraints as linear equations, and row reduction in whole numbers. A
reduced row by itself may prove that each of its boxes is empty or full of mines."""

from __future__ import annotations

from collections.abc import Iterable

from csp_mines.backend import Backend, Deduction
from csp_mines.constraints import BoxConstraint, Problem
from csp_mines.rows import Row, equation, forced, reduced

from .single import Single


class Gauss(Backend):
    """An engine that is not complete. It applies the engine `single` and row reduction in turn,
    until row reduction proves no further cell.

    The exact constraints of a region form a matrix with one column for each box. If the right side
    of a reduced row equals the greatest or the least value that its left side can have, the row
    proves all cells of its boxes. Only the engine `single` uses constraints that are not exact. If
    `Problem.total_bites` is true, there is only one matrix: it has the boxes and rows of all
    regions, a column for the sea, and the total as one more row."""

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
    """Reduce every matrix once, and return what the reduced rows prove. Raises Contradiction if a
    row cannot be true."""
    deduction = Deduction()
    for boxes, rows in _systems(problem):
        sizes = [len(box) for box in boxes]
        for row in reduced(rows):
            for box, mines in forced(row, sizes):
                cells = frozenset(boxes[box])
                deduction |= Deduction(mines=cells) if mines else Deduction(safe=cells)
    return deduction


def _systems(problem: Problem) -> Iterable[tuple[tuple[tuple[int, ...], ...], list[Row]]]:
    """Return the matrices (see `Gauss`), each as its boxes and its rows."""
    if problem.mines is None or not problem.total_bites:
        return [(region.boxes, exact_rows(region.constraints)) for region in problem.regions]
    boxes = problem.boxes + ((problem.sea,) if problem.sea else ())
    total = equation(range(len(boxes)), problem.mines)
    return [(boxes, [*exact_rows(problem.box_constraints), total])]


def exact_rows(constraints: Iterable[BoxConstraint]) -> list[Row]:
    """Return the rows of the exact constraints. A column stands for the number of mines in a box,
    so every coefficient is 1."""
    return [equation(each.boxes, each.low) for each in constraints if each.low == each.high]
