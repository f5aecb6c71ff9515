"""The engine `pysat`: deduction and counting by a SAT solver of PySAT.

The mines of a box are one order-encoded number (see `cnf`), so the solver never tells apart the
cells of a box. A clue bounds the sum of its boxes. The boxes that are empty in all models, and the
boxes that are full in all models, are certain. The search for them (`_Backbone`) asks one solver
for one model after another. Each further model must refute something that all earlier models left
possible: that a box is always empty, or that a box is always full. The search ends when there is no
such model. Counting branches on boxes (see `branching`), and asks the solver what follows
(`_Reasoner`).

The solver runs for a limited number of conflicts at a time. Between two such runs, this module
checks the deadline, and Python can handle Ctrl-C. (A solver that does not support this limit runs
until its search ends.) The solver `PUNCTUAL` replaces a solver that might run on long after the
deadline or Ctrl-C.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from math import inf
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar

from csp_mines.backend import Backend, Deadline, Deduction, RegionCount
from csp_mines.constraints import Problem, Region
from csp_mines.errors import Contradiction, EngineFault, UnknownName, Unsupported
from csp_mines.words import joined

from .branching import Domains, Part, count_by_branching, narrow_by_bounds
from .cnf import DIRECT, ENCODINGS, NATIVE, Formula

if TYPE_CHECKING:
    from csp_mines.exports.clauses import Clauses

DEFAULT_SOLVER = "gluecard4"  # the fastest of those that benchmarks/deduction.py compares
PUNCTUAL = "minicard"  # used where the chosen solver might stop too late
LARGE_FRONTIER = 600  # cells; on a larger frontier, Glucose may run for minutes between returns
WITH_NATIVE = ("gluecard3", "gluecard4", "minicard")  # have at-most constraints of their own
UNFIT = ("cryptosat", "kissat404")  # cryptosat is not part of PySAT, kissat404 not incremental
EXAMPLE = "cadical195/totalizer"
CONFLICTS = 1_000  # between two returns of the solver to Python: 10 to 300 ms


class PySat(Backend):
    """A complete engine. The option names the solver and the encoding of sums. The default encoding
    is `native` for solvers with at-most constraints of their own, and `direct` for all others. If
    the total may exclude some layout, it becomes bounds on the mines of the frontier, so that the
    sea can have all other mines."""

    name = "pysat"
    summary = "backbone by an incremental SAT solver; options: solver, encoding"
    complete = True
    ranges = True
    counts = True
    keeps_time = True
    options = "SOLVER[/ENCODING]"
    module = "pysat"
    library = install = "python-sat"
    examples: ClassVar = {
        "pysat:cadical195": "CaDiCaL 1.9.5; sums as clauses, helper variables only in large sums",
        "pysat:glucose4/totalizer": "Glucose 4; sums as totalizers",
        "pysat:minicard": "MiniCard; sums as its own at-most constraints",
    }

    def configure(self, option: str | None) -> None:
        solver, _, encoding = (option or DEFAULT_SOLVER).partition("/")
        try:
            self.solver = _known_solver(solver or DEFAULT_SOLVER)
            native = self.solver in WITH_NATIVE
            self.encoding = Formula(encoding or (NATIVE if native else DIRECT)).encoding
        except UnknownName as error:
            hint = _right_form(option or "")
            raise UnknownName(error.kind, error.name, error.known, hint) from None
        if self.encoding == NATIVE and not native:
            raise Unsupported(
                f"{self.solver!r} has no native at-most constraints, which the encoding {NATIVE!r} "
                f"needs; write another encoding, or one of the solvers {joined(WITH_NATIVE)}"
            )

    @classmethod
    def choices(cls) -> dict[str, Sequence[str]]:
        return {"SOLVER": sorted(set(_solvers().values())), "ENCODING": ENCODINGS}

    def deduce(self, problem: Problem) -> Deduction:
        return self._backbone(problem).deduce()

    def layouts(self, problem: Problem, count: int, seed: int) -> list[list[int]]:
        return self._backbone(problem).layouts(count, Random(f"layouts/{seed}"))

    def _backbone(self, problem: Problem) -> _Backbone:
        problem.check()
        deadline = self.deduction_deadline()
        cells = len(problem.frontier)
        solver = punctual(self.solver, cells, deadline, exact=problem.is_exact)
        return _Backbone(problem, solver, self.encoding, deadline)

    def count(self, region: Region) -> RegionCount:
        deadline = self.counting_deadline()
        exact = all(each.low == each.high for each in region.constraints)
        solver = punctual(self.solver, len(region.cells), deadline, exact=exact)
        reasoner = _Reasoner(region, solver, self.encoding, deadline)
        with reasoner.sat:
            return count_by_branching(region, reasoner, self.python_states, deadline)


def punctual(solver: str, cells: int, deadline: Deadline, *, exact: bool = False) -> str:
    """Return the name of a solver, or PUNCTUAL if the solver might stop too late. Glucose and its
    descendants return to Python only when they restart. On some problems, they restart only after
    minutes: if there are many `cells`, or if some constraint is not `exact`."""
    if "glue" not in solver:
        return solver
    late = cells > LARGE_FRONTIER or (not exact and deadline.seconds < inf)
    return PUNCTUAL if late else solver


def _right_form(option: str) -> str:
    """Return a hint how to correct a wrong option. If the option has a known solver and a known
    encoding, the hint joins the two names with a slash."""
    words = re.findall(r"[\w-]+", option)
    fits = len(words) == 2 and words[0] in _solvers() and words[1] in ENCODINGS
    return f"write SOLVER/ENCODING, such as pysat:{'/'.join(words) if fits else EXAMPLE}"


def _solvers() -> dict[str, str]:
    """Return the full name of the solver for each name that PySAT has for a solver. The solvers in
    UNFIT are left out."""
    from pysat.solvers import SolverNames

    return {
        alias: solver if solver in aliases else aliases[-1]
        for solver, aliases in vars(SolverNames).items()
        if not solver.startswith("_") and solver not in UNFIT
        for alias in aliases
    }


def _known_solver(name: str) -> str:
    """Return the full name of a solver. `name` is any of PySAT's names for the solver. Raises
    UnknownName if no solver has this name."""
    known = _solvers()
    if name not in known:
        raise UnknownName("PySAT solver", name, list(dict.fromkeys(known.values())))
    return known[name]


def keep_signals() -> None:
    """Leave the signal SIGINT to Python. On the main thread, PySAT would jump out of the running
    solver at this signal, and the process would often crash. So this function makes PySAT believe
    that it is never called on the main thread."""
    from pysat._utils import MainThread

    MainThread.check = staticmethod(lambda: False)


def solve(sat: Any, deadline: Deadline, assumptions: Sequence[int] = ()) -> bool:
    """Return whether there is a model in which the literals `assumptions` are true. If the solver
    supports this, it returns to Python after every CONFLICTS conflicts, so that Python can handle
    signals. Raises OutOfTime after the deadline, EngineFault if the solver gives no answer."""
    while True:
        deadline.check()
        try:
            sat.conf_budget(CONFLICTS)
            answer = sat.solve_limited(assumptions=assumptions, expect_interrupt=True)
        except NotImplementedError:  # this solver supports no limit of conflicts
            answer = sat.solve(assumptions=assumptions)
            if answer is None:
                raise EngineFault("the SAT solver gave no answer") from None
        if answer is not None:
            return bool(answer)


def refuting_models(
    sat: Any, flips: list[int], solved: Callable[[Any], bool]
) -> Iterator[tuple[set[int], list[int]]]:
    """Search for models until every literal of `flips` that can be true was true in a model. Yield
    each model, with the literals of `flips` that are true in the model; these literals are removed
    from `flips`. `solved(sat)` calls `solve`. Raises Contradiction if there is no model.

    Each new model must make a literal of `flips` true. Before each search, a new clause requires
    this. Older clauses can stay: an older clause lists the same literals and more, so every model
    that satisfies the new clause also satisfies the older one."""
    if not solved(sat):
        raise Contradiction
    while True:
        model = set(sat.get_model())
        refuted = [flip for flip in flips if flip in model]
        flips[:] = [flip for flip in flips if flip not in model]
        yield model, refuted
        if not flips:
            return
        sat.add_clause(flips)
        with suppress(NotImplementedError):
            sat.set_phases(flips)
        if not solved(sat):
            return


class _Backbone:
    """The search for the candidates that no layout refutes, and for layouts (`layouts`).

    A candidate is the claim that the cells of a box are all safe, or that they are all mines. Its
    `flip` is the literal that is true in the models that refute the claim.

    The search for candidates begins without the total, unless the total fixes the number of mines
    in the frontier. A model fits the total if the sea can have the rest of the mines. A candidate
    is not certain if a model that fits the total refutes it. A candidate is doubtful if models
    refute it, but none of these models fits the total. The total is a slow sum over the whole
    frontier, so the search adds it to the formula only if a candidate is doubtful, or if no model
    so far fits the total. The search then tests doubtful candidates again."""

    def __init__(self, problem: Problem, solver: str, encoding: str, deadline: Deadline) -> None:
        self.problem = problem
        self.solver = solver
        self.deadline = deadline
        self.formula = Formula(encoding)
        self.numbers = [self.formula.number(len(box)) for box in problem.boxes]
        self.literals = {literal for number in self.numbers for literal in number}
        for each in problem.box_constraints:
            summands = [self.numbers[box] for box in each.boxes]
            self.formula.between(summands, each.low, each.high)
        self.calls = self.conflicts = 0
        # The numbers of mines in the frontier, in all models so far that fit the total.
        self.fitting: set[int] = set()
        told = problem.told(problem.total_bites)
        self.low, self.high = told.mines_within(problem.frontier)

    def deduce(self) -> Deduction:
        candidates: dict[int, tuple[tuple[int, ...], bool]] = {}  # by flip: cells, are mines
        for cells, number in zip(self.problem.boxes, self.numbers, strict=True):
            candidates[number[0]] = cells, False
            candidates[-number[-1]] = cells, True
        if self.low == self.high:  # hardly any model would fit this total by chance
            self._post_total(self.low, self.high)
        certain, doubtful = self._search([*candidates])
        if doubtful or not self.fitting:
            self.formula.clauses += ([-flip] for flip in certain)
            self._post_total(self.low, self.high)
            certain += self._search(doubtful)[0]
        known = self._sea()
        for flip in certain:
            cells, mine = candidates[flip]
            known.update(dict.fromkeys(cells, mine))
        return Deduction.of(known, self.calls, self.conflicts)

    def layouts(self, count: int, random: Random) -> list[list[int]]:
        """Return `count` layouts that fit the clues and the total, each as the number of mines of
        every box. The solver prefers random values, if it supports preferences, so that layouts
        usually differ. Raises Contradiction if no layout fits, OutOfTime after the deadline."""
        if self.problem.mines is not None:
            self._post_total(self.low, self.high)
        layouts = []
        with open_solver(self.formula, self.solver) as sat:
            for _ in range(count):
                with suppress(NotImplementedError):
                    sat.set_phases(
                        [random.choice((literal, -literal)) for literal in sorted(self.literals)]
                    )
                if not self._solve(sat):
                    raise Contradiction
                model = set(sat.get_model())
                layouts.append(
                    [sum(literal in model for literal in number) for number in self.numbers]
                )
        return layouts

    def _search(self, flips: list[int]) -> tuple[list[int], list[int]]:
        """Return the flips of two lists of candidates: those that no model refutes, and the
        doubtful ones (see the class). `flips` has the flips of all candidates. Raises Contradiction
        if there is no model, OutOfTime after the deadline."""
        doubtful: list[int] = []
        with open_solver(self.formula, self.solver) as sat:
            for model, refuted in refuting_models(sat, flips, self._solve):
                if self._fits(model):
                    doubtful = [flip for flip in doubtful if flip not in model]
                else:
                    doubtful += refuted
        return flips, doubtful

    def _solve(self, sat: Any) -> bool:
        self.calls += 1
        before = sat.accum_stats()["conflicts"]
        try:
            return solve(sat, self.deadline)
        finally:
            self.conflicts += sat.accum_stats()["conflicts"] - before

    def _fits(self, model: set[int]) -> bool:
        """Return whether the model fits the total. If so, add the number of mines in the model to
        `fitting`."""
        mines = len(model & self.literals)
        if not self.low <= mines <= self.high:
            return False
        self.fitting.add(mines)
        return True

    def _post_total(self, low: int, high: int) -> None:
        """Require that the frontier has between `low` and `high` mines."""
        counted, others = self.problem.split_off_exact()
        numbers = [self.numbers[box] for box in others]
        self.formula.between(numbers, low - counted, high - counted)

    def _sea(self) -> dict[int, bool]:
        """Return the cells of the sea, each with whether it is a mine, if the sea is certain:
        without a mine in all models, or full of mines in all models. Otherwise return nothing."""
        problem = self.problem
        if problem.mines is None or not problem.sea or not problem.total_bites:
            return {}
        left = {problem.mines - mines for mines in self.fitting}
        if left not in ({0}, {len(problem.sea)}):
            return {}
        mine = left != {0}
        self._post_total(self.low + mine, self.high - (not mine))
        with open_solver(self.formula, self.solver) as sat:
            return {} if self._solve(sat) else dict.fromkeys(problem.sea, mine)


def open_solver(formula: Formula | Clauses, solver: str) -> Any:
    """Return a PySAT solver with the formula. The caller must close the solver: by a `with`
    statement, or by its method `delete`."""
    from pysat.solvers import Solver

    keep_signals()
    opened = Solver(name=solver, bootstrap_with=formula.clauses)
    for literals, bound in formula.atmosts:
        opened.add_atmost(literals, bound)
    return opened


class _Reasoner:
    """A `Reasoner` (see `branching`) that asks a SAT solver. `narrow` looks for a model of the
    part. If there is a model, unit propagation gives the bounds on the boxes. If the solver cannot
    propagate, `narrow_by_bounds` gives the bounds. Every constraint has a selector, so that
    constraints outside the part can be off, and because PySAT propagates only from assumptions."""

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
