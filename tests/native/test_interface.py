"""The interface of the kernel: the stub is what its bindings declare, and Python names the same."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from nanobind.stubgen import StubGen

from csp_mines.analysis.grades import Grade
from csp_mines.analysis.winning import INGREDIENTS, STRENGTHS
from csp_mines.games.playing import Record, StepKind
from csp_mines.kernel import KERNEL_MODELS

if TYPE_CHECKING:
    from csp_mines.kernel import Kernel

STUB = Path(__file__).parents[2] / "solvers" / "native" / "_kernel.pyi"
VAGUE = {"object", "Any", "tuple", "list", "dict", "Sequence"}


def test_the_stub_is_current(kernel: Kernel) -> None:
    """Otherwise: `make stubs`."""
    module = sys.modules["csp_mines.solvers.native._kernel"]
    generator = StubGen(module)
    generator.put(module)
    assert interface(STUB.read_text(encoding="utf-8")) == interface(generator.get())


def interface(code: str) -> list[str]:
    """What a stub declares, however it is laid out: docstrings and the order of imports left
    out."""
    tree = ast.parse(code)
    imports = [ast.unparse(node) for node in tree.body if isinstance(node, IMPORTS)]
    tree.body = [node for node in tree.body if not isinstance(node, IMPORTS)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            node.body = [part for part in node.body if not is_text(part)] or [ast.Pass()]
    return [*sorted(imports), *ast.unparse(tree).splitlines()]


IMPORTS = (ast.Import, ast.ImportFrom)


def is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def test_results_have_types() -> None:
    for node in ast.walk(ast.parse(STUB.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            assert node.returns is not None, node.name
            assert not set(bare_names(node.returns)) & VAGUE, node.name


def bare_names(node: ast.AST) -> Iterator[str]:
    """Names in an annotation that are given no types of their own."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Subscript):
        yield from bare_names(node.slice)
    else:
        for child in ast.iter_child_nodes(node):
            yield from bare_names(child)


def test_vague_types_are_noticed() -> None:
    def names(annotation: str) -> set[str]:
        return set(bare_names(ast.parse(annotation, mode="eval").body)) & VAGUE

    assert names("list[tuple[int, ...]] | None") == set()
    assert names("list[tuple]") == {"tuple"}
    assert names("tuple[object, int] | list") == {"object", "list"}


def test_grades_and_switches_have_the_names_of_the_kernel(kernel: Kernel) -> None:
    ranks = [kernel.Grade[grade.name] for grade in Grade]
    assert ranks == [grade.rank for grade in Grade]
    assert len(kernel.Grade) == len(Grade) + 1  # and none
    usual = kernel.Strength()
    fields = [name for name in dir(usual) if not name.startswith("_")]
    switches = {name for name in fields if isinstance(getattr(usual, name), bool)}
    assert {name.replace("-", "_") for name in INGREDIENTS} == switches
    for changes in STRENGTHS.values():
        strong = kernel.Strength(**changes)
        assert {name: getattr(strong, name) for name in changes} == changes
    assert {kernel.Model[name] for name in KERNEL_MODELS.values()} == set(kernel.Model)


def test_a_strength_has_no_other_fields(kernel: Kernel) -> None:
    with pytest.raises(TypeError, match="no such field"):
        kernel.Strength(strength=1)


def test_games_name_what_the_kernel_does(kernel: Kernel) -> None:
    assert {kind.name for kind in kernel.MoveKind} == {kind.name for kind in StepKind}
    counted = {name for name in dir(kernel.Record) if not name.startswith("_")}
    assert counted - {"ending", "marked"} == {field.name for field in fields(Record)} - {"score"}
