"""Difficulty: the weakest engine that finds a deduction."""

from __future__ import annotations

from pathlib import Path

import pytest

from csp_mines import Board, Frontier, analyze
from csp_mines.analysis.grades import Grade, grade_board
from csp_mines.backend import load

BOARDS = Path(__file__).parents[2] / "examples" / "boards"


def test_the_order() -> None:
    assert [grade.value for grade in Grade] == [
        "single", "pair", "subtraction", "gauss", "search", "total",
    ]  # fmt: skip
    assert [grade.rank for grade in Grade] == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("text", "cell", "grade"),
    [
        ("?1", (0, 0), Grade.SINGLE),
        ("???\n11C\nCCC", (0, 2), Grade.PAIR),
        ("?????\nC121C\nCCCCC", (0, 2), Grade.GAUSS),
        ("????C?\n?????C\n???C1?\n??C?C?\n??C1?1", (4, 4), Grade.SEARCH),
        ("mines: 2\n?1C1?\n?CCC?\n?CCC?", (2, 0), Grade.TOTAL),
    ],
)
def test_grades(text: str, cell: tuple[int, int], grade: Grade) -> None:
    assert grade_board(Frontier.of(Board.parse(text))).grades[cell] is grade


@pytest.mark.parametrize("name", ["disarm-game", "disarm-game-late", "endgame", "report4-10x10"])
def test_no_weaker_engine_finds_it(name: str) -> None:
    found = analyze(Board.read(BOARDS / f"{name}.txt"))
    frontier = found.frontier
    difficulty = grade_board(found)
    assert set(difficulty.grades) == found.safe | found.mines
    for grade in Grade:
        total = grade is Grade.TOTAL
        problem = frontier.problem if total else frontier.problem.without_total()
        answer = load(grade.engine).deduce(problem)
        found_here = frontier.cells(answer.safe | answer.mines)
        for cell, its in difficulty.grades.items():
            if its.rank > grade.rank:
                assert cell not in found_here
            elif its is grade:
                assert cell in found_here


def test_counts_and_json() -> None:
    difficulty = grade_board(analyze(Board.read(BOARDS / "disarm-game-late.txt")))
    assert difficulty.counts == {Grade.SINGLE: 14, Grade.PAIR: 4}
    assert difficulty.to_json() == {"hardest": "pair", "cells": {"single": 14, "pair": 4}}
    nothing = grade_board(Frontier.of(Board.parse("?1?")))
    assert (nothing.hardest, nothing.counts) == (None, {})
