"""The forgiving reader: one reading that makes sense is taken and told, of two none is."""

from __future__ import annotations

import pytest

from csp_mines import Board, BoardError, BoardSyntaxError, Layout
from csp_mines.formats import interpret

READ = {
    # text: (canonical, what the note says)
    "xx*1\n.121": ("??M1\n0121", "'*' a marked mine, '.' 0, 'x' hidden"),
    "..2.3.\n2.....": ("??2?3?\n2?????", "'.' hidden"),
    "# 1 .\n# 1 .": ("?10\n?10", "'#' hidden, '.' 0"),
    "?1-\n?1-": ("?10\n?10", "'-' 0"),
    "-1m\n-21": ("?1M\n?21", "'-' hidden, 'm' a marked mine"),
    "__1\n111": ("??1\n111", "'_' hidden"),
    "XX\n11": ("??\n11", "'X' hidden"),  # as opened mines, the clues could not hold
    "?1F\n?2!": ("?1M\n?2X", "'!' an opened mine, 'F' a marked mine"),
    "**\n11": ("??\n11", "'*' hidden"),
    "?1  1?\n11 111": ("?1001?\n110111", "blanks 0"),
    "? 1 .\n? 1 .": ("?10\n?10", "'.' 0"),
    "9 9 1\n1 1 1": ("??1\n111", ""),
    "-1 1 0\n-1 1 0": ("?10\n?10", ""),
    "10 1 11\n1 1 1": ("?1M\n111", ""),
    "?,1,M\n1,1,1": ("?1M\n111", ""),
    "[[null, 1], [\"?\", 1]]": ("?1\n?1", ""),
    "[['X', 1], ['X', 1]]": ("?1\n?1", ""),
    "x = np.array([[ 1 -1]\n [ 1 -1]])": ("1?\n1?", ""),
    "[\"?1\", \"?1\"]": ("?1\n?1", ""),
    "🟦1️⃣⬜\n🟦1️⃣⬜": ("?10\n?10", "⬜ 0"),
    "⬜1️⃣\n⬜1️⃣": ("?1\n?1", "⬜ hidden"),
    ":blue_square::one::bomb:": ("?1M", ""),
    "2 3\n.1.\n...": ("?1?\n???", ""),
    "2\n3\n.1.\n#\n...\n# words behind it\n#\n": ("?1?\n???", ""),
    "language ESSENCE' 1.0\n$ a [[1]] comment\nletting r be 2\nletting c be 3\n"
    "letting game be [\n  [-1,1,-1],\n  [1,1,1]\n  ]\n": ("?1?\n111", ""),
    "ESSENCE' 1.0\nparam r be 1\nparam game be [ [-1,1] ]\n": ("?1", ""),
    "letting game be [[-1,1;int(1..2)],[1,1;int(1..2)];int(1..2)]": ("?1\n11", ""),
    "# a comment\nparam r := 2;\nparam c := 3;\n\nparam game: 1 2 3 :=\n"
    "  1 . 1 .\n  2 1 1 1\n;\n": ("?1?\n111", ""),
    "X = -1 # unknown\nr = 1\ngame = np.array([\n  [X,1],\n  [1,1]\n])\n": ("?1\n11", ""),
    "problem(0,[[_,1],\n  [1,1]]).\n": ("?1\n11", "'_' hidden"),
    '  "..2.",\n  "2..."\n': ("??2?\n2???", "'.' hidden"),
    "# a comment\n6\n2\n..\n.1\n..\n..\n1.\n..": ("??\n?1\n??\n??\n1?\n??", ""),
    "r = 1;\nc = 3;\n% a comment\ngame = array2d(1..r, 1..c, [\n X,1,0,\n]);": ("?10", ""),
    "RAWVF_Version: Rev5\nWidth: 3\nHeight: 1\nMines: 1\nBoard:\n*00\nEvents:\n"
    "0.000 start\n0.10 lc 3 1 (40 8)\n0.20 lr 3 1 (40 8)": ("mines: 1\n?10", ""),
    "# MINESWEEPER-BOARD v0.1\n[view]\nU1": ("?1", ""),
    "    0  1  2\n0 >ok  1  .\n1  37 5%  .": ("?10\n??0", ""),
}  # fmt: skip


@pytest.mark.parametrize(("text", "wanted"), READ.items())
def test_one_reading(text: str, wanted: tuple[str, str]) -> None:
    found = interpret(text)
    assert found.board == Board.parse(wanted[0], "canonical")
    assert found.note == wanted[1]


@pytest.mark.parametrize(
    ("text", "ways"),
    [
        ("?1   ", ["1×2, first row ?1 (--format canonical)", "1×5, first row ?1000 (--format"]),
        ("*1\n11", ["'*' a marked mine", "'*' hidden"]),
        ("X1\n11", ["--format canonical", "--format letters:X=?"]),
        ("..\n..", ["'.' hidden", "'.' 0"]),
        ("1,,\n1,,1", []),
        ("  1?\n  1?", ["2×2, first row 1?", "2×4, first row 001?"]),
    ],
)
def test_two_readings_are_both_shown(text: str, ways: list[str]) -> None:
    with pytest.raises(BoardSyntaxError) as caught:
        Board.parse(text)
    for way in ways:
        assert way in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("format", "text", "wanted"),
    [
        ("letters: =0", "?1   ", "?1000"),
        ("letters: =0", "? 1   ", "?10"),
        ("canonical", "?1   ", "?1"),
        ("letters:X=?", "X1\n11", "?1\n11"),
        ("canonical", "X1\n11", "X1\n11"),
        ("letters:*=?", "*1\n11", "?1\n11"),
        ("letters:.=0,*=M", "*1.\n11.", "M10\n110"),
        ("letters:q=?", "q1", "?1"),
    ],
)
def test_what_the_error_proposes_reads_it(format: str, text: str, wanted: str) -> None:
    assert Board.parse(text, format) == Board.parse(wanted, "canonical")


def test_letters_nobody_knows() -> None:
    for name in ("letters:", "letters:x", "letters:x=9", "letters:é=?", "zig:x=?"):
        with pytest.raises(LookupError):
            Board.parse("?1", name)
    with pytest.raises(BoardSyntaxError, match="'q' has no meaning; give it a meaning"):
        Board.parse("q  1", "letters: =0")


def test_a_clue_that_no_reading_allows() -> None:
    with pytest.raises(BoardSyntaxError, match="none of the 2 readings make sense, because a clue"):
        Board.parse("8.\n..")


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("?1\n?q", "no format reads this line"),
        ("mines: 2\nxx*1\n", "formats that read this line: minesweepr, letters"),
        ("mines: 2\n--m1\n", "formats that read this line: madewokherd, letters"),
        ("mines: 2\n# 1 .\n", "formats that read this line: zig, letters"),
    ],
)
def test_syntax_errors_name_the_formats_that_read_the_line(text: str, hint: str) -> None:
    with pytest.raises(BoardSyntaxError, match=hint):
        Board.parse(text)


def test_a_board_that_cannot_be_is_doubted() -> None:
    """X for unknown, and -1 for hidden under another program's name, are told apart at once."""
    found = interpret("mines: 3\nX1X\n121")
    assert found.board == Board([[-3, 1, -3], [1, 2, 1]], mines=3)
    assert "the text makes sense as letters:X=?" in found.note
    assert "it would make sense as" not in interpret("mines: 3\n?1?\n131").note
    assert "the text makes sense as table" in interpret("-1 -1 1\n1 1 1", "rutgers").note


def test_layouts_are_boards_that_hide_nothing() -> None:
    mined = Layout.parse("*.\n..", "layout")
    for text in ("*.\n..", "M1\n11", "X1\n11", "*1\n11", "[[true,false],[false,false]]"):
        assert Layout.parse(text) == mined
    assert Layout.parse("..\n..").count == 0
    sized = "letting r be 2\nletting c be 2\nletting game be [[true,false],[false,false]]"
    assert Layout.parse(sized) == mined
    real = "# MINESWEEPER-BOARD v0.1\nmines: 1\n[real]\n*1\n11\n"
    assert Layout.parse(real) == mined
    with pytest.raises(BoardError, match=r"this is a layout \(board\), which shows the mines"):
        Board.parse(real)


def test_our_own_json_is_read() -> None:
    text = '{"rows": 1, "cols": 2, "mines": 1, "clues": "silent", "board": ["?C"]}'
    assert Board.parse(text) == Board.parse("mines: 1\nclues: silent\n?C")
    assert Layout.parse('{"layout": ["*.", ".."]}').count == 1
    for text in (
        '{"a": 1}',
        '{"board": 3}',
        '{"a": ',
        '{"board": [[[1]]]}',
        '{"mines": 9, "board": ["?"]}',
    ):
        with pytest.raises(BoardSyntaxError):
            Board.parse(text)


@pytest.mark.parametrize("header", ["mines: 99", "mines: x", "density: 2", "clues: wild"])
def test_a_wrong_header_gets_no_hint_of_formats(header: str) -> None:
    with pytest.raises(BoardError) as refusal:
        Board.parse(f"{header}\n1??")
    assert "read this line" not in str(refusal.value)
    assert "reads this line" not in str(refusal.value)


def test_other_blanks_are_no_cells() -> None:
    assert Board.parse("1 \x0c") == Board([[1]])
    assert Board.parse("?\v1\n1 1") == Board([[-1, 1], [1, 1]])


@pytest.mark.parametrize(
    ("line", "rows"), [("2x2x1", "HH\n11"), ("# MINESWEEPER-BOARD v0.1", "[view]\nUU\n11")]
)
def test_a_long_first_line_is_read_to_its_end(line: str, rows: str) -> None:
    blanks = " " * 12_000
    assert Board.parse(f"{line}{blanks}\n{rows}").rows == 2
    with pytest.raises(BoardSyntaxError):
        Board.parse(f"{line}{blanks}nothing\n{rows}")


def test_a_width_that_the_rows_do_not_have() -> None:
    with pytest.raises(BoardSyntaxError, match=r":3: the text says 5 columns, but a row has 2"):
        Board.parse("r = 2;\nc = 5;\ngame = [| -1, 1 | 1, 1 |];")


def test_an_empty_cell_between_bars_is_not_left_out() -> None:
    assert Board.parse("|1| |\n| |1|", "table") == Board([[1, -1], [-1, 1]])
    assert Board.parse("|1|0|\n|-1|1|", "table") == Board([[1, 0], [-1, 1]])
