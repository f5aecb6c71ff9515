"""Row reduction: clues as linear equations, reduced exactly, then read for what bounds force."""

from __future__ import annotations

from collections.abc import Iterable
from math import gcd

from csp_mines.backend import Backend, Deduction
from csp_mines.constraints import Problem
from csp_mines.errors import Contradiction
from solvers.single import Single

__all__ = ["Gauss"]

Row = dict[int, int]  # column (a box) to coefficient
RIGHT = -1  # the column of the right side


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
        rows = [_row(*equation) for equation in equations]
        for box, mines in _fixed(_echelon(rows), sizes):
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


def _row(boxes: tuple[int, ...], right: int) -> Row:
    """Columns are boxes counted in mines, so every coefficient starts as 1."""
    row = dict.fromkeys(boxes, 1)
    return row | {RIGHT: right} if right else row


def _echelon(rows: list[Row]) -> list[Row]:
    """Reduced row-echelon form in integers, by sparse elimination: the pivot is taken in the
    shortest row, and its column removed from all others."""
    rows = [row for row in rows if row]
    done: list[Row] = []
    while rows:
        rows.sort(key=len, reverse=True)
        pivot = rows.pop()
        columns = [column for column in pivot if column != RIGHT]
        if not columns:
            raise Contradiction("the equations cannot hold together")
        column = min(columns)
        done = [_eliminate(row, pivot, column) for row in done]
        rows = [_eliminate(row, pivot, column) for row in rows]
        rows = [row for row in rows if row]
        done.append(pivot)
    return done


def _eliminate(row: Row, pivot: Row, column: int) -> Row:
    factor = row.get(column)
    if not factor:
        return row
    lead = pivot[column]
    result = {key: value * lead for key, value in row.items()}
    for key, value in pivot.items():
        left = result.get(key, 0) - value * factor
        if left:
            result[key] = left
        else:
            result.pop(key, None)
    shared = gcd(*result.values()) if result else 1
    return {key: value // shared for key, value in result.items()} if shared > 1 else result


def _fixed(rows: list[Row], sizes: list[int]) -> Iterable[tuple[int, bool]]:
    """Boxes that a row's bounds force to be all mines (True) or all safe. Raises Contradiction."""
    for row in rows:
        right = row.get(RIGHT, 0)
        terms = [(column, value) for column, value in row.items() if column != RIGHT]
        high = sum(value * sizes[column] for column, value in terms if value > 0)
        low = sum(value * sizes[column] for column, value in terms if value < 0)
        if not low <= right <= high:
            raise Contradiction("the equations cannot hold together")
        if right == high:
            yield from ((column, value > 0) for column, value in terms)
        if right == low:
            yield from ((column, value < 0) for column, value in terms)
