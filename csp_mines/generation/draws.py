"""Random numbers and random layouts, from which the generators make games and puzzles. The numbers
come from SplitMix64 (in the kernel, `randomness/splitmix.hpp`).

A wish, a key and the number of a draw determine a layout. Every machine and the kernel draw the
same layout. The key is made from a seed."""

from __future__ import annotations

from csp_mines.generation.wishes import Wish
from csp_mines.layout import Layout, Seed, seed_bytes

_WORD = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15


class Stream:
    """A stream of random numbers that depends only on a key and the number of the stream."""

    def __init__(self, key: int, number: int) -> None:
        self._state = _mix((key + _mix((number + _GOLDEN) & _WORD)) & _WORD)

    def next(self) -> int:
        """Return 64 random bits."""
        self._state = (self._state + _GOLDEN) & _WORD
        return _mix(self._state)

    def below(self, bound: int) -> int:
        """Return a number from 0 to `bound` - 1."""
        return (self.next() * bound) >> 64

    def shuffled(self, items: list[int], count: int | None = None) -> list[int]:
        """Choose `count` of the items at random (by default all). Return the chosen items in random
        order."""
        items = list(items)
        count = len(items) if count is None else count
        for index in range(count):
            other = index + self.below(len(items) - index)
            items[index], items[other] = items[other], items[index]
        return items[:count]


def _mix(word: int) -> int:
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & _WORD
    return word ^ (word >> 31)


def seed_key(purpose: str, seed: Seed) -> int:
    """Return a key of 64 bits for a `Stream`. The key depends on `seed` and on `purpose`, a text
    that gives different generators different keys. Raises InputError for an invalid seed."""
    return int.from_bytes(seed_bytes(purpose, seed, 8), "big")


def drawn_layout(wish: Wish, key: int, number: int) -> Layout:
    """Draw a layout for a wish. `key` and the `number` of the draw determine the layout. The layout
    has the size and the number of mines of the wish, and no mine at the cells `wish.clear`. All
    layouts of this kind are equally likely."""
    room = wish.spec.numbers(wish.clear)
    return wish.spec.layout(Stream(key, number).shuffled(room, wish.spec.mines))
