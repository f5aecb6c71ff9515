"""Checks of promises on single problems. Most checks compare the engine with brute force.

Each check takes an engine and a problem. It returns a text that says what is wrong, or None. The
engine gets a copy of the problem. So an engine that changes its arguments does not spoil the other
checks."""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache

from csp_mines.backend import Backend, Deduction, RegionCount
from csp_mines.constraints import Constraint, Problem, Region
from csp_mines.counting import count_by
from csp_mines.defaults import MAX_STATES
from csp_mines.errors import Contradiction, CspMinesError, TooWide
from csp_mines.testing import brute_force
from csp_mines.testing.engines import Engine
from csp_mines.words import error_text

Certain = tuple[frozenset[int], frozenset[int]]

PLAIN_CONTRADICTIONS = (
    Problem((), (7, 8), 3),
    Problem.trusted((), (7, 8), -1),
    Problem((Constraint((0, 1), 3, 3),)),
    Problem.trusted((Constraint((0, 1), 2, 1),)),
    Problem((Constraint((), 1, 1),)),
    Problem((Constraint((0, 1), 2, 2), Constraint((1, 2), 0, 0))),
)
PAIRS = (Constraint((0, 1), 1, 2), Constraint((2, 3), 1, 2))
TOTALS = (
    Problem(()),
    *(Problem((), (7, 8), mines) for mines in (0, 1, 2)),
    *(Problem(PAIRS, (4, 5), mines) for mines in (1, 2, 3, 6)),
)
RANGES = (
    Problem((Constraint((0, 1, 2), 3, 5),)),
    Problem((Constraint((0, 1, 2), -1, 0),)),
    Problem((Constraint((0, 1), 0, 2), Constraint((1, 2), 2, 3))),
    Problem((Constraint((0, 1, 2), 0, 1), Constraint((2, 3), 2, 2))),
)


@lru_cache(maxsize=4096)
def _truth(problem: Problem) -> Certain | None:
    """Return the cells that are safe in every layout that fits, and the cells that are mines in
    every such layout. Return None if no layout fits. Brute force finds the layouts, and ignores the
    weights."""
    fitting = brute_force.layouts(problem.unweighted())
    return brute_force.certain(problem, fitting) if fitting else None


def deduced(engine: Backend, problem: Problem) -> Deduction | str:
    """Return the deduction of the engine, or the text `contradiction` if `deduce` raises
    Contradiction. If `deduce` raises another error or returns a wrong type, return a text that says
    so."""
    try:
        answer = engine.deduce(problem)
    except Contradiction:
        return "contradiction"
    except Exception as error:  # on so small a problem, any other error is a fault
        return f"deduce raised {error_text(error)}"
    if not isinstance(answer, Deduction):
        return f"deduce returned {type(answer).__name__}, expected a Deduction"
    for cells in answer:
        if not isinstance(cells, frozenset):
            return f"deduce returned cells as {type(cells).__name__}, expected a frozenset"
    return answer


def sound(engine: Engine, problem: Problem) -> str | None:
    """Check that every deduction holds in every layout, and that the engine reports a contradiction
    only if no layout fits."""
    return _compared(engine, problem, everything=False)


def complete(engine: Engine, problem: Problem) -> str | None:
    """Check that a complete engine finds every certain cell and every contradiction. An engine
    with `ranges = False` is checked only on problems whose constraints are all exact."""
    if not engine.chosen.complete or not (engine.chosen.ranges or problem.is_exact):
        return None
    return finds_all(engine, problem)


def finds_all(engine: Engine, problem: Problem) -> str | None:
    """Check that the engine finds the same deductions and contradictions as brute force."""
    return _compared(engine, problem, everything=True)


def _compared(engine: Engine, problem: Problem, *, everything: bool) -> str | None:
    """Compare the deductions of the engine with brute force. With `everything`, the engine must
    also find every certain cell and every contradiction. Return what is wrong, or None."""
    truth, answer = _truth(problem), deduced(engine.make(), problem.changed())
    if answer == "contradiction":
        return None if truth is None else "the engine says that no layout fits, but one does"
    if truth is None and everything:
        return "no layout fits, but deduce does not say so"
    if isinstance(answer, str):
        return answer
    if truth is None:
        return None
    for word, proved, certain in zip(("safe", "a mine"), answer, truth, strict=True):
        for cell in sorted(proved ^ certain if everything else proved - certain):
            if cell in certain:
                return f"the engine misses that cell {cell} is {word} in every layout"
            return f"the engine says that cell {cell} is {word}, but in some layout it is not"
    return None


def ranges(engine: Engine, problem: Problem) -> str | None:
    """If the engine uses bounds fully, check that it finds everything that brute force finds."""
    return finds_all(engine, problem) if engine.chosen.ranges else None


def totals(engine: Engine, problem: Problem) -> str | None:
    """Check that the engine finds everything that brute force finds. An engine that is not complete
    is checked only on problems without constraints."""
    must = engine.chosen.complete or not problem.constraints
    return finds_all(engine, problem) if must else None


def unchanged(engine: Engine, problem: Problem) -> str | None:
    """Check that `deduce` does not change its argument. If the engine counts, check
    `count`, too."""
    given = problem.changed()
    deduced(engine.make(), given)
    if given.changed() != problem or given.frontier != problem.frontier:
        return "deduce changed the problem that it was given"
    for region, expected in zip(_regions(given), _regions(problem), strict=True):
        if engine.chosen.counts:
            with suppress(Exception):  # other checks report errors of `count`
                engine.make().count(region)
        if region != expected or region.of_box != expected.of_box:
            return "count changed the region that it was given"
    return None


def repeats(engine: Engine, problem: Problem) -> str | None:
    """Check that `deduce` gives the same answer to the same problem three times: twice on one
    instance, with a call for `problem.without_total()` in between, and once on a new instance."""
    instance = engine.make()
    first = deduced(instance, problem.changed())
    deduced(instance, problem.without_total())
    for again in (instance, engine.make()):
        if deduced(again, problem.changed()) != first:
            return "the same problem got another answer the second time"
    return None


def _regions(problem: Problem) -> tuple[Region, ...]:
    """Return the regions of a problem, or an empty tuple if `regions` raises Contradiction."""
    try:
        return problem.regions
    except Contradiction:
        return ()


def counts(engine: Engine, problem: Problem, max_states: int = MAX_STATES) -> str | None:
    """If the engine counts, check that `count` returns the right `RegionCount` for every region. If
    `max_states` is less than `MAX_STATES`, `count` may also raise TooWide."""
    if not engine.chosen.counts:
        return None
    for region in _regions(problem.changed()):
        what = "count" if max_states == MAX_STATES else f"count with max_states={max_states}"
        try:
            answer = engine.make(max_states=max_states).count(region)
        except Exception as error:  # on so small a region, any other error is a fault
            if isinstance(error, TooWide) and max_states < MAX_STATES:
                continue
            return f"{what} raised {error_text(error)}"
        expected = brute_force.region_count(region)
        if answer != expected:
            return f"{what} returned {answer}, expected {expected}"
    return None


def weighs(engine: Engine, problem: Problem) -> str | None:
    """If the engine counts, check that the counts of all regions together give the right number of
    solutions of the problem and the right probabilities."""
    if not engine.chosen.counts:
        return None
    fitting = brute_force.layouts(problem)
    try:
        counted = count_by(engine.make(), problem.changed())
    except Contradiction:
        return "the engine says that no layout fits, but one does" if fitting else None
    except CspMinesError as error:
        return f"the analysis raised {error_text(error)}"
    if not fitting:
        return "no layout fits, but the counts say otherwise"
    weight = brute_force.solutions(problem)
    if counted.solutions != weight:
        return f"the total weight of the solutions is {counted.solutions}, expected {weight}"
    for cell, risk in brute_force.probabilities(problem, fitting).items():
        if counted.probability(cell) != risk:
            return f"the probability of a mine at cell {cell} is wrong, expected {risk}"
    return None


def limits(engine: Engine, problem: Problem) -> str | None:
    """Check that a count that may use only 2 states is right or raises TooWide."""
    return counts(engine, problem, max_states=2)


def deduces_alone(engine: Engine, problem: Problem) -> str | None:
    """Check that `deduce` does not call `count`, unless the class states `only_counts = True`."""
    if engine.chosen.only_counts or not engine.chosen.counts:
        return None
    counted: list[Region] = []

    def count(self: Backend, region: Region) -> RegionCount:
        counted.append(region)
        return engine.make().count(region)

    watched = type(engine.chosen.__name__, (engine.chosen,), {"count": count})
    deduced(watched(None), problem.changed())
    return "deduce calls count: the class must state only_counts = True" if counted else None
