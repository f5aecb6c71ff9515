"""Check on wide boards how many are counted exactly, and whether estimates are within errors.

    python benchmarks/wide.py count [--boards 1000] [--seed 1]
    python benchmarks/wide.py estimate [--boards 100] [--modes 500] [--beside 100] [--seconds 3]

`count` draws boards of two kinds that need more than 2,000,000 states: lattices of 25 to 29 rows
with clues at every third cell and at some odd ones, and boards of 30 to 40 rows with 36 to 42 %
mines and half of the safe cells open. It counts each board in a separate process to measure its
memory.

`estimate` samples three kinds of boards whose exact answer is known:

* boards as above;
* boards whose layouts lie far apart: chains and lattices of clues with two cells each, with and
  without a total, beside ordinary clues;
* boards with a total, on which one region is refused as too wide and the others are counted.

An estimate is wrong if it is off by more than four of its errors. It contradicts a proof if it
gives 0 or 1, or an error of 0, to a cell that is not certain.
"""

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from csp_mines import Board, analyze
from csp_mines.analysis.analyze import Budget
from csp_mines.board import CLEAR, HIDDEN
from csp_mines.errors import CspMinesError, TooWide
from csp_mines.geometry import SQUARE
from csp_mines.sampling import SAMPLING
from csp_mines.simulation.statistics import wilson

OLD_STATES = 2_000_000  # boards with fewer are not wide
SECONDS, MEMORY = 3.0, 2 << 30  # within which a board is to be counted
ERRORS = 4  # that an estimate may be off
NEAR = 0.02  # the error that estimates of ordinary boards are to reach
BESIDE_STATES = 3_000  # refuse the largest region of such a board
MODE_STATES = 3_000_000  # boards with modes are to be countable, too

Mask = npt.NDArray[np.bool_]


def board_of(mines: Mask, opened: Mask, *, total: bool) -> Board:
    mines = mines & ~opened
    codes = np.where(opened, SQUARE.count(mines), HIDDEN).astype(np.int8)
    return Board(codes, mines=int(mines.sum()) if total else None)


def lattice(rng: np.random.Generator) -> Board:
    side = int(rng.integers(25, 30))
    opened = np.zeros((side, side), bool)
    opened[1::2, 1::2] = rng.random(opened[1::2, 1::2].shape) < rng.uniform(0.4, 0.8)
    opened[1::3, 1::3] = True
    return board_of(rng.random((side, side)) < rng.uniform(0.28, 0.42), opened, total=True)


def dense(rng: np.random.Generator) -> Board:
    rows, cols = rng.integers(30, 41, 2)
    mines = rng.random((rows, cols)) < rng.uniform(0.36, 0.42)
    opened = ~mines & (rng.random((rows, cols)) < rng.uniform(0.38, 0.52))
    return board_of(mines, opened, total=bool(rng.random() < 0.6))


KINDS: dict[str, Callable[[np.random.Generator], Board]] = {"lattices": lattice, "dense": dense}
MODES, BESIDE = "with layouts far apart", "with counted regions beside a wide one"


def is_wide(board: Board, max_states: int = OLD_STATES) -> bool:
    try:
        analyze(board, max_states=max_states)
    except TooWide:
        return True
    return False


def wide_boards(rng: np.random.Generator) -> Iterator[tuple[str, Board]]:
    """Wide boards of both kinds, in turn."""
    while True:
        for name, draw in KINDS.items():
            board = draw(rng)
            while not is_wide(board):
                board = draw(rng)
            yield name, board


def checkered(size: int) -> npt.NDArray[np.int8]:
    """A connected board of clues that touch two hidden cells each. It has two layouts."""
    codes = np.full((2 * size + 1, 2 * size + 1), CLEAR, np.int8)
    for row in range(size + 1):
        codes[2 * row, 2 * (row % 2 == 1) :: 4] = HIDDEN
    codes[1::2, 1::2] = 1
    return codes


def chain(length: int, rng: np.random.Generator) -> npt.NDArray[np.int8]:
    """A row of clues between single hidden cells. Larger ends give its two layouts different
    weights."""
    codes = np.full((3, 2 * length + 1), CLEAR, np.int8)
    codes[1, ::2] = HIDDEN
    codes[1, 1::2] = 1
    for end in (0, -1):
        codes[: int(rng.integers(0, 4)), end] = HIDDEN
    return codes


def stacked(parts: list[npt.NDArray[np.int8]]) -> npt.NDArray[np.int8]:
    """Parts below each other, with a row between them."""
    cols = max(part.shape[1] for part in parts)
    return np.vstack(
        [np.pad(part, ((0, 1), (0, cols - part.shape[1])), constant_values=CLEAR) for part in parts]
    )


def modes(rng: np.random.Generator) -> Board:
    """A board whose layouts lie far apart; in half of the cases beside an ordinary one."""
    parts = []
    for _ in range(int(rng.integers(1, 7))):
        if rng.random() < 0.6:
            parts.append(chain(int(rng.integers(5, 60)), rng))
        else:
            parts.append(checkered(int(rng.integers(2, 25))))
    if rng.random() < 0.5:
        side = int(rng.integers(9, 24))
        opened = np.zeros((side, side), bool)
        opened[1::2, 1::2] = True
        parts.append(board_of(rng.random((side, side)) < 0.3, opened, total=False).codes)
    codes = stacked(parts)
    board = Board(codes)
    if rng.random() < 0.5:
        return board
    expected = float(np.nansum(analyze(board).probabilities))
    return Board(codes, mines=round(expected))


def mode_boards(rng: np.random.Generator) -> Iterator[tuple[str, Board]]:
    while True:
        try:
            board = modes(rng)
            analyze(board, max_states=MODE_STATES)
        except CspMinesError:  # too wide, or the total does not fit
            continue
        yield MODES, board


def beside_boards(rng: np.random.Generator) -> Iterator[tuple[str, Board]]:
    """Lattices with a total, one of them wider than the others, and some sea."""
    while True:
        sides = [int(rng.integers(13, 18)), *rng.integers(5, 9, int(rng.integers(1, 4))).tolist()]
        parts, mines = [], 0
        for side in sides:
            opened = np.zeros((side, side), bool)
            opened[1::2, 1::2] = True
            part = board_of(rng.random((side, side)) < 0.3, opened, total=True)
            parts.append(part.codes)
            mines += part.mines or 0
        sea = int(rng.integers(0, 3))
        parts.append(np.full((sea, 9), HIDDEN, np.int8))
        board = Board(stacked(parts), mines=mines + int(rng.binomial(9 * sea, 0.3)))
        if is_wide(board, BESIDE_STATES):
            yield BESIDE, board


def counted_alone(board: Board) -> dict[str, Any]:
    """The cost of counting a board in a separate process."""
    command = [sys.executable, __file__, "one"]
    asked = subprocess.run(command, input=str(board), capture_output=True, text=True, check=True)
    answer: dict[str, Any] = json.loads(asked.stdout)
    return answer


def count_one() -> None:
    """Counts the board on standard input; prints the processor time and the peak of memory."""
    board = Board.parse(sys.stdin.read())
    analyze([[1, -1]])  # everything is loaded
    begin = time.process_time()
    try:
        analyze(board)
        outcome = "exact"
    except TooWide:
        outcome = "too wide"
    seconds = time.process_time() - begin
    status = Path("/proc/self/status").read_text()  # what getrusage says begins with the parent's
    peak = int(status.partition("VmHWM:")[2].split()[0])
    print(json.dumps({"outcome": outcome, "seconds": seconds, "bytes": peak * 1024}))


def count(boards: int, seed: int) -> None:
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in KINDS}
    source = wide_boards(np.random.default_rng(seed))
    with suppress(KeyboardInterrupt):  # what there is by then is shown
        for _ in range(boards):
            name, board = next(source)
            found[name].append(counted_alone(board))
    limits = f"within {SECONDS:g} s and {MEMORY >> 30} GiB"
    print(f"| boards | counted exactly | {limits} | median | most |\n" + "|---" * 5 + "|")
    for name, all_of in found.items():
        seconds = np.array([alone["seconds"] for alone in all_of])
        memory = np.array([alone["bytes"] for alone in all_of])
        exact = np.array([alone["outcome"] == "exact" for alone in all_of])
        good = exact & (seconds <= SECONDS) & (memory <= MEMORY)
        print(
            f"| {len(all_of):,} {name} | {rate(exact)} | {rate(good)} | "
            f"{np.median(seconds):.2f} s, {np.median(memory) / 2**20:,.0f} MiB | "
            f"{seconds.max():.2f} s, {memory.max() / 2**20:,.0f} MiB |"
        )


def rate(held: Mask) -> str:
    """A share with its 95 % interval."""
    found = wilson(int(held.sum()), held.size)
    return f"{found.rate:.1%} ({found.low:.1%} … {found.high:.1%})"


def compared(name: str, board: Board, seconds: float, seed: int) -> Counter[str]:
    """How the estimates of one board compare with its exact risks."""
    exact = analyze(board)
    budget = Budget(seconds, seed=seed)
    if name == BESIDE:
        found = analyze(board, max_states=BESIDE_STATES, approximate=budget)
    else:
        found = analyze(board, counter=SAMPLING, approximate=budget)
    asked = (board.codes == HIDDEN) & ~exact.safe_mask & ~exact.mine_mask
    risks, errors = found.probabilities[asked], found.standard_errors[asked]
    off = np.abs(risks - exact.probabilities[asked])
    return Counter(
        boards=1,
        cells=int(asked.sum()),
        wrong=int((off > ERRORS * errors + 1e-12).sum()),
        held=int((off <= 1.96 * errors + 1e-12).sum()),
        near=int((errors <= NEAR).sum()),
        contradicted=int(((risks <= 0) | (risks >= 1) | (errors <= 0)).sum()),
    )


def estimate(boards: int, mode_count: int, beside: int, seconds: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    sums: dict[str, Counter[str]] = {}
    with suppress(KeyboardInterrupt):  # what there is by then is shown
        sources = (mode_boards(rng), mode_count), (beside_boards(rng), beside)
        for source, number in (*sources, (wide_boards(rng), boards)):
            for index in range(number):
                name, board = next(source)
                with suppress(TooWide):  # then the exact answer is unknown
                    found = compared(name, board, seconds, seed + index)
                    sums.setdefault(name, Counter()).update(found)
    heads = ("boards", "undecided cells", f"beyond {ERRORS} errors", "within 1.96 errors",
             "0, 1 or an error of 0", f"error of at most {NEAR}")  # fmt: skip
    print(f"| {' | '.join(heads)} |\n|---" + "|--:" * (len(heads) - 1) + "|")
    for name, found in sums.items():
        part = {key: value / max(1, found["cells"]) for key, value in found.items()}
        print(
            f"| {found['boards']:,} {name} | {found['cells']:,} | {part['wrong']:.3%} | "
            f"{part['held']:.1%} | {found['contradicted']} | {part['near']:.1%} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=["count", "estimate", "one"])
    parser.add_argument("--boards", type=int, default=100)
    parser.add_argument("--modes", type=int, default=500)
    parser.add_argument("--beside", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if given.what == "one":
        count_one()
    elif given.what == "count":
        count(given.boards, given.seed)
    else:
        estimate(given.boards, given.modes, given.beside, given.seconds, given.seed)


if __name__ == "__main__":
    main()
