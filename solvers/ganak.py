"""The engine `ganak`: counting by Ganak, a published #SAT counter, as an independent check.

Ganak counts the models of a formula exactly, and does nothing else. So this module expresses every
number of a count as a number of models:

* Every cell outside some disjoint exact constraints gets `8 * width` more variables. (The number of
  mines inside these constraints is known.) The variables are free if the cell is a mine, and false
  if the cell is safe. So a solution with `m` mines in these cells is counted `256 ** (width * m)`
  times, and the number of models has a field of `width` bytes for each `m`.
* A constraint with weights gets one more number. In a solution with `k` mines in the constraint,
  this number can have as many values as the weight of `k` says. (The weights of the constraint are
  first divided by their greatest common factor.)
* For the mines of a box, Ganak counts the models that have a mine at the first cell of the box. If
  the mines of a box follow from exact constraints, the mines of other boxes and the number of mines
  in the region, Python computes the mines of the box instead.

Ganak runs in a process apart, because it does not return to Python while it counts, prints on
standard output, and may end its process.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import gcd

from csp_mines.backend import Deadline, RegionCount
from csp_mines.constraints import BoxConstraint, Region
from csp_mines.polynomial import unpack
from csp_mines.rows import RIGHT, Row, reduced

from .cnf import Formula, Number
from .counted import Counted
from .gauss import exact_rows

LEAST_MEMORY = 64 << 20  # bytes; with less, Ganak fails before it can report a lack of memory


class Ganak(Counted):
    """A complete engine that counts with Ganak."""

    name = "ganak"
    summary = "exact counts by the #SAT counter Ganak"
    module = library = "pyganak"
    install = "csp-mines[ganak]"

    def count(self, region: Region) -> RegionCount:
        deadline = self.counting_deadline()
        total = _Counting(self, region, 0, deadline).models()
        if not total:
            return RegionCount.none(region)
        counting = _Counting(self, region, total.bit_length() // 8 + 1, deadline)
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
    """A region as a formula whose models Ganak counts.

    The number of models consists of fields of `width` bytes. Field `m` is the sum of the weights of
    all solutions with `constant + m` mines, divided by `scale`. `constant` is the number of mines
    in some disjoint exact constraints. If no constraint has weights, every solution weighs 1, and
    `scale` is 1. If `width` is 0, the number of models is the sum of the weights of all solutions,
    divided by `scale`."""

    def __init__(self, engine: Ganak, region: Region, width: int, deadline: Deadline) -> None:
        self.engine = engine
        self.width = width
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
        """Return the number of models in which the literals `units` are true. Raises what
        `call_apart` raises."""
        clauses = [*self.formula.clauses, *([unit] for unit in units)]
        models: int = self.engine.call_apart(
            _models, self.formula.variables, clauses,
            deadline=self.deadline, least_memory=LEAST_MEMORY,
        )  # fmt: skip
        return models

    def by_mines(self, box: int | None = None) -> list[int]:
        """Return a list whose entry `m` is the sum of the weights of the solutions with `m` mines,
        for every `m` from 0 to the number of cells. If `box` is given, the sums leave out solutions
        without a mine at the first cell of this box."""
        units = [] if box is None else self.boxes[box][0]
        fields = unpack(self.models(*units), self.width, self.fields)
        weights = [0] * self.constant + [self.scale * field for field in fields]
        return weights + [0] * (self.cells + 1 - len(weights))


def _weigh(
    formula: Formula, total: Number, constraint: BoxConstraint, weights: Sequence[int]
) -> int:
    """Let the weights of a constraint change how often a model is counted. `total` is the number of
    mines in the constraint. Return `factor`: the greatest common factor of the weights within the
    bounds of the constraint, or 1 if all these weights are 0.

    The function adds variables to the formula. In a model in which the value of `total` has the
    weight `w`, the new variables can have `w // factor` values, so the model is counted
    `w // factor` times. Values of `total` with the weight 0 are excluded."""
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


# The column of the rows for `m`, the number of mines in the region: the right side of a row is
# `row[RIGHT] + row[PER_MINE] * m`. `reduced` never eliminates this column.
PER_MINE = RIGHT - 1


def _ties(region: Region) -> dict[int, Row]:
    """Return the reduced rows of the exact constraints and of the equation "all boxes together have
    `m` mines". The key of a row is its lowest box, whose mines follow from the mines of the other
    boxes in the row. These other boxes are not keys, so Ganak must count their mines."""
    rows = exact_rows(region.constraints)
    rows.append(dict.fromkeys(range(len(region.boxes)), 1) | {PER_MINE: 1})
    done = reduced(rows, lambda row: len(_boxes_in(row)))
    return {min(_boxes_in(row)): row for row in done}  # the lowest box of a row is in no other row


def _tied_share(
    row: Row, box: int, ways: Sequence[int], shares: Mapping[int, Sequence[int]]
) -> list[int]:
    """Return the share of a box, computed from its row and from the shares of the other boxes in
    the row. Entry `m` of a share is the weighted number of mines in the box, summed over the
    solutions with `m` mines. `ways[m]` is the sum of the weights of these solutions."""
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
    """Return the number of models of the clauses. Raises MemoryError if Ganak needs more memory
    than the process may take. This function runs in the process apart."""
    import pyganak

    counter = pyganak.Counter()  # a counter can count only once, so each call makes a new one
    counter.new_vars(variables)
    counter.add_clauses(clauses)
    try:
        return int(counter.count())
    except Exception as error:
        if "bad_alloc" in str(error):
            raise MemoryError from error
        raise
