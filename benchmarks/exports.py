"""Let outside solvers solve what `csp-mines export` writes, and compare their answers with ours.

    python benchmarks/exports.py [BOARDS] [FOLDER]

The boards are random, of every clue model, with at most 300 layouts each; BOARDS is how many
(default: 300). Every notation is solved by a solver that shares nothing with csp-mines: the number
of layouts (where the solver enumerates) and the certain cells must be the same. Then every position
of the .jsonl files of FOLDER (default: tests/data) is exported to every notation; the script prints
the size of the largest file.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import perf_counter

from csp_mines import Board, export
from csp_mines.names import EXPORT_NAMES
from tests.exports.boards import random_board
from tests.exports.outside import SOLVERS, hidden, ours

# This folder has a module exact, too, which would be taken for the solver of that name.
sys.path = [place for place in sys.path if Path(place) != Path(__file__).parent]

DATA = Path(__file__).parents[1] / "tests" / "data"


def solve_boards(boards: int) -> None:
    """Solve random boards by every solver, with the total and without. Exits at a difference."""
    seconds = dict.fromkeys(SOLVERS, 0.0)
    layouts = certain = impossible = 0
    for number in range(boards):
        board = random_board(number)
        wanted = ours(board)
        layouts += wanted.count or 0
        impossible += wanted.count == 0
        certain += len(wanted.safe) + len(wanted.mines)
        for notation, solve in SOLVERS.items():
            begin = perf_counter()
            answer = solve(export(board, notation), hidden(board))
            seconds[notation] += perf_counter() - begin
            if not answer.agrees(wanted):
                sys.exit(f"board {number}, {notation}: {answer}, expected {wanted}\n{board}")
    for notation, spent in seconds.items():
        print(f"{notation:<10}{spent:8.1f} s", file=sys.stderr)
    print(f"On {boards:,} random boards every solver (of {', '.join(SOLVERS)}) gives the number "
          "of layouts (that of lp does not count) and the certain cells that csp-mines gives: "
          f"{layouts:,} layouts, {certain:,} certain cells, and {impossible:,} boards that no "
          "layout fits.")  # fmt: skip


def export_positions(folder: Path) -> None:
    """Export every position of a folder to every notation. Print the largest file of each."""
    print(f"\n| largest file, MB | boards | {' | '.join(EXPORT_NAMES)} |")
    print("|---" + "|--:" * (1 + len(EXPORT_NAMES)) + "|")
    for path in sorted(folder.glob("*.jsonl")):
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        positions = [row for row in rows if "rows" in row or "board" in row]
        sizes = []
        for notation in EXPORT_NAMES if positions else ():
            begin, largest = perf_counter(), 0
            for row in positions:
                text = row["board"] if "board" in row else "\n".join(row["rows"])
                board = Board.parse(text).told(mines=row.get("mines"))
                largest = max(largest, len(export(board, notation)))
            print(f"{path.stem:<22}{notation:<10}{perf_counter() - begin:8.1f} s", file=sys.stderr)
            sizes.append(f"{largest / 1e6:.2f}")
        if sizes:
            print(f"| {path.stem} | {len(positions):,} | {' | '.join(sizes)} |", flush=True)


def main() -> None:
    solve_boards(int(sys.argv[1]) if sys.argv[1:] else 300)
    export_positions(Path(sys.argv[2]) if sys.argv[2:] else DATA)


if __name__ == "__main__":
    main()
