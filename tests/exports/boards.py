"""Random small boards of every clue model, with marks, with and without totals."""

from __future__ import annotations

from random import Random

import numpy as np

from csp_mines.board import CLEAR, HIDDEN, MARKED, Board
from csp_mines.clues import CLUE_MODELS, NOTHING
from csp_mines.layout import Layout
from tests.exports.outside import ours

MOST_LAYOUTS = 300  # that a solver has to enumerate


def random_board(number: int) -> Board:
    """Board `number`, with at most MOST_LAYOUTS layouts. Each fifth has a wrong total or clue, and
    may have none."""
    random = Random(f"export/{number}")
    while True:
        board = _board(random, list(CLUE_MODELS)[number % 4], wrong=number % 5 == 4)
        answer = ours(board)
        if answer.count is not None and answer.count <= MOST_LAYOUTS and board.hidden:
            return board


def _board(random: Random, model_name: str, *, wrong: bool) -> Board:
    rows, cols = random.randint(1, 6), random.randint(2, 6)
    mines = random.randint(0, rows * cols // 2)
    layout = Layout.random(rows, cols, mines, random.getrandbits(32))
    model = CLUE_MODELS[model_name]
    numbers = layout.numbers.astype(int)
    if model.draw is not None:
        chances = np.array([[random.random() for _ in range(cols)] for _ in range(rows)])
        numbers = model.draw(numbers, chances, 0.7, 8).astype(int)
    codes = np.where(numbers == NOTHING, CLEAR, numbers)
    for row in range(rows):
        for col in range(cols):
            if layout.mines[row, col]:
                codes[row, col] = MARKED if random.random() < 0.2 else HIDDEN
            elif random.random() < 0.4:
                codes[row, col] = HIDDEN
    clues = np.argwhere(codes >= 0).tolist()
    if wrong and clues:
        row, col = random.choice(clues)
        codes[row, col] = random.randint(0, 8)
    prior = random.choice(["mines", "density", None])
    if prior == "mines":
        total = mines + random.choice([-1, 0, 1]) * wrong
        return Board(codes, mines=min(max(total, 0), rows * cols), clues=model)
    return Board(codes, density=0.2 if prior else None, clues=model)
