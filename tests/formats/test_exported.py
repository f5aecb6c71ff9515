"""Exports and the answers of solvers, read back."""

from __future__ import annotations

import pytest

from csp_mines import Board, BoardError, BoardSyntaxError, Layout, export
from csp_mines.formats import interpret, split

BOARD = Board.parse("mines: 3\n????\n113?\n001?\n001?")
FITS = Layout.parse(".*.*\n....\n...*\n....")
CNF = export(BOARD, "dimacs", encoding="seqcounter")
OPB = export(BOARD, "opb")


@pytest.mark.parametrize(
    "answer",
    [
        CNF + "s SATISFIABLE\nv -1 2 -3 4 -5 6 -7 0\n",
        CNF + "c says the solver\ns SATISFIABLE\nv -1 2 -3 4\nv -5 6 -7 8 -9\nv 0\n",
        OPB + "s SATISFIABLE\r\nv -x1 x2 -x3 x4 -x5 x6 -x7\r\n",
        OPB + "o 0\ns OPTIMUM FOUND\nv -x1 +x2 -x3 x4\nv -x5 x6 -x7\n",
    ],
)
def test_v_lines_are_a_layout(answer: str) -> None:
    assert Layout.parse(answer) == FITS
    assert interpret(answer).notation == "exported"


def test_marked_mines_belong_to_the_layout() -> None:
    text = export(Board.parse("1M?"), "dimacs")
    assert Layout.parse(text + "v -1 0\n") == Layout.parse(".*.")


def test_the_layout_has_the_grid_and_the_holes_of_the_board() -> None:
    text = export(Board.parse("grid: hex\nmines: 2\n??~\n?1?"), "dimacs")
    assert Layout.parse(text + "v 1 2 -3 -4 0\n") == Layout.parse("grid: hex\n**~\n...")
    with pytest.raises(BoardError, match="cell 1,1 shows 1, but has 2 mines around it"):
        Layout.parse(text + "v -1 2 3 -4 0\n")


def test_noisy_clues() -> None:
    text = export(Board.parse("clues: optimistic\n1?\n??"), "dimacs")
    assert Layout.parse(text + "v 1 2 3 0").count == 3
    with pytest.raises(BoardError, match="cell 0,0 shows 1, but has 0 mines around it"):
        Layout.parse(text + "v -1 -2 -3 0")


def test_several_answers() -> None:
    answer = "v -1 2 -3 4 -5 6 -7 0\n"
    assert [part.layout() for part in split((CNF + answer) * 2)] == [FITS, FITS]


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("s UNSATISFIABLE\n", "the solver says UNSATISFIABLE: no layout fits the board$"),
        ("v -1 2 -3 4 -5 6 0\n", "no value to variable 7, cell 3,3"),
        ("v 1 2 -3 4 -5 6 -7 0\n", "cell 1,0 shows 1, but has 2 mines around it"),
        ("v -1 2 -3 4 -5 6 -7 1 0\n", "variable 1 has two values"),
        ("v -1 2 three 0\n", "expected a variable such as -3 or x3, not 'three'"),
    ],
)
def test_refusals(answer: str, problem: str) -> None:
    with pytest.raises(BoardError, match=problem):
        Layout.parse(CNF + answer)


def test_the_total_is_checked() -> None:
    text = export(Board.parse("mines: 1\n?1??"), "dimacs")
    with pytest.raises(BoardError, match="the board has 1 mine, but the layout has 2"):
        Layout.parse(text + "v 1 -2 3 0\n")


@pytest.mark.parametrize("notation", ["dimacs", "opb"])
def test_assumptions_are_checked(notation: str) -> None:
    text = export(BOARD, notation, assume={(0, 1): "mine", (3, 3): "safe"})
    answer = "v -x1 x2 -x3 x4 -x5 x6 -x7\n"
    assert Layout.parse(text + answer) == FITS
    wrong = export(BOARD, notation, assume={(0, 1): "mine", (2, 3): "safe"})
    with pytest.raises(BoardError, match="the export assumes 2,3=safe, but cell 2,3 is a mine"):
        Layout.parse(wrong + answer)
    for damage in ("9,9=safe", "2,3=maybe", "2,3"):
        with pytest.raises(BoardSyntaxError, match="expected an assumption such as 3,4=mine"):
            Layout.parse(wrong.replace("2,3=safe", damage) + answer)


def test_an_answer_alone_is_no_layout() -> None:
    with pytest.raises(BoardError, match="put the exported file before the answer") as error:
        Layout.parse("s SATISFIABLE\nv 1 0\n")
    assert "no format" not in str(error.value)


def test_a_damaged_heading() -> None:
    with pytest.raises(BoardSyntaxError, match="the board of the export cannot be read"):
        Board.parse("c csp-mines board b1_3x3_HHH\n")
