"""Checks of arguments, one function for each kind, and the base class of named choices.

Public functions check their arguments with these functions. A wrong argument raises InputError; the
message names the argument and says what is expected. The parameter `what` is the name of the
argument in the message. Boards and cells are checked in their own modules (`board.Board`,
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

from csp_mines.errors import CspMinesError, InputError, UnknownName
from csp_mines.words import cut

T = TypeVar("T")
NameT = TypeVar("NameT", bound=StrEnum)

_MOST_BITS = 4096  # of a whole number; Python does not print numbers of more than 14,300 bits


class Name(StrEnum):
    """The base class of enums of named choices. A member equals its string and has the same repr.
    Callers may pass the member or the string."""

    def __repr__(self) -> str:
        return repr(self.value)


def wrong(what: str, expected: str, value: object) -> InputError:
    """Return the error that says: `what` must be `expected`, not `value`."""
    error = InputError(must_be(what, expected, value))
    error.argument = what
    return error


def must_be(what: str, expected: str, value: object) -> str:
    """Return the message that says: `what` must be `expected`, not `value`."""
    return f"{what} must be {expected}, not {shown(value)}"


def shown(value: object) -> str:
    """Return the text of a value for messages: its repr on one line, shortened if it is long. If
    Python refuses to print the value, return a text such as `a huge int`."""
    try:
        return cut(" ".join(repr(value).split()))
    except ValueError:  # Python refuses to print a number with this many digits
        return f"a huge {type(value).__name__}"


def whole(value: Any, what: str, least: int | None = None, most: int | None = None) -> int:
    """Return the value as a plain int. Raises InputError if the value is not a whole number, is
    less than `least`, is greater than `most`, or has more than 4,096 bits. Integers of numpy are
    whole numbers; True and 2.0 are not."""
    try:
        if isinstance(value, bool):
            raise TypeError
        count = index(value)
    except TypeError:
        raise wrong(what, _bounds("a whole number", least, most), value) from None
    if (least is not None and count < least) or (most is not None and count > most):
        raise wrong(what, _bounds("a whole number", least, most), value)
    if count.bit_length() > _MOST_BITS:
        raise wrong(what, f"a whole number of at most {_MOST_BITS:,} bits", value)
    return count


def require_at_most(
    number: int,
    most: int,
    what: str,
    noun: str = "cells",
    error: type[CspMinesError] = InputError,
) -> None:
    """Raise `error` if `number` is greater than `most`, with a message such as `a puzzle may have
    at most 2,500 cells, not 2,601`. Here `what` is `a puzzle`, and `noun` is `cells`."""
    if number > most:
        raise error(f"{what} may have at most {most:,} {noun}, not {cut(f'{number:,}')}")


def number(value: Any, what: str, expected: str, fits: Callable[[float], bool]) -> float:
    """Return the value as a float. Raises InputError if the value is not a `numbers.Real`, if it is
    True, False or nan, or if `fits` returns False for the float. The message says that `what` must
    be `expected`."""
    is_real = isinstance(value, Real) and not isinstance(value, bool)
    if is_real:
        try:
            real = float(value)
        except OverflowError:
            real = inf if value > 0 else -inf
        if fits(real) and real == real:
            return real
    raise wrong(what, expected, value)


def seconds(value: Any) -> float:
    """Return a time limit as a float; infinity means no limit. Raises InputError if the value is
    not a number greater than 0."""
    return number(value, "seconds", "a number greater than 0", lambda time: time > 0)


def text(value: Any, what: str) -> str:
    """Return the value if it is a string. Raises InputError otherwise."""
    if isinstance(value, str):
        return value
    raise wrong(what, "a string", value)


def known_name(kind: str, name: Any, known: Collection[str]) -> str:
    """Return the name if it is one of the known names. Raises UnknownName for any other string,
    InputError for a value that is not a string. `kind` says in the message what the name stands
    for, such as `backend`."""
    if not isinstance(name, str):
        raise wrong(kind, f"one of {', '.join(known)}", name)
    if name not in known:
        raise UnknownName(kind, name, list(known))
    return name


def looked_up(kind: str, name: Any, table: Mapping[str, T]) -> T:
    """Return the entry that the table has for this name. Raises what `known_name` raises."""
    return table[known_name(kind, name, table)]


def choice(kind: str, name: Any, known: type[NameT]) -> NameT:
    """Return the member of the enum `known` whose value is `name`. Raises what `known_name`
    raises."""
    return known(known_name(kind, name, tuple(known)))


def instance(value: T, kind: type[Any], what: str) -> T:
    """Return the value if it is an instance of the class `kind`. Raises InputError otherwise."""
    if isinstance(value, kind):
        return value
    name = kind.__name__
    raise wrong(what, f"{'an' if name[0] in 'AEIOU' else 'a'} {name}", value)


def several(values: Iterable[T], what: str, items: str) -> list[T]:
    """Return the items of an iterable as a list. Raises InputError if `values` is a string, is
    bytes, or cannot be iterated. The message calls the items `items`, a noun such as `cells`."""
    if isinstance(values, Iterable) and not isinstance(values, (str, bytes)):
        try:
            return list(values)
        except TypeError:  # from a numpy array of 0 dimensions, which only seems iterable
            pass
    raise wrong(what, f"an iterable of {items}, such as a list", values)


def seed(value: Any) -> int | str:
    """Return the seed, a string or a plain int. Raises InputError if the value is neither a string
    nor a whole number of at most 4,096 bits."""
    if isinstance(value, str):
        return value
    try:
        return whole(value, "seed")
    except InputError:
        if isinstance(value, int) and not isinstance(value, bool):  # the number has too many bits
            raise
        raise wrong("seed", "a whole number or a string", value) from None


def callback(value: Any, what: str) -> Any:
    """Return the value if it can be called or is None. Raises InputError otherwise."""
    if value is None or callable(value):
        return value
    raise wrong(what, "a function", value)


def path_name(value: Any, what: str = "path") -> str | PathLike[str]:
    """Return the value if it is a string or a PathLike. Raises InputError otherwise."""
    if isinstance(value, (str, PathLike)):
        return value
    raise wrong(what, "a file name", value)


def _bounds(noun: str, least: int | None, most: int | None) -> str:
    """Return the noun with its bounds, such as `a whole number, at least 1`."""
    if least is not None and most is not None:
        return f"{noun} from {least:,} to {most:,}"
    if least is not None:
        return f"{noun}, at least {least:,}"
    return noun if most is None else f"{noun}, at most {most:,}"
