"""For every notation: text → value → text and value → text → value over all that it can say, and a
refusal of what it cannot."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from csp_mines import Board, BoardError, Layout
from csp_mines.board import CLEAR, EXPLODED, HIDDEN, MARKED, Cell
from csp_mines.formats import all_notations, board_of, interpret, write_layout
from csp_mines.geometry import SQUARE

NOTATIONS = all_notations()
BOARDS = [name for name, notation in NOTATIONS.items() if notation.write]
LAYOUTS = [name for name, notation in NOTATIONS.items() if notation.write_layout]

# What each notation can say besides hidden cells and clues, and of the header.
MARKS = {
    "canonical": (MARKED, EXPLODED, CLEAR),
    "array": (MARKED, EXPLODED, CLEAR),
    "board": (MARKED, EXPLODED, CLEAR),
    "emoji": (MARKED, EXPLODED, CLEAR),
    "line": (MARKED, EXPLODED, CLEAR),
    "madewokherd": (MARKED,),
    "mine": (MARKED, EXPLODED),
    "minesweepr": (MARKED,),
    "minizinc": (),
    "position-link": (MARKED,),
    "rutgers": (MARKED, EXPLODED, CLEAR),
    "sgt": (MARKED, EXPLODED),
    "table": (MARKED, EXPLODED, CLEAR),
    "textbook": (),
    "zig": (MARKED,),
}
MINES = {"canonical", "board", "line", "mine", "position-link", "textbook"}
NEEDS_MINES = {"mine", "position-link"}
HEADERS = {"canonical", "line"}


@st.composite
def boards(draw: st.DrawFn, name: str) -> Board:
    rows, cols = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    code = st.sampled_from([HIDDEN, *range(9), *MARKS[name]])
    codes = np.array(draw(st.lists(code, min_size=rows * cols, max_size=rows * cols)), np.int8)
    codes = codes.reshape(rows, cols)
    if name == "position-link":  # a clue is stored less its flags
        flags = SQUARE.count(codes == MARKED)
        codes = np.where((codes >= 0) & (codes < flags), flags, codes)
    mines = density = None
    clues = "exact"
    if name in NEEDS_MINES or (name in MINES and draw(st.booleans())):
        mines = draw(st.integers(0, rows * cols))
    if name in HEADERS:
        if mines is None:
            density = draw(st.none() | st.fractions(0.001, 0.999))
        clues = draw(st.sampled_from(["exact", "silent", "optimistic", "cautious"]))
    return Board(codes, mines=mines, density=density, clues=clues)


@pytest.mark.parametrize("name", BOARDS)
@given(data=st.data())
def test_boards_read_back(name: str, data: st.DataObject) -> None:
    board = data.draw(boards(name))
    try:
        text = board.to_text(name)
    except BoardError:
        assert name == "textbook"  # whose size may look like a row
        return
    assert Board.parse(text, name) == board
    assert Board.parse(text, name).to_text(name) == text


@st.composite
def layouts(draw: st.DrawFn) -> tuple[Layout, Cell]:
    rows, cols = draw(st.integers(1, 12)), draw(st.integers(1, 12))
    cells = draw(st.lists(st.booleans(), min_size=rows * cols, max_size=rows * cols))
    first = draw(st.integers(0, rows - 1)), draw(st.integers(0, cols - 1))
    return Layout(np.array(cells).reshape(rows, cols)), first


@pytest.mark.parametrize("name", LAYOUTS)
@given(given_layout=layouts())
def test_layouts_read_back(name: str, given_layout: tuple[Layout, Cell]) -> None:
    layout, first = given_layout
    text = write_layout(layout, name)
    assert interpret(text, name).layout == layout
    assert write_layout(Layout.parse(text, name), name) == text
    if not NOTATIONS[name].keeps_first:
        with pytest.raises(BoardError, match="no place for a first cell"):
            write_layout(layout, name, first)
        return
    started = interpret(write_layout(layout, name, first), name)
    assert (started.layout, started.first) == (layout, first)


@pytest.mark.parametrize("name", sorted(set(NOTATIONS) - {"letters", "layout"} - set(LAYOUTS)))
def test_examples_are_unmistakable_or_named(name: str) -> None:
    """What is read without its name is read as with it, or refused."""
    notation = NOTATIONS[name]
    if notation.suffix is None:
        named = interpret(notation.example, name)
        assert board_of(interpret(notation.example)) == board_of(named)


@pytest.mark.parametrize("name", BOARDS)
@pytest.mark.parametrize("code", [MARKED, EXPLODED, CLEAR])
def test_what_a_notation_cannot_say_is_refused(name: str, code: int) -> None:
    board = Board([[code, HIDDEN]], mines=1 if name in MINES else None)
    if code in MARKS[name]:
        assert Board.parse(board.to_text(name), name) == board
        return
    with pytest.raises(BoardError):
        board.to_text(name)


@pytest.mark.parametrize("name", sorted(set(BOARDS) - HEADERS))
def test_a_clue_model_is_not_lost(name: str) -> None:
    with pytest.raises(BoardError):
        Board([[HIDDEN, 1]], mines=1 if name in NEEDS_MINES else None, clues="silent").to_text(name)


@st.composite
def mistakable_boards(draw: st.DrawFn) -> Board:
    """Boards of few kinds of cells, in which numbers, sizes and hex digits turn up by chance."""
    shape = draw(
        st.sampled_from([(1, 8), (1, 10), (3, 1), (3, 2), (4, 2), (5, 1), (13, 2), (14, 2)])
    )
    kinds = [[0, 1], [0, 1, 2], [HIDDEN, 1, 2], [EXPLODED, 0, 1], [CLEAR, 1], [MARKED, HIDDEN, 0]]
    code = st.sampled_from(draw(st.sampled_from(kinds)))
    size = shape[0] * shape[1]
    codes = np.array(draw(st.lists(code, min_size=size, max_size=size)), np.int8).reshape(shape)
    if draw(st.booleans()) and shape[0] > 2:  # its first two rows are the size of the others
        sizes = draw(st.permutations([shape[0] - 2, shape[1]]))
        digits = [f"{number:0{shape[1]}}" for number in sizes]
        if all(len(row) == shape[1] for row in digits):
            codes[:2] = [[int(digit) for digit in row] for row in digits]
    return Board(codes)


def test_digits_are_a_board() -> None:
    """And no size with a board of another size below it."""
    for text in ("01\n01\n10", "1\n2\n3", "11\n02\n?1", "11\n01\n" + "?1\n" * 11):
        assert str(Board.parse(text)).split() == text.split()
    board = Board([[1, 1], [0, 2]] + [[-1, 1]] * 11)
    assert str(board).startswith("clues: exact\n11\n02\n")
    with pytest.raises(BoardError, match="may be the size or the first row"):
        Board.parse(str(board).partition("\n")[2])


@given(board=mistakable_boards())
def test_what_could_be_something_else_is_read_back_as_the_board(board: Board) -> None:
    assert Board.parse(str(board)) == board


@given(data=st.data())
def test_the_canonical_text_of_every_board_needs_no_name(data: st.DataObject) -> None:
    board = data.draw(boards("canonical"))
    assert Board.parse(str(board)) == board
    assert Board.parse(board.to_line()) == board
    assert eval(repr(board)) == board


@pytest.mark.parametrize(
    ("rows", "written"),
    [
        ("??1?\n?22?\n????", "3 4 3\n..1.\n.22.\n...."),
        ("??1\n?22\n???", "# rows, columns, mines\n3,3,3\n..1\n.22\n..."),  # 3 3 3 may be a row
    ],
)
def test_a_textbook_has_the_total(rows: str, written: str) -> None:
    board = Board.parse(f"mines: 3\n{rows}")
    assert board.to_text("textbook") == written
    assert Board.parse(written) == board
    with pytest.raises(BoardError, match="cannot write a density"):
        Board.parse(f"density: 0.5\n{rows}").to_text("textbook")
