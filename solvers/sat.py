"""Deduction and counting by a SAT solver, any of PySAT's.

A box is one order-encoded number, so interchangeable cells are never told apart; a clue bounds a
sum of boxes. What is certain is the backbone of that formula: one incremental solver is asked for
models in which something varies that no model before has varied, until there is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

from csp_mines.backend import DEFAULT_MAX_STATES, Backend, Deduction, RegionCount
from csp_mines.constraints import Problem, Region
from csp_mines.errors import Contradiction, UnknownName, Unsupported
from solvers.branching import Domains, Values, count_by_branching, narrow_by_bounds
from solvers.cnf import DIRECT, NATIVE, Formula, Number

__all__ = ["PySat"]

DEFAULT_SOLVER = "gluecard4"  # the fastest of those that benchmarks/deduction.py compares
WITH_NATIVE = ("gluecard3", "gluecard4", "minicard")
UNFIT = ("cryptosat", "kissat404")  # not part of PySAT; not incremental


class PySat(Backend):
    """Complete. The option names the solver and the cardinality encoding; a solver that has
    at-most constraints of its own uses them unless told otherwise. The total is posted where it
    can bite, as bounds on the frontier's mines: the sea takes what is left."""

    name = "pysat"
    summary = "backbone by an incremental SAT solver; option: solver, encoding"
    complete = True
    ranges = True
    counts = True
    options = "SOLVER[/ENCODING]"

    def __init__(self, option: str | None = None, *, max_states: int = DEFAULT_MAX_STATES) -> None:
        """Raises UnknownName for a solver or an encoding nobody knows, Unsupported for a pair
        that does not work."""
        super().__init__(option, max_states=max_states)
        solver, _, encoding = (option or DEFAULT_SOLVER).partition("/")
        self.solver = _known_solver(solver or DEFAULT_SOLVER)
        native = self.solver in WITH_NATIVE
        self.encoding = Formula(encoding or (NATIVE if native else DIRECT)).encoding
        if self.encoding == NATIVE and not native:
            having = ", ".join(WITH_NATIVE)
            raise Unsupported(f"{self.solver!r} has no native at-most constraints; {having} have")

    @classmethod
    def missing(cls) -> str | None:
        return None if find_spec("pysat") else "pip install python-sat"

    @classmethod
    def version(cls) -> str:
        return "" if cls.missing() else f"python-sat {version('python-sat')}"

    def deduce(self, problem: Problem) -> Deduction:
        problem.check()
        formula = Formula(self.encoding)
        numbers = [formula.number(len(box)) for box in problem.boxes]
        post_clues(formula, problem.regions, numbers)
        candidates = list(_boxes_in_question(problem, numbers))
        if problem.mines is not None and problem.total_bites:
            candidates += _post_total(formula, problem, problem.mines, numbers)
        return _backbone(formula, self.solver, candidates)

    def count(self, region: Region) -> RegionCount:
        with _Reasoner(region, self.solver, self.encoding) as reasoner:
            return count_by_branching(region, reasoner, self.max_states)


def _known_solver(name: str) -> str:
    """The full name of a solver, from that or from one of PySAT's short names."""
    from pysat.solvers import SolverNames

    known: dict[str, tuple[str, ...]] = {
        solver: aliases
        for solver, aliases in vars(SolverNames).items()
        if not solver.startswith("_") and solver not in UNFIT
    }
    for solver, aliases in known.items():
        if name == solver or name in aliases:
            return solver
    raise UnknownName("PySAT solver", name, list(known))


def post_clues(
    formula: Formula,
    regions: Sequence[Region],
    numbers: Sequence[Number],
    selector: int | None = None,
) -> None:
    """Bounds the sum of every constraint; `numbers` are the boxes of all regions in turn."""
    first = 0
    for region in regions:
        for one in region.constraints:
            summands = [numbers[first + box] for box in one.boxes]
            formula.between(summands, one.low, one.high, selector=selector)
        first += len(region.boxes)


@dataclass(frozen=True)
class _Candidate:
    """Cells that may be all safe, or all mines (`mine`): they are, unless a model has a true
    `flip` literal."""

    cells: tuple[int, ...]
    mine: bool
    flip: int


def _boxes_in_question(problem: Problem, numbers: Sequence[Number]) -> Iterator[_Candidate]:
    for cells, number in zip(problem.boxes, numbers, strict=True):
        yield _Candidate(cells, False, number[0])
        yield _Candidate(cells, True, -number[-1])


def _post_total(
    formula: Formula, problem: Problem, mines: int, numbers: Sequence[Number]
) -> list[_Candidate]:
    """Bounds the mines of the frontier by what the sea can take; the sea itself is in question."""
    counted, rest = _split_off_exact(problem, numbers)
    high = mines - counted
    low = high - len(problem.sea)
    formula.between(rest, low, high)
    if not problem.sea:
        return []
    some, not_all = formula.variable(), formula.variable()
    formula.between(rest, low, high - 1, selector=some)
    formula.between(rest, low + 1, high, selector=not_all)
    return [_Candidate(problem.sea, False, some), _Candidate(problem.sea, True, not_all)]


def _split_off_exact(problem: Problem, numbers: Sequence[Number]) -> tuple[int, list[Number]]:
    """The mines of as many disjoint exact clues as are easily found, and the other boxes: only
    those have to be counted to know the sum."""
    exact: list[tuple[list[int], int]] = []
    first = 0
    for region in problem.regions:
        exact += (
            ([first + box for box in one.boxes], one.low)
            for one in region.constraints
            if one.low == one.high
        )
        first += len(region.boxes)
    exact.sort(key=lambda one: -sum(len(numbers[box]) for box in one[0]))
    left = dict.fromkeys(range(len(numbers)))
    mines = 0
    for boxes, number in exact:
        if all(box in left for box in boxes):
            mines += number
            for box in boxes:
                del left[box]
    return mines, [numbers[box] for box in left]


def _backbone(formula: Formula, solver: str, candidates: list[_Candidate]) -> Deduction:
    """The candidates that hold in every model. Raises Contradiction when there is no model.

    Every model strikes out the candidates that it flips. The next has to flip one of the others;
    the clause that says so may stay, since those that follow say more."""
    calls = 1
    with open_solver(formula, solver) as sat:
        if not sat.solve():
            raise Contradiction("the clues allow no layout")
        while True:
            model = set(sat.get_model())
            candidates = [one for one in candidates if one.flip not in model]
            if not candidates:
                break
            flips = [one.flip for one in candidates]
            sat.add_clause(flips)
            with suppress(NotImplementedError):
                sat.set_phases(flips)
            calls += 1
            if not sat.solve():
                break
    return Deduction(
        frozenset(cell for one in candidates if not one.mine for cell in one.cells),
        frozenset(cell for one in candidates if one.mine for cell in one.cells),
        calls,
    )


def open_solver(formula: Formula, solver: str) -> Any:
    """A PySAT solver that holds the formula; to be closed by `with`."""
    from pysat.solvers import Solver

    opened = Solver(name=solver, bootstrap_with=formula.clauses)
    for literals, bound in formula.atmosts:
        opened.add_atmost(literals, bound)
    return opened


class _Reasoner:
    """Narrows the boxes of a region by unit propagation, after making sure of a model. Everything
    is asserted under one selector: solvers do not report what holds without assumptions."""

    def __init__(self, region: Region, solver: str, encoding: str) -> None:
        formula = Formula(encoding)
        self.region = region
        self.numbers = [formula.number(len(box)) for box in region.boxes]
        self.selector = formula.variable()
        post_clues(formula, [region], self.numbers, self.selector)
        self.sat = open_solver(formula, solver)
        self.place = {
            literal: (box, place)
            for box, number in enumerate(self.numbers)
            for place, literal in enumerate(number)
        }

    def __enter__(self) -> _Reasoner:
        return self

    def __exit__(self, *_: object) -> None:
        self.sat.delete()

    def narrow(self, values: Values) -> Domains | None:
        assumptions = [self.selector]
        for box, mines in values.items():
            number = self.numbers[box]
            assumptions += number[max(mines - 1, 0) : mines]
            assumptions += [-literal for literal in number[mines : mines + 1]]
        if not self.sat.solve(assumptions=assumptions):
            return None
        try:
            _, implied = self.sat.propagate(assumptions=assumptions)
        except NotImplementedError:
            return narrow_by_bounds(self.region, values)
        low = [0] * len(self.numbers)
        high = [len(number) for number in self.numbers]
        for literal in implied:
            if found := self.place.get(abs(literal)):
                box, place = found
                if literal > 0:
                    low[box] = max(low[box], place + 1)
                else:
                    high[box] = min(high[box], place)
        return list(zip(low, high, strict=True))
