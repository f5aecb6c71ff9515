"""`grade_puzzle`: whether a puzzle has one solution, which clues are needless, and how hard the
puzzle is. The grade depends only on the board, so puzzles from any source can be graded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from csp_mines.analysis.analyze import Analysis, analyze
from csp_mines.analysis.grades import Grade, grade_board
from csp_mines.board import HIDDEN, Board, Cell, as_board, known_mines
from csp_mines.constraints import Frontier
from csp_mines.errors import InputError
from csp_mines.explanation.explain import explain
from csp_mines.generation.puzzles import require_moderate
from csp_mines.geometry import cells_at
from csp_mines.layout import Layout, layout_on
from csp_mines.words import plural


@dataclass(frozen=True)
class PuzzleGrade:
    """The grade of a puzzle, and what explains this grade.

    * `solutions` is the number of layouts that fit the puzzle. A good puzzle has 1.
    * `layouts` has the only solution, or two of several solutions.
    * `needless` has the needless clues. If one of these clues is hidden, the puzzle still has
      one solution. If two of these clues are hidden, the puzzle may have several solutions.
    * `cells` has the number of hidden cells of each grade. `grade` is the hardest of these grades.

    If the puzzle has several solutions, `needless` and `cells` are empty, and `grade` is None.

    >>> graded = csp_mines.grade_puzzle(csp_mines.Board.parse("?1?\\n???\\n0?1"))
    >>> graded.unique, graded.minimal, f"{graded.grade}"
    (True, True, 'single')
    """

    board: Board
    solutions: int
    layouts: tuple[Layout, ...]
    needless: tuple[Cell, ...]
    grade: Grade | None
    cells: dict[Grade, int]

    @property
    def unique(self) -> bool:
        """Whether exactly one layout fits the puzzle."""
        return self.solutions == 1

    @property
    def minimal(self) -> bool:
        """Whether the puzzle has exactly one solution, and every clue is needed."""
        return self.unique and not self.needless

    def to_json(self) -> dict[str, Any]:
        """Return the object that `grade --puzzle --json` prints, without its field `board`."""
        return {
            "unique": self.unique,
            "solutions": self.solutions,
            "minimal": self.minimal,
            "needless": [list(cell) for cell in self.needless],
            "grade": self.grade,
            "cells": dict(self.cells),
            "layouts": [layout.to_json() for layout in self.layouts],
        }


def grade_puzzle(board: Board | npt.ArrayLike) -> PuzzleGrade:
    """Grade a board of clues and hidden cells as a puzzle.

    Parameters:
        board: the puzzle, or an array of its codes. If the board gives the number of mines, the
            proofs may use this number.

    Raises BoardError for an invalid board; InputError for a board without clues, without hidden
    cells or with more than 2,500 cells; Contradiction if no layout fits; TooWide if the board is
    too wide to count; BackendUnavailable if the puzzle has several solutions and no engine can show
    two of them.

    >>> csp_mines.grade_puzzle(csp_mines.Board.parse("?1?\\n???\\n0?1")).unique
    True
    """
    board = as_board(board)
    require_moderate(board.size)
    clues = cells_at(board.codes >= 0)
    if not clues or not board.hidden:
        raise InputError(
            f"a puzzle needs clues and hidden cells; this board has {plural(len(clues), 'clue')} "
            f"and {plural(len(board.hidden), 'hidden cell')}"
        )
    analysis = analyze(board)
    if analysis.solutions > 1:
        return PuzzleGrade(board, analysis.solutions, _two_layouts(analysis), (), None, {})
    graded = grade_board(Frontier.of(board))
    solution = (_layout(board, analysis.mines),)
    needless = tuple(
        clue for clue in clues if analyze(board.replace({clue: HIDDEN})).solutions == 1
    )
    return PuzzleGrade(board, 1, solution, needless, graded.hardest, dict(graded.counts))


def _two_layouts(analysis: Analysis) -> tuple[Layout, ...]:
    """Return two different layouts that fit the board of an analysis."""
    board = analysis.board
    undecided = min(board.hidden - analysis.safe - analysis.mines)
    witnesses = explain(analysis, undecided).witnesses
    if witnesses is None:
        return ()
    return _layout(board, witnesses.with_mine), _layout(board, witnesses.without)


def _layout(board: Board, mines: frozenset[Cell]) -> Layout:
    grid = known_mines(board.codes).copy()
    for cell in mines:
        grid[cell] = True
    return layout_on(board, grid)
