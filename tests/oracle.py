"""Brute force over all layouts: slow, independent of the engines, and meant to be obviously right.

Two oracles that share nothing: one for problems, which tries every set of mines against every
constraint, and one for boards, which counts the mines around every opened cell of every layout.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from math import prod

from csp_mines.backend import RegionCount
from csp_mines.board import EXPLODED, HIDDEN, MARKED, Board, Cell
from csp_mines.constraints import Constraint, Problem, Region

Mines = frozenset[int]


def subsets(cells: Iterable[int]) -> Iterator[Mines]:
    everything = sorted(cells)
    for size in range(len(everything) + 1):
        for chosen in combinations(everything, size):
            yield frozenset(chosen)


def holds(constraint: Constraint, mines: Mines) -> bool:
    return constraint.low <= sum(cell in mines for cell in constraint.cells) <= constraint.high


def weight(constraint: Constraint, mines: Mines) -> int:
    return (
        1
        if constraint.weights is None
        else constraint.weights[sum(cell in mines for cell in constraint.cells)]
    )


def layouts(problem: Problem) -> dict[Mines, Fraction]:
    """Every layout that fits, with its weight. A layout that weighs nothing does not."""
    fitting = {}
    for mines in subsets({*problem.frontier, *problem.sea}):
        if problem.mines not in (None, len(mines)):
            continue
        if all(holds(constraint, mines) for constraint in problem.constraints):
            weighs = prod(weight(constraint, mines) for constraint in problem.constraints)
            odds = problem.odds ** len(mines) if problem.mines is None else Fraction(1)
            if weighs:
                fitting[mines] = odds * weighs
    return fitting


def solutions(problem: Problem) -> int:
    """The weight of all layouts that fit; odds do not count."""
    return int(sum(layouts(replace(problem, odds=Fraction(1))).values()))


def certain(problem: Problem, fitting: Iterable[Mines]) -> tuple[frozenset[int], frozenset[int]]:
    """The cells without a mine in all layouts, and those with a mine in all."""
    cells = frozenset({*problem.frontier, *problem.sea})
    safe, mines = cells, cells
    for layout in fitting:
        safe -= layout
        mines &= layout
    return safe, mines


def probabilities(problem: Problem, fitting: dict[Mines, Fraction]) -> dict[int, Fraction]:
    total = sum(fitting.values(), Fraction(0))
    return {
        cell: sum((some for mines, some in fitting.items() if cell in mines), Fraction(0)) / total
        for cell in (*problem.frontier, *problem.sea)
    }


def region_count(region: Region) -> RegionCount:
    """The count of a region by its definition."""
    problem = region.problem()
    ways = [0] * (len(region.cells) + 1)
    mines = [[0] * len(ways) for _ in region.boxes]
    for layout, exact in layouts(problem).items():
        ways[len(layout)] += int(exact)
        for box, cells in enumerate(region.boxes):
            mines[box][len(layout)] += int(exact) * sum(cell in layout for cell in cells)
    occurring = [number for number, some in enumerate(ways) if some]
    if not occurring:
        return RegionCount(0, (), tuple(() for _ in region.boxes))
    low, high = occurring[0], occurring[-1] + 1
    return RegionCount(low, tuple(ways[low:high]), tuple(tuple(sums[low:high]) for sums in mines))


@dataclass(frozen=True)
class Truth:
    """What brute force says about a board: the layouts of its hidden cells that fit, weighed."""

    hidden: frozenset[Cell]
    layouts: dict[frozenset[Cell], Fraction]

    @property
    def safe(self) -> frozenset[Cell]:
        return self.hidden.difference(*self.layouts)

    @property
    def mines(self) -> frozenset[Cell]:
        return self.hidden.intersection(*self.layouts)

    def probability(self, cell: Cell) -> Fraction:
        share = sum((some for layout, some in self.layouts.items() if cell in layout), Fraction(0))
        return share / sum(self.layouts.values())


def truth(board: Board, *, use_total: bool = True) -> Truth:
    """Tries every layout of the hidden cells against what every opened cell shows."""
    hidden = sorted(board.cells(HIDDEN))
    known = {*board.cells(MARKED), *board.cells(EXPLODED)}
    fitting = {}
    for chosen in subsets(range(len(hidden))):
        layout = frozenset(hidden[index] for index in chosen)
        likelihood = _prior(board, len(layout), len(hidden), len(known), use_total)
        for cell in board.cells():
            if likelihood and board[cell] >= 0:
                around = sum(other in known or other in layout for other in board.neighbours(cell))
                likelihood *= showing(board.clues.name, board[cell], around)
        if likelihood:
            fitting[layout] = likelihood
    return Truth(frozenset(hidden), fitting)


def showing(model: str, shown: int, true: int) -> Fraction:
    """How likely a cell with `true` mines around it is to show `shown`, up to a constant."""
    if model == "optimistic":
        return Fraction(1, true + 1) if shown <= true else Fraction(0)
    if model == "cautious":
        return Fraction(1, 9 - true) if shown >= true else Fraction(0)
    return Fraction(shown == true)


def _prior(board: Board, mines: int, hidden: int, known: int, use_total: bool) -> Fraction:
    if board.mines is not None and use_total:
        return Fraction(known + mines == board.mines)
    if board.density is not None:
        return board.density**mines * (1 - board.density) ** (hidden - mines)
    return Fraction(1)
