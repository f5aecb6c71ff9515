"""Games that can be won without a guess, by chance (`uniform`) or by repair.

*Uniform* draws layouts until one is as wished: every such layout is equally likely. *Repair* moves
mines around the places where a random layout sticks, and finds layouts where drawing is hopeless;
they look like uniform ones, but nobody knows how likely each is. The same seed gives the same games
in the same order, whatever the number of workers.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from csp_mines import arguments
from csp_mines.analysis.grades import Grade
from csp_mines.board import Cell
from csp_mines.defaults import POSITION_STATES
from csp_mines.errors import (
    BackendUnavailable,
    NotFound,
    TooWide,
)
from csp_mines.generation.compiled import layout_kernel
from csp_mines.generation.deduction import solve_by_deduction
from csp_mines.generation.draws import drawn_layout, seed_key
from csp_mines.generation.wishes import Wish
from csp_mines.layout import Layout, Seed, Spec
from csp_mines.machine import usable_cores
from csp_mines.words import plural

if TYPE_CHECKING:
    from csp_mines.kernel import Kernel, KernelMade

__all__ = [
    "Expectation",
    "Method",
    "NoGuessGame",
    "NotFound",
    "check_method",
    "choose_method",
    "generate",
    "sample",
]


class Method(arguments.Name):
    """How games are found: by drawing layouts, or by moving the mines of one."""

    UNIFORM = "uniform"
    REPAIR = "repair"


DRAWS = 2_000_000  # layouts that `uniform` looks at without finding one before it gives up …
PURE_DRAWS = 3_000  # … and without a kernel
PLAYS = 200_000  # games that `repair` plays for one layout before it gives up
SAMPLE = 1_024  # draws from which the method is chosen and the cost foretold …
LEAST = 2  # … and how many of them must be as wished for `uniform` to be chosen
CALL_SECONDS = 0.2  # about how long one call of the kernel takes


@dataclass(frozen=True)
class NoGuessGame:
    """A layout that is won from `first` by deduction alone. `grade` is the weakest engine that
    suffices (None when the first cell wins), `rounds` how many rounds of each grade it takes."""

    layout: Layout
    first: Cell
    start: str
    grade: Grade | None
    rounds: Mapping[Grade, int]

    @property
    def needs_total(self) -> bool:
        """Whether the number of mines must be known to win without a guess."""
        return self.grade is Grade.TOTAL

    @property
    def steps(self) -> int:
        """Rounds of deduction in all."""
        return sum(self.rounds.values())

    def __repr__(self) -> str:
        rows, cols = self.layout.shape
        mines, (row, col) = plural(self.layout.count, "mine"), self.first
        what = f"{rows}×{cols}, {mines}, first {row},{col}"
        return f"<NoGuessGame {what}, grade {self.grade or 'none'}, {plural(self.steps, 'step')}>"

    def to_json(self) -> dict[str, Any]:
        """`{"layout": rows of * and ., "first": [r, c], "mines": …, "grade": …, …}`."""
        return {
            "layout": self.layout.to_text().split(),
            "first": list(self.first),
            "start": self.start,
            "mines": self.layout.count,
            "grade": self.grade,
            "needs_total": self.needs_total,
            "steps": self.steps,
            "rounds": dict(self.rounds),
        }


@dataclass(frozen=True)
class Expectation:
    """What a sample of `draws` layouts tells: so many were as wished, and it took so long."""

    draws: int
    found: int
    seconds: float

    def seconds_for(self, count: int) -> float:
        """Of one core, for so many boards; infinite when the sample has none."""
        return count * self.seconds / self.found if self.found else inf

    def __str__(self) -> str:
        if not self.found:
            return f"none of {self.draws:,} random layouts is as wished"
        share = f"1 in {self.draws / self.found:,.1f} random layouts is as wished"
        return f"{share}: about {_duration(self.seconds_for(1))} a board on one core"


def _duration(seconds: float) -> str:
    if seconds < 0.1:
        return f"{seconds * 1000:,.2g} ms"
    return f"{seconds:,.1f} s" if seconds < 100 else f"{seconds / 60:,.0f} minutes"


def sample(wish: Wish, seed: Seed = 0) -> Expectation:
    """Looks at the first draws of a seed. The numbers of layouts, unlike the seconds, depend on
    nothing else. Raises TooWide."""
    begin = time.process_time()
    number = SAMPLE if wish.spec.rows * wish.spec.cols <= 2500 else SAMPLE // 8
    kernel = layout_kernel()
    if kernel is None:
        number //= 32
        key = seed_key("layouts", seed)
        found = sum(_drawn(wish, key, index) is not None for index in range(number))
    else:
        found = len(_call(kernel, wish, seed, 0, number, 1))
    return Expectation(number, found, time.process_time() - begin)


def choose_method(wish: Wish, expected: Expectation) -> Method:
    """`uniform` where it finds something soon, else `repair` (`uniform` where only that can be:
    without a kernel)."""
    found = expected.found >= LEAST or layout_kernel() is None
    return Method.UNIFORM if found else Method.REPAIR


def check_method(method: Method | str | None) -> Method | None:
    """The method of that name, or None for a choice by sample. Raises UnknownName."""
    return None if method is None else arguments.choice("method", method, Method)


def generate(
    wish: Wish | Spec,
    count: int = 1,
    seed: Seed = 0,
    *,
    method: Method | str | None = None,
    workers: int | None = None,
) -> Iterator[NoGuessGame]:
    """So many games as wished, or simply of a size, as they are found. The method is chosen from a
    sample unless it is given; `workers` are threads, by default one for each core.

    Raises UnknownName and BoardError for what makes no sense, NotFound when the effort was in vain,
    TooWide when a position cannot be counted, BackendUnavailable for `repair` without a kernel."""
    chosen = check_method(method)
    wish = Wish(wish) if isinstance(wish, Spec) else arguments.instance(wish, Wish, "wish")
    count = arguments.whole(count, "count", 0)
    threads = usable_cores() if workers is None else arguments.whole(workers, "workers", 1)
    if chosen is None:
        chosen = choose_method(wish, sample(wish, seed))
    return (_uniform if chosen is Method.UNIFORM else _repair)(wish, count, seed, threads)


def _uniform(wish: Wish, count: int, seed: Seed, threads: int) -> Iterator[NoGuessGame]:
    kernel = layout_kernel()
    if kernel is None:
        yield from _uniform_by_engines(wish, count, seed)
        return
    begin, size, left, idle = 0, 64, count, 0
    while left > 0:
        started = time.perf_counter()
        made = _call(kernel, wish, seed, begin, begin + size, threads)
        for layout in made[:left]:
            yield _game(wish, layout)
        left -= len(made)
        begin += size
        idle = 0 if made else idle + size
        if idle >= DRAWS:
            raise _in_vain(wish, f"none of {idle:,} random layouts is", repair=True)
        pace = (time.perf_counter() - started) / size
        found = count - left
        enough = 64 + left * begin // found if found else 1 << 20
        size = max(64, min(4 * size, enough, 1 << 20, int(CALL_SECONDS / max(pace, 1e-8))))


def _call(
    kernel: Kernel, wish: Wish, seed: Seed, begin: int, end: int, threads: int
) -> list[KernelMade]:
    """The layouts as wished of some draws. Raises TooWide: one left out would spoil the odds."""
    key = seed_key("layouts", seed)
    made, too_wide = kernel.uniform_layouts(
        wish.size, *wish.difficulty.ranks, key, begin, end, POSITION_STATES, threads
    )
    if too_wide:
        raise TooWide(POSITION_STATES + 1, POSITION_STATES)
    return made


def _uniform_by_engines(wish: Wish, count: int, seed: Seed) -> Iterator[NoGuessGame]:
    key, number, idle = seed_key("layouts", seed), 0, 0
    while count > 0:
        game = _drawn(wish, key, number)
        number, idle = number + 1, idle + 1
        if game is not None:
            count, idle = count - 1, 0
            yield game
        elif idle >= PURE_DRAWS:
            raise _in_vain(wish, f"none of {idle:,} random layouts is", repair=False)


def _drawn(wish: Wish, key: int, number: int) -> NoGuessGame | None:
    """The game of a draw, if it is as wished; by the engines."""
    layout = drawn_layout(wish, key, number)
    found = solve_by_deduction(layout, wish.first, hardest=wish.difficulty.hardest, pure=True)
    if not found.won or not wish.difficulty.allows(found.grade):
        return None
    return NoGuessGame(layout, wish.first, wish.start, found.grade, found.counts)


def _repair(wish: Wish, count: int, seed: Seed, threads: int) -> Iterator[NoGuessGame]:
    kernel = layout_kernel()
    if kernel is None:
        raise BackendUnavailable("method 'repair' needs the compiled kernel")
    key = seed_key("repairs", seed)
    begin, size = 0, threads
    while begin < count:
        started = time.perf_counter()
        end = min(count, begin + size)
        made = kernel.repaired_layouts(
            wish.size, *wish.difficulty.ranks, key, begin, end, PLAYS, POSITION_STATES, threads
        )
        for layout in made:
            yield _game(wish, layout)
        if len(made) < end - begin:
            raise _in_vain(
                wish, f"repair gave up after {PLAYS:,} games: no layout is", repair=False
            )
        pace = (time.perf_counter() - started) / (end - begin)
        size = max(threads, min(4 * size, int(CALL_SECONDS / max(pace, 1e-8))))
        begin = end


def _in_vain(wish: Wish, effort: str, *, repair: bool) -> NotFound:
    return NotFound(f"{effort} {wish}", "repair" if repair else None)


def _game(wish: Wish, made: KernelMade) -> NoGuessGame:
    grades = list(Grade)
    mines = np.frombuffer(made.mines, np.uint8).reshape(wish.spec.rows, wish.spec.cols)
    counts = {grade: number for grade, number in zip(grades, made.rounds, strict=True) if number}
    grade = None if made.grade < 0 else grades[made.grade]
    return NoGuessGame(Layout(mines.astype(bool)), wish.first, wish.start, grade, counts)
