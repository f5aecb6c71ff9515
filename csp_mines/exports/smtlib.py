"""The writer of SMT-LIB 2: a Boolean constant for each hidden cell, sums in integer arithmetic."""

from __future__ import annotations

from collections.abc import Iterator

from csp_mines.exports.model import Model, Sum


def write(model: Model) -> str:
    """Return the text of an SMT-LIB script whose solutions are the layouts that fit `model`. The
    last line is `(check-sat)`."""
    lines = model.heading(";")
    lines += ["; m_R_C is true if cell R,C is a mine", "(set-option :produce-models true)"]
    lines.append("(set-logic QF_LIA)")
    lines += (f"(declare-const {name} Bool)" for name in model.names)
    lines += model.stated(";", lambda each: [f"(assert {claim})" for claim in _claims(model, each)])
    return "\n".join([*lines, "(check-sat)"]) + "\n"


def _claims(model: Model, each: Sum) -> Iterator[str]:
    """Yield the formulas that state a sum. An impossible sum becomes `false`. An assumption becomes
    `m_3_4` or `(not m_3_4)`, and so does a clue with the same bounds on one cell. Any other sum
    becomes one formula of integer arithmetic for each relation."""
    names = [model.name(variable) for variable in each.variables]
    if not names:
        yield "false"
    elif len(names) == 1 and each.low in (None, 1) and each.high in (None, 0):
        yield from [names[0]] * (each.low == 1) + [f"(not {names[0]})"] * (each.high == 0)
    else:
        terms = " ".join(f"(ite {name} 1 0)" for name in names)
        total = f"(+ {terms})" if names[1:] else terms
        for relation, bound in each.relations:
            yield f"({relation} {total} {_number(bound)})"


def _number(value: int) -> str:
    """Return a whole number as SMT-LIB writes it: -2 is `(- 2)`."""
    return str(value) if value >= 0 else f"(- {-value})"
