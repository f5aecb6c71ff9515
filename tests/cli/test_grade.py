"""`csp-mines grade`: layouts of every kind, and boards in mid-game."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from csp_mines.layout import Layout
from tests.cli.runner import run

ROOT = Path(__file__).parents[2]
LAYOUT = ROOT / "examples" / "layouts" / "report4-5x5.txt"
BOARD = ROOT / "examples" / "boards" / "patterns" / "hole.txt"


def test_a_layout() -> None:
    answer = run("grade", LAYOUT, "--first", "0,1")
    assert answer.status == 0, answer.err
    lines = answer.out.splitlines()
    assert lines[0] == "5×5, 5 mines, first cell 0,1"
    assert lines[1].startswith("won without a guess: grade ")
    assert any(line.startswith("hardest step, ") for line in lines)


def test_json_of_text_and_mbf(tmp_path: Path) -> None:
    layout = Layout.parse("..*..\n.....\n..*..")
    (tmp_path / "a.txt").write_text(layout.to_text())
    (tmp_path / "a.mbf").write_bytes(layout.to_mbf())
    answer = run("grade", tmp_path / "a.txt", tmp_path / "a.mbf", "--json")
    first, other = (json.loads(line) for line in answer.out.splitlines())
    assert first == other
    assert (first["first"], first["openings"], first["3bv"]) == ([0, 0], 2, 3)


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("5x3:3,1,u2008", [1, 3]),
        ("l1_3x5_f1-3_404", [1, 3]),
        ("?b=0503&m=404", [0, 0]),
        ("0503000202000202", [0, 0]),
    ],
)
def test_ids_lines_links_and_hex(name: str, first: list[int]) -> None:
    """All of the same layout; those that name a first cell begin there, unless another is asked."""
    found = json.loads(run("grade", name, "--json").out)
    assert (found["rows"], found["cols"], found["mines"], found["first"]) == (3, 5, 2, first)
    other = json.loads(run("grade", name, "--json", "--first", "2,4").out)
    assert other["first"] == [2, 4]
    layout = json.loads(
        run("grade", "-", "--json", "--first", "2,4", stdin="..*..\n.....\n..*..").out
    )
    assert layout == other


def test_a_layout_that_needs_a_guess(tmp_path: Path) -> None:
    path = tmp_path / "guess.txt"
    path.write_text("..*\n...\n..*\n.*.\n*..\n")
    answer = run("grade", path)
    assert "needs a guess" in answer.out
    assert "the agent exact meets" in answer.out
    assert "stuck here:" in answer.out
    assert "difficulty" not in answer.out
    assert "before the guess: " in answer.out
    assert json.loads(run("grade", path, "--json").out)["score"] is None


def test_links_and_ids_say_a_layout() -> None:
    """An ID says the first cell, too; --first goes before it."""
    mines = "9x9:4,4,m00b7d48a3e0231c419200"
    assert run("grade", mines).out.startswith("9×9, 35 mines, first cell 4,4\n")
    told = run("grade", mines, "--first", "3,4").out
    assert told.startswith("9×9, 35 mines, first cell 3,4\n")
    link = "https://example.org/?b=33&m=h4"  # *...* / ..
    answer = run("grade", link)
    assert answer.out.startswith("3×3, 3 mines, first cell "), answer.err


def test_without_the_total(tmp_path: Path) -> None:
    path = tmp_path / "total.txt"
    path.write_text("..*..\n")
    assert "won without a guess: grade total" in run("grade", path).out
    assert "needs a guess" in run("grade", path, "--no-total").out


def test_a_board_in_mid_game() -> None:
    answer = run("grade", BOARD)
    assert answer.out.splitlines()[0] == "next step: pair, opens (0,1), (0,2), (0,3)"
    assert json.loads(run("grade", BOARD, "--json").out)["next"] == "pair"
    assert run("grade", "-", stdin="?1?\n").out.startswith("next step: a guess")
    with_total, without = (
        run("grade", "-", *more, stdin="mines: 1\n?1?1?\n").out for more in ((), ("--no-total",))
    )
    assert with_total.startswith("next step: total")
    assert without.startswith("next step: a guess")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("nowhere.txt",), "nowhere.txt: no such file"),
        ((LAYOUT, "--first", "3,3"), "the first cell 3,3 is a mine"),
        ((LAYOUT, "--first", "5,0"), "cell 5,0 is not on this 5×5 board"),
        ((LAYOUT, "--first", "x"), "a cell must be ROW,COL"),
        (
            (LAYOUT, "--mines", "5"),
            f"{LAYOUT} is a layout, which shows all mines: leave out --mines",
        ),
        ((LAYOUT, "--mines", "5", "--ignore-marks"), "leave out --mines and --ignore-marks"),
        (
            (BOARD, "--first", "0,0"),
            "is a board in mid-game, which has no first cell: leave out --first",
        ),
        (("",), "a board must be a file, - for standard input, or a line, link or ID, not ''"),
    ],
)
def test_bad_arguments(arguments: tuple[str | Path, ...], problem: str) -> None:
    answer = run("grade", *arguments)
    assert answer.status == 2
    assert problem in answer.err
    assert answer.err.count("\n") == 1


def test_a_board_that_contradicts_itself_names_its_clues_and_marks() -> None:
    answer = run("grade", "-", stdin="M1?\n?1M\n")
    assert answer.status == 1
    assert answer.err == (
        "-: contradiction: (0,1)=1, but 2 known mines are beside it; "
        "marked mines: 0,0  1,2; try --ignore-marks\n"
    )
    report = json.loads(run("grade", "-", "--json", stdin="M1?\n?1M\n").out)
    assert report["status"] == "contradiction"
    assert report["conflict"] == [{"cell": [0, 1], "clue": 1}]
    assert report["marks"] == [[0, 0], [1, 2]]
    assert run("grade", "-", "--ignore-marks", stdin="M1?\n?1M\n").status == 0


def test_a_puzzle_without_its_total() -> None:
    board = "mines: 2\n?2??\n"
    assert "solutions  one\n" in run("grade", "--puzzle", "-", stdin=board).out
    without = run("grade", "--puzzle", "--no-total", "-", stdin=board)
    assert "solutions  2; two of them:\n" in without.out


def test_a_single_forced_guess() -> None:
    lines = run("grade", "-", "--first", "0,0", stdin="....\n*.**\n....\n").out.splitlines()
    start = "the agent exact meets 1 forced guess, which goes well with probability "
    assert [line.startswith(start) for line in lines].count(True) == 1


def test_a_long_argument_is_told_by_its_end() -> None:
    """An expert layout whose hardest step needs the total and every clue that is left."""
    line = (
        "l1_16x30_800c80008012h50g01905406h20g0g1080520200a41184eggg002010os200i082l0v1g042211474600"
        "k2s461830n1hg0"
    )
    answer = run("grade", line)
    hardest = next(row for row in answer.out.splitlines() if row.startswith("hardest step, 13,29"))
    assert "41 sentences about 41 clues and the total (--json shows them all)" in hardest
    assert hardest.endswith("so (13,29) is safe.")
    assert max(map(len, answer.out.splitlines())) < 600
    assert len(json.loads(run("grade", line, "--json").out)["hardest_step"]["steps"]) == 41


def test_a_certificate_overwrites_neither_its_puzzle_nor_another_file_for_nothing(
    tmp_path: Path,
) -> None:
    puzzle, several_solutions = tmp_path / "puzzle.txt", tmp_path / "several.txt"
    puzzle.write_text("?1?\n???\n0?1\n")
    several_solutions.write_text("?1?\n")
    refused = run("grade", "--puzzle", str(puzzle), "--certificate", str(puzzle))
    assert refused.status == 2
    assert "would overwrite" in refused.err
    assert puzzle.read_text() == "?1?\n???\n0?1\n"
    kept = tmp_path / "kept.jsonl"
    kept.write_text("old\n")
    arguments = ("--certificate", str(kept))
    assert run("grade", "--puzzle", str(several_solutions), *arguments).status == 2
    assert kept.read_text() == "old\n"
    assert run("grade", "--puzzle", str(puzzle), *arguments).status == 0
    assert len(kept.read_text().splitlines()) == 1


def test_a_board_with_proved_mines_alone_needs_no_guess() -> None:
    assert run("grade", "-", stdin="?1\n").out == "no next step: no hidden cell may be safe\n"
    assert run("grade", "-", stdin="?1?\n").out.startswith("next step: a guess")
