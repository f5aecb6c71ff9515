"""Other grids on the page, in a browser: drawn, analysed, explained, edited and played."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from csp_mines.board import Board
from csp_mines.geometry import LATTICES
from csp_mines.grids import as_geometry
from csp_mines.web.grids import drawn_grid
from tests.web.test_faults import DESK, PHONE, drop, opened
from tests.web.test_page import SHOWN, cell, lit, paste, wait_label

__all__ = ["opened"]

pytestmark = pytest.mark.once

EXAMPLES = Path(__file__).parents[2] / "examples" / "grids"
HEX = "mines: 4\ngrid: hex\n?11?\n1??1\n?2??\n~???"


def show(page: Any, text: str) -> None:
    page.goto(f"/#/analyse/{Board.parse(text).to_line()}")
    page.wait_for_selector(f"{SHOWN} .status h2")


def expect_accessible(page: Any) -> None:
    page.evaluate(resources.files("axe_core_python").joinpath("axe.min.js").read_text())
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    assert [(broken["id"], broken["nodes"][0]["html"]) for broken in found["violations"]] == []


def test_the_page_and_the_library_agree_on_what_touches(opened: Any) -> None:
    """The page applies the description of a grid, at every size; also where a torus is narrow."""
    page = opened(DESK, "/#/learn")
    graph = as_geometry(f"graph:{EXAMPLES / 'knight.json'}")
    boards = [(grid, 5, 6) for grid in LATTICES.values()]
    boards += [(LATTICES["torus"], 2, 3), (LATTICES["torus"], 1, 1), (graph, 6, 6)]
    for geometry, rows, cols in boards:
        around = page.evaluate(
            """async ([data, rows, cols]) => {
                const grid = (await import("/board.js")).gridFor(data, rows, cols);
                return Array.from({length: rows * cols}, (_, at) => grid.around(grid.cell(at)));
            }""",
            [drawn_grid(geometry), rows, cols],
        )
        for number, near in enumerate(around):
            expected = geometry.neighbours(divmod(number, cols), rows, cols)
            assert sorted(map(tuple, near)) == expected, (geometry, number)


def test_a_hex_position_is_analysed_and_its_proof_is_drawn(opened: Any) -> None:
    page = opened(DESK, "/#/learn")
    show(page, HEX)
    wait_label(page, 3, 0, "no cell")
    assert page.locator(f"{SHOWN} .cell:not(.hole) .face").first.evaluate("e => e.tagName") == (
        "polygon"
    )
    cell(page, 1, 1).hover()
    expect(page.locator(f"{SHOWN} .near")).to_have_count(6)
    page.locator(f"{SHOWN} .cell.safe, {SHOWN} .cell.mine").first.click()
    page.wait_for_selector(f"{SHOWN} .proof")
    assert lit(page, "clue") >= 1
    assert lit(page, "target") == 1
    expect(page.locator(f"{SHOWN} .near")).to_have_count(0)
    expect_accessible(page)


def test_a_hex_game_is_played_to_its_end_by_hints(opened: Any) -> None:
    page = opened(PHONE, "/#/play")
    page.get_by_role("button", name="Custom").click()
    for name, value in (("Rows", 4), ("Columns", 5), ("Mines", 3)):
        page.locator(f"{SHOWN} label:has-text('{name}') input").fill(str(value))
        page.keyboard.press("Tab")
    page.locator(f"{SHOWN} [aria-label=Grid]").select_option("hex")
    expect(page.locator(f"{SHOWN} [role=gridcell]")).to_have_count(20)
    page.wait_for_selector(f"{SHOWN} .status >> text=six hexagons")
    cell(page, 1, 2).tap()
    page.wait_for_selector(f"{SHOWN} .status h2:has-text('to open'), {SHOWN} .status.good")
    while page.locator(f"{SHOWN} .status.good").count() == 0:
        before = page.locator(f"{SHOWN} .cell.open").count()
        page.get_by_role("button", name="Hint").click()
        page.get_by_role("button", name="Show the step").click()
        page.get_by_role("button", name="Open i").or_(
            page.get_by_role("button", name="Open these")
        ).click()
        page.wait_for_function(
            "([at, before]) => document.querySelectorAll(at).length > before",
            arg=[f"{SHOWN} .cell.open", before],
        )
        page.wait_for_selector(f"{SHOWN} .why", state="hidden")
    assert page.inner_text(f"{SHOWN} .status h2") == "Won"


def test_holes_and_large_numbers_are_drawn_by_hand(opened: Any) -> None:
    page = opened(DESK, "/#/learn")
    show(page, "mines: 3\ngrid: torus\n1????\n?????\n?????\n?????")
    expect(page.locator(f"{SHOWN} .edges polygon")).to_have_count(4)
    cell(page, 0, 0).hover()
    expect(page.locator(f"{SHOWN} .near")).to_have_count(8)
    page.get_by_role("button", name="Draw", exact=True).click()
    page.get_by_role("button", name="Hole", exact=True).click()
    cell(page, 3, 4).click()
    wait_label(page, 3, 4, "no cell")
    page.wait_for_url("**/#/analyse/b1_4x5_m3_gtorus_1HsO")
    page.locator(f"{SHOWN} label:has-text('Grid') select").select_option("radius:2")
    cell(page, 1, 2).hover()
    page.keyboard.press("1")
    page.keyboard.press("2")
    wait_label(page, 1, 2, "12")
    page.wait_for_selector(f"{SHOWN} .status.bad:has-text('(1,2)=12')")
    expect_accessible(page)


def test_a_graph_is_dropped_and_its_cells_have_names(opened: Any) -> None:
    page = opened(DESK, "/#/learn")
    drop(page, "web.json", (EXAMPLES / "web.json").read_bytes())
    page.wait_for_url("**/#/analyse/*")
    expect(page.locator(f"{SHOWN} [role=gridcell]")).to_have_count(25)
    paste(page, Board.read(EXAMPLES / "knight.txt").to_text().replace("1?2?1?", "~?2?1?"))
    page.wait_for_selector(f"{SHOWN} .best-move:has-text('Open f6')")
    page.wait_for_selector(f'{SHOWN} [aria-label="a6: no cell"]', state="attached")
    page.locator(f"{SHOWN} .best-move").click()
    page.wait_for_selector(f"{SHOWN} .proof :text('f6 is safe')")
    page.locator(f"{SHOWN} [role=grid]").focus()
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowLeft")
    assert (
        page.locator(f"{SHOWN} [role=grid]").get_attribute("aria-activedescendant").endswith("-0-4")
    )
    expect_accessible(page)
    page.get_by_role("button", name="Watch an agent here").click()
    page.wait_for_selector(f"{SHOWN} .boards [role=grid]")  # the game has been played
    page.get_by_label("To the end").click()
    page.wait_for_selector(
        f"{SHOWN} .result h2:has-text('won'), {SHOWN} .result h2:has-text('lost')"
    )
