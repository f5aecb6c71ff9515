"""Grades: the grade of a deduction is the weakest engine that finds it.

Grades from easy to hard: `single` (each clue alone), `pair` (one subtraction of two clues),
`subtraction` (any number of subtractions), `gauss` (row reduction), `search` (everything that
follows from the clues), `total` (everything that follows from the clues and the number of mines).
`search` and `total` have the same engine, which gets the number of mines only for `total`. The
grade of a board is the grade of its hardest deduction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy.typing as npt

from csp_mines.analysis.analyze import Analysis
from csp_mines.analysis.conflict import explained
from csp_mines.arguments import choice
from csp_mines.backend import Deduction, load
from csp_mines.board import Board, Cell
from csp_mines.constraints import Frontier, Problem
from csp_mines.names import Grade as Grade
from csp_mines.question import require_no_mines


def as_grade(grade: Grade | str, what: str = "grade") -> Grade:
    """Return the `Grade` whose name is `grade`. Error messages call the argument `what`. Raises
    UnknownName for an unknown name, InputError for a value that is not a string."""
    return choice(what, grade, Grade)


# The grades from `single` to `gauss`, whose engines apply rules and do not search.
BY_RULES = tuple(grade for grade in Grade if grade.bounded)


@dataclass(frozen=True)
class Difficulty:
    """The grade of every proved cell of a board.

    >>> difficulty = csp_mines.grade_board([[-1, 1, 0, 1, -1]])
    >>> difficulty.counts, difficulty.hardest
    ({<Grade.SINGLE: 'single'>: 2}, <Grade.SINGLE: 'single'>)
    """

    grades: Mapping[Cell, Grade]

    @cached_property
    def counts(self) -> dict[Grade, int]:
        """The number of cells of each grade, the easiest grade first. Grades without cells are left
        out."""
        counts = Counter(self.grades.values())
        return {grade: counts[grade] for grade in Grade if counts[grade]}

    @property
    def hardest(self) -> Grade | None:
        """The hardest of the grades, which is the grade of the board; None if no cell is proved."""
        return hardest(self.grades.values())

    def to_json(self) -> dict[str, Any]:
        """Return `{"hardest": grade or null, "cells": {grade: number of cells, …}}`."""
        return {"hardest": self.hardest, "cells": dict(self.counts)}


def grade_board(
    board: Board | npt.ArrayLike | Analysis | Frontier, mines: int | None = None
) -> Difficulty:
    """Return the grade of every cell that a complete engine proves safe or a mine.

    Parameters:
        board: a board, an array of integers, or the analysis or the frontier of a board.
        mines: the total number of mines. By default the board's own number.

    Raises BoardError for an invalid board, InputError if `mines` is given with an analysis or a
    frontier, Contradiction if no layout fits, TooWide or OutOfTime if an engine reaches a limit.

    >>> csp_mines.grade_board([[-1, 1, 0]])
    Difficulty(grades={(0, 0): <Grade.SINGLE: 'single'>})
    """
    frontier = as_frontier(board, mines)
    problem = frontier.problem
    if isinstance(board, Analysis) and board.complete:
        left = frozenset(map(frontier.number, board.safe | board.mines))
    else:
        with explained(frontier):
            left = deduce_at(Grade.TOTAL, problem).cells
    grades: dict[int, Grade] = {}
    for grade in Grade:
        if not left:
            break
        new = left if grade is Grade.TOTAL else deduce_at(grade, problem).cells & left
        grades.update(dict.fromkeys(new, grade))
        left -= new
    return Difficulty({frontier.cell(cell): grades[cell] for cell in sorted(grades)})


def as_frontier(
    board: Board | npt.ArrayLike | Analysis | Frontier, mines: int | None = None
) -> Frontier:
    """Return the frontier of a board, of an array or of an analysis. A frontier is returned
    unchanged. Raises BoardError for an invalid board, InputError if `mines` is given with an
    analysis or a frontier."""
    if not isinstance(board, (Analysis, Frontier)):
        return Frontier.of(board, mines=mines)
    if isinstance(board, Frontier):
        require_no_mines(mines, "a Frontier")
        return board
    require_no_mines(mines, "an Analysis")
    return board.frontier


def deduce_at(grade: Grade, problem: Problem) -> Deduction:
    """Return what the engine of `grade` deduces from `problem`. The engine gets the number of mines
    only if the grade is `total`. Raises what the method `deduce` of the engine raises."""
    return load(grade.engine).deduce(problem.told(grade is Grade.TOTAL))


def hardest(grades: Iterable[Grade]) -> Grade | None:
    """Return the hardest of the grades; None if there are none."""
    return max(grades, key=lambda grade: grade.rank, default=None)


def easiest(frontier: Frontier, most: Grade = Grade.TOTAL) -> tuple[Grade | None, frozenset[Cell]]:
    """Return the easiest grade whose engine proves a cell safe, and all cells that this engine
    proves safe. Grades harder than `most` are not tried. If no cell is proved safe, return None and
    no cells. Raises what `deduce_at` raises."""
    for grade in Grade:
        if grade.rank > most.rank or (grade is Grade.TOTAL and frontier.problem.mines is None):
            break
        with explained(frontier):
            safe = deduce_at(grade, frontier.problem).safe
        if safe:
            return grade, frontier.cells(safe)
    return None, frozenset()
