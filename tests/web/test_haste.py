"""The page when somebody is quick, careless or unlucky: keys in rapid succession while answers come
late, files that are none, links without sense, another width in the middle of a proof."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

from playwright.sync_api import Error, expect

from csp_mines.board import Board
from csp_mines.layout import Layout
from tests.web.conftest import Site
from tests.web.test_faults import (
    DESK,
    LATENCY,
    PHONE,
    drop,
    game_of,
    opened,
    play_layout,
    press,
    wait_in_sight,
)
from tests.web.test_page import CORNER, SHOWN, cell, heading, label, paste, wait_label

__all__ = ["opened"]

CELLS = f"{SHOWN} [role=gridcell]"


def late(page: Any, route: str = "*") -> None:
    """Every answer of a route comes late."""
    page.route(f"**/api/{route}", lambda route: (page.wait_for_timeout(LATENCY), route.continue_()))


def hold(page: Any, route: str) -> list[Any]:
    """The first request to a route gets no answer until `release` is called."""
    held: list[Any] = []
    page.route(f"**/api/{route}", lambda route: route.continue_() if held else held.append(route))
    return held


def release(page: Any, held: list[Any]) -> None:
    with suppress(Error):  # the page has ended the request
        held[0].continue_()
    page.wait_for_timeout(3 * LATENCY)
    assert held


def test_what_cannot_be_read(opened: Any) -> None:
    """A folder, an empty file, bytes, and a text with two readings. Each message says what it is,
    and is wide enough for its words."""
    page = opened(PHONE, "/#/learn")
    message = page.locator("#message.shown")
    drop(page, "empty.txt", b"")
    expect(message).to_have_text(re.compile(r"^Cannot read this: empty.txt is empty\s*$"))
    drop(page, "game.avf", b"\x00\xff\x01")
    expect(message).to_contain_text("the file game.avf: ms_toollib cannot read this AVF recording")
    assert message.bounding_box()["width"] > 300
    page.evaluate("() => { Blob.prototype.arrayBuffer = () => Promise.reject(new Error()); }")
    drop(page, "boards", b"")
    expect(message).to_contain_text("boards is a folder, or the browser cannot open it")
    assert page.get_by_role("button", name="Choose the notation").count() == 0
    paste(page, "..\n..")
    expect(message).to_contain_text("line 1: 2 readings make sense")
    assert "--format" not in message.inner_text()
    page.get_by_role("button", name="'.' 0").click()
    wait_label(page, 1, 1, "0")
    expect(page.locator(CELLS)).to_have_count(4)


def test_links_without_sense_and_the_way_back(opened: Any) -> None:
    page = opened(DESK, f"/#/analyse/{Board.parse(CORNER).to_line()}")
    heading(page, "4 safe cells, 3 mines")
    page.goto("/#/analyse/nonsense")  # before the address of the position is written
    heading(page, "This link has no position")
    page.wait_for_timeout(4 * LATENCY)
    assert page.url.endswith("#/analyse/nonsense")
    assert page.inner_text(f"{SHOWN} .status p").startswith("line 1: 'n' does not stand for a cell")
    assert page.locator(SHOWN).get_by_label("Rows").input_value() == "4"
    page.go_back()
    heading(page, "4 safe cells, 3 mines")
    page.go_forward()
    heading(page, "This link has no position")
    page.get_by_role("link", name="Analyse").click()
    heading(page, "4 safe cells, 3 mines")
    page.wait_for_url("**/#/analyse/b1_*")
    for link in ("/#/constructor", "/#/play/nonsense", "/#/toString/x"):
        page.goto(link)
        page.wait_for_selector(f"{SHOWN} [role=grid]")
    page.go_back()
    expect(page).to_have_title(re.compile("Play"))


def test_the_position_that_was_chosen_last_is_shown(opened: Any) -> None:
    """The answer to the first of two samples comes last."""
    page = opened(DESK)
    page.wait_for_selector(f"{SHOWN} .proof")
    page.keyboard.press("Escape")
    held = hold(page, "read")
    page.get_by_role("button", name="a 50/50").click()
    page.get_by_role("button", name="a contradiction").click()
    heading(page, "No layout fits")
    release(page, held)
    heading(page, "No layout fits")
    assert page.locator(f"{SHOWN} .why:visible").count() == 0
    paste(page, CORNER)
    wait_label(page, 0, 2, "hidden, proved safe")
    held = hold(page, "explain")
    cell(page, 0, 2).click()
    page.keyboard.press("Escape")  # before the explanation comes
    release(page, held)
    assert page.locator(f"{SHOWN} .why:visible").count() == 0


def test_the_board_that_was_given_last_is_shown(opened: Any) -> None:
    """The answer about the file that was dropped comes after the one about the pasted text."""
    page = opened(DESK, "/#/learn")
    held = hold(page, "read")
    drop(page, "board.txt", b"1?1?1")
    paste(page, CORNER)
    wait_label(page, 0, 2, "hidden, proved safe")
    release(page, held)
    expect(page.locator(CELLS)).to_have_count(16)


def test_new_games_in_haste(opened: Any, site: Site) -> None:
    """Three games are asked for, the answer to the first comes last, and the player does not wait:
    taps are made in the game that is shown in the end, and a double tap opens once."""
    page = opened(PHONE, "/#/play")
    page.get_by_role("button", name="Beginner").click()
    expect(page.locator(CELLS)).to_have_count(81)
    heading(page, "Open any cell")
    held: list[Any] = []

    def first_last(route: Any) -> None:
        if not held:
            return held.append(route)
        page.wait_for_timeout(LATENCY)
        return route.continue_()

    page.route("**/api/play", first_last)
    for _ in range(3):
        page.keyboard.press("n")
    press(page, 8, 8, button=2)
    press(page, 4, 4)
    press(page, 4, 4)
    wait_label(page, 4, 4, "0")
    game = game_of(site)
    held[0].continue_()
    page.wait_for_timeout(2 * LATENCY)
    assert label(page, 4, 4) == "0"
    assert label(page, 8, 8) in ("marked as a mine", game.to_json()["board"][8][8])
    assert [len(turn) for turn in game.turns] == [1]
    page.keyboard.press("n")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Keep playing")).to_be_focused()
    page.keyboard.press("Space")  # the key that opens cells: it ends no game
    expect(dialog).to_have_count(0)
    assert label(page, 4, 4) == "0"


def test_hints_in_haste(opened: Any) -> None:
    page = opened(DESK, "/#/play")
    play_layout(page, ["...*", "....", "*..."])
    press(page, 0, 0)
    wait_label(page, 0, 0, "0")
    late(page, "explain")
    page.keyboard.press("h")
    page.keyboard.press("h")
    page.wait_for_selector(f"{SHOWN} .proof")  # the second key asks for the step
    page.get_by_role("button", name="Open i").or_(
        page.get_by_role("button", name="Open these")
    ).click()
    page.wait_for_selector(f"{SHOWN} .why", state="hidden")
    held = hold(page, "explain")
    page.keyboard.press("h")
    hidden = page.locator(f"{SHOWN} [aria-label$=': hidden']").last
    row, col = map(int, hidden.get_attribute("id").split("-")[1:])
    press(page, row, col)  # before the hint comes, which is then about another position
    expect(cell(page, row, col)).not_to_have_attribute("aria-label", re.compile("hidden"))
    release(page, held)
    assert page.locator(f"{SHOWN} .why:visible").count() == 0


def test_a_look_back_that_comes_too_late(opened: Any) -> None:
    """The player has begun another game meanwhile."""
    page = opened(DESK, "/#/play")
    play_layout(page, ["...*", "....", "*..."])
    press(page, 0, 0)
    wait_label(page, 0, 0, "0")
    press(page, 0, 3)
    page.wait_for_selector(f"{SHOWN} .lookback")
    held = hold(page, "explain")
    page.locator(f"{SHOWN} .cell.safe").first.click()
    page.keyboard.press("n")
    heading(page, "Open any cell")
    release(page, held)
    assert page.locator(f"{SHOWN} .why:visible").count() == 0


def test_a_busy_server_loses_no_tap(opened: Any, site: Site) -> None:
    page = opened(DESK, "/#/play")
    play_layout(page, [".*" * 3, "*." * 3])
    asked: list[str] = []

    def busy(route: Any) -> None:
        asked.append(route.request.post_data)
        if len(asked) in (1, 3):
            return route.fulfill(status=503, json={"error": "the server is busy; try again"})
        return route.continue_()

    page.route("**/api/play", busy)
    for at in ((0, 0), (1, 1), (0, 2)):
        press(page, *at)
    expect(page.locator(f"{SHOWN} .cell.open")).to_have_count(3)
    assert [turn for turns in game_of(site).turns for turn in turns] == [(0, 0), (1, 1), (0, 2)]
    assert len(asked) == 5


def test_what_is_pasted_during_a_game(opened: Any) -> None:
    """A board goes to Analyse, and the game goes on. A layout asks, also twice."""
    page = opened(DESK, "/#/play")
    play_layout(page, ["...*", "....", "*..."])
    press(page, 0, 0)
    wait_label(page, 0, 0, "0")
    paste(page, CORNER)
    page.wait_for_url("**/#/analyse/**")
    wait_label(page, 0, 2, "hidden, proved safe")
    page.go_back()
    wait_label(page, 0, 0, "0")
    expect(page.locator(CELLS)).to_have_count(12)
    drop(page, "game.mbf", Layout.parse("....\n...*").to_mbf())
    page.get_by_role("dialog").get_by_role("button", name="Keep playing").click()
    wait_label(page, 0, 0, "0")
    expect(page.locator(CELLS)).to_have_count(12)


def test_answers_of_learn_belong_to_their_exercise(opened: Any) -> None:
    """A tap on the board of the exercise before is no answer to the next one, and another tab keeps
    its progress."""
    page = opened(PHONE, "/#/learn")
    heading(page, "Find a cell that is a mine")
    late(page)
    page.get_by_role("button", name="Two clues together").click()
    press(page, 4, 4)
    heading(page, "Find a safe cell")
    expect(page.locator(f"{SHOWN} .drills")).not_to_contain_text("of 1")
    page.evaluate(
        """() => localStorage.setItem("csp-mines.learn",
            JSON.stringify({lessons: {hole: true}, drills: {}}))"""
    )
    page.get_by_role("button", name="Show me").click()
    page.wait_for_selector(f"{SHOWN} .proof")
    expect(page.locator(f"{SHOWN} .lessons .done")).to_have_text(["A hole"])
    expect(page.locator(f"{SHOWN} .drills")).to_contain_text("0 of 1")
    page.locator(f"{SHOWN} .why").get_by_role("button", name="Next one").tap()  # within reach
    heading(page, "Find a safe cell")


def test_another_width_in_the_middle_of_a_proof(opened: Any) -> None:
    page = opened(DESK)
    page.wait_for_selector(f"{SHOWN} .proof")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.set_viewport_size(PHONE)
    wait_in_sight(page)
    expect(page.locator(f"{SHOWN} .sentences .now")).to_be_in_viewport()


def test_watch_follows_the_agent(opened: Any) -> None:
    """On a phone, an expert board is wider than the screen. The page itself stands still."""
    page = opened(PHONE, "/#/watch")
    page.locator(f"{SHOWN} select:has(option[value=expert])").select_option("expert")
    expect(page.locator(CELLS)).to_have_count(480)
    page.get_by_label("To the end").click()
    for _ in range(3):
        page.get_by_label("Previous step").click()
        ring = page.locator(f"{SHOWN} .ring.target, {SHOWN} .ring.conflict").bounding_box()
        assert 0 <= ring["x"] <= PHONE["width"] - ring["width"]
    assert page.evaluate("scrollX") == 0


def test_a_game_without_a_mistake_has_no_next_one(opened: Any) -> None:
    page = opened(DESK, "/#/play")
    play_layout(page, ["...*"])
    press(page, 0, 0)
    heading(page, "Won")
    page.get_by_role("button", name="Review this game").click()
    page.wait_for_selector(f"{SHOWN} .player:visible")
    expect(page.get_by_role("button", name="Next mistake")).to_be_disabled()
    page.keyboard.press("m")
    expect(page.locator(f"{SHOWN} .player .count")).to_have_text("1 of 1")


def test_the_counter_of_mines_does_not_move_the_board(opened: Any) -> None:
    page = opened(DESK, f"/#/analyse/{Board.parse(CORNER).to_line()}")
    wait_label(page, 0, 2, "hidden, proved safe")
    page.get_by_role("button", name="Draw", exact=True).click()
    expect(page.locator(f"{SHOWN} .termline")).to_contain_text("0 marked, 3 left")
    before = page.locator(f"{SHOWN} .board-svg").bounding_box()
    cell(page, 0, 1).click(button="right")
    expect(page.locator(f"{SHOWN} .termline")).to_contain_text("1 marked, 2 left")
    assert page.locator(f"{SHOWN} .board-svg").bounding_box() == before
