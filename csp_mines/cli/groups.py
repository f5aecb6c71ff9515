"""Turn functions into commands of typer, with checked numbers, completion and plain help.

A command takes a group of options as one parameter, a frozen dataclass. Each field of the dataclass
is an option. To add an option to every command that has the group, add a field."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from inspect import Parameter, signature
from math import inf
from typing import Annotated, Any, get_args, get_type_hints

import typer
from typer.core import TyperCommand

from csp_mines.arguments import shown
from csp_mines.cli.completion import completion_of

__all__ = ["PlainCommand", "with_options"]


class PlainCommand(TyperCommand):
    """A command whose help shows arguments as people type them: `BOARD...`, and `[BOARD...]` if
    they may be left out. Typer would show their Python types."""

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
        """Return the arguments and the options."""
        known: list[Any] = self.params
        arguments = [each for each in known if each.param_type_name == "argument"]
        return arguments, [each for each in known if each.param_type_name != "argument"]


def with_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return the command in a form that typer can read: instead of each group, it has one parameter
    for each option of the group. The default value of the group gives the defaults of these
    options."""
    declared = signature(command, eval_str=True)
    groups = {name: each.annotation for name, each in declared.parameters.items() if _group(each)}

    @functools.wraps(command)
    def called(**values: Any) -> Any:
        for name, group in groups.items():
            values[name] = group(
                **{option.name: values.pop(option.name) for option in fields(group)}
            )
        return command(**values)

    options = [option for each in declared.parameters.values() for option in _options(each)]
    called.__signature__ = declared.replace(  # type: ignore[attr-defined]
        parameters=[
            option.replace(annotation=_extended(command.__name__, option.annotation))
            for option in options
        ]
    )
    return called


def _group(parameter: Parameter) -> bool:
    return is_dataclass(parameter.annotation)


def _options(parameter: Parameter) -> list[Parameter]:
    if not _group(parameter):
        return [parameter.replace(kind=Parameter.KEYWORD_ONLY)]
    group = parameter.annotation
    chosen = group() if parameter.default is Parameter.empty else parameter.default
    return [
        Parameter(name, Parameter.KEYWORD_ONLY, default=getattr(chosen, name), annotation=hint)
        for name, hint in get_type_hints(group, include_extras=True).items()
    ]


def _extended(command: str, annotation: Any) -> Any:
    """Return the annotation of an option of a command. If the option takes a number, let `_number`
    read it: typer's own messages do not repeat what was given. If it takes a name, let the shell
    complete it."""
    hint, shared = get_args(annotation)
    option = copy.copy(shared)
    words = (option.default, *(option.param_decls or ()))  # typer takes the first for a default
    if option.autocompletion is None and (long := [word for word in words if _is_long(word)]):
        option.autocompletion = completion_of(command, long[0])
    kinds = [kind for kind in (int, float) if hint in (kind, kind | None)]
    if kinds and option.parser is None:
        option.parser = functools.partial(_number, kinds[0], option.min, option.max)
        option.parser.__name__ = "number"
        option.min = option.max = None
    return Annotated[hint, option]


def _is_long(word: object) -> bool:
    return isinstance(word, str) and word.startswith("--")


def _number(
    kind: type[int] | type[float], least: float | None, most: float | None, text: str | float
) -> float:
    """Return the number in a text. Raises BadParameter if it is not one of this kind, or not
    between `least` and `most`."""
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
