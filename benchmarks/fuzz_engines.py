"""Compare every pair of complete engines on adversarial boards.

    python benchmarks/fuzz_engines.py [--kind NAME …] [--engine NAME …] [--boards N] [--minutes M]
                                      [--seed N] [--seconds S] [--out FOLDER]
    python benchmarks/fuzz_engines.py --kind small=1000 --kind gaps=50

Boards come from tests/strategies.py. Board number `i` depends only on the kind and on SEED + i, so
a run can be repeated and continued. The engines are `kernel` (compiled, in floats), `pure` (exact),
`pysat`, `cpsat`, `ganak` and `sdd`, which count, and `z3`, `clingo` and `highs`, which do not. On
every board each engine gives its deductions, and the engines that count give the number of layouts
and every probability. Exact engines must agree to the last digit, the kernel to 1e-12.

If two engines disagree, the script shrinks the board: it removes clues and cells as long as they
still disagree. It writes the board to FOLDER with the answer of each engine, and goes on. An engine
that gives up or takes longer than S seconds has no answer on that board. At the end, the script
prints for each pair on how many boards both engines answered, and how many boards made a pair
disagree.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import log
from pathlib import Path
from random import Random
from time import monotonic

sys.path.insert(0, str(Path(__file__).parents[1]))

from csp_mines import Board, Contradiction, CspMinesError, analyze
from csp_mines.backend import Capability, load, offered
from csp_mines.board import CLEAR, HIDDEN, Cell
from csp_mines.constraints import Frontier
from csp_mines.counting import count_by
from csp_mines.errors import GaveUp
from tests import strategies

KINDS: dict[str, Callable[[Random], Board]] = {
    "small": strategies.small_adversary,
    "dense": strategies.dense_board,
    "dense-small": lambda random: strategies.dense_board(random, least=5, most=11),
    "gaps": strategies.gap_assembly,
    "gaps-large": lambda random: strategies.gap_assembly(random, blocks=60, longest=40, width=300),
}
ENGINES = ("kernel", "pure", "pysat", "cpsat", "ganak", "sdd", "z3", "clingo", "highs")
CLOSE = 1e-12  # allowed difference of the kernel's floats


@dataclass(frozen=True)
class Answer:
    """An engine's answer for a board: the logarithm of the number of layouts, and the number
    itself if the engine is exact. Both are None if no layout fits. An engine that does not count
    has only its deductions (`counted` is false)."""

    safe: frozenset[Cell] = frozenset()
    mines: frozenset[Cell] = frozenset()
    log_layouts: float | None = None
    layouts: int | None = None
    risks: tuple[Fraction | float, ...] = ()
    fault: str = ""
    counted: bool = True

    def agrees(self, other: Answer) -> bool:
        if self.fault or other.fault or (self.safe, self.mines) != (other.safe, other.mines):
            return False
        if self.log_layouts is None or other.log_layouts is None:
            return self.log_layouts == other.log_layouts
        if not self.counted or not other.counted:
            return True
        if self.layouts is not None and other.layouts is not None:
            return self.layouts == other.layouts and self.risks == other.risks
        near = abs(self.log_layouts - other.log_layouts) <= 1e-9 * max(1.0, self.log_layouts)
        pairs = zip(self.risks, other.risks, strict=True)
        return near and all(
            abs(float(risk) - float(other_risk)) <= CLOSE for risk, other_risk in pairs
        )

    def __str__(self) -> str:
        if self.fault:
            return self.fault
        if self.log_layouts is None:
            return "contradiction"
        if not self.counted:
            return f"safe {sorted(self.safe)}, mines {sorted(self.mines)}"
        number = f"e^{self.log_layouts}" if self.layouts is None else str(self.layouts)
        return f"{number} layouts, safe {sorted(self.safe)}, mines {sorted(self.mines)}"


def answer(board: Board, engine: str, seconds: float) -> Answer | None:
    """The answer of an engine, or None if it gave up."""
    try:
        return by_kernel(board) if engine == "kernel" else by_engine(board, engine, seconds)
    except Contradiction:
        return Answer()
    except GaveUp:
        return None
    except CspMinesError as error:
        return Answer(fault=f"{type(error).__name__}: {error}")


def by_kernel(board: Board) -> Answer:
    found = analyze(board)
    risks = tuple(found.probabilities[board.codes == HIDDEN].tolist())
    return Answer(found.safe, found.mines, found.log_solutions, None, risks)


def by_engine(board: Board, engine: str, seconds: float) -> Answer:
    """Deduces and counts, and compares the two."""
    name = "native" if engine == "pure" else engine
    backend = load(name, seconds=seconds, floating_point=True)
    frontier = Frontier.of(board)
    if not backend.counts:
        found = backend.deduce(frontier.problem)
        certain = map(frontier.cells, (found.safe, found.mines))
        return Answer(*certain, log_layouts=0.0, counted=False)
    counted = count_by(backend, frontier.problem)
    certain = tuple(counted.certain())
    if engine in ("pysat", "cpsat") and certain != tuple(backend.deduce(frontier.problem)):
        return Answer(fault="deduces one thing and counts another")
    weighed = any(constraint.weights is not None for constraint in frontier.problem.constraints)
    bare = count_by(backend, frontier.problem.unweighted()) if weighed else counted
    layouts = bare.solutions
    hidden = map(frontier.number, sorted(board.hidden))
    risks = tuple(map(counted.probability, hidden))
    return Answer(*map(frontier.cells, certain), log(layouts), layouts, risks)


def differ(board: Board, engine: str, other: str, seconds: float) -> bool:
    answers = answer(board, engine, seconds), answer(board, other, seconds)
    return answers[0] is not None and answers[1] is not None and not answers[0].agrees(answers[1])


def smaller(board: Board) -> Iterator[Board]:
    """The board without a row or a column, with an opened cell or a clue blanked, with a hidden
    cell opened, without its total."""

    def made(codes: object) -> Board:
        return Board(codes, mines=board.mines, density=board.density, clues=board.clues)

    if board.mines is not None:
        yield Board(board.codes, clues=board.clues)
    rows = board.codes.tolist()
    if len(rows) > 1:
        yield from (made(rows[:row] + rows[row + 1 :]) for row in range(len(rows)))
    if len(rows[0]) > 1:
        yield from (
            made([line[:col] + line[col + 1 :] for line in rows]) for col in range(len(rows[0]))
        )
    for row, line in enumerate(rows):
        for col, code in enumerate(line):
            if code != CLEAR:
                yield board.replace({(row, col): CLEAR})


def shrunk(board: Board, engine: str, other: str, seconds: float) -> Board:
    """A smaller board on which the engines still differ. Greedy; takes a few minutes at most."""
    end = monotonic() + 300
    found = True
    while found and monotonic() < end:
        found = False
        for candidate in smaller(board):
            try:
                found = differ(candidate, engine, other, seconds)
            except CspMinesError:  # the candidate is not a valid board
                continue
            if found:
                board = candidate
                break
    return board


def reproduction(board: Board, answers: dict[str, Answer | None], origin: str) -> str:
    said = "\n".join(f"# {engine}: {found or 'gave up'}" for engine, found in answers.items())
    return f"# {origin}\n{said}\n{board}\n"


class Run:
    """The boards so far, per pair of engines, and the number of disagreements."""

    def __init__(self, engines: list[str], seconds: float, out: Path) -> None:
        self.engines = engines
        self.seconds = seconds
        self.out = out
        self.boards: Counter[str] = Counter()
        self.pairs: Counter[tuple[str, str]] = Counter()
        self.gave_up: Counter[str] = Counter()
        self.found = 0

    def board(self, kind: str, seed: int) -> None:
        board = KINDS[kind](Random(f"{kind} {seed}"))
        self.boards[kind] += 1
        answers = {engine: answer(board, engine, self.seconds) for engine in self.engines}
        self.gave_up.update(engine for engine, found in answers.items() if found is None)
        for engine, other in combinations(self.engines, 2):
            first, second = answers[engine], answers[other]
            if first is None or second is None:
                continue
            self.pairs[engine, other] += 1
            if not first.agrees(second):
                self.report(board, engine, other, f"{kind} {seed}")
                return

    def report(self, board: Board, engine: str, other: str, origin: str) -> None:
        self.found += 1
        small = shrunk(board, engine, other, self.seconds)
        answers = {name: answer(small, name, self.seconds) for name in self.engines}
        self.out.mkdir(parents=True, exist_ok=True)
        path = self.out / f"{origin.replace(' ', '-')}-{engine}-{other}.txt"
        path.write_text(reproduction(small, answers, f"{origin}: {engine} and {other} disagree"))
        print(f"{engine} and {other} disagree: {path}", file=sys.stderr, flush=True)

    def summary(self) -> str:
        """A table in markdown: on how many boards both engines of a pair answered."""
        kinds = ", ".join(f"{number:,} `{kind}`" for kind, number in self.boards.items())
        lines = [f"{sum(self.boards.values()):,} boards ({kinds}):", ""]
        lines += [f"| | {' | '.join(f'`{engine}`' for engine in self.engines[1:])} |"]
        lines += ["|---" + "|--:" * (len(self.engines) - 1) + "|"]
        for engine in self.engines[:-1]:
            row = [
                f"{self.pairs[engine, other]:,}" if (engine, other) in self.pairs else ""
                for other in self.engines[1:]
            ]
            lines.append(f"| `{engine}` | {' | '.join(row)} |")
        lines += ["", f"Boards on which a pair disagreed: {self.found:,}."]
        if self.gave_up:
            some = ", ".join(f"`{name}` on {many:,}" for name, many in self.gave_up.most_common())
            lines[-1] += f" No answer in time: {some}."
        return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kind", action="append", help=f"{', '.join(KINDS)}; or KIND=BOARDS")
    parser.add_argument("--engine", action="append", choices=ENGINES)
    parser.add_argument("--boards", type=int, default=1_000, help="boards of each kind")
    parser.add_argument("--minutes", type=float, default=60.0, help="stop after these")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=5.0, help="for one engine on one board")
    parser.add_argument("--out", type=Path, default=Path("disagreements"))
    chosen = parser.parse_args()
    wanted = {}
    for text in chosen.kind or KINDS:
        kind, _, boards = text.partition("=")
        if kind not in KINDS:
            parser.error(f"there is no kind {kind!r}")
        wanted[kind] = int(boards or chosen.boards)
    engines = chosen.engine or list(ENGINES)
    if offered(Capability.BOARDS) is None and "kernel" in engines:
        engines.remove("kernel")
    run = Run(engines, chosen.seconds, chosen.out)
    end = monotonic() + 60 * chosen.minutes
    try:
        for seed in range(max(wanted.values())):
            for kind, boards in wanted.items():
                if seed < boards:
                    run.board(kind, chosen.seed + seed)
            if seed % 1_000 == 999:
                print(run.summary(), file=sys.stderr, flush=True)
            if monotonic() > end:
                break
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
    print(run.summary())
    sys.exit(1 if run.found else 0)


if __name__ == "__main__":
    main()
