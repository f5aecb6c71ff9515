"""Measure what each engine deduces, how many solver calls it makes, and how long it takes.

    python benchmarks/deduction.py [FOLDER] [--file NAME …] [--only engines|pysat|growth]

FOLDER has .jsonl files of positions with answers (default: tests/data); --file chooses some of them
for the first table. The script prints three tables:

* engines: per file, the positions answered right (sound, and for complete engines everything), the
  share of the certain cells found, solver calls relative to two calls per frontier cell, and times;
* pysat: solvers and cardinality encodings side by side; the default was chosen from this table;
* growth: subtraction on larger and larger boards, time per cell.

Times are processor times in milliseconds, so that other load on the machine matters little; those
of engines that work in a process apart (highs, sdd, ganak) are times on the clock.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from time import perf_counter, process_time

import numpy as np

from csp_mines.backend import Deduction, backend_class, backend_names, load
from csp_mines.board import HIDDEN, Board
from csp_mines.constraints import Frontier, Problem
from csp_mines.errors import CspMinesError
from csp_mines.geometry import SQUARE

DATA = Path(__file__).parents[1] / "tests" / "data"
HEAD = (
    "| right | certain cells found | calls | median ms | worst ms | all ms |\n"
    "|---|---|--:|--:|--:|--:|--:|--:|"
)
SLOW_FILES = ["big-", "dense-", "lattice", "sparse-60"]
TOO_SLOW = {
    "cpsat": ["big-"], "z3": ["big-"], "clingo": SLOW_FILES, "sdd": SLOW_FILES, "ganak": SLOW_FILES,
}  # fmt: skip
APART = ("highs", "sdd", "ganak")  # these work in another process, whose processor time is its own
SPECS = [
    "minisat22", "minisat22/seqcounter", "minisat22/totalizer", "minisat22/kmtotalizer",
    "minisat22/cardnetwrk", "glucose4", "glucose42", "cadical153", "cadical195",
    "cadical195/totalizer", "maplechrono", "mergesat3", "lingeling", "minicard", "gluecard4",
    "gluecard4/direct",
]  # fmt: skip


@dataclass(frozen=True)
class Position:
    problem: Problem
    certain: tuple[frozenset[int], frozenset[int]]


@dataclass(frozen=True)
class Run:
    """One engine on one position; `found` is None where it gave up."""

    position: Position
    found: Deduction | None
    milliseconds: float

    @property
    def right(self) -> bool:
        safe, mines = self.position.certain
        return self.found is not None and self.found.safe <= safe and self.found.mines <= mines

    @property
    def share(self) -> float | None:
        certain = sum(map(len, self.position.certain))
        if self.found is None or not certain:
            return None
        return (len(self.found.safe) + len(self.found.mines)) / certain

    @property
    def calls(self) -> float:
        """Calls to a solver, divided by two for each frontier cell."""
        cells = len(self.position.problem.frontier)
        return self.found.calls / (2 * cells) if self.found and cells else 0.0


def positions(path: Path) -> Iterator[Position]:
    """The positions of a file. If one has no answer, the deductions of pysat replace it."""
    for line in path.read_text().splitlines():
        position = json.loads(line)
        frontier = Frontier.of(Board.parse("\n".join(position["rows"])), mines=position["mines"])
        hidden = [frontier.number(cell) for cell in frontier.board.cells(HIDDEN)]
        if position["probabilities"] is None:
            found = load("pysat").deduce(frontier.problem)
            yield Position(frontier.problem, (found.safe, found.mines))
            continue
        answer = dict(zip(hidden, position["probabilities"], strict=True))
        safe = frozenset(cell for cell, share in answer.items() if share == 0)
        mines = frozenset(cell for cell, share in answer.items() if share == 1)
        yield Position(frontier.problem, (safe, mines))


def run(spec: str, position: Position) -> Run:
    engine = load(spec, floating_point=True)
    clock = perf_counter if spec in APART else process_time
    problem = position.problem
    fresh = Problem(problem.constraints, problem.sea, problem.mines, problem.odds)
    start = clock()
    try:
        found = engine.deduce(fresh)
    except CspMinesError:
        found = None
    return Run(position, found, 1000 * (clock() - start))


def engines(folder: Path, files: list[str]) -> None:
    print(f"| positions | engine {HEAD}")
    for path in sorted(folder.glob("*.jsonl")):
        if files and path.stem not in files:
            continue
        here = list(positions(path))
        for name in backend_names():
            slow = any(path.stem.startswith(start) for start in TOO_SLOW.get(name, ()))
            if slow or backend_class(name).missing() is not None:
                continue
            run(name, here[0])  # so that imports and setup do not count
            show(f"{path.stem} | {name}", [run(name, position) for position in here])


def show(title: str, runs: list[Run]) -> None:
    shares = [run.share for run in runs if run.share is not None]
    found = f"{mean(shares):.1%}" if shares else "-"
    times = [run.milliseconds for run in runs]
    right = f"{sum(run.right for run in runs)}/{len(runs)}"
    calls = median(run.calls for run in runs)
    print(
        f"| {title} | {right} | {found} | {calls:.3f} "
        f"| {median(times):.2f} | {max(times):.2f} | {sum(times):,.0f} |",
        flush=True,
    )


def pysat(folder: Path) -> None:
    """All positions of all files together, by solver and encoding."""
    everything = [
        position for path in sorted(folder.glob("*.jsonl")) for position in positions(path)
    ]
    print(f"\n| positions | solver {HEAD}")
    for spec in SPECS:
        show(f"all | {spec}", [run(f"pysat:{spec}", position) for position in everything])


def growth() -> None:
    print("\n| board | ms of subtraction | µs per cell | cells proved |\n|---|--:|--:|--:|")
    for side in (100, 200, 300, 400):
        problem = Frontier.of(random_board(side)).problem
        done = run("subtraction", Position(problem, (frozenset(), frozenset())))
        proved = len(done.found.safe | done.found.mines) if done.found else 0
        each = 1000 * done.milliseconds / side**2
        row = f"{side} × {side} | {done.milliseconds:,.0f} | {each:.1f} | {proved:,}"
        print(f"| {row} |", flush=True)


def random_board(side: int) -> Board:
    """One cell in five is a mine; seven safe cells in ten are open."""
    random = np.random.default_rng(side)
    mines = np.zeros(side * side, bool)
    mines[random.choice(side * side, side * side // 5, replace=False)] = True
    layout = mines.reshape(side, side)
    codes = np.full((side, side), HIDDEN)
    for row, col in np.argwhere(~layout & (random.random((side, side)) < 0.7)).tolist():
        codes[row, col] = sum(layout[cell] for cell in SQUARE.neighbours((row, col), side, side))
    return Board(codes, mines=side * side // 5)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=DATA)
    parser.add_argument("--file", nargs="+", default=[], help="only these files, by engines")
    parser.add_argument("--only", choices=["engines", "pysat", "growth"])
    asked = parser.parse_args()
    if asked.only in (None, "engines"):
        engines(asked.folder, asked.file)
    if asked.only in (None, "pysat"):
        pysat(asked.folder)
    if asked.only in (None, "growth"):
        growth()


if __name__ == "__main__":
    main()
