"""Faults that people met on the page, each tried again: lost taps, lost games, lost connections,
boards that jump or are cut off, links and files that are not boards."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from typing import Any

import httpx
import numpy as np
import pytest
from playwright.sync_api import expect

from csp_mines.board import Board
from csp_mines.layout import Layout
from tests.web.conftest import Site
from tests.web.test_page import CORNER, SHOWN, cell, heading, label, paste, wait_label

LATENCY = 100  # milliseconds, simulated
PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 800}
OPEN_FIELD = ["." * 30] * 8 + ["*" * 30] * 2 + ["." * 30] * 6

# Adds up the layout shifts of the board, as the browser reports them. A board that has just
# replaced another one is drawn before: its size is not a shift of the game that follows.
SHIFTS = """async () => {
    window.drawn = () => new Promise(
        done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));
    await window.drawn();
    window.shifts = 0;
    new PerformanceObserver(list => {
        for (const entry of list.getEntries())
            if (entry.sources.some(({node}) => node?.parentElement?.closest(".board-place")))
                window.shifts += entry.value;
    }).observe({type: "layout-shift"});
}"""


@pytest.fixture
def opened(browser: Any, site: Site) -> Iterator[Any]:
    """A function that opens the page in a window of a given size."""
    contexts = []

    def open_page(size: dict[str, int], address: str = "/#/analyse", at: Site = site) -> Any:
        context = browser.new_context(
            viewport=size, has_touch=size["width"] < 500, base_url=at.url, reduced_motion="reduce"
        )
        contexts.append(context)
        context.set_default_timeout(40_000)
        page = context.new_page()
        page.errors = []
        page.on("pageerror", lambda error: page.errors.append(str(error)))
        page.goto(address)
        page.wait_for_selector(f"{SHOWN} [role=grid]")
        return page

    yield open_page
    for context in contexts:
        for page in context.pages:
            assert page.errors == []
        context.close()


def slow(page: Any) -> None:
    """Every answer of a game comes late."""
    page.route("**/api/play", lambda route: (page.wait_for_timeout(LATENCY), route.continue_()))


def play_layout(page: Any, rows: list[str]) -> None:
    """Begins a game on a layout: it is dropped as a file."""
    drop(page, "game.mbf", Layout.parse("\n".join(rows)).to_mbf())
    page.wait_for_selector(f"{SHOWN} .counters")
    expect(page.locator(f"{SHOWN} [role=gridcell]")).to_have_count(len(rows) * len(rows[0]))


def drop(page: Any, name: str, data: bytes) -> None:
    page.evaluate(
        """([name, letters]) => {
            const data = new DataTransfer();
            const bytes = Uint8Array.from(atob(letters), letter => letter.charCodeAt(0));
            data.items.add(new File([bytes], name));
            document.dispatchEvent(new DragEvent("drop", {dataTransfer: data, cancelable: true}));
        }""",
        [name, base64.b64encode(data).decode()],
    )


def press(page: Any, row: int, col: int, button: int = 0) -> None:
    """Presses a cell at once, without waiting for the page as a test otherwise would."""
    page.evaluate(
        """([row, col, button]) => {
            const at = document.querySelector(`.view:not([hidden]) [id$="-${row}-${col}"]`);
            const {x, y, width} = at.getBoundingClientRect();
            const how = {clientX: x + width / 2, clientY: y + width / 2, button, pointerId: 1,
                isPrimary: true, bubbles: true, pointerType: "mouse", buttons: button ? 2 : 1};
            const board = at.closest(".board");
            board.setPointerCapture = () => {};
            for (const kind of ["pointerdown", "pointerup"])
                at.dispatchEvent(new PointerEvent(kind, how));
        }""",
        [row, col, button],
    )


def later(page: Any) -> None:
    """Lets 1,234 seconds pass on the page."""
    page.evaluate(
        """() => {
            const now = performance.now.bind(performance);
            performance.now = () => now() + 1_234_000;
        }"""
    )


def wait_in_sight(page: Any) -> None:
    """Waits until the clues of a step and what it concludes are in sight, above the reasons."""
    page.wait_for_function(
        """shown => {
            const rings = document.querySelectorAll(`${shown} .ring:is(.so, .clue)`);
            return rings.length > 1 && Array.from(rings).every(ring => {
                const {left, right, top, bottom} = ring.getBoundingClientRect();
                return left >= 0 && right <= innerWidth && top >= 56 && bottom <= 0.6 * innerHeight;
            });
        }""",
        arg=SHOWN,
    )


def game_of(site: Site) -> Any:
    return next(reversed(site.games._held.values()))


def test_nothing_typed_or_tapped_is_lost(opened: Any, site: Site) -> None:
    """Answers come 100 ms late, and twice the connection breaks: before the server has the turn,
    and after it has made it."""
    page = opened(PHONE, "/#/play")
    play_layout(page, [".*" * 5, "*." * 5, ".*" * 5, "*." * 5])
    sent: list[str] = []
    broken = {3: "before", 6: "after"}

    def answer(route: Any) -> None:
        if "open" not in (route.request.post_data or ""):
            return route.continue_()
        sent.append(route.request.post_data)
        page.wait_for_timeout(LATENCY)
        how = broken.get(len(sent))
        if how == "after":
            route.fetch()
        return route.abort() if how else route.continue_()

    page.route("**/api/play", answer)
    openings = [(row, col) for row in range(4) for col in range(10) if (row + col) % 2 == 0][:10]
    flags = [(row, col) for row in range(4) for col in range(10) if (row + col) % 2 == 1][:8]
    press(page, *openings[0])
    for at in flags:
        press(page, *at, button=2)
    assert [label(page, *at) for at in flags] == ["marked as a mine"] * 8  # at once
    for at in openings[1:]:
        press(page, *at)
    assert label(page, *openings[-1]) == "hidden, will be opened"
    for at in openings:
        wait_label(page, *at, words="", begins=True)
        expect(cell(page, *at)).not_to_have_attribute("aria-label", f"{at[0]},{at[1]}: hidden")
    expect(page.locator(f"{SHOWN} .pending")).to_have_count(0)
    held = game_of(site)
    assert [turn for turns in held.turns for turn in turns] == openings
    assert len(held.turns) == 10
    assert held.to_json()["status"] == "playing"
    assert len(sent) > 10  # some were sent again


def test_games_outlive_a_reload_and_end_only_when_asked(opened: Any) -> None:
    page = opened(DESK, "/#/play")
    play_layout(page, OPEN_FIELD)
    press(page, 9, 9, button=2)
    press(page, 0, 0)
    wait_label(page, 0, 0, "0")
    page.reload()
    wait_label(page, 0, 0, "0")
    assert label(page, 9, 9) == "marked as a mine"
    for leave in (
        lambda: page.keyboard.press("n"),
        lambda: page.get_by_role("button", name="Beginner").click(),
    ):
        leave()
        page.get_by_role("dialog").get_by_role("button", name="Keep playing").click()
        assert label(page, 0, 0) == "0"
    assert page.get_by_role("button", name="Beginner").get_attribute("aria-pressed") == "false"
    page.get_by_label("training").check()
    assert label(page, 0, 0) == "0"  # the next game will use it
    page.keyboard.press("n")
    page.get_by_role("dialog").get_by_role("button", name="New game").click()
    heading(page, "Open any cell")


def test_a_restarted_server(opened: Any, site: Site) -> None:
    """A server without the game makes it again, from its seed and its turns. If it cannot, the page
    says so, and the clock stands. Watch offers another attempt."""
    page = opened(DESK, "/#/play")
    page.get_by_role("button", name="Beginner").click()
    expect(page.locator(f"{SHOWN} [role=gridcell]")).to_have_count(81)
    heading(page, "Open any cell")
    cell(page, 4, 4).click()
    heading(page, "to open")
    for reload in (False, True):
        held = game_of(site)
        safe = next(zip(*np.nonzero(held.layout.safe & (held.board.codes < 0)), strict=True))
        site.games._held.clear()
        if reload:
            page.reload()
            wait_label(page, 4, 4, "0")
        press(page, *map(int, safe))
        expect(cell(page, *safe)).not_to_have_attribute("aria-label", re.compile("hidden"))
        assert game_of(site).layout == held.layout
        assert len(game_of(site).turns) == len(held.turns) + 1
    site.games._held.clear()
    clock = page.locator(f"{SHOWN} .counter .number").nth(1)
    page.route("**/api/play", lambda route: route.fulfill(status=410, json={"error": "gone"}))
    page.locator(f"{SHOWN} .cell.hidden").first.click()
    heading(page, "This game is gone")
    before = clock.inner_text()
    later(page)
    page.wait_for_timeout(300)  # the page looks at the time every 200 ms
    assert clock.inner_text() == before
    page.get_by_role("button", name="Analyse this position").click()
    wait_label(page, 4, 4, "0")
    page.goto("/#/watch")
    expect(page.locator(f"{SHOWN} .status h2")).to_have_text("No game")
    page.unroute("**/api/play")
    page.get_by_role("button", name="Try again").click()
    page.wait_for_selector(f"{SHOWN} .boards [role=grid]")


def test_a_board_never_jumps(opened: Any) -> None:
    """Neither when the clock gets a third and a fourth digit, nor at the end of the game."""
    for size in (PHONE, DESK):
        page = opened(size, "/#/play")
        play_layout(page, [".*" * 4, "........", "........"])
        page.evaluate(SHIFTS)
        board = page.locator(f"{SHOWN} .board-svg")
        before = board.bounding_box()
        press(page, 2, 0)
        wait_label(page, 2, 0, "0")
        later(page)
        seconds = page.locator(f"{SHOWN} .counter .number").nth(1)
        expect(seconds).to_have_text(re.compile(r"^12\d\d$"))  # a loaded machine adds some
        assert board.bounding_box() == before
        page.keyboard.press("h")
        page.wait_for_selector(f"{SHOWN} .why:not([hidden])")
        press(page, 0, 1)
        heading(page, "You hit a mine")
        page.wait_for_selector(f"{SHOWN} .lookback")
        after = board.bounding_box()
        assert (after["width"], after["height"]) == (before["width"], before["height"])
        assert page.evaluate("window.drawn().then(() => window.shifts)") == 0


def test_a_hint_is_scrolled_to_and_two_fingers_zoom(opened: Any) -> None:
    page = opened(PHONE, "/#/play")
    play_layout(page, ["." * 28 + "*.", *["." * 30] * 15])
    press(page, 15, 0)
    wait_label(page, 1, 29, "1")
    page.keyboard.press("h")
    page.wait_for_selector(f"{SHOWN} .why:not([hidden])")
    page.get_by_role("button", name="Show the step").click()
    for at in ((1, 29), (0, 29)):
        box = cell(page, *at).bounding_box()
        assert 0 <= box["x"] <= PHONE["width"] - box["width"], at
        assert 56 <= box["y"] <= 0.58 * PHONE["height"], at  # the reasons cover the rest
    page.goto("/#/analyse")
    page.wait_for_selector(f"{SHOWN} .proof")
    next_step = page.get_by_role("button", name="Next", exact=True)
    for step in (1, 2, 3, 4):  # each is in sight, with the buttons below it
        bottom = page.locator(f"{SHOWN} .sentences .now").bounding_box()
        top = next_step.bounding_box()
        assert bottom["y"] + bottom["height"] <= top["y"] < PHONE["height"], step
        wait_in_sight(page)
        page.keyboard.press("ArrowRight")
    board = page.locator(f"{SHOWN} .board")
    assert board.evaluate("board => getComputedStyle(board).touchAction") == "manipulation"


def test_no_board_is_cut_off(opened: Any) -> None:
    """An expert board fits at every width from 768 pixels, also two side by side."""
    page = opened(DESK)
    for width, height in ((768, 1024), (1024, 768), (1280, 800), (1920, 1080)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(50)
        scrolled = page.locator(f"{SHOWN} .board").evaluate(
            "board => board.scrollWidth - board.clientWidth"
        )
        assert scrolled <= 1, width
    page.goto("/#/watch")
    page.locator(f"{SHOWN} select:has(option[value=expert])").select_option("expert")
    page.get_by_label("Compare with").select_option("rutgers-baseline")
    expect(page.locator(f"{SHOWN} [role=gridcell]")).to_have_count(960)
    for width in (768, 1024, 1280, 1920):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(50)
        scrolled = page.evaluate(
            """() => Math.max(...Array.from(document.querySelectorAll(
                '.view:not([hidden]) .board'), board => board.scrollWidth - board.clientWidth))"""
        )
        assert scrolled <= 1, width


def test_wrong_links_files_and_numbers(opened: Any) -> None:
    page = opened(DESK, "/#/analyse/%E0%A4%A")
    heading(page, "This link has no position")
    page.get_by_role("button", name="Open the example").click()
    page.wait_for_selector(f"{SHOWN} .best-move")
    drop(page, "nonsense.bin", b"\xff\x00nonsense")
    page.wait_for_selector("#message.shown.bad >> text=Cannot read this")
    paste(page, CORNER)
    wait_label(page, 0, 2, "hidden, proved safe")
    assert page.locator("#message.bad.shown").count() == 0  # the error is no longer true
    drop(page, "nonsense.bin", b"\xff\x00nonsense")
    page.get_by_role("button", name="Choose the notation").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    rows = page.locator(f"{SHOWN}").get_by_label("Rows")
    rows.fill("2.5")
    rows.press("Enter")
    heading(page, "2 safe cells, 2 mines")  # of three rows
    page.goto("/#/analyse/no-board")
    heading(page, "This link has no position")
    assert page.inner_text(f"{SHOWN} .status p")


def test_the_wheel_and_the_overlay_without_numbers(opened: Any) -> None:
    empty = Board.parse("mines: 12\n" + "\n".join(["?" * 10] * 9))
    page = opened(DESK, f"/#/analyse/{empty.to_line()}")
    wait_label(page, 0, 0, "hidden, 13")
    page.keyboard.press("d")
    cell(page, 0, 0).hover()
    for _ in range(8):
        page.mouse.wheel(0, -5)
    page.mouse.wheel(0, -100)
    wait_label(page, 0, 0, "1")
    page.get_by_role("button", name="Win", exact=True).click()
    expect(page.locator(".legend")).to_contain_text("The chance to win is not shown")
    assert label(page, 5, 5).startswith("hidden, ")  # the risks stay


def test_files_are_compressed_and_tagged(site: Site) -> None:
    for path in ("/", "/board.js", "/page.css"):
        plain = httpx.get(site.url + path, headers={"Accept-Encoding": "identity"})
        packed = httpx.get(site.url + path, headers={"Accept-Encoding": "gzip"})
        assert packed.headers["Content-Encoding"] == "gzip"
        assert packed.content == plain.content
        assert int(packed.headers["Content-Length"]) < 0.6 * len(plain.content)
        tagged = httpx.get(site.url + path, headers={"If-None-Match": plain.headers["ETag"]})
        assert (tagged.status_code, tagged.content) == (304, b"")
