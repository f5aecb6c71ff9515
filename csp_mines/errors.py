"""Every error that csp_mines raises on purpose, under one base class.

A module that raises an error also exports it. Exceptions that never leave the module that raises
them are defined in that module."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Self

from csp_mines.words import clue_text, cut, few, joined, plural

__all__ = [
    "AgentError",
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
    "ProblemSyntaxError",
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
    """The base class: catch it to catch every error that csp_mines raises on purpose. `exit_status`
    is the exit status of the command line."""

    exit_status = 2

    def __new__(cls, *given: Any, **named: Any) -> Self:
        error = super().__new__(cls, *given)
        error._given = given, named
        return error

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the arguments instead of the message that they make."""
        given, named = self._given
        return partial(type(self), *given, **named), (), self.__dict__

    _given: tuple[tuple[Any, ...], dict[str, Any]]


class InputError(CspMinesError, ValueError):
    """An invalid argument, alone or together with others. `argument` is its name if the message
    begins with that name, so that the command line can name the option instead."""

    argument: str | None = None


class BoardError(InputError):
    """An invalid board, prior or cell: wrong shape, unknown value, and so on."""


class BoardSyntaxError(BoardError):
    """Text that is not a board. `source`, `line` and `column` say where; both numbers count from
    1."""

    def __init__(self, problem: str, *, source: str, line: int, column: int | None = None) -> None:
        self.problem = problem
        self.source = source
        self.line = line
        self.column = column
        where = f"{source}:{line}" if column is None else f"{source}:{line}:{column}"
        super().__init__(f"{where}: {problem}")


class ProblemSyntaxError(InputError):
    """Text that is not a problem. `source` and `line` say where; the line counts from 1, and is
    None if the fault is not in one line."""

    def __init__(self, problem: str, *, source: str, line: int | None = None) -> None:
        self.problem = problem
        self.source = source
        self.line = line
        super().__init__(f"{source if line is None else f'{source}:{line}'}: {problem}")


class FileError(CspMinesError, OSError):
    """A file that cannot be read or written."""

    @classmethod
    def of(cls, path: str | PathLike[str], error: OSError | ValueError) -> FileError:
        """Return the error for a file, such as `board.txt: no such file or directory`. Python
        raises ValueError for an invalid file name."""
        name = cut(fspath(path), 300)
        if isinstance(error, OSError):
            return cls(f"{name}: {(error.strerror or str(error)).lower()}")
        return cls(f"{name!r} is not a valid file name")


@dataclass(frozen=True)
class Conflict:
    """Clues that cannot hold together, each with the number it shows. Without any one of its
    entries, the rest can hold.

    `mines` is the total if it is part of the conflict. `relation` is the relation of a true number
    to the shown one (see `ClueModel`)."""

    clues: tuple[tuple[tuple[int, int], int], ...]
    mines: int | None = None
    relation: str = "="

    @property
    def text(self) -> str:
        """`(0,1)=1, (0,2)=3 and 10 mines in all cannot hold together`."""
        return f"{joined(self.parts)} cannot hold{' together' if len(self.parts) > 1 else ''}"

    @property
    def parts(self) -> list[str]:
        """`(0,1)=1`, `(0,2)=3`, `10 mines in all`. Of very many clues only the first are listed."""
        clues = (clue_text(cell, self.relation, shown) for cell, shown in self.clues)
        parts = few(clues, "more clues")
        if self.mines is not None:
            parts.append(f"{plural(self.mines, 'mine')} in all")
        return parts

    def __str__(self) -> str:
        return self.text

    def to_json(self) -> list[dict[str, Any]]:
        """One object per clue, `{"cell": [r, c], "clue": k}`, and `{"mines": M}` if the total is
        part of the conflict."""
        clues: list[dict[str, Any]] = [
            {"cell": list(cell), "clue": shown} for cell, shown in self.clues
        ]
        return clues if self.mines is None else [*clues, {"mines": self.mines}]


class Contradiction(CspMinesError):
    """No layout fits the board.

    `message` says what the engine noticed. `conflict` is a minimal set of clues that cannot hold
    together. It is None if only constraints are known and no board, or if the search for it reached
    its limit. The search starts when `conflict`, or the text of the error, is first read.
    `names_clues` says that `message` already names the clues."""

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
        """Pickle the conflict if it is known. The function that finds it is not pickled."""
        known = self.__dict__.get("conflict")
        state = {"names_clues": self.names_clues, "conflict": known}
        return type(self), (self.message,), state


class GaveUp(CspMinesError):
    """An engine stopped at a limit. This proves nothing about the board."""


class OutOfTime(GaveUp):
    """An engine did not finish within its time limit."""

    def __init__(self, seconds: float, engine: str | None = None) -> None:
        self.seconds, self.engine = seconds, engine
        limit = f"{seconds:g} second" + "s" * (seconds != 1)
        who = "" if engine is None else f"{engine!r} gave "
        self.what = f"out of time: {who}no answer within {limit}"
        super().__init__(
            f"{self.what}; allow more `seconds`, or choose another engine ('native' counts wide "
            "regions best)"
        )


class EngineFault(CspMinesError):
    """An engine contradicts itself, gives an unreadable answer, or dies: a defect. Its results are
    not used, so there is no answer."""

    exit_status = 3


class TooWide(GaveUp):
    """Counting a region needs more states or more memory than allowed.

    `states` is how many there were when the count stopped. `max_memory` is the limit in bytes that
    stopped it, or None if `max_states` did. `counted` has the risks of the regions that were
    counted, by cell, and nan elsewhere; or it is None."""

    counted: Any = None

    def __init__(self, states: int, max_states: int, max_memory: int | None = None) -> None:
        self.states = states
        self.max_states = max_states
        self.max_memory = max_memory
        if max_memory is None or states > max_states:
            self.max_memory = None
            self.what = f"too wide to count: one region needs {plural(states, 'state')} or more"
            super().__init__(f"{self.what}, but max_states is {max_states:,}")
        else:
            self.what = (
                f"too wide to count: one region needs more than {_size(max_memory)} of memory; the "
                f"count stopped at {plural(states, 'state')}"
            )
            super().__init__(f"{self.what}; raise max_memory if the machine has more")


def _size(size: int) -> str:
    """Return a number of bytes in the largest unit that gives at least 1."""
    power = min(3, max(0, size.bit_length() - 1) // 10)
    return f"{round(size / 1024**power, 1):g} {('bytes', 'KiB', 'MiB', 'GiB')[power]}"


class UnknownName(InputError, LookupError):
    """An unknown name of a backend, preset, policy, format or clue model. `nearest` is the known
    name that is spelled most alike, None if none is. `hint` says what to write."""

    def __init__(self, kind: str, name: str, known: Sequence[str], hint: str = "") -> None:
        from difflib import get_close_matches

        self.kind, self.name, self.known, self.hint = kind, name, tuple(known), hint
        spelled = {other.lower(): other for other in known}
        alike = get_close_matches(cut(name).lower(), spelled, 1, cutoff=0.7)
        self.nearest = spelled[alike[0]] if alike else None
        meant = f" (did you mean {self.nearest!r}?)" if self.nearest and not hint else ""
        what = f"unknown {kind} {cut(name)!r}{meant}; known: {', '.join(known)}"
        super().__init__(f"{what}; {hint}" if hint else what)


class MissingLibrary(CspMinesError):
    """An optional library is not installed; the message says what to install."""


class BackendUnavailable(CspMinesError):
    """A declared backend cannot be used although no library is missing: its module is a wrong one,
    or was not built."""


class Unsupported(CspMinesError):
    """A backend, a player or a picture cannot do what was asked."""


class Disagreement(CspMinesError):
    """Two engines contradict each other: one of them has a defect."""

    exit_status = 3


class TooManyLayouts(Unsupported):
    """The position is too large for an exact search."""


class UnsoundDeduction(CspMinesError):
    """A cell is not what a deduction proved it to be."""


class NotFound(CspMinesError):
    """The search found no layout that matches the request; one may still exist. `method` is another
    way to search, if there is one."""

    def __init__(self, what: str, method: str | None = None) -> None:
        self.what, self.method = what, method
        super().__init__(what if method is None else f"{what}; try method {method!r}")


class BadCertificate(CspMinesError):
    """A certificate is invalid. `step` is the number of the failing move, from 1, or None if the
    fault is not in a single move."""

    exit_status = 1

    def __init__(self, problem: str, step: int | None = None) -> None:
        self.step = step
        self.problem = problem
        super().__init__(problem if step is None else f"step {step}: {problem}")


class SimulationError(CspMinesError):
    """A game could not be finished; the message says which one, and why."""


class AgentError(CspMinesError):
    """An agent of the caller crashed, made a move against the rules, or took too long.

    `agent` is its name, `problem` says what it did, `board` is the position as a line (None before
    the first move), `frames` is the traceback without frames outside the agent's package, and
    `game` names the game of a simulation and `number` is its number. `results` are the results of a
    simulation that went on without the agent, else None."""

    results: Any = None

    def __init__(
        self,
        agent: str,
        problem: str,
        board: str | None = None,
        frames: str = "",
        game: str = "",
        number: int = 0,
    ) -> None:
        self.agent, self.problem, self.board = agent, problem, board
        self.frames, self.game, self.number = frames, game, number
        where = f" ({game})" if game else ""
        lines = [f"agent {agent!r} {problem}{where}"]
        if board is not None:
            lines.append(f"board: {board}")
        if frames:
            lines.append(frames.rstrip("\n"))
        super().__init__("\n".join(lines))

    def __reduce__(self) -> tuple[Any, ...]:
        place = self.board, self.frames, self.game, self.number
        return AgentError, (self.agent, self.problem, *place)


class WorkerError(CspMinesError):
    """A job kills every worker that takes it, or no worker can be reached."""


class RunFileError(CspMinesError):
    """The file of a run cannot be opened, read or written, is damaged, or belongs to another run or
    program."""


class RunFileExists(RunFileError):
    """The file for a new run already exists."""

    def __init__(self, path: Path) -> None:
        self.path = path
        super().__init__(f"{path} exists; continue it with resume=True, or give another file")


class BadRequest(CspMinesError):
    """A request does not match what its route expects."""
