"""Every error that csp_mines raises on purpose, under one base class.

This module also decides the exit status of each error, and which known name is suggested for an
unknown name. An exception that never leaves one module is defined in that module."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Self

from csp_mines.words import clue_text, cut, few, joined, plural, typed_cell


class CspMinesError(Exception):
    """The base class: catch it to catch every error that csp_mines raises on purpose. `exit_status`
    is the exit status of a command that ends with the error."""

    exit_status = 2

    def __new__(cls, *given: Any, **named: Any) -> Self:
        error = super().__new__(cls, *given)
        error._given = given, named
        return error

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the arguments of the constructor, because it makes the message from them."""
        given, named = self._given
        return partial(type(self), *given, **named), (), self.__dict__

    def about_board(self, number: int) -> Self:
        """Put the number of the board before the message, for errors about one of many boards.
        Return the error."""
        self.args = (f"board {number}: {self.args[0]}", *self.args[1:])
        return self

    _given: tuple[tuple[Any, ...], dict[str, Any]]


class InputError(CspMinesError, ValueError):
    """An argument is invalid, or cannot be combined with another argument. If the message begins
    with the name of the argument, `argument` is that name, and the command line shows the name of
    the option instead.

    >>> try:
    ...     csp_mines.analyze([[-1, 1, -1]], seconds=-1)
    ... except csp_mines.InputError as error:
    ...     print(error)
    seconds must be a number greater than 0, not -1
    """

    argument: str | None = None


class BoardError(InputError):
    """A board, a prior or a cell is invalid: it has a wrong shape, an unknown value, and so on.

    >>> try:
    ...     csp_mines.Board([[-1, 1, -1]], mines=4)
    ... except csp_mines.BoardError as error:
    ...     print(error)
    a board of 3 cells has 0 to 3 mines, not 4
    """


class BoardSyntaxError(BoardError):
    """A text is not a board. `source`, `line` and `column` say where the fault is. Lines and
    columns count from 1; `column` is None if the whole line is at fault.

    >>> try:
    ...     csp_mines.Board.parse("?1?\\n1")
    ... except csp_mines.BoardSyntaxError as error:
    ...     print(error.line, error.problem[:40])
    2 this row has 1 cell, the first row has 3
    """

    def __init__(self, problem: str, *, source: str, line: int, column: int | None = None) -> None:
        self.problem = problem
        self.source = source
        self.line = line
        self.column = column
        where = f"{source}:{line}" if column is None else f"{source}:{line}:{column}"
        super().__init__(f"{where}: {problem}")


class NoBoardInPicture(InputError):
    """A picture shows no board that can be read. The message says why."""


class PictureTooBusy(NoBoardInPicture):
    """A picture shows so much detail that the search for a board exceeds its time limit."""


class ProblemSyntaxError(InputError):
    """A text cannot be read as a problem. `source` and `line` say where the fault is. Lines
    count from 1; `line` is None if the fault is not in a single line.

    >>> try:
    ...     csp_mines.parse_problem("+1 x1 = one;", "opb")
    ... except csp_mines.ProblemSyntaxError as error:
    ...     print(error)
    <text>:1: expected a whole number after =, got 'one'
    """

    def __init__(self, problem: str, *, source: str, line: int | None = None) -> None:
        self.problem = problem
        self.source = source
        self.line = line
        super().__init__(f"{source if line is None else f'{source}:{line}'}: {problem}")


class FileError(CspMinesError, OSError):
    """A file cannot be read or written.

    >>> try:
    ...     csp_mines.Board.read("missing.txt")
    ... except csp_mines.FileError as error:
    ...     print(error)
    missing.txt: no such file or directory
    """

    @classmethod
    def of(cls, path: str | PathLike[str], error: OSError | ValueError) -> FileError:
        """Turn a Python error about the file at `path` into a FileError with a message such as
        `board.txt: no such file or directory`. Python raises ValueError for an invalid file
        name."""
        name = cut(fspath(path), 300)
        if isinstance(error, OSError):
            return cls(f"{name}: {(error.strerror or str(error)).lower()}")
        return cls(f"{name!r} is not a valid file name")


@dataclass(frozen=True)
class Conflict:
    """A minimal set of clues that cannot all be true: if any one of them is left out, the others
    can be true.

    `clues` has pairs of a cell and the number that it shows. `mines` is the total if it is part of
    the conflict, otherwise None. `relation` is the sign between a cell and its number in the text:
    `=`, or `≥` or `≤` with noisy clues. `labels` has the names of the cells; if it is empty, a cell
    is called `row,col`. `reason` says why a single clue is impossible, such as `no hidden cell is
    beside it`.

    >>> conflict = csp_mines.find_conflict([[1, -1, 0]])
    >>> conflict.clues
    (((0, 0), 1), ((0, 2), 0))
    >>> print(conflict)
    (0,0)=1 and (0,2)=0 cannot hold together
    """

    clues: tuple[tuple[tuple[int, int], int], ...]
    mines: int | None = None
    relation: str = "="
    labels: tuple[str, ...] = field(default=(), compare=False, repr=False)
    reason: str = field(default="", compare=False, repr=False)

    @property
    def text(self) -> str:
        """The conflict in words, such as `(0,1)=1, (0,2)=3 and 10 mines in all cannot hold
        together`, or for a single clue `(6,7)=1, but no hidden cell is beside it`."""
        if self.reason:
            return f"{joined(self.parts)}, but {self.reason}"
        return f"{joined(self.parts)} cannot hold{' together' if len(self.parts) > 1 else ''}"

    @property
    def parts(self) -> list[str]:
        """The clues and the total, such as `(0,1)=1`, `(0,2)=3`, `10 mines in all`. Of more than 20
        clues, only the first 20 are listed."""
        labels = self.labels or [typed_cell(cell) for cell, _ in self.clues]
        clues = (
            clue_text(label, self.relation, shown)
            for label, (_, shown) in zip(labels, self.clues, strict=True)
        )
        parts = few(clues, "more clues")
        if self.mines is not None:
            parts.append(f"{plural(self.mines, 'mine')} in all")
        return parts

    def __str__(self) -> str:
        return self.text

    def to_json(self) -> list[dict[str, Any]]:
        """Return one object per clue, `{"cell": [r, c], "clue": k}`, and also `{"mines": M}` if the
        total is part of the conflict."""
        clues: list[dict[str, Any]] = [
            {"cell": list(cell), "clue": shown} for cell, shown in self.clues
        ]
        return clues if self.mines is None else [*clues, {"mines": self.mines}]


class Contradiction(CspMinesError):
    """No layout fits the board.

    `message` says what the engine noticed. `conflict` is a minimal set of clues that cannot all be
    true. It is None if there is no board but only constraints, or if a search on a very large board
    finds no such set. The search starts when a caller first reads `conflict` or the text of the
    error. If `names_clues` is true, `message` already names the clues, and the text is `message`
    alone."""

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
        """A minimal set of clues that cannot all be true, or None as the class docstring says."""
        return None if self.find is None else self.find()

    def __str__(self) -> str:
        """Return a text such as `no layout fits: (0,1)=1 and (0,2)=3 cannot hold together`."""
        if self.names_clues or self.conflict is None:
            return self.message
        return f"{self.message}: {self.conflict}"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the conflict if it has been found, but not the function that finds it."""
        known = self.__dict__.get("conflict")
        state = {"names_clues": self.names_clues, "conflict": known}
        return type(self), (self.message,), state


class GaveUp(CspMinesError):
    """An engine stopped at a limit. This proves nothing about the board.

    >>> issubclass(csp_mines.TooWide, csp_mines.GaveUp)
    True
    >>> issubclass(csp_mines.OutOfTime, csp_mines.GaveUp)
    True
    """


class OutOfTime(GaveUp):
    """An engine did not finish within its time limit.

    >>> try:
    ...     csp_mines.analyze([[-1, 1, -1]], backend="pysat", seconds=1e-9)
    ... except csp_mines.OutOfTime:
    ...     print("too late")
    too late
    """

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
    """An engine has a defect: it raises an error, contradicts itself, gives an unreadable answer,
    or dies. Its results are not used, so there is no answer. If its process died, `status` is the
    exit status; a negative number means a signal."""

    exit_status = 3
    status: int | None = None


class TooWide(GaveUp):
    """Counting a region needs more states or more memory than allowed.

    `states` is the number of states when the count stopped. `max_memory` is the limit in bytes if
    that limit stopped the count, and None if `max_states` did. `counted` is None, or an array that
    has the risk of each cell in the regions that were counted before, and nan for all other cells.

    >>> try:
    ...     csp_mines.analyze([[-1, 1, -1, 1, -1, 1, -1]], max_states=1).solutions
    ... except csp_mines.TooWide:
    ...     print("pass approximate=3.0 for estimates")
    pass approximate=3.0 for estimates
    """

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
    """Return a number of bytes as text, in the largest unit in which it is at least 1."""
    power = min(3, max(0, size.bit_length() - 1) // 10)
    return f"{round(size / 1024**power, 1):g} {('bytes', 'KiB', 'MiB', 'GiB')[power]}"


class UnknownName(InputError, LookupError):
    """A name is not one of the known names. `kind` says what the name stands for, such as `backend`
    or `level`, and `known` lists the names that exist. `nearest` is the known name with the most
    similar spelling, or None. `hint` says what to write instead.

    >>> try:
    ...     csp_mines.Game.new("expret")
    ... except csp_mines.UnknownName as error:
    ...     print(error.kind, error.known[:3])
    level ('beginner', 'intermediate', 'expert')
    """

    def __init__(self, kind: str, name: str, known: Sequence[str], hint: str = "") -> None:
        from difflib import get_close_matches

        self.kind, self.name, self.known, self.hint = kind, name, tuple(known), hint
        spelled = {other.lower(): other for other in known}
        alike = get_close_matches(cut(name).lower(), spelled, 1, cutoff=0.7)
        self.nearest = str(spelled[alike[0]]) if alike else None
        meant = f" (did you mean {self.nearest!r}?)" if self.nearest else ""
        what = f"unknown {kind} {cut(name)!r}{meant}; known: {', '.join(known)}"
        super().__init__(f"{what}; {hint}" if hint else what)


class MissingLibrary(CspMinesError):
    """An optional library is not installed. The message says what to install."""


class BackendUnavailable(CspMinesError):
    """A backend cannot be used although no library is missing: its module does not exist, is broken
    or was not compiled, or the backend does not offer the task."""


class Unsupported(CspMinesError):
    """A request is valid, but the backend, player, format or picture does not support it.

    >>> try:
    ...     csp_mines.win_chance(csp_mines.Board([[-1, 1, -1]], density=0.2))
    ... except csp_mines.Unsupported as error:
    ...     print(error)
    playing to win needs the number of mines, not a density
    """


class Disagreement(CspMinesError):
    """Two engines contradict each other, so one of them has a defect."""

    exit_status = 3


class TooManyLayouts(Unsupported):
    """The position is too large for an exact search.

    >>> try:
    ...     csp_mines.win_chance([[-1] * 9] * 9, mines=10)
    ... except csp_mines.TooManyLayouts as error:
    ...     print(error)
    more than 64 hidden cells besides proved mines: too many for an exact search
    """


class UnsoundDeduction(CspMinesError):
    """A deduction is false: a cell that it calls safe is a mine, or a cell that it calls a mine is
    safe."""


class NotFound(CspMinesError):
    """The search found no layout that matches the request, but one may exist. `method` names
    another way to search, or is None."""

    def __init__(self, what: str, method: str | None = None) -> None:
        self.what, self.method = what, method
        super().__init__(what if method is None else f"{what}; try method {method!r}")


class BadCertificate(CspMinesError):
    """A certificate is invalid. `step` is the number of the step at fault, counted from 1, or None
    if no single step is at fault."""

    exit_status = 1

    def __init__(self, problem: str, step: int | None = None) -> None:
        self.step = step
        self.problem = problem
        super().__init__(problem if step is None else f"step {step}: {problem}")


class SimulationError(CspMinesError):
    """A game could not be finished. The message says which game, and why."""


class AgentError(CspMinesError):
    """An own agent crashed, made a move against the rules, or took too long.

    * `agent` is the name of the agent, and `problem` says what it did.
    * `board` is the position as a line, or None before the first move.
    * `frames` is the part of the traceback that is in the agent's own package.
    * `game` describes the game of a simulation, and `number` is its number.
    * `results` are the results of a simulation that went on without the agent, or None.

    >>> game = csp_mines.Game.new("beginner", seed=1)
    >>> try:
    ...     csp_mines.play(game, lambda board: None)
    ... except csp_mines.AgentError as error:
    ...     print(str(error).splitlines()[0])
    agent '<lambda>' returned None: a cell must be a pair of whole numbers, (row, col), not None
    """

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
    """A job made several worker processes die, one after another, or no worker can be reached."""


class RunFileError(CspMinesError):
    """The file of a run cannot be opened, read or written, is damaged, or belongs to another run or
    program.

    >>> try:
    ...     csp_mines.Results.read("README.md")
    ... except csp_mines.RunFileError as error:
    ...     print(error)
    README.md is not the file of a run; give another file
    """


class RunFileExists(RunFileError):
    """The file for a new run already exists."""

    def __init__(self, path: Path) -> None:
        self.path = path
        super().__init__(f"{path} exists; continue it with resume=True, or give another file")


class BadRequest(CspMinesError):
    """The server of the page cannot answer a request: the request is invalid, or the state of its
    game does not allow it."""


class UnknownGame(BadRequest):
    """The server of the page does not have the game that a request names. The server was restarted,
    or has dropped the game."""
