"""Agents of your own: a function from a board to a cell, or a class with memory.

`as_agent` turns everything that may stand for an agent into one: a name, an `Agent`, a function, a
class. An `OwnAgent` sees boards and nothing else. `OwnPlay` is one of its games: it asks the agent,
checks the answer against the rules, and says which cells were proved.
"""

from __future__ import annotations

import inspect
import os
import pickle
import re
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property, partial
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from traceback import extract_tb, format_list, walk_tb
from types import FrameType
from typing import Any, NoReturn, TypeAlias

import numpy as np

from csp_mines import defaults
from csp_mines.analysis.analyze import Analysis, analyze
from csp_mines.arguments import seed as checked_seed
from csp_mines.arguments import several, shown, text, wrong
from csp_mines.board import CLEAR, HIDDEN, MARKED, Board, Cell
from csp_mines.errors import (
    AgentError,
    CspMinesError,
    InputError,
    MissingLibrary,
    TooWide,
    UnknownName,
)
from csp_mines.games.agents import PRESETS, Agent, agent
from csp_mines.games.knowledge import Proved, Thought
from csp_mines.games.policies import Guess
from csp_mines.layout import Seed, seed_bytes
from csp_mines.words import cut, plural

__all__ = ["AgentLike", "AnyAgent", "OwnAgent", "OwnPlay", "Turn", "agent_names", "as_agent"]

MOVE_SECONDS = 60.0  # for one move of an own agent
_IMPORTED = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")


@dataclass(frozen=True)
class Turn:
    """Several moves at once, for agents that also mark mines: cells to `open` and cells to `mark`.

    The marks come first. A cell that a flood opens meanwhile is skipped."""

    open: Iterable[Cell] = ()
    mark: Iterable[Cell] = ()


@dataclass(frozen=True)
class OwnAgent:
    """An agent that a caller wrote.

    `make` is a function that gets a board and returns a cell `(row, col)` or a `Turn`, or a class
    whose method `move` (or `__call__`) does so. A class is constructed for each game, with a number
    `seed` if its constructor has a parameter of that name. `name` stands in results; by default it
    is `module:Name`, which is also how the command line names the agent."""

    make: Callable[..., Any]
    name: str = ""

    def __post_init__(self) -> None:
        """Check the fields. Raises InputError."""
        _require_playable(self.make)
        if not text(self.name, "name"):
            object.__setattr__(self, "name", _name_of(self.make))
        if self.name in PRESETS:
            raise InputError(f"{self.name!r} is the name of a preset; give the agent another name")

    def player(self, seed: Seed) -> Callable[[Board], Any]:
        """Return the function that plays one game: the method of a fresh object, or `make`."""
        make = self.make.loaded if isinstance(self.make, _Packed) else self.make
        if not _is_class(make):
            return make
        wants_seed = "seed" in inspect.signature(make).parameters
        made = make(seed=_agent_seed(seed)) if wants_seed else make()
        move: Callable[[Board], Any] = getattr(made, "move", made)
        return move

    def require_portable(self) -> None:
        """Raise InputError if worker processes cannot import the agent."""
        try:
            packed = pickle.dumps(self.make)
        except Exception as error:  # of many kinds: pickle asks the object itself
            why = f"it cannot be imported by its name ({cut(str(error), 100)})"
        else:
            if b"__main__" not in packed:
                return
            why = "it is defined in a notebook or in the script that runs (__main__)"
        raise InputError(
            f"worker processes cannot import the agent {self.name!r}: {why}. Put it into a module "
            "of its own, such as bots.py, and import it from there; or use workers=1"
        )

    @property
    def is_portable(self) -> bool:
        """Whether worker processes can import the agent."""
        try:
            self.require_portable()
        except InputError:
            return False
        return True

    def __hash__(self) -> int:
        return hash(self.name)  # an object that is called need not be hashable

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the agent so that a worker imports it when it plays, not when it gets it: so the
        worker can say what is missing."""
        data = self.make.data if isinstance(self.make, _Packed) else pickle.dumps(self.make)
        return _unpacked, (data, self.name)


AnyAgent: TypeAlias = Agent | OwnAgent
AgentLike: TypeAlias = str | Agent | OwnAgent | Callable[..., Any]


def as_agent(given: AgentLike) -> AnyAgent:
    """Return the agent that a name, an `Agent`, a function or a class stands for.

    A name is one that `agent` takes, one that an installed package declares under the entry-point
    group `csp_mines.agents`, or `package.module:Name`, which is imported, also from the current
    folder.

    Raises UnknownName, InputError, MissingLibrary, AgentError if the module cannot be run, and what
    `agent` raises."""
    if isinstance(given, Agent):
        if PRESETS.get(given.name, given) != given:
            raise InputError(f"{given.name!r} is the name of a preset; give the agent another name")
        return given
    if isinstance(given, OwnAgent):
        return given
    if not isinstance(given, str):
        return OwnAgent(given)
    if given in PRESETS or "+" in given or given.startswith("win:"):
        return agent(given)
    if given in _declared():
        return _named(_declared()[given].value, given)
    if _IMPORTED.fullmatch(given):
        return _named(given, given)
    raise UnknownName("agent", given, agent_names())


def agent_names() -> list[str]:
    """The names of presets and of declared agents, and the forms of other names."""
    return [*PRESETS, *sorted(_declared()), "BACKEND+POLICY", "PACKAGE.MODULE:NAME"]


class OwnPlay:
    """One game of an own agent: `think` asks it and checks its answer.

    An opening or a mark counts as proved if it follows from the board, by exact analysis; else it
    is a guess. Raises AgentError for a crash, a move against the rules, and a slow move."""

    def __init__(self, own: OwnAgent, board: Board, seed: Seed, *, retry: bool = False) -> None:
        self._own = own
        self._codes = board.codes.copy()
        self._header = board
        self._retry = retry
        self._queue: deque[Cell] = deque()
        self._judge = _Judge(board)
        self._move: Callable[[Board], Any] = self._asked("was not constructed", own.player, seed)

    @property
    def done(self) -> bool:
        """Whether no cell is left to open or mark."""
        return not (self._codes == HIDDEN).any()

    @property
    def board(self) -> Board:
        """The board as the agent sees it, with its own marks. Each call makes a copy."""
        return self._header.with_codes(self._codes)

    def see(self, cells: Iterable[tuple[Cell, int]]) -> None:
        """Record what some cells show now."""
        for cell, code in cells:
            self._codes[cell] = code

    def think(self) -> Thought:
        """Return the next marks and the next opening. The agent is asked if none is left of its
        last turn."""
        while self._queue:
            cell = self._queue.popleft()
            if self._codes[cell] in self._closed:
                return self._opening(cell)
        answer = self._asked("returned no move", self._move, self.board)
        opened, marked = self._checked(answer)
        self._queue.extend(opened)
        self._judge = _Judge(self.board)
        for cell in marked:
            self._codes[cell] = MARKED
        return self._marking(marked) if marked else self.think()

    @property
    def _closed(self) -> tuple[int, ...]:
        return (HIDDEN, CLEAR) if self._retry else (HIDDEN,)

    def _asked(self, what: str, ask: Callable[..., Any], *given: Any) -> Any:
        begin = time.monotonic()
        try:
            with _time_limit(MOVE_SECONDS):
                answer = ask(*given)
        except AgentError:
            raise
        except _TooSlow:
            self._blame(f"{what} within {MOVE_SECONDS:g} seconds")
        except (Exception, SystemExit) as error:
            raised = f"{type(error).__name__}: {error}".rstrip(": ")
            self._blame(f"raised {raised}", _own_frames(error, self._own))
        seconds = time.monotonic() - begin
        if seconds > MOVE_SECONDS:
            self._blame(f"took {seconds:.0f} seconds for a move; {MOVE_SECONDS:g} are allowed")
        return answer

    def _checked(self, answer: Any) -> tuple[list[Cell], list[Cell]]:
        """Return the cells to open and to mark, if the rules allow them."""
        try:
            turn = answer if isinstance(answer, Turn) else Turn(open=[answer])
            opened, marked = (
                [self._header.require(cell) for cell in several(cells, what, "cells")]
                for what, cells in (("open", turn.open), ("mark", turn.mark))
            )
        except CspMinesError as error:
            self._blame(f"returned {shown(answer)}: {error}")
        for cell in opened:
            self._require_closed(cell, self._closed, "opened")
        for cell in marked:
            self._require_closed(cell, (HIDDEN,), "marked")
        if not opened and not marked:
            self._blame("returned an empty turn; it must open or mark at least one cell")
        if set(opened) & set(marked) or len(set(marked)) < len(marked):
            self._blame(f"returned {shown(answer)}: a cell is marked twice, or marked and opened")
        return opened, marked

    def _require_closed(self, cell: Cell, closed: tuple[int, ...], what: str) -> None:
        code = int(self._codes[cell])
        if code not in closed:
            state = "marked as a mine" if code == MARKED else "open"
            self._blame(f"returned {cell[0]},{cell[1]}, which cannot be {what}: it is {state}")

    def _blame(self, problem: str, frames: str = "") -> NoReturn:
        raise AgentError(self._own.name, problem, self.board.to_line(), frames) from None

    def _opening(self, cell: Cell) -> Thought:
        proof = self._judge.proof(cell, mine=False)
        if proof is not None:
            return Thought(safe=(proof,))
        return Thought(guess=Guess(cell, self._judge.risk(cell), "its own choice"))

    def _marking(self, cells: list[Cell]) -> Thought:
        proofs = {cell: self._judge.proof(cell, mine=True) for cell in cells}
        return Thought(
            mines=tuple(proof for proof in proofs.values() if proof is not None),
            marks=tuple(cell for cell, proof in proofs.items() if proof is None),
        )


class _Judge:
    """What follows from a board: whether a move was proved. Analyses only if asked. The agent's
    marks do not count, since they may be wrong."""

    def __init__(self, board: Board) -> None:
        self._board = board.without_marks()

    @cached_property
    def _analysis(self) -> Analysis:
        exact = self._board.clues.likelihood is None
        states = defaults.AGENT_STATES if exact else defaults.NOISY_AGENT_STATES
        try:
            return analyze(self._board, max_states=states)
        except TooWide:
            return analyze(self._board, backend="subtraction", counting=False)

    def proof(self, cell: Cell, *, mine: bool) -> Proved | None:
        analysis = self._analysis
        if not (analysis.mine_mask if mine else analysis.safe_mask)[cell]:
            return None
        return Proved(cell, analysis.backend, "its own choice, and proved")

    def risk(self, cell: Cell) -> float | None:
        """Return the exact risk; None if the board is too wide to count."""
        if self._analysis.backend != defaults.BACKEND:
            return None
        risk = float(self._analysis.probabilities[cell])
        return None if np.isnan(risk) else risk


class _Packed:
    """A pickled function or class: imported when it is first needed."""

    def __init__(self, data: bytes, name: str) -> None:
        self.data, self._name = data, name

    @cached_property
    def loaded(self) -> Any:
        _look_in_current_folder()
        try:
            return pickle.loads(self.data)
        except Exception as error:
            why = f"{type(error).__name__}: {error}"
            raise AgentError(
                self._name,
                f"cannot be imported by a worker ({why}). Install its package where the workers "
                "run, or start them in its folder",
            ) from None

    def __call__(self, *given: Any) -> Any:
        return self.loaded(*given)


def _unpacked(data: bytes, name: str) -> OwnAgent:
    return OwnAgent(_Packed(data, name), name)


def _require_playable(make: Any) -> None:
    """Raise InputError unless `make` is a function, or a class with a method `move` or
    `__call__`."""
    if not callable(make):
        if hasattr(make, "move"):
            raise InputError(
                f"agent must be a class, and this is an object of {type(make).__name__}: give the "
                "class, so that each game begins without memory"
            )
        raise wrong("agent", "a name, an Agent, a function or a class", make)
    if _is_class(make):
        plain = _plain(make)
        if not callable(getattr(plain, "move", None)) and "__call__" not in dir(plain):
            raise InputError(
                f"the class {plain.__name__} needs a method move(board) to be an agent"
            )


def _is_class(make: Any) -> bool:
    return inspect.isclass(_plain(make))


def _plain(make: Any) -> Any:
    """Return the function or class below `functools.partial`."""
    while isinstance(make, partial):
        make = make.func
    return make


def _name_of(make: Any) -> str:
    plain = _plain(make)
    name = getattr(plain, "__qualname__", type(plain).__qualname__)
    module = getattr(plain, "__module__", None)
    return name if module in (None, "__main__") else f"{module}:{name}"


def _agent_seed(seed: Seed) -> int:
    """Return the seed for an agent. The layout cannot be found from it: the hash has no inverse."""
    return int.from_bytes(seed_bytes("own agent", checked_seed(seed))[:6], "big")


@cache
def _declared() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group="csp_mines.agents")}


def _named(path: str, name: str) -> AnyAgent:
    """Import `package.module:Name`. Raises InputError, UnknownName, MissingLibrary, AgentError."""
    module_name, _, attributes = path.partition(":")
    found: Any = _module(module_name, name)
    for attribute in attributes.split("."):
        if not hasattr(found, attribute):
            public = [known for known in vars(found) if not known.startswith("_")]
            raise UnknownName(f"name in {module_name}", attribute, public)
        found = getattr(found, attribute)
    if isinstance(found, Agent):
        return Agent(**{**vars(found), "name": name})
    return OwnAgent(found.make if isinstance(found, OwnAgent) else found, name)


def _module(module_name: str, name: str) -> Any:
    _look_in_current_folder()
    try:
        return import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{module_name}.".startswith(f"{error.name}."):
            raise InputError(
                f"agent {name!r}: there is no module {error.name!r} in the current folder or among "
                "the installed packages"
            ) from None
        raise MissingLibrary(f"agent {name!r} needs {error.name}, which is not installed") from None
    except Exception as error:
        frames = [
            frame for frame in extract_tb(error.__traceback__) if "importlib" not in frame.filename
        ]
        problem = f"cannot be imported: {type(error).__name__}: {error}"
        raise AgentError(name, problem, frames="".join(format_list(frames[1:]))) from None


def _look_in_current_folder() -> None:
    """Let imports look in the current folder first, as `python -m` does."""
    folder = os.getcwd()
    if folder not in sys.path and "" not in sys.path:
        sys.path.insert(0, folder)


def _own_frames(error: BaseException, own: OwnAgent) -> str:
    """Return the part of a traceback that is in the agent's package; if none is, return all that is
    outside this module."""
    make = _plain(own.make.loaded if isinstance(own.make, _Packed) else own.make)
    module = getattr(make, "__module__", None) or type(make).__module__
    package = module.partition(".")[0]
    frames = extract_tb(error.__traceback__)
    modules = [
        str(frame.f_globals.get("__name__", "")) for frame, _ in walk_tb(error.__traceback__)
    ]
    ours = [
        frame
        for frame, module in zip(frames, modules, strict=True)
        if module.partition(".")[0] == package
    ]
    others = [frame for frame, module in zip(frames, modules, strict=True) if module != __name__]
    return "".join(format_list(ours or others))


class _TooSlow(BaseException):
    """Raised in the agent's code when its time is over. No `except Exception` of it catches it."""


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Raise _TooSlow after some seconds, where the system can: in a main thread with an alarm."""
    alarm = getattr(signal, "SIGALRM", None)
    if alarm is None or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise _TooSlow(f"{plural(round(seconds), 'second')} are over")

    before = signal.signal(alarm, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(alarm, before)
