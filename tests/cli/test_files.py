"""Files that commands write: none of them is one that was read, or was not asked for."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from tests.cli.runner import run

LAYOUT = "..*\n...\n...\n"
BOARD = "mines: 1\n??\n??\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("play --board FILE --log OTHER", LAYOUT),
        ("play --board FILE --log free.txt --log OTHER", LAYOUT),
        ("influence --board FILE --picture OTHER", LAYOUT),
        ("draw FILE OTHER", BOARD),
        ("explain FILE 0,0 --picture OTHER", BOARD),
        ("assist FILE --save OTHER", f"; a remark\n{BOARD}"),
        ("assist FILE --save OTHER", "[[-1, 1], [1, 1]]\n"),
    ],
)
@pytest.mark.parametrize("other", ["x.svg", "./x.svg", "hard.svg", "soft.svg"])
def test_what_is_read_is_not_written(command: str, text: str, other: str, here: Path) -> None:
    (here / "x.svg").write_text(text)
    os.link("x.svg", "hard.svg")
    os.symlink("x.svg", "soft.svg")
    answer = run(*command.replace("FILE", "x.svg").replace("OTHER", other).split(), stdin="quit\n")
    assert (answer.status, answer.out) == (2, "")
    assert f"would overwrite {Path(other)}, which this command reads" in answer.err
    assert (here / "x.svg").read_text() == text


def test_a_numbered_picture_is_not_written_onto_its_boards(here: Path) -> None:
    (here / "x-1.svg").write_text("?1\n11\n---\n1?\n11\n")
    answer = run("draw", "x-1.svg", "x.svg")
    assert answer.status == 2
    assert "x-1.svg: board 1: PICTURE would overwrite x-1.svg" in answer.err
    assert (here / "x-1.svg").read_text().startswith("?1\n")
    assert (here / "x-2.svg").exists()


def test_a_plot_is_not_written_onto_the_games(here: Path) -> None:
    options = ("--games", "1", "--size", "4x4", "-d", "0.1", "--out", "x.svg", "--plot", "x.svg")
    answer = run("densities", *options)
    assert answer.status == 2
    assert "--plot would overwrite x.svg" in answer.err
    assert not (here / "x.svg").exists()


def test_a_session_goes_on_in_the_file_that_it_saved(here: Path) -> None:
    (here / "game.txt").write_text(BOARD)
    assert run("assist", "game.txt", "--save", "game.txt", stdin="1\nquit\n").status == 0
    assert (here / "game.txt").read_text() == "mines: 1\n1?\n??\n"


def test_saving_touches_no_other_file(here: Path) -> None:
    (here / "game.txt.part").write_text("mine")
    (here / "real.txt").write_text("old")
    (here / "real.txt").chmod(0o640)
    os.symlink("real.txt", "game.txt")
    run("assist", "--size", "2x2", "--mines", "1", "--save", "game.txt", stdin="1\nquit\n")
    assert (here / "game.txt.part").read_text() == "mine"
    assert (here / "game.txt").is_symlink()
    assert (here / "real.txt").read_text() == "mines: 1\n1?\n??\n"
    assert stat.S_IMODE((here / "real.txt").stat().st_mode) == 0o640
    assert {path.name for path in here.iterdir()} == {
        "game.txt", "game.txt.part", "real.txt", "state",
    }  # fmt: skip


def test_a_device_is_written_to_and_not_replaced() -> None:
    before = os.stat(os.devnull)
    answer = run("assist", "--size", "2x2", "--mines", "1", "--save", os.devnull, stdin="1\nquit\n")
    assert answer.status == 0
    assert os.path.samestat(before, os.stat(os.devnull))


@pytest.mark.parametrize("resume", [(), ("--resume",)])
def test_a_link_that_leads_nowhere_holds_no_games(resume: tuple[str, ...], here: Path) -> None:
    os.symlink("loop", "loop")
    game = ("simulate", "-n", "1", "--size", "3x3", "--mines", "1", "--workers", "1")
    answer = run(*game, "--out", "loop", *resume)
    assert answer.status == 2
    assert answer.err == "csp-mines: cannot open loop: Too many levels of symbolic links\n"
    os.symlink("games.db", "link")
    assert run(*game, "--out", "link", *resume).status == 0
    assert (here / "link").is_symlink()
    assert (here / "games.db").is_file()


def test_a_spoilt_session_is_told_and_left(here: Path) -> None:
    file = here / "state" / "csp-mines" / "assist.sqlite"
    file.parent.mkdir(parents=True)
    for damage in (b"no database" * 100, b"SQLite format 3\0" + bytes(range(256)) * 20):
        file.write_bytes(damage)
        answer = run("assist", stdin="1\nquit\n")
        assert answer.status == 0
        assert f"{file}: the file is damaged; delete it; this session is not kept" in answer.out
        assert "The board so far" in answer.out
        assert file.read_bytes() == damage
