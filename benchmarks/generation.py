"""No-guess boards per processor second, beside ms_toollib in the same run; and checks by the
thousand.

    python benchmarks/generation.py [--seconds 3] [--check 3]
    python benchmarks/generation.py --verify 10000 [--seed 0]

Both sides make boards with a zero start that need no total, on one core. Of every kind so many
boards (--check) are played by two engines that made none of them, pysat and cpsat. With --verify
nothing is timed: so many boards over all methods, grades and sizes are checked, each by the checker
of certificates, by pysat alone, by the graded engines without a kernel, and small ones by every
layout tried."""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from random import Random

import numpy as np

from csp_mines.analysis.grades import Grade
from csp_mines.backend import load
from csp_mines.constraints import Frontier
from csp_mines.generation.certificates import certify
from csp_mines.generation.checker import check
from csp_mines.generation.deduction import solve_by_deduction
from csp_mines.generation.noguess import NoGuessGame, NotFound, generate
from csp_mines.generation.wishes import GradeBounds, Wish
from csp_mines.layout import Layout, Spec, level
from csp_mines.play.game import Game

CHECKERS = ("pysat", "cpsat")
NO_TOTAL = GradeBounds(None, Grade.SEARCH)

Maker = Callable[[], Iterator[Layout]]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=3.0, help="of the processor, for each row")
    parser.add_argument("--check", type=int, default=3, metavar="N", help="boards of each row")
    parser.add_argument("--verify", type=int, metavar="N", help="check so many boards instead")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if given.verify:
        verify_many(given.verify, given.seed)
    else:
        compare_speeds(given.seconds, given.check)


def compare_speeds(seconds: float, checked: int) -> None:
    """A table of every size and place, theirs and ours."""
    print("| board | first cell | made by | boards a second | of ms_toollib's best | checked |")
    print("| --- | --- | --- | --- | --- | --- |", flush=True)
    uniform = [("beginner", ("uniform",)), ("intermediate", ("uniform",)), ("expert", ("uniform",))]
    for name, methods in uniform:
        spec = level(name)
        for first in ((spec.rows // 2, spec.cols // 2), (0, 0)):
            compare_size(spec, first, methods, ("", "_thread", "_adjust"), seconds, checked)
    for spec in (Spec(16, 30, 130), Spec(16, 30, 160), Spec(16, 30, 200), Spec(30, 30, 250)):
        middle = (spec.rows // 2, spec.cols // 2)
        compare_size(spec, middle, ("repair",), ("_adjust",), seconds, checked)


def compare_size(
    spec: Spec,
    first: tuple[int, int],
    methods: tuple[str, ...],
    theirs: tuple[str, ...],
    seconds: float,
    checked: int,
) -> None:
    """One row for each maker."""
    best = 0.0
    makers = [(f"ms_toollib laymine_solvable{name}", toollib(spec, first, name)) for name in theirs]
    makers += [(f"csp-mines {method}", ours(spec, first, method)) for method in methods]
    for name, maker in makers:
        speed, boards = measure(maker, seconds)
        if name.startswith("ms_toollib"):
            best = max(best, speed)
        played = [wins(engine, layout, first) for layout in boards[:checked] for engine in CHECKERS]
        print(
            f"| {spec.rows}×{spec.cols}/{spec.mines} | {first[0]},{first[1]} | {name} "
            f"| {speed:,.1f} | {speed / best:.1f} | {sum(played)} of {len(played)} |",
            flush=True,
        )


def ours(spec: Spec, first: tuple[int, int], method: str) -> Maker:
    wish = Wish(spec, first, "zero", NO_TOTAL)
    return lambda: (game.layout for game in generate(wish, 10**9, 1, method=method, workers=1))


def toollib(spec: Spec, first: tuple[int, int], name: str) -> Maker:
    """ms_toollib's function of that ending; boards that it calls unsolvable are left out."""
    import ms_toollib

    lay = getattr(ms_toollib, f"laymine_solvable{name}")

    def make() -> Iterator[Layout]:
        while True:
            board, solvable = lay(spec.rows, spec.cols, spec.mines, *first)
            if solvable:
                yield Layout(np.array(board) == -1)

    return make


def measure(maker: Maker, seconds: float) -> tuple[float, list[Layout]]:
    """Boards per second of the processor, and the first of them."""
    boards = maker()
    kept = list(islice(boards, 8))  # not timed: threads and tables are made by then
    count, begin = 0, time.process_time()
    while time.process_time() - begin < seconds:
        next(boards)
        count += 1
    return count / (time.process_time() - begin), kept


def wins(engine: str, layout: Layout, first: tuple[int, int], *, use_total: bool = False) -> bool:
    """Whether an engine alone wins a game without a guess."""
    game = Game(layout, first=first)
    game.open(first)
    backend = load(engine)
    while not game.over:
        frontier = Frontier.of(game.board)
        problem = frontier.problem if use_total else frontier.problem.without_total()
        safe = sorted(frontier.cells(backend.deduce(problem).safe))
        if not safe:
            return False
        for cell in safe:
            if not game.over:
                game.open(cell)
    return game.won


SIZES = [
    *[Spec(4, 4, mines) for mines in (2, 3, 4, 5)],
    *[Spec(6, 6, mines) for mines in (5, 8, 11)],
    *[Spec(8, 8, mines) for mines in (8, 14, 20)],
    *[level("beginner"), Spec(5, 12, 12), Spec(12, 12, 30), level("intermediate")],
]


def verify_many(count: int, seed: int) -> None:
    """Boards of random kinds until so many are checked; what came of them."""
    random = Random(seed)
    tally: Counter[str] = Counter()
    begin = time.perf_counter()
    while sum(tally.values()) < count:
        spec = random.choice(SIZES)
        first = random.randrange(spec.rows), random.randrange(spec.cols)
        grade = random.choice(list(Grade))
        bounds = random.choice([GradeBounds(grade, grade), GradeBounds(None, grade)])
        method, start = random.choice(["uniform", "repair"]), random.choice(["zero", "safe"])
        wish = Wish(spec, first, start, bounds)
        try:
            for game in generate(wish, 5, random.randrange(10**9), method=method):
                verify_one(game, wish)
                tally[f"{method}, {game.grade or 'no grade'}"] += 1
        except NotFound:
            continue
        done = sum(tally.values())
        if done % 500 < 5:
            print(f"{done:,} boards in {time.perf_counter() - begin:,.0f} s", flush=True)
    for kind, number in sorted(tally.items()):
        print(f"{kind}: {number:,} boards, every one verified")


def verify_one(game: NoGuessGame, wish: Wish) -> None:
    """Raises AssertionError when anybody finds something wrong with a board."""
    layout, first = game.layout, game.first
    assert layout.count == wish.spec.mines
    assert not layout.mines[first]
    assert wish.start != "zero" or layout.number(first) == 0
    assert wish.difficulty.allows(game.grade)
    check(certify(layout, first).to_json())
    assert wins("pysat", layout, first, use_total=True)
    assert wins("pysat", layout, first, use_total=False) is not game.needs_total
    pure = solve_by_deduction(layout, first, pure=True)
    assert (pure.won, pure.grade, pure.counts) == (True, game.grade, game.rounds)
    if game.grade is not None and game.grade.rank > 0:
        weaker = list(Grade)[game.grade.rank - 1]
        assert not solve_by_deduction(layout, first, hardest=weaker, pure=True).won
    if layout.mines.size <= 16:
        assert won_by_brute_force(layout, first)


def won_by_brute_force(layout: Layout, first: tuple[int, int]) -> bool:
    """Plays against every layout with as many mines that shows the same numbers."""
    rows, cols = layout.shape
    cells = rows * cols
    every = [number for number in range(1 << cells) if number.bit_count() == layout.count]
    grids = (np.array(every)[:, None] >> np.arange(cells) & 1).astype(bool)
    shown = np.array([Layout(grid.reshape(rows, cols)).numbers.ravel() for grid in grids])
    truth, numbers = layout.mines.ravel(), layout.numbers.ravel()
    possible = np.ones(len(grids), bool)
    opened = np.zeros(cells, bool)
    fresh = [first[0] * cols + first[1]]
    while fresh:
        opened[fresh] = True
        for cell in fresh:
            possible &= ~grids[:, cell] & (shown[:, cell] == numbers[cell])
        fresh = np.flatnonzero(~grids[possible].any(axis=0) & ~opened).tolist()
    return bool((opened == ~truth).all())


if __name__ == "__main__":
    main()
