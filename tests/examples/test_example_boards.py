"""The example boards: all are read, and say what their comments promise."""

from __future__ import annotations

from pathlib import Path

import pytest

from csp_mines import Board, Contradiction, Status, analyze

BOARDS = Path(__file__).parents[2] / "examples" / "boards"

# Name, proved safe, proved mines, solutions; None where the digits are too many to be read.
EXPECTED = [
    ("disarm-corner", 4, 3, 1),
    ("disarm-game", 4, 3, None),
    ("disarm-game-late", 14, 4, None),
    ("endgame", 3, 1, 1),
    ("expert", 9, 32, None),
    ("last-corner", 0, 0, 3),
    ("only-the-total", 2, 1, 1),
    ("report2-10x10", 7, 0, None),
    ("report4-10x10", 13, 11, None),
    ("report4-5x5", 2, 1, 16),
]


@pytest.mark.parametrize(("name", "safe", "mines", "solutions"), EXPECTED)
def test_what_they_prove(name: str, safe: int, mines: int, solutions: int | None) -> None:
    found = analyze(Board.read(BOARDS / f"{name}.txt"))
    assert (len(found.safe), len(found.mines)) == (safe, mines)
    assert solutions is None or found.solutions == solutions


def test_the_contradictory_one() -> None:
    with pytest.raises(Contradiction) as caught:
        analyze(Board.read(BOARDS / "contradiction.txt"))
    conflict = caught.value.conflict
    assert conflict is not None
    assert (dict(conflict.clues), conflict.mines) == ({(1, 1): 1, (1, 2): 3, (1, 3): 1}, None)


def test_endgames_need_the_total() -> None:
    for name in ("endgame", "only-the-total"):
        board = Board.read(BOARDS / f"{name}.txt")
        assert analyze(board, use_total=False).status is Status.GUESS
        assert analyze(board).status is Status.PROGRESS


def test_every_board_is_covered() -> None:
    assert {path.stem for path in BOARDS.glob("*.txt")} - {"contradiction"} == {
        name for name, *_ in EXPECTED
    }
