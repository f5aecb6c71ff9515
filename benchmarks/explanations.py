"""Measure the size and time of explanations of every proved cell of files of positions.

    python benchmarks/explanations.py positions.jsonl … [--check] [--limit N]

A line is `{"mines": 99, "rows": ["??1…", …]}`. With `--check`, the script gives every set of clues
to CP-SAT, which took no part in finding it. The set must prove the cell, and must not prove it
without any one of its clues. The script also checks the steps of every argument one by one, and
prints only how many are right. Times are processor times in one warm process. The time of a plain
analysis of the same boards is printed for comparison.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from csp_mines import Analysis, Board, analyze
from csp_mines.backend import Backend, load
from csp_mines.constraints import Frontier
from csp_mines.explanation.explain import Explainer, Explanation

DATA = Path(__file__).parents[1] / "tests" / "data"
TIMES = (50, 95, 99)  # percentiles


@dataclass(frozen=True)
class Sample:
    """One explained cell."""

    explanation: Explanation
    seconds: float

    @property
    def size(self) -> int:
        return len(self.explanation.clues)


def positions(paths: list[Path], limit: int | None) -> Iterator[Board]:
    for path in paths:
        for number, line in enumerate(path.read_text().splitlines()):
            if limit is not None and number >= limit:
                break
            record = json.loads(line)
            board = Board.parse("\n".join(record["rows"]))
            yield Board(board.codes, mines=record["mines"])


def explained(found: Analysis) -> Iterator[Sample]:
    """Explains every proved cell by itself, without reusing work for other cells."""
    explainer = Explainer(found)
    _ = explainer.difficulty  # once per board
    for cell in sorted(found.safe | found.mines):
        begin = time.process_time()
        explanation = explainer.explain(cell)
        _ = explanation.text
        yield Sample(explanation, time.process_time() - begin)


def is_minimal(frontier: Frontier, explanation: Explanation, judge: Backend) -> bool:
    """Whether the clues prove the cell, and fail to without any one of them or the total."""
    proof = explanation.proofs[0]
    number = frontier.number(explanation.cell)

    def proves(statements: tuple[int, ...], *, total: bool) -> bool:
        answer = judge.deduce(frontier.only(statements, total=total))
        return number in answer.safe | answer.mines

    kept = proof.statements
    fewer = [tuple(other for other in kept if other != index) for index in kept]
    return (
        proves(kept, total=proof.uses_total)
        and not any(proves(some, total=proof.uses_total) for some in fewer)
        and not (proof.uses_total and proves(kept, total=False))
    )


def report(name: str, samples: list[Sample]) -> None:
    if not samples:
        return
    times = sorted(sample.seconds for sample in samples)
    sizes = sorted(sample.size for sample in samples)
    shown = [times[min(len(times) * share // 100, len(times) - 1)] for share in TIMES]
    spent = " | ".join(f"{1000 * seconds:.2f}" for seconds in (*shown, times[-1]))
    print(f"| {name} | {len(samples)} | {median(sizes):g} | {sizes[-1]} | {spent} |")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    shipped = sorted(DATA.glob("*guess.jsonl"))
    parser.add_argument("positions", nargs="*", type=Path, default=shipped)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--limit", type=int, help="positions of each file")
    parser.add_argument("--judge", default="cpsat", help="the engine that checks")
    arguments = parser.parse_args()
    judge = load(arguments.judge)
    samples: list[Sample] = []
    analysis: list[float] = []
    wrong = 0
    for board in positions(arguments.positions, arguments.limit):
        begin = time.process_time()
        found = analyze(board)
        analysis.append(time.process_time() - begin)
        for sample in explained(found):
            samples.append(sample)
            if arguments.check:
                sound = sample.explanation.proofs[0].check()
                wrong += not (sound and is_minimal(found.frontier, sample.explanation, judge))
    if arguments.check:
        right = len(samples) - wrong
        print(f"Of {len(samples):,} explanations, {right:,} are right by {arguments.judge}.")
        return 1 if wrong else 0
    head = ("cells", "", "clues, median", "clues, most", *(f"ms, {each} %" for each in TIMES))
    print(f"| {' | '.join(head)} | ms, worst |\n{'|---' * (len(head) + 1)}|")
    report("all", samples)
    report("proved by one clue", [taken for taken in samples if taken.size == 1])
    total = [taken for taken in samples if taken.explanation.uses_total]
    local = [taken for taken in samples if taken.size > 1 and not taken.explanation.uses_total]
    report("by more, without the total", local)
    report("only with the total", total)
    print(f"\nA whole analysis takes {median(analysis) * 1000:.2f} ms in the median.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
