"""`csp-mines solve --win`: the chance to win, exactly or by games played out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.runner import run

pytestmark = pytest.mark.usefixtures("kernel")

BOARD = (
    "mines: 10\n000000000\n000000000\n000000000\n012210111\n02MM223M1\n"
    "02M32MM32\n0222123??\n01M1012??\n011101M2?\n"
)


@pytest.fixture
def board(tmp_path: Path) -> Path:
    path = tmp_path / "board.txt"
    path.write_text(BOARD)
    return path


def test_text_says_how_many_layouts_are_won(board: Path) -> None:
    answer = run("solve", "--win", board)
    assert answer.status == 0
    expected = "win chance 66.6667%: 2 of 3 layouts under optimal play, by opening 6,8"
    assert expected in answer.out


def test_json_has_the_chance(board: Path) -> None:
    answer = json.loads(run("solve", "--win", "--json", board).out)
    assert answer["win"] == {
        "win_chance": 2 / 3, "exact": True, "won": 2, "layouts": 3, "cell": [6, 8]
    }  # fmt: skip
    assert "win" not in json.loads(run("solve", "--json", board).out)


def test_the_move_says_why(board: Path) -> None:
    answer = run("solve", board)
    why = "as safe as 8,8, and wins 2 layouts of 3 instead of 1, risk 33.33%, win chance 66.67%"
    assert f"move       open 6,8: {why}" in answer.out
    assert json.loads(run("solve", "--json", board).out)["move"]["win_chance"] == 2 / 3
    safest = run("solve", "--move", "safest", board).out
    assert "move       open 8,8: one of 4 cells with the lowest risk, risk 33.33%\n" in safest
    wrong = run("solve", "--move", "best", board)
    assert (wrong.status, wrong.out) == (2, "")
    assert "unknown move rule 'best'; known: safest, win, win:fast, win:strong" in wrong.err


def test_explaining_a_board_names_the_guess(board: Path) -> None:
    last = run("explain", board).out.rstrip().splitlines()[-1]
    reason = "as safe as 8,8, and wins 2 layouts of 3 instead of 1"
    assert last == f"no cell is proved safe; the guess to make is 6,8: {reason}"
    assert "the guess to make" not in run("explain", "-", stdin="mines: 1\n?1??\n").out


def test_many_layouts_are_played_out(tmp_path: Path) -> None:
    path = tmp_path / "nine.txt"
    path.write_text("mines: 10\n" + "?????????\n" * 9)
    answer = run("solve", "--win", path)
    assert answer.status == 0, answer.err
    assert answer.out.rstrip().endswith("from 200 games that win:fast played out")
    told = json.loads(run("solve", "--win", "--json", path).out)
    chance, error = told["win"]["win_chance"], told["win"]["error"]
    assert f"win chance about {chance:.1%} ± {195.996398 * error:.1f}: " in answer.out  # of 95 %
    assert (told["win"]["exact"], told["win"]["games"]) == (False, 200)
    assert (told["move"]["win_chance"], told["move"]["exact"]) == (None, False)


def test_what_is_too_large_has_no_win_chance(tmp_path: Path) -> None:
    path = tmp_path / "large.txt"
    path.write_text("mines: 200\n" + f"{'?' * 40}\n" * 30)
    answer = run("solve", "--win", path)
    assert answer.status == 0
    reason = "more than 64 hidden cells besides proved mines: too many for an exact search"
    assert f"win chance unknown: {reason}" in answer.out


def test_the_chance_names_the_move_among_cells_that_are_as_good() -> None:
    told = run("solve", "-", "--win", stdin="grid: orthogonal\n~???\n").out
    assert "open 0,3: one of 3 cells" in told
    assert told.endswith("3 of 8 layouts under optimal play, by opening 0,3\n")
    told = run("solve", "examples/boards/endgame.txt", "--win").out
    assert "open 15,0: proved safe" in told
    assert told.endswith("by opening 15,0\n")
