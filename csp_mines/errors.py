"""The errors of csp_mines, under one base class.

Each class also sets the exit status of a command that ends with the error. UnknownName also chooses
the known name to suggest. Other modules define only exceptions that are not meant for the callers
of csp_mines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Self

from csp_mines.words import clue_text, cut, few, joined, plural, typed_cell


class CspMinesError(Exception):
    """The base class of all errors in this module. `exit_status` is the exit status of a command
    that ends with the error."""

    exit_status = 2

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the message and the fields. Unpickling does not call the constructor, which makes
        the message from other arguments."""
        return type(self).__new__, (type(self), *self.args), self.__dict__

    def about_board(self, number: int) -> Self:
        """Put the number of the board before the message, as in `board 3: …`, for errors about one
        of many boards. The number of the first board is 0. Return the error."""
        self.args = (f"board {number}: {self.args[0]}", *self.args[1:])
        return self


class InputError(CspMinesError, ValueError):
    """An argument is invalid, or does not fit the other arguments or the situation. `argument` is
    None, or the name of the argument with which the message begins. In place of this name, the
    command line shows the option of the same name if the user gave the option.

    >>> try:
    ...     csp_mines.analyze([[-1, 1, -1]], seconds=-1)
    ... except csp_mines.InputError as error:
    ...     print(error)
    seconds must be a number greater than 0, not -1
    """

    argument: str | None = None


class BoardError(InputError):
    """A board, a layout, a prior or a cell is invalid, or does not fit the request. For example, a
    board has rows of different lengths, or a cell that must be hidden is open.

    >>> try:
    ...     csp_mines.Board([[-1, 1, -1]], mines=4)
    ... except csp_mines.BoardError as error:
    ...     print(error)
    a board of 3 cells has 0 to 3 mines, not 4
    """


class BoardSyntaxError(BoardError):
    """A text is not a valid board, layout, recording or certificate. `problem` says what is wrong.
    `source` is the name of the file, or another name for the text. `line` and `column` say where
    the fault is; both count from 1. `column` is None if the fault is not at a single column.

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
    """No board can be read from a picture, or from a file that is not a picture. The message says
    why."""


class PictureTooBusy(NoBoardInPicture):
    """A picture shows so much detail that the search for a board exceeds its time limit."""


class ProblemSyntaxError(InputError):
    """A text is not a valid problem in OPB or JSON. The field `problem` says what is wrong with the
    text. `source` is the name of the file, or another name for the text. `line` says where the
    fault is. Lines count from 1; `line` is None if the fault is not in a single line.

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
        """Return the FileError for a Python error about the file at `path`. Its message is such as
        `board.txt: no such file or directory`. A ValueError means that `path` is not a valid file
        name."""
        name = cut(fspath(path), 300)
        if isinstance(error, OSError):
            return cls(f"{name}: {(error.strerror or str(error)).lower()}")
        return cls(f"{name!r} is not a valid file name")


@dataclass(frozen=True)
class Conflict:
    """A set of clues, perhaps with the total, that cannot all be true. The set is minimal: if any
    one clue or the total is left out, the rest can be true. (If the clues of the board touch more
    than 600 hidden cells, a set with the total may have clues that can be left out.)

    * `clues` has pairs of a cell and the number that the cell shows.
    * `mines` is the total if the total belongs to the set, otherwise None.
    * `relation` is the sign between a cell and its number in the text: `≥` for optimistic clues,
      `≤` for cautious clues, otherwise `=`.
    * `labels` has the names of the cells. If `labels` is empty, a cell is called `row,col`.
    * `reason` is a text such as `no hidden cell is beside it`. It says why the set is impossible if
      the set is a single clue or the total alone. Otherwise it is empty.

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
        """One text for each clue, and one for the total if the total belongs to the conflict, such
        as `(0,1)=1`, `(0,2)=3`, `10 mines in all`. Of more than 20 clues, only the first 20 are
        listed, and a text such as `5 more clues` follows."""
        labels = self.labels or [typed_cell(cell) for cell, _ in self.clues]
        clues = (
            clue_text(label, self.relation, shown)
            for label, (_, shown) in zip(labels, self.clues, strict=True)
        )
        parts = few(clues, "clue")
        if self.mines is not None:
            parts.append(f"{plural(self.mines, 'mine')} in all")
        return parts

    def __str__(self) -> str:
        return self.text

    def to_json(self) -> list[dict[str, Any]]:
        """Return one object per clue, `{"cell": [r, c], "clue": k}`, and also `{"mines": M}` if the
        total belongs to the conflict."""
        clues: list[dict[str, Any]] = [
            {"cell": list(cell), "clue": shown} for cell, shown in self.clues
        ]
        return clues if self.mines is None else [*clues, {"mines": self.mines}]


class Contradiction(CspMinesError):
    """No layout fits a board, or a problem without a board.

    * `message` says what the engine noticed.
    * `conflict` is a set of clues that cannot all be true. It is None for a problem without a
      board, and for a very large board if the search finds no such set.
    * `find` is the function that searches for the conflict, or None.
    * `names_clues` says whether `message` already names the clues.

    The text of the error is `message`. If `names_clues` is False, the conflict follows, unless it
    is None. The search starts when a caller first reads `conflict`, or first reads the text while
    `names_clues` is False."""

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
        """The conflict that `find` returns; None if `find` returns None, or if there is no
        `find`."""
        return None if self.find is None else self.find()

    def __str__(self) -> str:
        """Return `message` with the conflict, such as `no layout fits: (0,1)=1 and (0,2)=3 cannot
        hold together`, or `message` alone (see the class)."""
        if self.names_clues or self.conflict is None:
            return self.message
        return f"{self.message}: {self.conflict}"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the conflict if the search for it has ended, else None. The function `find` is not
        pickled."""
        known = self.__dict__.get("conflict")
        return *super().__reduce__()[:2], self.__dict__ | {"find": None, "conflict": known}


class GaveUp(CspMinesError):
    """An engine gave no answer, in most cases because it reached a limit. This proves nothing about
    the board.

    >>> issubclass(csp_mines.TooWide, csp_mines.GaveUp)
    True
    >>> issubclass(csp_mines.OutOfTime, csp_mines.GaveUp)
    True
    """


class OutOfTime(GaveUp):
    """An engine did not finish within its time limit. `seconds` is this limit. `engine` is the name
    of the engine, or None if the message names no engine.

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
        # `what` is the first part of the message. The command line adds advice of its own to it.
        self.what = f"out of time: {who}no answer within {limit}"
        advice = "allow more `seconds`"
        if engine not in (None, "native"):
            advice += ", or try the engine 'native', which counts wide regions best"
        super().__init__(f"{self.what}; {advice}")


class EngineFault(CspMinesError):
    """An engine has a defect: it raises an unexpected error, contradicts itself, gives an invalid
    answer, or its process ends. There is no answer, because the results of the engine are not used.
    `status` is the exit status of a process that ended; a negative number means a signal. `status`
    is None if no process ended."""

    exit_status = 3
    status: int | None = None


class TooWide(GaveUp):
    """Counting a region needs more states or more memory than allowed.

    `states` is the number of states at which the count stopped, as far as the engine knows it.
    `max_memory` is the limit in bytes if that limit stopped the count, and None if `max_states`
    did. `counted` is None or an array with an entry for each cell of the board: nan at cells that
    are not hidden and in regions that are too wide, otherwise the risk without using the total.

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
            # `what` is the first part of the message, as in OutOfTime.
            self.what = f"too wide to count: one region needs {plural(states, 'state')} or more"
            super().__init__(f"{self.what}, but max_states is {max_states:,}")
        else:
            self.what = (
                f"too wide to count: one region needs more than {_size(max_memory)} of memory; the "
                f"count stopped at {plural(states, 'state')}"
            )
            super().__init__(f"{self.what}; raise max_memory if the machine has more")


def _size(size: int) -> str:
    """Return a number of bytes as text, such as `2 GiB`. The unit is the largest of bytes, KiB, MiB
    and GiB in which the number is at least 1."""
    power = min(3, max(0, size.bit_length() - 1) // 10)
    return f"{round(size / 1024**power, 1):g} {('bytes', 'KiB', 'MiB', 'GiB')[power]}"


class UnknownName(InputError, LookupError):
    """A name is not one of the known names. `kind` says what the name stands for, such as `backend`
    or `level`. `known` lists the known names. `nearest` is the known name with the most similar
    spelling, or None if no known name is similar. `hint` is empty, or says what else to write.

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
    """A library that a part of csp_mines or an own agent needs is not installed, or cannot be
    imported. The message names the library, or the command that installs the library."""


class BackendUnavailable(CspMinesError):
    """An engine cannot be used, although no library is missing. Either the engine cannot be loaded,
    or it does not offer the task, or the compiled kernel is missing."""


class Unsupported(CspMinesError):
    """A request is valid, but csp_mines does not support it. For example, a backend cannot count, a
    player cannot play with a density, or a picture would be too large.

    >>> try:
    ...     csp_mines.win_chance(csp_mines.Board([[-1, 1, -1]], density=0.2))
    ... except csp_mines.Unsupported as error:
    ...     print(error)
    playing to win does not work with a density; give the number of mines instead
    """


class Disagreement(CspMinesError):
    """Two engines, two encodings, or an engine and an export contradict each other. At least one of
    the two has a defect."""

    exit_status = 3


class TooManyLayouts(Unsupported):
    """A position has too many hidden cells or layouts for an exact search, or the search takes too
    many steps.

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
    """A generator found no game or puzzle that matches the request, but one may exist. `what` says
    what the generator tried. `method` is None, or the name of another method to try."""

    def __init__(self, what: str, method: str | None = None) -> None:
        self.what, self.method = what, method
        super().__init__(what if method is None else f"{what}; try method {method!r}")


class BadCertificate(CspMinesError):
    """A certificate is invalid. `problem` says what is wrong. `step` is the number of the step at
    fault, counted from 1, or None if no single step is at fault."""

    exit_status = 1

    def __init__(self, problem: str, step: int | None = None) -> None:
        self.step = step
        self.problem = problem
        super().__init__(problem if step is None else f"step {step}: {problem}")


class SimulationError(CspMinesError):
    """A game of a simulation could not be finished, and no own agent is at fault. The message says
    why. It names either the game, or its agent and its setup."""


class AgentError(CspMinesError):
    """An own agent could not be imported, crashed, broke the rules or took too long.

    * `agent` is the name of the agent, and `problem` says what the agent did.
    * `board` is the position as a line, or None if the agent could not be imported.
    * `frames` is the part of the traceback that concerns the agent's own code, or empty.
    * In a simulation, `game` describes the game and `number` is its number. Otherwise, `game` is
      empty and `number` is 0.
    * `results` has the results of a simulation that went on without the agent, or is None.

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
        """Pickle the error without `results`."""
        return *super().__reduce__()[:2], self.__dict__ | {"results": None}


class WorkerError(CspMinesError):
    """A simulation has no workers for its games: worker processes do not start, cannot be reached,
    or die one after another at the same game."""


class RunFileError(CspMinesError):
    """The file of a run is missing, damaged or in use, cannot be opened, read or written, or
    belongs to another run or program.

    >>> try:
    ...     csp_mines.Results.read("README.md")
    ... except csp_mines.RunFileError as error:
    ...     print(error)
    README.md is not the file of a run; give another file
    """


class RunFileExists(RunFileError):
    """The file for a new run already contains a run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        super().__init__(f"{path} exists; continue its run with resume=True, or give another file")


class BadRequest(CspMinesError):
    """The server of the page refuses a request: the request is invalid, or the state of the game
    does not allow the request."""


class UnknownGame(BadRequest):
    """The server of the page does not hold the game that a request names, for example because the
    server was restarted or has dropped the game."""
