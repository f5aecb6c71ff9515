"""Counting by Ganak, a published #SAT counter: an independent check of the other engines.

Ganak counts the models of a formula, and nothing else, exactly. So everything a count needs is
written as a number of models: a mine that has to be told apart brings `width` unconstrained
variables, which puts the solutions with one mine more `width` bits further up in the result; the
weight of a constraint is the range of a number that appears nowhere else. The mines of a box are
counted by fixing one of its cells; boxes that exact clues tie to others follow from those.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from importlib.metadata import version
from importlib.util import find_spec
from math import gcd

from csp_mines.backend import RegionCount
from csp_mines.constraints import BoxConstraint, Region
from csp_mines.polynomial import unpack
from solvers.cnf import Formula, Number
from solvers.counted import Counted

__all__ = ["Ganak"]


class Ganak(Counted):
    """Counts by Ganak, which bounds its own memory; `max_states` has no meaning to it."""

    name = "ganak"
    summary = "exact counts by the #SAT counter Ganak"

    @classmethod
    def missing(cls) -> str | None:
        return None if find_spec("pyganak") else "pip install 'csp-mines[ganak]'"

    @classmethod
    def version(cls) -> str:
        return "" if cls.missing() else f"pyganak {version('pyganak')}"

    def count(self, region: Region) -> RegionCount:
        total = _Counting(region, 0).models()
        if not total:
            return RegionCount.of((), [()] * len(region.boxes))
        counting = _Counting(region, total.bit_length() // 8 + 1)
        free, ties = _ties(region)
        ways = counting.by_mines()
        shares: dict[int, list[int]] = {}
        for box in free:
            with_mine = counting.by_mines(box)
            shares[box] = [len(region.boxes[box]) * weight for weight in with_mine]
        for box, tie in ties.items():
            shares[box] = tie.share(ways, shares)
        return RegionCount.of(ways, [shares[box] for box in range(len(region.boxes))])


class _Counting:
    """A region as a formula whose models Ganak counts; with a `width` in bytes, the solutions with
    `m` mines are found in field `m` of the result."""

    def __init__(self, region: Region, width: int) -> None:
        self.width = width
        self.formula = Formula(determined=True)
        self.boxes = [[[self.formula.variable()] for _ in box] for box in region.boxes]
        self.scale = 1
        for one in region.constraints:
            cells = [cell for box in one.boxes for cell in self.boxes[box]]
            self.formula.between(cells, one.low, one.high)
            if one.weights is not None:
                self.scale *= _weigh(self.formula, self.formula.total(cells), one, one.weights)
        self.constant, rest = region.split_off_exact()
        self.cells = sum(len(box) for box in region.boxes)
        self.fields = sum(len(region.boxes[box]) for box in rest) + 1
        for box in rest:
            for (cell,) in self.boxes[box]:
                self.formula.clauses += ([cell, -self.formula.variable()] for _ in range(8 * width))

    def models(self, *units: int) -> int:
        """Counts the models in which the literals `units` are true."""
        import pyganak

        counter = pyganak.Counter()  # counts once, so each question needs its own
        counter.new_vars(self.formula.variables)
        counter.add_clauses([*self.formula.clauses, *([unit] for unit in units)])
        with _quiet(), _interruptible():
            return int(counter.count())

    def by_mines(self, box: int | None = None) -> list[int]:
        """The weight of the solutions with each number of mines; of those with a mine at one cell
        of `box`, if that is given."""
        units = [] if box is None else self.boxes[box][0]
        fields = unpack(self.models(*units), self.width, self.fields)
        weights = [0] * self.constant + [self.scale * field for field in fields]
        return weights + [0] * (self.cells + 1 - len(weights))


def _weigh(formula: Formula, total: Number, one: BoxConstraint, weights: Sequence[int]) -> int:
    """Multiplies the models by the weight of each value of `total`, divided by what is returned:
    adds a number that may be anything below that weight."""
    shared = gcd(*weights[one.low : one.high + 1])
    bounds = {value: weights[value] // shared - 1 for value in range(one.low, one.high + 1)}
    bits = [formula.variable() for _ in range(max(bounds.values()).bit_length())]
    for value, bound in bounds.items():
        other = [-literal for literal in total[:value][-1:]] + list(total[value : value + 1])
        for place, bit in enumerate(bits):
            if not bound >> place & 1:
                above = [-bits[i] for i in range(place + 1, len(bits)) if bound >> i & 1]
                formula.clauses.append([*other, -bit, *above])
    return shared


class _Tie:
    """A box in terms of others: its mines are `constant + per_mine * m` of the solutions with `m`
    mines, less `others` times the mines of the other boxes."""

    def __init__(self, row: dict[int, Fraction], box: int) -> None:
        lead = row[box]
        self.constant = row.get(CONSTANT, Fraction(0)) / lead
        self.per_mine = row.get(PER_MINE, Fraction(0)) / lead
        self.others = {
            other: value / lead for other, value in row.items() if other >= 0 and other != box
        }

    def share(self, ways: Sequence[int], shares: dict[int, list[int]]) -> list[int]:
        return [
            int(
                (self.constant + self.per_mine * mines) * weight
                - sum(value * shares[other][mines] for other, value in self.others.items())
            )
            for mines, weight in enumerate(ways)
        ]


CONSTANT, PER_MINE = -1, -2  # the columns of the right side: a number, and one times `m`


def _ties(region: Region) -> tuple[list[int], dict[int, _Tie]]:
    """Boxes to count, and the others in terms of these: row reduction of the exact clues, and of
    "all boxes together have `m` mines"."""
    rows = [
        dict.fromkeys(one.boxes, Fraction(1)) | {CONSTANT: Fraction(one.low)}
        for one in region.constraints
        if one.low == one.high
    ]
    rows.append(dict.fromkeys(range(len(region.boxes)), Fraction(1)) | {PER_MINE: Fraction(1)})
    done: dict[int, dict[int, Fraction]] = {}
    while rows:
        row = rows.pop(0)
        box = max((column for column in row if column >= 0), default=None)
        if box is None:
            continue
        rows = [_without(other, row, box) for other in rows]
        done = {pivot: _without(other, row, box) for pivot, other in done.items()}
        done[box] = row
    free = [box for box in range(len(region.boxes)) if box not in done]
    return free, {box: _Tie(row, box) for box, row in done.items()}


def _without(row: dict[int, Fraction], pivot: dict[int, Fraction], box: int) -> dict[int, Fraction]:
    """`row` less as much of `pivot` as removes `box`."""
    if box not in row:
        return row
    factor = row[box] / pivot[box]
    columns = {column: row.get(column, 0) - factor * pivot.get(column, 0) for column in row | pivot}
    return {column: value for column, value in columns.items() if value}


@contextmanager
def _interruptible() -> Iterator[None]:
    """Ganak does not come back for Ctrl-C to be heard: let the signal end the process itself."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _quiet() -> Iterator[None]:
    """Ganak prints on standard output, from C++: send that nowhere."""
    sys.stdout.flush()
    flush = ctypes.CDLL(None).fflush
    kept = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        yield
    finally:
        flush(None)
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)
