"""`csp-mines generate`: boards and layouts that repeat, and mean what the options say."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from csp_mines import Board, Status, analyze
from csp_mines.board import HIDDEN
from csp_mines.play.agents import agent
from csp_mines.play.game import Game, Layout
from csp_mines.play.playing import play
from tests.cli.runner import run


def board(*arguments: str) -> Board:
    answer = run("generate", *arguments)
    assert answer.status == 0, answer.err
    return Board.parse(answer.out)


def test_by_default_the_board_after_the_start() -> None:
    made = board("--seed", "3")
    assert (made.rows, made.cols, made.mines) == (9, 9, 10)
    assert made[0, 0] == 0
    assert made == board("--seed", "3") != board("--seed", "4")


def test_a_share_of_the_safe_cells_is_open() -> None:
    made = board("--level", "expert", "--opened", "0.3", "--no-flood")
    assert int((made.codes != HIDDEN).sum()) == 115  # 30 % of 381, rounded up
    assert len(board("--opened", "0").hidden) == 81
    assert analyze(board("--opened", "1")).status in (Status.PROGRESS, Status.SOLVED)


def test_boards_that_need_a_guess() -> None:
    found = analyze(board("--level", "intermediate", "--stuck", "--seed", "1"))
    assert found.status is Status.GUESS


def test_layouts_that_need_none() -> None:
    text = run("generate", "--solvable", "--start", "zero", "--layout", "text", "--seed", "1").out
    record = play(Game(Layout.parse(text)), agent("exact"))
    assert (record.won, record.guesses) == (True, 0)


def test_layouts_as_text_json_and_mbf() -> None:
    arguments = ("generate", "--size", "4x6", "--mines", "5", "--layout")
    layout = Layout.parse(run(*arguments, "text").out)
    assert (layout.shape, layout.count, bool(layout.mines[0, 0])) == ((4, 6), 5, False)
    found = json.loads(run(*arguments, "text", "--json").out)
    assert Layout.parse("\n".join(found["layout"])) == layout
    program = "from csp_mines.cli import main; main()"
    raw = subprocess.run(
        [sys.executable, "-c", program, *arguments, "mbf"], capture_output=True, check=True
    )
    assert Layout.from_mbf(raw.stdout) == layout


def test_other_formats_and_json() -> None:
    plain = board("--seed", "3")
    other = run("generate", "--seed", "3", "--format", "mine").out
    assert Board.parse(other, "mine") == plain
    found = json.loads(run("generate", "--seed", "3", "--json").out)
    rows = ["mines: 10", *found["board"]]
    assert Board.parse("\n".join(rows)) == plain
    assert len(found["board"]) == found["rows"] == 9
    other_way = json.loads(run("generate", "--seed", "3", "--json", "--format", "mine").out)
    assert len(other_way["board"]) == 9


def test_a_solvable_game_is_never_stuck() -> None:
    found = run("generate", "--solvable", "--stuck")
    assert (found.status, found.out) == (2, "")
    assert "need no guess" in found.err
    assert "seed" not in found.err


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--opened", "2"), "between 0 and 1"),
        (("--opened", "0.5", "--stuck"), "not both"),
        (("--layout", "text", "--stuck"), "--layout shows everything"),
        (("--layout", "png"), "unknown layout format 'png'"),
        (("--stuck", "--size", "2x2", "--mines", "0"), "needs no guess"),
        (("--solvable", "--level", "expert", "--start", "any"), "'any' begins with a guess"),
        (("--size", "3x3", "--mines", "9"), "do not fit"),
        (("--size", "big", "--mines", "9"), "a size is rows x columns"),
    ],
)
def test_bad_arguments(arguments: tuple[str, ...], problem: str) -> None:
    answer = run("generate", *arguments)
    assert answer.status == 2
    assert problem in answer.err
    assert answer.err.count("\n") == 1
