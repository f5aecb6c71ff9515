"""The rule of moves: the safest cell, and which of several, by the kernel and in Python alike."""

from __future__ import annotations

from random import Random

from csp_mines import Board, Contradiction, analyze
from tests.oracle import truth
from tests.strategies import dense_board


def test_ties_go_to_corners_then_edges() -> None:
    found = analyze(Board.parse("0????\n?????\n?????"), mines=3)
    assert found.safe == {(0, 1), (1, 0), (1, 1)}
    found = analyze(Board.parse("C????\n?????\n?????"), mines=3, move="safest")
    assert found.move is not None
    assert found.move.cell == (0, 4)


def test_both_engines_choose_the_same_of_the_safest() -> None:
    """And no cell is safer, says a brute force; of those as safe, none has fewer neighbours, and
    none with as few comes earlier."""
    random = Random(5)
    chosen = 0
    for _ in range(60):
        board = dense_board(random, least=2, most=3, blank=0.3)
        try:
            found = analyze(board, move="safest")
        except Contradiction:
            continue
        if found.move is None:
            continue
        pure = analyze(board, backend="native:pure", move="safest").move
        assert pure is not None
        assert (found.move.cell, found.move.reason) == (pure.cell, pure.reason)
        known = truth(board)
        risks = {cell: known.probability(cell) for cell in known.hidden}
        least = min(risks.values())
        best = [cell for cell, risk in risks.items() if risk == least]
        assert found.move.cell == min(best, key=lambda cell: (len(board.neighbours(cell)), cell))
        chosen += 1
    assert chosen > 30
