"""Solve a large board on the command line: time, memory, and a check of every clue.

    python benchmarks/circuit.py FILE

FILE is a board that `csp-mines solve` reads, gzipped or not. The script compares every clue with
the proved cells. It then shows that every other cell is undecided: these cells fall into groups
that no clue connects, and each group has layouts with and without a mine at each of its cells. So
the engine missed no certain cell. The script does not check that every proved cell is really
certain.
"""

from __future__ import annotations

import argparse
import gzip
import json
import resource
import subprocess
import sys
import tempfile
from itertools import product
from pathlib import Path
from time import perf_counter

import numpy as np

from csp_mines import Board
from csp_mines.board import HIDDEN, MARKED, Cell
from csp_mines.geometry import SQUARE

MOST = 20  # cells of a group whose layouts are all tried


def groups(board: Board, cells: set[Cell]) -> list[list[Cell]]:
    """The groups of cells that clues connect."""
    found = []
    left = set(cells)
    while left:
        group, queue = [], [left.pop()]
        while queue:
            cell = queue.pop()
            group.append(cell)
            for clue in board.neighbours(cell):
                near = left.intersection(board.neighbours(clue)) if board[clue] >= 0 else set()
                left -= near
                queue += near
        found.append(sorted(group))
    return found


def both_ways(board: Board, mines: np.ndarray, group: list[Cell]) -> int:
    """The number of layouts of the group that satisfy all clues around it. Checks that each cell
    of the group is a mine in one of them and safe in another."""
    clues = sorted({clue for cell in group for clue in board.neighbours(cell) if board[clue] >= 0})
    known = {clue: sum(mines[cell] for cell in board.neighbours(clue)) for clue in clues}
    fitting = []
    for layout in product((0, 1), repeat=len(group)):
        here = dict(zip(group, layout, strict=True))
        if all(
            known[clue] + sum(here.get(cell, 0) for cell in board.neighbours(clue)) == board[clue]
            for clue in clues
        ):
            fitting.append(layout)
    assert all(len(set(column)) == 2 for column in zip(*fitting, strict=True)), group
    return len(fitting)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path)
    path: Path = parser.parse_args().file
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode()
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder, "board.txt")
        plain.write_text(text)
        command = [sys.executable, "-m", "csp_mines", "solve", str(plain), "--json"]
        begin = perf_counter()
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
        took = perf_counter() - begin
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(
        f"{took:.1f} s, {used.ru_utime + used.ru_stime:.1f} s of processor time, "
        f"{used.ru_maxrss / 1024:.0f} MiB at the most"
    )
    board, found = Board.parse(text), json.loads(done.stdout)
    safe, mined = ({(row, col) for row, col in found[key]} for key in ("safe", "certain_mines"))
    mines = board.codes == MARKED
    mines[tuple(np.array(sorted(mined)).T)] = True
    hidden = set(board.cells(HIDDEN))
    left = hidden - safe - mined
    around = SQUARE.count(mines)
    unsure = np.zeros(board.codes.shape, bool)
    for cell in left:
        unsure[cell] = True
    settled = (board.codes >= 0) & (SQUARE.count(unsure) == 0)
    wrong = int((settled & (around != board.codes)).sum())
    print(
        f"{len(hidden):,} hidden: {len(safe):,} proved safe, {len(mined):,} mines, {len(left)} open"
    )
    print(f"clues broken by what was proved: {wrong}")
    assert wrong == 0
    apart = groups(board, left)
    assert all(len(group) <= MOST for group in apart), "a group is too large to be tried out"
    layouts = [both_ways(board, mines, group) for group in apart]
    print(f"the open cells fall into {len(apart)} groups with {layouts} layouts: each both ways")


if __name__ == "__main__":
    main()
