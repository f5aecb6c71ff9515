"""Cores: minimal sets of statements that together prove a cell, or that contradict each other.

`Cores` finds the cores of a `Frontier`, and smallest ones where the search is not too long. A set
of statements proves a cell safe if the set contradicts a mine at this cell. A set proves a cell a
mine if the set contradicts that this cell is safe. `Cores` finds proofs by one or two clues by
arithmetic. For most other proofs, it asks a `CoreEngine`. A package offers a `CoreEngine` through
the entry-point group `csp_mines.explainers`.

The search is fast because proofs without the total are local. A clue beside the cell is one step
away from the cell, and two clues that share a hidden cell are one step apart. Every clue of a
minimal proof of `n` clues is at most `n` steps away from the cell. So the search looks only at a
*ball*: the clues that are at most `radius` steps away from the cell. The radius grows until the
ball contains a proof, or until the ball stops growing. Every proof of fewer than `n` clues lies in
the ball of radius `n - 1`. So if this ball contains no proof, a proof of `n` clues is a smallest
one.

In a proof with the total, the total becomes one constraint over all hidden cells beside clues, and
over the proved cell. Its bounds allow every number of mines in the other hidden cells. If more than
`WIDE` hidden cells are beside clues, a `CoreEngine` could take very long. So in this case only
`Cores._disjoint` looks for a proof with the total, and may miss one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from operator import attrgetter
from typing import Protocol

from csp_mines.backend import Deadline, default_engine, only_engine
from csp_mines.board import Cell
from csp_mines.constraints import Constraint, Frontier, Problem, disjoint, places
from csp_mines.errors import Contradiction, GaveUp, Unsupported

AFFORDABLE = 400  # a smallest set is searched for only among at most this many statements
# If a proof, or a conflict with the total, has more clues, `Cores` does not look for a smaller one.
LONG_PROOF = 12
ATTEMPTS = 2000  # a search for smallest sets ends after so many attempts: one to three seconds
WIDE = 600  # the CoreEngine gets no total over more cells, because the search could take very long
BLOCK = 64  # the search for a contradiction adds this many statements at a time

Clues = tuple[int, ...]  # indexes into `Frontier.statements`


@dataclass(frozen=True, order=True)
class Core:
    """A set of statements: `statements` has sorted indexes into `Frontier.statements`, and `total`
    says whether the total belongs to the set."""

    total: bool
    statements: Clues

    def __len__(self) -> int:
        return len(self.statements) + self.total


@dataclass(frozen=True)
class Evidence:
    """The clues that prove a cell safe or a mine. `total` says whether the proof also needs the
    total. `too_wide` says that no proof was found because the total is over more than `WIDE` cells.
    In this case, `clues` is empty and `total` is True."""

    clues: tuple[Cell, ...]
    total: bool
    too_wide: bool = False


class CoreEngine(Protocol):
    """An engine that finds minimal sets of constraints that contradict each other."""

    def minimal(
        self, groups: Sequence[Constraint], hard: Sequence[Constraint] = ()
    ) -> tuple[int, ...] | None:
        """Return the indexes of a minimal set of `groups` that has no solution together with
        `hard`: every proper subset has a solution together with `hard`. Return None if all groups
        have a solution together with `hard`."""

    def smallest(
        self, groups: Sequence[Constraint], hard: Sequence[Constraint], attempts: int
    ) -> Iterator[tuple[int, ...]]:
        """Iterate over all minimal sets that `minimal` may return, smallest first. If `minimal`
        returns None, the iterator is empty. The iterator ends early after `attempts` attempts to
        find a set."""

    def model(
        self, constraints: Sequence[Constraint], deadline: Deadline | None = None
    ) -> dict[int, bool] | None:
        """Return one solution of all constraints: every constrained cell, with True if the cell is
        a mine. Return None if there is no solution. Raises OutOfTime after the deadline."""

    def first_conflict(self, blocks: Sequence[Sequence[Constraint]]) -> int | None:
        """Return the index of the first block that has no solution together with all blocks before
        this block. Return None if all blocks together have a solution."""


@cache
def core_engine() -> CoreEngine:
    """Return the `CoreEngine` of an installed package. Raises what `only_engine` raises."""
    engine: CoreEngine = only_engine("csp_mines.explainers", "explanations")
    return engine


class Cores:
    """Finds the cores of one `Frontier`."""

    def __init__(self, frontier: Frontier) -> None:
        self.frontier = frontier
        self.constraints = [statement.constraint for statement in frontier.statements]
        self._of_cell = places(constraint.cells for constraint in self.constraints)

    def clues_around(self, cell: Cell) -> list[int]:
        """Return the indexes of the statements whose constraint contains `cell`, in ascending
        order."""
        return self._of_cell.get(self.frontier.number(cell), [])

    def evidence(self, cell: Cell, *, mine: bool) -> Evidence | None:
        """Return the clues that prove a cell a mine, or safe if `mine` is False. Return None if the
        clues and the total do not prove this. If the search for a proof is too wide, the returned
        evidence has no clues, and its field `too_wide` is True."""
        try:
            core = self.proof(self.frontier.number(cell), mine=mine)
        except Unsupported:
            return Evidence((), True, too_wide=True)
        return None if core is None else Evidence(self.frontier.clues(core.statements), core.total)

    def proof(self, cell: int, *, mine: bool) -> Core | None:
        """Return a minimal set that proves a cell a mine, or safe if `mine` is False. `cell` is the
        number of the cell. Return None if the clues and the total do not prove this.

        The set has the total only if the clues alone do not suffice. A smaller set may exist in
        four cases: the returned set has more than `LONG_PROOF` clues, a smaller set would have to
        be searched for among more than `AFFORDABLE` clues, ATTEMPTS are too few to find a smaller
        set, or `_disjoint` found the returned set.

        Raises Unsupported if the clues alone do not suffice and the search with the total is too
        wide: the total may exclude layouts and is over more than `WIDE` cells, but `_disjoint`
        finds no proof."""
        return self.by_clues(cell, mine=mine) or self._with_total(cell, mine)

    def by_clues(self, cell: int, *, mine: bool) -> Core | None:
        """Do the same as `proof`, but use only the clues. Return None if the clues alone do not
        prove the cell."""
        return self._one(cell, mine) or self._two(cell, mine) or self._local(cell, mine)

    def proofs(self, cell: int, *, mine: bool, limit: int) -> list[Core]:
        """Return up to `limit` minimal sets that prove a cell a mine, or safe if `mine` is False:
        the set that `proof` returns, and the smallest other sets. The list is in order of size,
        except that the set of `proof` may come first although it is larger. The list is empty if
        `proof` returns None.

        The sets have the total only if no proof works without the total. Without the total, the
        search looks only at clues near the cell, so large sets may be missing. If the search has
        more than `AFFORDABLE` clues to choose from, or if the sets have the total and the total is
        over more than `WIDE` cells, the list has only the set of `proof`.

        Raises Unsupported as `proof` does."""
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
        cores = [Core(first.total, each) for each in islice(self._by_size(near, hard), limit)]
        return cores if first in cores else [first, *cores[: limit - 1]]

    def conflict(self) -> Core | None:
        """Return a minimal set of statements that contradict each other; None if a layout fits.

        The set has the total only if the clues alone do not contradict each other, or if the total
        alone is impossible. A smaller set may exist in four cases: the frontier has more than
        `AFFORDABLE` statements, the returned set has the total and more than `LONG_PROOF` clues,
        ATTEMPTS are too few to find a smaller set, or `_disjoint` found the returned set.

        If the clues alone do not contradict each other and the total is over more than `WIDE`
        cells, only `_disjoint` looks for a set. If `_disjoint` finds none, this method returns the
        total with all statements, unless the default engine shows that a layout fits."""
        for index, constraint in enumerate(self.constraints):
            if constraint.impossible:
                return Core(False, (index,))
        problem = self.frontier.problem
        if problem.mines is not None and not 0 <= problem.mines <= len(problem.cells):
            return Core(True, ())
        return self._clash() or self._clash_with_total()

    def total(self, cell: int | None = None) -> Constraint:
        """Return the total as a constraint over all hidden cells beside clues, and also over `cell`
        if this cell is in the sea. The bounds allow every number of mines in the rest of the
        sea."""
        cells = self.frontier.problem.frontier
        if cell is not None and cell not in self._of_cell:
            cells = (*cells, cell)
        return Constraint(cells, *self.frontier.problem.mines_within(cells))

    def _one(self, cell: int, mine: bool) -> Core | None:
        """Return the first proof by one clue; None if there is none."""
        for index in self._of_cell.get(cell, ()):
            constraint = self.constraints[index]
            if constraint.low == len(constraint.cells) if mine else constraint.high == 0:
                return Core(False, (index,))
        return None

    def _two(self, cell: int, mine: bool) -> Core | None:
        """Return a proof by two clues; None if there is none. The caller has made sure that no
        single clue proves the cell."""
        for index in self._of_cell.get(cell, ()):
            for other in self._neighbours([index]):
                pair = self.constraints[index], self.constraints[other]
                if other != index and _pair_proves(*pair, cell, mine):
                    return Core(False, tuple(sorted((index, other))))
        return None

    def _local(self, cell: int, mine: bool) -> Core | None:
        """Return a minimal proof by clues alone; None if there is none. The caller has made sure
        that every proof has at least three clues."""
        touching = self._of_cell.get(cell, [])
        hard = [_opposite(cell, mine)]
        radius, reached = 3, 2  # every proof has more than `reached` clues
        before = 0
        while True:
            ball = self._ball(touching, radius)
            if len(ball) == before:
                return None
            core = self._minimal(ball, hard)
            if core is not None:
                break
            before, reached, radius = len(ball), radius, radius * 3 // 2
        if reached + 1 < len(core) <= LONG_PROOF:
            core = self._smaller(core, self._ball(touching, len(core) - 1), hard)
        return Core(False, core)

    def _with_total(self, cell: int, mine: bool) -> Core | None:
        """Return a minimal set with the total that proves the cell. Return None if there is no such
        set, or if no total is known. Raises Unsupported if the total may exclude layouts and is
        over more than `WIDE` cells, but `_disjoint` finds no set."""
        if not self.frontier.problem.total_bites:
            return None
        opposite = _opposite(cell, mine)
        if len(self._of_cell) <= WIDE:
            return self._all([opposite, self.total(cell)])
        statements = self._disjoint([opposite])
        if statements is None:
            row, col = self.frontier.cell(cell)
            raise Unsupported(
                f"cell {row},{col} is too wide to explain: its proof needs the total, and "
                f"{len(self._of_cell):,} hidden cells are beside clues, but the limit is {WIDE}"
            )
        return Core(True, statements)

    def _disjoint(self, hard: Sequence[Constraint]) -> Clues | None:
        """Look for statements that, together with `hard`, contradict the total: they need more
        mines or more safe cells than there are. The search tries only statements that share
        no cell with each other or with `hard`. Return the indexes of the statements, none of which
        can be left out. Return None if the search finds no such statements."""
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
        """Return a minimal set of statements, from anywhere on the board, that has no solution
        together with `hard`; None if there is none. The last constraint of `hard` is the total,
        and the returned `Core` contains the total."""
        everything = range(len(self.constraints))
        core = self._minimal(everything, hard)
        if core is None:
            return None
        core = min(core, self._disjoint(hard[:-1]) or core, key=len)
        if 1 < len(core) <= LONG_PROOF:
            core = self._smaller(core, everything, hard)
        return Core(True, core)

    def _minimal(self, among: Sequence[int], hard: Sequence[Constraint] = ()) -> Clues | None:
        """Return a minimal set of the statements `among` that has no solution together with `hard`;
        None if there is none."""
        core = core_engine().minimal([self.constraints[clue] for clue in among], hard)
        return None if core is None else tuple(among[position] for position in core)

    def _by_size(self, among: Sequence[int], hard: Sequence[Constraint]) -> Iterator[Clues]:
        """Yield sets that `_minimal` may return, the smallest first: all of them, unless ATTEMPTS
        are too few."""
        groups = [self.constraints[clue] for clue in among]
        for core in core_engine().smallest(groups, hard, ATTEMPTS):
            yield tuple(among[position] for position in core)

    def _smaller(self, core: Clues, among: Sequence[int], hard: Sequence[Constraint] = ()) -> Clues:
        """Return a smallest set of the statements `among` that has no solution together with
        `hard`. Return `core` if such a set is not smaller than `core`, if `among` has more than
        `AFFORDABLE` statements, or if ATTEMPTS are too few to find such a set."""
        if len(among) > AFFORDABLE:
            return core
        return min(core, next(self._by_size(among, hard), core), key=len)

    def _clash(self) -> Core | None:
        """Return a minimal set of statements that contradict each other without the total; None if
        there is none."""
        everything = range(len(self.constraints))
        blocks = [everything[start : start + BLOCK] for start in everything[::BLOCK]]
        told = [[self.constraints[clue] for clue in block] for block in blocks]
        where = core_engine().first_conflict(told)
        if where is None:
            return None
        radius, core = 1, None
        while core is None:
            ball = self._ball(blocks[where], radius)
            core = self._minimal(ball)
            radius *= 2
        if len(core) > 2:
            core = self._smaller(core, everything if len(everything) <= AFFORDABLE else ball)
        return Core(False, core)

    def _clash_with_total(self) -> Core | None:
        """Return a minimal set of statements that contradicts the total. Return None if there is no
        such set, or if no total is known. If the total is over more than `WIDE` cells and
        `_disjoint` finds no set, return all statements."""
        if self.frontier.problem.mines is None:
            return None
        if len(self._of_cell) <= WIDE:
            return self._all([self.total()])
        statements = self._disjoint([])
        if statements is None:
            if _fits(self.frontier.problem):
                return None
            statements = tuple(range(len(self.constraints)))
        return Core(True, statements)

    def _neighbours(self, statements: Iterable[int]) -> set[int]:
        """Return the indexes of the statements that share a cell with at least one of `statements`.
        The result includes `statements`."""
        cells = {cell for index in statements for cell in self.constraints[index].cells}
        return {index for cell in cells for index in self._of_cell[cell]}

    def _ball(self, start: Iterable[int], radius: int) -> list[int]:
        """Return, in ascending order, the indexes of the statements that are fewer than `radius`
        steps away from a statement of `start`. If `start` has the clues beside a cell, the result
        is the clues that are at most `radius` steps away from this cell."""
        inside = set(start)
        rim = inside
        for _ in range(radius - 1):
            rim = self._neighbours(rim) - inside
            if not rim:
                break
            inside |= rim
        return sorted(inside)


def _fits(problem: Problem) -> bool:
    """Return whether the default engine shows that a layout fits the problem."""
    try:
        default_engine().deduce(problem)
    except (Contradiction, GaveUp):
        return False
    return True


def _opposite(cell: int, mine: bool) -> Constraint:
    """Return the constraint that `cell` is safe, or that `cell` is a mine if `mine` is False."""
    return Constraint((cell,), 0, 0) if mine else Constraint((cell,), 1, 1)


def _pair_proves(first: Constraint, other: Constraint, cell: int, mine: bool) -> bool:
    """Return whether two constraints together prove that `cell` is a mine, or safe if `mine` is
    False. Return False if the constraints contradict each other. `cell` is in the first constraint.
    The bounds of both constraints limit the mines in the shared cells. This leaves bounds for the
    cells that only the first constraint has."""
    shared = set(first.cells) & set(other.cells)
    own, others = len(first.cells) - len(shared), len(other.cells) - len(shared)
    low = max(0, first.low - own, other.low - others)
    high = min(len(shared), first.high, other.high)
    if low > high:
        return False
    if cell in shared:
        return low == len(shared) if mine else high == 0
    return first.low - high == own if mine else first.high == low
