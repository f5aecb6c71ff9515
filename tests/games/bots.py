"""Agents as people write them, good and bad. Worker processes import this module."""

from __future__ import annotations

import random
import sys
import time
from typing import Any

import csp_mines
from csp_mines import Board, Cell, Turn


def first_hidden(board: Board) -> Cell:
    return min(board.hidden)


class Wild:
    """Opens any hidden cell."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def __call__(self, board: Board) -> Cell:
        return self.random.choice(sorted(board.hidden))


class Thinker:
    """Opens and marks all that is proved, else the safest cell, as `exact` does."""

    def move(self, board: Board) -> Cell | Turn:
        analysis = csp_mines.analyze(board)
        if analysis.safe or analysis.mines:
            return Turn(open=sorted(analysis.safe), mark=sorted(analysis.mines))
        assert analysis.choice is not None
        return analysis.choice.move.cell


class Counted:
    """Counts its own moves, to show that each game has an object of its own."""

    most = 0

    def __init__(self) -> None:
        self.moves = 0

    def move(self, board: Board) -> Cell:
        self.moves += 1
        Counted.most = max(Counted.most, self.moves)
        return min(board.hidden)


THINKER = csp_mines.Agent("thinker", ("single", "native"), "lowest-risk", True)


def divides_by_zero(board: Board) -> Cell:
    return _deeper(board)


def _deeper(board: Board) -> Cell:
    return board.rows // 0, 0


def complains(board: Board) -> Cell:
    return board.require((99, 99))


def leaves(board: Board) -> Cell:
    sys.exit(3)


def late_crash(board: Board) -> Cell:
    """Crashes in the middle of games."""
    if len(board.hidden) < board.codes.size - 4:
        raise ValueError("it gets too hard")
    return min(board.hidden)


def endless(board: Board) -> Cell:
    while True:
        try:
            while True:
                pass
        except Exception:
            continue


class Returns:
    """Returns whatever it is told."""

    answer: Any = None

    def move(self, board: Board) -> Any:
        return self.answer


class Broken:
    def __init__(self) -> None:
        raise OSError("no model file")

    def move(self, board: Board) -> Cell:
        return 0, 0


def prints(board: Board) -> Cell:
    print("thinking")
    return min(board.hidden)


def prints_slowly(board: Board) -> Cell:
    time.sleep(0.002)
    return prints(board)
