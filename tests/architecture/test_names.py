"""Variables say what they hold: none is called `one`."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("csp_mines", "solvers", "benchmarks", "examples", "tests")


def test_python() -> None:
    found = []
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                bound = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id
                if (bound or (isinstance(node, ast.arg) and node.arg)) == "one":
                    found.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert found == []


def test_the_page_and_the_kernel() -> None:
    page = sorted((ROOT / "csp_mines" / "web" / "static").glob("*.js"))
    kernel = sorted((ROOT / "solvers" / "native" / "kernel").glob("*/*.[ch]pp"))
    assert page
    assert kernel
    named = re.compile(r"\((?:/\*.*?\*/ )?one\b[,)]|\b(?:const|let) one\b|[&\w] one( =| :|;)")
    for path in page + kernel:
        code = re.sub(r"//.*|/\*.*?\*/(?! one)", "", path.read_text(encoding="utf-8"))
        assert not named.search(code), path
