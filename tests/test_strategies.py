"""The adversarial boards are what they say: brute force knows the mines that fit a block."""

from __future__ import annotations

import pytest

from tests import oracle
from tests.strategies import Block, assembly, chain, comb, lattice


@pytest.mark.parametrize(
    ("block", "mines"),
    [
        (chain(1), (0, 1, 2)),
        (chain(3), (2, 3, 4)),
        (chain(4), (4,)),
        (chain(5, 1, 1), (2, 3)),
        (chain(3, 3, 5), (7, 8)),
        (comb(2, 0), (2, 3)),
        (comb(1, 1), (1, 3)),
        (comb(2, 2), (2, 7)),
        (lattice(1, 3), (3,)),
    ],
)
def test_a_block_knows_the_mines_that_fit(block: Block, mines: tuple[int, ...]) -> None:
    fitting = oracle.truth(assembly([block], 60, None)).layouts
    assert block.mines == mines == tuple(sorted({len(layout) for layout in fitting}))


def test_an_assembly_keeps_its_blocks_apart() -> None:
    board = assembly([comb(1, 1), chain(2, 1, 1), chain(1)], 9, None, sea=1)
    fitting = oracle.truth(board).layouts
    assert {len(layout) for layout in fitting} == {
        1 + a + b + c for a in (1, 3) for b in range(3) for c in range(2)
    }
    assert len(fitting) == 2 * 2 * 4 * 2
