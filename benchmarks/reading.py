"""Measure reading a board from text: seconds, and peak bytes per cell, each in a separate process.

python benchmarks/reading.py [--cells 16000000]
"""

from __future__ import annotations

import argparse
import subprocess
import sys

CHILD = """
import sys, time
from csp_mines import Board
side, notation = int(sys.argv[1]), sys.argv[2]
import numpy as np
board = Board(np.resize(np.array([-1, 0, 1, 2, 0], np.int8), (side, side)))
text = board.to_text(notation)
size = len(text)
del board
begin = time.perf_counter()
import tracemalloc
tracemalloc.start()
Board.parse(text, None if notation in ("canonical", "line", "array", "table") else notation)
peak = tracemalloc.get_traced_memory()[1]
print(time.perf_counter() - begin, peak / side**2, size / side**2)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=16_000_000)
    arguments = parser.parse_args()
    print("notation    cells       text B/cell  peak B/cell  seconds (traced)")
    for notation, cells in (
        ("canonical", arguments.cells),
        ("minesweepr", arguments.cells),
        ("line", arguments.cells // 16),
        ("table", arguments.cells // 16),
        ("array", arguments.cells // 16),
    ):
        side = int(cells**0.5)
        command = [sys.executable, "-c", CHILD, str(side), notation]
        child = subprocess.run(command, capture_output=True, text=True, check=True)
        seconds, peak, text = map(float, child.stdout.split())
        print(f"{notation:<11} {side**2:>10,}  {text:>11.1f}  {peak:>11.1f}  {seconds:.2f}")


if __name__ == "__main__":
    main()
