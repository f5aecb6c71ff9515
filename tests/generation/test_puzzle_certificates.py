"""Certificates of puzzles, and a checker that finds what is wrong with them."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from csp_mines import BadCertificate, Board, Spec, as_geometry, certify_puzzle, puzzles
from csp_mines.errors import BoardError
from csp_mines.generation.certificates import verify
from csp_mines.generation.puzzle_checker import check_puzzle
from tests.cli.runner import run

pytestmark = pytest.mark.once


def certificate(grid: str, seed: int) -> dict[str, Any]:
    holes = frozenset({(1, 1)}) if seed == 2 else frozenset[tuple[int, int]]()
    (puzzle,) = puzzles(Spec(4, 5, 5, as_geometry(grid), holes), 1, seed)
    made = certify_puzzle(puzzle.board)
    assert made.layout == puzzle.layout
    assert made.grade == puzzle.grade
    document: dict[str, Any] = json.loads(json.dumps(made.to_json()))
    return document


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("grid", ["square", "orthogonal", "radius:2", "torus", "hex"])
def test_they_hold_on_every_grid(grid: str, seed: int) -> None:
    whole = certificate(grid, seed)
    assert check_puzzle(whole) == sum(row.count(-1) for row in whole["codes"])
    assert verify(whole, "here").error is None


def test_no_clue_can_be_left_out_and_no_step() -> None:
    whole = certificate("square", 1)
    for number, step in enumerate(whole["steps"]):
        for clue in range(len(step["clues"])):
            broken = copy.deepcopy(whole)
            del broken["steps"][number]["clues"][clue]
            with pytest.raises(BadCertificate, match="the clues allow") as caught:
                check_puzzle(broken)
            assert caught.value.step == number + 1
    del whole["steps"][-1]
    with pytest.raises(BadCertificate, match="1 hidden cell without a proof"):
        check_puzzle(whole)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"codes": [[-1]]}, "as many rows and columns as the layout"),
        ({"codes": [["x"] * 5] * 4}, "'x' is not a code"),
        ({"layout": ["....."] * 4, "mines": 0}, "does not fit the code"),
        ({"mines": 4}, "the certificate says 4 mines"),
        ({"grid": "hex"}, "does not fit the code"),
        ({"told_total": None}, "'told_total' must be true or false"),
        ({"steps": None}, "no list of steps"),
        ({"grade": "search"}, "the certificate says grade 'search'"),
        ({"format": "csp-mines certificate 2"}, "not a certificate"),
    ],
)
def test_what_is_wrong_is_named(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(BadCertificate, match=problem):
        check_puzzle(certificate("square", 1) | change)


def test_a_wrong_grade_of_a_step_is_found() -> None:
    whole = certificate("square", 1)
    grade = whole["steps"][0]["grade"]
    for step in whole["steps"]:
        step["grade"] = whole["grade"] = "gauss"
    error = verify(whole, "here").error
    assert error is not None
    assert error.problem == f"the certificate says grade 'gauss', but the cell has grade {grade}"


def test_the_total_is_used_only_if_the_puzzle_tells_it() -> None:
    told = certify_puzzle(Board([[-1, 1, -5, -1]], mines=2)).to_json()
    assert [step["total"] for step in told["steps"]][-1]
    check_puzzle(told)
    with pytest.raises(BadCertificate, match="which the puzzle does not give"):
        check_puzzle(told | {"told_total": False})
    with pytest.raises(BoardError, match="the puzzle has 2 solutions"):
        certify_puzzle(Board([[-1, 1, -1]]))


def test_commands_write_and_check_them(tmp_path: Path) -> None:
    made, graded = tmp_path / "made.jsonl", tmp_path / "graded.jsonl"
    puzzle = run("generate", "--puzzle", "--size", "4x4", "--mines", "3", "--certificate", made)
    run("grade", "--puzzle", "-", "--certificate", graded, stdin=puzzle.out)
    assert made.read_text() == graded.read_text()
    assert run("verify", made, graded).out.startswith("2 of 2 certificates hold")
