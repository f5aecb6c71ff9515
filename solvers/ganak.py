"""The engine `ganak`: counting by Ganak, a published #SAT counter, as an independent check.

Ganak counts the models of a formula exactly, and nothing else. So everything that a count needs is
expressed as a number of models. Each mine adds `8 * width` free variables, so a solution with m
mines counts `256 ** (width * m)` times: the result has a field of `width` bytes for each number of
mines. (Mines in disjoint exact constraints are left out of m, because their number is known.) If a
constraint has weights, the formula gets one more number for this constraint. In a solution with k
mines in the constraint, the number can have as many values as the weight of k. To count the mines
of a box, one of its cells is fixed as a mine. Exact clues may determine the mines of a box from the
mines of other boxes. Then the mines of this box are computed, not counted.

Ganak does not return to Python while it counts. It prints on standard output, and it may end its
process. So it runs in a process apart. This process may take `max_memory` bytes, or the bytes of
`max_states` states of an elimination if these are fewer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import gcd

from csp_mines import apart
from csp_mines.backend import STATE_BYTES, Deadline, RegionCount
from csp_mines.constraints import BoxConstraint, Region
from csp_mines.errors import OutOfTime, TooWide
from csp_mines.polynomial import unpack
from csp_mines.rows import RIGHT, Row, equation, reduced

from .cnf import Formula, Number
from .counted import Counted

LEAST_MEMORY = 64 << 20  # with less, Ganak fails before it can report that memory is short


class Ganak(Counted):
    """A complete engine that counts with Ganak."""

    name = "ganak"
    summary = "exact counts by the #SAT counter Ganak"
    module = library = "pyganak"
    install = "csp-mines[ganak]"

    def count(self, region: Region) -> RegionCount:
        limits = self.python_states, self.counting_deadline()
        total = _Counting(region, 0, *limits).models()
        if not total:
            return RegionCount.of((), [()] * len(region.boxes))
        counting = _Counting(region, total.bit_length() // 8 + 1, *limits)
        ties = _ties(region)
        ways = counting.by_mines()
        shares: dict[int, list[int]] = {}
        for box, cells in enumerate(region.boxes):
            if box not in ties:
                shares[box] = [len(cells) * weight for weight in counting.by_mines(box)]
        for box, row in ties.items():
            shares[box] = _tied_share(row, box, ways, shares)
        return RegionCount.of(ways, [shares[box] for box in range(len(region.boxes))])


class _Counting:
    """A region as a formula whose models Ganak counts. The number of models has a field of `width`
    bytes for each number of mines: field `m` is the weight of all solutions with `constant + m`
    mines, divided by `scale`. `constant` is the number of mines in some disjoint exact constraints.
    If no constraint has weights, every solution weighs 1. If `width` is 0, the number of models is
    the weight of all solutions, divided by `scale`."""

    def __init__(self, region: Region, width: int, max_states: int, deadline: Deadline) -> None:
        self.width = width
        self.max_states = max_states
        self.deadline = deadline
        self.formula = Formula(determined=True)
        self.boxes = [[[self.formula.variable()] for _ in box] for box in region.boxes]
        self.scale = 1
        for constraint in region.constraints:
            cells = [cell for box in constraint.boxes for cell in self.boxes[box]]
            self.formula.between(cells, constraint.low, constraint.high)
            if constraint.weights is not None:
                self.scale *= _weigh(
                    self.formula, self.formula.total(cells), constraint, constraint.weights
                )
        self.constant, rest = region.split_off_exact()
        self.cells = sum(len(box) for box in region.boxes)
        self.fields = sum(len(region.boxes[box]) for box in rest) + 1
        for box in rest:
            for (cell,) in self.boxes[box]:
                self.formula.clauses += ([cell, -self.formula.variable()] for _ in range(8 * width))

    def models(self, *units: int) -> int:
        """Count the models in which the literals `units` are true. Raises OutOfTime after the
        deadline, TooWide if the memory is not enough, EngineFault if Ganak gives no number."""
        clauses = [*self.formula.clauses, *([unit] for unit in units)]
        self.deadline.check()
        try:
            models: int = apart.call(
                _models, self.formula.variables, clauses,
                engine=Ganak.name, seconds=self.deadline.left, quiet=True,
                max_memory=max(LEAST_MEMORY, self.max_states * STATE_BYTES),
            )  # fmt: skip
        except OutOfTime:
            raise self.deadline.missed() from None
        except MemoryError:
            raise TooWide(self.max_states + 1, self.max_states) from None
        return models

    def by_mines(self, box: int | None = None) -> list[int]:
        """Return, for each number of mines from 0 on, the weight of the solutions with so many
        mines. With `box`, count only solutions with a mine at the first cell of the box."""
        units = [] if box is None else self.boxes[box][0]
        fields = unpack(self.models(*units), self.width, self.fields)
        weights = [0] * self.constant + [self.scale * field for field in fields]
        return weights + [0] * (self.cells + 1 - len(weights))


def _weigh(
    formula: Formula, total: Number, constraint: BoxConstraint, weights: Sequence[int]
) -> int:
    """Divide all weights by their greatest common factor, and return that factor. Add free
    variables to the formula. If the value of `total` in a model has the divided weight q, these
    variables can have q values, so the model is counted q times. Values of `total` with the weight
    0 are excluded."""
    shared = gcd(*weights[constraint.low : constraint.high + 1]) or 1
    bounds = {
        value: weights[value] // shared - 1 for value in range(constraint.low, constraint.high + 1)
    }
    bits = [formula.variable() for _ in range(max(bounds.values()).bit_length())]
    for value, bound in bounds.items():
        other = [-literal for literal in total[:value][-1:]] + list(total[value : value + 1])
        if bound < 0:
            formula.clauses.append(other)
            continue
        for place, bit in enumerate(bits):
            if not bound >> place & 1:
                above = [-bits[i] for i in range(place + 1, len(bits)) if bound >> i & 1]
                formula.clauses.append([*other, -bit, *above])
    return shared


PER_MINE = RIGHT - 1  # the column of `m` in the rows; this column is never eliminated


def _ties(region: Region) -> dict[int, Row]:
    """Row-reduce the exact clues and the equation "all boxes together have `m` mines". Return,
    for each box whose mines follow from those of other boxes, the reduced row that shows this. The
    mines of the other boxes in that row follow from no row, so Ganak must count them."""
    rows = [
        equation(constraint.boxes, constraint.low)
        for constraint in region.constraints
        if constraint.low == constraint.high
    ]
    rows.append(dict.fromkeys(range(len(region.boxes)), 1) | {PER_MINE: 1})
    done = reduced(rows, lambda row: len(_boxes_in(row)))
    return {min(_boxes_in(row)): row for row in done}  # the lowest box of a row is in no other row


def _tied_share(
    row: Row, box: int, ways: Sequence[int], shares: Mapping[int, Sequence[int]]
) -> list[int]:
    """Return the share of a box, computed from its row and from the shares of the other boxes in
    the row. Entry `m` of a share is the mines of the box, summed over the solutions with `m` mines.
    `ways[m]` is the weight of these solutions."""
    others = [other for other in _boxes_in(row) if other != box]
    return [
        (
            (row.get(RIGHT, 0) + row.get(PER_MINE, 0) * mines) * weight
            - sum(row[other] * shares[other][mines] for other in others)
        )
        // row[box]
        for mines, weight in enumerate(ways)
    ]


def _boxes_in(row: Row) -> list[int]:
    return [column for column in row if column > RIGHT]


def _models(variables: int, clauses: list[list[int]]) -> int:
    """Count the models. This function runs in the process apart."""
    import pyganak

    counter = pyganak.Counter()  # counts only once, so each question needs a new one
    counter.new_vars(variables)
    counter.add_clauses(clauses)
    try:
        return int(counter.count())
    except Exception as error:
        if "bad_alloc" in str(error):
            raise MemoryError from error
        raise
