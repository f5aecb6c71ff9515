"""Grids of letters: the canonical notation and its headers, and errors that say where."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csp_mines import Board, BoardError, BoardSyntaxError
from csp_mines.board import CLEAR, EXPLODED, HIDDEN, MARKED
from csp_mines.errors import UnknownName


@given(
    codes=st.lists(st.sampled_from([HIDDEN, 0, 3, MARKED]), min_size=1, max_size=4),
    density=st.none() | st.fractions(0.001, 0.999),
    clues=st.sampled_from(["exact", "silent", "optimistic", "cautious"]),
)
def test_headers_read_back(codes: list[int], density: object, clues: str) -> None:
    board = Board([codes], density=density, clues=clues)
    assert Board.parse(str(board)) == board


SAMPLES = {
    "canonical": "? 1 M\n0 X C",
    "minesweepr": "x1*\n.**",
    "zig": "# 1 *\n. * *",
    "mine": "3x2x4\nH1F\n0??",
    "sgt": "?1*\n-**",
    "madewokherd": "-1m\n0mm",
    "board": "# MINESWEEPER-BOARD v0.1\nmines: 3\n\n[real]\n*3*\n2*2\n[view]\nU1F\n0X#",
    "rutgers": "9 1 -1\n0 -9 20",
}


# What the last two cells of the samples are: not every format tells marked mines from opened ones.
LAST = {
    "canonical": (EXPLODED, CLEAR),
    "mine": (EXPLODED, EXPLODED),
    "board": (EXPLODED, CLEAR),
    "rutgers": (EXPLODED, CLEAR),
}


@pytest.mark.parametrize(("name", "text"), SAMPLES.items())
def test_samples(name: str, text: str) -> None:
    last = LAST.get(name, (MARKED, MARKED))
    assert Board.parse(text, name).codes.tolist() == [[HIDDEN, 1, MARKED], [0, *last]]


def test_unmistakable_headers_choose_the_format() -> None:
    assert Board.parse(SAMPLES["mine"]) == Board.parse(SAMPLES["mine"], "mine")
    assert Board.parse(SAMPLES["board"]) == Board.parse(SAMPLES["board"], "board")


def test_headers_comments_blanks_and_line_ends() -> None:
    board = Board.parse(
        "; a board\r\n\r\nMines : 2 ; two\r\nclues: silent\r\n\r\n? 1\t?\r\n;\r\n0C?\r\n\r\n"
    )
    assert str(board) == "mines: 2\nclues: silent\n?1?\n0C?"
    assert Board.parse("\ufeff?1").cols == 2
    assert Board.parse("1?\r??\r") == Board.parse("1?\n??")


@pytest.mark.parametrize(
    ("text", "line", "column", "quoted"),
    [
        ("", 1, None, "expected at least one row of cells"),
        ("\n ; nothing\n", 3, None, "expected at least one row of cells"),
        ("??\n?", 2, None, "the first row has 2; a board is a rectangle"),
        ("?1\n?q", 2, 2, "'q' does not stand for a cell in '?q'"),
        ("?9", 1, 2, "'9' does not stand for a cell"),
        ("? ☃", 1, 3, "'☃' does not stand for a cell"),
        ("?ÿ", 1, 2, "'ÿ' does not stand for a cell"),
        ("mines: many\n?", 1, None, "mines must be a whole number, not 'many'"),
        ("mines: -1\n?", 1, None, "'-1'"),
        ("mines: 99999999999\n?", 1, None, "mines is too large"),
        ("\nmines: 7\n?", 2, None, "a board of 1 cell has 0 to 1 mines, not 7"),
        ("density: 2\n?", 1, None, "density must be greater than 0 and less than 1, not 2"),
        ("mines: 1\ndensity: 0.5\n?", 2, None, "not both"),
        ("mines: 1\nmines: 1\n?", 2, None, "the header 'mines' appears twice"),
        ("mines:\n?", 1, None, "no value"),
        ("colour: red\n?", 1, None, "unknown header 'colour'"),
        ("clues: vague\n?", 1, None, "unknown clue model 'vague'"),
        ("?\nmines: 1", 2, 1, "'m' does not stand for a cell"),
        (
            "clues: cautious\ngrid: hex\n?7?",
            2,
            None,
            "cell 0,1 shows 7, but a clue on this grid is at most 6",
        ),
    ],
)
def test_syntax_errors_say_where(text: str, line: int, column: int | None, quoted: str) -> None:
    with pytest.raises(BoardSyntaxError) as caught:
        Board.parse(text, source="board.txt")
    assert (caught.value.line, caught.value.column) == (line, column)
    assert str(caught.value).startswith(f"board.txt:{line}:" + (f"{column}:" if column else ""))
    assert quoted in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("mine", "??\n??", "first line must be WIDTHxHEIGHTxMINES"),
        ("mine", "3x1x1\nHH", "the header says 3x1, but the board is 2x1"),
        ("mine", "2x1x9\nHH", "a board of 2 cells has 0 to 2 mines, not 9"),
        ("board", "??", "first line must be '# MINESWEEPER-BOARD v0.1'"),
        (
            "board",
            "# MINESWEEPER-BOARD v0.1\nmines: 2\n**",
            "expected a section \\[view\\] or \\[real\\], found neither",
        ),
        ("board", "# MINESWEEPER-BOARD v0.1\nrows: 2\n[view]\nUU", "rows is 2, but the board has"),
        ("zig", "# 10", "'10' does not stand for a cell"),
        ("rutgers", "9 9\n9 7 7", "this row has 3 cells"),
    ],
)
def test_syntax_errors_of_other_formats(name: str, text: str, message: str) -> None:
    with pytest.raises(BoardSyntaxError, match=message):
        Board.parse(text, name)


def test_what_a_format_cannot_say() -> None:
    with pytest.raises(BoardError, match="no letter for a safe cell that shows no clue"):
        Board.parse("C").to_text("sgt")
    with pytest.raises(BoardError, match="no letter for an opened mine"):
        Board([[EXPLODED]]).to_text("zig")
    with pytest.raises(BoardError, match="needs the number of mines"):
        Board.parse("?").to_text("mine")
    with pytest.raises(UnknownName, match="unknown board format 'gif'"):
        Board.parse("?", "gif")


def test_reading_files(tmp_path: Path) -> None:
    path = tmp_path / "board.txt"
    path.write_bytes(b"?1\n1\xff")
    with pytest.raises(BoardSyntaxError, match=r"board\.txt:2:2: byte 0xff is not UTF-8"):
        Board.read(path)
    path.write_text("?1\n11")
    assert Board.read(path).rows == 2


def test_a_million_cells_and_too_many() -> None:
    text = "\n".join(["?01" * 333 + "?"] * 1000)
    assert Board.parse(text).codes.shape == (1000, 1000)
    with pytest.raises(BoardSyntaxError, match="a board may have at most 16,000,000 cells"):
        Board.parse("?" * 16_000_001)
