"""Measure the probabilities of files of positions: both our engines and ms_toollib, in one run.

    python benchmarks/probabilities.py [FOLDER] [--file NAME] [--cap SECONDS] [--pure-cap SECONDS]

FOLDER holds .jsonl files with one position per line: "rows" (`?` hidden, `0`-`8` clues), "mines",
and "probabilities" of the hidden cells in reading order, if known. The script calls our engines
through the public API on arrays, `csp_mines.analyze(array, mines=M).probabilities`. It calls
ms_toollib as `cal_probability_onboard(lists, M)`, in a separate process that it ends when a
position takes longer than the cap. The engines take turns at each position, so that other load on
the machine affects all. The time of a position is processor time, and the best of a few calls if
calls are short.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing as mp
import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from time import process_time

import numpy as np
import numpy.typing as npt
from csp_mines.solvers.native import compiled

import csp_mines
from csp_mines.errors import TooWide

DATA = Path(__file__).parents[1] / "tests" / "data"
REPEAT_WITHIN = 0.02  # seconds spent on one position, for the best of several calls
SLOW = 0.001  # seconds; shorter calls are repeated between two readings of the clock

Board = npt.NDArray[np.int8]
Shares = npt.NDArray[np.float64]
Call = Callable[[], Shares]
Engine = Callable[[Board, int], Call]

OTHER_FILES = ("links.jsonl", "wide.jsonl")  # which hold no "rows"


@dataclass(frozen=True)
class Position:
    board: Board
    mines: int
    known: Shares | None

    @classmethod
    def read(cls, line: str) -> Position:
        entry = json.loads(line)
        rows = [[-1 if c == "?" else int(c) for c in row] for row in entry["rows"]]
        known = entry.get("probabilities")
        return cls(
            np.array(rows, dtype=np.int8),
            int(entry["mines"]),
            None if known is None else np.array(known),
        )


@dataclass
class Record:
    """One engine's times over a file, None where it did not finish."""

    name: str
    times: list[float | None] = field(default_factory=list)
    difference: float = 0.0

    def add(self, position: Position, outcome: tuple[float, Shares] | None) -> None:
        self.times.append(None if outcome is None else outcome[0])
        if outcome is not None and position.known is not None:
            shares = outcome[1][position.board == -1]
            self.difference = max(self.difference, float(abs(shares - position.known).max()))


def ours(board: Board, mines: int) -> Call:
    return lambda: csp_mines.analyze(board, mines=mines).probabilities


def pure(board: Board, mines: int) -> Call:
    return lambda: csp_mines.analyze(board, mines=mines, backend="native:pure").probabilities


def ms_toollib(board: Board, mines: int) -> Call:
    from ms_toollib import cal_probability_onboard

    lists = np.where(board == -1, 10, board).tolist()  # not timed
    return lambda: cal_probability_onboard(lists, mines)[0]


def timed(engine: Engine, position: Position) -> tuple[float, Shares]:
    """The best processor time of a few calls, and the probabilities. Reading the clock takes long
    compared with a call of microseconds, so such calls are timed by the hundred."""
    call = engine(position.board, position.mines)
    best, spent, calls = math.inf, 0.0, 1
    while spent < REPEAT_WITHIN:
        start = process_time()
        for _ in range(calls):
            shares = call()
        elapsed = process_time() - start
        best = min(best, elapsed / calls)
        spent += elapsed
        calls = calls if elapsed > SLOW else calls * 4
    return best, np.array(shares)


def serve(engine: Engine, pipe: Connection) -> None:
    """Answers positions until the parent says stop. Answers None if the engine fails. Loads
    everything that the first call needs before the first position."""
    engine(np.array([[-1, 1]], dtype=np.int8), 1)()
    while (position := pipe.recv()) is not None:
        try:
            pipe.send(timed(engine, position))
        except (TooWide, RuntimeError, ValueError):
            pipe.send(None)


class Capped:
    """An engine in a separate process, which is ended when it takes too long."""

    def __init__(self, name: str, engine: Engine, cap: float) -> None:
        self.name, self.engine, self.cap = name, engine, cap
        self.start()

    def start(self) -> None:
        self.pipe, theirs = mp.Pipe()
        self.process = mp.Process(target=serve, args=(self.engine, theirs), daemon=True)
        self.process.start()
        theirs.close()

    def ask(self, position: Position) -> tuple[float, Shares] | None:
        self.pipe.send(position)
        try:
            # Short positions are called several times, long ones once.
            if self.pipe.poll(self.cap + REPEAT_WITHIN):
                answer: tuple[float, Shares] | None = self.pipe.recv()
                return answer
        except EOFError:
            pass
        self.stop()
        self.start()
        return None

    def stop(self) -> None:
        self.process.kill()
        self.process.join()


def milliseconds(seconds: float) -> str:
    value = 1000 * seconds
    return f"{value:.4f}" if value < 1 else f"{value:,.1f}"


def line(record: Record, reference: Record | None) -> str:
    done = [time for time in record.times if time is not None]
    if not done:
        return f"{record.name} | | | | | {len(record.times)} | | | |"
    ordered = sorted(done)
    p95 = ordered[min(len(ordered) - 1, math.ceil(0.95 * len(ordered)) - 1)]
    figures = [statistics.median(done), statistics.mean(done), p95, ordered[-1]]
    text = " | ".join([record.name, *map(milliseconds, figures)])
    text += f" | {len(record.times) - len(done)} | {record.difference:.0e} |"
    if reference is None or reference is record:
        return f"{text} | |"
    pairs = zip(record.times, reference.times, strict=True)
    both = [(mine, theirs) for mine, theirs in pairs if mine is not None and theirs is not None]
    if not both:
        return f"{text} | |"
    mine, theirs = zip(*both, strict=True)
    medians = statistics.median(theirs) / statistics.median(mine)
    means = statistics.mean(theirs) / statistics.mean(mine)
    return f"{text} {medians:,.1f}× | {means:,.1f}× |"


def compare(path: Path, engines: list[Capped]) -> list[Record]:
    positions = [Position.read(text) for text in path.read_text().splitlines()]
    records = [Record(engine.name) for engine in engines]
    for position in positions:
        for engine, record in zip(engines, records, strict=True):
            record.add(position, engine.ask(position))
    title = f"{path.stem} ({len(positions)})"
    for record in records:
        peer = next((peer for peer in records if peer.name == "ms_toollib"), None)
        print(f"| {title} | {line(record, peer)}", flush=True)
        title = ""
    return records


def chosen(arguments: argparse.Namespace) -> Iterable[Capped]:
    if compiled.load() is not None:
        yield Capped("compiled", ours, arguments.cap)
    yield Capped("pure", pure, arguments.pure_cap)
    try:
        import ms_toollib as _  # noqa: F401
    except ImportError:
        print("ms_toollib is not installed: pip install 'csp-mines[bench]'")
        return
    yield Capped("ms_toollib", ms_toollib, arguments.cap)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=DATA)
    parser.add_argument("--file", action="append", help="only files whose names begin so")
    parser.add_argument("--cap", type=float, default=10.0, help="seconds for one position")
    parser.add_argument("--pure-cap", type=float, default=30.0, help="the same for the pure engine")
    arguments = parser.parse_args()
    engines = list(chosen(arguments))
    totals: dict[str, float] = {}
    print(
        "| file (positions) | engine | median | mean | 95 % | worst | over | largest difference "
        "| ratio of medians | ratio of means |"
    )
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    others = {arguments.folder / name for name in OTHER_FILES}
    for path in sorted(set(arguments.folder.glob("*.jsonl")) - others):
        if arguments.file is None or path.stem.startswith(tuple(arguments.file)):
            for engine, record in zip(engines, compare(path, engines), strict=True):
                spent = [engine.cap if time is None else time for time in record.times]
                totals[engine.name] = totals.get(engine.name, 0.0) + sum(spent)
    times = ", ".join(f"{name} {seconds:.3f}" for name, seconds in totals.items())
    print(f"\nSeconds in all, with an unfinished position counted as its cap: {times}.")
    for engine in engines:
        engine.stop()


if __name__ == "__main__":
    main()
