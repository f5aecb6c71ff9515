"""Sessions: advice that is proved or priced exactly, and entries that cannot go wrong silently."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from csp_mines.board import CLEAR, EXPLODED, HIDDEN, MARKED, Board, Cell
from csp_mines.errors import BoardError, Contradiction, InputError, UnknownName
from csp_mines.games.assist import Session, parse_entries, parse_row
from csp_mines.games.game import LEVELS, Game, Rules

FRESH = Board.parse("mines: 3\n????\n????\n????\n????")


def test_the_first_advice_is_a_corner_at_the_base_rate() -> None:
    advice = Session(FRESH).advice
    assert (advice.kind, advice.cell, advice.risk) == ("guess", (0, 0), Fraction(3, 16))
    assert advice.reason.startswith("no cell is proved safe; one of 16 cells with the lowest risk")
    assert advice.win_chance is None


def test_safe_advice_names_the_clues_that_prove_it() -> None:
    session = Session(FRESH)
    session.enter({(0, 0): 1, (0, 1): 1})
    advice = session.advice
    assert (advice.kind, advice.cell, advice.risk) == ("safe", (0, 2), Fraction(0))
    assert advice.clues == ((0, 0), (0, 1))
    assert not advice.uses_total


def test_safe_advice_says_when_it_needs_the_total() -> None:
    advice = Session(Board.parse("mines: 1\n1?\n??\n??")).advice
    assert (advice.kind, advice.uses_total) == ("safe", True)
    assert "the number of mines in all" in advice.reason


def test_safe_advice_by_a_total_too_wide_to_explain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("csp_mines.analysis.clue_sets.WIDE", 0)
    advice = Session(Board.parse("mines: 2\n?1?1?")).advice
    assert (advice.kind, advice.cell, advice.clues) == ("safe", (0, 2), ())
    assert advice.uses_total
    assert advice.reason == "proved safe by all clues and the number of mines in all"


def test_of_very_many_clues_only_some_are_named() -> None:
    """25 clues of 2, each with three cells of its own, hold all 50 mines: the others are safe."""
    codes = np.full((15, 17), CLEAR)
    codes[1::3, 1:15:3] = 2
    codes[0::3] = HIDDEN
    advice = Session(Board(codes, mines=50)).advice
    assert (advice.cell, len(advice.clues), advice.uses_total) == ((0, 16), 25, True)
    assert advice.reason.startswith("proved safe by the 2 at 1,1, the 2 at 1,4, ")
    assert advice.reason.endswith(", 5 more clues and the number of mines in all")
    assert advice.reason.count("the 2 at") == 20


def test_a_guess_has_its_exact_risk() -> None:
    advice = Session(Board.parse("mines: 2\n1?\n??\n??"), move="safest").advice
    assert (advice.kind, advice.cell, advice.risk) == ("guess", (0, 1), Fraction(1, 3))
    with pytest.raises(UnknownName):
        Session(FRESH, move="best")


def test_a_contradiction_is_caught_and_changes_nothing() -> None:
    session = Session(FRESH)
    session.enter({(0, 0): 1})
    before = session.board
    with pytest.raises(Contradiction) as caught:
        session.enter({(0, 1): 0, (1, 0): 0, (1, 1): 1})
    assert caught.value.conflict is not None
    assert {cell for cell, _ in caught.value.conflict.clues} == {(0, 0)}
    assert session.board == before
    assert session.entries == 1


def test_a_contradiction_without_a_known_conflict_is_refused_all_the_same() -> None:
    """Large boards are searched for a conflict in parts, so a wrong total is not found there."""
    codes = np.full((201, 201), HIDDEN, np.int8)
    codes[10, 10] = codes[100, 100] = 1
    session = Session(Board(codes, mines=2))
    with pytest.raises(Contradiction, match="no layout fits"):
        session.enter({(190, 190): 1})
    assert (session.entries, session.board[190, 190]) == (0, HIDDEN)


def test_a_mine_where_none_can_be_is_a_contradiction() -> None:
    session = Session(Board.parse("0??\n???"))
    with pytest.raises(Contradiction) as caught:
        session.enter({(0, 1): EXPLODED})
    assert caught.value.conflict is not None
    assert caught.value.conflict.clues == (((0, 0), 0),)


@pytest.mark.parametrize(
    ("board", "entries", "words"),
    [
        ("?0", {(0, 0): EXPLODED}, "0,0 cannot be a mine: (0,1)=0 rules it out"),
        ("?0", {(0, 0): MARKED}, "0,0 cannot be a mine: (0,1)=0 rules it out"),
        ("?1", {(0, 0): 0}, "0,0 cannot be safe: (0,1)=1 rules it out"),
        ("?1?", {(0, 0): 0, (0, 2): 0}, "0,0 and 0,2 cannot both be safe: (0,1)=1 rules it out"),
        (
            "1??\n???",
            {(0, 1): EXPLODED, (1, 0): EXPLODED, (1, 1): 2, (1, 2): 1},
            "0,1 and 1,0 cannot both be mines: (0,0)=1 rules it out",
        ),
        (
            "??\n2?",
            {(0, 0): CLEAR, (0, 1): CLEAR, (1, 1): EXPLODED},
            "0,0 and 0,1 cannot both be safe: (1,0)=2 rules it out",
        ),
        (
            "?1?1?",
            {(0, 0): EXPLODED, (0, 4): CLEAR},
            "0,0 cannot be a mine while 0,4 is safe: (0,1)=1 and (0,3)=1 rule it out",
        ),
        (
            "mines: 1\n????",
            {(0, 0): EXPLODED, (0, 1): EXPLODED},
            "0,0 and 0,1 cannot both be mines: 1 mine in all rules it out",
        ),
        (
            "????\nCCCC",
            {(0, 1): 3},
            "this entry is impossible: (0,1)=3, but only 2 hidden cells are beside it",
        ),
    ],
)
def test_the_entry_at_fault_is_named(board: str, entries: dict[Cell, int], words: str) -> None:
    session = Session(Board.parse(board))
    with pytest.raises(Contradiction) as caught:
        session.enter(entries)
    assert str(caught.value) == words


def test_a_mine_beside_the_first_cell_is_no_first_mine() -> None:
    session = Session(FRESH, start="safe")
    with pytest.raises(InputError, match="so the first cell cannot show x"):
        session.enter({(0, 0): EXPLODED, (0, 1): MARKED})
    session.enter({(0, 0): 1, (0, 1): EXPLODED})
    assert session.board[0, 1] == EXPLODED


def test_undo_goes_back_one_entry_at_a_time() -> None:
    session = Session(FRESH)
    session.enter({(0, 0): 1})
    session.enter({(3, 3): 0})
    session.undo()
    assert session.analysis.board == session.board == FRESH.replace({(0, 0): 1})
    session.undo()
    assert session.analysis.board == session.board == FRESH
    with pytest.raises(InputError, match="nothing to undo"):
        session.undo()


def test_what_is_no_entry() -> None:
    session = Session(FRESH)
    session.enter({(0, 0): 1})
    with pytest.raises(InputError, match="the board shows that already"):
        session.enter({(0, 0): session.board[0, 0]})
    with pytest.raises(BoardError, match="not on this 4×4 board"):
        session.enter({(4, 0): 2})


@pytest.mark.parametrize("rules", [Rules(), Rules("sweep", clues="silent"), Rules("sweep", "any")])
def test_a_game_played_by_its_advice_comes_to_an_end(rules: Rules) -> None:
    game = Game(LEVELS["beginner"], rules, seed=12)
    session = Session(game.board)
    for cell in game.start():
        session.enter({cell: game.shown(cell)})
    while session.advice.cell is not None and not game.over:
        opened = game.open(session.advice.cell)
        session.enter({cell: game.shown(cell) for cell in opened})
    assert session.advice.kind == "done"
    assert game.opened == 71


@pytest.mark.parametrize(
    ("line", "entries"),
    [
        (" 3 ", {(1, 2): 3}),
        ("X", {(1, 2): EXPLODED}),
        ("c", {(1, 2): CLEAR}),
        ("0,1=2", {(0, 1): 2}),
        ("0,1=2 3 , 4 = x;5,6=0", {(0, 1): 2, (3, 4): EXPLODED, (5, 6): 0}),
        ("9", None),
        ("0,1 2 (3,4) x", {(0, 1): 2, (3, 4): EXPLODED}),
        ("0,1,2", None),
        ("0 , 1 , 2", None),
        ("", None),
        ("12", None),
    ],
)
def test_lines_that_enter_something(line: str, entries: dict[tuple[int, int], int] | None) -> None:
    assert parse_entries(line, [(1, 2)]) == entries


def test_lines_that_enter_too_much_or_too_little() -> None:
    with pytest.raises(InputError, match="0,1 is named twice"):
        parse_entries("0,1=1 0,1=2", [])
    with pytest.raises(InputError, match="does not name a cell; enter ROW,COL=VALUE"):
        parse_entries("1", [])
    for line in ("0,1=9", "0,1=1 nonsense", "0,1=10,2=1", "0,1 2,1 0,1"):
        with pytest.raises(InputError, match="expected ROW,COL=VALUE, such as 0,0=1, got"):
            parse_entries(line, [])


def test_several_cells_and_rows_are_entered_at_once() -> None:
    asked = [(0, 0), (0, 1), (1, 0)]
    assert parse_entries("1 2 x", asked) == {(0, 0): 1, (0, 1): 2, (1, 0): EXPLODED}
    assert parse_entries("12", asked) is None
    assert parse_entries("0,0=m 0,1=?", asked) == {(0, 0): MARKED, (0, 1): HIDDEN}
    board = Board.parse("mines: 3\n??1?\n????\n????\n????")
    assert parse_row("row 0: ?12m", board) == {(0, 1): 1, (0, 2): 2, (0, 3): MARKED}
    assert parse_row("rows 0: ?12m", board) is None


def test_corrections_are_entries() -> None:
    session = Session(FRESH)
    session.enter({(0, 0): 1})
    session.enter({(0, 0): 2})
    session.enter({(0, 0): HIDDEN})
    assert session.board == FRESH
    assert session.entries == 3
    session.undo()
    assert session.board[0, 0] == 2


def test_a_zero_asks_for_its_surroundings() -> None:
    session = Session(FRESH)
    session.enter({(0, 0): 0})
    assert session.around_zeros == ((0, 1), (1, 0), (1, 1))
    assert session.advice.safe == ((0, 1), (1, 0), (1, 1))
    optimistic = Board(session.board.codes, mines=3, clues="optimistic")
    assert Session(optimistic).around_zeros == ()
    cautious = Board.parse("clues: cautious\n0?\n??")
    assert Session(cautious).around_zeros == ((0, 1), (1, 0), (1, 1))


def test_the_first_cell_of_a_safe_start_is_no_guess() -> None:
    advice = Session(FRESH, start="safe").advice
    assert (advice.kind, advice.cell, advice.risk) == ("first", (0, 0), 0)
    large = Board(np.full((16, 30), HIDDEN), mines=99)
    assert Session(large, start="zero").advice.cell == (3, 3)
