"""`csp-mines solve --win`: the exact chance to win."""

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


def test_what_is_too_large_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "large.txt"
    path.write_text("mines: 10\n" + "?????????\n" * 9)
    answer = run("solve", "--win", path)
    assert answer.status == 2
    assert "more than 64 cells are hidden: too many for an exact search" in answer.err
