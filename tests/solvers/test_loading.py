"""Facts about engines cost nothing, and engines keep to themselves."""

from __future__ import annotations

import subprocess
import sys

import pytest

from csp_mines.backend import backend_class, backend_names
from csp_mines.libraries import install_command


def python(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout


def test_facts_are_read_without_importing_a_solver() -> None:
    code = """
import sys
from csp_mines.backend import backend_class, backend_names
for name in backend_names():
    chosen = backend_class(name)
    print(name, chosen.complete, chosen.missing() is None, bool(chosen.version()))
print([library for library in ("pysat", "ortools", "pyganak", "z3", "clingo", "highspy", "pysdd")
       if library in sys.modules])
"""
    lines = python(code).splitlines()
    assert "pysat True True True" in lines
    assert "cpsat True True True" in lines
    assert lines[-1] == "[]"


@pytest.mark.parametrize(
    ("name", "library", "requirement"),
    [
        ("pysat", "pysat", "python-sat"),
        ("cpsat", "ortools", "ortools"),
        ("ganak", "pyganak", "csp-mines[ganak]"),
        ("z3", "z3", "csp-mines[engines]"),
        ("clingo", "clingo", "csp-mines[engines]"),
        ("highs", "highspy", "csp-mines[engines]"),
        ("sdd", "pysdd", "csp-mines[engines]"),
    ],
)
def test_says_what_to_install(
    name: str, library: str, requirement: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = {library: None}
    monkeypatch.setattr("csp_mines.backend.find_spec", lambda asked: missing.get(asked, asked))
    assert backend_class(name).missing() == install_command(requirement)
    assert backend_class(name).version() == ""


@pytest.mark.parametrize(
    "name",
    [name for name in backend_names() if backend_class(name).missing() is None],
)
def test_prints_nothing(name: str) -> None:
    code = f"""
from csp_mines.backend import load
from csp_mines.constraints import Constraint, Problem
triangle = tuple(Constraint(pair, 1, 1) for pair in ((0, 1), (1, 2), (0, 2)))
print("before")
engine = load({name!r}, floating_point=True)
engine.deduce(Problem(triangle[:2]))
for problem in (Problem(triangle), Problem(triangle[:2])):
    for region in problem.regions if engine.counts else ():
        engine.count(region)
print("after")
"""
    assert python(code) == "before\nafter\n"
