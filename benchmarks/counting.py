"""Count by every engine on files of positions with known answers.

    python benchmarks/counting.py [FOLDER] [--file NAME] [--engine NAME …] [--cap SECONDS]

FOLDER holds .jsonl files with one position per line: "rows", "mines", "solutions" in decimal digits
and "probabilities" of the hidden cells in reading order (null where they are unknown). For each
file and engine, the script prints how many positions the engine counts right within the cap, how
many it counts wrong, how many take longer or make it give up, and the median and the worst time. A
position without a known answer is right if the engine finishes. Each engine runs in a separate
process, which the script ends at the cap.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing as mp
import statistics
from collections import Counter
from multiprocessing.connection import Connection
from pathlib import Path
from time import perf_counter
from typing import Any

from csp_mines import Board, CspMinesError, TooWide, analyze

DATA = Path(__file__).parents[1] / "tests" / "data"
ENGINES = ("native", "pysat", "cpsat", "ganak")


def verdict(position: dict[str, Any], engine: str) -> str:
    """`right`, `wrong` or `given up`."""
    board = Board.parse("\n".join(position["rows"]))
    try:
        found = analyze(board, position["mines"], backend=engine, counter=engine)
        solutions, shares = found.solutions, found.probabilities
    except TooWide:
        return "given up"
    except CspMinesError:
        return "wrong"
    if position["solutions"] is None:
        return "right"
    hidden = sorted(board.hidden)
    expected = dict(zip(hidden, position["probabilities"], strict=True))
    close = all(abs(shares[cell] - expected[cell]) < 1e-9 for cell in hidden)
    safe = {cell for cell in hidden if expected[cell] == 0}
    mines = {cell for cell in hidden if expected[cell] == 1}
    exact = solutions == int(position["solutions"])
    return "right" if exact and close and (found.safe, found.mines) == (safe, mines) else "wrong"


def serve(engine: str, questions: Connection) -> None:
    """Runs in the engine's process: sends a verdict and the seconds it took for every position."""
    while (position := questions.recv()) is not None:
        begin = perf_counter()
        questions.send((verdict(position, engine), perf_counter() - begin))


class Worker:
    """An engine's process. It is started again after it was ended."""

    def __init__(self, engine: str) -> None:
        self.engine = engine
        self._start()

    def _start(self) -> None:
        self.line, other = mp.Pipe()
        self.process = mp.Process(target=serve, args=(self.engine, other), daemon=True)
        self.process.start()
        self.line.send({"rows": ["?1"], "mines": 1, "solutions": "1", "probabilities": [1]})
        self.line.recv()  # the process has loaded its libraries after this

    def ask(self, position: dict[str, Any], cap: float) -> tuple[str, float]:
        self.line.send(position)
        if self.line.poll(cap):
            answer: tuple[str, float] = self.line.recv()
            return answer
        self.process.kill()
        self._start()
        return "too slow", cap


def report(path: Path, engine: str, cap: float) -> None:
    worker = Worker(engine)
    positions = [json.loads(line) for line in path.read_text().splitlines()]
    answers = [worker.ask(position, cap) for position in positions]
    counts = Counter(word for word, _ in answers)
    seconds = [spent for _, spent in answers]
    print(
        f"  {engine:<8}{counts['right']:>6}{counts['wrong']:>7}"
        f"{counts['too slow'] + counts['given up']:>7}"
        f"{statistics.median(seconds) * 1000:>11.1f}{max(seconds) * 1000:>11.1f}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=DATA)
    parser.add_argument("--file", help="only files whose name contains this")
    parser.add_argument("--engine", action="append", help="one of " + ", ".join(ENGINES))
    parser.add_argument("--cap", type=float, default=10.0, help="seconds a position")
    arguments = parser.parse_args()
    print("  engine   right  wrong   over  median ms   worst ms")
    for path in sorted(set(arguments.folder.glob("*.jsonl")) - {arguments.folder / "links.jsonl"}):
        if arguments.file is None or arguments.file in path.stem:
            print(path.stem)
            for engine in arguments.engine or ENGINES:
                report(path, engine, arguments.cap)


if __name__ == "__main__":
    main()
