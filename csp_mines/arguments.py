"""What callers give, checked: one function for each kind of argument.

A wrong one is an InputError that names the argument and says what is expected, raised where it is
given and not where something inside stumbles over it. What a board or a cell is stands with boards
and cells (`board.Board`, `geometry.checked_cell`).
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
NameT = TypeVar("NameT", bound="Name")

_MOST_BITS = 4096  # of any whole number: more digits Python does not even print


class Name(StrEnum):
    """One name of a few. Callers may give it as a string, and that is what it shows as."""

    def __repr__(self) -> str:
        return repr(self.value)


def wrong(what: str, expected: str, value: object) -> InputError:
    """The error for a value that is not as expected."""
    error = InputError(f"{what} must be {expected}, not {shown(value)}")
    error.argument = what
    return error


def shown(value: object) -> str:
    """A value as messages show it: the beginning of its repr."""
    try:
        return cut(" ".join(repr(value).split()))
    except ValueError:  # a number of more digits than Python spells out
        return f"a huge {type(value).__name__}"


def whole(value: Any, what: str, least: int | None = None, most: int | None = None) -> int:
    """A whole number, numpy's too; True and 2.0 are none."""
    try:
        if isinstance(value, bool):
            raise TypeError
        found = index(value)
    except TypeError:
        raise wrong(what, _bounds("a whole number", least, most), value) from None
    below, above = least is not None and found < least, most is not None and found > most
    if below or above or found.bit_length() > _MOST_BITS:
        raise wrong(what, _bounds("a whole number", least, most), value)
    return found


def number(value: Any, what: str, expected: str, fits: Callable[[float], bool]) -> float:
    """A number that `fits`, as a float; never nan."""
    if _is_real(value):
        try:
            found = float(value)
        except OverflowError:
            found = inf if value > 0 else -inf
        if fits(found) and found == found:
            return found
    raise wrong(what, expected, value)


def _is_real(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def seconds(value: Any, what: str = "seconds") -> float:
    """A time, more than none; infinity is no bound."""
    return number(value, what, "a number greater than 0", lambda time: time > 0)


def text(value: Any, what: str) -> str:
    """A name, or other text."""
    if isinstance(value, str):
        return value
    raise wrong(what, "a string", value)


def known_name(kind: str, name: Any, known: Collection[str]) -> str:
    """One of the names that there are. Raises UnknownName for another, InputError for no name."""
    if not isinstance(name, str):
        raise wrong(kind, f"one of {', '.join(known)}", name)
    if name not in known:
        raise UnknownName(kind, name, list(known))
    return name


def looked_up(kind: str, name: Any, table: Mapping[str, T]) -> T:
    """What a name stands for. Raises UnknownName, InputError."""
    return table[known_name(kind, name, table)]


def choice(kind: str, name: Any, known: type[NameT]) -> NameT:
    """The one of these that has the name. Raises UnknownName, InputError."""
    return known(known_name(kind, name, tuple(known)))


def instance(value: T, kind: type[Any], what: str) -> T:
    """The value, which is one of that class."""
    if isinstance(value, kind):
        return value
    raise wrong(what, f"{_article(kind.__name__)} {kind.__name__}", value)


def several(values: Iterable[T], what: str, items: str) -> list[T]:
    """The items of a list, a tuple, any iterable but text: that is one name, and not several."""
    if isinstance(values, Iterable) and not isinstance(values, (str, bytes)):
        try:
            return list(values)
        except TypeError:  # an array without dimensions says that it is iterable
            pass
    raise wrong(what, f"several {items}, such as a list", values)


def seed(value: Any, what: str = "seed") -> int | str:
    """What chance depends on: a whole number or text."""
    if isinstance(value, str):
        return value
    try:
        return whole(value, what)
    except InputError:
        raise wrong(what, "a whole number or a string", value) from None


def callback(value: Any, what: str) -> Any:
    """Something to call, or None."""
    if value is None or callable(value):
        return value
    raise wrong(what, "a function", value)


def path_name(value: Any, what: str = "path") -> str | PathLike[str]:
    """The name of a file."""
    if isinstance(value, (str, PathLike)):
        return value
    raise wrong(what, "the name of a file", value)


def _bounds(noun: str, least: int | None, most: int | None) -> str:
    if least is not None and most is not None:
        return f"{noun} from {least:,} to {most:,}"
    if least is not None:
        return f"{noun}, at least {least:,}"
    return noun if most is None else f"{noun}, at most {most:,}"


def _article(noun: str) -> str:
    return "an" if noun[0] in "AEIOU" else "a"
