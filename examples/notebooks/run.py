"""Run notebooks and save what their cells show: `python examples/notebooks/run.py [NOTEBOOK…]`.

No Jupyter is needed. The cells of a notebook are one program, and what is shown below a cell is the
picture or the table of its last expression. A cell with the tag `times` shows measured times, which
differ from run to run; the tests do not compare its output."""

from __future__ import annotations

import ast
import json
import os
import sys
from contextlib import chdir
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
Output = dict[str, Any]


def outputs(path: Path) -> list[list[Output]]:
    """The outputs of each cell, in the order of the cells."""
    names: dict[str, object] = {}
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    with chdir(path.parent):  # as Jupyter does
        return [_run(cell, path, names) if cell["cell_type"] == "code" else [] for cell in cells]


def _run(cell: dict[str, Any], path: Path, names: dict[str, object]) -> list[Output]:
    *statements, last = ast.parse("".join(cell["source"])).body
    if not isinstance(last, ast.Expr):
        statements.append(last)
    exec(compile(ast.Module(statements, []), path.name, "exec"), names)
    if not isinstance(last, ast.Expr):
        return []
    value = eval(compile(ast.Expression(last.value), path.name, "eval"), names)
    return [shown(value)]


def shown(value: object) -> Output:
    """What a notebook shows of a value: a picture, a table, or text."""
    data = {"text/plain": _lines(repr(value))}
    for name, kind in (("_repr_svg_", "image/svg+xml"), ("_repr_html_", "text/html")):
        text = getattr(value, name, lambda: None)()
        if text is not None:
            data[kind] = _lines(text)
            if "object at 0x" in repr(value):
                data["text/plain"] = [f"<{type(value).__name__}>"]
    return {"output_type": "execute_result", "data": data, "metadata": {}}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def save(path: Path) -> None:
    """Run a notebook, and write its outputs into it."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    number = 0
    for cell, shown_below in zip(notebook["cells"], outputs(path), strict=True):
        if cell["cell_type"] == "code":
            number += 1
            cell["execution_count"] = number
            cell["outputs"] = [{**output, "execution_count": number} for output in shown_below]
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    os.environ["COLUMNS"] = "100"
    for path in map(Path, sys.argv[1:] or map(str, sorted(HERE.glob("*.ipynb")))):
        save(path)
