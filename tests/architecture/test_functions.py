"""No function is longer than a screen. A command's signature is its options, so there the body is
what counts."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SCREEN = 50  # lines


def functions(folder: str) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for path in sorted((ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{path.relative_to(ROOT)}: {node.name}", node


def is_command(name: str, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return name.startswith(f"csp_mines/cli/{node.name}.py")


def lines(name: str, node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    begin = node.body[0].lineno if is_command(name, node) else node.lineno
    return (node.end_lineno or begin) - begin + 1


def test_functions_fit_on_a_screen() -> None:
    for folder in ("csp_mines", "solvers", "examples", "benchmarks"):
        found = {name: lines(name, node) for name, node in functions(folder)}
        assert found
        assert {name: length for name, length in found.items() if length > SCREEN} == {}
