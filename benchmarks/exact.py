"""Compare the kernel's exact numbers with the pure engine's: every digit, and the times.

    python benchmarks/exact.py [FOLDER] [--boards 20000] [--problems 2000] [--seed 1]

1. For every position of the .jsonl files in FOLDER, both engines give the solutions and every
   probability as a fraction. The script prints the median ratio of the times of `solutions`, and
   of `solutions` with every fraction.
2. The same comparison runs on random boards under every clue model and prior.
3. `count(region)` must be equal for every region of the positions, and for problems that come from
   no grid (constraints over any of up to 60 cells). The script prints the median ratio of the
   times.

Times are the best of three, in processor seconds. The script leaves out regions and positions that
are too wide for the pure engine or take it more than 20 s, and says so.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

import numpy as np

from csp_mines import Board, GaveUp, analyze
from csp_mines.backend import load
from csp_mines.board import HIDDEN, Cell
from csp_mines.constraints import Constraint, Frontier, Problem, Region

DATA = Path(__file__).parents[1] / "tests" / "data"
PATIENCE = 20.0
MODELS = ("exact", "silent", "optimistic", "cautious")


def best(work: Callable[[], object], times: int = 3) -> float:
    """Processor seconds of the quickest of several runs."""
    took = []
    for _ in range(times):
        begin = process_time()
        work()
        took.append(process_time() - begin)
    return min(took)


def solutions(board: Board, engine: str) -> int:
    return analyze(board, backend=engine, seconds=PATIENCE).solutions


def answers(board: Board, hidden: list[Cell], engine: str) -> tuple[int, list[Fraction]]:
    found = analyze(board, backend=engine, seconds=PATIENCE)
    return found.solutions, [found.probability(cell) for cell in hidden]


def compare_positions(folder: Path) -> list[Board]:
    boards = []
    print("| positions | equal | left out | `solutions` | with every cell's fraction |")
    print("| --- | --: | --: | --: | --: |")
    for path in sorted(folder.glob("*.jsonl")):
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        ratios, all_ratios, left_out, equal = [], [], 0, 0
        for line in lines:
            if "rows" not in line:
                continue
            codes = Board.parse("\n".join(line["rows"])).codes
            board = Board(codes, mines=line["mines"])
            boards.append(board)
            hidden = sorted(board.cells(HIDDEN))
            try:
                slow = best(partial(solutions, board, "native:pure"), 1)
                expected = answers(board, hidden, "native:pure")
            except GaveUp:
                left_out += 1
                continue
            assert answers(board, hidden, "native") == expected, f"{path.name}: {line['id']}"
            equal += 1
            ratios.append(slow / best(partial(solutions, board, "native")))
            all_ratios.append(
                best(partial(answers, board, hidden, "native:pure"), 1)
                / best(partial(answers, board, hidden, "native"))
            )
        if ratios:
            print(
                f"| {path.stem} | {equal} | {left_out} | ×{statistics.median(ratios):.0f} "
                f"| ×{statistics.median(all_ratios):.0f} |",
                flush=True,
            )
    return boards


def random_board(random: np.random.Generator, clues: str) -> Board:
    rows, cols = (int(size) for size in random.integers(2, 13, 2))
    mined = random.random((rows, cols)) < random.choice([0.1, 0.2, 0.3, 0.45])
    padded = np.pad(mined, 1)
    around = sum(
        padded[1 + down : rows + 1 + down, 1 + right : cols + 1 + right].astype(int)
        for down in (-1, 0, 1)
        for right in (-1, 0, 1)
        if down or right
    )
    shown = around
    if clues == "optimistic":
        shown = random.integers(0, around + 1)
    elif clues == "cautious":
        shown = random.integers(around, 9)
    opened = ~mined & (random.random((rows, cols)) < random.choice([0.2, 0.5, 0.8]))
    prior: dict[str, Any] = [
        {"mines": int(mined.sum())},
        {"density": Fraction(int(random.integers(1, 9)), 10)},
        {},
    ][random.integers(3)]
    return Board(np.where(opened, shown, HIDDEN), clues=clues, **prior)


def compare_boards(count: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    equal: dict[str, int] = defaultdict(int)
    left_out = 0
    for number in range(count):
        board = random_board(random, MODELS[number % len(MODELS)])
        hidden = sorted(board.cells(HIDDEN))
        try:
            expected = answers(board, hidden, "native:pure")
        except GaveUp:
            left_out += 1
            continue
        assert answers(board, hidden, "native") == expected, board.to_line()
        equal[board.clues.name] += 1
    models = ", ".join(f"{number:,} {model}" for model, number in equal.items())
    total = f"{sum(equal.values()):,}"
    print(f"\n{total} random boards are equal in every digit ({models}); {left_out} more are"
          f" too wide or too slow for the pure engine.\n", flush=True)  # fmt: skip


def hypergraph(random: Random) -> Problem:
    cells = random.randint(3, 60)
    mines = {cell for cell in range(cells) if random.random() < 0.4}
    constraints = []
    for _ in range(random.randint(1, 14)):
        inside = tuple(sorted(random.sample(range(cells), random.randint(1, min(cells, 12)))))
        number = len(mines.intersection(inside))
        slack = random.choice([0, 0, 0, 1, 2])
        bounds = max(0, number - slack), min(len(inside), number + slack)
        weights = None
        if random.random() < 0.2:
            weights = tuple(random.randint(1, 2520) for _ in range(len(inside) + 1))
        constraints.append(Constraint(inside, *bounds, weights))
    return Problem(tuple(constraints))


def compare_regions(name: str, regions: list[Region], least_boxes: int) -> None:
    pure, compiled = (load(engine, seconds=PATIENCE) for engine in ("native:pure", "native"))
    ratios, left_out = [], 0
    for region in regions:
        try:
            slow = best(partial(pure.count, region), 1)
        except GaveUp:
            left_out += 1
            continue
        assert compiled.count(region) == pure.count(region), region
        if len(region.boxes) >= least_boxes:
            ratios.append(slow / best(partial(compiled.count, region)))
    if ratios:
        print(
            f"`count(region)`, {name}: {len(regions) - left_out:,} equal, {left_out} left out; "
            f"×{statistics.median(ratios):.0f} over {len(ratios)} regions of {least_boxes} "
            "boxes and more.\n",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=DATA)
    parser.add_argument("--boards", type=int, default=400)
    parser.add_argument("--problems", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    boards = compare_positions(asked.folder)
    compare_boards(asked.boards, asked.seed)
    random = Random(asked.seed)
    small = [board for board in boards if board.codes.size <= 1000]
    regions = [region for board in small for region in Frontier.of(board).problem.regions]
    compare_regions("positions", regions, 10)
    problems = [hypergraph(random) for _ in range(asked.problems)]
    compare_regions("no grid", [region for problem in problems for region in problem.regions], 10)


if __name__ == "__main__":
    main()
