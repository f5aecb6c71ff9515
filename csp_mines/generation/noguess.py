"""`generate`: find no-guess games, by drawing layouts or by repairing them.

*Uniform* draws layouts until one matches the wish: every matching layout is equally likely.
*Repair* plays a random layout, moves mines near the cells where deduction gets stuck, and plays
again, until the layout matches. Repair is for wishes that almost no random layout matches. Repaired
layouts look like random layouts, but their probabilities are unknown. With either method, the same
seed gives the same games in the same order, for any number of workers.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from csp_mines import arguments
from csp_mines.analysis.batch import thread_count
from csp_mines.analysis.grades import Grade, hardest
from csp_mines.backend import Capability, offered
from csp_mines.board import Cell
from csp_mines.defaults import POSITION_STATES
from csp_mines.errors import BackendUnavailable, NotFound, TooWide, Unsupported
from csp_mines.games.compiled import kernel_grid
from csp_mines.generation.deduction import solve_by_deduction
from csp_mines.generation.draws import drawn_layout, seed_key
from csp_mines.generation.wishes import Wish
from csp_mines.layout import Layout, Seed, Spec
from csp_mines.words import plural

if TYPE_CHECKING:
    from csp_mines.kernel import KernelMade


class Method(arguments.Name):
    """How `generate` finds games: `uniform` draws layouts until one matches the wish, and
    `repair` moves mines of a drawn layout.

    >>> spec = csp_mines.Spec(9, 9, 10)
    >>> [game] = csp_mines.generate(spec, seed=1, method=csp_mines.Method.REPAIR)
    >>> game.layout.count
    10
    """

    UNIFORM = "uniform"
    REPAIR = "repair"


DRAWS = 2_000_000  # `uniform` gives up after this many layouts without a match
PURE_DRAWS = 3_000  # the same limit without a kernel
PLAYS = 200_000  # `repair` plays at most this many games to find one layout
SAMPLE = 1_024  # the most layouts in the sample that chooses the method and predicts the cost
LEAST = 2  # `uniform` is chosen if the sample has at least this many matches
CALL_SECONDS = 0.2  # the size of a batch is chosen so that the batch takes about this long


@dataclass(frozen=True)
class NoGuessGame:
    """A game that deduction alone wins on `layout` from the cell `first`. `start` is `safe` or
    `zero`. `grade` is the grade of the hardest round, or None if opening `first` wins. `rounds` has
    the number of rounds of each grade that occurs.

    >>> [game] = csp_mines.generate(csp_mines.Spec(9, 9, 10), seed=1)
    >>> game.first, f"{game.grade}", game.steps
    ((0, 0), 'single', 5)
    """

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
        """The number of rounds of deduction."""
        return sum(self.rounds.values())

    def __repr__(self) -> str:
        rows, cols = self.layout.shape
        mines, first = plural(self.layout.count, "mine"), self.layout.geometry.label(self.first)
        what = f"{rows}×{cols}, {mines}, first {first}"
        return f"<NoGuessGame {what}, grade {self.grade or 'none'}, {plural(self.steps, 'step')}>"

    def to_json(self) -> dict[str, Any]:
        """Return a document with the fields of the game, and with `mines`, `needs_total` and
        `steps`. The field `layout` is the list of lines of `Layout.to_text`."""
        return {
            "layout": self.layout.to_text().splitlines(),
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
    """The result of a sample of `draws` random layouts. `matches` of these layouts match the wish.
    The sample took `seconds` of processor time."""

    draws: int
    matches: int
    seconds: float

    def seconds_for(self, count: int) -> float:
        """Estimate how many seconds one core needs to find `count` games by drawing layouts. The
        estimate is infinite if the sample has no match."""
        return count * self.seconds / self.matches if self.matches else inf

    def __str__(self) -> str:
        if not self.matches:
            return f"none of {self.draws:,} random layouts matches the request"
        share = f"1 in {self.draws / self.matches:,.1f} random layouts matches the request"
        return f"{share}: about {_duration(self.seconds_for(1))} per board on one core"


def _duration(seconds: float) -> str:
    if seconds < 0.1:
        return f"{seconds * 1000:,.2g} ms"
    return f"{seconds:,.1f} s" if seconds < 100 else f"{seconds / 60:,.0f} minutes"


def sample(wish: Wish, seed: Seed = 0) -> Expectation:
    """Draw a sample of random layouts, and count the layouts that match a wish. `seed` determines
    the layouts. The sample is smaller for a large board, and also without the kernel. Raises
    TooWide if a position is too wide to count."""
    begin = time.process_time()
    number = SAMPLE if wish.spec.cells <= 2500 else SAMPLE // 8
    number //= 1 if offered(Capability.LAYOUTS) else 32
    matches = sum(1 for _ in _matches(wish, seed, range(number), 1))
    return Expectation(number, matches, time.process_time() - begin)


def choose_method(expected: Expectation) -> Method:
    """Return the method `uniform` if the sample has at least `LEAST` matches, or if there is no
    kernel. Otherwise return `repair`."""
    uniform = expected.matches >= LEAST or offered(Capability.LAYOUTS) is None
    return Method.UNIFORM if uniform else Method.REPAIR


def check_method(method: Method | str | None) -> Method | None:
    """Return the `Method` whose name is `method`; None if `method` is None. Raises UnknownName for
    an unknown name, InputError for a value that is not a string."""
    return None if method is None else arguments.choice("method", method, Method)


def generate(
    wish: Wish | Spec,
    count: int = 1,
    seed: Seed = 0,
    *,
    method: Method | str | None = None,
    workers: int | None = None,
) -> Iterator[NoGuessGame]:
    """Return an iterator over `count` no-guess games that match a wish.

    Parameters:
        wish: the request, or only a `Spec`, which stands for the request `Wish(spec)`.
        count: the number of games.
        seed: determines the games.
        method: `uniform` or `repair`. By default a sample of layouts decides (see `choose_method`).
        workers: the number of threads, of which at most 256 are used. By default one per core.

    Raises UnknownName, InputError or BoardError for invalid arguments, and TooWide if the sample
    has a layout with a position that is too wide to count. The iterator raises NotFound if the
    search gives up, TooWide if `uniform` draws a layout with a position that is too wide to count,
    BackendUnavailable for `repair` without the compiled kernel, and Unsupported if `repair` needs
    numbers that are too large for the kernel.

    >>> [game] = csp_mines.generate(csp_mines.Spec(9, 9, 10), seed=1)
    >>> game
    <NoGuessGame 9×9, 10 mines, first 0,0, grade single, 5 steps>
    """
    chosen = check_method(method)
    wish = Wish(wish) if isinstance(wish, Spec) else arguments.instance(wish, Wish, "wish")
    count = arguments.whole(count, "count", 0)
    threads = thread_count(workers, "workers")
    if chosen is None:
        chosen = choose_method(sample(wish, seed))
    return (_uniform if chosen is Method.UNIFORM else _repair)(wish, count, seed, threads)


def _uniform(wish: Wish, count: int, seed: Seed, threads: int) -> Iterator[NoGuessGame]:
    compiled = offered(Capability.LAYOUTS) is not None
    least, most_idle = (64, DRAWS) if compiled else (1, PURE_DRAWS)
    begin, size, made, idle = 0, least, 0, 0
    while made < count:
        started = time.perf_counter()
        idle += size
        for game in _matches(wish, seed, range(begin, begin + size), threads):
            made, idle = made + 1, 0
            yield game
            if made == count:
                return
        begin += size
        if idle >= most_idle:
            effort = f"none of {idle:,} random layouts matches"
            raise NotFound(f"{effort} {wish}", "repair" if compiled else None)
        enough = least + (count - made) * begin // made if made else 1 << 20
        size = max(least, min(_next_size(size, started), enough, 1 << 20, most_idle - idle))


def _matches(wish: Wish, seed: Seed, draws: range, threads: int) -> Iterator[NoGuessGame]:
    """Draw the layouts with the numbers `draws`, and yield a game for each layout that matches the
    wish. Raises TooWide if a position is too wide to count. Skipping the layout of this position
    would distort the probabilities."""
    key, kernel = seed_key("layouts", seed), offered(Capability.LAYOUTS)
    if kernel is None:
        yield from _drawn(wish, key, draws)
        return
    ranks, states = wish.difficulty.ranks, POSITION_STATES
    try:
        made, too_wide = kernel.uniform_layouts(
            wish.size, *ranks, key, draws.start, draws.stop, states, threads,
            *kernel_grid(kernel, wish.spec),
        )  # fmt: skip
    except OverflowError:  # a row reduction needs numbers that are too large for the kernel
        half = len(draws) // 2
        if not half:
            yield from _drawn(wish, key, draws)
            return
        for part in (draws[:half], draws[half:]):
            yield from _matches(wish, seed, part, threads)
        return
    if too_wide:
        raise TooWide(states + 1, states)
    yield from (_made(wish, layout) for layout in made)


def _drawn(wish: Wish, key: int, draws: range) -> Iterator[NoGuessGame]:
    """Draw and play layouts in Python, and yield the games that match the wish."""
    for number in draws:
        layout = drawn_layout(wish, key, number)
        deduced = solve_by_deduction(layout, wish.first, hardest=wish.difficulty.hardest, pure=True)
        if deduced.won and wish.difficulty.allows(deduced.grade):
            yield NoGuessGame(layout, wish.first, wish.start, deduced.grade, deduced.counts)


def _repair(wish: Wish, count: int, seed: Seed, threads: int) -> Iterator[NoGuessGame]:
    kernel = offered(Capability.LAYOUTS)
    if kernel is None:
        raise BackendUnavailable("method 'repair' needs the compiled kernel; use 'uniform'")
    key = seed_key("repairs", seed)
    begin, size = 0, threads
    while begin < count:
        started = time.perf_counter()
        end = min(count, begin + size)
        try:
            made = kernel.repaired_layouts(
                wish.size, *wish.difficulty.ranks, key, begin, end, PLAYS, POSITION_STATES, threads,
                *kernel_grid(kernel, wish.spec),
            )  # fmt: skip
        except OverflowError:
            raise Unsupported(
                "for this request, the row reductions of method 'repair' need numbers that are too "
                "large for the kernel; use 'uniform'"
            ) from None
        yield from (_made(wish, layout) for layout in made)
        if len(made) < end - begin:
            raise NotFound(f"repair played {PLAYS:,} games and found no layout for {wish}")
        begin, size = end, max(threads, _next_size(size, started))


def _next_size(size: int, started: float) -> int:
    """Return the size of the next batch: about as many as fit into CALL_SECONDS, but at most four
    times `size`. The last batch had this size and began at the time `started`."""
    pace = (time.perf_counter() - started) / size
    return min(4 * size, int(CALL_SECONDS / max(pace, 1e-8)))


def _made(wish: Wish, made: KernelMade) -> NoGuessGame:
    layout = wish.spec.layout(np.flatnonzero(np.frombuffer(made.mines, np.uint8)).tolist())
    counts = {grade: number for grade, number in zip(Grade, made.rounds, strict=True) if number}
    return NoGuessGame(layout, wish.first, wish.start, hardest(counts), counts)
