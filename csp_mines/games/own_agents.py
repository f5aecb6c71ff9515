"""Own agents: functions and classes of the caller that get boards and return cells to open.

`as_agent` returns the agent for a name, a function or a class. The module `own_play` plays the
games of an `OwnAgent`.
"""

from __future__ import annotations

import inspect
import os
import pickle
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, partial
from importlib import import_module
from traceback import extract_tb, format_list
from typing import Any, TypeAlias

from csp_mines.analysis.winning import is_player
from csp_mines.arguments import seed as checked_seed
from csp_mines.arguments import text, wrong
from csp_mines.backend import declared
from csp_mines.board import Board, Cell
from csp_mines.errors import AgentError, InputError, MissingLibrary, UnknownName
from csp_mines.games.agents import PRESETS, Agent, agent
from csp_mines.layout import Seed, seed_bytes
from csp_mines.words import cut, error_text

AGENTS = "csp_mines.agents"  # the entry-point group in which packages declare agents
_IMPORTED = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")


@dataclass(frozen=True)
class Turn:
    """Several moves at once: cells to `open` and cells to `mark` as mines.

    The cells of `mark` are marked first. Then the cells of `open` are opened in order. A cell is
    skipped if a flood has opened it meanwhile and the rules do not let it be opened again. If the
    game ends, the rest of the turn is dropped. A turn must have at least one cell. No cell may be
    marked twice, or be both marked and opened.

    >>> def careful(board):
    ...     analysis = csp_mines.analyze(board)
    ...     if analysis.safe or analysis.mines:
    ...         return csp_mines.Turn(open=analysis.safe, mark=analysis.mines)
    ...     return analysis.move.cell
    ...
    >>> csp_mines.play(csp_mines.Game.new("beginner", seed=1), careful).won
    True
    """

    open: Iterable[Cell] = ()
    mark: Iterable[Cell] = ()


@dataclass(frozen=True)
class OwnAgent:
    """An agent that the caller wrote.

    * `make` is a function or a class. A function gets a board and returns a cell `(row, col)` or a
      `Turn`. A class has a method `move` (or `__call__`) that does the same. Each game constructs a
      new object of the class. If the constructor has a parameter `seed`, this parameter gets a
      number for the random choices of the agent.
    * `name` is the name of the agent in results. The default is `module:Name`, as in the option
      `--agent`. The module is left out if a notebook or the script that runs defines `make`.

    >>> first = csp_mines.OwnAgent(lambda board: min(board.hidden), "first")
    >>> csp_mines.play(csp_mines.Game.new("beginner", seed=1), first).won
    False
    """

    make: Callable[..., Any]
    name: str = ""

    def __post_init__(self) -> None:
        """Raise InputError if `make` is neither a function nor a class with a method `move` or
        `__call__`, if `name` is not a string, or if `name` is the name of a preset."""
        _require_playable(self.make)
        if not text(self.name, "name"):
            object.__setattr__(self, "name", _name_of(self.make))
        if self.name in PRESETS:
            raise InputError(f"{self.name!r} is the name of a preset; give the agent another name")

    def player(self, seed: Seed) -> Callable[[Board], Any]:
        """Return the function that chooses the moves of one game. `seed` is the seed of the game;
        the constructor of a class gets `agent_seed(seed)` instead. Raises InputError for a wrong
        seed, and what `seeded` raises."""
        return self.seeded(agent_seed(seed))

    def seeded(self, seed: int) -> Callable[[Board], Any]:
        """Return the function that chooses the moves of one game: `make` itself if `make` is a
        function, otherwise the method `move` (or `__call__`) of a new object. A parameter `seed` of
        the constructor gets exactly this `seed`. Raises AgentError if another process sent the
        agent and the import fails. Raises any error that the constructor raises."""
        make = self._loaded
        if not inspect.isclass(_plain(make)):
            return make
        wants_seed = "seed" in inspect.signature(make).parameters
        made = make(seed=seed) if wants_seed else make()
        move: Callable[[Board], Any] = getattr(made, "move", made)
        return move

    @property
    def package(self) -> str:
        """The first part of the name of the module that defines the agent, such as `bots` for the
        module `bots.careful`."""
        make = _plain(self._loaded)
        module: str = getattr(make, "__module__", None) or type(make).__module__
        return module.partition(".")[0]

    @property
    def _loaded(self) -> Callable[..., Any]:
        """The function or class that the caller wrote. If another process sent the agent, the first
        access imports the function or class. Raises AgentError if the import fails."""
        loaded: Callable[..., Any] = self.make
        return self.make.loaded if isinstance(self.make, _Packed) else loaded

    def load(self) -> None:
        """Import the agent if another process sent it; otherwise do nothing. Raises AgentError if
        the import fails."""
        _ = self._loaded

    def require_portable(self) -> None:
        """Raise InputError if `make` cannot be pickled or is defined in `__main__`, so that other
        processes cannot import the agent."""
        try:
            packed = pickle.dumps(self.make)
        except Exception as error:  # any error: pickle calls methods of the object
            why = f"it cannot be pickled ({cut(str(error), 100)})"
        else:
            if b"__main__" not in packed:
                return
            why = "it is defined in a notebook or in the script that runs (__main__)"
        raise InputError(
            f"other processes cannot import the agent {self.name!r}: {why}. Define the agent with "
            "def or class in a module, such as bots.py, and import it from there; or let this "
            "process play, with workers=1 in `simulate` or isolated=False in `play`"
        )

    @property
    def is_portable(self) -> bool:
        """Whether `require_portable` raises no error."""
        try:
            self.require_portable()
        except InputError:
            return False
        return True

    def __hash__(self) -> int:
        return hash(self.name)  # `make` may be an object that is not hashable

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the agent so that a worker can read the pickle without importing `make`. The
        worker imports `make` when the agent plays, and can then report an import that fails."""
        data = self.make.data if isinstance(self.make, _Packed) else pickle.dumps(self.make)
        return OwnAgent, (_Packed(data, self.name), self.name)


AnyAgent: TypeAlias = Agent | OwnAgent
AgentLike: TypeAlias = str | Agent | OwnAgent | Callable[..., Any]


def as_agent(given: AgentLike) -> AnyAgent:
    """Return the agent for a name, a function or a class. If `given` is an `Agent` or an
    `OwnAgent`, return `given`.

    A name has one of three forms:

    * a name that the function `agent` accepts;
    * a name that an installed package declares in the entry-point group `csp_mines.agents`;
    * `package.module:Name`. The module is imported from the current folder or from the installed
      packages.

    Raises UnknownName for an unknown name, InputError for an object that cannot be an agent, for a
    missing module, and for an `Agent` that has the name of a preset but differs from this preset.
    Raises MissingLibrary if the module needs a package that is not installed, AgentError if the
    module raises another error, and what the function `agent` raises."""
    if isinstance(given, Agent):
        if PRESETS.get(given.name, given) != given:
            raise InputError(f"{given.name!r} is the name of a preset; give the agent another name")
        return given
    if isinstance(given, OwnAgent):
        return given
    if not isinstance(given, str):
        if not callable(given) and not hasattr(given, "move"):
            raise wrong("agent", "a name, an Agent, a function or a class", given)
        return OwnAgent(given)
    if given in PRESETS or "+" in given or is_player(given):
        return agent(given)
    if given in declared(AGENTS):
        return _named(declared(AGENTS)[given].value, given)
    if _IMPORTED.fullmatch(given):
        return _named(given, given)
    raise UnknownName("agent", given, agent_names())


def agent_names() -> list[str]:
    """Return the names of the presets and of the declared agents, and then the patterns of two
    other kinds of names. The list leaves out names such as `win:-influence`, which `as_agent`
    accepts, too."""
    return [*PRESETS, *sorted(declared(AGENTS)), "BACKEND+POLICY", "PACKAGE.MODULE:NAME"]


class _Packed:
    """A pickled function or class. The first access to `loaded` imports the function or class."""

    def __init__(self, data: bytes, name: str) -> None:
        self.data, self._name = data, name

    @cached_property
    def loaded(self) -> Any:
        _look_in_current_folder()
        try:
            return pickle.loads(self.data)
        except Exception as error:
            raise AgentError(
                self._name,
                f"cannot be imported by a worker ({error_text(error)}). Install the package of the "
                "agent where the workers run, or start the workers in the folder of the agent",
            ) from None

    def __call__(self, *given: Any) -> Any:
        return self.loaded(*given)


def _require_playable(make: Any) -> None:
    """Raise InputError unless `make` is a function, or a class with a method `move` or
    `__call__`. Any other object that can be called counts as a function."""
    if not callable(make):
        if hasattr(make, "move"):
            raise InputError(
                f"agent must be a class, not an object of {type(make).__name__}; give the class "
                "itself, so that each game begins without memory"
            )
        raise wrong("agent", "a function or a class", make)
    plain = _plain(make)
    if inspect.isclass(plain) and not (
        callable(getattr(plain, "move", None)) or "__call__" in dir(plain)
    ):
        raise InputError(f"the class {plain.__name__} needs a method move(board) to be an agent")


def _plain(make: Any) -> Any:
    """Return the function or class in `make`, without the `functools.partial` objects around it."""
    while isinstance(make, partial):
        make = make.func
    return make


def _name_of(make: Any) -> str:
    """Return the default name of an own agent: `module:Name`, or `Name` if a notebook or the script
    that runs defines the agent."""
    plain = _plain(make)
    name = getattr(plain, "__qualname__", type(plain).__qualname__)
    module = getattr(plain, "__module__", None)
    return name if module in (None, "__main__") else f"{module}:{name}"


def agent_seed(seed: Seed) -> int:
    """Return the seed for an own agent: a hash of the seed of the game. The agent cannot compute
    the layout from this hash. Raises InputError for a wrong seed."""
    return int.from_bytes(seed_bytes("own agent", checked_seed(seed))[:6], "big")


def _named(path: str, name: str) -> AnyAgent:
    """Import the agent at `path`, which has the form `package.module:Name`, and call the agent
    `name`. Raises what `as_agent` raises."""
    module_name, _, attributes = path.partition(":")
    value: Any = _module(module_name, name)
    for attribute in attributes.split("."):
        if not hasattr(value, attribute):
            public = [known for known in vars(value) if not known.startswith("_")]
            raise UnknownName(f"name in {module_name}", attribute, public)
        value = getattr(value, attribute)
    if isinstance(value, Agent):
        return Agent(**{**vars(value), "name": name})
    return OwnAgent(value.make if isinstance(value, OwnAgent) else value, name)


def _module(module_name: str, name: str) -> Any:
    """Import the module of the agent `name`. Raises InputError if there is no such module,
    MissingLibrary if the module needs another module that is not installed, AgentError if the
    module raises any other exception."""
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
        problem = f"cannot be imported: {error_text(error)}"
        raise AgentError(name, problem, frames="".join(format_list(frames[1:]))) from None


def _look_in_current_folder() -> None:
    """Put the current folder first on the path for imports, as `python -m` does, unless the folder
    is on the path already."""
    folder = os.getcwd()
    if folder not in sys.path and "" not in sys.path:
        sys.path.insert(0, folder)
