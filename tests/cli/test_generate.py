"""`csp-mines generate`: boards and layouts that repeat, and mean what the options say."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from csp_mines import Board, Status, analyze
from csp_mines.board import HIDDEN
from csp_mines.formats import interpret
from csp_mines.games.agents import agent
from csp_mines.games.game import Game, Layout
from csp_mines.games.playing import play
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
    text = run("generate", "--no-guess", "--layout", "layout", "--seed", "1").out
    assert text.startswith("; first 0,0, grade ")
    assert run("generate", "--no-guess", "--layout", "text", "--seed", "1").out == text
    record = play(Game(Layout.parse(text)), agent("exact"))
    assert (record.won, record.guesses) == (True, 0)


def test_several_games_as_json() -> None:
    arguments = ("generate", "--no-guess", "--count", "3", "--seed", "2", "--first", "4,4")
    answer = run(*arguments, "--json")
    games = [json.loads(line) for line in answer.out.splitlines()]
    assert len(games) == 3
    for game in games:
        assert (game["first"], game["mines"], game["start"]) == ([4, 4], 10, "zero")
        assert game["needs_total"] == (game["grade"] == "total")
        assert game["steps"] == sum(game["rounds"].values())
    boards = run(*arguments).out.split("\n\n")
    assert [Board.parse(text)[4, 4] for text in boards] == [0, 0, 0]
    layouts = run(*arguments, "--layout", "layout").out.split("\n\n")
    shown = [Layout.parse(text).to_text().split() for text in layouts]
    assert shown == [game["layout"] for game in games]


@pytest.mark.parametrize("name", ["line", "tatham", "layout-link"])
def test_links_and_lines(name: str) -> None:
    """One a line, each read again as the layout, with its first cell where there is a place."""
    arguments = ("generate", "--no-guess", "--count", "3", "--first", "2,5", "--size", "8x11")
    games = run(*arguments, "--mines", "12", "--json").out.splitlines()
    lines = run(*arguments, "--mines", "12", "--layout", name).out.splitlines()
    assert len(lines) == len(games) == 3
    for line, game in zip(lines, map(json.loads, games), strict=True):
        found = interpret(line)
        assert found.layout is not None
        assert found.layout.to_text().split() == game["layout"]
        assert found.first == (None if name == "layout-link" else (2, 5))


def test_boards_as_links() -> None:
    arguments = ("--no-guess", "--count", "2", "--seed", "3")
    boards = [Board.parse(text) for text in run("generate", *arguments).out.split("\n\n")]
    links = run("generate", *arguments, "--format", "position-link").out.splitlines()
    assert [Board.parse(link) for link in links] == boards


def test_long_work_is_foretold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("csp_mines.cli.generate.WORTH_TELLING", 0.0)
    answer = run("generate", "--no-guess")
    assert re.fullmatch(
        r"uniform: 1 in \d\.\d random layouts matches the request: "
        r"about [\d.]+ m?s per board on one core\n",
        answer.err,
    )


def test_a_chosen_grade_without_the_total() -> None:
    arguments = ("--size", "6x6", "--mines", "6", "--difficulty", "at-most:pair")
    answer = run("generate", "--no-guess", *arguments, "--without-total", "--json")
    (line,) = answer.out.splitlines()
    assert json.loads(line)["grade"] in ("single", "pair")


def test_certificates_are_written_and_verified(tmp_path: Path) -> None:
    file = tmp_path / "proofs.jsonl"
    arguments = ("--no-guess", "--count", "2", "--seed", "4", "--certificate", file)
    assert run("generate", *arguments).status == 0
    assert len(file.read_text().splitlines()) == 2
    answer = run("verify", file)
    assert answer.status == 0
    assert answer.out.startswith("2 of 2 certificates hold")


def test_interrupted_runs_keep_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    from csp_mines.generation import noguess

    whole = noguess.generate

    def some(*arguments: Any, **options: Any) -> Iterator[noguess.NoGuessGame]:
        yield from islice(whole(*arguments, **options), 2)
        raise KeyboardInterrupt

    monkeypatch.setattr(noguess, "generate", some)
    answer = run("generate", "--no-guess", "--count", "9", "--json")
    assert answer.status == 130
    assert len(answer.out.splitlines()) == 2
    assert "interrupted: 2 of 9 boards made" in answer.err


def test_puzzles_and_their_sheet(tmp_path: Path) -> None:
    arguments = ("generate", "--puzzle", "--size", "5x5", "--mines", "6", "--count", "2")
    answer = run(*arguments, "--sheet", tmp_path / "sheet.svg")
    boards = [Board.parse(text) for text in answer.out.split("\n\n")]
    assert [made.mines for made in boards] == [None, None]
    found = [json.loads(line) for line in run(*arguments, "--json").out.splitlines()]
    assert [Board.parse("\n".join(puzzle["board"])) for puzzle in found] == boards
    page = (tmp_path / "sheet.svg").read_text()
    solutions = (tmp_path / "sheet-solutions.svg").read_text()
    assert page.count("<circle") == 0
    assert solutions.count("<circle") == 12


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--sheet", "{}/a.svg", "--paper", "a5"], "unknown paper 'a5'"),
        (["--sheet", "{}/a.pdf"], "--sheet must name a .svg file, not 'a.pdf'"),
        (["--sheet", "{}/a.svg", "--count", "5000"], "do not fit on a page"),
    ],
)
def test_a_sheet_is_checked_before_puzzles_are_made(
    tmp_path: Path, arguments: list[str], message: str
) -> None:
    """Making these puzzles would take minutes."""
    given = [argument.format(tmp_path) for argument in arguments]
    result = run("generate", "--puzzle", "--size", "40x40", "--mines", "320", *given)
    assert (result.status, result.out) == (2, "")
    assert message in result.err


def test_with_json_a_book_prints_only_json(tmp_path: Path) -> None:
    book = ("--book", tmp_path / "book.svg", "--json")
    result = run("generate", "--puzzle", "--size", "4x4", "--mines", "3", *book)
    assert [sorted(json.loads(line))[0] for line in result.out.splitlines()] == ["board"]
    assert "1 puzzle on 2 pages" in result.err


def test_a_picture_of_a_game(tmp_path: Path) -> None:
    picture = tmp_path / "game.svg"
    assert run("generate", "--no-guess", "--picture", picture).status == 0
    assert picture.read_text().startswith("<svg")


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


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--opened", "2"), "between 0 and 1"),
        (("--opened", "0.5", "--stuck"), "not both"),
        (("--layout", "text", "--stuck"), "--layout works only without --opened"),
        (("--layout", "png"), "unknown layout format 'png'"),
        (("--stuck", "--size", "2x2", "--mines", "0"), "has no forced guess\n"),
        (("--stuck", "--size", "1x3", "--mines", "1", "--seed", "1"), "has no forced guess\n"),
        (("--stuck", "--size", "9x9", "--mines", "1", "--start", "zero"), "has no forced guess\n"),
        (("--stuck", "--size", "3x3", "--mines", "2", "--seed", "4"), "guess; try another seed"),
        (("--stuck", "--size", "9x9", "--mines", "2", "--start", "zero"), "; try another seed"),
        (
            ("--no-guess", "--level", "expert", "--start", "any"),
            "start must be 'safe' or 'zero' for a no-guess game, not 'any'",
        ),
        (("--no-guess", "--first", "9,0"), "cell 9,0 is not on this 9×9 board"),
        (("--no-guess", "--size", "3x3", "--mines", "1", "--first", "1,1"), "must have no mine"),
        (("--no-guess", "--difficulty", "hard"), "unknown grade 'hard'"),
        (
            ("--no-guess", "--difficulty", "total", "--without-total"),
            "grade 'total' cannot be requested without the total",
        ),
        (("--no-guess", "--method", "magic"), "unknown method 'magic'"),
        (("--no-guess", "--puzzle"), "not both"),
        (("--no-guess", "--stuck"), "--stuck works only without --no-guess and"),
        (("--no-guess", "--clues", "silent"), "--clues works only without --no-guess and"),
        (("--difficulty", "single"), "--difficulty works only with --no-guess or --puzzle"),
        (("--puzzle", "--first", "0,0"), "--first works only without --puzzle"),
        (("--puzzle", "--sheet", "page.pdf"), "--sheet must name a .svg file"),
        (("--puzzle", "--difficulty", "total"), "cannot have grade 'total'"),
        (
            ("--no-guess", "--count", "2", "--layout", "mbf"),
            "--layout mbf writes only one result: leave out --count",
        ),
        (("--size", "3x3", "--mines", "9"), "no room for 9 mines"),
        (("--size", "big", "--mines", "9"), "--size must be rows x columns"),
    ],
)
def test_bad_arguments(arguments: tuple[str, ...], problem: str) -> None:
    answer = run("generate", *arguments)
    assert answer.status == 2
    assert problem in answer.err
    assert answer.err.count("\n") == 1


def test_ctrl_c_is_heard() -> None:
    """A real process, in the middle of a run without end: whole lines, one message, status 130."""
    arguments = ("generate", "--no-guess", "--count", "100000000", "--json")
    with subprocess.Popen(
        [sys.executable, "-m", "csp_mines", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert json.loads(process.stdout.readline())["mines"] == 10
        process.send_signal(signal.SIGINT)
        out, err = process.stdout.read(), process.stderr.read()  # with what readline has buffered
    assert process.returncode == 130
    assert all(json.loads(line) for line in out.splitlines())
    assert re.fullmatch(r"uniform: .*\ninterrupted: [\d,]+ of 100,000,000 boards made\n", err)


def test_the_bar_keeps_the_boards_out_of_the_terminal(tmp_path: Path) -> None:
    """Standard error is a terminal, standard output a file: every board goes to the file."""
    ours, theirs = pty.openpty()
    program = "from csp_mines.cli import main; main()"
    arguments = ("generate", "--no-guess", "--count", "30", "--json")
    with (tmp_path / "boards.jsonl").open("w") as file:
        child = subprocess.Popen(
            [sys.executable, "-c", program, *arguments],
            stdout=file, stderr=theirs, env={**os.environ, "TERM": "xterm"},
        )  # fmt: skip
        os.close(theirs)
        shown = b""
        with suppress(OSError):  # the other end is closed
            while piece := os.read(ours, 65536):
                shown += piece
        os.close(ours)
    assert child.wait() == 0
    lines = (tmp_path / "boards.jsonl").read_text().splitlines()
    assert [json.loads(line)["mines"] for line in lines] == [10] * 30
    assert "/30" in shown.decode()
    assert '"layout"' not in shown.decode()
