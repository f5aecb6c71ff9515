"""`GameNumbers`: a set of game numbers, stored as ranges.

A run notes in such sets which games are done. The memory of a set grows with the number of its
ranges, not with the number of games."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator
from itertools import chain


class GameNumbers(Collection[int]):
    """A set of whole numbers, stored as ranges. The games of a plan are played nearly in order, so
    a few ranges are enough for a billion games."""

    def __init__(self) -> None:
        # Range i is range(_begins[i], _ends[i]). The ranges are in ascending order, with at least
        # one missing number between a range and the next one.
        self._begins: list[int] = []
        self._ends: list[int] = []
        self._count = 0

    def add(self, number: int) -> bool:
        """Add `number` to the set. Return True if `number` is new, False if the set contained it
        before."""
        place = bisect_right(self._begins, number)
        if place and number < self._ends[place - 1]:
            return False
        self._count += 1
        self._begins.insert(place, number)
        self._ends.insert(place, number + 1)
        self._join(place)
        self._join(place - 1)
        return True

    def _join(self, place: int) -> None:
        """Join range `place` and the next range if no number is between them."""
        if 0 <= place < len(self._ends) - 1 and self._ends[place] == self._begins[place + 1]:
            del self._ends[place], self._begins[place + 1]

    def ranges(self) -> Iterator[range]:
        """Iterate over the ranges of the set, in ascending order."""
        return map(range, self._begins, self._ends)

    def missing(self, games: int) -> GameNumbers:
        """Return the numbers from 0 to `games` - 1 that are not in the set. No number of the set
        may be outside this range."""
        rest = GameNumbers()
        for begin, end in zip([0, *self._ends], [*self._begins, games], strict=True):
            if begin < end:
                rest._begins.append(begin)
                rest._ends.append(end)
        rest._count = games - self._count
        return rest

    def __contains__(self, number: object) -> bool:
        if not isinstance(number, int):
            return False
        place = bisect_right(self._begins, number)
        return bool(place) and number < self._ends[place - 1]

    def __iter__(self) -> Iterator[int]:
        return chain.from_iterable(self.ranges())

    def __len__(self) -> int:
        return self._count
