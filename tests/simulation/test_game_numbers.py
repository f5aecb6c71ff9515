"""Sets of game numbers against Python's own sets."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from csp_mines.simulation.game_numbers import GameNumbers

NUMBERS = st.lists(st.integers(0, 30))


@given(NUMBERS)
def test_they_hold_what_was_added_and_miss_the_rest(numbers: list[int]) -> None:
    found, oracle = GameNumbers(), set[int]()
    for number in numbers:
        assert found.add(number) == (number not in oracle)
        oracle.add(number)
        assert list(found) == sorted(oracle)
        assert len(found) == len(oracle)
    assert [number in found for number in range(-1, 32)] == [
        number in oracle for number in range(-1, 32)
    ]
    assert "0" not in found
    missing = found.missing(31)
    assert list(missing) == sorted(set(range(31)) - oracle)
    assert len(missing) == 31 - len(oracle)


def test_a_trillion_numbers_are_one_range() -> None:
    played = GameNumbers()
    played.add(5)
    left = played.missing(10**12)
    assert len(left) == 10**12 - 1
    assert 10**12 - 1 in left
    assert 5 not in left
