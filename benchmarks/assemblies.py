"""Compare the kernel with the exact engine on boards designed to break it: regions with gaps.

    python benchmarks/assemblies.py [BOARDS] [SEED]

The numbers of mines of a region have gaps, or one parity, or weights that differ by many powers of
two. Boards have up to 300×300 cells, mostly no sea, and totals at both ends of the possible range,
near the ends and in the middle. The script prints the largest difference of a probability, the
largest bound that the kernel gave, and the number of boards of each size. It stops at the first
difference beyond the kernel's own bound.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from random import Random

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from csp_mines import Analysis, Board, Contradiction, analyze
from tests.strategies import gap_assembly

# How many blocks, how long, how wide the board, and how often. Small boards take no time.
SHAPES = [(8, 6, 40, 40), (24, 12, 80, 40), (80, 40, 121, 15), (300, 70, 300, 5)]


def answer(board: Board, backend: str) -> Analysis | None:
    try:
        return analyze(board, backend=backend, seconds=3600)
    except Contradiction:
        return None


def difference(found: Analysis, exact: Analysis) -> float:
    """The largest difference of two probabilities. Ends the script if certain cells differ."""
    if found.safe != exact.safe or found.mines != exact.mines:
        raise SystemExit(f"certain cells differ:\n{found.board}")
    if abs(found.log_solutions - exact.log_solutions) > 1e-9 * (1 + exact.log_solutions):
        raise SystemExit(f"numbers of layouts differ:\n{found.board}")
    return float(np.nanmax(np.abs(found.probabilities - exact.probabilities), initial=0.0))


def main(boards: int, seed: int) -> None:
    random = Random(seed)
    weights = [weight for *_, weight in SHAPES]
    sizes: Counter[str] = Counter()
    largest = bound = 0.0
    for number in range(boards):
        blocks, longest, width, _ = random.choices(SHAPES, weights)[0]
        board = gap_assembly(random, blocks=blocks, longest=longest, width=width)
        found, exact = answer(board, "native"), answer(board, "native:pure")
        if (found is None) != (exact is None):
            raise SystemExit(f"only one engine finds a layout:\n{board}")
        sizes["without a solution" if exact is None else f"of up to {width} columns"] += 1
        if found is None or exact is None:
            continue
        apart = difference(found, exact)
        if apart > found.error:
            raise SystemExit(f"{apart:.3g} apart, the kernel said {found.error:.3g}:\n{board}")
        largest, bound = max(largest, apart), max(bound, found.error)
        if number % 500 == 499:
            done = f"{number + 1:,} boards, largest difference {largest:.2g}"
            print(done, file=sys.stderr, flush=True)
    of_sizes = ", ".join(f"{count:,} {size}" for size, count in sizes.most_common())
    print(
        f"{boards:,} boards ({of_sizes}). On all of them the certain cells are the same and every "
        f"difference is within the bound. The largest difference is {largest:.2g}, the largest "
        f"bound {bound:.2g}."
    )


if __name__ == "__main__":
    numbers = [int(argument) for argument in sys.argv[1:]]
    main(*(numbers + [1000, 0][len(numbers) :]))
