"""No function is longer than a screen. A command's signature is its options, so there the body is
what counts. A docstring does not count: public functions list their parameters there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SCREEN = 50  # lines
HEADER = re.compile(
    r"^( *)(?:export )?(?:default )?(?:static )?(?:async )?"
    r"(?:function\*? )?(?:(?:const|let) )?(\w+)[ (].*\{$"
)
KEYWORDS = {"for", "if", "while", "switch", "else", "return", "class", "try", "do", "import"}


def functions(folder: str) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for path in sorted((ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{path.relative_to(ROOT)}: {node.name}", node


def is_command(name: str, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return name.startswith(f"csp_mines/cli/{node.name}.py")


def lines(name: str, node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    first, *rest = node.body
    begin = first.lineno if is_command(name, node) else node.lineno
    length = (node.end_lineno or begin) - begin + 1
    if ast.get_docstring(node) is None or not rest:
        return length
    return length - ((first.end_lineno or first.lineno) - first.lineno + 1)


def test_functions_fit_on_a_screen() -> None:
    for folder in ("csp_mines", "solvers", "examples", "benchmarks"):
        found = {name: lines(name, node) for name, node in functions(folder)}
        assert found
        assert {name: length for name, length in found.items() if length > SCREEN} == {}


def functions_of_the_page(text: str) -> Iterator[tuple[str, int]]:
    """Functions, methods and named closures by their indentation, which the page keeps to: from
    the line that opens one to the brace that stands below its first letter."""
    code = text.splitlines()
    for number, line in enumerate(code):
        header = HEADER.match(line)
        if header is None or header[2] in KEYWORDS or not re.search(r"\)(?: =>)? \{$", line):
            continue
        end = next(at for at in range(number, len(code)) if code[at].startswith(f"{header[1]}}}"))
        yield header[2], end - number + 1


def test_functions_of_the_page_fit_on_a_screen() -> None:
    sample = "class A {\n  b(c) {\n    if (c) {\n      d();\n    }\n  }\n}\nconst e = () => {\n};\n"
    assert list(functions_of_the_page(sample)) == [("b", 5), ("e", 2)]
    found = [
        (path.name, name, length)
        for path in sorted((ROOT / "csp_mines" / "web" / "static").glob("*.js"))
        for name, length in functions_of_the_page(path.read_text(encoding="utf-8"))
    ]
    assert len(found) > 100
    assert [function for function in found if function[2] > SCREEN] == []
