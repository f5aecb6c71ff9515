"""Every cell of the example notebooks runs, and shows itself as a notebook would show it."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))


def shown(value: object) -> str:
    """What a notebook puts below a cell: a picture or a table."""
    for name in ("_repr_svg_", "_repr_html_"):
        text = getattr(value, name, lambda: None)()
        if text is not None:
            return str(text)
    raise AssertionError(f"{value!r} shows itself as text only")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_shows_what_it_found(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(path.parent)  # as Jupyter does
    names: dict[str, object] = {}
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    for cell in cells:
        if cell["cell_type"] != "code":
            continue
        *statements, last = ast.parse("".join(cell["source"])).body
        assert isinstance(last, ast.Expr)
        exec(compile(ast.Module(statements, []), path.name, "exec"), names)
        value = eval(compile(ast.Expression(last.value), path.name, "eval"), names)
        assert shown(value).startswith(("<svg ", "<p>"))
        assert not cell["outputs"]


def test_there_are_notebooks() -> None:
    assert NOTEBOOKS
