"""Sessions: advice that is proved or priced exactly, and entries that cannot go wrong silently."""

from __future__ import annotations

from fractions import Fraction

import pytest

from csp_mines.assist import Session, parse_entries
from csp_mines.board import CLEAR, EXPLODED, Board
from csp_mines.errors import BoardError, Contradiction
from csp_mines.game import LEVELS, Game, Rules

FRESH = Board.parse("mines: 3\n????\n????\n????\n????")


def test_the_first_advice_is_a_corner_at_the_base_rate() -> None:
    advice = Session(FRESH).advice
    assert (advice.kind, advice.cell, advice.risk) == ("guess", (0, 0), Fraction(3, 16))
    assert advice.reason.endswith("15 others have the same")


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


def test_a_guess_has_its_exact_risk() -> None:
    advice = Session(Board.parse("mines: 2\n1?\n??\n??")).advice
    assert (advice.kind, advice.cell, advice.risk) == ("guess", (0, 1), Fraction(1, 3))


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


def test_a_mine_where_none_can_be_is_a_contradiction() -> None:
    session = Session(Board.parse("0??\n???"))
    with pytest.raises(Contradiction):
        session.enter({(0, 1): EXPLODED})


def test_undo_goes_back_one_entry_at_a_time() -> None:
    session = Session(FRESH)
    session.enter({(0, 0): 1})
    session.enter({(3, 3): 0})
    session.undo()
    session.undo()
    assert session.board == FRESH
    with pytest.raises(BoardError, match="nothing to undo"):
        session.undo()


def test_open_cells_stay_open() -> None:
    session = Session(FRESH)
    session.enter({(0, 0): 1})
    with pytest.raises(BoardError, match="0,0 is open already"):
        session.enter({(0, 0): 2})
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
        ("0,1=9", None),
        ("0,1=1 nonsense", None),
        ("", None),
        ("12", None),
    ],
)
def test_lines_that_enter_something(line: str, entries: dict[tuple[int, int], int] | None) -> None:
    assert parse_entries(line, (1, 2)) == entries


def test_lines_that_enter_too_much_or_too_little() -> None:
    with pytest.raises(BoardError, match="0,1 is named twice"):
        parse_entries("0,1=1 0,1=2", None)
    with pytest.raises(BoardError, match="no cell was asked about"):
        parse_entries("1", None)
