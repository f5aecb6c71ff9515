"""Positions to practise on: the next step has a given grade."""

from __future__ import annotations

from csp_mines.board import Board
from csp_mines.generation.deduction import solve_by_deduction
from csp_mines.generation.noguess import generate
from csp_mines.generation.wishes import Wish, read_difficulty
from csp_mines.layout import Seed, Spec
from csp_mines.names import Grade


def graded_board(spec: Spec, grade: Grade, seed: Seed = 0) -> Board:
    """Return a position in which the easiest proof of a safe cell has this grade. The position is
    from a no-guess game whose hardest step has this grade, after all easier deductions were made.
    Raises NotFound if no such game is found, and InputError for a wrong seed."""
    first = (spec.rows // 2, spec.cols // 2)
    wish = Wish(spec, first, "zero", read_difficulty(grade))
    layout = next(generate(wish, 1, seed, workers=1)).layout
    if grade.rank == 0:
        return solve_by_deduction(layout, first).game().board
    return solve_by_deduction(layout, first, hardest=list(Grade)[grade.rank - 1]).end
