"""Measure the whole command `csp-mines solve` on large boards, from the text of the board on.

    python benchmarks/large_boards.py [--size N …] [--kind NAME …]

The boards are square, with 18 % mines, and of several kinds: half of the safe cells opened at
random, few opened, all hidden, and half opened without a total. The command solves each board with
text output and with `--json`. Seconds of processor time and peak memory are those of its process.
The exit status is 1 when a command exceeds its bound: 3 s and 400 MB up to 1000 x 1000, 30 s and
2 GB up to 3000 x 3000.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

import numpy as np

from csp_mines import Board
from csp_mines.geometry import SQUARE

COMMAND = Path(sys.executable).with_name("csp-mines")
DENSITY = 0.18
KINDS = {"half": 0.5, "few": 0.12, "hidden": 0.0, "no-total": 0.5}  # share of safe cells opened
OPENED = {"half": "half", "few": "12 %", "hidden": "nothing", "no-total": "half, without a total"}
BOUNDS = ((1000, 3.0, 400), (3000, 30.0, 2000))  # size, seconds, megabytes


def board(size: int, kind: str, seed: int) -> Board:
    random = np.random.default_rng(seed)
    mines = np.zeros(size * size, bool)
    mines[random.choice(mines.size, round(mines.size * DENSITY), replace=False)] = True
    layout = mines.reshape(size, size)
    opened = ~layout & (random.random(layout.shape) < KINDS[kind])
    codes = np.where(opened, SQUARE.count(layout), -1)
    return Board(codes, mines=None if kind == "no-total" else int(layout.sum()))


def cost(*arguments: str | Path) -> tuple[float, float]:
    """Seconds of processor time and megabytes of a command, which must succeed."""
    child = os.posix_spawn(
        COMMAND,
        [str(COMMAND), *map(str, arguments)],
        os.environ,
        file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)],
    )
    _, status, used = os.wait4(child, 0)
    if status:
        raise SystemExit(f"csp-mines {' '.join(map(str, arguments))} ended with status {status}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1000


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--size", type=int, nargs="*", default=[300, 1000, 3000])
    parser.add_argument("--kind", nargs="*", choices=KINDS, default=list(KINDS))
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    passed = True
    print("| board | opened | text | | `--json` | |\n|---|---|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "board.txt"
        for size in arguments.size:
            for kind in arguments.kind:
                path.write_text(str(board(size, kind, arguments.seed)))
                cells = [f"{size} × {size}", OPENED[kind]]
                for options in ([], ["--json"]):
                    seconds, megabytes = cost("solve", path, *options)
                    bounds = next((bound for bound in BOUNDS if size <= bound[0]), (0, 1e9, 1e9))
                    within = seconds <= bounds[1] and megabytes <= bounds[2]
                    passed &= within
                    more = "" if within else " (too much)"
                    cells += [f"{seconds:.1f} s", f"{megabytes:,.0f} MB{more}"]
                print(f"| {' | '.join(cells)} |", flush=True)
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
