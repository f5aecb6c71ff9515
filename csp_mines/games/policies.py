"""Guess policies: which cell an agent opens when no cell is proved safe.

A policy is a function from the agent's knowledge to a `Guess`. An agent calls its policy only if
its backends prove no cell. Unless the policy says otherwise, ties go to the cell with the fewest
neighbours (first corners, then edges, then the middle). Of several cells with the fewest
neighbours, the first in reading order is chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Protocol

from csp_mines.analysis.analyze import Analysis
from csp_mines.analysis.move import alike_up_to
from csp_mines.analysis.winning import is_player, strength
from csp_mines.arguments import text
from csp_mines.board import Cell
from csp_mines.errors import UnknownName
from csp_mines.words import plural

Equation = tuple[tuple[int, ...], int]  # hidden cells, and the number of mines among them

WORK = 14_000_000  # the most steps of one estimate; a step takes about 4 ns


@dataclass(frozen=True)
class Guess:
    """A cell to open although the agent has no proof that the cell is safe. `risk` is the
    exact or estimated risk of the cell, or None. `reason` says why the cell was chosen."""

    cell: Cell
    risk: float | None
    reason: str


class Known(Protocol):
    """The knowledge that a policy may use. Here, cells are numbers, counted row by row from 0.
    `cell` turns a number into a pair `(row, col)`."""

    random: Random
    exact_clues: bool  # whether every clue is the true number

    @property
    def touched(self) -> Sequence[int]:
        """For each cell, the number of its neighbours that are open."""

    def hidden(self) -> list[int]:
        """Return the hidden cells in reading order."""

    def equations(self) -> list[Equation]:
        """Return, for each clue with hidden cells around it, these cells and the number of mines
        among these cells. If `exact_clues` is False, this number is only a bound."""

    def base_rate(self) -> float | None:
        """Return the share of mines among the hidden cells; None if the total is unknown."""

    def corners_first(self, cells: Iterable[int]) -> int:
        """Return the one of `cells` with the fewest neighbours. Ties go to the first cell in
        reading order."""

    def estimate(self) -> Analysis | None:
        """Return an analysis with estimated risks, for a board that is too wide to count. Return
        None if the risks cannot be estimated."""

    def analysis(self) -> Analysis | None:
        """Return the exact analysis of the board. Return None if the board is too wide to count. If
        `exact_clues` is False, also return None if the board was too wide a few steps before."""

    def cell(self, index: int) -> Cell: ...


def anywhere(known: Known) -> Guess:
    """Choose any hidden cell at random."""
    return Guess(known.cell(known.random.choice(known.hidden())), None, "any hidden cell")


def unexplored_first(known: Known) -> Guess:
    """Choose a random hidden cell without open neighbours. If every hidden cell has open
    neighbours, choose a random hidden cell."""
    hidden = known.hidden()
    apart = [cell for cell in hidden if not known.touched[cell]]
    chosen = known.cell(known.random.choice(apart or hidden))
    return Guess(chosen, None, "a cell without open neighbours" if apart else "any hidden cell")


def mean_ratio(known: Known) -> Guess:
    """Choose the cell with the lowest mean ratio of the clues around it. The ratio of a clue is the
    number of mines left around the clue, divided by the number of hidden cells around the clue. For
    a cell without clues around it, the share of mines among all hidden cells replaces the mean
    ratio. If the total is unknown, a cell without clues is chosen only if no hidden cell is beside
    a clue."""
    sums: dict[int, float] = {}
    counts: dict[int, int] = {}
    for cells, mines in known.equations():
        ratio = mines / len(cells)
        for cell in cells:
            sums[cell] = sums.get(cell, 0.0) + ratio
            counts[cell] = counts.get(cell, 0) + 1
    risks = {cell: share / counts[cell] for cell, share in sums.items()}
    lowest, risk = _lowest(known, risks)
    return Guess(known.cell(known.corners_first(lowest)), risk, "lowest mean ratio of its clues")


def max_ratio(known: Known) -> Guess:
    """Choose the cell for which the maximum ratio of the sentences that contain the cell is lowest.
    Ties are broken at random.

    A sentence says how many mines are among some hidden cells. The ratio of a sentence is its
    number of mines divided by its number of cells. Each clue with hidden cells around it gives a
    sentence. If every clue is the true number, subtraction derives further sentences. If the total
    is known, another sentence contains all hidden cells. If the total is unknown, a cell that is in
    no sentence is chosen only if there are no sentences."""
    base = known.base_rate() or 0.0
    equations = known.equations()
    greatest = _greatest(_derived(equations) if known.exact_clues else equations)
    risks = {cell: max(ratio, base) for cell, ratio in greatest.items()}
    lowest, risk = _lowest(known, risks)
    chosen = known.cell(known.random.choice(lowest))
    return Guess(chosen, risk, "the maximum ratio of its sentences is the lowest of all cells")


def local_ratio(known: Known) -> Guess:
    """Choose the cell for which the maximum ratio of the clues around it is lowest. `mean_ratio`
    explains the ratio of a clue. A cell without clues is chosen only if no hidden cell is beside a
    clue."""
    lowest, risk = _lowest(known, _greatest(known.equations()), sea=False)
    chosen = known.cell(known.corners_first(lowest))
    return Guess(chosen, risk, "the maximum ratio of its clues is the lowest of all cells")


def most_constrained(known: Known) -> Guess:
    """Choose the hidden cell with the most clues around it. Ties are broken at random."""
    counts = dict.fromkeys(known.hidden(), 0)
    for cells, _ in known.equations():
        for cell in cells:
            counts[cell] += 1
    most = max(counts.values())
    best = [cell for cell, count in counts.items() if count == most]
    chosen = known.cell(known.random.choice(best))
    return Guess(chosen, None, f"beside {plural(most, 'clue')}, and no hidden cell is beside more")


def lowest_risk(known: Known) -> Guess:
    """Choose the cell with the lowest exact risk. If the position is too wide to count, do the same
    as `lowest_estimate`."""
    analysis = known.analysis()
    if analysis is None:
        return lowest_estimate(known)
    choice = analysis.choice
    return _a_mine(known) if choice is None else Guess(choice.cell, choice.risk, choice.lowest)


def lowest_estimate(known: Known) -> Guess:
    """Choose the cell whose estimated risk has the confidence interval with the lowest upper end.
    If the risks cannot be estimated, choose the cell that `mean_ratio` chooses."""
    analysis = known.estimate()
    choice = None if analysis is None else analysis.choice
    if choice is None:
        return replace(mean_ratio(known), reason="too wide to count: lowest mean ratio")
    return Guess(choice.cell, choice.risk, "too wide to count: lowest estimated risk")


def to_win(known: Known, player: str = "win") -> Guess:
    """Choose the cell that the player to win called `player` opens. If no player can choose (see
    `csp_mines.analysis.move`), for example because the clues are only bounds, choose the cell with
    the lowest risk. If the position is too wide to count, do the same as `lowest_estimate`."""
    analysis = known.analysis()
    if analysis is None:
        return lowest_estimate(known)
    move = analysis.move_by(player)
    return _a_mine(known) if move is None else Guess(move.cell, move.risk, move.reason)


def _a_mine(known: Known) -> Guess:
    """Choose the first hidden cell. This is called if every hidden cell is a proved mine. Only the
    total can prove this, and the agent marks no cell that only the total proves (see
    `Agent.deduce_total`), so it must open one."""
    return Guess(known.cell(known.hidden()[0]), 1.0, "every hidden cell is a mine")


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
    """Return the policy called `name`: a key of `POLICIES`, or `win:` with options, such as
    `win:fast`. Raises UnknownName for an unknown policy or option, InputError if `name` is not a
    string."""
    if text(name, "policy") in POLICIES:
        return POLICIES[name]
    if not is_player(name):
        raise UnknownName("policy", name, list(POLICIES))
    strength(name)
    return partial(to_win, player=name)


def _lowest(
    known: Known, risks: Mapping[int, float], *, sea: bool = True
) -> tuple[list[int], float | None]:
    """Return the hidden cells with the lowest risk, in reading order, and this risk.

    `risks` has the risks of some hidden cells. The risk of every other hidden cell is the base
    rate. These other cells are left out if `sea` is False or the total is unknown. But if `risks`
    is empty, return all hidden cells and the base rate; the base rate is None if the total is
    unknown."""
    base = known.base_rate()
    if not risks:
        return known.hidden(), base
    if sea and base is not None:
        risks = {cell: risks.get(cell, base) for cell in known.hidden()}
    least = min(risks.values())
    return sorted(cell for cell, risk in risks.items() if risk <= alike_up_to(least)), least


def _greatest(equations: Iterable[Equation]) -> dict[int, float]:
    """Return for each cell the greatest ratio of the equations that contain the cell. The ratio of
    an equation is its number of mines divided by its number of cells."""
    greatest: dict[int, float] = {}
    for cells, mines in equations:
        ratio = mines / len(cells)
        for cell in cells:
            if ratio > greatest.get(cell, -1.0):
                greatest[cell] = ratio
    return greatest


def _derived(equations: Iterable[Equation]) -> list[Equation]:
    """Return the equations, and also all equations that subtraction derives. An equation can be
    subtracted from every larger equation that contains all its cells."""
    derived = {frozenset(cells): mines for cells, mines in equations}
    of_cell: dict[int, list[frozenset[int]]] = {}
    for cells in derived:
        for cell in cells:
            of_cell.setdefault(cell, []).append(cells)
    queue = list(derived)
    while queue:
        taken = queue.pop()
        for other in dict.fromkeys(near for cell in taken for near in of_cell[cell]):
            small, large = (taken, other) if len(taken) < len(other) else (other, taken)
            rest = large - small
            if not small < large or rest in derived:
                continue
            derived[rest] = derived[large] - derived[small]
            queue.append(rest)
            for cell in rest:
                of_cell.setdefault(cell, []).append(rest)
    return [(tuple(cells), mines) for cells, mines in derived.items()]
