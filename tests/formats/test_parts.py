"""Several boards in one text: where each begins, and texts that do not tell."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csp_mines import Board, BoardError, BoardSyntaxError, Layout
from csp_mines.formats import all_notations, between, parts, split
from tests.formats.test_round_trips import BOARDS, boards, layouts

ONE, TWO = "?1\n11", "11\n1?"
TOOLLIB = (
    "# MINESWEEPER-BOARD v0.1\n# Render: ascii\n\nrows: 2\n\n[real]\n*1\n11\n\n[view]\nU1\n11\n"
)
MINIZINC = "r = 1;\n\nc = 2;\ngame = [| -1, 1 |];\n"
RAWVF = "RAWVF_Version: 1\n\nMines: 1\nBoard:\n*0\n\nEvents:\n\n0.1 lc 2 1\n0.2 lr 2 1\n"
PRINTED = (
    "x: 1×2, 1 mine, exact clues: guess\n\n    0  1\n0 >50  1\nnumbers: risk in %\n\nmove  0,0\n"
)


def texts(text: str, format: str | None = None) -> list[str]:
    return [str(part.board()) for part in split(text, format)]


@pytest.mark.parametrize(
    "text",
    [
        f"{ONE}\n\n{TWO}\n",
        f"\n\n{ONE}\n \t\n\n{TWO}\n\n",
        f"{ONE}\n---\n{TWO}",
        f"---\n{ONE}\n\n---\n\n{TWO}\n---\n",
        f"; a remark\n{ONE}\n\n; another\n\n{TWO}\n\n; the last\n",
        f"{ONE}\r\n\r\n{TWO}\r\n",
    ],
)
def test_a_blank_line_or_a_rule_begins_another_board(text: str) -> None:
    assert texts(text) == [ONE, TWO]
    assert texts(text, "canonical") == [ONE, TWO]
    with pytest.raises(BoardSyntaxError, match="expected one board, got 2"):
        Board.parse(text)


def test_a_header_begins_another_board() -> None:
    text = f"mines: 1\n\n{ONE}\nmines: 2\nclues: silent\n\n??\n11\n\ndensity: 0.5\n??\n??\n"
    assert texts(text) == [
        f"mines: 1\n{ONE}",
        "mines: 2\nclues: silent\n??\n11",
        "density: 0.5\n??\n??",
    ]
    with pytest.raises(BoardSyntaxError, match=r"^f:5: expected one board, got 3"):
        Board.parse(text, source="f")


@pytest.mark.parametrize("text", ["?1\n\n11\n", "1 2 ?\n\n? 2 1\n\n1 1 1", "mines: 1\n?1\n\n11"])
@pytest.mark.parametrize("parse", [Board.parse, Layout.parse])
def test_single_rows_between_blank_lines_are_unclear(
    text: str, parse: Callable[[str], object]
) -> None:
    with pytest.raises(BoardSyntaxError, match=r"[23] single rows .* may be one board or [23]"):
        parse(text)


@pytest.mark.parametrize("text", ["?1\n---\n1?", "mines: 1\n?1\nmines: 1\n1?", "b1_1x2_H1\n\n1?"])
def test_single_rows_set_apart_by_more_are_boards(text: str) -> None:
    assert [board[-2:] for board in texts(text)] == ["?1", "1?"]


def test_a_number_a_line_is_unclear() -> None:
    with pytest.raises(BoardSyntaxError) as caught:
        Board.parse("-1\n" * 11)
    assert "11×2, first row ?1 (--format letters:-=?)" in str(caught.value)
    assert "11×1, first row ? (--format table)" in str(caught.value)
    assert Board.parse("-1\n" * 11, "table") == Board([[-1]] * 11)
    assert Board.parse("-1\n" * 11, "letters:-=?") == Board([[-1, 1]] * 11)
    assert Board.parse("-1\n1\n0") == Board([[-1], [1], [0]])


def test_dashes_may_be_cells() -> None:
    """A rule stands between rows, and no row of three cells has a dash."""
    assert texts("1-1\n---\n1-1", "sgt") == ["101\n000\n101"]
    assert texts("1-1\n---\n1-1") == ["1?1\n???\n1?1"]
    assert texts("?1?\n111\n---") == ["?1?\n111\n000"]
    assert texts("?1?\n111\n---\n111\n1?1") == ["?1?\n111", "111\n1?1"]


def test_lines_of_blanks_may_be_zeros() -> None:
    assert texts("?1 \n11 \n   \n 11\n 1?") == ["?10\n110\n000\n011\n01?"]
    assert texts("?1 \n\n  1", "letters: =0") == ["?10\n000\n001"]
    with pytest.raises(BoardSyntaxError, match="a row of 0s or the end of a board"):
        split("? 1\n1 1\n   \n1 1\n1 ?")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (TOOLLIB, ONE),
        (MINIZINC, "?1"),
        (RAWVF, "mines: 1\n?1"),
        (PRINTED, "mines: 1\n?1"),
        ("2\n2\n\n.1\n11\n", ONE),
        ("3x2x1\nHHH\n\n111\n", "mines: 1\n???\n111"),
        ("# words\n\nparam game: 1 2 :=\n\n 1 . 1\n;\n", "?1"),
        ("letting r be 1\n\nletting game be [[-1, 1]]\n", "?1"),
        ("[[-1, 1],\n\n [1, 1]]\n", ONE),
        ('{\n\n"board": ["?1",\n\n"11"]}\n', ONE),
    ],
)
def test_blank_lines_of_a_notation_are_its_own(text: str, wanted: str) -> None:
    assert texts(text) == [wanted]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (TOOLLIB, ONE),
        (RAWVF, "mines: 1\n?1"),
        (PRINTED, "mines: 1\n?1"),
        (MINIZINC + "\n", "?1"),
        ("2 3\n...\n...\n\n", "???\n???"),
        ("3x2x1\nHHH\n111\n", "mines: 1\n???\n111"),
        ('{"board": ["?1", "11"]}\n', ONE),
        ("[[-1, 1],\n [1, 1]]\n\n", ONE),
        ("b1_2x2_H111\n", ONE),
        ("3x2:2,1,u80\n", "mines: 1\n?10\n?10"),
    ],
)
def test_notations_with_a_syntax_of_their_own_one_behind_the_other(text: str, wanted: str) -> None:
    assert texts(text * 3) == [wanted] * 3


def test_what_is_no_board_is_told_with_its_line_and_number() -> None:
    parts = split("?1\n11\n\n; remark\n?1\n1q\n---\n??\n11", source="f")
    assert [part.number for part in parts] == [1, 2, 3]
    with pytest.raises(
        BoardSyntaxError, match=r"^f:6:2: board 2: 'q' does not stand for a cell"
    ) as caught:
        parts[1].board()
    assert (caught.value.line, caught.value.column) == (6, 2)
    assert parts[2].board() == Board([[-1, -1], [1, 1]])
    with pytest.raises(BoardError, match=r"^f: board 2: this is a layout"):
        split("?1\n11\n\n*.\n..", source="f")[1].board()


def test_other_texts_are_no_boards() -> None:
    with pytest.raises(
        BoardSyntaxError, match="'T' does not stand for a cell in 'This is a letter'"
    ):
        Board.parse("This is a letter\n\nIt has: two parts.\n\nAnd an end.\n")


@pytest.mark.parametrize(
    "text",
    [
        "1\n\n" * 20_001,
        "?1\n11\n\n" * 20_001,
        "b1_1x1_H\n" * 20_001,
        "a:\n" * 20_000,
        "ab\n\n" * 20_000,
        "---\n" * 20_000,
        "\n" * 2_000_000,
        " " * 1_000_000,
    ],
    ids=lambda text: repr(text[:9]),
)
def test_very_many_pieces_are_refused_soon(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "MAX_BOARDS", 20_000)  # a fifth of what people get
    begin = time.monotonic()
    with pytest.raises(BoardSyntaxError):
        Board.parse(text)
    assert time.monotonic() - begin < 12  # seconds, on a busy machine; not minutes


@pytest.mark.parametrize("name", BOARDS)
@given(data=st.data())
def test_what_is_written_one_behind_the_other_is_read_so(name: str, data: st.DataObject) -> None:
    notation = all_notations()[name]
    given_boards = data.draw(st.lists(boards(name), min_size=2, max_size=3))
    try:
        written = [board.to_text(name).rstrip("\n") for board in given_boards]
    except BoardError:
        assert name == "textbook"  # whose size may look like a row
        return
    gaps = [between(notation, single_row="\n" not in text) for text in written[1:]]
    text = "\n".join([written[0], *map("".join, zip(gaps, written[1:], strict=True))])
    if "\n" not in "".join(written) and set(gaps) == {"\n"} and notation.bare:
        with pytest.raises(BoardSyntaxError, match="single rows with blank lines between them"):
            split(text, name)  # a rule would be a row of `-`
        return
    assert [part.board() for part in split(text, name)] == given_boards


@given(first=layouts(), second=layouts())
def test_layouts_one_behind_the_other(first: tuple, second: tuple) -> None:
    text = f"; one\n{first[0]}\n; two\n\n{second[0]}---\n"
    if min(first[0].shape[0], second[0].shape[0]) > 1:
        parts = split(text, "layout")
        assert [part.layout() for part in parts] == [first[0], second[0]]
