"""Every error that csp_mines raises on purpose: one base, and what callers may tell apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from csp_mines.conflict import Conflict

__all__ = [
    "BackendUnavailable",
    "BoardError",
    "BoardSyntaxError",
    "Contradiction",
    "CspMinesError",
    "TooWide",
    "UnknownName",
    "Unsupported",
]


class CspMinesError(Exception):
    """The base: catch this to catch everything the toolkit reports. `exit_status` is what the
    command line makes of it."""

    exit_status = 2


class BoardError(CspMinesError, ValueError):
    """A board, a prior or a cell that makes no sense by itself: wrong shape, unknown value, …"""


class BoardSyntaxError(BoardError):
    """Text that is no board. Knows where: `source`, `line` and `column` count from 1."""

    def __init__(self, problem: str, *, source: str, line: int, column: int | None = None) -> None:
        self.problem = problem
        self.source = source
        self.line = line
        self.column = column
        where = f"{source}:{line}" if column is None else f"{source}:{line}:{column}"
        super().__init__(f"{where}: {problem}")


class Contradiction(CspMinesError):
    """No layout fits. `conflict` is a minimal set of clues that cannot hold together, found when
    it is first asked for, or None where only constraints and no board are known."""

    exit_status = 1

    def __init__(
        self, message: str = "no layout fits", *, find: Callable[[], Conflict] | None = None
    ) -> None:
        super().__init__(message)
        self.find = find

    @cached_property
    def conflict(self) -> Conflict | None:
        return None if self.find is None else self.find()

    def __reduce__(self) -> tuple[type[Contradiction], tuple[str]]:
        return Contradiction, (str(self),)


class TooWide(CspMinesError):
    """Counting needs more states than it was allowed to keep."""

    def __init__(self, states: int, limit: int) -> None:
        self.states = states
        self.limit = limit
        super().__init__(
            f"too wide to count: one region needs {states:,} states or more, "
            f"the limit is {limit:,}; raise --max-states if there is memory, "
            "or ask a deducing backend such as pysat with --no-probabilities"
        )

    def __reduce__(self) -> tuple[type[TooWide], tuple[int, int]]:
        return TooWide, (self.states, self.limit)


class UnknownName(CspMinesError, LookupError):
    """A backend, preset, policy, format or clue model nobody knows."""

    def __init__(self, kind: str, name: str, known: Sequence[str]) -> None:
        self.kind, self.name, self.known = kind, name, tuple(known)
        super().__init__(f"unknown {kind} {name!r}; known: {', '.join(known)}")

    def __reduce__(self) -> tuple[type[UnknownName], tuple[str, str, tuple[str, ...]]]:
        return UnknownName, (self.kind, self.name, self.known)


class BackendUnavailable(CspMinesError):
    """A backend whose library is not installed; the message says what to install."""


class Unsupported(CspMinesError):
    """A backend was asked for something that it says it cannot do."""
