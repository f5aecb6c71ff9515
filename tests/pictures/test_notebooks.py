"""What a notebook shows: one line, and a picture where there is one."""

from __future__ import annotations

import re

import csp_mines
from csp_mines import Board, Game, Verdict, compare, draw_board, explain
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
    assert repr(explain([[-1, 1, -1]], (0, 0))) == "<Explanation (0,0) open: 50.00%>"


def test_pictures_of_values() -> None:
    compared = compare(BOARD, ["single"])
    for value in (BOARD, explain(BOARD, (0, 2)), compared, draw_board(BOARD)):
        shown = value._repr_svg_()
        assert shown is not None
        assert shown.startswith("<svg ")
    assert explain([[-1, 1, -1]], (0, 0))._repr_svg_() is None
    assert Board([[-1] * 300] * 300)._repr_svg_() is None


def test_boards_and_arrays_alike() -> None:
    codes = BOARD.codes
    assert explain(codes, (0, 2), 3).to_json() == explain(BOARD, (0, 2)).to_json()
    assert csp_mines.grade_board(codes, 3) == csp_mines.grade_board(BOARD)
    names = ["single", "native"]
    assert [entry.safe for entry in compare(codes, names, mines=3).entries] == [
        entry.safe for entry in compare(BOARD, names).entries
    ]
