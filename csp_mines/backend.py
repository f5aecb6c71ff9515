"""The backend contract, and how backends are found.

A backend is handed cardinality constraints (a `Problem`, a `Region`), never a board. Packages offer
backends through the entry-point group `csp_mines.backends`; each is imported only when it is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from typing import Any, ClassVar

from csp_mines import __version__
from csp_mines.constraints import Constraint, Problem, Region
from csp_mines.errors import (
    BackendUnavailable,
    Contradiction,
    MissingLibrary,
    TooWide,
    UnknownName,
    Unsupported,
)
from csp_mines.kernel import Kernel

__all__ = [
    "DEFAULT_BACKEND",
    "DEFAULT_MAX_STATES",
    "Backend",
    "Deduction",
    "RegionCount",
    "backend_class",
    "backend_names",
    "load",
    "load_entry",
]

DEFAULT_BACKEND = "native"
DEFAULT_MAX_STATES = 2_000_000  # about 4 GiB in the pure-Python engine on everyday regions


@dataclass(frozen=True)
class Deduction:
    """Cells proved safe and cells proved to be mines; `calls` to a solver it took."""

    safe: frozenset[int] = frozenset()
    mines: frozenset[int] = frozenset()
    calls: int = 0

    def __or__(self, other: Deduction) -> Deduction:
        return Deduction(self.safe | other.safe, self.mines | other.mines, self.calls + other.calls)


@dataclass(frozen=True)
class RegionCount:
    """`ways[i]` is the weight of all solutions of a region with `low + i` mines (their number when
    no constraint has weights), `mines[b][i]` the mines in box `b` summed over those solutions with
    the same weights. First and last of `ways` are positive; `ways` is empty when nothing fits."""

    low: int
    ways: tuple[int, ...]
    mines: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, ways: Sequence[int], mines: Sequence[Sequence[int]]) -> RegionCount:
        """From lists that begin at no mines, cut to the numbers of mines that do occur."""
        occurring = [number for number, weight in enumerate(ways) if weight]
        if not occurring:
            return cls(0, (), tuple(() for _ in mines))
        low, high = occurring[0], occurring[-1] + 1
        return cls(low, tuple(ways[low:high]), tuple(tuple(one[low:high]) for one in mines))


class Backend:
    """An engine. Subclasses state their facts and implement `deduce`, and `count` if `counts`."""

    name: ClassVar[str]
    summary: ClassVar[str]
    complete: ClassVar[bool]  # finds every deduction
    ranges: ClassVar[bool]  # reasons from low < high as fully as from equalities
    counts: ClassVar[bool]  # implements `count`
    options: ClassVar[str] = ""  # what may follow the name and a colon, for people

    def __init__(self, option: str | None = None, *, max_states: int = DEFAULT_MAX_STATES) -> None:
        """`option` is what follows the colon in `name:option`. Raises Unsupported."""
        if option is not None and not self.options:
            raise Unsupported(f"backend {self.name!r} takes no option, got {option!r}")
        self.max_states = max_states

    @classmethod
    def missing(cls) -> str | None:
        """What to install before this backend can be used, or None."""
        return None

    @classmethod
    def version(cls) -> str:
        """The version of the library behind it, for `csp-mines backends`; by default our own."""
        return __version__

    @classmethod
    def kernel(cls) -> Kernel | None:
        """A compiled shortcut from whole boards to floats, where there is one."""
        return None

    def deduce(self, problem: Problem) -> Deduction:
        """The cells that every layout agrees on, or some of them; never a wrong one. Uses the
        total when the problem has one. Raises Contradiction when no layout is found to fit."""
        raise NotImplementedError

    def warm_up(self) -> None:
        """Solves a small problem: the first pays for importing a solver's library, which says
        nothing of the engine and is not to be timed."""
        with suppress(Contradiction, TooWide):
            self.deduce(Problem((Constraint((0, 1), 1, 1), Constraint((1, 2), 1, 1))))

    def simplify(self, problem: Problem) -> Deduction:
        """Deductions worth making before counting, sound and perhaps not complete.
        Raises Contradiction like `deduce`."""
        return self.deduce(problem)

    def count(self, region: Region) -> RegionCount:
        """The exact count of a region. Raises Unsupported unless `counts`, TooWide."""
        raise Unsupported(f"backend {self.name!r} cannot count")


@cache
def _entry_points() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group="csp_mines.backends")}


def backend_names() -> Iterable[str]:
    """The names of all backends that are declared, usable or not; ours first, weakest first."""
    ours = ["single", "subtraction", "gauss", "pysat", "cpsat", "native", "ganak"]
    found = _entry_points()
    return [name for name in ours if name in found] + sorted(set(found) - set(ours))


def backend_class(name: str) -> type[Backend]:
    """The class behind a name. Raises UnknownName, MissingLibrary, BackendUnavailable."""
    try:
        entry = _entry_points()[name]
    except KeyError:
        raise UnknownName("backend", name, list(backend_names())) from None
    loaded: type[Backend] = load_entry(entry, f"backend {name!r}")
    return loaded


def load_entry(entry: EntryPoint, what: str) -> Any:
    """What an entry point names; `what` it is, for messages. Raises MissingLibrary when a library
    that it imports is not installed, BackendUnavailable when it is not where it should be."""
    try:
        return entry.load()
    except (ImportError, AttributeError) as error:
        package = entry.module.partition(".")[0]
        imported = (getattr(error, "name", None) or package).partition(".")[0]
        if isinstance(error, ImportError) and imported != package:
            raise MissingLibrary(f"{what} needs {imported}: {error}") from error
        raise BackendUnavailable(
            f"{what} cannot be loaded: {error}; {package!r} was found {_place(package)}: "
            "a file or folder of that name of your own hides csp-mines' engines, rename it"
        ) from error


def _place(package: str) -> str:
    """Where Python finds a package."""
    found = find_spec(package)
    if found is None:
        return "nowhere"
    places = [found.origin] if found.origin else list(found.submodule_search_locations or ())
    return "at " + ", ".join(filter(None, places))


def load(spec: str, *, max_states: int = DEFAULT_MAX_STATES) -> Backend:
    """The backend that `name` or `name:option` says, ready to use.

    Raises UnknownName, Unsupported for a wrong option, MissingLibrary, BackendUnavailable."""
    name, _, option = spec.partition(":")
    chosen = backend_class(name)
    lacking = chosen.missing()
    if lacking is not None:
        raise MissingLibrary(f"backend {name!r} is not available: {lacking}")
    return chosen(option or None, max_states=max_states)
