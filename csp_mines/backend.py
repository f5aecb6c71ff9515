"""The contract of engines (`Backend`), their answers, and how engines are found, loaded and
checked.

The method `deduce` of a backend proves that cells of a `Problem` are safe or mines. A backend may
also count the solutions of a `Region` (`count`). The method `analyze` uses `deduce` and `count` to
answer a `Question` about a board. A backend with a faster way overrides `analyze`. Packages offer
backends through the entry-point group `csp_mines.backends`. A backend is imported when it is first
used. This module also has functions that return the kernel for a capability.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from functools import cache
from importlib.metadata import EntryPoint, entry_points, version
from importlib.util import find_spec
from itertools import chain
from math import inf
from numbers import Integral
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar

from csp_mines import arguments, defaults
from csp_mines.constraints import Problem, Region
from csp_mines.errors import (
    BackendUnavailable,
    CspMinesError,
    EngineFault,
    MissingLibrary,
    OutOfTime,
    UnknownName,
    Unsupported,
)
from csp_mines.libraries import install_command
from csp_mines.question import Question, Questions, limits
from csp_mines.supervised import ask_class, supervised
from csp_mines.words import error_text, joined, plural

if TYPE_CHECKING:
    from csp_mines.analysis.batch import Batch
    from csp_mines.analysis.contract import Analysis
    from csp_mines.kernel import Kernel
    from csp_mines.kernel import KernelMemory as RegionMemory

BACKENDS = "csp_mines.backends"  # the entry-point group in which packages declare backends
STATE_BYTES = 2048  # the memory that a state typically takes in the engines written in Python


class Capability(StrEnum):
    """A task that only compiled code can do. An engine may offer it (`Backend.capability`)."""

    BOARDS = "analysing whole boards in microseconds"
    SAMPLING = "drawing layouts"
    GAMES = "playing whole games"
    LAYOUTS = "making layouts"
    WINNING = "playing to win"


class Deadline:
    """A moment after which work must stop. An engine checks its deadline at least every half
    second."""

    __slots__ = ("_end", "engine", "seconds")

    def __init__(self, seconds: float | None, engine: str | None = None) -> None:
        """Set the deadline to `seconds` from now; None means never. `engine` is the name of the
        engine for messages."""
        self.seconds = inf if seconds is None else seconds
        self.engine = engine
        self._end = monotonic() + self.seconds

    @property
    def left(self) -> float:
        """The number of seconds until the deadline: 0 or negative after the deadline, infinity if
        there is no deadline."""
        return self._end - monotonic()

    def check(self) -> None:
        """Raise OutOfTime after the deadline."""
        if self.left <= 0:
            raise self.missed()

    def missed(self) -> OutOfTime:
        """Return the OutOfTime error. `check` raises it, and so does an engine whose library stops
        by itself at the time limit."""
        return OutOfTime(self.seconds, self.engine)


@dataclass(frozen=True)
class Deduction:
    """The cells proved safe and the cells proved to be mines. `calls` says how often the engine
    called a solver, such as a SAT solver, to prove these cells. `conflicts` is the number of dead
    ends (conflicts) in the searches of the solver, or None if the number is unknown."""

    safe: frozenset[int] = frozenset()
    mines: frozenset[int] = frozenset()
    calls: int = 0
    conflicts: int | None = field(default=None, compare=False)

    @classmethod
    def of(
        cls, known: Mapping[int, bool], calls: int = 0, conflicts: int | None = None
    ) -> Deduction:
        """Make a deduction from the proved cells. `known` maps each proved mine to True, and each
        cell proved safe to False. `calls` and `conflicts` are those of the deduction."""
        mines = frozenset(cell for cell, mine in known.items() if mine)
        return cls(frozenset(known) - mines, mines, calls, conflicts)

    def __iter__(self) -> Iterator[frozenset[int]]:
        """Yield `safe` and then `mines`, so that `safe, mines = deduction` works."""
        return iter((self.safe, self.mines))

    @property
    def cells(self) -> frozenset[int]:
        """All proved cells."""
        return self.safe | self.mines

    def risk(self, cell: int) -> Fraction | None:
        """Return 0 for a cell proved safe, 1 for a proved mine, None for any other cell."""
        mine = cell in self.mines
        return Fraction(mine) if mine or cell in self.safe else None

    def __or__(self, other: Deduction) -> Deduction:
        met = [each.conflicts for each in (self, other) if each.conflicts is not None]
        return Deduction(
            self.safe | other.safe,
            self.mines | other.mines,
            self.calls + other.calls,
            sum(met) if met else None,
        )


@dataclass(frozen=True)
class RegionCount:
    """The solutions of a region, counted for each number of mines.

    `ways[i]` is the number of solutions with `low + i` mines. `mines[b][i]` is the number of mines
    in box `b`, summed over the solutions with `low + i` mines. If constraints have weights, each
    solution counts with its weight in both fields. The first and the last entry of `ways` are
    positive; `ways` is empty if there is no solution.

    `witnesses` are some solutions that the engine met. Each witness lists the number of mines in
    each box. `check` compares the witnesses with the count. `states` is the number of states, or of
    smaller problems, that the engine went through; None if this number is unknown.

    >>> from csp_mines.backend import load
    >>> [region] = csp_mines.Frontier.of(csp_mines.Board([[-1, 1, -1]])).problem.regions
    >>> load("native").count(region).ways
    (2,)
    """

    low: int
    ways: tuple[int, ...]
    mines: tuple[tuple[int, ...], ...]
    witnesses: tuple[tuple[int, ...], ...] = field(default=(), compare=False, repr=False)
    states: int | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(
        cls,
        ways: Sequence[int],
        mines: Sequence[Sequence[int]],
        witnesses: Iterable[Sequence[int]] = (),
        states: int | None = None,
    ) -> RegionCount:
        """Make a count from lists that begin at 0 mines: here `ways[i]` and `mines[b][i]` are about
        the solutions with `i` mines, not with `low + i`. The zeros at both ends of `ways` are left
        out, and so are the entries of `mines` at the same places. `witnesses` and `states` are
        those of the count."""
        met = tuple(map(tuple, witnesses))
        occurring = [number for number, weight in enumerate(ways) if weight]
        if not occurring:
            return cls(0, (), tuple(() for _ in mines), met, states)
        low, high = occurring[0], occurring[-1] + 1
        shares = tuple(tuple(sums[low:high]) for sums in mines)
        return cls(low, tuple(ways[low:high]), shares, met, states)

    @classmethod
    def none(cls, region: Region) -> RegionCount:
        """Return the count of a region that has no solution."""
        return cls(0, (), ((),) * len(region.boxes))

    def check(self, region: Region) -> None:
        """Raise EngineFault if this cannot be the count of `region`. The mines in the boxes must
        add up to the mines of the solutions. The mean number of mines over all solutions must be
        possible for every box, and within the bounds of every constraint. Every solution in
        `witnesses` must fit the constraints, and the count must not rule it out."""
        if len(self.mines) != len(region.boxes):
            raise EngineFault(
                f"the engine counted {len(self.mines)} boxes, "
                f"but the region has {len(region.boxes)}"
            )
        sizes = {len(self.ways), *map(len, self.mines)}
        if len(sizes) > 1:
            raise EngineFault(
                "the engine counted layouts and mines of boxes for different numbers of mines: "
                f"the lists have {joined(list(map(str, sorted(sizes))))} entries"
            )
        columns = zip(self.ways, *self.mines, strict=True)
        for number, (weight, *counted) in enumerate(columns, self.low):
            if sum(counted) != number * weight:
                raise EngineFault(
                    f"in the solutions with {plural(number, 'mine')}, the mines of the boxes do "
                    "not add up to that number"
                )
        weight, shares = sum(self.ways), list(map(sum, self.mines))
        for box, cells in enumerate(region.boxes):
            if shares[box] > len(cells) * weight or min(self.mines[box], default=0) < 0:
                raise EngineFault(f"box {box} has fewer than 0 mines, or more mines than cells")
        _check_bounds(region, shares, weight, "counts")
        for witness in self.witnesses:
            if len(witness) != len(region.boxes):
                raise EngineFault(
                    f"the engine found a solution for {plural(len(witness), 'box', 'boxes')}, "
                    f"but the region has {len(region.boxes)}"
                )
            _check_bounds(region, witness, 1, "found a solution with")
            self._check_witness(region, witness)

    def _check_witness(self, region: Region, witness: Sequence[int]) -> None:
        """Raise EngineFault if the count rules out the solution `witness`."""
        place = sum(witness) - self.low
        if not 0 <= place < len(self.ways) or not self.ways[place]:
            raise EngineFault(
                f"the engine found a solution with {plural(sum(witness), 'mine')}, but did not "
                "count it"
            )
        for box, mines in enumerate(witness):
            share, most = self.mines[box][place], len(region.boxes[box]) * self.ways[place]
            if (share == 0 and mines) or (share == most and mines < len(region.boxes[box])):
                state = "full of mines" if share else "without a mine"
                raise EngineFault(
                    f"the count says that box {box} is {state} if the region has "
                    f"{plural(sum(witness), 'mine')}, but the engine found a solution with "
                    f"{plural(mines, 'mine')} in this box"
                )


def _check_bounds(region: Region, mines: Sequence[int], weight: int, found: str) -> None:
    """Raise EngineFault if the mean number of mines in a constraint is outside its bounds. `mines`
    has the weighted number of mines in each box, summed over solutions whose weights add up to
    `weight`. `found` is the verb of the message, such as `counts`."""
    for constraint in region.constraints:
        inside = sum([mines[box] for box in constraint.boxes])
        if not constraint.low * weight <= inside <= constraint.high * weight:
            raise EngineFault(
                f"boxes {constraint.boxes} must have {constraint.low} to {constraint.high} mines, "
                f"but the engine {found} more or fewer"
            )


_FACTS = ("complete", "ranges", "counts", "floating_point", "options", "summary")


class Backend:
    """An engine. A subclass sets `name`, `summary` and every class attribute whose default is not
    true for the engine. It implements `deduce` and, if `counts` is true, `count`.

    >>> from csp_mines.backend import load
    >>> engine = load("gauss")
    >>> engine.complete, engine.counts
    (False, False)
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    complete: ClassVar[bool] = False  # `deduce` finds every deduction
    ranges: ClassVar[bool] = False  # `deduce` uses bounds low < high as fully as low = high
    counts: ClassVar[bool] = False  # implements `count`
    only_counts: ClassVar[bool] = False  # `deduce` works by counting
    options: ClassVar[str] = ""  # the option that may follow `name:`, for help texts
    examples: ClassVar[Mapping[str, str]] = {}  # some `name:option`, each with its meaning
    # If true, agents call `analyze` with whole boards instead of `deduce` with problems. So
    # `analyze` must find every deduction quickly.
    reads_boards: ClassVar[bool] = False
    module: ClassVar[str | None] = None  # the module of a library that the engine needs
    library: ClassVar[str] = ""  # the name under which the library of `module` is installed
    install: ClassVar[str] = ""  # the requirement that installs the library of `module`
    floating_point: ClassVar[bool] = False  # computes in floats, so its deductions are not proofs
    keeps_time: ClassVar[bool] = False  # stops at its time limit by itself; see `limited`

    def __init__(
        self,
        option: str | None = None,
        *,
        max_states: int = defaults.MAX_STATES,
        max_memory: int = defaults.MAX_MEMORY,
        seconds: float | None = None,
    ) -> None:
        """Make an engine. `option` is the text after the colon in `name:option`. A count that needs
        more than `max_states` states or `max_memory` bytes raises TooWide. `seconds` limits every
        call of `deduce` or `count`; `math.inf` means no limit. If `seconds` is None, every call of
        `count` is limited to 60 seconds, and `deduce` has no limit of its own. Raises what
        `configure` raises, and InputError for an invalid limit."""
        self.option = option
        self.max_states, self.max_memory, self.seconds = limits(max_states, max_memory, seconds)
        self.configure(option)

    def configure(self, option: str | None) -> None:
        """Read the option. An engine that takes an option overrides this method. Raises Unsupported
        or UnknownName if the engine does not accept the option."""
        if option is not None and not self.options:
            raise Unsupported(
                f"backend {self.name!r} takes no option, but {option!r} was given; write only "
                f"{self.name!r}"
            )

    @property
    def python_states(self) -> int:
        """The number of states that `max_states` and `max_memory` allow to an engine written in
        Python. Each state of such an engine takes about 2 kB."""
        return min(self.max_states, max(1, self.max_memory // STATE_BYTES))

    def deduction_deadline(self) -> Deadline:
        """Return the deadline of a deduction that begins now."""
        return Deadline(self.seconds, self.name)

    def counting_deadline(self) -> Deadline:
        """Return the deadline of a count that begins now."""
        seconds = defaults.COUNT_SECONDS if self.seconds is None else self.seconds
        return Deadline(seconds, self.name)

    @classmethod
    def missing(cls) -> str | None:
        """Return the command that installs the library that this backend lacks; None if no library
        is missing."""
        present = cls.module is None or find_spec(cls.module) is not None
        return None if present else install_command(cls.install)

    @classmethod
    def version(cls) -> str:
        """Return the name and the version of the library that the engine needs. An engine of
        csp-mines without a library returns the version of csp-mines. An engine of another package
        without a library returns the name and the version of that package. If the library is
        missing, or no package declares the engine, the result is an empty text."""
        if cls.module is not None:
            return "" if cls.missing() else f"{cls.library} {version(cls.library)}"
        for entry in declared(BACKENDS).values():
            if entry.value == f"{cls.__module__}:{cls.__qualname__}" and entry.dist is not None:
                ours = entry.dist.name == "csp-mines"
                return entry.dist.version if ours else f"{entry.dist.name} {entry.dist.version}"
        return ""

    @classmethod
    def choices(cls) -> Mapping[str, Sequence[str]]:
        """Map each placeholder in `options`, such as SOLVER, to the names that may replace it. A
        placeholder for a number is left out."""
        return {}

    @classmethod
    def to_json(cls) -> dict[str, Any]:
        """Return the facts of the backend, as `backends --json` lists them."""
        lacking = cls.missing()
        state = {"name": cls.name, "available": lacking is None, "install": lacking}
        state |= {"problem": None, "version": cls.version() if lacking is None else ""}
        return state | {fact: getattr(cls, fact) for fact in _FACTS}

    def within(self, question: Question) -> Backend:
        """Return a new engine of this class, with the same option and the limits of a question."""
        bounds = question.max_states, question.max_memory, question.seconds
        return limited(type(self), self.option, *bounds)

    def analyze(self, question: Question, memory: RegionMemory | None = None) -> Analysis:
        """Answer a question by means of the frontier, `deduce` and `count`. If the engine cannot
        count, the default engine counts. An engine with a faster way overrides this method.
        `memory` is a store that the method `memory` made, or None.

        Raises what `deduce` raises, and BoardError if `question.given` is an array that is not a
        valid board."""
        from csp_mines.analysis.by_engine import by_engine

        return by_engine(question, self.within(question))

    def analyze_many(self, questions: Sequence[Question], threads: int) -> list[Analysis | None]:
        """Answer questions that differ only in their boards and totals, with `threads` threads.
        Return one answer for each question, in order. If an answer is None, the caller must call
        `analyze` with the question, for example because this raises an error. An engine without a
        faster way returns only None."""
        return [None] * len(questions)

    def analyze_batch(self, asked: Questions, batch: Batch) -> bool:
        """Write the answers about the boards of `asked` into `batch`, and return True. The caller
        has checked the boards. An engine that cannot do this returns False; the caller must then
        call `analyze` for each board. Raises EngineFault if the engine contradicts itself."""
        return False

    def memory(self, max_bytes: int) -> RegionMemory | None:
        """Return a store of at most `max_bytes`, in which `analyze` keeps counts from one position
        of a game to the next. Return None if the engine keeps no counts."""
        return None

    @classmethod
    def capability(cls, what: Capability) -> Kernel:
        """Return the kernel for the capability `what`. Raises BackendUnavailable if this engine
        does not offer the capability."""
        raise BackendUnavailable(f"backend {cls.name!r} does not offer {what}")

    def deduce(self, problem: Problem) -> Deduction:
        """Return cells that are safe in every layout that fits, and cells that are mines in every
        layout that fits. A complete engine returns all these cells, any other engine perhaps only
        some. The engine uses the total if the problem has one. The engine ignores the weights of
        constraints.

        Raises Contradiction if the engine finds that no layout fits, OutOfTime at the time limit,
        TooWide if the engine deduces by counting and reaches another limit, EngineFault if the
        engine contradicts itself."""
        raise NotImplementedError

    def simplify(self, problem: Problem) -> Deduction:
        """Prove that some cells of a problem are safe or mines, so that fewer cells are left to
        count. The method `deduce` may prove more cells. Raises what `deduce` raises."""
        return self.deduce(problem)

    @classmethod
    def simplifies_fully(cls) -> bool:
        """Return whether `simplify` finds every deduction. Counting then proves no further cell,
        unless a constraint has a weight of 0."""
        return cls.complete and cls.simplify is Backend.simplify

    def elimination_width(self, problem: Problem) -> int | None:
        """Return the largest number of constraints that are unfinished at the same time while the
        engine counts the problem box after box. A constraint is unfinished when the engine has
        reached some of its boxes, but not all. Return None if the engine counts in another way.
        Raises Contradiction if the engine finds that no layout fits, OutOfTime at the time
        limit."""
        return None

    def layouts(self, problem: Problem, count: int, seed: int) -> list[list[int]]:
        """Return `count` layouts that fit, each as the number of mines in every box of
        `problem.boxes`. The engine tries to make different layouts. The same seed gives the same
        layouts. Raises Unsupported if the engine cannot make layouts, Contradiction if no layout
        fits, OutOfTime at the time limit."""
        raise Unsupported(f"backend {self.name!r} cannot make layouts")

    def count(self, region: Region) -> RegionCount:
        """Return the exact count of a region. Raises Unsupported if the engine does not count,
        TooWide or OutOfTime at a limit, EngineFault if the engine contradicts itself."""
        raise cannot_count(self.name)


def cannot_count(name: str) -> Unsupported:
    """Return the error for an engine that cannot count. `name` is the name of the engine."""
    can = "`csp-mines backends` shows which backends can"
    return Unsupported(f"backend {name!r} cannot count; {can}")


@cache
def declared(group: str) -> dict[str, EntryPoint]:
    """Return the entry points of a group, such as `csp_mines.backends`, by name."""
    return {entry.name: entry for entry in entry_points(group=group)}


def backend_names() -> Iterable[str]:
    """Return the names of all declared backends, even of backends whose library is missing. The
    backends of csp-mines come first, in a fixed order. The others follow in alphabetical order."""
    ours = [
        "single", "subtraction", "gauss", "pysat", "cpsat", "z3", "clingo", "highs", "native",
        "sdd", "ganak",
    ]  # fmt: skip
    names = declared(BACKENDS)
    return [name for name in ours if name in names] + sorted(set(names) - set(ours))


def backend_class(name: str) -> type[Backend]:
    """Return the class of the backend `name`. Raises what `load_class` raises, and UnknownName if
    no package declares a backend with this name."""
    try:
        entry = declared(BACKENDS)[name]
    except KeyError:
        raise UnknownName("backend", name, list(backend_names())) from None
    return load_class(entry, f"backend {name!r}")


def load_class(entry: EntryPoint, what: str) -> type[Backend]:
    """Import and return the class of an engine. Messages call the class `what`. Raises what
    `load_entry` raises, and BackendUnavailable if the imported object is not a subclass of
    Backend."""
    loaded = load_entry(entry, what)
    if not isinstance(loaded, type) or not issubclass(loaded, Backend):
        raise BackendUnavailable(f"{what} is not a subclass of csp_mines.Backend")
    return loaded


def backend_facts(name: str) -> dict[str, Any]:
    """Return the facts of the backend `name`, as `backends --json` lists them. If the backend
    cannot be loaded, or its class raises an error, `available` is False and `problem` says why.
    Raises UnknownName if no package declares a backend with this name."""
    try:
        facts: dict[str, Any] = ask_class(backend_class(name), "to_json")
        return facts
    except (BackendUnavailable, MissingLibrary, EngineFault) as error:
        state = {"name": name, "available": False, "install": None, "problem": str(error)}
        return state | {"version": ""} | {fact: getattr(Backend, fact, "") for fact in _FACTS}


def available_backends() -> list[str]:
    """Return the names of the backends that can be loaded and whose libraries are installed."""
    return [name for name in backend_names() if backend_facts(name)["available"]]


@cache
def default_engine() -> Backend:
    """Return the default engine, `defaults.BACKEND`, with the default limits."""
    return load(defaults.BACKEND)


def capability(what: Capability) -> Kernel:
    """Return the kernel for a capability. Raises BackendUnavailable if the default engine does not
    offer the capability."""
    return default_engine().capability(what)


@cache
def offered(what: Capability) -> Kernel | None:
    """Return the kernel for a capability, or None if the default engine does not offer the
    capability."""
    with suppress(BackendUnavailable):
        return capability(what)
    return None


def load_entry(entry: EntryPoint, what: str) -> Any:
    """Import and return the object of an entry point. Messages call the object `what`. Raises
    MissingLibrary if the import of another package fails, BackendUnavailable if the module or the
    object does not exist, or if the import fails with another error."""
    try:
        return entry.load()
    except (Exception, SystemExit) as error:  # a module may raise anything
        package = entry.module.partition(".")[0]
        imported = (getattr(error, "name", None) or package).partition(".")[0]
        if isinstance(error, ImportError) and imported != package:
            raise MissingLibrary(f"{what} needs {imported}: {error}") from error
        known = isinstance(error, (ImportError, AttributeError, CspMinesError))
        why = str(error) if known else error_text(error)
        raise BackendUnavailable(f"{what} cannot be loaded: {why}") from error


def only_engine(group: str, task: str) -> Any:
    """Make the first engine that an installed package declares in the entry-point group `group`.
    In messages, `task` says what the engine is for, such as `explanations`. Raises what
    `load_entry` raises, and BackendUnavailable if no package declares an engine in this group."""
    for entry in declared(group).values():
        return load_entry(entry, f"the engine for {task}")()
    raise BackendUnavailable(
        f"{task} need an engine, and no installed package offers one in the entry-point group "
        f"{group}; reinstall csp-mines, which has such an engine"
    )


def limited(
    chosen: type[Backend],
    option: str | None,
    max_states: int,
    max_memory: int,
    seconds: float | None,
) -> Backend:
    """Make an engine of the class `chosen` with these limits, which the caller has checked.
    `supervised.py` explains how the time limit is enforced on engines of other packages, and on
    engines that do not promise to keep a time limit (`keeps_time`)."""
    used: type[Backend] = supervised(chosen, seconds, wrong_answer)
    return used(option, max_states=max_states, max_memory=max_memory, seconds=seconds)


def wrong_answer(method: str, given: tuple[Any, ...], answer: Any) -> str | None:
    """Return a text that says what is wrong with `answer`, which an engine returned from `method`.
    Return None if nothing is wrong. `given` has the arguments of the call."""
    if method == "count":
        if not isinstance(answer, RegionCount):
            return f"{type(answer).__name__}, expected RegionCount"
        try:
            lists = [[answer.low], answer.ways, *answer.mines, *answer.witnesses]
            entries = list(chain.from_iterable(lists))
        except TypeError:
            return "a RegionCount whose fields are not lists of numbers"
        strange = [entry for entry in entries if not isinstance(entry, Integral)]
        return f"a count with {strange[0]!r}, expected whole numbers" if strange else None
    if method not in ("deduce", "simplify"):
        return None
    if not isinstance(answer, Deduction):
        return f"{type(answer).__name__}, expected Deduction"
    if not isinstance(answer.safe, frozenset) or not isinstance(answer.mines, frozenset):
        return "a Deduction whose `safe` and `mines` are not both frozensets"
    twice = answer.safe & answer.mines
    if twice:
        return f"cell {min(twice)} both as safe and as a mine"
    unknown = answer.cells.difference(given[0].frontier, given[0].sea)
    return f"{min(map(repr, unknown))}, which is not a cell of the problem" if unknown else None


def backend_name(spec: str) -> str:
    """Return the name of the backend in `spec`, a text of the form `name` or `name:option`. Raises
    InputError if `spec` is not a string."""
    return arguments.text(spec, "backend").partition(":")[0]


def load(
    spec: str,
    *,
    max_states: int = defaults.MAX_STATES,
    max_memory: int = defaults.MAX_MEMORY,
    seconds: float | None = None,
    floating_point: bool = False,
) -> Backend:
    """Make the backend that `spec` names, as `name` or `name:option`, with these limits.

    An engine that computes in floating point is refused unless `floating_point` is true, because
    the deductions of such an engine are not proofs. Raises Unsupported for a refused engine and for
    a wrong option, UnknownName for an unknown backend or an unknown name in the option, InputError
    if `spec` is not a string or a limit is invalid, MissingLibrary if the library of the backend is
    not installed, BackendUnavailable if the backend cannot be loaded, EngineFault if the class of
    the backend raises an unexpected error."""
    name = backend_name(spec)
    option = spec[len(name) + 1 :]
    chosen = backend_class(name)
    lacking = ask_class(chosen, "missing")
    if lacking is not None:
        raise MissingLibrary(f"backend {name!r} is not available: {lacking}")
    if chosen.floating_point and not floating_point:
        raise Unsupported(
            f"backend {name!r} computes in floating point, so its deductions are not proofs; "
            "use it only with `compare`, and another backend for other tasks"
        )
    return limited(chosen, option or None, *limits(max_states, max_memory, seconds))
