"""Guess policies: which cell to open when nothing is proved.

A policy is a function from what an agent knows to a `Guess`. It is called only when a hidden cell
is left. Where it says nothing else, ties go to the cell with the fewest neighbours (corner, edge,
middle), then to the first in reading order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Protocol

from csp_mines.analysis.analyze import Analysis
from csp_mines.analysis.move import alike_up_to
from csp_mines.analysis.winning import strength
from csp_mines.arguments import text
from csp_mines.board import Board, Cell
from csp_mines.errors import UnknownName
from csp_mines.words import plural

__all__ = ["POLICIES", "WORK", "Guess", "policy"]

Equation = tuple[tuple[int, ...], int]  # hidden cells, and the mines among them

WORK = 14_000_000  # steps of some 4 ns for the estimate of a position too wide to count


@dataclass(frozen=True)
class Guess:
    """A cell to open although nothing proves it safe; `risk` None where nobody estimated it."""

    cell: Cell
    risk: float | None
    reason: str


class Known(Protocol):
    """What a policy may ask: cells are numbers here, `cell` and `index` translate."""

    random: Random
    exact_clues: bool

    @property
    def board(self) -> Board:
        """The board as the agent sees it, with its own marks."""

    @property
    def touched(self) -> Sequence[int]:
        """For every cell, how many of its neighbours are open."""

    def hidden(self) -> list[int]:
        """The hidden cells in reading order."""

    def equations(self) -> list[Equation]:
        """The clues that say something, in reading order."""

    def base_rate(self) -> float | None:
        """Mines left over hidden cells left, when the total is known."""

    def corners_first(self, cells: Iterable[int]) -> int:
        """The cell with the fewest neighbours, then the first in reading order."""

    def estimate(self) -> Analysis | None:
        """Estimated risks of the board, for one that is too wide to count; None without any."""

    def analysis(self) -> Analysis | None:
        """The exact analysis; None when it is too wide to count."""

    def cell(self, index: int) -> Cell: ...
    def index(self, cell: Cell) -> int: ...


def anywhere(known: Known) -> Guess:
    """Any hidden cell, all alike."""
    return _guess(known, known.random.choice(known.hidden()), None, "any hidden cell")


def unexplored_first(known: Known) -> Guess:
    """Any hidden cell none of whose neighbours is open, all alike; if there is none, any."""
    hidden = known.hidden()
    apart = [cell for cell in hidden if not known.touched[cell]]
    if not apart:
        return _guess(known, known.random.choice(hidden), None, "any hidden cell")
    return _guess(known, known.random.choice(apart), None, "a cell with nothing open around it")


def mean_ratio(known: Known) -> Guess:
    """The lowest mean, over the clues around a cell, of mines left / cells left. Away from clues:
    mines left / cells left on the whole board where the total is known."""
    sums: dict[int, float] = {}
    counts: dict[int, int] = {}
    for cells, mines in known.equations():
        ratio = mines / len(cells)
        for cell in cells:
            sums[cell] = sums.get(cell, 0.0) + ratio
            counts[cell] = counts.get(cell, 0) + 1
    risks = {cell: share / counts[cell] for cell, share in sums.items()}
    lowest, risk = _lowest(known, risks)
    return _guess(known, known.corners_first(lowest), risk, "lowest mean ratio of its clues")


def max_ratio(known: Known) -> Guess:
    """The lowest of: the greatest ratio mines / cells over all sentences about a cell, clues and
    what subtraction derives from them, and never less than the base rate where the total is known.
    Ties at random."""
    base = known.base_rate() or 0.0
    equations = known.equations()
    greatest = _greatest(_derived(equations) if known.exact_clues else equations)
    risks = {cell: max(ratio, base) for cell, ratio in greatest.items()}
    lowest, risk = _lowest(known, risks)
    return _guess(
        known, known.random.choice(lowest), risk, "lowest greatest ratio of its sentences"
    )


def local_ratio(known: Known) -> Guess:
    """The lowest of the greatest ratio mines left / cells left over the clues around a cell. Cells
    without a clue come last."""
    lowest, risk = _lowest(known, _greatest(known.equations()), sea=False)
    return _guess(known, known.corners_first(lowest), risk, "lowest ratio of its clues")


def most_constrained(known: Known) -> Guess:
    """A hidden cell that occurs in most clues. Ties at random."""
    counts = dict.fromkeys(known.hidden(), 0)
    for cells, _ in known.equations():
        for cell in cells:
            counts[cell] += 1
    most = max(counts.values())
    best = [cell for cell, count in counts.items() if count == most]
    return _guess(
        known, known.random.choice(best), None, f"in {plural(most, 'clue')}, and no cell is in more"
    )


def lowest_risk(known: Known) -> Guess:
    """The lowest exact probability of a mine; the lowest estimated one where a position is too wide
    to count."""
    found = known.analysis()
    if found is None:
        return lowest_estimate(known)
    choice = found.choice
    assert choice is not None  # a policy is asked when a cell is left that is no proved mine
    return Guess(choice.cell, choice.risk, choice.lowest)


def lowest_estimate(known: Known) -> Guess:
    """The lowest estimated probability of a mine; the lowest mean ratio where none can be drawn."""
    found = known.estimate()
    choice = None if found is None else found.choice
    if choice is None:
        return replace(mean_ratio(known), reason="too wide to count: lowest mean ratio")
    return Guess(choice.cell, choice.risk, "too wide to count: lowest estimated risk")


def to_win(known: Known, player: str = "win") -> Guess:
    """The best chance to win; see `csp_mines.analysis.winning`. The lowest risk under noisy and
    silent clues."""
    found = known.analysis()
    if found is None:
        return lowest_estimate(known)
    move = found.move_by(player)
    assert move is not None  # a policy is asked when a cell is left that is no proved mine
    return Guess(move.cell, move.risk, move.reason)


POLICIES: Mapping[str, Callable[[Known], Guess]] = {
    "random": anywhere,
    "unexplored-first": unexplored_first,
    "mean-ratio": mean_ratio,
    "max-ratio": max_ratio,
    "local-ratio": local_ratio,
    "most-constrained": most_constrained,
    "lowest-risk": lowest_risk,
    "win": to_win,
}


def policy(name: str) -> Callable[[Known], Guess]:
    """The policy of that name; `win` may have options. Raises UnknownName, InputError."""
    if text(name, "policy") in POLICIES:
        return POLICIES[name]
    if name.partition(":")[0] != "win":
        raise UnknownName("policy", name, list(POLICIES))
    strength(name)
    return partial(to_win, player=name)


def _guess(known: Known, index: int, risk: float | None, reason: str) -> Guess:
    return Guess(known.cell(index), risk, reason)


def _lowest(
    known: Known, risks: Mapping[int, float], *, sea: bool = True
) -> tuple[list[int], float | None]:
    """The hidden cells of lowest risk in reading order, and that risk. Cells without one have the
    base rate; they are taken only when there are no others if `sea` is False or the total unknown.
    """
    base = known.base_rate()
    apart: list[int] = []
    if not risks or (sea and base is not None):
        apart = [cell for cell in known.hidden() if cell not in risks]
    if not risks:
        return apart, base
    least = min(risks.values())
    if not apart or base is None or base > alike_up_to(least):
        apart = []
    elif least > alike_up_to(base):
        return apart, base
    best = [cell for cell, risk in risks.items() if risk <= alike_up_to(least)]
    return sorted(best + apart), least


def _greatest(equations: Iterable[Equation]) -> dict[int, float]:
    greatest: dict[int, float] = {}
    for cells, mines in equations:
        ratio = mines / len(cells)
        for cell in cells:
            if ratio > greatest.get(cell, -1.0):
                greatest[cell] = ratio
    return greatest


def _derived(equations: Iterable[Equation]) -> list[Equation]:
    """The equations and what subtracting one from another around it gives, until nothing is new."""
    found = {frozenset(cells): mines for cells, mines in equations}
    of_cell: dict[int, list[frozenset[int]]] = {}
    for cells in found:
        for cell in cells:
            of_cell.setdefault(cell, []).append(cells)
    queue = list(found)
    while queue:
        taken = queue.pop()
        for other in dict.fromkeys(near for cell in taken for near in of_cell[cell]):
            if taken < other:
                small, large = taken, other
            elif other < taken:
                small, large = other, taken
            else:
                continue
            rest = large - small
            if rest in found:
                continue
            found[rest] = found[large] - found[small]
            queue.append(rest)
            for cell in rest:
                of_cell.setdefault(cell, []).append(rest)
    return [(tuple(cells), mines) for cells, mines in found.items()]
