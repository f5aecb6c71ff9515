"""The board type: codes, header, equality, marks, and what it refuses."""

from __future__ import annotations

import pickle
from fractions import Fraction

import numpy as np
import pytest

from csp_mines import Board, BoardError, analyze
from csp_mines.board import CLEAR, EXPLODED, HIDDEN, MARKED
from csp_mines.errors import UnknownName

CORNER = "????\n113?\n001?\n001?"


def test_a_board_is_a_pleasure_in_the_repl() -> None:
    board = Board.parse("mines: 3\n" + CORNER)
    assert (board.rows, board.cols, board.mines) == (4, 4, 3)
    assert board[1, 2] == 3
    assert board[0, 0] == HIDDEN
    assert str(board) == "mines: 3\n" + CORNER
    assert eval(repr(board)) == board
    assert len({board, Board.parse(str(board))}) == 1
    assert board != Board.parse(CORNER)
    assert board != CORNER


def test_hidden_cells_and_neighbours() -> None:
    board = Board.parse(CORNER)
    assert board.hidden == {(0, 0), (0, 1), (0, 2), (0, 3), (1, 3), (2, 3), (3, 3)}
    assert board.neighbours((0, 0)) == [(0, 1), (1, 0), (1, 1)]
    assert len(board.neighbours((1, 1))) == 8


def test_boards_survive_pickling() -> None:
    board = Board.parse("density: 0.2\nclues: cautious\n?1M\nXC?")
    assert pickle.loads(pickle.dumps(board)) == board


def test_codes_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="read-only"):
        Board.parse(CORNER).codes[0, 0] = 0


def test_from_array_copies() -> None:
    array = np.array([[-1, 1], [1, 1]])
    board = Board.from_array(array, mines=1)
    array[0, 0] = 0
    assert board[0, 0] == HIDDEN


def test_replace_gives_a_new_board() -> None:
    board = Board.parse("mines: 1\n??")
    assert str(board.replace({(0, 1): 1})) == "mines: 1\n?1"
    assert str(board) == "mines: 1\n??"
    with pytest.raises(BoardError, match="300 is not a code for a cell"):
        board.replace({(0, 0): 300})
    with pytest.raises(BoardError, match="2,0 is not on this 1×2 board"):
        board.replace({(2, 0): 1})


def test_without_marks() -> None:
    marked = Board.parse("MXC?")
    assert str(marked.without_marks()) == "?X??"
    assert str(Board.parse("clues: silent\nMXC?").without_marks()) == "clues: silent\n?XC?"
    assert [marked[0, col] for col in range(4)] == [MARKED, EXPLODED, CLEAR, HIDDEN]


@pytest.mark.parametrize(
    ("array", "message"),
    [
        ([], "needs rows and columns"),
        ([[]], "needs rows and columns"),
        ([1, 2], "needs rows and columns"),
        ([[1, 2], [1]], "the same length"),
        ([[9]], "cell 0,0 has the value 9"),
        ([[0, -6]], "cell 0,1 has the value -6"),
        ([[0.5]], "array of integers"),
        ([["?"]], "array of integers"),
        (
            np.broadcast_to(np.int8(-1), (4001, 4000)),
            "a board may have at most 16,000,000 cells, not 16,004,000",
        ),
    ],
)
def test_arrays_that_are_no_boards(array: object, message: str) -> None:
    with pytest.raises(BoardError, match=message):
        Board(array)


def test_priors_that_make_no_sense() -> None:
    with pytest.raises(BoardError, match="not both"):
        Board([[-1]], mines=1, density=0.5)
    with pytest.raises(BoardError, match="a board of 1 cell has 0 to 1 mines, not 5"):
        Board([[-1]], mines=5)
    with pytest.raises(BoardError, match="whole number"):
        Board([[-1]], mines=0.5)
    for density in (0, 1, "x", "1/0", float("nan"), 2):
        with pytest.raises(BoardError, match="density"):
            Board([[-1]], density=density)
    with pytest.raises(UnknownName, match="unknown clue model 'vague'"):
        Board([[-1]], clues="vague")


@pytest.mark.parametrize(
    "density",
    [
        "0." + "123456789" * 10,
        "1." + "23456789" * 11 + "e-299",
        "0." + "9" * 98,
        Fraction(10**250 + 1, 10**251),
        Fraction(2**1640 - 1, 2**1641),
    ],
    ids=["decimal", "small decimal", "near 1", "fraction", "longest fraction"],
)
def test_a_density_of_many_digits_reads_back(density: str | Fraction) -> None:
    board = Board([[-1, 1, -1]], density=density)
    assert Board.parse(str(board)) == board
    assert analyze(board).probabilities[0, 0] == 0.5


@pytest.mark.parametrize(
    "density",
    [
        Fraction(10**600, 3 * 10**600 + 1),
        Fraction(1, 10**9000),
        Fraction(10**9000),
        Fraction(1, 10**301),
        1 - Fraction(1, 10**301),
        "1/" + "3" * 1200,
    ],
    ids=["too long", "much too long", "huge", "near 0", "near 1", "long text"],
)
def test_a_density_that_would_not_read_back_is_refused(density: str | Fraction) -> None:
    with pytest.raises(BoardError, match="density"):
        Board([[-1, 1, -1]], density=density)


def test_a_density_is_what_its_digits_say() -> None:
    assert Board([[-1]], density=0.1).density == Fraction(1, 10)
    assert Board([[-1]], density=Fraction(1, 3)).density == Fraction(1, 3)


def test_a_board_is_told_another_header() -> None:
    board = Board([[-1, 1, -1]], mines=1, clues="silent")
    assert board.told() is board
    assert board.told(density="0.5") == Board([[-1, 1, -1]], density="0.5", clues="silent")
    assert board.told(clues="exact") == Board([[-1, 1, -1]], mines=1)
    assert board.told(mines=2, clues="exact") == Board([[-1, 1, -1]], mines=2)
    with pytest.raises(UnknownName, match="clue model"):
        board.told(clues="")
