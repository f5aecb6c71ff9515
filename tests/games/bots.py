"""Agents as people write them, good and bad. Worker processes import this module."""

from __future__ import annotations

import gc
import os
import random
import signal
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


def ends_its_process(board: Board) -> Cell:
    os._exit(7)


class EndsItsProcess:
    def __init__(self) -> None:
        os._exit(7)

    def move(self, board: Board) -> Cell:
        return min(board.hidden)


def kills_itself(board: Board) -> Cell:
    os.kill(os.getpid(), signal.SIGKILL)
    return 0, 0


def recurses(board: Board) -> Cell:
    return recurses(board)


def asks_a_person(board: Board) -> Cell:
    return int(input()), 0


def searches(board: Board) -> Cell:
    """Looks for the layout in the frames of its callers and among all objects of Python."""
    frame: Any = sys._getframe()
    while frame is not None:
        for value in [*frame.f_locals.values(), *gc.get_referents(*frame.f_locals.values())]:
            if isinstance(value, csp_mines.Game | csp_mines.Layout):
                raise LookupError(f"found {type(value).__name__} in a frame")
        frame = frame.f_back
    for value in gc.get_objects():
        if isinstance(value, csp_mines.Game | csp_mines.Layout):
            raise LookupError(f"found {type(value).__name__} in memory")
    return min(board.hidden)
