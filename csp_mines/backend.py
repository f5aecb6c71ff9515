"""The backend contract, and how backends are found.

A backend deduces from cardinality constraints (a `Problem`) and counts their regions (a `Region`).
`analyze` answers a `Question` about a board with these two, unless a backend has a faster lane.
Packages offer backends through the entry-point group `csp_mines.backends`; each is imported only
when it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from functools import cache
from importlib.metadata import EntryPoint, entry_points, version
from importlib.util import find_spec
from math import inf
from operator import mul
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar

from csp_mines import apart, arguments, defaults
from csp_mines.board import Codes
from csp_mines.constraints import Problem, Region
from csp_mines.errors import (
    BackendUnavailable,
    EngineFault,
    MissingLibrary,
    OutOfTime,
    UnknownName,
    Unsupported,
)
from csp_mines.question import Question, limits
from csp_mines.words import plural

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from csp_mines.analysis.batch import Batch
    from csp_mines.analysis.contract import Analysis
    from csp_mines.kernel import Kernel
    from csp_mines.kernel import KernelMemory as RegionMemory

__all__ = [
    "STATE_BYTES",
    "Backend",
    "Capability",
    "Deadline",
    "Deduction",
    "RegionCount",
    "backend_class",
    "backend_name",
    "backend_names",
    "capability",
    "default_engine",
    "limited",
    "load",
    "load_entry",
    "offered",
]

STATE_BYTES = 2048  # the memory of a state in the engines written in Python, on common regions


class Capability(StrEnum):
    """A task that only compiled code can do. An engine may offer it (`Backend.capability`)."""

    BOARDS = "analysing whole boards in microseconds"
    SAMPLING = "drawing layouts"
    GAMES = "playing whole games"
    LAYOUTS = "making layouts"
    WINNING = "playing to win"


class Deadline:
    """The moment `seconds` from now. An engine checks it wherever its work can become long, and at
    least every half second."""

    __slots__ = ("_end", "engine", "seconds")

    def __init__(self, seconds: float | None, engine: str | None = None) -> None:
        """Set the deadline; None means never. `engine` is the name that messages mention."""
        self.seconds = inf if seconds is None else seconds
        self.engine = engine
        self._end = monotonic() + self.seconds

    @property
    def left(self) -> float:
        """Seconds left; 0 or negative after the deadline."""
        return self._end - monotonic()

    def check(self) -> None:
        """Raise OutOfTime after the deadline."""
        if self.left <= 0:
            raise self.missed()

    def missed(self) -> OutOfTime:
        """Return the error that says so, for engines whose library watches the time."""
        return OutOfTime(self.seconds, self.engine)


@dataclass(frozen=True)
class Deduction:
    """Cells proved safe and cells proved to be mines. `calls` is the number of solver calls,
    `conflicts` how many conflicts the solver met, if it tells."""

    safe: frozenset[int] = frozenset()
    mines: frozenset[int] = frozenset()
    calls: int = 0
    conflicts: int | None = field(default=None, compare=False)

    @property
    def cells(self) -> frozenset[int]:
        """All proved cells."""
        return self.safe | self.mines

    def risk(self, cell: int) -> Fraction | None:
        """Return 0 for a cell proved safe, 1 for a proved mine, None for any other cell."""
        return Fraction(cell in self.mines) if cell in self.cells else None

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
    """The count of a region. `ways[i]` is the weight of all solutions with `low + i` mines: their
    number if no constraint has weights. `mines[b][i]` is the mines in box `b`, summed over these
    solutions with the same weights. The first and the last of `ways` are positive; `ways` is empty
    if nothing fits. `witnesses` are solutions that the engine met, as the mines of every box; they
    are for `check`. `states` says how many states or residual problems the count took, if the
    engine tells."""

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
        """Make a count from lists that begin at 0 mines. They are cut to the numbers of mines that
        occur."""
        met = tuple(map(tuple, witnesses))
        occurring = [number for number, weight in enumerate(ways) if weight]
        if not occurring:
            return cls(0, (), tuple(() for _ in mines), met, states)
        low, high = occurring[0], occurring[-1] + 1
        shares = tuple(tuple(sums[low:high]) for sums in mines)
        return cls(low, tuple(ways[low:high]), shares, met, states)

    def check(self, region: Region) -> None:
        """Raise EngineFault if this cannot be the count of `region`. Bounds that hold in every
        solution must hold for the sums, in exact integers. The count must include every witness."""
        if len(self.mines) != len(region.boxes):
            raise EngineFault(
                f"the engine counted {len(self.mines)} boxes, "
                f"but the region has {len(region.boxes)}"
            )
        if self.ways:
            numbers = range(self.low, self.low + len(self.ways))
            counted = list(map(sum, zip(*self.mines, strict=True)))
            wanted = list(map(mul, numbers, self.ways))
            if counted != wanted:
                wrong = next(
                    number
                    for number, *two in zip(numbers, counted, wanted, strict=True)
                    if two[0] != two[1]
                )
                raise EngineFault(f"the boxes do not add up to {plural(wrong, 'mine')}")
        weight, shares = sum(self.ways), list(map(sum, self.mines))
        for box, cells in enumerate(region.boxes):
            if shares[box] > len(cells) * weight or min(self.mines[box], default=0) < 0:
                raise EngineFault(f"box {box} has a negative number of mines, or more than cells")
        for constraint in region.constraints:
            if (
                not constraint.low * weight
                <= sum([shares[b] for b in constraint.boxes])
                <= constraint.high * weight
            ):
                raise EngineFault(
                    f"boxes {constraint.boxes} break {constraint.low} to {constraint.high} mines"
                )
        for witness in self.witnesses:
            self._check_witness(region, witness)

    def _check_witness(self, region: Region, witness: Sequence[int]) -> None:
        for constraint in region.constraints:
            if (
                not constraint.low
                <= sum(witness[box] for box in constraint.boxes)
                <= constraint.high
            ):
                raise EngineFault(
                    f"a solution breaks {constraint.low} to {constraint.high} in {constraint.boxes}"
                )
        place = sum(witness) - self.low
        if not 0 <= place < len(self.ways) or not self.ways[place]:
            raise EngineFault(
                f"the engine found a solution with {plural(sum(witness), 'mine')}, but did not "
                "count it"
            )
        for box, mines in enumerate(witness):
            share, most = self.mines[box][place], len(region.boxes[box]) * self.ways[place]
            if (share == 0 and mines) or (share == most and mines < len(region.boxes[box])):
                raise EngineFault(
                    f"the count says that box {box} is certain, but a solution differs"
                )


class Backend:
    """An engine. Subclasses state their facts and implement `deduce`, and `count` if they count."""

    name: ClassVar[str]
    summary: ClassVar[str]
    complete: ClassVar[bool]  # finds every deduction
    ranges: ClassVar[bool]  # reasons from low < high as fully as from equalities
    counts: ClassVar[bool]  # implements `count`
    only_counts: ClassVar[bool] = False  # `deduce` works by counting
    options: ClassVar[str] = ""  # what may follow the name and a colon, for people
    examples: ClassVar[Mapping[str, str]] = {}  # `name:option` worth trying, and what it means
    reads_boards: ClassVar[bool] = False  # `analyze` proves everything, and faster than `deduce`
    module: ClassVar[str | None] = None  # the module of an optional library …
    library: ClassVar[str] = ""  # … the name of its distribution …
    install: ClassVar[str] = ""  # … and what `pip install` takes to install it
    floating_point: ClassVar[bool] = False  # decides in floats, so it proves nothing
    keeps_time: ClassVar[bool] = False  # keeps its time limits; otherwise they are enforced

    def __init__(
        self,
        option: str | None = None,
        *,
        max_states: int = defaults.MAX_STATES,
        max_memory: int = defaults.MAX_MEMORY,
        seconds: float | None = None,
    ) -> None:
        """Make an engine. `option` is the text after the colon in `name:option`. A count raises
        TooWide beyond `max_states` states or `max_memory` bytes. `seconds` limits every call of
        `deduce` and `count`. By default only counting is limited, to `defaults.COUNT_SECONDS`;
        `math.inf` means no limit. Raises InputError, and what `configure` raises."""
        self.option = option
        self.max_states, self.max_memory, self.seconds = limits(max_states, max_memory, seconds)
        self.configure(option)

    def configure(self, option: str | None) -> None:
        """Read the option; an engine with `options` overrides this. Raises Unsupported or
        UnknownName for an invalid option."""
        if option is not None and not self.options:
            raise Unsupported(f"backend {self.name!r} does not take an option, got {option!r}")

    @property
    def python_states(self) -> int:
        """The number of states of STATE_BYTES each that the limits allow."""
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
        """What to install before this backend can be used, or None."""
        return None if cls.module is None or find_spec(cls.module) else f"pip install {cls.install}"

    @classmethod
    def version(cls) -> str:
        """The version of the library behind it, for `csp-mines backends`; by default that of the
        package that declares the engine."""
        if cls.module is not None:
            return "" if cls.missing() else f"{cls.library} {version(cls.library)}"
        for entry in _entry_points().values():
            if entry.value == f"{cls.__module__}:{cls.__qualname__}" and entry.dist is not None:
                ours = entry.dist.name == "csp-mines"
                return entry.dist.version if ours else f"{entry.dist.name} {entry.dist.version}"
        return ""

    @classmethod
    def choices(cls) -> Mapping[str, Sequence[str]]:
        """What each word of `options` may stand for, where that is a list of names."""
        return {}

    @classmethod
    def to_json(cls) -> dict[str, Any]:
        """Return the facts of the backend, as `backends --json` lists them."""
        lacking = cls.missing()
        return {
            "name": cls.name,
            "available": lacking is None,
            "install": lacking,
            "version": cls.version() if lacking is None else "",
            "complete": cls.complete,
            "ranges": cls.ranges,
            "counts": cls.counts,
            "floating_point": cls.floating_point,
            "options": cls.options,
            "summary": cls.summary,
        }

    def within(self, question: Question) -> Backend:
        """Return the same engine with the limits of a question."""
        return limited(
            type(self),
            self.option,
            max_states=question.max_states,
            max_memory=question.max_memory,
            seconds=question.seconds,
        )

    def analyze(self, question: Question, memory: RegionMemory | None = None) -> Analysis:
        """Answer a question. This method uses the frontier, `deduce` and `count`; an engine with a
        faster way overrides it. `memory` comes from `self.memory`.

        Raises BoardError for an invalid array, and what `deduce` and `count` raise."""
        from csp_mines.analysis.by_engine import by_engine

        return by_engine(question, self.within(question))

    def analyze_many(self, questions: Sequence[Question], threads: int) -> list[Analysis | None]:
        """Answer several questions that differ only in their boards and totals. An answer is None
        if the caller must ask that question alone. Raises what `analyze` raises."""
        return [None] * len(questions)

    def analyze_batch(
        self,
        shared: Question,
        codes: Codes,
        totals: npt.NDArray[np.int64],
        threads: int,
        batch: Batch,
    ) -> bool:
        """Write the answers about an array of valid boards into `batch`, and return True. An engine
        returns False if it cannot: then the caller asks board by board. `shared` is the question
        without boards and totals; a total is -1 where it is unknown. Raises EngineFault."""
        return False

    def memory(self, max_bytes: int) -> RegionMemory | None:
        """Return a store for counts that `analyze` keeps between positions of a game, or None."""
        return None

    @classmethod
    def capability(cls, what: Capability) -> Kernel:
        """Return the kernel that offers a capability. Raises BackendUnavailable with the reason."""
        raise BackendUnavailable(f"backend {cls.name!r} does not offer {what}")

    def deduce(self, problem: Problem) -> Deduction:
        """Return cells that are the same in every layout: all of them, or some, and never a wrong
        one. The engine uses the total if the problem has one, and only the bounds of constraints.
        Raises Contradiction if it finds that no layout fits, OutOfTime, EngineFault if the engine
        contradicts itself."""
        raise NotImplementedError

    def simplify(self, problem: Problem) -> Deduction:
        """Return deductions that make counting cheaper; they need not be complete. Raises
        Contradiction like `deduce`."""
        return self.deduce(problem)

    @classmethod
    def simplifies_fully(cls) -> bool:
        """Return whether `simplify` finds every certain cell, so that counting adds none."""
        return cls.complete and cls.simplify is Backend.simplify

    def elimination_width(self, problem: Problem) -> int | None:
        """Return the most constraints that are open at once in the order by which the engine
        eliminates boxes, or None if it has no such order. Raises Contradiction, OutOfTime."""
        return None

    def layouts(self, problem: Problem, count: int, seed: int) -> list[list[int]]:
        """Return `count` layouts that fit, as different as the engine can make them. A layout is
        the number of mines in every box of `problem.boxes`. Raises Unsupported if the engine cannot
        make layouts, Contradiction if none fits."""
        raise Unsupported(f"backend {self.name!r} cannot make layouts")

    def count(self, region: Region) -> RegionCount:
        """Return the exact count of a region. Raises Unsupported if the engine does not count,
        TooWide, OutOfTime, EngineFault."""
        raise Unsupported(f"backend {self.name!r} cannot count")


@cache
def _entry_points() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group="csp_mines.backends")}


def backend_names() -> Iterable[str]:
    """Return the names of all declared backends, usable or not: first those of this package,
    weakest first."""
    ours = [
        "single", "subtraction", "gauss", "pysat", "cpsat", "z3", "clingo", "highs", "native",
        "sdd", "ganak",
    ]  # fmt: skip
    declared = _entry_points()
    return [name for name in ours if name in declared] + sorted(set(declared) - set(ours))


def backend_class(name: str) -> type[Backend]:
    """Return the class of a backend. Raises UnknownName, MissingLibrary, BackendUnavailable."""
    try:
        entry = _entry_points()[name]
    except KeyError:
        raise UnknownName("backend", name, list(backend_names())) from None
    loaded: type[Backend] = load_entry(entry, f"backend {name!r}")
    return loaded


@cache
def default_engine() -> Backend:
    """Return the engine that answers unless the caller names another."""
    return load(defaults.BACKEND)


def capability(what: Capability) -> Kernel:
    """Return the kernel that offers a capability. Raises BackendUnavailable with the reason."""
    return default_engine().capability(what)


@cache
def offered(what: Capability) -> Kernel | None:
    """Return the kernel that offers a capability, or None."""
    with suppress(BackendUnavailable):
        return capability(what)
    return None


def load_entry(entry: EntryPoint, what: str) -> Any:
    """Load the object of an entry point; `what` names it in messages. Raises MissingLibrary if a
    library that it imports is not installed, BackendUnavailable if the object is not there."""
    try:
        return entry.load()
    except (ImportError, AttributeError) as error:
        package = entry.module.partition(".")[0]
        imported = (getattr(error, "name", None) or package).partition(".")[0]
        if isinstance(error, ImportError) and imported != package:
            raise MissingLibrary(f"{what} needs {imported}: {error}") from error
        raise BackendUnavailable(f"{what} cannot be loaded: {error}") from error


def limited(
    chosen: type[Backend],
    option: str | None,
    *,
    max_states: int = defaults.MAX_STATES,
    max_memory: int = defaults.MAX_MEMORY,
    seconds: float | None = None,
) -> Backend:
    """Make an engine with its bounds. If there is a time limit that the engine does not claim to
    keep, it works in a process apart, which is ended after the limit."""
    max_states, max_memory, seconds = limits(max_states, max_memory, seconds)
    limit = inf if seconds is None else seconds
    if limit < inf and not chosen.keeps_time and apart.is_possible():
        chosen = _supervised(chosen)
    return chosen(option, max_states=max_states, max_memory=max_memory, seconds=seconds)


def _supervised(chosen: type[Backend]) -> type[Backend]:
    """Return the same engine with its work done in a process apart. Its facts are inherited."""
    work = ("deduce", "simplify", "count", "layouts")
    own = [method for method in work if getattr(chosen, method) is not getattr(Backend, method)]
    calls = {method: _called_apart(chosen, method) for method in own}
    told = {"__module__": chosen.__module__, "__qualname__": chosen.__qualname__}
    return type(chosen.__name__, (chosen,), {**calls, **told, "keeps_time": True})


def _called_apart(chosen: type[Backend], method: str) -> Callable[..., Any]:
    def called(self: Backend, *arguments: Any) -> Any:
        assert self.seconds is not None
        bounds = self.option, self.max_states, self.max_memory, self.seconds
        return apart.call(
            _work, chosen, bounds, method, arguments, engine=self.name, seconds=self.seconds
        )

    return called


def _work(
    chosen: type[Backend],
    bounds: tuple[str | None, int, int, float],
    method: str,
    arguments: tuple[Any, ...],
) -> Any:
    """What the process apart does: it makes the engine and calls one of its methods."""
    option, max_states, max_memory, seconds = bounds
    engine = chosen(option, max_states=max_states, max_memory=max_memory, seconds=seconds)
    return getattr(engine, method)(*arguments)


def backend_name(spec: str) -> str:
    """Return the name in `name` or `name:option`. Raises InputError if `spec` is not a string."""
    return arguments.text(spec, "backend").partition(":")[0]


def load(
    spec: str,
    *,
    max_states: int = defaults.MAX_STATES,
    max_memory: int = defaults.MAX_MEMORY,
    seconds: float | None = None,
    floating_point: bool = False,
) -> Backend:
    """Return the backend of `name` or `name:option` with these limits.

    A caller that does not rely on the deductions accepts an engine that decides in
    `floating_point`. Raises UnknownName, Unsupported for a wrong option and for an engine whose
    deductions are no proofs, MissingLibrary, BackendUnavailable."""
    name = backend_name(spec)
    option = spec[len(name) + 1 :]
    chosen = backend_class(name)
    lacking = chosen.missing()
    if lacking is not None:
        raise MissingLibrary(f"backend {name!r} is not available: {lacking}")
    if chosen.floating_point and not floating_point:
        raise Unsupported(
            f"backend {name!r} decides in floating point, so its deductions are no proofs; "
            "`compare` shows what it finds, every other task needs another backend"
        )
    return limited(
        chosen, option or None, max_states=max_states, max_memory=max_memory, seconds=seconds
    )
