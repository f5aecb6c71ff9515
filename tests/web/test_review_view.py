"""Review on the page: a log that is dropped, and a game that was finished here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

import csp_mines
from csp_mines.games.game import Game, Rules
from csp_mines.games.log import Log
from csp_mines.games.recording import read_recording
from csp_mines.web.tasks import answer
from tests.formats.test_recordings import MAKE
from tests.web.test_faults import DESK, drop, opened, play_layout, press
from tests.web.test_page import SHOWN, heading, wait_label
from tests.web.test_routes import ask, refused

__all__ = ["opened"]


def logged(path: Path) -> Path:
    """A lost game of a weak agent, with needless guesses."""
    game = Game.new("beginner", rules=Rules(start="zero"), seed=4)
    agent = csp_mines.agent("rutgers-baseline")
    with Log(path) as log:
        log.begin(game, agent, 4)
        record = csp_mines.play(game, agent, 4, watch=log.step)
        log.end(record, "classic")
    return path


def test_a_log_is_dropped_and_reviewed(opened: Any, tmp_path: Path) -> None:
    page = opened(DESK, "/#/learn")
    data = logged(tmp_path / "game.jsonl").read_bytes()
    drop(page, "game.jsonl", data)
    page.wait_for_url("**/#/review")
    page.wait_for_selector(f"{SHOWN} .curve")
    expect(page.locator(f"{SHOWN} h1")).to_have_text("Review of game.jsonl")
    report = json.loads(answer("review", json.dumps({"text": data.decode()}).encode())[1])
    heading(page, ":")
    count = page.locator(f"{SHOWN} .player .count")
    expect(count).to_contain_text(f"of {len(report['moves'])}")
    faulty = [m["turn"] for m in report["moves"] if m["fault"] or m["verdict"] == "needless"]
    for turn in faulty[:2]:
        page.get_by_label("First move").click() if turn == faulty[0] else None
        page.get_by_role("button", name="Next mistake").click()
        expect(count).to_contain_text(f"{turn} of")
    page.keyboard.press("ArrowRight")
    page.get_by_label("Last move").click()
    page.locator(SHOWN).get_by_role("button", name="Analyse this position").click()
    page.wait_for_url("**/#/analyse/**")


def test_a_recording_is_dropped(opened: Any, tmp_path: Path) -> None:
    """A binary file, in a view that does not show it."""
    pytest.importorskip("ms_toollib")
    command = [sys.executable, "-c", MAKE, str(tmp_path / "game")]
    subprocess.run(command, check=True, timeout=60)
    page = opened(DESK, "/#/learn")
    drop(page, "game.evf", (tmp_path / "game.evf").read_bytes())
    expect(page.locator(f"{SHOWN} h1")).to_have_text("Review of game.evf")


def test_a_game_of_the_page_is_reviewed_and_saved(opened: Any, tmp_path: Path) -> None:
    page = opened(DESK, "/#/play")
    play_layout(page, ["...*", "....", "*..."])
    press(page, 0, 0)
    wait_label(page, 0, 0, "0")
    press(page, 2, 1, button=2)  # not a mine
    press(page, 0, 3, button=2)
    press(page, 0, 2)  # its mine is flagged: opens around
    wait_label(page, 1, 3, "1")
    press(page, 2, 0)
    heading(page, "You hit a mine")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as a log").click()
    download.value.save_as(tmp_path / "game.jsonl")
    recording = read_recording(tmp_path / "game.jsonl")
    assert recording.won is False
    assert csp_mines.review(recording).wrong_marks == 1
    page.get_by_role("button", name="Review this game").click()
    expect(page.locator(f"{SHOWN} h1")).to_have_text("Review of game on the page")
    expect(page.locator(f"{SHOWN} .player .count")).to_contain_text("of 3")
    expect(page.locator(f"{SHOWN} .figures")).to_contain_text("Wrong flags1")
    page.get_by_label("Last move").click()
    wait_label(page, 2, 1, "marked as a mine, but it is safe")


def test_the_route_says_what_is_wrong() -> None:
    assert "the field 'layout' is missing" in refused("review", clicks=[["open", [0, 0], 0]])
    assert "give text or data; both are missing" in refused("review")
    assert "game" in refused("review", text="mines: 1\n?1?")
    assert "a click must be a kind, a cell and a time" in refused(
        "review", layout=["..*"], clicks=[[0]]
    )
    assert "'open', 'chord' or 'flag'" in refused(
        "review", layout=["..*"], clicks=[["jump", [0, 0], 0]]
    )
    assert ask("read", text='{"game": {}}')["kind"] == "log"
    assert "a field is missing" in refused("review", text='{"game": {}}')
