"""Measure what each property of an analysis costs, and compare batches with loops.

    python benchmarks/api.py [FOLDER] [--only PART]

FOLDER holds `expert-guess.jsonl`; the default is tests/data. All costs are ratios to
`analyze(array, mines).probabilities` over the same positions in the same run. The script prints the
median of the ratios and the ratio of the sums:

1. for `.move`, `.status`, `.board` and the masks, each including the analysis;
2. for `.move` where a cell is proved safe, and for `.move` at a guess. At a guess the player
   `win:fast` chooses the move, so `best_move` of `win:fast` is measured beside it;
3. for `analyze_many` over 10,000 light boards, compared with a loop.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np

import csp_mines
from csp_mines import Analysis, Board

QUESTIONS: dict[str, Callable[[Analysis], object]] = {
    "probabilities": lambda found: found.probabilities,
    "move": lambda found: found.move,
    "move, the safest": lambda found: found.move_by("safest"),
    "status": lambda found: found.status,
    "board": lambda found: found.board,
    "safe and mines": lambda found: (found.safe, found.mines),
    "masks": lambda found: (found.safe_mask, found.mine_mask),
    "log_solutions": lambda found: found.log_solutions,
}
ROUNDS = 30


def positions(folder: Path) -> list[tuple[np.ndarray, int]]:
    lines = (folder / "expert-guess.jsonl").read_text().splitlines()
    told = [json.loads(line) for line in lines]
    return [
        (np.array(Board.parse("\n".join(record["rows"])).codes), int(record["mines"]))
        for record in told
    ]


def costs(
    boards: list[tuple[np.ndarray, int]], *questions: Callable[[Analysis], object]
) -> list[list[float]]:
    """The cost of each question on every board. The questions take turns."""
    each = [
        in_turns(
            tuple(partial(asked, board, mines, ask) for ask in questions), time.perf_counter, ROUNDS
        )
        for board, mines in boards
    ]
    return [list(column) for column in zip(*each, strict=True)]


def asked(board: np.ndarray, mines: int, ask: Callable[[Analysis], object]) -> object:
    return ask(csp_mines.analyze(board, mines))


def compared(some: list[float], base: list[float]) -> list[float]:
    return [cost / least for cost, least in zip(some, base, strict=True)]


def questions(boards: list[tuple[np.ndarray, int]]) -> None:
    print(f"| over {len(boards)} positions | median of the ratios | ratio of the sums |")
    print("|---|--:|--:|")
    for name, ask in QUESTIONS.items():
        alone, with_it = costs(boards, QUESTIONS["probabilities"], ask)
        if name == "probabilities":
            print(f"| {name}: {median(alone) * 1e6:.1f} µs in the median | 1 | 1 |")
            continue
        print(f"| with {name} | {median(compared(with_it, alone)):.2f} | "
              f"{sum(with_it) / sum(alone):.2f} |", flush=True)  # fmt: skip


def moves(boards: list[tuple[np.ndarray, int]]) -> None:
    """The cost of a move where a cell is proved safe, and at a guess, where a player chooses."""
    print("| move | positions | median | at most | of the probabilities, median | at most |")
    print("|---|--:|--:|--:|--:|--:|")
    for name, safe in (("where a cell is proved safe", True), ("at a guess", False)):
        some = [position for position in boards if bool(csp_mines.analyze(*position).safe) is safe]
        if not some:
            continue
        alone, moved = costs(some, QUESTIONS["probabilities"], QUESTIONS["move"])
        ratios = compared(moved, alone)
        times = f"{median(moved) * 1e6:.0f} µs | {max(moved) * 1e6:.0f} µs"
        print(f"| {name} | {len(some)} | {times} | {median(ratios):.2f} | {max(ratios):.2f} |")
    beside = median(beside_player(some))
    print(f"\nAt a guess, `.move` takes {beside:.2f} times as long as the choice of `win:fast` "
          "alone, in the median.")  # fmt: skip


def beside_player(boards: list[tuple[np.ndarray, int]]) -> list[float]:
    """The cost of `.move` at a guess, relative to `best_move` of the player that chooses it."""
    ratios = []
    for board, mines in boards:
        runs = (
            partial(csp_mines.best_move, board, mines, player="win:fast"),
            partial(asked, board, mines, QUESTIONS["move"]),
        )
        played, moved = in_turns(runs, time.perf_counter, ROUNDS)
        ratios.append(moved / played)
    return ratios


def batches() -> None:
    numbers = np.random.default_rng(0)
    boards = []
    for _ in range(10_000):
        layout = csp_mines.Layout(numbers.random((9, 9)) < 0.12)
        opened = ~layout.mines & (numbers.random((9, 9)) < 0.5)
        boards.append(np.where(opened, layout.numbers, -1).astype(np.int8))

    runs = {0: lambda: [csp_mines.analyze(board) for board in boards]}
    for workers in (1, 2):
        runs[workers] = partial(csp_mines.analyze_many, boards, workers=workers)
    for workers, clock in ((1, time.process_time), (2, time.perf_counter)):
        loop, many = in_turns((runs[0], runs[workers]), clock)
        each = f"{loop / len(boards) * 1e6:.2f} us each"
        print(f"{len(boards):,} light boards, {clock.__name__}: a loop {each}, ", end="")
        print(f"analyze_many on {workers} x{loop / many:.2f} its speed")


def in_turns(
    runs: tuple[Callable[[], object], ...], clock: Callable[[], float], rounds: int = 7
) -> list[float]:
    """The least time of each. They take turns, so that other load on the machine affects all."""
    best = [float("inf")] * len(runs)
    for _ in range(rounds):
        for place, run in enumerate(runs):
            begin = clock()
            run()
            best[place] = min(best[place], clock() - begin)
    return best


PARTS = ("questions", "moves", "batches")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    data = Path(__file__).parents[1] / "tests" / "data"
    parser.add_argument("folder", nargs="?", type=Path, default=data)
    parser.add_argument("--only", choices=PARTS, help="one part")
    asked = parser.parse_args()
    parts = [asked.only] if asked.only else PARTS
    boards = positions(asked.folder)
    if "questions" in parts:
        questions(boards)
    if "moves" in parts:
        moves(boards)
    if "batches" in parts:
        batches()


if __name__ == "__main__":
    main()
