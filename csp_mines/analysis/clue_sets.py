"""Cores: minimal sets of statements that together prove a cell, or that contradict each other.

`Cores` finds the cores of a frontier, and smallest ones where the search is not too long. A set of
statements proves that a cell is safe if the set contradicts a mine there. It proves that a cell is
a mine if it contradicts that the cell is safe. Proofs by one or two clues are found by arithmetic.
Longer proofs come from a `CoreEngine`, which packages offer through the entry-point group
`csp_mines.explainers`.

The search is fast because proofs without the total are local. A clue beside the cell is one step
away from it, and two clues that share a hidden cell are one step apart. Every clue of a minimal
proof of `n` clues is at most `n` steps away from the cell. So the search looks only at a *ball*:
the clues that are at most `radius` steps away. The radius grows until the ball contains a proof.
A proof of fewer than `n` clues fits into a ball of a radius below `n`. So if no such ball contains
a proof, a proof of `n` clues is a smallest one.

In proofs by the total, the total is one constraint over all cells that clues constrain. If there
are more than `WIDE` such cells, a `CoreEngine` could take very long. Then only `Cores._disjoint`
looks for a proof, and may miss it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from operator import attrgetter
from typing import Protocol

from csp_mines.backend import Deadline, only_engine
from csp_mines.board import Cell
from csp_mines.constraints import Constraint, Frontier, disjoint, places
from csp_mines.errors import Unsupported

# With up to this many statements, the search is for a smallest set; with more, for a minimal set.
AFFORDABLE = 400
LONG_PROOF = 12  # a minimal set of more clues is accepted: a smallest set would be long, too
WIDE = 600  # the CoreEngine gets no total over more cells, because it could take very long
BLOCK = 64  # the search for a contradiction adds this many statements at a time


@dataclass(frozen=True, order=True)
class Core:
    """A set of statements: `statements` has sorted indexes into `Frontier.statements`, and `total`
    says whether the total belongs to the set."""

    total: bool
    statements: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.statements) + self.total


@dataclass(frozen=True)
class Evidence:
    """The clues that prove a cell safe or a mine, and whether the proof also needs the total. If
    no proof was found and the total is over more than `WIDE` cells, `too_wide` is True and `clues`
    is empty."""

    clues: tuple[Cell, ...]
    total: bool
    too_wide: bool = False


class CoreEngine(Protocol):
    """An engine that finds minimal sets of constraints that contradict each other."""

    def minimal(
        self, groups: Sequence[Constraint], hard: Sequence[Constraint] = ()
    ) -> tuple[int, ...] | None:
        """Return the indexes of a minimal set of `groups` that contradicts `hard`: every proper
        subset is consistent with `hard`. Return None if all groups together are consistent with
        `hard`."""

    def smallest(
        self, groups: Sequence[Constraint], hard: Sequence[Constraint] = ()
    ) -> Iterator[tuple[int, ...]]:
        """Iterate over all minimal sets that `minimal` may return, smallest first."""

    def model(
        self, constraints: Sequence[Constraint], deadline: Deadline | None = None
    ) -> dict[int, bool] | None:
        """Return which constrained cells are mines in one solution of all constraints, or None if
        there is no solution. Raises OutOfTime after the deadline."""

    def first_conflict(self, blocks: Sequence[Sequence[Constraint]]) -> int | None:
        """Return the index of the first block that contradicts the blocks before it; None if all
        blocks together have a solution."""


@cache
def core_engine() -> CoreEngine:
    """Return the `CoreEngine` of an installed package. Raises what `only_engine` raises."""
    engine: CoreEngine = only_engine("csp_mines.explainers", "explanations")
    return engine


class Cores:
    """Finds the cores of one frontier."""

    def __init__(self, frontier: Frontier) -> None:
        self.frontier = frontier
        self.constraints = [statement.constraint for statement in frontier.statements]
        self._of_cell = places(constraint.cells for constraint in self.constraints)

    def clues_around(self, cell: Cell) -> list[int]:
        """Return the indexes of the statements whose constraint contains the cell, in order."""
        return self._of_cell.get(self.frontier.number(cell), [])

    def evidence(self, cell: Cell, *, mine: bool) -> Evidence | None:
        """Return the clues that prove a cell a mine, or safe if `mine` is False; None if nothing
        proves it."""
        try:
            core = self.proof(self.frontier.number(cell), mine=mine)
        except Unsupported:
            return Evidence((), True, too_wide=True)
        return None if core is None else Evidence(self.frontier.clues(core.statements), core.total)

    def proof(self, cell: int, *, mine: bool) -> Core | None:
        """Return a minimal set that proves `cell` a mine, or safe if `mine` is False; None if
        nothing proves it.

        The set has the total only if the clues alone do not suffice. It is a smallest set unless it
        has more than `LONG_PROOF` clues, or the search has more than `AFFORDABLE` clues to choose
        from, or `_disjoint` found the set. Raises Unsupported if the clues alone do not suffice,
        the total is over more than `WIDE` cells, and `_disjoint` finds no proof."""
        return self.by_clues(cell, mine=mine) or self._with_total(cell, mine)

    def by_clues(self, cell: int, *, mine: bool) -> Core | None:
        """Return a minimal set without the total that proves the cell, as `proof` does; None if the
        clues alone do not prove the cell."""
        for size in (1, 2):
            few = next(self._few(cell, mine, size), None)
            if few is not None:
                return few
        return self._local(cell, mine)

    def proofs(self, cell: int, *, mine: bool, limit: int) -> list[Core]:
        """Return up to `limit` minimal sets that prove the cell, smallest first. The sets have the
        total only if every proof needs it. Sets without the total come from clues near the cell, so
        larger sets may be missing."""
        first = self.proof(cell, mine=mine)
        if first is None or limit == 1:
            return [] if first is None else [first]
        hard = [_opposite(cell, mine)]
        near = list(range(len(self.constraints)))
        if first.total:
            hard.append(self.total(cell))
        else:
            near = self._ball(self._of_cell[cell], len(first) + 1)
        if len(near) > AFFORDABLE or (first.total and len(self._of_cell) > WIDE):
            return [first]
        sets = core_engine().smallest([self.constraints[clue] for clue in near], hard)
        cores = [
            Core(first.total, tuple(near[position] for position in each))
            for each in islice(sets, limit)
        ]
        return cores if first in cores else [first, *cores[: limit - 1]]

    def conflict(self) -> Core | None:
        """Return a minimal set of statements that contradict each other; None if a layout fits.

        The set has the total only if the clues alone do not contradict each other, or if the total
        alone is impossible. It is a smallest set if there are at most `AFFORDABLE` statements, but
        a set with the total and more than `LONG_PROOF` clues may be larger. With a total over more
        than `WIDE` cells, the method takes for granted that no layout fits, and the set may be
        neither smallest nor minimal: it may have every statement."""
        for index, constraint in enumerate(self.constraints):
            if constraint.impossible:
                return Core(False, (index,))
        problem = self.frontier.problem
        if problem.mines is not None and not 0 <= problem.mines <= len(problem.cells):
            return Core(True, ())
        return self._clash() or self._clash_with_total()

    def total(self, cell: int | None = None) -> Constraint:
        """Return the total as a constraint over the cells of the frontier, and over `cell` if it is
        in the sea. The lower bound is the number of mines that the rest of the sea cannot hold."""
        problem = self.frontier.problem
        assert problem.mines is not None
        cells = problem.frontier
        sea = len(problem.sea)
        if cell is not None and cell not in self._of_cell:
            cells, sea = (*cells, cell), sea - 1
        low, high = max(problem.mines - sea, 0), min(problem.mines, len(cells))
        return Constraint(cells, low, high)

    def _few(self, cell: int, mine: bool, size: int) -> Iterator[Core]:
        """Yield the proofs by exactly `size` clues, which is 1 or 2, in the order of the clues."""
        for index in self._of_cell.get(cell, ()):
            constraint = self.constraints[index]
            if size == 1:
                if constraint.low == len(constraint.cells) if mine else constraint.high == 0:
                    yield Core(False, (index,))
                continue
            for other in self._neighbours([index]):
                if other != index and _pair_proves(constraint, self.constraints[other], cell, mine):
                    yield Core(False, tuple(sorted((index, other))))

    def _local(self, cell: int, mine: bool) -> Core | None:
        """Return a minimal proof by clues alone; None if there is none. The caller has made sure
        that the proof needs at least three clues."""
        touching = self._of_cell.get(cell, [])
        hard = [_opposite(cell, mine)]
        radius, reached = 3, 2  # no ball up to radius `reached` contains a proof
        before = 0
        while True:
            ball = self._ball(touching, radius)
            if len(ball) == before:
                return None
            core = core_engine().minimal([self.constraints[clue] for clue in ball], hard)
            if core is not None:
                break
            before, reached, radius = len(ball), radius, radius * 3 // 2
        if reached + 1 < len(core) <= LONG_PROOF:
            smaller = self._ball(touching, len(core) - 1)
            better = self._smallest(smaller, hard)
            if better is not None and len(better) < len(core):
                ball, core = smaller, better
        return Core(False, tuple(ball[position] for position in core))

    def _with_total(self, cell: int, mine: bool) -> Core | None:
        """Return a minimal set with the total that proves the cell; None if there is none. Raises
        Unsupported if the total is over more than `WIDE` cells and `_disjoint` finds no set."""
        if not self.frontier.problem.total_bites:
            return None
        opposite = _opposite(cell, mine)
        if len(self._of_cell) <= WIDE:
            return self._all([opposite, self.total(cell)])
        statements = self._disjoint([opposite])
        if statements is None:
            row, col = divmod(cell, self.frontier.board.cols)
            raise Unsupported(
                f"the proof of cell {row},{col} needs the total over {len(self._of_cell):,} cells, "
                f"which is too wide to explain (at most {WIDE} cells)"
            )
        return Core(True, statements)

    def _disjoint(self, hard: Sequence[Constraint]) -> tuple[int, ...] | None:
        """Return statements that, together with `hard`, contradict the total: they need more mines
        or more safe cells than there are. No two of them share a cell, and none of them can be left
        out. Return None if no such statements are found."""
        problem = self.frontier.problem
        assert problem.mines is not None
        sizes = [len(constraint.cells) for constraint in self.constraints]
        for least, need in (
            (attrgetter("low"), problem.mines),
            (attrgetter("fewest_safe"), len(problem.cells) - problem.mines),
        ):
            gains = list(map(least, self.constraints))
            useful = [index for index, gain in enumerate(gains) if gain > 0]
            useful.sort(key=lambda index: -gains[index] / sizes[index])
            taken = [cell for constraint in hard for cell in constraint.cells]
            chosen = disjoint(useful, lambda index: self.constraints[index].cells, taken)
            spare = sum(map(least, hard)) + sum(gains[index] for index in chosen) - need - 1
            if spare < 0:
                continue
            for index in sorted(chosen, key=lambda index: gains[index]):
                if gains[index] <= spare:
                    spare -= gains[index]
                    chosen.remove(index)
            return tuple(sorted(chosen))
        return None

    def _all(self, hard: list[Constraint]) -> Core | None:
        """Return a minimal set of statements, from anywhere on the board, that contradicts `hard`;
        None if there is none. `hard` contains the total."""
        core = core_engine().minimal(self.constraints, hard)
        if core is None:
            return None
        if 1 < len(core) <= LONG_PROOF:
            core = self._smallest(range(len(self.constraints)), hard) or core
        return Core(True, core)

    def _smallest(self, among: Sequence[int], hard: list[Constraint]) -> tuple[int, ...] | None:
        """`among` has indexes of statements. Return a smallest set of these statements that
        contradicts `hard`, as positions in `among`. Return None if there is no such set, or if
        `among` is too long to search."""
        if len(among) > AFFORDABLE:
            return None
        return next(core_engine().smallest([self.constraints[clue] for clue in among], hard), None)

    def _clash(self) -> Core | None:
        """Return statements that contradict each other without the total; None if there are
        none."""
        everything = range(len(self.constraints))
        blocks = [everything[start : start + BLOCK] for start in everything[::BLOCK]]
        told = [[self.constraints[clue] for clue in block] for block in blocks]
        where = core_engine().first_conflict(told)
        if where is None:
            return None
        radius, core = 1, None
        while core is None:
            ball = self._ball(blocks[where], radius)
            core = core_engine().minimal([self.constraints[clue] for clue in ball])
            radius *= 2
        if len(core) > 2:
            wide = everything if len(everything) <= AFFORDABLE else ball
            better = self._smallest(wide, [])
            if better is not None and len(better) < len(core):
                ball, core = list(wide), better
        return Core(False, tuple(ball[position] for position in core))

    def _clash_with_total(self) -> Core | None:
        """Return a minimal set of statements that contradicts the total; None if there is none. If
        the total is over more than `WIDE` cells, this may be the set of all statements."""
        if self.frontier.problem.mines is None:
            return None
        if len(self._of_cell) <= WIDE:
            return self._all([self.total()])
        statements = self._disjoint([])
        return Core(True, tuple(range(len(self.constraints))) if statements is None else statements)

    def _neighbours(self, statements: Iterable[int]) -> set[int]:
        """Return the statements that share a cell with at least one of `statements`."""
        cells = {cell for index in statements for cell in self.constraints[index].cells}
        return {index for cell in cells for index in self._of_cell[cell]}

    def _ball(self, start: Iterable[int], radius: int) -> list[int]:
        """Return the statements fewer than `radius` steps away from those in `start`, sorted. With
        the clues beside a cell as `start`, these are the clues at most `radius` steps from it."""
        inside = set(start)
        rim = inside
        for _ in range(radius - 1):
            rim = self._neighbours(rim) - inside
            if not rim:
                break
            inside |= rim
        return sorted(inside)


def _opposite(cell: int, mine: bool) -> Constraint:
    """Return the constraint that a cell is safe; if `mine` is False, that it is a mine."""
    return Constraint((cell,), 0, 0) if mine else Constraint((cell,), 1, 1)


def _pair_proves(first: Constraint, other: Constraint, cell: int, mine: bool) -> bool:
    """Return whether two constraints together prove that `cell` is a mine, or safe if `mine` is
    False. The cell is in the first constraint. The function tries each number of mines in the
    shared cells. The bounds of each constraint then limit the mines in its other cells."""
    shared = set(first.cells) & set(other.cells)
    own, others = len(first.cells) - len(shared), len(other.cells) - len(shared)
    possible = False
    for mines in range(len(shared) + 1):
        low, high = max(first.low - mines, 0), min(first.high - mines, own)
        if low > high or max(other.low - mines, 0) > min(other.high - mines, others):
            continue
        possible = True
        if cell in shared:
            free = mines < len(shared) if mine else mines > 0
        else:
            free = low < own if mine else high > 0
        if free:
            return False
    return possible
