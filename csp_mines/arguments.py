"""Checks of arguments: one function for each kind of argument.

A wrong argument raises InputError at the public function that got it. The error names the argument
and says what is expected. Boards and cells are checked in their own modules (`board.Board`,
`geometry.checked_cell`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from enum import StrEnum
from math import inf
from numbers import Real
from operator import index
from os import PathLike
from typing import Any, TypeVar

from csp_mines.errors import InputError, UnknownName
from csp_mines.words import cut

__all__ = [
    "Name",
    "callback",
    "choice",
    "instance",
    "known_name",
    "looked_up",
    "number",
    "path_name",
    "seconds",
    "seed",
    "several",
    "shown",
    "text",
    "whole",
    "wrong",
]

T = TypeVar("T")
NameT = TypeVar("NameT", bound=StrEnum)

_MOST_BITS = 4096  # of a whole number; Python refuses to print many more digits


class Name(StrEnum):
    """One of a few names. Callers may pass the plain string, and the repr is that of the string."""

    def __repr__(self) -> str:
        return repr(self.value)


def wrong(what: str, expected: str, value: object) -> InputError:
    """Return the error for a value that is not as expected."""
    error = InputError(f"{what} must be {expected}, not {shown(value)}")
    error.argument = what
    return error


def shown(value: object) -> str:
    """Return a value as messages show it: the beginning of its repr."""
    try:
        return cut(" ".join(repr(value).split()))
    except ValueError:  # Python refuses to print a number of so many digits
        return f"a huge {type(value).__name__}"


def whole(value: Any, what: str, least: int | None = None, most: int | None = None) -> int:
    """Return a whole number; numpy integers are accepted, True and 2.0 are not. Raises
    InputError."""
    try:
        if isinstance(value, bool):
            raise TypeError
        count = index(value)
    except TypeError:
        raise wrong(what, _bounds("a whole number", least, most), value) from None
    below, above = least is not None and count < least, most is not None and count > most
    if below or above or count.bit_length() > _MOST_BITS:
        raise wrong(what, _bounds("a whole number", least, most), value)
    return count


def number(value: Any, what: str, expected: str, fits: Callable[[float], bool]) -> float:
    """Return a number for which `fits` is true, as a float; nan is refused. Raises InputError."""
    if _is_real(value):
        try:
            real = float(value)
        except OverflowError:
            real = inf if value > 0 else -inf
        if fits(real) and real == real:
            return real
    raise wrong(what, expected, value)


def _is_real(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def seconds(value: Any, what: str = "seconds") -> float:
    """Return a time in seconds, greater than 0; infinity means no limit. Raises InputError."""
    return number(value, what, "a number greater than 0", lambda time: time > 0)


def text(value: Any, what: str) -> str:
    """Return a string. Raises InputError."""
    if isinstance(value, str):
        return value
    raise wrong(what, "a string", value)


def known_name(kind: str, name: Any, known: Collection[str]) -> str:
    """Return one of the known names. Raises UnknownName for any other string, InputError for
    anything else."""
    if not isinstance(name, str):
        raise wrong(kind, f"one of {', '.join(known)}", name)
    if name not in known:
        raise UnknownName(kind, name, list(known))
    return name


def looked_up(kind: str, name: Any, table: Mapping[str, T]) -> T:
    """Return the value of a name in a table. Raises UnknownName, InputError."""
    return table[known_name(kind, name, table)]


def choice(kind: str, name: Any, known: type[NameT]) -> NameT:
    """Return the member of `known` with that name. Raises UnknownName, InputError."""
    return known(known_name(kind, name, tuple(known)))


def instance(value: T, kind: type[Any], what: str) -> T:
    """Return the value if it is an instance of the class. Raises InputError."""
    if isinstance(value, kind):
        return value
    raise wrong(what, f"{_article(kind.__name__)} {kind.__name__}", value)


def several(values: Iterable[T], what: str, items: str) -> list[T]:
    """Return the items of any iterable as a list. A string is refused, since it is a single name.
    Raises InputError."""
    if isinstance(values, Iterable) and not isinstance(values, (str, bytes)):
        try:
            return list(values)
        except TypeError:  # a numpy array without dimensions only claims to be iterable
            pass
    raise wrong(what, f"several {items}, such as a list", values)


def seed(value: Any, what: str = "seed") -> int | str:
    """Return a seed for random choices: a whole number or a string. Raises InputError."""
    if isinstance(value, str):
        return value
    try:
        return whole(value, what)
    except InputError:
        raise wrong(what, "a whole number or a string", value) from None


def callback(value: Any, what: str) -> Any:
    """Return a function, or None. Raises InputError."""
    if value is None or callable(value):
        return value
    raise wrong(what, "a function", value)


def path_name(value: Any, what: str = "path") -> str | PathLike[str]:
    """Return the name of a file. Raises InputError."""
    if isinstance(value, (str, PathLike)):
        return value
    raise wrong(what, "a file name", value)


def _bounds(noun: str, least: int | None, most: int | None) -> str:
    if least is not None and most is not None:
        return f"{noun} from {least:,} to {most:,}"
    if least is not None:
        return f"{noun}, at least {least:,}"
    return noun if most is None else f"{noun}, at most {most:,}"


def _article(noun: str) -> str:
    return "an" if noun[0] in "AEIOU" else "a"
