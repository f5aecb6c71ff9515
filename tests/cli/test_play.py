"""`csp-mines play`: the play-by-play, its logs, its JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from csp_mines.games.game import Layout
from tests.cli.runner import run

LAYOUTS = Path(__file__).parent.parent.parent / "examples" / "layouts"


def test_every_step_has_its_cell_its_reason_and_its_board() -> None:
    answer = run("play", "--board", LAYOUTS / "report4-5x5.txt", "--first", "0,1")
    assert answer.status == 0
    assert "   1  open 0,1 (0, opens 16 cells): opened by the game\n" in answer.out
    assert "mark 2,2 as a mine: the 1 at 1,1 needs all its hidden cells [single]" in answer.out
    assert "2   .  1  M  2  1\n" in answer.out
    assert answer.out.rstrip().endswith("score 100.0%")


def test_deductions_from_several_clues_name_them() -> None:
    arguments = ("--board", LAYOUTS / "report1-10x10.txt", "--first", "9,0", "--agent", "disarm")
    answer = run("play", *arguments, "--brief", "--no-flood")
    assert "open 6,2 (2): clues 7,0, 7,1 [gauss]" in answer.out
    assert "0 guesses, 0 mines opened" in answer.out


def test_logs_as_text_and_as_json(tmp_path: Path) -> None:
    text, lines = tmp_path / "game.txt", tmp_path / "game.jsonl"
    answer = run("play", "--seed", "3", "--brief", "--log", text, "--log", lines)
    assert answer.status == 0
    log = text.read_text().splitlines()
    assert log[0] == "agent exact, 9x9, 10 mines (12.3%)"
    assert log[1] == "rules classic, start safe, clues exact, seed 3"
    objects = [json.loads(line) for line in lines.read_text().splitlines()]
    assert [next(iter(told)) for told in objects[:2]] == ["game", "step"]
    steps = [told["step"] for told in objects if "step" in told]
    assert len(steps) == objects[-1]["result"]["steps"] == sum(line[:1] == "#" for line in log)
    layout = Layout.parse("\n".join(objects[0]["game"]["layout"]))
    assert Layout.parse("\n".join(log[3:12])) == layout
    for step in steps:
        assert layout.mines[tuple(step["cell"])] == (step["shown"] in ("M", "X"))


def test_a_game_that_is_over_at_once_is_logged_too(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    arguments = ("--size", "2x2", "--mines", "4", "--start", "any", "--log", path)
    assert "won after 0 steps" in run("play", *arguments).out
    log = path.read_text().splitlines()
    assert log[0] == "agent exact, 2x2, 4 mines (100.0%)"
    assert log[-1].startswith("won after 0 steps")


def test_a_board_without_mines_is_won_by_those_who_stop_early() -> None:
    arguments = ("--agent", "triple-total", "--size", "4x4", "--mines", "0", "--start", "any")
    assert "won after 1 step: 16 safe cells open" in run("play", *arguments).out


def test_json_is_one_object_that_repeats() -> None:
    arguments = ("play", "--size", "6x6", "--density", "0.2", "--agent", "pairwise", "--json")
    first, second = (json.loads(run(*arguments).out) for _ in range(2))
    assert first == second
    assert (first["mines"], first["agent"]) == (7, "pairwise")
    assert len(first["moves"]) == first["steps"]


def test_rules_reach_the_game() -> None:
    arguments = ("--rules", "sweep", "--start", "any", "--clues", "silent", "--retry", "--no-flood")
    found = json.loads(run("play", *arguments, "--not-told", "--level", "easy", "--json").out)
    assert found["told_total"] is False
    assert [found[key] for key in ("rules", "start", "clues", "retry", "flood")] == [
        "sweep", "any", "silent", True, False,
    ]  # fmt: skip
    assert found["opened"] + found["exploded"] <= 81


def test_layouts_come_as_mbf_too(tmp_path: Path) -> None:
    path = tmp_path / "layout.mbf"
    path.write_bytes(Layout.parse("...\n...\n..*").to_mbf())
    found = json.loads(run("play", "--board", path, "--json").out)
    assert found["layout"] == ["...", "...", "..*"]
    assert found["won"]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--agent", "nobody"), "unknown agent 'nobody'"),
        (("--agent", "single+luck"), "unknown policy 'luck'"),
        (("--board", "none.txt"), "none.txt: no such file or directory"),
        (("--board", "none.txt", "--mines", "3"), "leave out the options for the size"),
        (("--first", "3"), "a cell must be ROW,COL"),
        (("--first", "30,0"), "not on this 9×9 board"),
        (("--size", "3x3", "--mines", "10"), "a board of 9 cells has 0 to 9 mines, not 10"),
        (("--size", "3x3", "--density", "2"), "--density must be between 0 and 1, not 2.0"),
        (("--rules", "hard"), "unknown rules 'hard'"),
        (("--log", "/nonexistent/log"), "/nonexistent/log: no such file"),
    ],
)
def test_bad_arguments(arguments: tuple[str, ...], problem: str) -> None:
    answer = run("play", *arguments)
    assert answer.status == 2
    assert problem in answer.err
    assert answer.err.count("\n") == 1
    assert answer.out == ""


@pytest.mark.parametrize("start", ["safe", "zero", "any"])
def test_a_layout_that_names_its_first_cell_begins_there(start: str) -> None:
    """A Mines ID of a 9×9 board whose cell 4,4 is a 0, and so is 0,1."""
    arguments = ("--board", "9x9:4,4,mcf649d31ae2c47d4330f0", "--start", start, "--json")
    for more, first in (((), [4, 4]), (("--first", "0,1"), [0, 1])):
        moves = json.loads(run("play", *arguments, *more).out)["moves"]
        assert moves[0]["cell"] == first
        links = json.loads(run("influence", *arguments, *more).out)["links"]
        assert links[0]["cell"] == first
