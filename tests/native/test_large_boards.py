"""What is told of large boards costs little beside their analysis: a slice of
benchmarks/large_boards.py."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from csp_mines import Board
from csp_mines.board import HIDDEN
from csp_mines.geometry import SQUARE
from tests.cli.runner import run


def test_digits_that_take_long_are_left_out(tmp_path: Path) -> None:
    """The total joins thousands of undecided regions of 300×300 cells: half a minute for digits
    that nobody asked for."""
    random = np.random.default_rng(1)
    layout = random.random((300, 300)) < 0.18
    shown = ~layout & (random.random(layout.shape) < 0.15)
    board = Board(np.where(shown, SQUARE.count(layout), HIDDEN), mines=int(layout.sum()))
    path = tmp_path / "board.txt"
    path.write_text(str(board))
    answer = json.loads(run("solve", "--json", path).out)
    assert answer["solutions"] is None
    assert isinstance(answer["log_solutions"], float)
    assert len(answer["probabilities"]) == 300
    without = json.loads(run("solve", "--json", "--no-total", path).out)
    assert len(without["solutions"]) > 5000
