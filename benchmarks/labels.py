"""Check that the grade of an explanation is the grade of its steps, for many explanations.

    python benchmarks/labels.py [--each N] [--seed N] [--seconds N]

The script explains deductions on boards with cells opened at random and on boards of games in
progress, until it has `--each` of every grade on both. It computes each grade again in two ways, by
functions that share no code with the explainer (`tests/explanation/regrading.py`): from the kinds
of the steps, and by the engines on a board that shows only the clues of the explanation. It also
checks every step. The exit status is 1 when a grade differs or a step is invalid.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from csp_mines import Board, analyze
from csp_mines.analysis.grades import Grade
from csp_mines.explanation.explain import Explainer, Explanation
from tests.explanation.regrading import by_engines, by_steps, played_board, scattered_board

KINDS = {"opened at random": scattered_board, "in play": played_board}


def agrees(board: Board, told: Explanation) -> bool:
    steps = told.proofs[0].steps
    same = told.grade is by_steps(steps) is by_engines(board, told)
    if not same or not told.proofs[0].check():
        said = (f"{board}\n{told}: {by_steps(steps)} by its steps", *told.texts)
        print(*said, sep="\n  ", file=sys.stderr)
        return False
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--each", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=600)
    arguments = parser.parse_args()
    end = time.monotonic() + arguments.seconds
    random = np.random.default_rng(arguments.seed)
    total = wrong = 0
    names = " | ".join(f"`{grade}`" for grade in Grade)
    print(f"| boards | {names} | another grade with all clues of the board | wrong |")
    print("|---" + "|--:" * (len(Grade) + 2) + "|")
    for kind, make in KINDS.items():
        seen: Counter[Grade] = Counter()
        easier = 0
        while any(seen[grade] < arguments.each for grade in Grade) and time.monotonic() < end:
            board = make(random)
            for told in Explainer(analyze(board)).board():
                if told.grade is None or seen[told.grade] >= arguments.each or not told.proofs:
                    continue
                seen[told.grade] += 1
                easier += told.board_grade is not told.grade
                wrong += not agrees(board, told)
        counts = " | ".join(f"{seen[grade]:,}" for grade in Grade)
        print(f"| {kind} | {counts} | {easier:,} | {wrong:,} |", flush=True)
        total, wrong = total + wrong, 0
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
