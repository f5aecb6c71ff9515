"""How hard a deduction is: the weakest engine that finds it.

Grades from easy to hard: `single` (each clue alone), `pair` (one subtraction of two clues),
`subtraction` (as many as it takes), `gauss` (row reduction), `search` (whatever follows from the
clues), `total` (only with the number of mines). A board is as hard as its hardest deduction; a game
as hard as what it demands when the easiest deduction is always taken first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any

from csp_mines.analysis import Analysis, analyze
from csp_mines.backend import Deduction, load
from csp_mines.board import Cell
from csp_mines.constraints import Frontier, Problem

if TYPE_CHECKING:
    from csp_mines.game import Game

__all__ = ["Difficulty", "GameDifficulty", "Grade", "grade_board", "grade_game"]


class Grade(StrEnum):
    """The weakest engine that suffices, easiest first."""

    SINGLE = "single"
    PAIR = "pair"
    SUBTRACTION = "subtraction"
    GAUSS = "gauss"
    SEARCH = "search"
    TOTAL = "total"

    @property
    def rank(self) -> int:
        """0 for the easiest."""
        return list(Grade).index(self)


ENGINES = {
    Grade.SINGLE: "single",
    Grade.PAIR: "subtraction:1",
    Grade.SUBTRACTION: "subtraction",
    Grade.GAUSS: "gauss",
    Grade.SEARCH: "native",
    Grade.TOTAL: "native",
}


@dataclass(frozen=True)
class Difficulty:
    """The grade of every proved cell of a board."""

    grades: Mapping[Cell, Grade]

    @cached_property
    def counts(self) -> dict[Grade, int]:
        """How many cells have each grade that occurs, easiest first."""
        found = Counter(self.grades.values())
        return {grade: found[grade] for grade in Grade if found[grade]}

    @property
    def hardest(self) -> Grade | None:
        """The grade of the board; None when nothing is proved."""
        return _hardest(self.grades.values())

    def to_json(self) -> dict[str, Any]:
        """`{"hardest": …, "cells": {grade: number, …}}`."""
        return {"hardest": self.hardest, "cells": dict(self.counts)}


def grade_board(found: Analysis | Frontier) -> Difficulty:
    """Grades every cell that a complete engine proves. Raises Contradiction, TooWide."""
    frontier = found.frontier if isinstance(found, Analysis) else found
    problem = frontier.problem
    left = _proved(found)
    grades: dict[int, Grade] = {}
    for grade in Grade:
        if not left:
            break
        new = left if grade is Grade.TOTAL else _cells(_deduce(grade, problem)) & left
        grades.update(dict.fromkeys(new, grade))
        left -= new
    return Difficulty({frontier.cell(cell): grades[cell] for cell in sorted(grades)})


def _proved(found: Analysis | Frontier) -> frozenset[int]:
    if isinstance(found, Analysis) and found.complete:
        return frozenset(map(found.frontier.number, found.safe | found.mines))
    frontier = found.frontier if isinstance(found, Analysis) else found
    return _cells(_deduce(Grade.TOTAL, frontier.problem))


def _deduce(grade: Grade, problem: Problem) -> Deduction:
    asked = problem if grade is Grade.TOTAL else problem.without_total()
    return load(ENGINES[grade]).deduce(asked)


def _cells(found: Deduction) -> frozenset[int]:
    return found.safe | found.mines


def _hardest(grades: Iterable[Grade]) -> Grade | None:
    return max(grades, key=lambda grade: grade.rank, default=None)


@dataclass(frozen=True)
class GameDifficulty:
    """What a game demanded: how many rounds of deduction of each grade, how many guesses."""

    rounds: Mapping[Grade, int]
    guesses: int
    won: bool

    @property
    def hardest(self) -> Grade | None:
        """The hardest deduction that could not be avoided."""
        return _hardest(self.rounds)

    def to_json(self) -> dict[str, Any]:
        """`{"hardest": …, "rounds": {grade: number, …}, "guesses": …, "won": …}`."""
        return {
            "hardest": self.hardest,
            "rounds": dict(self.rounds),
            "guesses": self.guesses,
            "won": self.won,
        }


def grade_game(game: Game) -> GameDifficulty:
    """Plays a classic game from its start: every round opens what the weakest engine proves safe
    that proves anything safe, or else the cell of lowest risk. Raises TooWide."""
    rounds: Counter[Grade] = Counter()
    guesses = 0
    game.start()
    while not game.over:
        frontier = Frontier.of(game.board)
        grade, safe = _easiest(frontier)
        if grade is not None:
            rounds[grade] += 1
        else:
            move = analyze(game.board).move
            assert move is not None  # a game that is not over has a safe cell
            safe = frozenset([move.cell])
            guesses += 1
        for cell in sorted(safe):
            if not game.over:
                game.open(cell)
    ordered = {grade: rounds[grade] for grade in Grade if rounds[grade]}
    return GameDifficulty(ordered, guesses, game.won)


def _easiest(frontier: Frontier) -> tuple[Grade | None, frozenset[Cell]]:
    for grade in Grade:
        if grade is Grade.TOTAL and frontier.problem.mines is None:
            continue
        safe = _deduce(grade, frontier.problem).safe
        if safe:
            return grade, frontier.cells(safe)
    return None, frozenset()
