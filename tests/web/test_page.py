"""The page in a real browser, at the width of a desk and of a phone. A test visits both only where
the width matters: the tests of a view together visit it at both."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Iterator
from importlib import resources
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from csp_mines.backend import Capability, offered
from csp_mines.board import Board
from csp_mines.formats import all_notations
from csp_mines.layout import Layout
from tests.screenshots.test_reading import ROWS, look, picture_of
from tests.web.conftest import Site

WIDTHS = (1280, 390)
DESK_ONLY = pytest.mark.parametrize("page", [1280], indirect=True)
PHONE_ONLY = pytest.mark.parametrize("page", [390], indirect=True)
SHOWN = ".view:not([hidden])"
CLUES_ONLY = {"minizinc", "textbook"}  # they have no marks
CORNER = "mines: 3\n????\n113?\n001?\n001?"


@pytest.fixture(params=WIDTHS)
def page(request: pytest.FixtureRequest, browser: Any, site: Site) -> Iterator[Any]:
    """A page that must stay without errors and without requests to anybody else."""
    width = request.param
    context = browser.new_context(
        viewport={"width": width, "height": 844}, has_touch=width < 500, base_url=site.url
    )
    context.set_default_timeout(40_000)
    page = context.new_page()
    errors: list[str] = []
    asked: list[str] = []
    page.on(
        "console", lambda message: errors.append(message.text) if message.type == "error" else None
    )
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda sent: asked.append(sent.url))
    yield page
    refusals = [error for error in errors if "status of 400" in error]  # Chrome calls them errors
    assert len(refusals) == getattr(page, "refused", 0), errors
    assert errors == refusals
    assert [url for url in asked if not url.startswith((site.url, "blob:", "data:"))] == []
    context.close()


def cell(page: Any, row: int, col: int) -> Any:
    return page.locator(f'{SHOWN} [role=gridcell][id$="-{row}-{col}"]').first


def label(page: Any, row: int, col: int) -> str:
    text: str = cell(page, row, col).get_attribute("aria-label")
    return text.partition(": ")[2]


def wait_label(page: Any, row: int, col: int, words: str, *, begins: bool = False) -> None:
    how = "^=" if begins else "="
    named = f'[role=gridcell][id$="-{row}-{col}"][aria-label{how}"{row},{col}: {words}"]'
    page.wait_for_selector(f"{SHOWN} {named}")


def analyse(page: Any, text: str = CORNER) -> None:
    page.goto(f"/#/analyse/{text and Board.parse(text).to_line()}")
    page.wait_for_selector(f"{SHOWN} .status h2")


def lit(page: Any, kind: str) -> int:
    count: int = page.locator(f"{SHOWN} .ring.{kind}").count()
    return count


def paste(page: Any, text: str) -> None:
    page.evaluate(
        """text => {
            const data = new DataTransfer();
            data.setData("text/plain", text);
            document.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data}));
        }""",
        text,
    )


# --- analyse -----------------------------------------------------------------------------------


def test_a_link_shows_what_follows(page: Any) -> None:
    analyse(page)
    assert page.inner_text(f"{SHOWN} .status h2") == "4 safe cells, 3 mines"
    assert label(page, 0, 2) == "hidden, proved safe"
    assert label(page, 0, 1) == "hidden, a mine for certain"
    assert "1 layout fits" in page.inner_text(f"{SHOWN} .status")
    assert lit(page, "move") == 1


@PHONE_ONLY
def test_drawing_by_mouse(page: Any) -> None:
    analyse(page, "mines: 2\n????\n????")
    page.get_by_role("button", name="Draw", exact=True).click()
    cell(page, 0, 0).click()
    wait_label(page, 0, 0, "0")
    wait_label(page, 1, 1, "hidden, proved safe")
    cell(page, 0, 3).click(button="right")
    wait_label(page, 0, 3, "marked as a mine")
    cell(page, 1, 2).hover()
    page.mouse.wheel(0, -100)
    wait_label(page, 1, 2, "1")
    page.mouse.wheel(0, -100)
    wait_label(page, 1, 2, "2")
    page.get_by_role("group", name="Brush").get_by_role("button", name="Hide", exact=True).click()
    box, last = cell(page, 0, 0).bounding_box(), cell(page, 0, 3).bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(last["x"] + 5, last["y"] + 5, steps=12)
    page.mouse.up()
    wait_label(page, 0, 0, "hidden", begins=True)
    wait_label(page, 0, 3, "hidden", begins=True)
    page.get_by_role("button", name="Undo").click()  # the stroke at once
    wait_label(page, 0, 0, "0")
    assert label(page, 0, 3) == "marked as a mine"
    page.wait_for_url("**/#/analyse/b1_2x4_m2_0HHMHH2H")


@DESK_ONLY
def test_drawing_by_keyboard(page: Any) -> None:
    analyse(page, "mines: 2\n????\n????\n????")
    page.locator(f"{SHOWN} [role=grid]").focus()
    page.keyboard.press("3")  # in Ask, no key changes the position
    page.wait_for_selector("#message.shown >> text=Choose Draw")
    for key in ("d", "3", "ArrowRight", "ArrowDown", "f", "ArrowDown", "h", "End", "8"):
        page.keyboard.press(key)
    wait_label(page, 2, 3, "8")
    assert [label(page, *cell) for cell in ((0, 0), (1, 1), (2, 1))] == [
        "3",
        "marked as a mine",
        "1",
    ]
    page.wait_for_selector(f"{SHOWN} .status.bad:has-text('(2,3)=8 is impossible here')")
    assert page.inner_text(f"{SHOWN} .status h2") == "No layout fits"
    assert lit(page, "conflict") == 1
    for _ in range(4):
        page.keyboard.press("Control+z")
    wait_label(page, 0, 0, "hidden", begins=True)
    page.keyboard.press("Control+z")  # nothing is left to undo
    for _ in range(3):
        page.keyboard.press("Control+y")
    wait_label(page, 2, 1, "1")
    page.keyboard.press("Control+Shift+z")
    wait_label(page, 2, 3, "8")


@DESK_ONLY
def test_every_format_is_pasted(page: Any) -> None:
    analyse(page)
    written = [notation.name for notation in all_notations().values() if notation.write is not None]
    assert {"canonical", "line", "mine", "zig"} <= set(written)
    for number, name in enumerate(written):
        header, mark = ("", "?") if name in CLUES_ONLY else ("mines: 3\n", "M")
        board = Board.parse(f"{header}?1?{mark}\n1?{number % 4}?\n?1{number // 4}?")
        paste(page, board.to_text(name))
        wait_label(page, 1, 2, str(number % 4))
        wait_label(page, 2, 2, str(number // 4))
        assert (label(page, 0, 3) == "marked as a mine") == (mark == "M"), name
    page.refused = 1
    paste(page, "no board")
    page.wait_for_selector("#message.shown.bad")
    assert "Cannot read this" in page.inner_text("#message")


@DESK_ONLY
def test_a_dropped_file_is_read(page: Any) -> None:
    analyse(page)
    page.evaluate(
        """() => {
            const data = new DataTransfer();
            data.items.add(new File(["mines: 1\\n?1?1?"], "board.txt"));
            document.dispatchEvent(new DragEvent("drop", {dataTransfer: data, cancelable: true}));
        }"""
    )
    wait_label(page, 0, 2, "hidden, a mine for certain")


@pytest.mark.once
@DESK_ONLY
def test_a_pasted_screenshot_is_corrected(page: Any) -> None:
    shot = io.BytesIO()
    whole = picture_of(ROWS, look(cell=24), margin=0)
    Image.fromarray(whole[:, 15:]).save(shot, "PNG")  # more than half of the first column is off
    analyse(page)
    page.evaluate(
        """letters => {
            const bytes = Uint8Array.from(atob(letters), letter => letter.charCodeAt(0));
            const data = new DataTransfer();
            data.items.add(new File([bytes], "shot.png", {type: "image/png"}));
            document.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data}));
        }""",
        base64.b64encode(shot.getvalue()).decode(),
    )
    wait_label(page, 2, 2, "2")
    message = page.inner_text("#message")
    assert "Read a board of 8×5 cells" in message
    assert "It may go on at the left. Check the 8 ringed cells" in message
    assert lit(page, "conflict") == 8
    page.get_by_role("button", name="Draw", exact=True).click()
    cell(page, 1, 2).hover()
    page.mouse.wheel(0, -100)
    wait_label(page, 1, 2, "3")
    wait_label(page, 2, 2, "3")  # the only other 2


@PHONE_ONLY
def test_a_proof_is_read_step_by_step(page: Any) -> None:
    analyse(page, "")  # the example has a proof of four steps
    page.wait_for_selector(f"{SHOWN} .best-move")
    for row, col, words in ((2, 18, "2,18 is a mine"), (4, 17, "4,17 is safe")):
        cell(page, row, col).click()  # the second proof may be there already, and is drawn again
        expect(page.locator(f"{SHOWN} .verdict strong")).to_have_text(words)
    seen = []
    for step in range(1, 5):
        sentences = page.locator(f"{SHOWN} .sentences li")
        expect(sentences).to_have_count(step)
        seen.append((lit(page, "clue"), sentences.nth(step - 1).inner_text()))
        assert page.inner_text(f"{SHOWN} .steps .count") == f"{step} of 4"
        if step < 4:
            page.get_by_role("button", name="Next").click()
    assert [clues for clues, _ in seen] == [1, 1, 2, 1]
    assert seen[0][1].split("\n") == ["1 needs one mine and has only A left", "So A is a mine"]
    page.get_by_label("coordinates").check()
    assert "(1,17)=1 needs one mine and has only (2,18) left" in page.inner_text(
        f"{SHOWN} .sentences"
    )
    assert label(page, 2, 18) == "hidden, a mine for certain"
    assert label(page, 4, 17) == "hidden, proved safe"
    assert page.get_by_role("button", name="Next").is_disabled()
    page.get_by_role("button", name="Back").click()
    assert page.locator(f"{SHOWN} .sentences li").count() == 3


@PHONE_ONLY
def test_an_open_cell_shows_its_risk_and_two_witnesses(page: Any) -> None:
    analyse(page, "mines: 1\n?1?\n???")
    cell(page, 1, 0).click()
    page.wait_for_selector(f"{SHOWN} .outcomes")
    assert "20.0 % = 1/5" in page.inner_text(f"{SHOWN} .proof")
    page.get_by_role("button", name="with a mine here").click()
    assert label(page, 1, 0) == "hidden, a mine in this layout"
    page.get_by_role("button", name="without").click()
    assert label(page, 1, 0) == "hidden"
    assert page.locator(f"{SHOWN} .cell.ghost").count() == 1


@PHONE_ONLY
def test_engines_side_by_side(page: Any) -> None:
    analyse(page, "mines: 1\n?1?1?")
    page.get_by_text("Compare engines").click()
    page.wait_for_selector(f"{SHOWN} .engine-table table")
    table = page.locator(f"{SHOWN} .engine-table")
    assert "3 certain cells: 3 by the number of mines in all." in table.inner_text()
    table.get_by_role("button", name="One clue at a time").click()
    assert page.locator(f"{SHOWN} .cell.safe, {SHOWN} .cell.mine").count() == 0
    table.get_by_role("button", name="Exact counting").click()
    assert page.locator(f"{SHOWN} .cell.safe, {SHOWN} .cell.mine").count() == 3


@PHONE_ONLY
def test_overlays_priors_and_clue_models(page: Any) -> None:
    analyse(page, "mines: 1\n?1?\n???")
    page.get_by_role("button", name="Safety").click()
    assert label(page, 1, 0) == "hidden, 80"
    page.get_by_role("button", name="Information").click()
    expect(page.locator(".legend")).to_contain_text("bits")
    # 2/5 shows 0, 2/5 shows 1, 1/5 is a mine: 1.52 bits
    wait_label(page, 1, 0, "hidden, 1.5")
    page.get_by_role("button", name="Risk", exact=True).click()
    page.get_by_text("More about the position").click()
    page.get_by_role("textbox", name="Density").fill("0.5")
    page.get_by_role("textbox", name="Density").press("Enter")
    wait_label(page, 1, 0, "hidden, 20")
    page.locator(f"{SHOWN} select:has(option[value=cautious])").select_option(
        "optimistic"
    )  # 1 may stand for more
    expect(cell(page, 1, 0)).not_to_have_attribute("aria-label", "1,0: hidden, 20")


LAST_CORNER = (
    "mines: 10\n000000000\n000000000\n000000000\n012210111\n02MM223M1\n"
    "02M32MM32\n0222123??\n01M1012??\n011101M2?\n"
)


@DESK_ONLY
@pytest.mark.skipif(offered(Capability.WINNING) is None, reason="this needs the compiled kernel")
def test_the_chance_to_win(page: Any) -> None:
    """Two cells of the same risk: one wins 2 layouts of 3, the other 1. A board with too many
    undecided cells says so."""
    analyse(page, LAST_CORNER)
    move = page.locator(f"{SHOWN} .best-move")
    expect(move).to_contain_text("Open 6,8: as safe as 8,8, and wins 2 layouts of 3 instead of 1")
    expect(page.locator(f"{SHOWN} .status")).to_contain_text(
        "3 layouts fit; perfect play wins 66.7 % of them"
    )
    page.get_by_role("button", name="Win", exact=True).click()
    expect(page.locator(".legend")).to_contain_text("the chance to win")
    for row, col, percent in ((6, 7, 33), (6, 8, 67), (7, 7, 67), (7, 8, 33), (8, 8, 33)):
        wait_label(page, row, col, f"hidden, {percent}")
    cell(page, 8, 8).click()
    expect(page.locator(f"{SHOWN} .why")).to_contain_text(
        "Better open 6,8: as safe as 8,8, and wins 2 layouts of 3 instead of 1."
    )
    analyse(page, "mines: 12\n" + "?" * 10 + "\n" + "??????????\n" * 8)
    expect(page.locator(".legend")).to_contain_text(
        "The chance to win is not shown: more than 64 hidden cells"
    )
    page.get_by_role("button", name="Risk", exact=True).click()
    wait_label(page, 0, 0, "hidden, 13")


@PHONE_ONLY
def test_export(page: Any) -> None:
    analyse(page)
    page.get_by_text("Share and export").click()
    for name, start in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with page.expect_download() as download:
            page.get_by_role("button", name=f"Save {name}").click()
        assert download.value.path().read_bytes().startswith(start)


@DESK_ONLY
def test_a_large_board_is_painted(page: Any) -> None:
    page.goto("/#/analyse")
    page.wait_for_selector(f"{SHOWN} .best-move")
    page.get_by_label("New position").select_option("large")
    page.wait_for_selector(f"{SHOWN} .board-window canvas")
    window = page.locator(f"{SHOWN} .board-window")
    heading(page, "No cell is certain")
    window.click(position={"x": 20 + 12, "y": 20 + 12})
    heading(page, "3 safe cells")
    page.keyboard.press("Control+End")
    assert window.evaluate("shown => shown.scrollTop + shown.clientHeight") > 2000
    assert page.inner_text(f"{SHOWN} .spoken") == "99,99: hidden, 20"
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 844})
        page.wait_for_timeout(50)
        assert window.bounding_box()["width"] <= width
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


# --- play --------------------------------------------------------------------------------------


def begin(page: Any, *, no_guess: bool = True, training: bool = False) -> None:
    page.goto("/#/play")
    page.wait_for_selector(f"{SHOWN} .status h2")
    page.get_by_label("no guessing").set_checked(no_guess)
    page.get_by_label("training").set_checked(training)
    page.get_by_role("button", name="Beginner").click()
    expect(page.locator(f"{SHOWN} [role=gridcell]")).to_have_count(81)
    heading(page, "Open any cell")


def heading(page: Any, words: str) -> None:
    expect(page.locator(f"{SHOWN} .status h2").first).to_have_text(re.compile(words))


@DESK_ONLY
def test_a_no_guess_game_is_won_by_hints_alone(page: Any) -> None:
    begin(page)
    cell(page, 4, 4).click()
    heading(page, "to open|Won")
    for _ in range(70):
        if page.inner_text(f"{SHOWN} .status h2") == "Won":
            break
        before = page.inner_text(f"{SHOWN} .status h2")
        page.get_by_role("button", name="Hint").click()
        page.get_by_role("button", name="Show the step").click()
        assert " is safe" in page.inner_text(f"{SHOWN} .verdict")
        page.get_by_role("button", name=re.compile("^Open (it|these)")).click()
        expect(page.locator(f"{SHOWN} .status h2")).not_to_have_text(before)
    assert page.inner_text(f"{SHOWN} .status h2") == "Won"
    page.wait_for_selector(f"{SHOWN} .status >> text=Won by reasoning alone")
    assert re.search(r"3BV\s+\d+\b", page.inner_text(f"{SHOWN} .figures"))
    assert page.locator(f"{SHOWN} [aria-label$='marked as a mine']").count() == 10


def mine_of(site: Site) -> tuple[int, int]:
    """A mine of the newest game, as only the server knows it."""
    held = next(reversed(site.games._held.values()))
    assert isinstance(held.layout, Layout)
    row, col = np.argwhere(held.layout.mines)[0].tolist()
    return row, col


@PHONE_ONLY
def test_after_a_loss_the_page_says_what_was_certain(page: Any, site: Site) -> None:
    begin(page)
    cell(page, 4, 4).click()
    heading(page, "to open")
    row, col = mine_of(site)
    cell(page, row, col).click()
    heading(page, "You hit a mine")
    page.wait_for_selector(f"{SHOWN} .lookback")
    told = page.inner_text(f"{SHOWN} .lookback")
    assert f"{row},{col} was " in told
    assert "certainly safe at that moment" in told
    safe = page.locator(f"{SHOWN} .cell.safe")
    assert safe.count() > 0
    safe.first.click()
    page.wait_for_selector(f"{SHOWN} .proof")
    assert " is safe" in page.inner_text(f"{SHOWN} .verdict")
    page.get_by_role("button", name="Show that moment").click()
    assert page.locator(f"{SHOWN} [aria-label$='a mine']").count() == 9
    assert label(page, row, col) == "opened mine"


@DESK_ONLY
def test_training_takes_a_mine_back(page: Any, site: Site) -> None:
    begin(page, training=True)
    cell(page, 4, 4).click()
    heading(page, "to open")
    row, col = mine_of(site)
    cell(page, row, col).click()
    heading(page, "You hit a mine")
    assert page.locator(f"{SHOWN} .cell.layout").count() == 0
    page.locator(f"{SHOWN} .counters").get_by_role("button", name="Take back").click()
    heading(page, "Taken back")
    assert label(page, row, col) == "hidden"


def test_flags_and_chords_by_hand(page: Any, site: Site) -> None:
    begin(page)
    cell(page, 4, 4).click()
    heading(page, "to open|Won")
    held = next(reversed(site.games._held.values()))
    assert held.layout is not None
    left = page.locator(f"{SHOWN} .counter .number").first
    for flags, (row, col) in enumerate(np.argwhere(held.layout.mines).tolist(), 1):
        if page.viewport_size["width"] < 500:
            page.get_by_role("button", name="Flag mode").click()
            cell(page, row, col).tap()
            page.get_by_role("button", name="Flag mode").click()
        else:
            cell(page, row, col).click(button="right")
        wait_label(page, row, col, "marked as a mine")
        expect(left).to_have_text(str(10 - flags))
    board = held.to_json()["board"]
    edge = next(
        (row, col)
        for row in range(9)
        for col in range(9)
        if board[row][col] in "12345678"
        and any(
            board[r][c] == "?" and not held.layout.mines[r, c]
            for r, c in held._started().board.neighbours((row, col))
        )
    )
    before = len(held.turns)
    words = page.inner_text(f"{SHOWN} .status h2")
    cell(page, *edge).click()  # all its mines are flagged: the rest opens
    expect(page.locator(f"{SHOWN} .status h2").first).not_to_have_text(words)
    assert len(held.turns) == before + 1


@DESK_ONLY
def test_play_by_keyboard_with_other_keys(page: Any) -> None:
    begin(page)
    page.get_by_role("button", name="Keys").click()
    page.get_by_label("Key for Flag", exact=True).press("g")
    page.get_by_role("button", name="Done").click()
    page.locator(f"{SHOWN} [role=grid]").focus()
    page.keyboard.press("g")
    wait_label(page, 4, 4, "marked as a mine")
    page.keyboard.press("g")
    wait_label(page, 4, 4, "hidden")
    page.keyboard.press("Space")
    heading(page, "to open|Won")
    page.keyboard.press("h")
    page.wait_for_selector(f"{SHOWN} .why:not([hidden])")


# --- watch -------------------------------------------------------------------------------------


@PHONE_ONLY
def test_an_agent_is_watched(page: Any) -> None:
    page.goto("/#/watch")
    page.locator(f"{SHOWN} select:has(option[value=expert])").select_option("beginner")
    expect(page.locator(f"{SHOWN} [role=gridcell]")).to_have_count(81)
    page.get_by_label("Next step").click()
    assert page.inner_text(f"{SHOWN} .moves li strong") == "Start"
    page.get_by_label("Next step").click()
    assert page.locator(f"{SHOWN} .moves li").count() == 2
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator(f"{SHOWN} .moves li >> nth=4")).to_be_visible()
    page.get_by_role("button", name="Pause").click()
    page.get_by_label("To the end").click()
    assert page.inner_text(f"{SHOWN} .result h2") in ("Won", "Lost")
    page.get_by_label("Compare with").select_option("rutgers-baseline")
    expect(page.locator(f"{SHOWN} [role=grid]")).to_have_count(2)
    page.get_by_label("To the end").click()
    told = page.locator(f"{SHOWN} .result h2 + p").all_inner_texts()
    assert [re.search(r"\((.*)\)", line)[1] for line in told] == ["exact", "rutgers-baseline"]


@DESK_ONLY
def test_the_game_that_was_asked_for_last_is_shown(page: Any) -> None:
    held: list[Any] = []
    page.route("**/api/play", lambda route: route.continue_() if held else held.append(route))
    page.goto("/#/watch")
    expect(page.locator(f"{SHOWN} .quietly")).to_contain_text("being played")
    page.locator(f"{SHOWN} select:has(option[value=expert])").select_option("beginner")
    expect(page.locator(f"{SHOWN} [role=gridcell]")).to_have_count(81)
    with page.expect_response("**/api/play"):
        held[0].continue_()
    page.wait_for_timeout(200)
    assert page.locator(f"{SHOWN} [role=gridcell]").count() == 81


# --- the whole ---------------------------------------------------------------------------------


# What the page has kept: boards on which there is little to look at, but everything once.
SMALL = """
    const terms = {start: "zero", noGuess: true, rows: 4, cols: 5, mines: 3, seed: 7};
    const shape = {shape: "?????\\n?????\\n?????", mines: 2};
    const keep = (key, value) => localStorage.setItem(`csp-mines.${key}`, JSON.stringify(value));
    keep("play", {...terms, level: "custom"});
    keep("watch", {...terms, level: "shape", shape, agent: "exact", other: "", speed: 2});
"""


def axe(page: Any, where: tuple[str, ...], options: str = "") -> None:
    page.evaluate("document.getAnimations().forEach(change => change.finish())")
    found = page.evaluate(
        f"axe.run(document, {{resultTypes: ['violations'], preload: false, {options}}})"
    )
    assert found["passes"], where
    nodes = [(rule["id"], rule["nodes"][0]) for rule in found["violations"]]
    bad = [(name, node["html"][:200], node.get("failureSummary")) for name, node in nodes]
    assert bad == [], where


@DESK_ONLY
def test_axe_finds_nothing(page: Any) -> None:
    """On every view, light and dark, at both widths. The document is the same in all of them, so
    all rules run once, and then those that look at colours and sizes."""
    page.add_init_script(SMALL)
    source = resources.files("axe_core_python").joinpath("axe.min.js").read_text()
    page.goto("/#/review")
    page.evaluate(source)
    for view in ("review", "analyse", "play", "learn", "watch"):
        page.goto(f"/#/{view}/{Board.parse(CORNER).to_line() if view == 'analyse' else ''}")
        page.wait_for_selector(f"{SHOWN} .status h2")
        if view == "play":
            expect(page.locator(f"{SHOWN} [role=gridcell]")).to_have_count(20)
            cell(page, 1, 2).click()
            heading(page, "to open|Won")
            if page.inner_text(f"{SHOWN} .status h2") != "Won":
                page.keyboard.press("h")
                page.wait_for_selector(f"{SHOWN} .why:not([hidden])")
        elif view == "watch":
            page.wait_for_selector(f"{SHOWN} [role=grid]")
            page.get_by_label("Next step").click()
        elif view == "learn":
            page.get_by_role("button", name="Show me").click()
            page.wait_for_selector(f"{SHOWN} .proof")
        elif view == "analyse":
            for words in ("More about the position", "Share and export"):
                page.get_by_text(words, exact=True).click()
            page.get_by_role("button", name="Draw", exact=True).click()
            page.keyboard.press("a")
            cell(page, 0, 2).click()
            page.wait_for_selector(f"{SHOWN} .proof")
        for width, theme, options in (
            (1280, "light", ""),
            (1280, "dark", "runOnly: ['color-contrast']"),
            (390, "light", "runOnly: ['color-contrast', 'scrollable-region-focusable']"),
        ):
            page.set_viewport_size({"width": width, "height": 844})
            page.emulate_media(color_scheme=theme)
            axe(page, (view, theme, str(width)), options)
        page.set_viewport_size({"width": 1280, "height": 844})


def test_the_pictures_of_the_readme(browser: Any, site: Site, tmp_path: Path) -> None:
    path = Path(__file__).parents[2] / "examples" / "screens.py"
    spec = spec_from_file_location("screens", path)
    assert spec is not None
    assert spec.loader is not None
    screens = module_from_spec(spec)
    spec.loader.exec_module(screens)
    screens.photograph(browser, f"{site.url}/", tmp_path, "light")
    made = sorted(file.name for file in tmp_path.iterdir())
    assert made == [
        f"page-{view}-light.png" for view in ("analyse", "hex", "learn", "play", "watch")
    ]


def test_the_page_is_small_and_alone() -> None:
    files = list(resources.files("csp_mines.web").joinpath("static").iterdir())
    assert sum(len(path.read_bytes()) for path in files) < 250_000
    for path in files:
        text = path.read_text(encoding="utf-8")
        foreign = set(re.findall(r"https?://[^\s\"'`)]+", text)) - {"http://www.w3.org/2000/svg"}
        assert not foreign, path.name
