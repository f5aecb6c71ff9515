"""Compare the answers and the times of two checkouts of this repository.

    git worktree add OLD COMMIT && python -m venv OLD/.venv && OLD/.venv/bin/pip install -e OLD
    python benchmarks/between.py OLD/.venv/bin/python [PYTHON]

The script asks both checkouts each question in turn, `--rounds` times, each time in a new process.
It shows the least processor time of each checkout, and whether all answers are the same. It uses
only names that `csp_mines` exports in both.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[1] / "tests" / "data"
LONG_ENOUGH = 0.5  # seconds of an answer; a shorter answer is repeated
KERNEL = "CSP_MINES_KERNEL"
ENGINES = ("single", "subtraction", "gauss", "pysat", "cpsat")
AGENTS = ("rutgers-baseline", "rutgers-kb", "disarm", "triple", "resolution", "pairwise", "exact")


def positions(file: str) -> Iterator[Any]:
    import csp_mines

    for line in (DATA / f"{file}.jsonl").read_text().splitlines():
        told = json.loads(line)
        yield csp_mines.Board.parse(f"mines: {told['mines']}\n" + "\n".join(told["rows"]))


def deduction(engine: str) -> Iterator[object]:
    import csp_mines
    from csp_mines.backend import load

    for board in positions("expert-guess"):
        found = load(engine).deduce(csp_mines.Frontier.of(board).problem)
        yield sorted(found.safe), sorted(found.mines)


def counting(file: str) -> Iterator[object]:
    import csp_mines

    for board in positions(file):
        found = csp_mines.analyze(board)
        risks = [float(found.probability(cell)) for cell in sorted(board.hidden)]
        yield found.solutions, risks, sorted(found.safe), sorted(found.mines)


def analysis(file: str) -> Iterator[object]:
    """The kernel's floats, rounded, because their last bits differ between machines."""
    import csp_mines

    for board in positions(file):
        array = board.codes.copy()
        for _ in range(200):
            found = csp_mines.analyze(array, mines=board.mines).probabilities
        yield [round(risk, 10) for risk in found[array == -1].tolist()]


def explanation(file: str) -> Iterator[object]:
    import csp_mines

    for board in positions(file):
        for told in csp_mines.explain_board(csp_mines.analyze(board)):
            sizes = [len(proof.statements) for proof in told.proofs]
            yield told.cell, told.cells, str(told.verdict), str(told.grade), sizes


def games(agent: str) -> Iterator[object]:
    import csp_mines

    for seed in range(20):
        game = csp_mines.Game(csp_mines.Spec(16, 16, 40), csp_mines.Rules(), seed)
        record = csp_mines.play(game, csp_mines.agent(agent), seed)
        yield record.won, record.opened, record.guesses, record.deduced, record.steps


QUESTIONS: dict[str, tuple[Callable[[str], Iterator[object]], str, str]] = {
    **{f"deduction by {engine}": (deduction, engine, "pure") for engine in ENGINES},
    "counting, pure, expert": (counting, "expert-guess", "pure"),
    "counting, pure, dense": (counting, "dense-30x30-300", "pure"),
    "counting, pure, sparse": (counting, "sparse-60", "pure"),
    "kernel, expert": (analysis, "expert-guess", "compiled"),
    "kernel, dense": (analysis, "dense-30x30-300", "compiled"),
    "kernel, 100×100": (analysis, "big-100x100-2000", "compiled"),
    "explanations, expert": (explanation, "expert-guess", "compiled"),
    "explanations, intermediate": (explanation, "intermediate-guess", "compiled"),
    **{f"games of {agent}": (games, agent, "compiled") for agent in AGENTS},
}


def answer(question: str) -> None:
    """Prints a digest of the answers, and the processor time without the imports."""
    ask, subject, _ = QUESTIONS[question]
    next(ask(subject))
    rounds, seconds = 0, 0.0
    while seconds < LONG_ENOUGH:
        begin = time.process_time()
        answers = list(ask(subject))
        seconds, rounds = seconds + time.process_time() - begin, rounds + 1
    known = hashlib.sha256(json.dumps(answers, default=str).encode()).hexdigest()[:12]
    print(json.dumps([known, len(answers), seconds / rounds]))


def ask(python: str, question: str) -> tuple[str, int, float]:
    command = [python, __file__, "--question", question]
    environment = os.environ | {KERNEL: QUESTIONS[question][2]}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    known, number, seconds = json.loads(done.stdout)
    return known, number, seconds


def side_by_side(pythons: list[str], question: str, rounds: int) -> str:
    told = [[ask(python, question) for python in pythons] for _ in range(rounds)]
    before, after = (min(found[place][2] for found in told) for place in (0, 1))
    same = len({found[place][:2] for found in told for place in (0, 1)}) == 1
    number = told[0][0][1]
    times = f"{before * 1000:,.0f} | {after * 1000:,.0f} | {before / after:.2f}×"
    return f"| {question} | {number} | {'the same' if same else 'DIFFERENT'} | {times} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old", nargs="?", help="the Python of the old checkout")
    parser.add_argument("new", nargs="?", default=sys.executable, help="that of the new one")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", metavar="WORDS", help="questions that contain these")
    parser.add_argument("--question", choices=QUESTIONS, help="answer one here")
    arguments = parser.parse_args()
    if arguments.question:
        answer(arguments.question)
        return
    print("| question | answers | they are | ms before | ms after | faster |")
    print("|---|--:|---|--:|--:|--:|")
    for question in (question for question in QUESTIONS if arguments.only in question):
        line = side_by_side([arguments.old, arguments.new], question, arguments.rounds)
        print(line, flush=True)


if __name__ == "__main__":
    main()
