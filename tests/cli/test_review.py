"""`csp-mines review`: one game, many games, pictures, errors."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

from csp_mines.backend import Capability, offered
from tests.cli.runner import run
from tests.cli.test_screens import screen
from tests.reviews.test_many import RAWVF, write_log

needs_kernel = pytest.mark.skipif(
    offered(Capability.WINNING) is None, reason="win chances need the compiled kernel"
)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A lost game with a needless guess and several forced ones."""
    path = tmp_path / "game.jsonl"
    write_log(path, 3, agent="rutgers-baseline")
    return path


@needs_kernel
def test_one_game(log: Path, tmp_path: Path) -> None:
    answer = run("review", log, "--picture", tmp_path / "curve.svg", "--csv", tmp_path / "a.csv")
    assert answer.status == 0, answer.err
    lines = answer.out.splitlines()
    assert lines[0] == "game.jsonl: 5x5/5 by rutgers-baseline"
    assert lines[1].startswith("lost, ")
    assert "win chance at the first guess" in lines[2]
    assert (tmp_path / "curve.svg").read_text().startswith("<svg")
    (row,) = csv.DictReader((tmp_path / "a.csv").open())
    document = json.loads(run("review", log, "--json").out)
    assert float(row["start"]) == document["start"]
    assert document["start"] + document["luck"] - document["lost"] == pytest.approx(0)
    assert {
        "game",
        "won",
        "start",
        "moves",
        "lost",
        "luck",
        "accuracy",
        "forced",
        "needless",
    } <= set(document)
    wanted = {"turn", "cell", "verdict", "risk", "lowest_risk", "lost", "luck", "bits"}
    assert all(wanted <= set(move) for move in document["moves"])


@needs_kernel
def test_a_move_is_shown_with_its_board(log: Path) -> None:
    document = json.loads(run("review", log, "--json").out)
    for move in document["moves"]:
        answer = run("review", log, "--move", str(move["turn"]))
        assert answer.status == 0, answer.err
        assert answer.out.startswith(f"opening {move['turn']}, cell {move['cell'][0]},")
        assert "[]" in answer.out
        if move["verdict"] == "needless":
            assert "was proved safe: " in answer.out
    assert json.loads(run("review", log, "--move", "1", "--json").out) == document["moves"][0]
    answer = run("review", log, "--move", "99")
    assert answer.status == 2
    assert "--move 99 is too large: the game has" in answer.err


@needs_kernel
@pytest.mark.parametrize(
    ("layout", "summary", "happened"),
    [
        ("*.", "the board needs a guess", "it was a mine"),
        (".*", "the board is won by its first opening", "it opened 1 cell"),
    ],
)
def test_a_first_opening_that_ends_the_game(
    tmp_path: Path, layout: str, summary: str, happened: str
) -> None:
    board, log = tmp_path / "layout.txt", tmp_path / "game.jsonl"
    board.write_text(f"{layout}\n")
    game = ("--board", board, "--start", "any", "--log", log)
    assert run("play", *game, "--first", "0,0").status == 0
    assert summary in run("review", log).out
    judged = run("review", log, "--move", "1").out
    assert f"The game itself made this opening; {happened}." in judged


def test_many_games(tmp_path: Path) -> None:
    for seed in range(2):
        write_log(tmp_path / f"{seed}.jsonl", seed)
    (tmp_path / "game.rawvf").write_text(RAWVF)
    (tmp_path / "notes.txt").write_text("nothing")
    quick = ("--precision", "0.2", "--workers", "1")
    picture, table = tmp_path.parent / "trend.svg", tmp_path.parent / "games.csv"
    store = tmp_path.parent / "reviews.db"
    answer = run("review", tmp_path, *quick, "--picture", picture, "--csv", table, "--out", store)
    assert answer.status == 2
    assert "notes.txt" in answer.err
    assert "rutgers-kb" in answer.out
    assert "2026-03" in answer.out
    assert picture.read_text().startswith("<svg")
    assert len(list(csv.DictReader(table.open()))) == 3
    groups, by_player = tmp_path.parent / "groups.csv", tmp_path.parent / "groups.json"
    again = run("review", tmp_path, *quick, "--json", "--out", store, "--table", groups)
    lines = [json.loads(line) for line in again.out.splitlines()]
    assert [line.get("won") for line in lines if "error" not in line].count(True) >= 1
    assert sum("error" in line for line in lines) == 1
    assert len(lines) == 4
    assert [row["month"] for row in csv.DictReader(groups.open())] == ["2026-03", ""]
    run("review", tmp_path, *quick, "--out", store, "--table", by_player, "--by", "player")
    found = {group["player"]: group["games"] for group in json.loads(by_player.read_text())}
    assert found == {"A. Player": 1, "rutgers-kb": 2}


@pytest.mark.parametrize(
    ("width", "missing"),
    [
        (80, "3BV/s, forced and mistakes"),
        (90, "3BV/s and forced"),
        (97, "3BV/s"),
        (140, None),
    ],
)
def test_a_narrow_terminal_shows_fewer_columns(
    tmp_path: Path, width: int, missing: str | None
) -> None:
    name = "Player Of Some Length"
    (tmp_path / "game.rawvf").write_text(RAWVF.replace("A. Player", name))
    quick = ("--precision", "0.2", "--workers", "1")
    shown = screen(width, "review", str(tmp_path), *quick, colour=False)
    lines = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.rpartition("\r")[2]).splitlines()
    assert max(map(len, lines)) <= width
    assert any(name in line for line in lines)
    told = " ".join(" ".join(lines).split())
    assert ("a wider terminal also shows" in told) == (missing is not None)
    assert missing is None or f"also shows {missing} player level" in told
    assert "3BV/s" in run("review", tmp_path, *quick).out  # not in a terminal: all columns


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["missing.avf"], "missing.avf"),
        (["{game}", "--player", "exact"], "unknown player 'exact'"),
        (["{game}", "--precision", "0"], "--precision must be a number from 0.001 to 0.5"),
        (["{game}", "--by", "year"], "--by takes player, level, month, not 'year'"),
        (["{game}", "--csv", "{game}"], "--csv would overwrite"),
        (["{game}", "--table", "{game}"], "--table would overwrite"),
        (["{parent}", "--csv", "{game}"], "--csv would overwrite"),
        ([""], "a recording needs a file name"),
        (["{game}", "{game}", "--move", "1"], "--move works with one game only, and without --out"),
        (["{game}", "--out", "a.db", "--move", "1"], "one game only, and without --out"),
        (["{game}", "--out", ""], "--out needs a file name"),
        (["{game}", "--seconds", "0"], "more than 0 seconds"),
        (["{folder}"], "no recorded games in"),
    ],
)
def test_errors(tmp_path: Path, arguments: list[str], problem: str) -> None:
    game, empty = tmp_path / "game.rawvf", tmp_path / "empty"
    game.write_text(RAWVF)
    empty.mkdir()
    names = {"game": game, "folder": empty, "parent": tmp_path}
    answer = run("review", *[argument.format(**names) for argument in arguments])
    assert answer.status == 2
    assert game.read_text() == RAWVF
    assert problem in answer.err
    assert "Traceback" not in answer.err


@pytest.mark.parametrize("text", ["", "?1\n111\n", "game of exact\n\n?1?\n\n?1?\n"])
def test_a_text_that_is_no_recording_is_named_as_such(tmp_path: Path, text: str) -> None:
    (tmp_path / "game.txt").write_text(text)
    answer = run("review", tmp_path / "game.txt")
    assert (answer.status, answer.out) == (2, "")
    assert "expected a recorded game: a .jsonl log of 'play --log'" in answer.err
