"""Give the compiled kernel invalid input, and check that it neither crashes nor leaks.

    python benchmarks/fuzz_kernel.py [CALLS]

The input has arrays of every dtype and shape, valid and invalid codes, valid and invalid priors,
contradictory boards, memories and batches. Run the script also with a kernel that was built with
AddressSanitizer and UBSan; docs/performance.md has the command.
"""

from __future__ import annotations

import json
import resource
import sys
from collections import Counter
from math import inf
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from csp_mines.solvers.native import compiled

import csp_mines

if TYPE_CHECKING:
    from csp_mines.kernel import Kernel

DATA = Path(__file__).parents[1] / "tests" / "data"
DTYPES = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i4", "f8", "?", "O")
OUTCOMES = ("fits", "contradiction", "too wide")


def shape(random: Random) -> tuple[int, ...]:
    dimensions = random.choice([2] * 20 + [0, 1, 3])
    return tuple(random.choice([0, 1, 2, 3, 5, 8, 13, 30]) for _ in range(dimensions))


def garbage(random: Random) -> npt.NDArray[np.generic]:
    """An array: mostly hidden cells and clues, often contradictory, sometimes not a valid board."""
    generator = np.random.default_rng(random.randrange(1 << 62))
    size = shape(random)
    high = random.choice([1, 2, 4, 9])
    codes = generator.integers(random.choice([-4, -1]), high, size)
    codes = np.where(generator.random(size) < random.choice([0, 0.5, 0.8, 0.97]), -1, codes)
    if random.random() < 0.05:
        codes = generator.integers(-(1 << 62), 1 << 62, size)
    dtype = random.choice(DTYPES[:4] * 8 + DTYPES)
    with np.errstate(all="ignore"):
        board = np.asarray(codes).astype(dtype)
    if board.ndim == 2 and random.random() < 0.2:
        board = random.choice([board.T, board[::-1, ::2], np.asfortranarray(board)])
    return board


def batch(
    kernel: Kernel, boards: object, totals: list[int], odds: float, model: object, limit: int
) -> str:
    """Analyse the boards at once, whatever they are. Raises TypeError, ValueError."""
    codes = np.asarray(boards)
    cells = codes.shape if codes.ndim == 3 else (3, 1, 1)
    risks, safe, mine = np.empty(cells), np.empty(cells, bool), np.empty(cells, bool)
    moves, status = np.empty((3, 2), np.int32), np.empty(3, np.int8)
    rest = np.empty(3), np.empty(3), np.empty(3, np.int64)
    places = risks, safe, mine, moves, status, *rest
    told = np.array(totals, np.int64)
    kernel.analyze_batch(codes, told, odds, model, limit, inf, 2, 1 << 30, 1e-9, *places)
    assert not (safe & mine).any()
    return f"batch: {kernel.BoardStatus(status[-1]).name.lower()}"


def call(kernel: Kernel, random: Random, memory: object) -> str:
    board = garbage(random)
    total = random.choice([-1] * 6 + [0, 1, 5, 40, 10**6, -7] + [random.randrange(200)] * 4)
    odds = random.choice([1.0, 0.25] * 8 + [1e-300, 1e300, 0.0, float("nan")])
    model = random.choice([*kernel.Model, kernel.Model.EXACT] * 8 + [3])
    limit = random.choice([1, 100, 3000])
    try:
        if random.random() < 0.05:
            return batch(kernel, [board] * 3, [total] * 3, odds, model, limit)
        held = memory if random.random() < 0.3 else None
        found = kernel.analyze(board, total, odds, model, limit, inf, held)
    except (TypeError, ValueError) as error:
        return type(error).__name__
    if found.status is kernel.Status.FITS:
        inside = found.probabilities[~np.isnan(found.probabilities)]
        assert ((inside >= 0) & (inside <= 1)).all(), (board, total, odds, model)
        assert not found.safe & found.mines
    return OUTCOMES[found.status]


def peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def growth_on_positions(calls: int) -> int:
    """KiB by which the peak memory grows over so many analyses of real positions. The first tenth
    of the analyses does not count."""
    lines = (DATA / "expert-guess.jsonl").read_text().splitlines()
    rows = [json.loads(line)["rows"] for line in lines]
    boards = [
        np.array([[-1 if c == "?" else int(c) for c in row] for row in board]) for board in rows
    ]
    settled = 0
    for number in range(calls):
        found = csp_mines.analyze(boards[number % len(boards)], mines=99)
        assert found.log_solutions >= 0
        if number == calls // 10:
            settled = peak()
    return peak() - settled


def main() -> None:
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    kernel = compiled.load()
    if kernel is None:
        sys.exit("no compiled kernel")
    random = Random(1)
    memory = kernel.Memory(1 << 20)
    outcomes: Counter[str] = Counter()
    settled = 0
    for number in range(calls):
        outcomes[call(kernel, random, memory)] += 1
        if number == calls // 4:
            settled = peak()
    grown = peak() - settled
    print(f"{calls:,} calls:", ", ".join(f"{name} {n:,}" for name, n in sorted(outcomes.items())))
    print(f"peak memory grew by {grown:,} KiB after the first quarter")
    print(f"{calls:,} analyses of positions: it grew by {growth_on_positions(calls):,} KiB")


if __name__ == "__main__":
    main()
