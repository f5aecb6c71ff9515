"""Which clues it takes: minimal and smallest sets of statements that prove a cell or contradict.

`Cores` is given a frontier. A set of statements proves a cell when it cannot hold together with the
opposite. One or two clues are tried by arithmetic; more are left to a `CoreEngine`, which packages
offer through the entry-point group `csp_mines.explainers`.

What makes this fast: without the total, every clue of a minimal proof of `n` clues lies within `n`
steps of the cell, where clues that share a hidden cell are one step apart. So only a ball around
the cell is looked at, and a proof of `n` clues found in the first ball that has one, of radius `n`,
is known to be a smallest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from itertools import islice
from typing import Protocol

from csp_mines.backend import Deadline, load_entry
from csp_mines.constraints import Constraint, Frontier
from csp_mines.errors import BackendUnavailable, Unsupported

__all__ = ["Core", "CoreEngine", "Cores", "core_engine"]

# Among so many statements the smallest set is searched for, not only a minimal one.
AFFORDABLE = 400
LONG_PROOF = 12  # a minimal set of more statements is not made smaller: nobody reads the difference
WIDE = 600  # a total over more cells is not given to the engine: it could take very long
BLOCK = 64  # statements told at a time while looking for the place of a contradiction


@dataclass(frozen=True, order=True)
class Core:
    """Indexes into `Frontier.statements`, sorted, and whether the total is needed too."""

    total: bool
    statements: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.statements) + self.total


class CoreEngine(Protocol):
    """Minimal sets of constraints that cannot hold together."""

    def minimal(
        self, groups: Sequence[Constraint], hard: Sequence[Constraint] = ()
    ) -> tuple[int, ...] | None:
        """Indexes of groups that cannot hold with all of `hard`, while any fewer of them can; None
        when all of them can."""

    def smallest(
        self, groups: Sequence[Constraint], hard: Sequence[Constraint] = ()
    ) -> Iterator[tuple[int, ...]]:
        """Every such set, the smallest first."""

    def model(
        self, constraints: Sequence[Constraint], deadline: Deadline | None = None
    ) -> dict[int, bool] | None:
        """Mines at the constrained cells so that every constraint holds, or None. Raises OutOfTime
        past the deadline, where there is one."""

    def first_conflict(self, blocks: Sequence[Sequence[Constraint]]) -> int | None:
        """The index of the first block that cannot hold with those before it, or None."""


@cache
def core_engine() -> CoreEngine:
    """The engine that is installed. Raises MissingLibrary, BackendUnavailable."""
    for entry in entry_points(group="csp_mines.explainers"):
        engine: CoreEngine = load_entry(entry, "the engine of explanations")()
        return engine
    raise BackendUnavailable("no package offers an engine in the group csp_mines.explainers")


class Cores:
    """The minimal sets of one frontier."""

    def __init__(self, frontier: Frontier) -> None:
        self.frontier = frontier
        self.constraints = [statement.constraint for statement in frontier.statements]
        self._of_cell: dict[int, list[int]] = {}
        for index, constraint in enumerate(self.constraints):
            for cell in constraint.cells:
                self._of_cell.setdefault(cell, []).append(index)

    def proof(self, cell: int, *, mine: bool) -> Core | None:
        """A minimal set that proves `cell` a mine, or safe; without the total where that is
        possible, and a smallest unless it has more than `LONG_PROOF` clues or lies among more than
        `AFFORDABLE`. None when nothing proves it. Raises Unsupported where only a total over more
        than `WIDE` cells does, and in no simple way."""
        return self.by_clues(cell, mine=mine) or self._with_total(cell, mine)

    def by_clues(self, cell: int, *, mine: bool) -> Core | None:
        """The same from clues alone; None when they do not prove it without the total."""
        for size in (1, 2):
            few = next(self._few(cell, mine, size), None)
            if few is not None:
                return few
        return self._local(cell, mine)

    def proofs(self, cell: int, *, mine: bool, limit: int) -> list[Core]:
        """Up to `limit` minimal sets, smallest first; those that are a clue larger than need be, at
        most, and that use the total only if all do."""
        first = self.proof(cell, mine=mine)
        if first is None:
            return []
        hard = [_opposite(cell, mine)]
        near = list(range(len(self.constraints)))
        if first.total:
            hard.append(self.total(cell))
        else:
            near = self._ball(self._of_cell[cell], len(first) + 1)
        if len(near) > AFFORDABLE or (first.total and len(self._of_cell) > WIDE):
            return [first]
        found = core_engine().smallest([self.constraints[clue] for clue in near], hard)
        cores = [
            Core(first.total, tuple(near[position] for position in each))
            for each in islice(found, limit)
        ]
        return cores if first in cores else [first, *cores[: limit - 1]]

    def conflict(self) -> Core | None:
        """A minimal set that cannot hold, a smallest where that is affordable; without the total
        where that is possible. None when a layout fits. Where the total concerns more than `WIDE`
        cells, a layout is taken not to fit, and the set may be everything."""
        for index, constraint in enumerate(self.constraints):
            if constraint.impossible:
                return Core(False, (index,))
        problem = self.frontier.problem
        if problem.mines is not None:
            cells = len(problem.frontier) + len(problem.sea)
            if not 0 <= problem.mines <= cells:
                return Core(True, ())
        return self._clash() or self._clash_with_total()

    def total(self, cell: int | None = None) -> Constraint:
        """What the total says of the frontier and `cell`: the sea takes the rest, or none of it."""
        problem = self.frontier.problem
        assert problem.mines is not None
        cells = problem.frontier
        sea = len(problem.sea)
        if cell is not None and cell not in self._of_cell:
            cells, sea = (*cells, cell), sea - 1
        low, high = max(problem.mines - sea, 0), min(problem.mines, len(cells))
        return Constraint(cells, low, high)

    def _few(self, cell: int, mine: bool, size: int) -> Iterator[Core]:
        """Proofs by one clue, or by two, in the order of the clues."""
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
        """A proof by three clues or more, the total not among them."""
        touching = self._of_cell.get(cell, [])
        hard = [_opposite(cell, mine)]
        radius, reached = 3, 2  # no smaller ball than `reached + 1` can have a proof
        before = 0
        while True:
            ball = self._ball(touching, radius)
            if len(ball) == before:
                return None
            found = core_engine().minimal([self.constraints[clue] for clue in ball], hard)
            if found is not None:
                break
            before, reached, radius = len(ball), radius, radius * 3 // 2
        if reached + 1 < len(found) <= LONG_PROOF:
            smaller = self._ball(touching, len(found) - 1)
            better = self._smallest(smaller, hard)
            if better is not None and len(better) < len(found):
                ball, found = smaller, better
        return Core(False, tuple(ball[position] for position in found))

    def _with_total(self, cell: int, mine: bool) -> Core | None:
        if not self.frontier.problem.total_bites:
            return None
        opposite = _opposite(cell, mine)
        if len(self._of_cell) <= WIDE:
            return self._all([opposite, self.total(cell)])
        found = self._disjoint([opposite])
        if found is None:
            raise Unsupported(
                f"cell {cell // self.frontier.board.cols},{cell % self.frontier.board.cols} is "
                f"proved by the total over {len(self._of_cell):,} cells: too wide to explain"
            )
        return Core(True, found)

    def _disjoint(self, hard: Sequence[Constraint]) -> tuple[int, ...] | None:
        """Disjoint statements that, with what is hard, hold too many mines for the total, or too
        few. Minimal: without any one of them the total can be met."""
        problem = self.frontier.problem
        assert problem.mines is not None
        cells = len(problem.frontier) + len(problem.sea)
        mines = [constraint.low for constraint in self.constraints]
        safe = [len(constraint.cells) - constraint.high for constraint in self.constraints]
        for gains, need, known in (
            (mines, problem.mines, sum(constraint.low for constraint in hard)),
            (
                safe,
                cells - problem.mines,
                sum(len(constraint.cells) - constraint.high for constraint in hard),
            ),
        ):
            taken = {cell for constraint in hard for cell in constraint.cells}
            chosen = self._pack(gains, taken)
            spare = known + sum(gains[index] for index in chosen) - need - 1
            if spare < 0:
                continue
            for index in sorted(chosen, key=lambda index: gains[index]):
                if gains[index] <= spare:
                    spare -= gains[index]
                    chosen.remove(index)
            return tuple(sorted(chosen))
        return None

    def _pack(self, gains: Sequence[int], taken: set[int]) -> list[int]:
        """Disjoint statements outside `taken`, those with the most to gain a cell first."""
        chosen = []
        sizes = [len(constraint.cells) for constraint in self.constraints]
        useful = [index for index, gain in enumerate(gains) if gain > 0]
        for index in sorted(useful, key=lambda index: -gains[index] / sizes[index]):
            if taken.isdisjoint(self.constraints[index].cells):
                chosen.append(index)
                taken.update(self.constraints[index].cells)
        return chosen

    def _all(self, hard: list[Constraint]) -> Core | None:
        """A set from anywhere on the board that cannot hold with what is hard, the total too."""
        found = core_engine().minimal(self.constraints, hard)
        if found is None:
            return None
        if 1 < len(found) <= LONG_PROOF:
            found = self._smallest(range(len(self.constraints)), hard) or found
        return Core(True, found)

    def _smallest(self, among: Sequence[int], hard: list[Constraint]) -> tuple[int, ...] | None:
        """Positions in `among`; None when there are none, or too many to choose from."""
        if len(among) > AFFORDABLE:
            return None
        return next(core_engine().smallest([self.constraints[clue] for clue in among], hard), None)

    def _clash(self) -> Core | None:
        everything = range(len(self.constraints))
        blocks = [everything[start : start + BLOCK] for start in everything[::BLOCK]]
        told = [[self.constraints[clue] for clue in block] for block in blocks]
        where = core_engine().first_conflict(told)
        if where is None:
            return None
        radius, found = 1, None
        while found is None:
            ball = self._ball(blocks[where], radius)
            found = core_engine().minimal([self.constraints[clue] for clue in ball])
            radius *= 2
        if len(found) > 2:
            wide = everything if len(everything) <= AFFORDABLE else ball
            better = self._smallest(wide, [])
            if better is not None and len(better) < len(found):
                ball, found = list(wide), better
        return Core(False, tuple(ball[position] for position in found))

    def _clash_with_total(self) -> Core | None:
        if self.frontier.problem.mines is None:
            return None
        if len(self._of_cell) <= WIDE:
            return self._all([self.total()])
        found = self._disjoint([])
        return Core(True, tuple(range(len(self.constraints))) if found is None else found)

    def _neighbours(self, statements: Iterable[int]) -> set[int]:
        """The statements that share a cell with one of these."""
        cells = {cell for index in statements for cell in self.constraints[index].cells}
        return {index for cell in cells for index in self._of_cell[cell]}

    def _ball(self, start: Iterable[int], radius: int) -> list[int]:
        """The statements fewer than `radius` steps from those at the start, sorted."""
        inside = set(start)
        rim = inside
        for _ in range(radius - 1):
            rim = self._neighbours(rim) - inside
            if not rim:
                break
            inside |= rim
        return sorted(inside)


def _opposite(cell: int, mine: bool) -> Constraint:
    return Constraint((cell,), 0, 0) if mine else Constraint((cell,), 1, 1)


def _pair_proves(first: Constraint, other: Constraint, cell: int, mine: bool) -> bool:
    """Whether two constraints together leave `cell`, which is in the first, no choice. They meet in
    some cells; each number of mines there leaves each of them a range for its own cells."""
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
