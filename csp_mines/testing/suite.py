"""The promises of the contract, and the suite that checks whether an engine keeps the promises.

`docs/adding-a-backend.md` explains every promise."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from time import monotonic

from csp_mines.backend import Backend
from csp_mines.constraints import Constraint, Problem
from csp_mines.errors import UnknownName, Unsupported
from csp_mines.testing import in_processes, on_problems
from csp_mines.testing.engines import Engine
from csp_mines.testing.problems import adversarial_problem
from csp_mines.testing.shrinking import shrunk, written

SECONDS = 10.0  # after this time, the check of a promise tries no more problems
FEWEST = 20  # but it tries at least this many (or all, if there are fewer), however long that takes


@dataclass(frozen=True)
class Sample:
    """The random problems of a run: how many there are, and the seed that determines them."""

    problems: int = 300
    seed: int = 0

    def __iter__(self) -> Iterator[Problem]:
        for number in range(self.problems):
            yield adversarial_problem(Random(f"suite {self.seed + number}"))


@dataclass(frozen=True)
class Breach:
    """A broken promise. `what` says what is wrong. `problem` is the smallest problem found on which
    the engine breaks the promise, or None if the check needs no problem."""

    what: str
    problem: Problem | None = None

    def __str__(self) -> str:
        return self.what if self.problem is None else f"{self.what}\n{written(self.problem)}"


@dataclass(frozen=True)
class Promise:
    """A promise of the contract. `says` is the promise in words. `fault` returns a text that says
    how an engine breaks the promise, or None. It gets the engine and, if there are problems to
    check, a problem. These are the fixed `problems` and, if `sampled` is true, random problems."""

    name: str
    says: str
    fault: Callable[..., str | None]
    problems: Sequence[Problem] = ()
    sampled: bool = False

    def check(self, engine: Engine, sample: Sample) -> Breach | None:
        """Return the first breach, or None if the engine keeps the promise. After `SECONDS`, no
        more problems are tried, but at least `FEWEST` are. `sample` has the random problems."""
        if not self.problems and not self.sampled:
            what = self.fault(engine)
            return None if what is None else Breach(what)
        end = monotonic() + SECONDS
        tried = (*self.problems, *sample) if self.sampled else self.problems
        for number, problem in enumerate(tried):
            if number >= FEWEST and monotonic() > end:
                return None
            if self.fault(engine, problem) is not None:
                small = shrunk(problem, lambda other: self.fault(engine, other) is not None)
                what = self.fault(engine, small) or "the engine fails, but not every time"
                return Breach(what, small)
        return None


@dataclass(frozen=True)
class Outcome:
    """The outcome of checking a promise, and how many seconds the check took. If `breach` is None,
    the engine keeps the promise."""

    promise: Promise
    breach: Breach | None
    seconds: float


def run_suite(
    engine: Engine, sample: Sample | None = None, names: Sequence[str] = ()
) -> Iterator[Outcome]:
    """Check promises one after another, and yield the outcome of each. `names` are the names of the
    promises to check; an empty sequence means all. `sample` is `Sample()` by default. After a
    breach of the promise `deadline`, no other promise is checked."""
    chosen = sample or Sample()
    for promise in PROMISES:
        if names and promise.name not in names:
            continue
        begin = monotonic()
        breach = promise.check(engine, chosen)
        yield Outcome(promise, breach, monotonic() - begin)
        if promise.name == "deadline" and breach is not None:
            return  # the other checks might never end


def _facts(engine: Engine) -> str | None:
    """Check the facts, such as `counts`, that the class of an engine states. Return what is wrong,
    or None."""
    chosen = engine.chosen
    for fact, kind in FACTS.items():
        value = getattr(chosen, fact, None)
        if not isinstance(value, kind):
            return f"the class must state {fact} as {kind.__name__}, not {value!r}"
    if engine.declared not in (None, chosen.name):
        return f"the class has name = {chosen.name!r}, but its entry point is {engine.declared!r}"
    if not chosen.summary or "\n" in chosen.summary:
        return f"summary must be one line, not {chosen.summary!r}"
    if not isinstance(chosen.version(), str):
        return f"version() must return a str, not {chosen.version()!r}"
    if chosen.deduce is Backend.deduce:
        return "the class does not implement deduce"
    if chosen.counts and chosen.count is Backend.count:
        return "the class states counts = True, but does not implement count"
    return None


_SWITCHES = ("complete", "ranges", "counts", "only_counts", "floating_point", "keeps_time")
FACTS = dict.fromkeys(("name", "summary", "options"), str) | dict.fromkeys(_SWITCHES, bool)


def _options(engine: Engine) -> str | None:
    """Check that the engine refuses an unknown option. Return what is wrong, or None."""
    try:
        engine.chosen("no such option")
    except (Unsupported, UnknownName):
        return None
    except Exception as error:  # any other error is a fault
        return f"a wrong option raised {type(error).__name__}, expected Unsupported or UnknownName"
    return "the option 'no such option' was accepted, expected Unsupported or UnknownName"


def _says_that_it_cannot_count(engine: Engine) -> str | None:
    if engine.chosen.counts:
        return None
    (region,) = Problem((Constraint((0, 1), 1, 1),)).regions
    try:
        engine.make().count(region)
    except Unsupported:
        return None
    except Exception as error:  # any other error is a fault
        return f"with counts = False, count must raise Unsupported, not {type(error).__name__}"
    return "with counts = False, count must raise Unsupported, but it returned an answer"


CHAIN = Problem(tuple(Constraint((i, i + 1, i + 2), 1, 2) for i in range(5)))
WEIGHED = (
    Problem((Constraint((0, 1), 2, 2, (1, 1, 7)),)),
    Problem((Constraint((0,), 0, 1, (300, 1)), Constraint((0, 1), 0, 0))),
    Problem((Constraint((0, 1), 0, 2, (2, 3, 5)),), (2,), 3),
    Problem((Constraint((), 0, 0, (3,)), Constraint((), -1, 2, (5,))), (2,)),
    Problem((Constraint((0, 1), 1, 2, (2, 3, 5)),) * 2, (2,)),
    Problem((Constraint((0, 1), 0, 2, (1, 0, 2)), Constraint((1, 2), 1, 1, (0, 5, 0)))),
    Problem((Constraint((0, 1), 0, 2, (0, 0, 0)),)),
    Problem((Constraint((0, 1), 1, 1), Constraint((1, 2), 1, 1), Constraint((0, 2), 1, 1))),
)

FEW = (CHAIN, *on_problems.RANGES, *WEIGHED)

PROMISES = (
    Promise("facts", "the class states its facts, each of the right type", _facts),
    Promise("options", "an unknown option is refused", _options),
    Promise("deadline", "the time limit is kept", in_processes.keeps_deadline),
    Promise("sound", "every deduction holds in every layout", on_problems.sound, sampled=True),
    Promise("complete", "with complete = True: deduce finds every certain cell and contradiction",
            on_problems.complete, sampled=True),
    Promise("ranges", "with ranges = True: deduce uses bounds low < high as fully as low = high",
            on_problems.ranges, on_problems.RANGES),
    Promise("total", "the total is used, also for the sea",
            on_problems.totals, on_problems.TOTALS),
    Promise("contradictions", "deduce finds impossible constraints and totals, and constraints "
            "that decide a cell differently",
            on_problems.finds_all, on_problems.PLAIN_CONTRADICTIONS),
    Promise("counts", "with counts = True: each region is counted exactly, with its weights",
            on_problems.counts, WEIGHED, sampled=True),
    Promise("weights", "the counts give exact weights and probabilities of whole problems",
            on_problems.weighs, WEIGHED, sampled=True),
    Promise("cannot count", "an engine that does not count says so", _says_that_it_cannot_count),
    Promise("only counts", "without only_counts = True: deduce does not call count",
            on_problems.deduces_alone, FEW),
    Promise("limits", "with too few max_states, a count is right or raises TooWide",
            on_problems.limits, FEW),
    Promise("arguments", "the problem is not changed", on_problems.unchanged, sampled=True),
    Promise("repetition", "the same problem has the same answer",
            on_problems.repeats, sampled=True),
    Promise("signals", "Ctrl-C ends the work", in_processes.keeps_interruption),
)  # fmt: skip
