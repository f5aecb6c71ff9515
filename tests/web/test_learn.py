"""Learn: every lesson is what it says, drills have their grade, and both are done by keyboard and
by touch."""

from __future__ import annotations

import json
import re
from importlib import resources
from typing import Any

import pytest
from playwright.sync_api import expect

import csp_mines
from csp_mines.backend import Capability, offered
from csp_mines.board import Board
from csp_mines.generation.layout_grades import grade_position
from csp_mines.names import Grade
from tests.web.conftest import Site
from tests.web.test_faults import DESK, PHONE, opened
from tests.web.test_page import SHOWN, cell, heading
from tests.web.test_routes import ask

__all__ = ["opened"]


def lessons() -> list[dict[str, Any]]:
    """The lessons of the page: a literal of JavaScript, which is JSON but for a few details."""
    source = resources.files("csp_mines.web").joinpath("static/lessons.js").read_text("utf-8")
    literal = source.partition("export const LESSONS = ")[2].rpartition(";")[0]
    literal = re.sub(r'"\s*\+\s*"', "", literal)
    literal = re.sub(r"^(\s*)(\w+):", r'\1"\2":', literal, flags=re.M)
    listed: list[dict[str, Any]] = json.loads(re.sub(r",(\s*[\]}])", r"\1", literal))
    return listed


def test_every_lesson_is_graded() -> None:
    grades = []
    for lesson in lessons():
        board, target = Board.parse(lesson["board"]), tuple(lesson["cell"])
        explanation = csp_mines.explain(board, target)
        if lesson["find"] == "none":
            assert not csp_mines.analyze(board).safe
            assert explanation.verdict == "open"
            continue
        assert explanation.verdict == lesson["find"], lesson["id"]
        assert explanation.grade is not None
        grades.append(explanation.grade)
        if lesson["find"] == "safe":  # no safe cell is easier
            assert grade_position(board).grade == explanation.grade, lesson["id"]
    assert grades == sorted(grades, key=list(Grade).index)
    assert set(grades) == set(Grade)
    assert lessons()[-1]["find"] == "none"


@pytest.mark.parametrize("grade", list(Grade))
def test_a_drill_has_its_grade(grade: Grade) -> None:
    if grade is Grade.SUBTRACTION and offered(Capability.BOARDS) is None:
        pytest.skip("few layouts have this grade, and without a kernel only 3,000 are tried")
    for seed in range(4):
        drill = ask("generate", drill=grade, seed=seed)
        board = Board.parse("\n".join([f"mines: {drill['mines']}", *drill["board"]]))
        assert grade_position(board).grade == grade


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["keyboard", "touch"])
def test_a_lesson_and_ten_drills(opened: Any, site: Site, size: dict[str, int]) -> None:
    page = opened(size, "/#/learn")
    heading(page, "Find a cell that is a mine")

    def choose(row: int, col: int) -> None:
        if size == PHONE:
            return cell(page, row, col).tap()
        page.locator(f"{SHOWN} [role=grid]").focus()
        page.keyboard.press("Control+Home")
        for key, times in (("ArrowDown", row), ("ArrowRight", col)):
            for _ in range(times):
                page.keyboard.press(key)
        return page.keyboard.press("Enter")

    choose(4, 4)
    heading(page, "Nothing proves this cell")
    page.wait_for_selector(f"{SHOWN} .proof >> text=0,0 is a mine")
    page.get_by_role("button", name="Only its mines are left").click()
    heading(page, "Find a cell")
    choose(0, 0)
    heading(page, "Right")
    expect(page.locator(f"{SHOWN} .lessons .done")).to_have_count(1)
    for number in range(10):
        with page.expect_response("**/api/generate") as made:
            if number:
                page.keyboard.press("n")
            else:
                page.locator(f"{SHOWN} .drills").get_by_role("button", name="two clues").click()
        drill = made.value.json()
        heading(page, "Find a safe cell")
        safe = ask("analyze", board="\n".join(drill["board"]), mines=drill["mines"])["safe"]
        choose(*safe[0])
        heading(page, "Right")
        page.wait_for_selector(f"{SHOWN} .proof")
    expect(page.locator(f"{SHOWN} .drills")).to_contain_text("10 of 10, 10 in a row")
    page.reload()  # this browser keeps the progress
    expect(page.locator(f"{SHOWN} .drills")).to_contain_text("10 of 10")
