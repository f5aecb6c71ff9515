"""`MusTools` finds minimal and smallest sets of constraints that contradict each other.
Explanations and the search for conflicts use `MusTools`.

`groups` and `hard` are lists of constraints. A set has some constraints of `groups`; together with
all constraints of `hard`, the set has no solution. Each constraint of `groups` is one group and
gets a selector. `minimal` tries to leave out one group after another, so it calls the solver about
once for each group. PySAT's MUSX does the same, but Ctrl-C and other threads have to wait for each
of its calls, and a call about the total may take a minute.

`smallest` yields all minimal sets, the smallest first, by implicit hitting sets. A *repair* is a
set of groups without which all constraints have a solution. So every set without a solution has a
group of each repair. `smallest` asks for a smallest set of groups that does so for all known
repairs (PySAT's Hitman). If this set has no solution, it is an answer. If it has a solution, the
groups that this solution breaks are a new repair. This may need exponentially many attempts, so the
caller limits them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pysat.examples.hitman import Hitman
from pysat.formula import WCNF
from pysat.solvers import Solver

from csp_mines.backend import Deadline
from csp_mines.constraints import Constraint, boxes_of, places

from .cnf import Formula, Number
from .native.order import along
from .sat import keep_signals, solve

NEVER = Deadline(None)
SOLVER = "m22"  # MiniSat 2.2, which has the least overhead per call on small formulas
WIDE = 9  # cells; `_Encoding.tell` adds up larger constraints, such as the total, in another way


keep_signals()


class MusTools:
    """The engine of `csp_mines.analysis.clue_sets`, whose `CoreEngine` documents the methods."""

    def minimal(
        self, groups: Sequence[Constraint], hard: Sequence[Constraint] = ()
    ) -> tuple[int, ...] | None:
        formula = _formula(groups, hard)
        kept = _core(formula)
        if not kept:
            return None if kept is None else ()
        selectors = [formula.soft[index][0] for index in kept]
        with Solver(SOLVER, bootstrap_with=formula.hard) as solver:
            for selector in tuple(selectors):
                fewer = [other for other in selectors if other != selector]
                if not solve(solver, NEVER, fewer):
                    selectors = fewer
        return tuple(index for index in kept if formula.soft[index][0] in selectors)

    def smallest(
        self, groups: Sequence[Constraint], hard: Sequence[Constraint], attempts: int
    ) -> Iterator[tuple[int, ...]]:
        formula = _formula(groups, hard)
        core = _core(formula)
        if not core:  # all groups have a solution, or the hard constraints have none
            yield from [] if core is None else [()]
            return
        numbers = {selector: number for number, (selector,) in enumerate(formula.soft)}
        with (
            Solver(SOLVER, bootstrap_with=formula.hard) as solver,
            Hitman(_separate_repairs(formula), solver=SOLVER) as smallest,
        ):
            solver.set_phases(list(numbers))
            for _ in range(attempts):
                chosen = smallest.get()  # a smallest set with a group of every known repair
                if chosen is None:
                    return
                kept = _true_of(numbers, solver, chosen)
                if kept is None:
                    smallest.block(chosen)
                    yield tuple(sorted(numbers[selector] for selector in chosen))
                else:
                    smallest.hit([selector for selector in numbers if selector not in kept])

    def model(
        self, constraints: Sequence[Constraint], deadline: Deadline | None = None
    ) -> dict[int, bool] | None:
        deadline = deadline or NEVER
        encoding = _Encoding(constraints)
        for constraint in constraints:
            deadline.check()
            encoding.tell(constraint)
        with Solver(SOLVER, bootstrap_with=encoding.formula.clauses) as solver:
            if not solve(solver, deadline):
                return None
            true = set(solver.get_model() or ())
        return {cell: literal in true for cell, literal in encoding.literals.items()}

    def first_conflict(self, blocks: Sequence[Sequence[Constraint]]) -> int | None:
        encoding = _Encoding([constraint for block in blocks for constraint in block])
        clauses = encoding.formula.clauses
        with Solver(SOLVER) as solver:
            for index, block in enumerate(blocks):
                for constraint in block:
                    encoding.tell(constraint)
                solver.append_formula(clauses)
                clauses.clear()
                if not solve(solver, NEVER):
                    return index
        return None


def _core(formula: WCNF) -> list[int] | None:
    """Return the indexes of some groups that have no solution together with the hard clauses; None
    if all groups have a solution. The set of these groups need not be minimal."""
    selectors = [soft[0] for soft in formula.soft]
    with Solver(SOLVER, bootstrap_with=formula.hard) as solver:
        if solve(solver, NEVER, selectors):
            return None
        core = set(solver.get_core() or ())
    return [index for index, selector in enumerate(selectors) if selector in core]


def _separate_repairs(formula: WCNF) -> Iterator[list[int]]:
    """Yield repairs that share no group, until every repair shares a group with one of them. A
    repair is a set of groups, given by their selectors: the formula has no solution unless one of
    them is left out, and a solution if all of them are left out. No repair contains another."""
    selectors = [selector for (selector,) in formula.soft]
    with Solver(SOLVER, bootstrap_with=formula.hard) as solver:
        solver.set_phases(selectors)
        while (kept := _true_of(selectors, solver)) is not None:
            repair = []
            for selector in selectors:
                if selector not in kept:
                    more = _true_of(selectors, solver, [*kept, selector])
                    kept = kept if more is None else more
                    if more is None:
                        repair.append(selector)
            yield repair
            for selector in repair:
                solver.add_clause([selector])


def _true_of(
    selectors: Iterable[int], solver: Solver, assumptions: Sequence[int] = ()
) -> set[int] | None:
    """Return the selectors that are true in a model in which `assumptions` are true; None if there
    is no such model."""
    if not solve(solver, NEVER, assumptions):
        return None
    return set(solver.get_model() or ()).intersection(selectors)


class _Encoding:
    """A formula for some constraints; `tell` adds a constraint to it. Cells in exactly the same
    constraints form a box. The variables of a box encode only its number of mines. If this number
    is `k`, `literals[cell]` is true for `k` cells of the box."""

    def __init__(self, constraints: Sequence[Constraint]) -> None:
        self.formula = Formula()
        self.literals: dict[int, int] = {}
        self._numbers: list[list[int]] = []
        self._box_of: dict[int, int] = {}
        inside = places(constraint.cells for constraint in constraints)
        for index, box in enumerate(boxes_of(inside).values()):
            self._numbers.append(self.formula.number(len(box)))
            self.literals.update(zip(box, self._numbers[-1], strict=True))
            self._box_of.update(dict.fromkeys(box, index))
        self._near = self._walk(
            [constraint for constraint in constraints if len(constraint.cells) <= WIDE]
        )

    def _walk(self, constraints: Sequence[Constraint]) -> list[int]:
        """Return all boxes, so ordered that boxes which share one of `constraints` are close
        together: region by region, each from one end to the other."""
        beside: list[set[int]] = [set() for _ in self._numbers]
        for constraint in constraints:
            boxes = {self._box_of[cell] for cell in constraint.cells}
            for box in boxes:
                beside[box] |= boxes
        ordered = [sorted(boxes) for boxes in beside]
        order: dict[int, None] = {}
        for start in range(len(beside)):
            if start not in order:
                order.update(dict.fromkeys(along(start, ordered.__getitem__)))
        return list(order)

    def tell(self, constraint: Constraint, selector: int | None = None) -> None:
        """Add a constraint to the formula. If `selector` is given, the constraint holds only while
        this literal is true. A constraint over more than WIDE cells bounds one number, which `_sum`
        makes from its boxes."""
        boxes = dict.fromkeys(self._box_of[cell] for cell in constraint.cells)
        numbers: list[Number] = [self._numbers[box] for box in boxes]
        if len(constraint.cells) > WIDE:
            numbers = [self._sum([self._numbers[box] for box in self._near if box in boxes])]
        self.formula.between(numbers, constraint.low, constraint.high, selector=selector)

    def _sum(self, numbers: Sequence[Number]) -> Number:
        """Return the sum of the numbers, of which there must be at least one. Each half of the list
        is added up first. Boxes that are close together on the board are close together in the
        list, so such a partial sum is the number of mines in a part of the board. What the solver
        learns about this number, it learns only once."""
        if len(numbers) == 1:
            return numbers[0]
        middle = len(numbers) // 2
        return self.formula.total([self._sum(numbers[:middle]), self._sum(numbers[middle:])])


def _formula(groups: Sequence[Constraint], hard: Sequence[Constraint]) -> WCNF:
    """Return a formula for PySAT's tools. Its hard clauses encode all constraints. It has one soft
    clause for each group: the selector of the group."""
    encoding = _Encoding([*groups, *hard])
    selectors = [encoding.formula.variable() for _ in groups]
    for selector, constraint in zip(selectors, groups, strict=True):
        encoding.tell(constraint, selector)
    for constraint in hard:
        encoding.tell(constraint)
    weighted = WCNF()  # its fields are set directly: appending clauses one by one is far slower
    weighted.hard = encoding.formula.clauses
    weighted.soft = [[selector] for selector in selectors]
    weighted.wght = [1] * len(selectors)
    weighted.topw = len(selectors) + 1
    weighted.nv = encoding.formula.variables
    return weighted
