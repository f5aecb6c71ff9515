"""What a notebook shows: one line, and a picture where there is one."""

from __future__ import annotations

import re

import csp_mines
from csp_mines import Board, Game, Verdict, compare, draw_analysis, draw_board, explain
from csp_mines.layout import Spec

BOARD = Board.parse("mines: 3\n????\n113?\n001?\n001?")


def test_reprs_are_one_line_with_the_numbers_that_matter() -> None:
    proved = explain(BOARD, (0, 2))
    assert proved.verdict is Verdict.SAFE
    assert re.fullmatch(r"<Explanation \(0,2\) safe: \w+, \d clues?>", repr(proved))
    compared = compare(BOARD, ["single", "native"])
    certain = len(csp_mines.analyze(BOARD).safe | csp_mines.analyze(BOARD).mines)
    assert repr(compared) == f"<Comparison of 2 engines: {certain} certain cells>"
    drawing = draw_board(Board.parse("1?"))
    assert repr(drawing) == f"<Drawing 'Board of 1×2 cells', 90×66, {len(drawing.shapes)} shapes>"
    game = Game(Spec(3, 3, 1), seed=1)
    assert repr(game) == "<Game 3×3, 1 mine, classic rules: running, 0 of 8 safe cells open>"


def test_an_open_cell_says_its_risk() -> None:
    assert repr(explain([[-1, 1, -1]], (0, 0))) == "<Explanation (0,0) undecided: 50.00%>"


def test_pictures_of_values() -> None:
    compared = compare(BOARD, ["single"])
    open_cell = explain([[-1, 1, -1]], (0, 0))
    analysis = csp_mines.analyze(BOARD)
    for value in (
        BOARD, analysis, explain(BOARD, (0, 2)), open_cell, compared, draw_board(BOARD),
    ):  # fmt: skip
        shown = value._repr_svg_()
        assert shown is not None
        assert shown.startswith("<svg ")
    assert Board([[-1] * 300] * 300)._repr_svg_() is None


def test_boards_and_arrays_alike() -> None:
    codes = BOARD.codes
    assert explain(codes, (0, 2), 3).to_json() == explain(BOARD, (0, 2)).to_json()
    assert csp_mines.grade_board(codes, 3) == csp_mines.grade_board(BOARD)
    assert csp_mines.grade_position(codes, 3) == csp_mines.grade_position(BOARD)
    layout = csp_mines.Layout([[True, False, False]])
    assert csp_mines.grade(layout.mines).to_json() == csp_mines.grade(layout).to_json()
    wrong = Board.parse("11\n1?\n1?\n20")
    assert csp_mines.find_conflict(wrong.codes) == csp_mines.find_conflict(wrong)
    names = ["single", "native"]
    assert [entry.safe for entry in compare(codes, names, mines=3).entries] == [
        entry.safe for entry in compare(BOARD, names).entries
    ]


def test_pictures_on_one_page_leave_each_other_alone() -> None:
    """A page has one place for the names of classes and of what is drawn many times: the same name
    must mean the same in every picture."""
    found = csp_mines.analyze(BOARD)
    pictures = [draw_board(BOARD), draw_board(BOARD, theme="dark"), draw_analysis(found)]
    meanings: dict[str, str] = {}
    for picture in pictures:
        svg = picture.to_svg()
        named = re.findall(r"\.(\w+)\{(.*?)\}", svg) + re.findall(r'<g id="(\w+)">(.*?)</g>', svg)
        assert len(named) > 5
        for name, meaning in named:
            assert meanings.setdefault(name, meaning) == meaning
