"""Compare analyze_batch with loops over `analyze` and with analyze_many, in the same run.

    python benchmarks/batch.py [--boards N] [--rounds N] [--threads]

The boards are positions of beginner and intermediate games in which random safe cells were opened,
positions at which a game needs a guess (tests/data), and the half-opened random boards of
benchmarks/api.py. The ways of asking take turns. The times are processor times on one thread, which
other load on the machine hardly affects. With --threads, the table also has the time on the wall on
two threads, compared with one; that means something only on an idle machine. The script checks
first that all numbers are the same, bit for bit.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).parent))

from api import in_turns

import csp_mines

DATA = Path(__file__).parents[1] / "tests" / "data"
Boards = npt.NDArray[np.int8]


def played(level: str, boards: int, opened: int) -> Boards:
    """Positions of games: some random safe cells are open, with what a 0 opens."""
    spec = csp_mines.LEVELS[level]
    numbers = np.random.default_rng(1)
    positions = []
    for number in range(min(boards, 1000)):
        layout = csp_mines.Layout.random(spec.rows, spec.cols, spec.mines, number)
        game = csp_mines.Game(layout)
        for cell in numbers.permutation(np.argwhere(~layout.mines))[:opened].tolist():
            if not game.over and game.board[tuple(cell)] == -1:
                game.open(tuple(cell))
        positions.append(game.board.codes)
    return np.resize(np.array(positions), (boards, spec.rows, spec.cols))


def stored(name: str, boards: int) -> tuple[Boards, int]:
    """The positions of a file of tests/data, over and over, and their number of mines."""
    lines = (DATA / f"{name}.jsonl").read_text().splitlines()
    records = [json.loads(line) for line in lines]
    codes = np.array([csp_mines.Board.parse("\n".join(each["rows"])).codes for each in records])
    return np.resize(codes, (boards, *codes.shape[1:])), int(records[0]["mines"])


def half_opened(boards: int) -> Boards:
    numbers = np.random.default_rng(0)
    made = []
    for _ in range(boards):
        layout = csp_mines.Layout(numbers.random((9, 9)) < 0.12)
        shown = ~layout.mines & (numbers.random((9, 9)) < 0.5)
        made.append(np.where(shown, layout.numbers, -1).astype(np.int8))
    return np.array(made)


def ask_everything(board: npt.NDArray[np.int8], mines: int | None) -> object:
    """What a batch holds of a board, from an analysis."""
    found = csp_mines.analyze(board, mines)
    return found.probabilities, found.safe_mask, found.mine_mask, found.choice, found.status


def require_same(boards: Boards, mines: int | None) -> None:
    batch = csp_mines.analyze_batch(boards, mines)
    for number, board in enumerate(boards):
        found = csp_mines.analyze(board, mines)
        assert np.array_equal(batch.probabilities[number], found.probabilities, equal_nan=True)
        assert np.array_equal(batch.safe[number], found.safe_mask)
        assert np.array_equal(batch.mines[number], found.mine_mask)
        choice = found.choice
        assert tuple(batch.moves[number]) == ((-1, -1) if choice is None else choice.cell)
        assert batch.status[number] == found.status.code


def compare(name: str, boards: Boards, mines: int | None, rounds: int, two: bool) -> None:
    require_same(boards[:1000], mines)
    listed = list(boards)
    out = csp_mines.Batch.empty(*boards.shape)
    ways: dict[str, Callable[[], object]] = {
        "loop of analyze(...).probabilities": lambda: [
            csp_mines.analyze(board, mines).probabilities for board in listed
        ],
        "loop of analyze, all that a batch holds": lambda: [
            ask_everything(board, mines) for board in listed
        ],
        "analyze_many": partial(csp_mines.analyze_many, listed, mines, workers=1),
        "analyze_batch": partial(csp_mines.analyze_batch, boards, mines, threads=1, out=out),
    }
    took = in_turns(tuple(ways.values()), time.process_time, rounds)
    micro = [f"{seconds / len(boards) * 1e6:.2f} µs" for seconds in took]
    ratios = [f", {seconds / took[-1]:.2f}" for seconds in took[:-1]] + [""]
    cells = [f"{name}, {boards.shape[1]}×{boards.shape[2]}", *map(str.__add__, micro, ratios)]
    if two:
        cells += on_two_threads(boards, listed, mines, rounds, out)
    print("| " + " | ".join(cells) + " |", flush=True)


def on_two_threads(
    boards: Boards, listed: list[Boards], mines: int | None, rounds: int, out: csp_mines.Batch
) -> list[str]:
    """How many times faster two threads are by the clock: `analyze_batch` than on one thread, and
    `analyze_many` than a loop."""
    threads = tuple(
        partial(csp_mines.analyze_batch, boards, mines, threads=number, out=out)
        for number in (1, 2)
    )
    single, double = in_turns(threads, time.perf_counter, rounds)
    ways = (
        lambda: [csp_mines.analyze(board, mines).probabilities for board in listed],
        partial(csp_mines.analyze_many, listed, mines, workers=2),
    )
    loop, many = in_turns(ways, time.perf_counter, rounds)
    return [f"{single / double:.2f}", f"{loop / many:.2f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--boards", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", action="store_true", help="also two threads, by the clock")
    chosen = parser.parse_args()
    loops = "`analyze(...).probabilities` in a loop", "the loop, asking for all that a batch holds"
    heads = ["boards", *loops, "`analyze_many`", "`analyze_batch`"]
    if chosen.threads:
        heads += ["batch on two threads", "many on two threads"]
    print(f"| {' | '.join(heads)} |\n|---" + "|--:" * (len(heads) - 1) + "|")
    how = chosen.rounds, chosen.threads
    opened = "random safe cells opened"
    compare(f"beginner, 12 {opened}", played("beginner", chosen.boards, 12), 10, *how)
    middle = played("intermediate", chosen.boards, 30)
    compare(f"intermediate, 30 {opened}", middle, 40, *how)
    for name in ("intermediate", "expert"):
        title = f"{name}, before a guess"
        compare(title, *stored(f"{name}-guess", chosen.boards), *how)
    compare("half of the cells opened", half_opened(chosen.boards), None, *how)


if __name__ == "__main__":
    main()
