"""A slice of what benchmarks/mutated_texts.py does: an error or a board, never anything else."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from csp_mines import BoardError
from csp_mines.formats import interpret
from tests.formats.mutations import check, mutated


@pytest.mark.parametrize("seed", range(2))
def test_mutated_texts(seed: int) -> None:
    numbers = random.Random(seed)
    kinds: Counter[str] = Counter()
    for _ in range(500):
        kind, seconds = check(*mutated(numbers))
        kinds[kind] += 1
        assert seconds < 10
    assert min(kinds["error"], kinds["board"], kinds["layout"]) > 10


@pytest.mark.parametrize(
    "text",
    [
        "\n" * 300_000,
        " " * 300_000,
        ";" * 300_000,
        "; \n" * 30_000,
        "a" * 300_000,
        "a " * 200_000,
        "\t \n" * 200_000,
        "[" * 200_000,
        "(" * 200_000 + "a=[",
        "1,\n" * 20_000 + "q",
        "b1_4000x4000_" + "H" * 200_000,
        "4000x4000:0,0,m" + "0" * 200_000,
        "Board:\n" + "*" * 200_000 + "\nEvents:\n" + "?" * 200_000,
        ": " * 200_000,
        "🟦" * 20_000 + "q",
    ],
    ids=lambda text: repr(text[:8]),
)
def test_long_texts_of_nothing_take_time_linear_in_them(text: str) -> None:
    with pytest.raises(BoardError):
        interpret(text)


def test_memory_is_bounded_by_the_text() -> None:
    """Ten megabytes of newlines took more than one gigabyte."""
    import tracemalloc

    text = "\n" * 10_000_000
    tracemalloc.start()
    with pytest.raises(BoardError, match="expected at least one row of cells"):
        interpret(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000_000
