"""Are sampled risks as good as they say? Boards that can still be counted exactly, sampled all the
same: how many estimates lie within 1.96 of their standard errors.

    python benchmarks/sampling.py [POSITIONS] [WORK]
"""

import sys

import numpy as np

from csp_mines.analysis.analyze import Budget, analyze, frontier_of
from csp_mines.backend import default_kernel
from csp_mines.board import HIDDEN, Board
from csp_mines.clues import CLUE_MODELS
from csp_mines.errors import TooWide
from csp_mines.geometry import SQUARE
from csp_mines.sampling import estimate

MODELS = ("exact", "optimistic", "cautious")


def position(rng: np.random.Generator, number: int, side: int = 10) -> Board:
    """A random board, a fifth of it mines and a third of the rest open."""
    mines = rng.random((side, side)) < 0.2
    model = CLUE_MODELS[MODELS[number % 3]]
    true = SQUARE.count(mines)
    shown = true if model.draw is None else model.draw(true, rng.random(true.shape), 1.0)
    opened = (rng.random(mines.shape) < 1 / 3) & ~mines
    codes = np.where(opened, shown, HIDDEN).astype(np.int8)
    prior = {"density": "0.2"} if number % 2 else {"mines": int(mines.sum())}
    return Board(codes, clues=model, **prior)


def within(board: Board, seed: int, work: int) -> list[bool]:
    """For every box, whether its exact risk lies within the stated error."""
    exact = analyze(board)
    frontier = frontier_of(board)
    numbers = [[frontier.number(cell) for cell in cells] for cells in (exact.safe, exact.mines)]
    kernel = default_kernel()
    assert kernel is not None, "sampling needs the compiled kernel"
    found = estimate(kernel, frontier.problem.given(*numbers), Budget(work=work, seed=seed))
    risks = exact.probabilities.ravel()
    boxes = zip((*found.boxes, found.sea), found.risks, found.errors, strict=True)
    return [abs(risks[box[0]] - risk) <= 1.96 * error + 1e-12 for box, risk, error in boxes if box]


def main(positions: int = 1000, work: int = 2_000_000) -> None:
    rng = np.random.default_rng(1)
    held: dict[str, list[bool]] = {model: [] for model in MODELS}
    for number in range(positions):
        board = position(rng, number)
        try:
            held[board.clues.name] += within(board, number, work)
        except TooWide:
            print(f"position {number} is too wide to compare")
    for model, each in held.items():
        print(f"{model:11} {np.mean(each):.1%} of {len(each):,} boxes within 1.96 errors")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
