"""A backend from another package, found by its entry point, runs through the same suite: the one in
docs/adding-a-backend.md passes, and each way to break the contract is caught."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOY = re.findall(
    r"```python\n(.*?)```", (ROOT / "docs/adding-a-backend.md").read_text(encoding="utf-8"), re.S
)[0]


def suite(folder: Path, source: str, only: str = "") -> tuple[int, str]:
    """Installs the source as a package in `folder` and runs the suite, or the tests with `only`
    in their names, for it alone."""
    (folder / "toy_backend.py").write_text(source, encoding="utf-8")
    info = folder / "toy_backend-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-backend\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[csp_mines.backends]\ntoy = toy_backend:Toy\n")
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "tests/conformance/test_contract.py",
         "-k", f"toy and {only}" if only else "toy", "--hypothesis-profile=brief",
         "-p", "no:cacheprovider", "--tb=no"],
        cwd=ROOT, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True,
    )  # fmt: skip
    return done.returncode, done.stdout


def test_the_documented_backend_conforms(tmp_path: Path) -> None:
    status, output = suite(tmp_path, TOY)
    assert status == 0, output
    assert re.search(r"\b3\d passed", output)


@pytest.mark.parametrize(
    ("right", "wrong", "caught"),
    [
        ("frozenset(safe), frozenset(mines)", "frozenset(mines), frozenset(safe)", "deduces"),
        ("frozenset(safe), frozenset(mines)", "frozenset(safe)", "deduces"),
        ("problem.unweighted()", "problem.without_total().unweighted()", "total"),
        ("weight *= constraint.weights[placed]", "pass", "weight"),
        ('name = "toy"', 'name = "other"', "facts"),
    ],
    ids=["unsound", "incomplete", "ignores the total", "ignores weights", "other name"],
)
def test_a_broken_backend_is_caught(tmp_path: Path, right: str, wrong: str, caught: str) -> None:
    assert right in TOY
    status, output = suite(tmp_path, TOY.replace(right, wrong), caught)
    assert status == 1
    assert re.search(rf"FAILED \S*{caught}", output)
