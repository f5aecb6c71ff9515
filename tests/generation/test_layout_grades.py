"""Grading layouts and positions."""

from __future__ import annotations

from math import log2
from pathlib import Path

import numpy as np
import pytest

from csp_mines import Board, Layout, grade, grade_position
from csp_mines.analysis.grades import Grade
from csp_mines.analysis.winning import WinChance
from csp_mines.backend import Capability, offered
from csp_mines.board import HIDDEN
from csp_mines.errors import BoardError, InputError
from csp_mines.games.game import Game, Rules, level
from csp_mines.generation.layout_grades import Numbers, first_cell, numbers

LAYOUTS = Path(__file__).parents[2] / "examples" / "layouts"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("...\n...\n...", Numbers(1, 1, 0)),
        ("*..\n...\n...", Numbers(1, 1, 0)),
        ("*.*\n...\n*.*", Numbers(5, 0, 1)),
        ("..*..\n..*..\n..*..", Numbers(2, 2, 0)),
        (".*.*.", Numbers(3, 0, 3)),
        ("***\n***\n***", Numbers(0, 0, 0)),
    ],
)
def test_numbers_of_the_field(text: str, expected: Numbers) -> None:
    assert numbers(Layout.parse(text)) == expected


def clicks(layout: Layout) -> int:
    """The openings that a player needs who knows the layout and opens zeros first."""
    game = Game(layout, Rules(start="any"))
    safe = [(row, col) for row, col in np.argwhere(~layout.mines).tolist()]
    made = 0
    for cell in sorted(safe, key=lambda cell: layout.number(cell) > 0):
        if game.shown(cell) == HIDDEN:
            game.open(cell)
            made += 1
    return made


@pytest.mark.parametrize("mines", [5, 10, 20, 40])
def test_3bv_is_the_number_of_openings_that_a_player_needs(mines: int) -> None:
    for seed in range(10):
        layout = Layout.random(9, 9, mines, seed)
        assert numbers(layout).three_bv == clicks(layout)


def test_a_layout_without_a_guess() -> None:
    found = grade(Layout.parse((LAYOUTS / "report4-5x5.txt").read_text()), (0, 1))
    assert found.no_guess
    assert found.stuck is None
    assert found.exact is None
    report = found.to_json()
    assert (report["rows"], report["cols"], report["mines"]) == (5, 5, 5)
    assert report["first"] == [0, 1]
    assert report["grade"] == found.grade
    assert found.hardest_step is not None
    assert found.hardest_step.grade is found.grade


def test_the_score_by_hand() -> None:
    """From the left, 0 1 opens. With the total, its clue proves 0,3 safe; then both clues prove 0,4
    safe, the second of them opened by the step before: a chain of two."""
    found = grade(Layout.parse("..*.."), (0, 0))
    assert (found.no_guess, found.grade) == (True, Grade.TOTAL)
    assert (found.score.openings, found.score.clues, found.score.depth) == (2, 4, 2)
    assert found.score.value == pytest.approx(2 * 6 * log2(1 + 2) * (1 + 2 / 2))


def test_a_layout_that_needs_a_guess() -> None:
    found = grade(Layout.parse("..*\n...\n..*\n.*.\n*.."), (0, 0))
    assert not found.no_guess
    assert found.stuck is not None
    assert found.exact is not None
    assert found.exact.guesses >= 1
    assert 0 < found.exact.survival < 1
    assert found.to_json()["exact"]["guesses"] == found.exact.guesses
    assert found.score.value is found.to_json()["score"] is None
    if offered(Capability.BOARDS) is None:
        assert found.win is found.to_json()["win"] is None
    else:  # one guess among three layouts: tests/native/test_moves.py has it by brute force
        assert found.win == WinChance(2, 3, (3, 1))
        assert found.to_json()["win"]["win_chance"] == 2 / 3


def test_without_the_total() -> None:
    layout = Layout.parse("..*..")
    assert grade(layout, (0, 0)).no_guess
    blind = grade(layout, (0, 0), use_total=False)
    assert not blind.no_guess
    assert blind.stuck is not None
    assert blind.stuck.mines is None  # so the chance to win is that of whoever does not know it


def test_where_a_game_begins() -> None:
    assert first_cell(Layout.parse("*..\n...\n...")) == (0, 2)
    assert first_cell(Layout.parse("*.*\n***")) == (0, 1)
    with pytest.raises(BoardError, match="every cell of this layout is a mine"):
        first_cell(Layout.parse("*"))
    with pytest.raises(BoardError, match="is a mine"):
        grade(Layout.parse("*.."), (0, 0))
    with pytest.raises(BoardError, match="not on this 1×3 board"):
        grade(Layout.parse("*.."), (1, 0))


def test_positions() -> None:
    found = grade_position(Board.parse("???\n11C\nCCC"))
    assert (found.grade, found.cells) == (Grade.PAIR, ((0, 2),))
    guess = grade_position(Board.parse("?1?"))
    assert (guess.grade, guess.cells) == (None, ())
    assert guess.to_json() == {"next": None, "safe": [], "cells": {}}


def test_a_game_is_as_hard_as_what_it_demands() -> None:
    easy = grade(Layout.parse("....\n....\n....\n...*\n"), (0, 0))
    assert (easy.grade, easy.no_guess, easy.exact) == (None, True, None)
    game = Game(level("beginner"), Rules(start="zero"), seed=3)
    game.start()
    graded = grade(game.layout, (0, 0))
    assert graded.no_guess
    assert graded.grade is not None
    assert sum(graded.deduced.counts.values()) > 1


def test_a_game_with_a_guess() -> None:
    """Two cells above two clues: nothing tells them apart."""
    graded = grade(Layout.parse("*.\n..\n.."), (2, 0))
    assert not graded.no_guess
    assert graded.exact is not None
    assert (graded.exact.guesses, graded.exact.survival) == (1, 0.5)


def test_boards_arrays_and_games_are_graded_too() -> None:
    board = Board.parse("mines: 2\n?1\n??\n?1")
    assert grade(board) == grade_position(board)
    assert grade(board, use_total=False) == grade_position(board.without_total())
    assert grade(board.codes) == grade_position(board.codes)
    assert grade(board.codes.tolist()) == grade_position(board.codes)
    with pytest.raises(InputError, match="first works only with a layout or a game"):
        grade(board.codes, (0, 0))
    layout = Layout.parse("..*\n...\n*..")
    rows = [[False, False, True], [False] * 3, [True, False, False]]
    assert grade(rows).to_json() == grade(layout).to_json()
    game = Game(layout, Rules(), first=(2, 2))
    assert grade(game).to_json() == grade(layout, (2, 2)).to_json()
    assert grade(game, (0, 0)).to_json() == grade(layout, (0, 0)).to_json()
