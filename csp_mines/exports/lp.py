"""The writer of LP: the text format of CPLEX, which most solvers of integer programs read.

The variables are binary, and the feasible points are the layouts that fit the board. No layout is
better than another, so the objective is 0.
"""

from __future__ import annotations

import textwrap
from functools import partial

from csp_mines.exports.model import Model, Sum

NEVER = "never"  # a variable without a cell; the row `never >= 2` stands for an impossible sum
_SUFFIXES = {"=": "", ">=": "_low", "<=": "_high"}
WIDTH = 200  # the most characters of a line, except comments; some programs cut lines at 255


def write(model: Model) -> str:
    """Return the text of an LP file whose feasible points are the layouts that fit a model."""
    binaries = list(model.names)
    if any(each.impossible for each in model.sums):
        binaries.append(NEVER)
    lines = [*model.heading("\\"), "\\ m_R_C = 1 if cell R,C is a mine", "Minimize"]
    lines += [f" objective: 0 {binaries[0]}" if binaries else " objective:", "Subject To"]
    lines += model.stated("\\", partial(_rows, model))
    lines += ["Binary", *_wrapped(" ".join(binaries)), "End"]
    return "\n".join(lines) + "\n"


def _rows(model: Model, each: Sum) -> list[str]:
    """Return the rows of a sum, wrapped: an equation, or a row for each bound. An impossible sum
    becomes one row that no point satisfies."""
    terms = " + ".join(map(model.name, each.variables))
    rows = each.claims(
        lambda relation, bound: f"{each.name}{_SUFFIXES[relation]}: {terms} {relation} {bound}",
        never=f"{each.name}: {NEVER} >= 2",
    )
    return [line for row in rows for line in _wrapped(row)]


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=" ", subsequent_indent="   ")
