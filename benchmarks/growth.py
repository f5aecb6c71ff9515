"""Measure how the time of one analysis grows with the board.

    python benchmarks/growth.py [--seeds N]

The boards are square, from 10 x 10 to 1000 x 1000, with 15 and 20 % mines. Half of the safe cells
are open: those nearest to a start in the middle. The time of a board is the best of several
`csp_mines.analyze(array, mines=M)`, averaged over the seeds. The sizes take turns. The script
prints the time per cell, and its ratio to the 100 x 100 board of the same run.
"""

from __future__ import annotations

import argparse
import statistics
from collections import defaultdict
from time import process_time

import numpy as np
import numpy.typing as npt

import csp_mines

SIZES = (10, 30, 100, 300, 1000)
DENSITIES = (0.15, 0.20)
CELLS_PER_BOARD = 5_000_000  # cells analysed in all calls together, within bounds


def position(size: int, density: float, seed: int) -> tuple[npt.NDArray[np.int8], int]:
    """A board and its mines: half of the safe cells opened around a start without mines."""
    random = np.random.default_rng(seed)
    flat = np.zeros(size * size, dtype=bool)
    flat[random.choice(flat.size, round(flat.size * density), replace=False)] = True
    layout = flat.reshape(size, size)
    middle = size // 2
    layout[middle - 1 : middle + 2, middle - 1 : middle + 2] = False
    padded = np.pad(layout.astype(np.int8), 1)
    shifts = [padded[r : r + size, c : c + size] for r in range(3) for c in range(3)]
    clues = np.sum(shifts, axis=0, dtype=np.int8)
    rows, cols = np.indices(layout.shape)
    distance = (rows - middle) ** 2 + (cols - middle) ** 2
    nearest = np.argsort(distance, axis=None, kind="stable")
    safe = nearest[~layout.ravel()[nearest]]
    opened = safe[: safe.size // 2]
    board = np.full(layout.size, -1, dtype=np.int8)
    board[opened] = clues.ravel()[opened]
    return board.reshape(size, size), int(layout.sum())


def best(board: npt.NDArray[np.int8], mines: int) -> float:
    """Seconds of the fastest of several calls."""
    times = []
    for _ in range(max(30, min(1000, CELLS_PER_BOARD // board.size))):
        start = process_time()
        csp_mines.analyze(board, mines=mines)
        times.append(process_time() - start)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=5)
    seeds = range(parser.parse_args().seeds)
    times: defaultdict[tuple[float, int], list[float]] = defaultdict(list)
    for seed in seeds:
        for density in DENSITIES:
            for size in SIZES:
                times[density, size].append(best(*position(size, density, seed)))
    print("| mines | board | ms | ns per cell | relative to 100 × 100 |")
    print("|--:|---|--:|--:|--:|")
    for density in DENSITIES:
        reference = statistics.mean(times[density, 100]) / 100**2
        for size in SIZES:
            seconds = statistics.mean(times[density, size])
            per_cell = seconds / size**2
            print(
                f"| {density:.0%} | {size} × {size} | {1e3 * seconds:.4f} | {1e9 * per_cell:.1f} "
                f"| {per_cell / reference:.2f} |"
            )


if __name__ == "__main__":
    main()
