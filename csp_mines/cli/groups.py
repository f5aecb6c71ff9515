"""Groups of options: a command takes several options as one parameter, a frozen dataclass.

Each field of the dataclass is an option. To add an option to every command that has the group, add
a field."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from inspect import Parameter, signature
from typing import Any, get_type_hints

__all__ = ["with_options"]


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
    called.__signature__ = declared.replace(parameters=options)  # type: ignore[attr-defined]
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
