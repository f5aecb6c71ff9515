"""Links and IDs found in public trackers mean what they mean there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from csp_mines import Board, BoardError, BoardSyntaxError, Layout
from csp_mines.formats import interpret

LINKS = [
    json.loads(line) for line in Path(__file__).with_name("links.jsonl").read_text().splitlines()
]
POSITIONS = [link for link in LINKS if link["kind"] == "jsminesweeper-analysis"]
GAMES = [link for link in LINKS if link["kind"] != "jsminesweeper-analysis"]


def test_there_are_links_of_every_kind() -> None:
    assert len(LINKS) == 19
    assert {link["kind"] for link in GAMES} == {"b-m-link", "tatham-mines-id"}


@pytest.mark.parametrize("link", POSITIONS, ids=lambda link: link["text"][-12:])
def test_positions(link: dict) -> None:
    board = Board.parse(link["text"])
    assert str(board) == "\n".join([f"mines: {link['mines']}", *link["rows"]])
    assert board.to_text("position-link") == link["text"]


@pytest.mark.parametrize("link", GAMES, ids=lambda link: link["text"][-12:])
def test_layouts(link: dict) -> None:
    found = interpret(link["text"])
    assert found.layout is not None
    assert found.layout.to_text().split() == link["layout"]
    assert found.layout.count == link["mines"]
    assert found.first == (tuple(link["first"]) if "first" in link else None)
    assert Layout.parse(found.layout.to_text(found.notation, found.first)) == found.layout


def test_an_id_with_its_first_cell_is_the_board_after_that_cell() -> None:
    board = Board.parse("3x2:2,1,u80")
    assert str(board) == "mines: 1\n?10\n?10"
    with pytest.raises(BoardError, match=r"this is a layout \(layout-link\)"):
        Board.parse(GAMES[0]["text"])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("?board=30x16x99&analysis=aEaq", "expected at least 9 letters .* after analysis=, not"),
        ("?board=30x16x99&analysis=aEaqaabLT0Ss", "the position has only 292 of its 480 cells"),
        ("?board=30x16x99&analysis=aEaqaabLT0SsSZZZ", "more cells than its size allows .480 cells"),
        ("?board=30x16x98&analysis=aEaqaabLT0SsSZZ", "but analysis= says 30x16x99"),
        ("?analysis=99999999999", "the position has only 3 of its 14,768,649 cells"),
        ("?b=1&m=0", "a layout of 81 cells needs 17 digits, not 1"),
        ("?b=1&m=0000000000000000w", "'w' is not a digit in base 32"),
        ("?b=1&m=00000000000000001", "mines after the last cell"),
        ("?b=123&m=0", "with the same number of digits"),
        ("?b=999999999999999999&m=0", "at most 16,000,000 cells, not .*\\(999999999×999999999\\)"),
        ("9x9:9,0,u000000000000000000000", "first cell 9,0 is not on the board"),
        ("9x9:0,0,u00", "a layout of 81 cells needs 21 digits"),
        ("9x9n10#1234", "is a random seed"),
        ("b1_9x9_Hx", "the line has 23 cells, but its size needs 81"),
        ("b2_9x9_Hdd", "unknown version '2' of the line"),
        ("b1_999999x999999_H", "at most 16,000,000 cells, not .*\\(999999×999999\\)"),
        ("b1_2x2_m9_Hc", "9 mines cannot be|needs 4"),
        ("b1_2x2_m1_m1_HHHH", "gives mines twice"),
        ("b1_2x2_q_HHHH", "expected mines .*, a density .*, a clue model .* or a grid .*, not 'q'"),
        ("b1_2x2_Hzzzzzzzzzzzz", "the count 'zzzzzzzzzzzz' is too large"),
        ("l1_2x2_f5-0_0", "cell 5,0 is not on this 2×2 board"),
        ("b1_2x2_", "the line has 0 cells, but its size needs 4"),
        ("b1_1x2_HHHa", "the count 'a' in the line is 0"),
        ("b1_1x2_ghex_ghex_HH", "gives the grid twice"),
        ("l1_9x9_abc", "the line has 3 digits, but its size needs 17"),
    ],
)
def test_damaged_ones_are_refused(text: str, problem: str) -> None:
    with pytest.raises(BoardSyntaxError, match=problem):
        interpret(text)


def test_lines_stand_in_links() -> None:
    board = Board.parse("mines: 1\n?1")
    assert board.to_line() == "b1_1x2_m1_H1"
    for link in ("https://example.org/#b1_1x2_m1_H1", "http://localhost:1/?x=1&board=b1_1x2_m1_H1"):
        assert Board.parse(link) == board
    assert Layout.parse("*..\n...").to_line((1, 2)) == "l1_2x3_f1-2_g0"


def test_long_runs_are_short() -> None:
    big = Board([[-1] * 1000] * 1000, mines=1000)
    assert big.to_line() == "b1_1000x1000_m1000_Hcexho"
    assert Board.parse(big.to_line()) == big
