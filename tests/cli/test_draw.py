"""`csp-mines draw` from the outside."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from tests.cli.runner import run

BOARDS = Path(__file__).parent.parent.parent / "examples" / "boards"


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--show", "board", "--theme", "dark"],
        ["--show", "comparison"],
        ["--cell", "0,2"],
    ],
)
def test_svg(tmp_path: Path, arguments: list[str]) -> None:
    picture = tmp_path / "picture.svg"
    result = run("draw", BOARDS / "disarm-corner.txt", picture, *arguments)
    assert (result.status, result.out, result.err) == (0, "", "")
    ElementTree.parse(picture)


def test_png(tmp_path: Path) -> None:
    picture = tmp_path / "picture.png"
    assert run("draw", BOARDS / "disarm-corner.txt", picture, "--scale", "1").status == 0
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_contradiction_is_drawn(tmp_path: Path) -> None:
    picture = tmp_path / "picture.svg"
    result = run("draw", BOARDS / "contradiction.txt", picture)
    assert result.status == 1
    assert "cannot hold together" in result.err
    assert "cannot hold together" in picture.read_text()


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("a.gif", [], "a .svg or .png file"),
        ("a.svg", ["--show", "nothing"], "unknown picture 'nothing'"),
        ("a.svg", ["--theme", "pink"], "unknown theme 'pink'"),
        ("missing/a.svg", [], "no such file or directory"),
    ],
)
def test_wrong_usage(tmp_path: Path, name: str, arguments: list[str], message: str) -> None:
    result = run("draw", BOARDS / "disarm-corner.txt", tmp_path / name, *arguments)
    assert (result.status, result.out) == (2, "")
    assert message in result.err


def test_a_layout_is_refused_with_the_command_that_makes_it_a_board(tmp_path: Path) -> None:
    (tmp_path / "layout.txt").write_text("*..\n...\n...\n")
    answer = run("draw", tmp_path / "layout.txt", tmp_path / "x.svg")
    assert answer.status == 2
    assert "`csp-mines convert FILE --first ROW,COL` writes the board" in answer.err
    board = run("convert", tmp_path / "layout.txt", "--first", "2,2").out
    (tmp_path / "board.txt").write_text(board)
    assert run("draw", tmp_path / "board.txt", tmp_path / "x.svg").status == 0
