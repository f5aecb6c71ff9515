"""What a name in backticks means: `csp_mines.analyze`, `Game.open`, `simulate(plan, workers=2)`.

The documentation site turns such names into links, and a test resolves each of them."""

from __future__ import annotations

import builtins
import importlib
import inspect
import re
from functools import cache
from typing import Any

import csp_mines

DOTTED = re.compile(r"(?:csp_mines\.)?[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
FILES = {"cpp", "csv", "db", "hpp", "js", "json", "md", "py", "svg", "txt"}
CALL = re.compile(rf"({DOTTED.pattern})\([^`]*\)(?:\.\w+)*")


@cache
def public() -> dict[str, Any]:
    """Every public name of csp_mines with its value."""
    return {name: getattr(csp_mines, name) for name in csp_mines.__all__}


@cache
def homes() -> dict[str, str]:
    """The public name of each object that has one, by the module that defines it."""
    return {
        f"{value.__module__}.{value.__qualname__}": name
        for name, value in public().items()
        if hasattr(value, "__qualname__")
    }


@cache
def members() -> frozenset[str]:
    """The methods, properties and fields of all public classes."""
    classes = [value for value in public().values() if inspect.isclass(value)]
    return frozenset(
        name
        for value in classes
        for base in value.__mro__
        for name in {*vars(base), *getattr(base, "__annotations__", {})}
    )


def target(text: str) -> str | None:
    """The path in the reference of the API that a text in backticks names, or None: `Game.open` and
    `csp_mines.Game.open(cell)` both name csp_mines.Game.open."""
    call = CALL.fullmatch(text)
    path = call[1] if call else text if DOTTED.fullmatch(text) else None
    if path is None:
        return None
    first, *rest = path.removeprefix("csp_mines.").split(".")
    value = public().get(first)
    plain = "." not in path and call is None
    if value is None or (plain and not inspect.isclass(value)):
        return None  # a bare `grade` may also be a command or a field
    for name in rest:
        if not has(value, name):
            return None
        value = getattr(value, name, None)
    return ".".join(["csp_mines", first, *rest])


def has(value: object, name: str) -> bool:
    """Whether a value, or an instance of a class, has an attribute."""
    if hasattr(value, name):
        return True
    bases = value.__mro__ if inspect.isclass(value) else ()
    return any(name in getattr(base, "__annotations__", {}) for base in bases)


def unknown(text: str) -> bool:
    """Whether a text in backticks names a part of csp_mines that does not exist. Texts that name
    something else, such as a file or an option, are not unknown."""
    call = CALL.fullmatch(text)
    path = call[1] if call else text if DOTTED.fullmatch(text) else None
    if path is None:
        return False
    first, *rest = path.split(".")
    if rest and rest[-1] in FILES:
        return False
    if first == "csp_mines":
        return not _importable(path)
    if first in public():
        return bool(rest) and target(text) is None
    if call is None:
        return False
    last = path.rpartition(".")[2]
    return not (last in members() or hasattr(builtins, last) or _importable(f"csp_mines.{path}"))


def _importable(path: str) -> bool:
    """Whether a dotted path leads to a module, or to something that a module has."""
    parts = path.split(".")
    for length in range(len(parts), 0, -1):
        try:
            value: object = importlib.import_module(".".join(parts[:length]))
        except ImportError:
            continue
        for name in parts[length:]:
            if not has(value, name):
                return False
            value = getattr(value, name, None)
        return True
    return False
