"""Problems in JSON: constraints over named cells, read and written.

    {"constraints": [{"name": "jury", "cells": ["ann", "bob", "~eve"], "low": 1, "high": 2,
                      "weights": [1, 1, 3, 0]}],
     "sea": ["cy"], "mines": 2}

Only `constraints` is required. Each constraint needs `cells`, and at least one of `low`, `high` and
`weights`. By default, `low` is 0 and `high` is the number of cells. `weights` has one weight for
each number of mines, from 0 on. `~eve` is the opposite of `eve` (see `named_problem`). `sea` lists
the cells that no constraint mentions. `mines` is the total. A problem without opposites may also
have `odds`, such as `"odds": "1/3"`: the weight of a mine, relative to a safe cell.
"""

from __future__ import annotations

import json
from contextlib import suppress
from fractions import Fraction
from typing import Any

from csp_mines import arguments
from csp_mines.arguments import shown
from csp_mines.constraints import checked_bounds
from csp_mines.errors import InputError, ProblemSyntaxError
from csp_mines.formats.json_text import from_json
from csp_mines.formats.named_problem import NOT, Literal, NamedProblem, ProblemBuilder

_FIELDS = ("constraints", "sea", "mines", "odds")
_CONSTRAINT_FIELDS = ("name", "cells", "low", "high", "weights")


def read_json(text: str, source: str) -> NamedProblem:
    """Read a problem from JSON text. `source` is the name of the text in messages. Raises
    ProblemSyntaxError if the text is not a problem."""
    try:
        return _problem(from_json(text))
    except json.JSONDecodeError as error:
        raise ProblemSyntaxError(
            f"not JSON: {error.msg}", source=source, line=error.lineno
        ) from None
    except ValueError as error:  # this includes InputError
        raise ProblemSyntaxError(str(error), source=source) from None


def _problem(document: Any) -> NamedProblem:
    _require_fields(document, "the problem", _FIELDS)
    builder = ProblemBuilder()
    for number, told in enumerate(_list(document.get("constraints"), "constraints")):
        _constrain(builder, told, f"constraints[{number}]")
    sea = [_name(cell, "a cell of the sea") for cell in _list(document.get("sea", []), "sea")]
    mines = document.get("mines")
    total = None if mines is None else arguments.whole(mines, "mines", 0)
    return builder.build(sea, total, _odds(document.get("odds", 1)))


def _constrain(builder: ProblemBuilder, told: Any, what: str) -> None:
    _require_fields(told, what, _CONSTRAINT_FIELDS)
    literals = [_literal(cell, what) for cell in _list(told.get("cells"), f"{what}.cells")]
    if "low" not in told and "high" not in told and "weights" not in told:
        raise InputError(f"{what} has no bounds; give low, high or weights")
    least = arguments.whole(told.get("low", 0), f"low of {what}")
    low, high = checked_bounds(least, told.get("high", max(least, len(literals))), what)
    weights = told.get("weights")
    if weights is not None:
        listed = _list(weights, f"{what}.weights")
        weights = [arguments.whole(weight, f"a weight of {what}", 0) for weight in listed]
        if len(weights) != len(literals) + 1:
            raise InputError(
                f"{what}.weights must have {len(literals) + 1} numbers, not {len(weights)}"
            )
    label = arguments.text(told.get("name", what), f"{what}.name")
    try:
        builder.constrain(literals, low, high, label, weights)
    except InputError as error:
        raise InputError(f"{what}: {error}") from None


def _require_fields(value: Any, what: str, known: tuple[str, ...]) -> None:
    if not isinstance(value, dict):
        raise InputError(f"{what} must be an object, not {shown(value)}")
    for field in value:
        if field not in known:
            raise InputError(f"{what} has the unknown field {field!r}; known: {', '.join(known)}")


def _list(value: Any, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise InputError(f"{what} must be a list, not {shown(value)}")
    return value


def _literal(value: Any, what: str) -> Literal:
    name = arguments.text(value, f"a cell of {what}")
    opposite = name.startswith(NOT)
    after = "the text after ~ in a cell" if opposite else "a cell"
    return _name(name.removeprefix(NOT), f"{after} of {what}"), opposite


def _name(value: Any, what: str) -> str:
    name = arguments.text(value, what)
    if not name.strip() or name.startswith(NOT):
        raise arguments.wrong(what, "a name that is not blank and does not begin with ~", value)
    return name


def _odds(value: Any) -> Fraction:
    with suppress(ValueError, ZeroDivisionError):
        text = str(value) if isinstance(value, (int, str)) and not isinstance(value, bool) else ""
        # A short text with an exponent may stand for a number of a billion digits.
        quick = len(text) < 1000 and ("e" not in text.lower() or 1e-300 < float(text) < 1e300)
        if quick and (odds := Fraction(text)) > 0:
            return odds
    expected = (
        'greater than 0: a whole number such as 2, or a text such as "1/3" or "0.5", with at most '
        "999 characters and, if written with an exponent, above 1e-300 and below 1e300"
    )
    raise arguments.wrong("odds", expected, value)


def write_json(named: NamedProblem) -> str:
    """Return the JSON text of a problem."""
    problem = named.problem
    constraints = []
    for label, constraint in zip(named.labels, named.constraints, strict=True):
        told: dict[str, Any] = {
            "name": label,
            "cells": [named.literal(cell) for cell in constraint.cells],
            "low": constraint.low,
            "high": constraint.high,
        }
        if constraint.weights is not None:
            told["weights"] = constraint.weights
        constraints.append(told)
    document: dict[str, Any] = {
        "constraints": constraints,
        "sea": [named.names[cell] for cell in problem.sea],
    }
    if problem.mines is not None:
        document["mines"] = problem.mines
    if problem.odds != 1:
        document["odds"] = str(problem.odds)
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"
