"""Compare the compiled kernel with the exact engine on random boards.

    python benchmarks/agreement.py [BOARDS] [SEED]

The boards have mixed sizes, densities, clue models and priors, and some are contradictory. Both
engines must agree on contradictions, on every certain cell and on every probability. The script
prints the largest difference.
"""

from __future__ import annotations

import sys

import numpy as np
from csp_mines.solvers.native import compiled

from csp_mines import Analysis, Board, Contradiction, Layout, analyze

MODELS = ("exact", "exact", "silent", "optimistic", "cautious")


def random_board(random: np.random.Generator, number: int) -> Board:
    """A partly opened random layout. It has a total, sometimes a wrong one, or a density."""
    rows, cols = (int(side) for side in random.integers(1, 17, 2))
    mines = int(random.integers(0, rows * cols * random.choice([0.15, 0.25, 0.5]) + 1))
    layout = Layout.random(rows, cols, mines, number)
    numbers = [[layout.number((row, col)) for col in range(cols)] for row in range(rows)]
    shown = random.random((rows, cols)) < random.choice([0.3, 0.6, 0.9])
    codes = np.where(shown & ~layout.mines, np.array(numbers), -1)
    model = str(random.choice(MODELS)) if rows * cols <= 64 else "exact"
    if random.random() < 0.25:
        return Board(codes, density=round(float(random.uniform(0.05, 0.6)), 3), clues=model)
    total = mines + int(random.choice([0, 0, 0, 0, 1, -1]))
    return Board(codes, mines=min(max(total, 0), rows * cols), clues=model)


def answer(board: Board, backend: str) -> Analysis | None:
    """None when no layout fits."""
    try:
        return analyze(board, backend=backend)
    except Contradiction:
        return None


def main() -> None:
    boards, seed = (int(text) for text in [*sys.argv[1:], "2000", "1"][:2])
    if compiled.load() is None:
        sys.exit("no compiled kernel")
    random = np.random.default_rng(seed)
    worst, fitting = 0.0, 0
    for number in range(boards):
        board = random_board(random, number)
        fast, exact = answer(board, "native"), answer(board, "native:pure")
        if fast is None or exact is None:
            assert fast is exact, board
            continue
        fitting += 1
        assert type(fast) is not type(exact)  # they are two engines
        assert (fast.safe, fast.mines) == (exact.safe, exact.mines), board
        hidden = board.codes == -1
        if hidden.any():
            gap = abs(fast.probabilities - exact.probabilities)[hidden]
            worst = max(worst, float(gap.max()))
    print(f"{boards:,} boards, {fitting:,} of them with a layout that fits")
    print(f"certain cells and contradictions agree; largest difference {worst:.1e}")


if __name__ == "__main__":
    main()
