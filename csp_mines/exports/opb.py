"""The writer of OPB: linear constraints over 0-1 variables, for pseudo-Boolean solvers."""

from __future__ import annotations

from functools import partial

from csp_mines.exports.model import Model, Sum
from csp_mines.formats.problem_opb import opb_row


def write(model: Model) -> str:
    """Return the text of an OPB file whose solutions are the layouts that fit a model. The first
    line states how many variables and constraints the file has, as the format demands."""
    stated = model.stated("*", _rows)
    constraints = len(stated) - len(model.sums)  # the others are comments
    variables = len(model.cells) or int(any(each.impossible for each in model.sums))
    lines = [f"* #variable= {variables} #constraint= {constraints}"]
    return "\n".join([*lines, *model.heading("*"), *model.legend("* x"), *stated]) + "\n"


def _rows(each: Sum) -> list[str]:
    """Return the rows of a sum. An impossible sum has no variables, but every row needs a variable.
    So the sum becomes a row that no solution fits: x1 is at least 2."""
    literals = [f"x{variable}" for variable in each.variables]
    return each.claims(partial(opb_row, literals), "+1 x1 >= 2 ;")
