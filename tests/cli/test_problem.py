"""`solve --problem` and `solve --effort`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.runner import run

OPB = "* x1 = ann\n+1 x1 +1 x2 = 2 ;\n+1 x2 +1 x3 +1 x4 = 2 ;\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "some.opb"
    path.write_text(OPB)
    return path


def test_an_answer_by_name(file: Path) -> None:
    answer = run("solve", "--problem", str(file), "--json", "--exact", "--effort")
    assert answer.status == 0
    document = json.loads(answer.out)
    assert document.pop("seconds") > 0
    assert document.pop("effort")["regions"] == 1
    assert document == {
        "cells": 4,
        "constraints": 2,
        "mines": None,
        "backend": "native",
        "status": "progress",
        "safe": [],
        "certain_mines": ["ann", "x2"],
        "probabilities": {"ann": 1.0, "x2": 1.0, "x3": 0.5, "x4": 0.5},
        "solutions": "2",
        "fractions": {"ann": "1", "x2": "1", "x3": "1/2", "x4": "1/2"},
    }
    text = run("solve", "--problem", str(file), "--exact").out
    assert "mines      ann, x2\nsolutions  2\nx3   1/2\nx4   1/2\n" in text


def test_a_contradiction_names_the_lines(file: Path) -> None:
    file.write_text(f"{OPB}+1 x3 +1 x4 >= 2 ;\n")
    answer = run("solve", "--problem", str(file))
    assert answer.status == 1
    assert "contradiction: line 2, line 3 and line 4 cannot hold together" in answer.err
    answer = run("solve", "--problem", str(file), "--json")
    assert answer.status == 1
    assert json.loads(answer.out)["conflict"] == ["line 2", "line 3", "line 4"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--mines", "3"), "every option except --backend"),
        (("examples/boards/expert.txt",), "--problem FILE replaces BOARD"),
        (("--show", "win"), "--problem FILE replaces BOARD"),
        (("--backend", "single"), "backend 'single' cannot count"),
    ],
)
def test_refusals(file: Path, arguments: tuple[str, ...], message: str) -> None:
    answer = run("solve", "--problem", str(file), *arguments)
    assert answer.status == 2
    assert message in answer.err


def test_nonsense(file: Path) -> None:
    for text, message in (
        (b"\x00\xff", "expected text in UTF-8"),
        (b"min: +1 x1 ;", "some.opb:1: "),
    ):
        file.write_bytes(text)
        answer = run("solve", "--problem", str(file))
        assert answer.status == 2
        assert message in answer.err
    assert run("solve", "--problem", "nowhere.opb").status == 2
    assert "--problem needs the name of a file" in run("solve", "--problem", "").err
    nothing = run("solve")
    assert nothing.status == 2
    assert "give a BOARD, or constraints with --problem FILE" in nothing.err


def test_the_effort_of_a_board() -> None:
    board = "examples/boards/disarm-corner.txt"
    measured = json.loads(run("solve", board, "--json", "--effort").out)["effort"]
    assert set(measured) == {"regions", "boxes", "width", "states", "solver_calls", "conflicts"}
    assert "effort" not in json.loads(run("solve", board, "--json").out)
    assert "effort     regions 1, boxes" in run("solve", board, "--effort").out
