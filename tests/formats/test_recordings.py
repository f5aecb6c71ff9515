"""Recordings: RAWVF texts by ourselves, the binary ones by ms_toollib in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from csp_mines import Board, BoardError, BoardSyntaxError, Layout, MissingLibrary
from csp_mines.formats import interpret, videos

HEAD = "RAWVF_Version: Rev5\nProgram: test\nWidth: 3\nHeight: 3\nMines: 1\nBoard:\n*00\n000\n000\n"
MAKE = """
import os, sys, time, ms_toollib
video = ms_toollib.BaseVideo([[-1, 1, 0], [1, 1, 0], [0, 0, 0]], 16)
for code, y, x in (("rc", 8, 8), ("rr", 8, 8), ("lc", 40, 40), ("lr", 40, 40)):
    video.step(code, (y, x))
video.is_official = video.is_fair = False
video.mode, video.software, video.country = 0, "test", "XX"
video.player_identifier = video.race_identifier = video.unique_identifier = "x"
video.generate_evf_v4_raw_data()
video.checksum = bytes(32)
path = video.save_to_evf_file(sys.argv[1])
while not os.path.exists(path) or not os.path.getsize(path):  # another thread writes it
    time.sleep(0.01)
time.sleep(0.2)
"""


@pytest.mark.parametrize(
    ("events", "board"),
    [
        ("", "???\n???\n???"),
        ("0.1 lc 3 3 (40 40)\n0.2 lr 3 3 (40 40)", "?10\n110\n000"),
        ("0.1 lc 2 1\n0.2 lr 2 1", "?1?\n???\n???"),
        ("0.1 lc 2 1\n0.15 mv 3 1\n0.2 lr 3 1", "?10\n110\n000"),
        ("0.1 rc 1 1\n0.2 rr 1 1", "M??\n???\n???"),
        ("0.1 pf 1 1", "M??\n???\n???"),
        ("0.1 rc 1 1\n0.2 rr 1 1\n0.3 rc 1 1", "???\n???\n???"),
        # both buttons over the 1 beside the flag open the rest, whichever goes up first
        ("1 rc 1 1\n1 rr 1 1\n1 lc 2 1\n1 lr 2 1\n1 lc 2 1\n1 rc 2 1\n2 lr 2 1\n2 rr 2 1",
         "M10\n110\n000"),
        ("1 rc 1 1\n1 rr 1 1\n1 lc 2 1\n1 lr 2 1\n1 rc 2 1\n1 lc 2 1\n2 rr 2 1\n2 lr 3 3",
         "M10\n110\n000"),
        ("1 rc 1 1\n1 rr 1 1\n1 lc 2 1\n1 lr 2 1\n2 mc 2 1\n2 mr 2 1", "M10\n110\n000"),
        ("1 lc 2 1\n1 lr 2 1\n2 mc 2 1\n2 mr 2 1", "?1?\n???\n???"),
        ("1 lc 1 1\n1 lr 1 1\n2 lc 3 3\n2 lr 3 3", "X??\n???\n???"),
        ("1 lc 3 3\n1 lr 9 9", "???\n???\n???"),
    ],
)  # fmt: skip
def test_mouse_buttons(events: str, board: str) -> None:
    found = interpret(f"{HEAD}Events:\n0.000 start\n{events}\n")
    assert found.notation == "rawvf"
    assert found.layout == Layout.parse("*..\n...\n...")
    assert found.board == Board.parse(f"mines: 1\n{board}")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (HEAD.replace("Mines: 1", "Mines: 2") + "Events:\n", "mines is 2, but the board has 1"),
        (HEAD.replace("Width: 3", "Width: 4") + "Events:\n", "width is 4, but the board has 3"),
        (HEAD + "Events:\n0.1 lc\n?", "expected an event 'time code column row', not '0.1 lc'"),
        (HEAD + "Events:\n0.1 lc 999999 1\n", "the event at column 999,999, row 1 is too far off"),
        ("RAWVF_Version: Rev5\n", "expected a line 'Board:' in RAWVF text"),
        (HEAD.replace("*00", "*0q") + "Events:\n", "'q' does not stand for a cell"),
    ],
)
def test_damaged_texts(text: str, problem: str) -> None:
    with pytest.raises(BoardSyntaxError, match=problem):
        interpret(text)


def test_other_blanks_before_the_events_do_not_matter() -> None:
    events = "Events:\n0.1 lc 2 1\n0.2 lr 2 1"
    assert interpret(f"{HEAD}\u00a0{events}").clicks == interpret(HEAD + events).clicks


def test_a_recording_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "game.evf"
    command = [sys.executable, "-c", MAKE, str(tmp_path / "game")]
    subprocess.run(command, check=True, timeout=60)
    assert Board.read(path) == Board.parse("mines: 1\nM10\n110\n000")
    assert Layout.read(path) == Layout.parse("*..\n...\n...")


@pytest.mark.parametrize("kind", ["avf", "evf", "rmv", "mvf"])
def test_a_damaged_file_is_an_error_and_nothing_more(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even a log of the parser, which it would write where it runs."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / f"game.{kind}"
    path.write_bytes(bytes(50))
    with pytest.raises(BoardError, match=rf"ms_toollib cannot read this {kind.upper()} recording"):
        Board.read(path)
    assert list(tmp_path.iterdir()) == [path]


def test_without_the_library_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(videos, "find_spec", lambda name: None)
    path = tmp_path / "game.rmv"
    path.write_bytes(b"*rmv")
    with pytest.raises(
        MissingLibrary, match=r"recordings need ms_toollib: .*pip install .*\[videos\]"
    ):
        Board.read(path)


def test_a_recording_is_no_text() -> None:
    with pytest.raises(BoardSyntaxError, match="AVF recordings are binary files, not text"):
        Board.parse("x", "avf")
