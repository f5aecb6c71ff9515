"""`csp-mines explain` from the outside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.runner import run

BOARDS = Path(__file__).parent.parent.parent / "examples" / "boards"
PATTERNS = BOARDS / "patterns"


def test_a_proved_cell() -> None:
    result = run("explain", PATTERNS / "one-one-wall.txt", "0,2")
    assert (result.status, result.err) == (0, "")
    assert "0,2  safe  pair, 2 clues" in result.out
    assert "(1,0)=1 leaves one mine in (0,0) and (0,1);" in result.out


def test_the_clues_stand_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    result = run("explain", PATTERNS / "one-one-wall.txt", "0,2")
    board = result.out.split("safe")[0]
    assert board.count("\x1b[7;") >= 3  # two clues and the cell, reversed


def test_a_whole_board() -> None:
    result = run("explain", BOARDS / "disarm-game-late.txt")
    assert result.status == 0
    assert result.out.index("single, 1 clue") < result.out.index("pair, 2 clues")
    assert "proved cells by grade: 14 single, 4 pair" in result.out


def test_nothing_is_proved() -> None:
    result = run("explain", "-", stdin="?1?")
    assert "proved cells by grade: none" in result.out


def test_an_open_cell() -> None:
    result = run("explain", "-", "0,2", stdin="?1?")
    assert "Undecided: a mine with probability 50.00% = 1/2." in result.out
    assert (
        "Two layouts that fit differ only in these cells:\n    0  1  2\n0   b  1  a\n" in result.out
    )
    assert result.out.endswith(
        "a  mines only in the first layout: 0,2\nb  mines only in the second layout: 0,0\n"
    )


def test_json_of_a_cell() -> None:
    result = run("explain", PATTERNS / "last-cells.txt", "2,4", "--json")
    report = json.loads(result.out)
    assert (report["cell"], report["verdict"], report["uses_total"]) == ([2, 4], "safe", True)
    assert report["clues"] == [[0, 1], [0, 3]]
    assert report["difficulty"] == "total"
    assert [sorted(step) for step in report["steps"]] == [
        ["cells", "clues", "high", "low", "rule", "text"]
    ]


def test_json_of_a_board() -> None:
    report = json.loads(run("explain", BOARDS / "disarm-corner.txt", "--json").out)
    assert report["status"] == "progress"
    assert report["difficulty"] == {"hardest": "pair", "cells": {"pair": 7}}
    cells = sorted(cell for deduction in report["deductions"] for cell in deduction["cells"])
    assert len(cells) == 7


def test_several_ways() -> None:
    board = "?????\n11211\n00000\n"
    result = run("explain", "-", "0,2", "--all", stdin=board)
    assert ", by 2 clues: pair\n" in result.out
    report = json.loads(run("explain", "-", "0,2", "--all", "--json", stdin=board).out)
    assert {str(explanation["clues"]) for explanation in (report, *report["others"])} >= {
        "[[1, 0], [1, 1]]", "[[1, 3], [1, 4]]",
    }  # fmt: skip


def test_the_total_can_be_left_out() -> None:
    report = json.loads(
        run("explain", PATTERNS / "last-cells.txt", "2,4", "--no-total", "--json").out
    )
    assert report["verdict"] == "open"


def test_a_contradiction() -> None:
    result = run("explain", BOARDS / "contradiction.txt")
    assert result.status == 1
    assert "(1,1)=1, (1,2)=3 and (1,3)=1 cannot hold together" in result.err
    result = run("explain", BOARDS / "contradiction.txt", "--json")
    assert result.status == 1
    assert len(json.loads(result.out)["conflict"]) == 3


def test_a_picture(tmp_path: Path) -> None:
    picture = tmp_path / "why.svg"
    result = run("explain", PATTERNS / "hole.txt", "0,2", "--picture", picture, "--theme", "dark")
    assert result.status == 0
    assert picture.read_text().startswith("<svg ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["0;2"], "a cell must be ROW,COL"),
        (["9,9"], "cell 9,9 is not on this 3×3 board"),
        (["1,0"], "cell 1,0 is not hidden"),
        (["0,2", "--backend", "single"], "'single' is not complete"),
        (["--picture", "x.svg"], "--picture shows one cell"),
        (["--all"], "--all shows several proofs of one cell"),
        (["0,2", "--picture", "x.gif"], "a .svg or .png file, not 'x.gif'"),
    ],
)
def test_wrong_usage(arguments: list[str], message: str) -> None:
    result = run("explain", PATTERNS / "one-one-wall.txt", *arguments)
    assert (result.status, result.out) == (2, "")
    assert message in result.err
    assert len(result.err.splitlines()) == 1


def test_a_total_too_wide_to_explain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("csp_mines.analysis.clue_sets.WIDE", 0)
    result = run("explain", "-", stdin="mines: 2\n?1?1?\n")
    assert (result.status, result.err) == (0, "")
    assert "0,0  mine  total, 1 clue and the total" in result.out
    assert "0,2  safe  total\n  Proved by the total number of mines; the proof" in result.out


def test_a_hint_without_a_proof_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("csp_mines.analysis.clue_sets.WIDE", 0)
    result = run("explain", "-", "--hint", stdin="mines: 2\n?1?1?\n")
    assert (result.status, result.err) == (0, "")
    assert "  Proved by the total number of mines; the proof" in result.out


def test_hint_is_the_easiest_step_alone() -> None:
    shown = run("explain", "-", "--hint", stdin="mines: 3\n????\n113?\n001?\n001?\n")
    assert "0,2  safe  pair, 2 clues" in shown.out
    assert run("explain", "-", "--hint", stdin="mines: 1\nM1\n").out == "nothing is left to open\n"
    both = run("explain", "-", "0,0", "--hint", stdin="?1\n")
    assert both.status == 2
    assert "leave out the cell" in both.err


def test_hint_in_several_ways() -> None:
    board = "?????\n11211\n00000\n"
    assert "proof 2 of" not in run("explain", "-", "--hint", stdin=board).out
    shown = run("explain", "-", "--hint", "--all", stdin=board).out
    assert "proof 3 of 3, by 3 clues: gauss" in shown
    told = json.loads(run("explain", "-", "--hint", "--all", "--json", stdin=board).out)
    assert told == json.loads(run("explain", "-", "0,2", "--all", "--json", stdin=board).out)
    assert [other["difficulty"] for other in told["others"]] == ["pair", "gauss"]


def test_a_grade_with_few_clues_and_one_with_all() -> None:
    """(1,2)=2 and (1,1)=1 overlap; with (1,0)=1 as well one clue lies inside another."""
    board = "?????\n11211\n00000\n"
    shown = run("explain", "-", "0,0", stdin=board).out
    assert "0,0  safe  gauss, 2 clues (pair with all clues of the board)" in shown
    told = json.loads(run("explain", "-", "0,0", "--json", stdin=board).out)
    assert (told["difficulty"], told["board_difficulty"]) == ("gauss", "pair")
    assert "board_difficulty" not in json.loads(
        run("explain", "-", "0,2", "--json", stdin=board).out
    )


@pytest.mark.parametrize("header", ["density: 0.3", "clues: optimistic", "clues: cautious"])
def test_hint_says_why_to_guess_there(header: str) -> None:
    shown = run("explain", "-", "--hint", stdin=f"{header}\n?1?\n???\n")
    assert (shown.status, shown.err) == (0, "")
    assert "It is the guess to make: " in shown.out
    assert "lowest risk." in shown.out


def test_no_step_is_no_picture(tmp_path: Path) -> None:
    picture = tmp_path / "step.svg"
    done = run("explain", "-", "--hint", "--picture", picture, stdin="mines: 1\nM1\n")
    assert (done.status, done.out) == (0, "nothing is left to open\n")
    assert "step.svg is not written: there is no step to show" in " ".join(done.err.split())
    assert not picture.exists()


def test_an_open_cell_says_what_it_may_show() -> None:
    shown = run("explain", "-", "1,0", stdin="mines: 1\n?1?\n???\n").out
    assert "shows 0:  40.00%  then 2 safe, 0 mines, 2 undecided" in shown
    assert "a mine:   20.00%" in shown
