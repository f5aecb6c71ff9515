"""Deduction and counting by a SAT solver, any of PySAT's.

A box is one order-encoded number, so interchangeable cells are never told apart; a clue bounds a
sum of boxes. What is certain is the backbone of that formula: one incremental solver is asked for
models in which something varies that no model before has varied, until there is none. A solver is
let go on for so many conflicts at a time: in between the clock is looked at and Ctrl-C is heard.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from math import inf
from random import Random
from typing import Any

from csp_mines import defaults
from csp_mines.backend import (
    Backend,
    Deadline,
    Deduction,
    RegionCount,
)
from csp_mines.constraints import Problem, Region
from csp_mines.errors import Contradiction, EngineFault, UnknownName, Unsupported

from .branching import Domains, Part, count_by_branching, narrow_by_bounds
from .cnf import DIRECT, NATIVE, Formula, Number

__all__ = ["PySat", "keep_signals", "solve"]

DEFAULT_SOLVER = "gluecard4"  # the fastest of those that benchmarks/deduction.py compares
PUNCTUAL = "minicard"
LARGE_FRONTIER = 600  # cells of a frontier on which a search may take minutes
WITH_NATIVE = ("gluecard3", "gluecard4", "minicard")
UNFIT = ("cryptosat", "kissat404")  # not part of PySAT; not incremental
CONFLICTS = 1_000  # of one stretch of search, some 10 to 300 ms


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

    def __init__(
        self,
        option: str | None = None,
        *,
        max_states: int = defaults.MAX_STATES,
        max_memory: int = defaults.MAX_MEMORY,
        seconds: float | None = None,
    ) -> None:
        """Make an engine. Raises UnknownName for an unknown solver or encoding, Unsupported for a
        pair that does not work."""
        super().__init__(option, max_states=max_states, max_memory=max_memory, seconds=seconds)
        solver, _, encoding = (option or DEFAULT_SOLVER).partition("/")
        self.solver = _known_solver(solver or DEFAULT_SOLVER)
        native = self.solver in WITH_NATIVE
        self.encoding = Formula(encoding or (NATIVE if native else DIRECT)).encoding
        if self.encoding == NATIVE and not native:
            having = ", ".join(WITH_NATIVE)
            raise Unsupported(f"{self.solver!r} has no native at-most constraints; use {having}")

    @classmethod
    def missing(cls) -> str | None:
        return None if find_spec("pysat") else "pip install python-sat"

    @classmethod
    def version(cls) -> str:
        return "" if cls.missing() else f"python-sat {version('python-sat')}"

    def deduce(self, problem: Problem) -> Deduction:
        problem.check()
        deadline = self.deduction_deadline()
        return _Backbone(
            problem, self._punctual(problem, deadline), self.encoding, deadline
        ).deduce()

    def _punctual(self, problem: Problem, deadline: Deadline) -> str:
        """The solver, or another one where this one may not stop. Glucose's children look at the
        clock and hear signals only when they restart. On large problems that may take minutes."""
        if "glue" not in self.solver:
            return self.solver
        large = len(problem.frontier) > LARGE_FRONTIER
        bounds = any(constraint.low != constraint.high for constraint in problem.constraints)
        return PUNCTUAL if large or (bounds and deadline.seconds < inf) else self.solver

    def layouts(self, problem: Problem, count: int, seed: int) -> list[list[int]]:
        problem.check()
        deadline = self.deduction_deadline()
        solver = self._punctual(problem, deadline)
        backbone = _Backbone(problem, solver, self.encoding, deadline)
        return backbone.layouts(count, Random(f"layouts/{seed}"))

    def count(self, region: Region) -> RegionCount:
        deadline = self.counting_deadline()
        with _Reasoner(region, self.solver, self.encoding, deadline) as reasoner:
            return count_by_branching(region, reasoner, self.python_states, deadline)


def _known_solver(name: str) -> str:
    """The full name of a solver, from that or from one of PySAT's short names."""
    from pysat.solvers import SolverNames

    known: dict[str, tuple[str, ...]] = {
        solver if solver in aliases else aliases[-1]: aliases
        for solver, aliases in vars(SolverNames).items()
        if not solver.startswith("_") and solver not in UNFIT
    }
    for solver, aliases in known.items():
        if name in aliases:
            return solver
    raise UnknownName("PySAT solver", name, list(known))


def post_clues(formula: Formula, regions: Sequence[Region], numbers: Sequence[Number]) -> None:
    """Bounds the sum of every constraint; `numbers` are the boxes of all regions in turn."""
    first = 0
    for region in regions:
        for constraint in region.constraints:
            summands = [numbers[first + box] for box in constraint.boxes]
            formula.between(summands, constraint.low, constraint.high)
        first += len(region.boxes)


def keep_signals() -> None:
    """Leaves SIGINT to Python. PySAT would take it on the main thread, to jump out of the middle of
    a solver, which ends in a crash more often than not; it is told that this thread is another."""
    from pysat._utils import MainThread

    MainThread.check = staticmethod(lambda: False)


def solve(sat: Any, deadline: Deadline, assumptions: Sequence[int] = ()) -> bool:
    """Whether there is a model. A stretch that ends without an answer is followed by the next, and
    Python hears signals in between. Raises OutOfTime."""
    while True:
        deadline.check()
        try:
            sat.conf_budget(CONFLICTS)
            answer = sat.solve_limited(assumptions=assumptions, expect_interrupt=True)
        except NotImplementedError:  # it cannot be stopped, and is heard of when it is done
            answer = sat.solve(assumptions=assumptions)
            if answer is None:
                raise EngineFault("the SAT solver gave no answer") from None
        if answer is not None:
            return bool(answer)


@dataclass(frozen=True)
class _Candidate:
    """Cells that may be all safe, or all mines (`mine`): they are, unless a model has a true
    `flip` literal."""

    cells: tuple[int, ...]
    mine: bool
    flip: int


class _Backbone:
    """The candidates that no layout flips.

    Models are looked for without the total first. One whose number of mines leaves the sea a
    possible number counts with the total, too; where every flip has such a model, the total rules
    nothing out and no counter is needed, however large the board. What only other models flip is
    asked again with the total posted."""

    def __init__(self, problem: Problem, solver: str, encoding: str, deadline: Deadline) -> None:
        self.problem = problem
        self.solver = solver
        self.deadline = deadline
        self.formula = Formula(encoding)
        self.numbers = [self.formula.number(len(box)) for box in problem.boxes]
        self.literals = {literal for number in self.numbers for literal in number}
        post_clues(self.formula, problem.regions, self.numbers)
        self.calls = self.conflicts = 0
        self.fitting: set[int] = set()  # mines of the frontier in models that go with the total
        cells = len(problem.frontier)
        self.low, self.high = 0, cells
        if problem.mines is not None and problem.total_bites:
            self.low = max(problem.mines - len(problem.sea), 0)
            self.high = min(problem.mines, cells)

    def deduce(self) -> Deduction:
        candidates = []
        for cells, number in zip(self.problem.boxes, self.numbers, strict=True):
            candidates.append(_Candidate(cells, False, number[0]))
            candidates.append(_Candidate(cells, True, -number[-1]))
        if self.low == self.high:  # without a sea, hardly any model goes with the total by luck
            self._post_total(self.low, self.high)
        certain, doubtful = self._search(candidates)
        if doubtful or not self.fitting:
            self.formula.clauses += ([-candidate.flip] for candidate in certain)
            self._post_total(self.low, self.high)
            certain += self._search(doubtful)[0]
        certain += self._sea()
        return Deduction(
            frozenset(
                cell for candidate in certain if not candidate.mine for cell in candidate.cells
            ),
            frozenset(cell for candidate in certain if candidate.mine for cell in candidate.cells),
            self.calls,
            self.conflicts,
        )

    def layouts(self, count: int, random: Random) -> list[list[int]]:
        """Models that go with the total, each near a random one."""
        if self.problem.mines is not None:
            self._post_total(self.low, self.high)
        found = []
        with open_solver(self.formula, self.solver) as sat:
            for _ in range(count):
                with suppress(NotImplementedError):
                    sat.set_phases(
                        [random.choice((literal, -literal)) for literal in sorted(self.literals)]
                    )
                if not self._solve(sat):
                    raise Contradiction("the clues allow no layout")
                model = set(sat.get_model())
                found.append(
                    [sum(literal in model for literal in number) for number in self.numbers]
                )
        return found

    def _search(self, candidates: list[_Candidate]) -> tuple[list[_Candidate], list[_Candidate]]:
        """The candidates that no model flips, and those that only models flip which do not go
        with the total. Raises Contradiction when there is no model.

        Each next model has to flip a candidate that none before has flipped; the clause that says
        so may stay, since those that follow say more."""
        doubtful: list[_Candidate] = []
        with open_solver(self.formula, self.solver) as sat:
            if not self._solve(sat):
                raise Contradiction("the clues allow no layout")
            while True:
                model = set(sat.get_model())
                flipped = [candidate for candidate in candidates if candidate.flip in model]
                candidates = [candidate for candidate in candidates if candidate.flip not in model]
                if self._fits(model):
                    doubtful = [candidate for candidate in doubtful if candidate.flip not in model]
                else:
                    doubtful += flipped
                if not candidates:
                    break
                flips = [candidate.flip for candidate in candidates]
                sat.add_clause(flips)
                with suppress(NotImplementedError):
                    sat.set_phases(flips)
                if not self._solve(sat):
                    break
        return candidates, doubtful

    def _solve(self, sat: Any) -> bool:
        self.calls += 1
        before = sat.accum_stats()["conflicts"]
        try:
            return solve(sat, self.deadline)
        finally:
            self.conflicts += sat.accum_stats()["conflicts"] - before

    def _fits(self, model: set[int]) -> bool:
        """Whether the model goes with the total; its number of mines is remembered."""
        mines = len(model & self.literals)
        if not self.low <= mines <= self.high:
            return False
        self.fitting.add(mines)
        return True

    def _post_total(self, low: int, high: int) -> None:
        counted, rest = _split_off_exact(self.problem, self.numbers)
        self.formula.between(rest, low - counted, high - counted)

    def _sea(self) -> list[_Candidate]:
        """The sea, if all models leave it empty, or all leave it full."""
        problem = self.problem
        if problem.mines is None or not problem.sea or not problem.total_bites:
            return []
        left = {problem.mines - mines for mines in self.fitting}
        if left not in ({0}, {len(problem.sea)}):
            return []
        mine = left != {0}
        self._post_total(self.low + mine, self.high - (not mine))
        with open_solver(self.formula, self.solver) as sat:
            return [] if self._solve(sat) else [_Candidate(problem.sea, mine, 0)]


def _split_off_exact(problem: Problem, numbers: Sequence[Number]) -> tuple[int, list[Number]]:
    """The mines of disjoint exact clues, and the numbers of the boxes that have to be summed."""
    mines, first = 0, 0
    rest: list[Number] = []
    for region in problem.regions:
        exact, left = region.split_off_exact()
        mines += exact
        rest += (numbers[first + box] for box in left)
        first += len(region.boxes)
    return mines, rest


def open_solver(formula: Formula, solver: str) -> Any:
    """A PySAT solver that holds the formula; to be closed by `with`."""
    from pysat.solvers import Solver

    keep_signals()
    opened = Solver(name=solver, bootstrap_with=formula.clauses)
    for literals, bound in formula.atmosts:
        opened.add_atmost(literals, bound)
    return opened


class _Reasoner:
    """Narrows the boxes of a part by unit propagation, after making sure of a model. Every
    constraint has a selector of its own, so that those of other parts say nothing. (And solvers do
    not report what holds without assumptions.)"""

    def __init__(self, region: Region, solver: str, encoding: str, deadline: Deadline) -> None:
        formula = Formula(encoding)
        self.region = region
        self.deadline = deadline
        self.numbers = [formula.number(len(box)) for box in region.boxes]
        self.selectors = [formula.variable() for _ in region.constraints]
        for constraint, selector in zip(region.constraints, self.selectors, strict=True):
            summands = [self.numbers[box] for box in constraint.boxes]
            formula.between(summands, constraint.low, constraint.high, selector=selector)
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

    def narrow(self, part: Part) -> Domains | None:
        assumptions = [self.selectors[index] for index in part.constraints]
        for box, mines in part.values.items():
            number = self.numbers[box]
            if mines:
                assumptions.append(number[mines - 1])
            if mines < len(number):
                assumptions.append(-number[mines])
        if not solve(self.sat, self.deadline, assumptions):
            return None
        try:
            _, implied = self.sat.propagate(assumptions=assumptions)
        except NotImplementedError:
            return narrow_by_bounds(self.region, part)
        domains = {box: (0, len(self.numbers[box])) for box in part.boxes}
        for literal in implied:
            box, place = self.place.get(abs(literal), (-1, 0))
            if box in domains:
                low, high = domains[box]
                if literal > 0:
                    domains[box] = max(low, place + 1), high
                else:
                    domains[box] = low, min(high, place)
        return domains
