"""The writer of whole MiniZinc models.

A model prints each solution as a layout: `*` for a mine, `.` for any other place. Below a solution,
MiniZinc adds a line `----------`, which `csp-mines convert` does not accept.

(The notation `minizinc` in `formats/` differs: it has only the data of a board, for models of other
authors.)
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from csp_mines.board import EXPLODED, HIDDEN, MARKED
from csp_mines.exports.model import Model, Sum

_SHOWN = 'function string: shown(var 0..1: m) = if fix(m) = 1 then "*" else "." endif;'


def write(model: Model) -> str:
    """Return the text of a MiniZinc model whose solutions are the layouts that fit `model`."""
    lines = [*model.heading("%"), "% m_R_C = 1 if cell R,C is a mine"]
    lines += (f"var 0..1: {name};" for name in model.names)
    lines += model.stated("%", partial(_constraints, model))
    lines += ["solve satisfy;", _SHOWN, "output [", *_rows(model), "];"]
    return "\n".join(lines) + "\n"


def _constraints(model: Model, each: Sum) -> list[str]:
    """Return the constraints that state a sum: an equation, or an inequality for each bound. An
    impossible sum becomes `false`."""
    total = " + ".join(map(model.name, each.variables))
    if len(each.variables) > 9:
        total = f"sum([{', '.join(map(model.name, each.variables))}])"
    return each.claims(
        lambda relation, bound: f"constraint {total} {relation} {bound};",
        never="constraint false;",
    )


def _rows(model: Model) -> Iterator[str]:
    """Yield one line for each row of the board, with the items of the `output` statement that
    print the row."""
    for row, codes in enumerate(model.board.codes.tolist()):
        items = [f"{_item(code, row, col)}, " for col, code in enumerate(codes)]
        yield f'  {"".join(items)}"\\n",'


def _item(code: int, row: int, col: int) -> str:
    if code == HIDDEN:
        return f"shown(m_{row}_{col})"
    return '"*"' if code in (MARKED, EXPLODED) else '"."'
