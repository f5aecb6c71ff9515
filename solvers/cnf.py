"""`Formula`: sums of variables as clauses, in several encodings; for all SAT code and for `ganak`.

A `Formula` collects clauses over its own variables. A number from 0 to n is a list of n literals
(order encoding): the k-th literal, counted from 1, is true exactly if the number is at least k. A
single cell is a number with one literal, which is true exactly if the cell is a mine. The mines of
a box of interchangeable cells are one number. `between` says that a sum of numbers lies within
bounds, always or only while a selector literal is true. With one selector for each clue,
unsatisfiable cores are sets of clues.

The encoding `direct` avoids helper variables: it has one clause for every way in which the numbers
can add up to the upper bound plus 1. A lower bound is encoded as an upper bound of the complements
of the numbers. If a sum needs too many clauses, `direct` uses `Formula.total` instead, which adds
helper variables. The numbers determine these variables, so for given numbers there is only one
model. If a sum is too long even for `Formula.total`, `direct` uses an encoding of PySAT. In a
`determined` formula, no sum is too long for `Formula.total`.

The encoding `native` leaves bounds to the at-most constraints of the solver, but treats sums with a
selector like `direct`. All other encodings are PySAT's: several of their models may differ only in
helper variables.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from heapq import heapify, heappop, heappush
from itertools import pairwise
from math import comb
from typing import TypeAlias

from csp_mines.arguments import known_name

Number = Sequence[int]
_Chosen: TypeAlias = "tuple[int, _Chosen] | None"  # a linked list of literals, the last one first

DIRECT = "direct"
NATIVE = "native"
ENCODINGS = (
    DIRECT, NATIVE, "seqcounter", "sortnetwrk", "cardnetwrk", "totalizer", "mtotalizer",
    "kmtotalizer",
)  # fmt: skip

DIRECT_CLAUSES = 300  # a sum that needs more clauses uses helper variables
# The number of clauses of `Formula.total` grows with the square of the number of literals. So a sum
# of more than TOTAL_LITERALS literals uses NETWORK instead, except in a `determined` formula.
TOTAL_LITERALS = 300
NETWORK = "cardnetwrk"


class Formula:
    """Clauses, and at-most constraints for solvers that accept such constraints.

    `variables` is the number of variables. `atmosts` has a pair `(literals, bound)` for each
    at-most constraint: at most `bound` of the literals are true. Only the encoding `native` makes
    at-most constraints."""

    def __init__(self, encoding: str = DIRECT, *, determined: bool = False) -> None:
        """Make an empty formula. If `determined` is true and the encoding is `direct`, the numbers
        determine all helper variables. Raises UnknownName for an unknown encoding."""
        self.encoding = known_name("cardinality encoding", encoding, ENCODINGS)
        self.determined = determined
        self.variables = 0
        self.clauses: list[list[int]] = []
        self.atmosts: list[tuple[list[int], int]] = []
        self._totals: dict[tuple[tuple[int, ...], ...], tuple[int, ...]] = {}

    def variable(self) -> int:
        """Return a new variable."""
        self.variables += 1
        return self.variables

    def number(self, most: int) -> list[int]:
        """Return the literals of a new number, whose value in a model is from 0 to `most`."""
        literals = [self.variable() for _ in range(most)]
        self.clauses += ([smaller, -larger] for smaller, larger in pairwise(literals))
        return literals

    def between(
        self, numbers: Sequence[Number], low: int, high: int, *, selector: int | None = None
    ) -> None:
        """Require that the sum of the numbers is from `low` to `high`: always or, if `selector` is
        a literal, only while this literal is true."""
        guard = [] if selector is None else [-selector]
        most = sum(map(len, numbers))
        if low > min(high, most) or high < 0:
            never = self.variable()  # some solvers refuse an empty clause
            self.clauses += [never, *guard], [-never, *guard]
            return
        if high < most:
            self._atmost(numbers, high, guard)
        if low > 0:
            self._atleast(numbers, low, guard)

    def total(self, numbers: Sequence[Number]) -> Number:
        """Return a number that equals the sum of `numbers` in every model. The values of `numbers`
        determine the values of all variables that the call adds. A second call with the same
        `numbers` returns the same number."""
        key = tuple(map(tuple, numbers))
        if key not in self._totals:
            heap = [(len(number), index, number) for index, number in enumerate(key)]
            heapify(heap)
            while len(heap) > 1:
                (_, index, a), (_, _, b) = heappop(heap), heappop(heap)
                heappush(heap, (len(a) + len(b), index, self._sum(a, b)))
            self._totals[key] = heap[0][2] if heap else ()
        return self._totals[key]

    def _sum(self, a: Number, b: Number) -> tuple[int, ...]:
        result = tuple(self.number(len(a) + len(b)))
        for i in range(len(a) + 1):
            for j in range(len(b) + 1):
                if i + j:
                    both = [-literal for literal in (*a[i - 1 : i], *b[j - 1 : j])]
                    self.clauses.append([*both, result[i + j - 1]])
                if i + j < len(result):
                    neither = [*a[i : i + 1], *b[j : j + 1]]
                    self.clauses.append([*neither, -result[i + j]])
        return result

    def _atmost(self, numbers: Sequence[Number], high: int, guard: list[int]) -> None:
        literals = [literal for number in numbers for literal in number]
        if self._by_pysat(guard):
            self._atmost_by_pysat(literals, high, guard, self.encoding)
        elif _direct_clauses(tuple(map(len, numbers)), high) <= DIRECT_CLAUSES:
            self.clauses += ([*clause, *guard] for clause in _excesses(list(numbers), high + 1))
        elif self._by_total(len(literals)):
            self.clauses.append([-self.total(numbers)[high], *guard])
        else:
            self._atmost_by_pysat(literals, high, guard, NETWORK)

    def _atleast(self, numbers: Sequence[Number], low: int, guard: list[int]) -> None:
        missing = [_complement(number) for number in numbers]
        sizes = tuple(map(len, numbers))
        literals = sum(sizes)
        spare = literals - low
        direct = _direct_clauses(sizes, spare) <= DIRECT_CLAUSES
        if self._by_pysat(guard) or direct or not self._by_total(literals):
            self._atmost(missing, spare, guard)
        else:
            self.clauses.append([self.total(numbers)[low - 1], *guard])

    def _by_pysat(self, guard: list[int]) -> bool:
        """Return whether `_atmost_by_pysat` encodes a bound with this `guard`, however long the sum
        is. For `direct`, return False. For `native`, return True only if the guard is empty,
        because a solver cannot switch off an at-most constraint. For all other encodings, return
        True. A guard is a list of at most one literal; a bound need not hold if this literal is
        true."""
        return self.encoding != DIRECT and not (self.encoding == NATIVE and guard)

    def _by_total(self, literals: int) -> bool:
        return self.determined or literals <= TOTAL_LITERALS

    def _atmost_by_pysat(
        self, literals: list[int], high: int, guard: list[int], encoding: str
    ) -> None:
        if encoding == NATIVE:
            self.atmosts.append((literals, high))
            return
        from pysat.card import CardEnc, EncType

        cnf = CardEnc.atmost(
            literals, high, top_id=self.variables, encoding=getattr(EncType, encoding)
        )
        self.variables = max(self.variables, cnf.nv)
        self.clauses += ([*clause, *guard] for clause in cnf.clauses)


def _complement(number: Number) -> Number:
    """Return the number `most - number`, where `most` is the greatest value of `number`."""
    return [-literal for literal in reversed(number)]


@lru_cache(maxsize=10_000)
def _direct_clauses(sizes: tuple[int, ...], high: int) -> int:
    """Return how many clauses `direct` needs to bound a sum of numbers by `high`: the number of
    ways to add up to `high + 1`. `sizes` has the greatest value of each number. A result above
    DIRECT_CLAUSES may be less than the true number, because counting stops early."""
    least = comb(len(sizes), high + 1)  # counts only the ways in which every number is 0 or 1
    if least > DIRECT_CLAUSES:
        return least
    ways = [1] + [0] * (high + 1)
    for size in sizes:
        ways = [sum(ways[max(0, k - size) : k + 1]) for k in range(high + 2)]
        if ways[-1] > DIRECT_CLAUSES:
            break
    return ways[-1]


def _excesses(numbers: list[Number], excess: int) -> Iterator[list[int]]:
    """Yield, for each way in which the numbers can add up to `excess`, a clause that excludes this
    way. The function does not recurse, because there may be thousands of numbers."""
    room = [0]  # room[n]: the greatest sum of the last n numbers
    for number in reversed(numbers):
        room.append(room[-1] + len(number))
    todo: list[tuple[int, int, _Chosen]] = [(0, excess, None)]
    while todo:
        place, missing, chosen = todo.pop()
        if missing == 0:
            yield _literals(chosen)
        elif missing <= room[len(numbers) - place]:
            number = numbers[place]
            todo.extend(
                (place + 1, missing - value, (-number[value - 1], chosen))
                for value in range(min(len(number), missing), 0, -1)
            )
            todo.append((place + 1, missing, chosen))


def _literals(chosen: _Chosen) -> list[int]:
    """Return the linked list as a list, in the order of the numbers."""
    literals = []
    while chosen is not None:
        literal, chosen = chosen
        literals.append(literal)
    return literals[::-1]
