"""Turn functions into typer commands that have groups of options, checked numbers, completion and
plain help.

A group is a frozen dataclass whose fields are options or further groups. A command takes a group as
one parameter. To add an option to every command that has a group, add a field to the group.
`argument` and `option` declare one parameter each. This module decides the name of an option, its
placeholder in the help, and how a number or a file name is read."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from dataclasses import is_dataclass
from inspect import Parameter, signature
from math import inf
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

import typer
from typer.core import TyperCommand
from typer.models import OptionInfo

from csp_mines.arguments import shown
from csp_mines.cli.completion import completion_of


class PlainCommand(TyperCommand):
    """A command whose help, unlike typer's own help, shows arguments without their Python types:
    `BOARD...`. In the usage line, `[BOARD...]` means that the argument may be left out."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        names = [
            each.metavar if each.required else f"[{each.metavar}]" for each in self._split()[0]
        ]
        return ["[OPTIONS]", *names]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        arguments, options = self._split()
        records = [(each.metavar, each.get_help_record(ctx)[1]) for each in arguments]
        listed: list[Any] = [*options, self.get_help_option(ctx)]
        described = [each.get_help_record(ctx) for each in listed]
        for title, rows in (("Arguments", records), ("Options", described)):
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def _split(self) -> tuple[list[Any], list[Any]]:
        """Return the arguments of the command, and its options."""
        known: list[Any] = self.params
        arguments = [each for each in known if each.param_type_name == "argument"]
        return arguments, [each for each in known if each.param_type_name != "argument"]


def argument(metavar: str, help: str) -> Any:
    """Declare an argument, for use in `Annotated`. `metavar` is the name of the argument in the
    help, and `help` is its help text."""
    return typer.Argument(metavar=metavar, help=help)


def option(help: str, *flags: str, **how: Any) -> Any:
    """Declare an option with its help text, for use in `Annotated`.

    `flags` are names of the option, such as `-n`. If no flag begins with `--`, the name of the
    parameter or field gives the long name: `no_guess` becomes `--no-guess`. `how` are further
    arguments of `typer.Option`. For example, `metavar` is the placeholder of the value in the help:
    by default N for a whole number, NAME for a text and FILE for a file."""
    return typer.Option(*flags, help=help, **how)


def with_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return the command in a form that typer can read: with the options of each group as
    parameters, in place of the group. These options get their defaults from the default value of
    the group. If the group has no default value, the defaults are those of its fields."""
    declared = signature(command, eval_str=True)
    given = {name: each.annotation for name, each in declared.parameters.items()}

    @functools.wraps(command)
    def called(**values: Any) -> Any:
        return command(**{name: _value(name, hint, values) for name, hint in given.items()})

    options = [
        each.replace(annotation=_extended(command.__name__, each.name, each.annotation))
        for parameter in declared.parameters.values()
        for each in _options(parameter.name, parameter.annotation, parameter.default)
    ]
    called.__signature__ = declared.replace(parameters=options)  # type: ignore[attr-defined]
    return called


def _options(name: str, hint: Any, default: Any) -> list[Parameter]:
    """Return the typer parameters for one parameter of a command or one field of a group. If the
    type `hint` is a group, these are the options of that group. For any other type, there is one
    typer parameter."""
    if not is_dataclass(hint):
        return [Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=hint)]
    group: Any = hint() if default is Parameter.empty else default  # type: ignore[operator]
    return [
        each
        for field, inner in get_type_hints(hint, include_extras=True).items()
        for each in _options(field, inner, getattr(group, field))
    ]


def _value(name: str, hint: Any, values: dict[str, Any]) -> Any:
    """Return the value of the parameter or field `name`. `values` has the values of all typer
    parameters, by name. If the type `hint` is a group, the value is a group made from the values of
    its options."""
    if not is_dataclass(hint):
        return values[name]
    hints = get_type_hints(hint, include_extras=True)
    return hint(**{field: _value(field, inner, values) for field, inner in hints.items()})  # type: ignore[operator]


def _extended(command: str, name: str, annotation: Any) -> Any:
    """Return the annotation of the parameter `name` of a command, completed. An option gets what
    its annotation lacks: a long name, completion by the shell, a placeholder for the help. A number
    or a file name gets a parser, because the messages of typer's own parsers do not repeat the
    wrong text."""
    hint, shared = get_args(annotation)
    declared = copy.copy(shared)
    kind = _kind(hint)
    if isinstance(declared, OptionInfo):
        # In an annotation, typer stores the first flag of the option in `default`.
        flags: list[Any] = [
            *([] if declared.default is ... else [declared.default]),
            *(declared.param_decls or ()),
        ]
        if not any(flag.startswith("--") for flag in flags):
            flags.insert(0, f"--{name.replace('_', '-')}")
        declared.default, declared.param_decls = flags[0], tuple(flags[1:])
        long = next(flag for flag in flags if flag.startswith("--"))
        declared.autocompletion = declared.autocompletion or completion_of(command, long)
        declared.metavar = declared.metavar or {int: "N", str: "NAME", Path: "FILE"}.get(kind)
    if kind in (int, float) and declared.parser is None:
        declared.parser = functools.partial(_number, kind, declared.min, declared.max)
        declared.parser.__name__ = "number"
        declared.min = declared.max = None
    if kind is Path:
        declared.parser = file_name
    return Annotated[hint, declared]


def _kind(hint: Any) -> Any:
    """Return the type of one value of a parameter: int for `int`, `int | None` and `list[int]`."""
    inner = [each for each in get_args(hint) if each is not type(None)]
    return _kind(inner[0]) if inner else hint


def file_name(text: str | Path) -> Path:
    """Return the path that a text names. Raises BadParameter for an empty or blank text; Python
    would take an empty path as the current directory."""
    if not str(text).strip():
        raise typer.BadParameter("needs the name of a file, not an empty text")
    return Path(text)


def _number(
    kind: type[int] | type[float], least: float | None, most: float | None, text: str | float
) -> float:
    """Return the number in a text. Raises BadParameter if the text is not a number of the type
    `kind`, or if the number is less than `least` or greater than `most`. A bound that is None does
    not count."""
    try:
        number = kind(text)
    except ValueError:
        number = None
    low, high = -inf if least is None else least, inf if most is None else most
    outside = (least, most) != (None, None) and number is not None and not low <= number <= high
    if number is None or outside:
        bounds = "" if least is None else f" from {low:,} on" if most is None else (
            f" from {low:,} to {high:,}"
        )  # fmt: skip
        noun = "a whole number" if kind is int else "a number"
        raise typer.BadParameter(f"needs {noun}{bounds}, not {shown(text)}")
    return number
