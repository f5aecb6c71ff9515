"""Measure no-guess boards per processor second, beside ms_toollib in the same run; or check boards.

    python benchmarks/generation.py [--seconds 2] [--boards 2000]
    python benchmarks/generation.py --verify 10000 [--seed 0]

Both sides make boards with a zero start that need no total, on one core. Afterwards two engines
that did not make a board play it: pysat, and the engine of the other side. With --verify the script
measures no time. It makes so many boards by all methods, grades and sizes. It checks each with the
checker of certificates, with pysat alone and with the graded engines without a kernel. It checks
small boards also by trying every layout."""

from __future__ import annotations

import argparse
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

from csp_mines.analysis.grades import Grade
from csp_mines.backend import load
from csp_mines.board import Cell
from csp_mines.constraints import Frontier
from csp_mines.errors import BoardError, NotFound
from csp_mines.games.game import Game
from csp_mines.generation.certificates import certify
from csp_mines.generation.checker import check
from csp_mines.generation.deduction import solve_by_deduction
from csp_mines.generation.noguess import NoGuessGame, generate, sample
from csp_mines.generation.wishes import GradeBounds, Wish
from csp_mines.layout import Layout, Spec, level

NO_TOTAL = GradeBounds(None, Grade.SEARCH)

Checker = Callable[[Layout, Cell], bool]
Bools = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.integer]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=2.0, help="of the processor, for each row")
    parser.add_argument("--boards", type=int, default=2_000, metavar="N", help="at most, a row")
    parser.add_argument("--verify", type=int, metavar="N", help="check so many boards instead")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if given.verify:
        verify_many(given.verify, given.seed)
    else:
        compare_speeds(given.seconds, given.boards)


def compare_speeds(seconds: float, boards: int) -> None:
    """Prints a table with the speeds of both sides for every size and first cell."""
    print("| board | first cell | made by | boards a second | of ms_toollib's best | checked |")
    print("| --- | --- | --- | --- | --- | --- |", flush=True)
    for name in ("beginner", "intermediate", "expert"):
        spec = level(name)
        for first in ((spec.rows // 2, spec.cols // 2), (0, 0)):
            makers = [Toollib(spec, first, ending) for ending in ("", "_thread", "_adjust")]
            compare([*makers, Ours(spec, first, "uniform")], seconds, boards)
    for spec in (Spec(16, 30, 130), Spec(16, 30, 160), Spec(16, 30, 200), Spec(30, 30, 250)):
        middle = (spec.rows // 2, spec.cols // 2)
        compare([Toollib(spec, middle, "_adjust"), Ours(spec, middle, "repair")], seconds, boards)


def compare(makers: list[Toollib | Ours], seconds: float, boards: int) -> None:
    """One row for the best of ms_toollib's methods, and one for each of ours. Checks every board
    that counts."""
    measured = [(*measure(maker, seconds, boards), maker) for maker in makers]
    best = max(speed for speed, _, maker in measured if isinstance(maker, Toollib))
    for speed, layouts, maker in measured:
        if isinstance(maker, Toollib) and speed < best:
            continue
        spec, (row, col) = maker.spec, maker.first
        checked = [[engine(layout, maker.first) for engine in maker.checkers] for layout in layouts]
        good, times = sum(map(all, checked)), speed / best
        print(
            f"| {spec.rows}×{spec.cols}/{spec.mines} | {row},{col} | {maker.name} | {speed:,.0f} "
            f"| {times:.{0 if times >= 10 else 1}f} | {good:,} of {len(layouts):,} |",
            flush=True,
        )


def measure(maker: Toollib | Ours, seconds: float, boards: int) -> tuple[float, list[Layout]]:
    """The boards per second of processor time, and the boards themselves."""
    deque(maker.make(8), maxlen=0)  # threads and tables exist after this
    made: list[Any] = []
    begin = time.process_time()
    for board in maker.make(boards):
        made.append(board)
        if time.process_time() - begin > seconds:
            break
    speed = len(made) / (time.process_time() - begin)
    return speed, [maker.layout(board) for board in made]


@dataclass(frozen=True)
class Ours:
    """Our boards, made without ms_toollib and pysat."""

    spec: Spec
    first: Cell
    method: str

    @property
    def name(self) -> str:
        return f"csp-mines {self.method}"

    def make(self, count: int) -> Iterator[NoGuessGame]:
        wish = Wish(self.spec, self.first, "zero", NO_TOTAL)
        return generate(wish, count, 1, method=self.method, workers=1)

    def layout(self, made: NoGuessGame) -> Layout:
        return made.layout

    @property
    def checkers(self) -> tuple[Checker, ...]:
        return won_by_toollib, partial(wins, "pysat")


@dataclass(frozen=True)
class Toollib:
    """ms_toollib's boards, by its function with that ending, made without the kernel and pysat.
    Boards that it calls unsolvable are left out."""

    spec: Spec
    first: Cell
    ending: str

    @property
    def name(self) -> str:
        return "ms_toollib, its best method"

    def make(self, count: int) -> Iterator[list[list[int]]]:
        import ms_toollib

        lay = getattr(ms_toollib, f"laymine_solvable{self.ending}")
        while count:
            board, solvable = lay(self.spec.rows, self.spec.cols, self.spec.mines, *self.first)
            if solvable:
                count -= 1
                yield board

    def layout(self, made: list[list[int]]) -> Layout:
        return Layout(np.array(made) == -1)

    @property
    def checkers(self) -> tuple[Checker, ...]:
        return won_by_kernel, partial(wins, "pysat")


def won_by_toollib(layout: Layout, first: Cell) -> bool:
    import ms_toollib

    board = np.where(layout.mines, -1, layout.numbers).tolist()
    return bool(ms_toollib.is_solvable(board, *first))


def won_by_kernel(layout: Layout, first: Cell) -> bool:
    return solve_by_deduction(layout, first, hardest=Grade.SEARCH).won


def wins(engine: str, layout: Layout, first: Cell, *, use_total: bool = False) -> bool:
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


SMALL = [
    *[Spec(4, 4, mines) for mines in (2, 3, 4, 5)],
    *[Spec(3, 5, 3), Spec(2, 8, 3), Spec(1, 12, 3)],
    *[Spec(6, 6, mines) for mines in (5, 8, 11)],
    *[Spec(8, 8, mines) for mines in (8, 14, 20)],
    *[level("beginner"), Spec(5, 12, 12), Spec(12, 12, 30), level("intermediate")],
]
LARGE = [level("expert"), Spec(16, 30, 140), Spec(20, 20, 80), Spec(24, 24, 99)]
LARGE_SHARE = 0.03  # of all boards; each takes as long as ten others


def verify_many(count: int, seed: int) -> None:
    """Makes boards of random kinds until so many are checked. Returns the results."""
    random = Random(seed)
    tally: Counter[tuple[str, str]] = Counter()
    sizes: Counter[str] = Counter()
    in_vain: Counter[tuple[str, Wish]] = Counter()
    begin = time.process_time()
    while sizes.total() < count:
        wish, method = random_wish(random), random.choice(["uniform", "repair"])
        kind = method, replace(wish, first=(0, 0))
        if in_vain[kind]:  # no such boards, or too few; each try takes seconds …
            continue
        if method == "uniform" and wish.spec in LARGE and not sample(wish).matches:
            continue  # … or minutes
        try:
            seed = random.randrange(10**9)
            for game in generate(wish, 5, seed, method=method, workers=1):
                verify_one(game, wish)
                tally[method, str(game.grade or "no grade")] += 1
                sizes[f"{wish.spec.rows}×{wish.spec.cols}/{wish.spec.mines}"] += 1
                if sizes.total() % 500 == 0:
                    seconds = time.process_time() - begin
                    print(f"{sizes.total():,} boards in {seconds:,.0f} s", flush=True)
        except NotFound:
            in_vain[kind] += 1
    for (method, grade), number in sorted(tally.items()):
        print(f"{method}, {grade}: {number:,} boards, every one verified")
    print(", ".join(f"{size}: {number:,}" for size, number in sizes.items()))


def random_wish(random: Random) -> Wish:
    """A random possible wish: a size, a first cell, a start and an exact or greatest grade."""
    while True:
        spec = random.choice(LARGE if random.random() < LARGE_SHARE else SMALL)
        first = random.randrange(spec.rows), random.randrange(spec.cols)
        grade = random.choice(list(Grade))
        bounds = random.choice([GradeBounds(grade, grade), GradeBounds(None, grade)])
        try:
            return Wish(spec, first, random.choice(["zero", "safe"]), bounds)
        except BoardError:  # no room for the mines around that cell
            continue


def verify_one(game: NoGuessGame, wish: Wish) -> None:
    """Checks one board. Raises AssertionError when a check fails."""
    layout, first = game.layout, game.first
    assert layout.count == wish.spec.mines
    assert not layout.mines[first]
    assert wish.start != "zero" or layout.number(first) == 0
    assert wish.difficulty.allows(game.grade)
    check(certify(layout, first).to_json())
    # A game that is won without the total is also won with it: more knowledge proves no less.
    assert wins("pysat", layout, first) is not game.needs_total
    assert not game.needs_total or wins("pysat", layout, first, use_total=True)
    pure = solve_by_deduction(layout, first, pure=True)
    assert (pure.won, pure.grade, pure.counts) == (True, game.grade, game.rounds)
    if game.grade is not None and game.grade.rank > 0:
        weaker = list(Grade)[game.grade.rank - 1]
        assert not solve_by_deduction(layout, first, hardest=weaker, pure=True).won
    if layout.mines.size <= 16:
        assert won_by_brute_force(layout, first)


def won_by_brute_force(layout: Layout, first: Cell) -> bool:
    """Plays against every layout with the same number of mines that shows the same clues."""
    rows, cols = layout.shape
    cells = rows * cols
    grids, shown = every_layout(rows, cols, layout.count)
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


@cache
def every_layout(rows: int, cols: int, mines: int) -> tuple[Bools, Numbers]:
    """All layouts of a size, one per row, and the clues that they would show."""
    cells = rows * cols
    every = [number for number in range(1 << cells) if number.bit_count() == mines]
    grids = (np.array(every)[:, None] >> np.arange(cells) & 1).astype(bool)
    shown = np.array([Layout(grid.reshape(rows, cols)).numbers.ravel() for grid in grids])
    return grids, shown


if __name__ == "__main__":
    main()
