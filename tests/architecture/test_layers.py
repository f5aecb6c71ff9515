"""The arrow between rooms: import-linter keeps it, and would notice."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]


def lint(root: Path) -> subprocess.CompletedProcess[str]:
    """Lints the packages below `root`, wherever this one is installed: -S leaves out the hooks that
    would find the installed one first."""
    code = (
        "import sys; sys.path[:0] = sys.argv[1:3]; del sys.argv[1:3]\n"
        "from importlinter.cli import lint_imports_command\n"
        "sys.argv[1:] = ['--no-cache']\n"
        "lint_imports_command()"
    )
    places = [str(root), sysconfig.get_path("purelib")]
    command = [sys.executable, "-S", "-c", code, *places]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)


def test_a_broken_layer_is_noticed(tmp_path: Path) -> None:
    """A copy of the packages in which the core imports a command."""
    for package in ("csp_mines", "solvers"):
        # A checkout may have a link csp_mines/solvers, which leads to the engines.
        ignored = shutil.ignore_patterns("__pycache__", "*.cpp", "solvers")
        shutil.copytree(ROOT / package, tmp_path / package, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    assert lint(tmp_path).returncode == 0
    words = tmp_path / "csp_mines" / "words.py"
    words.write_text(words.read_text() + "\nfrom csp_mines.cli import console\n")
    broken = lint(tmp_path)
    assert broken.returncode == 1
    assert "rooms import from the rooms below them BROKEN" in broken.stdout


def imports_of_engines(node: ast.AST) -> Iterator[str]:
    """The modules of `solvers` that are imported below a node, but for those that only type
    checkers read."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        names = [name.name for name in child.names] if isinstance(child, ast.Import) else []
        module = child.module or "" if isinstance(child, ast.ImportFrom) else ""
        yield from (
            name
            for name in (*names, module)
            if name.removeprefix("csp_mines.").partition(".")[0] == "solvers"
        )
        yield from imports_of_engines(child)


def test_only_type_checkers_read_the_interface_of_the_kernel() -> None:
    """import-linter does not see the kernel, which is a stub and a compiled module."""
    sample = "if TYPE_CHECKING:\n import solvers.a\ndef f():\n from csp_mines.solvers.b import c"
    assert list(imports_of_engines(ast.parse(sample))) == ["csp_mines.solvers.b"]
    naming = []
    for path in sorted((ROOT / "csp_mines").rglob("*.py")):
        code = path.read_text(encoding="utf-8")
        assert list(imports_of_engines(ast.parse(code))) == [], path
        if "solvers.native._kernel" in code:
            naming.append(path.relative_to(ROOT).as_posix())
    assert naming == ["csp_mines/kernel.py"]


def test_every_room_is_on_the_map() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    rooms = [path.parent.name for path in (ROOT / "csp_mines").glob("*/__init__.py")]
    assert rooms
    for room in rooms:
        assert re.search(rf"`{room}/`", page), room


def test_the_map_names_what_there_is() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    prose = page.partition("## Every file")[0]  # test_every_file checks the rest
    for path in re.findall(r"`((?:\w+/)+\w*(?:\.\w+)?|\w+\.py)`", prose):
        places = (ROOT / path, ROOT / "csp_mines" / path, ROOT / "csp_mines" / "web" / path)
        assert any(place.exists() for place in places), path
    rooms = page.split("## Rooms and the arrow")[1].split("## Where")[0]
    core = {path.stem for path in (ROOT / "csp_mines").glob("*.py")} - {"__init__", "__main__"}
    assert {name for name in core if f"`{name}`" in rooms} == core


def test_folders_of_the_kernel_include_from_those_above_them() -> None:
    kernel = ROOT / "solvers" / "native" / "kernel"
    page = (kernel / "README.md").read_text(encoding="utf-8")
    folders = re.findall(r"^\| `(\w+)/` \|", page, re.MULTILINE)
    assert sorted(folders) == sorted(path.name for path in kernel.iterdir() if path.is_dir())
    for place, folder in enumerate(folders):
        for path in sorted((kernel / folder).iterdir()):
            included = re.findall(r'^#include "(\w+)/', path.read_text(encoding="utf-8"), re.M)
            assert set(included) <= set(folders[: place + 1]), path
