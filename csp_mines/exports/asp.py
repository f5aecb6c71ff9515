"""The writer of ASP: an answer-set program for clingo. Each answer set is a layout that fits."""

from __future__ import annotations

from csp_mines.exports.model import Model, Sum


def write(model: Model) -> str:
    """Return the program of a model. An answer set has `mine(R,C)` for each hidden cell with a
    mine."""
    lines = model.heading("%")
    lines += (f"hidden({row},{col})." for row, col in model.cells)
    lines += ["{ mine(R,C) : hidden(R,C) }."] if model.cells else ["#defined mine/2."]
    lines += model.stated("%", lambda each: [f":- {_violated(model, each)}."])
    return "\n".join([*lines, "#show mine/2."]) + "\n"


def _violated(model: Model, each: Sum) -> str:
    """Return the body of the rule that forbids every layout in which the sum `each` does not
    hold."""
    if each.impossible:
        return "#true"
    if len(each.variables) == len(model.cells):
        atoms = "mine(R,C) : hidden(R,C)"
    else:
        cells = (model.cells[variable - 1] for variable in each.variables)
        atoms = "; ".join(f"mine({row},{col})" for row, col in cells)
    low = "" if each.low is None else f"{each.low} "
    high = "" if each.high is None else f" {each.high}"
    return f"not {low}{{ {atoms} }}{high}"
