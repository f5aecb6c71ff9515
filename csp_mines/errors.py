"""Every error that csp_mines raises on purpose: one base, and what callers may tell apart.

The modules that raise one offer it as well. What never leaves the module that raises it is no error
and stands there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from csp_mines.words import clue_text, cut, few, joined, plural

__all__ = [
    "BackendUnavailable",
    "BadCertificate",
    "BadRequest",
    "BoardError",
    "BoardSyntaxError",
    "Conflict",
    "Contradiction",
    "CspMinesError",
    "Disagreement",
    "EngineFault",
    "FileError",
    "GaveUp",
    "InputError",
    "MissingLibrary",
    "NotFound",
    "OutOfTime",
    "RunFileError",
    "RunFileExists",
    "SimulationError",
    "TooManyLayouts",
    "TooWide",
    "UnknownName",
    "UnsoundDeduction",
    "Unsupported",
    "WorkerError",
]


class CspMinesError(Exception):
    """The base: catch this to catch everything the toolkit reports. `exit_status` is what the
    command line makes of it."""

    exit_status = 2


class InputError(CspMinesError, ValueError):
    """An argument that makes no sense, by itself or beside the others. `argument` is its name where
    the message begins with it, so that the command line can speak of an option instead."""

    argument: str | None = None


class BoardError(InputError):
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


class FileError(CspMinesError, OSError):
    """A file that cannot be read or written."""

    @classmethod
    def of(cls, path: str | PathLike[str], error: OSError | ValueError) -> FileError:
        """What became of a file: `board.txt: no such file or directory`. A ValueError is what
        Python makes of a name that no file can have."""
        name = cut(fspath(path), 300)
        if isinstance(error, OSError):
            return cls(f"{name}: {(error.strerror or str(error)).lower()}")
        return cls(f"{name!r} is no name for a file")


@dataclass(frozen=True)
class Conflict:
    """Clues, each with what it shows, and the mines on the whole board where that number is part of
    it. All of it together cannot hold; take any one away and the rest can. `relation` is what a
    shown number says of the true one (see `ClueModel`)."""

    clues: tuple[tuple[tuple[int, int], int], ...]
    mines: int | None = None
    relation: str = "="

    @property
    def text(self) -> str:
        """`(0,1)=1, (0,2)=3 and 10 mines in all cannot hold together`."""
        return f"{joined(self.parts)} cannot hold{' together' if len(self.parts) > 1 else ''}"

    @property
    def parts(self) -> list[str]:
        """`(0,1)=1`, `(0,2)=3`, `10 mines in all`; of very many clues only the first."""
        clues = (clue_text(cell, self.relation, shown) for cell, shown in self.clues)
        parts = few(clues, "more clues")
        if self.mines is not None:
            parts.append(f"{plural(self.mines, 'mine')} in all")
        return parts

    def __str__(self) -> str:
        return self.text

    def to_json(self) -> list[dict[str, Any]]:
        """One object a clue, `{"cell": [r, c], "clue": k}`, and `{"mines": M}` where it is part."""
        clues: list[dict[str, Any]] = [
            {"cell": list(cell), "clue": shown} for cell, shown in self.clues
        ]
        return clues if self.mines is None else [*clues, {"mines": self.mines}]


class Contradiction(CspMinesError):
    """No layout fits. `message` says what was noticed; `conflict` is a minimal set of clues that
    cannot hold together, or None where only constraints and no board are known, or where it was
    not to be had with bounded effort. It is looked for when it, or the text of the error, is first
    asked for; `names_clues` says that the message has it already."""

    exit_status = 1

    def __init__(
        self,
        message: str = "no layout fits",
        *,
        find: Callable[[], Conflict | None] | None = None,
        names_clues: bool = False,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.find = find
        self.names_clues = names_clues

    @cached_property
    def conflict(self) -> Conflict | None:
        return None if self.find is None else self.find()

    def __str__(self) -> str:
        """`no layout fits: (0,1)=1 and (0,2)=3 cannot hold together`."""
        if self.names_clues or self.conflict is None:
            return self.message
        return f"{self.message}: {self.conflict}"

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy knows the conflict if the original did; the way to find it stays behind."""
        known = self.__dict__.get("conflict")
        state = {"names_clues": self.names_clues, "conflict": known}
        return type(self), (self.message,), state


class GaveUp(CspMinesError):
    """An engine stopped at a bound that it was given. This is no answer, and proves nothing."""


class OutOfTime(GaveUp):
    """An engine did not finish within the seconds it was given."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        limit = f"{seconds:g} second" + "s" * (seconds != 1)
        self.what = f"out of time: no answer within {limit}"
        super().__init__(
            f"{self.what}; allow more `seconds`, or choose another engine ('native' counts wide "
            "regions best)"
        )

    def __reduce__(self) -> tuple[type[OutOfTime], tuple[float]]:
        return OutOfTime, (self.seconds,)


class EngineFault(CspMinesError):
    """An engine contradicts itself, gives an unintelligible answer or died: a defect. What it
    said is not to be trusted, so there is no answer."""

    exit_status = 3


class TooWide(GaveUp):
    """Counting a region needs more states, or more memory, than it was allowed. `states` is how
    many there were when the count was given up; `max_memory` is the limit in bytes that it would
    have passed, or None when it passed `max_states`. `counted` has the risks of the regions that
    were counted all the same, by cell, nan elsewhere; or None."""

    counted: Any = None

    def __init__(self, states: int, max_states: int, max_memory: int | None = None) -> None:
        self.states = states
        self.max_states = max_states
        self.max_memory = max_memory
        if max_memory is None or states > max_states:
            self.max_memory = None
            self.what = f"too wide to count: one region needs {plural(states, 'state')} or more"
            super().__init__(f"{self.what}, max_states is {max_states:,}")
        else:
            self.what = (
                f"too wide to count: one region needs more than {_size(max_memory)} of memory; its "
                f"count was given up at {plural(states, 'state')}"
            )
            super().__init__(f"{self.what} (max_memory)")

    def __reduce__(self) -> tuple[type[TooWide], tuple[int, int, int | None]]:
        return TooWide, (self.states, self.max_states, self.max_memory)


def _size(size: int) -> str:
    """A number of bytes, in the largest unit that leaves at least 1."""
    power = min(3, max(0, size.bit_length() - 1) // 10)
    return f"{round(size / 1024**power, 1):g} {('bytes', 'KiB', 'MiB', 'GiB')[power]}"


class UnknownName(InputError, LookupError):
    """A backend, preset, policy, format or clue model nobody knows."""

    def __init__(self, kind: str, name: str, known: Sequence[str]) -> None:
        self.kind, self.name, self.known = kind, name, tuple(known)
        super().__init__(f"unknown {kind} {cut(name)!r}; known: {', '.join(known)}")

    def __reduce__(self) -> tuple[type[UnknownName], tuple[str, str, tuple[str, ...]]]:
        return UnknownName, (self.kind, self.name, self.known)


class MissingLibrary(CspMinesError):
    """An optional library that is not installed; the message says what to install."""


class BackendUnavailable(CspMinesError):
    """A backend that is declared and cannot be used, though no library is missing: its module is
    not the one that was meant, or was not built."""


class Unsupported(CspMinesError):
    """Something that a backend, a player or a picture says it cannot do."""


class Disagreement(CspMinesError):
    """Two engines cannot both be right: one of them has a defect."""

    exit_status = 3


class TooManyLayouts(Unsupported):
    """The position is too large for an exact search."""


class UnsoundDeduction(CspMinesError):
    """A cell was called proved and is not what it was proved to be."""


class NotFound(CspMinesError):
    """No layout as wished was found with a stated effort. There may be one all the same, and
    `method` is another way to look for it where there is one."""

    def __init__(self, what: str, method: str | None = None) -> None:
        self.what, self.method = what, method
        super().__init__(what if method is None else f"{what}; try method {method!r}")

    def __reduce__(self) -> tuple[type[NotFound], tuple[str, str | None]]:
        return NotFound, (self.what, self.method)


class BadCertificate(CspMinesError):
    """A certificate that proves nothing. `step` is the number of the move that fails, from 1; None
    when it is not a single move."""

    exit_status = 1

    def __init__(self, problem: str, step: int | None = None) -> None:
        self.step = step
        self.problem = problem
        super().__init__(problem if step is None else f"step {step}: {problem}")

    def __reduce__(self) -> tuple[type[BadCertificate], tuple[str, int | None]]:
        return BadCertificate, (self.problem, self.step)


class SimulationError(CspMinesError):
    """A game that could not be played to its end; the message says which one, and why."""


class WorkerError(CspMinesError):
    """A job that kills every worker it is given to, or workers that cannot be reached."""


class RunFileError(CspMinesError):
    """The file of a run that cannot be opened, read or written, is damaged, or belongs to another
    run or program."""


class RunFileExists(RunFileError):
    """The file of a run that was to be started exists already."""

    def __init__(self, path: Path) -> None:
        self.path = path
        super().__init__(f"{path} exists; go on with it by resume=True, or give another file")

    def __reduce__(self) -> tuple[type[RunFileExists], tuple[Path]]:
        return RunFileExists, (self.path,)


class BadRequest(CspMinesError):
    """A request that is not what its route takes."""
