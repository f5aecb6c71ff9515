"""Paper puzzles: one layout, every clue needed."""

from __future__ import annotations

import numpy as np
import pytest

from csp_mines.analysis.grades import Grade, deduce_at, grade_board
from csp_mines.backend import load
from csp_mines.board import HIDDEN, Board
from csp_mines.constraints import Frontier
from csp_mines.errors import InputError, NotFound
from csp_mines.generation.puzzles import Puzzle, puzzles
from csp_mines.generation.wishes import GradeBounds, read_difficulty
from csp_mines.layout import Spec
from tests.oracle import truth


def without(puzzle: Puzzle, cell: tuple[int, int]) -> Board:
    codes = np.array(puzzle.board.codes)
    codes[cell] = HIDDEN
    return Board(codes)


def unique_by_pysat(board: Board) -> bool:
    frontier = Frontier.of(board)
    found = load("pysat").deduce(frontier.problem)
    return len(found.safe) + len(found.mines) == len(board.hidden)


def clue_cells(puzzle: Puzzle) -> list[tuple[int, int]]:
    return [cell for cell in puzzle.board.cells() if puzzle.board[cell] != HIDDEN]


def test_one_layout_and_no_clue_too_many_by_brute_force() -> None:
    for puzzle in puzzles(Spec(3, 4, 3), 2, seed=1):
        assert puzzle.board.mines is None
        (only,) = truth(puzzle.board).layouts
        assert only == {(r, c) for r, c in np.argwhere(puzzle.layout.mines).tolist()}
        for cell in clue_cells(puzzle):
            assert len(truth(without(puzzle, cell)).layouts) > 1


def test_the_same_by_another_engine() -> None:
    (puzzle,) = puzzles(Spec(7, 7, 11), 1, seed=2)
    assert unique_by_pysat(puzzle.board)
    assert not any(unique_by_pysat(without(puzzle, cell)) for cell in clue_cells(puzzle))


@pytest.mark.parametrize("grade", ["single", "pair", "gauss"])
def test_the_grade_is_as_wished(grade: str) -> None:
    for puzzle in puzzles(Spec(5, 5, 6), 2, seed=4, difficulty=read_difficulty(grade), extra=1):
        assert puzzle.grade == grade
        assert grade_board(Frontier.of(puzzle.board)).hardest == grade
        proved = deduce_at(Grade(grade), Frontier.of(puzzle.board).problem).cells
        assert len(proved) == len(puzzle.board.hidden)
        needless = [cell for cell in clue_cells(puzzle) if unique_by_pysat(without(puzzle, cell))]
        assert puzzle.extra == 1
        assert needless


@pytest.mark.parametrize("grade", ["single", "pair"])
def test_easy_ones_have_no_clue_too_many(grade: str) -> None:
    """Hiding clues as long as an easy engine does without leaves some that nobody needs: on boards
    of this size nearly always."""
    (puzzle,) = puzzles(Spec(8, 8, 12), 1, seed=7, difficulty=read_difficulty(grade))
    assert (puzzle.grade, puzzle.extra) == (grade, 0)
    assert grade_board(Frontier.of(puzzle.board)).hardest == grade
    assert unique_by_pysat(puzzle.board)
    assert not any(unique_by_pysat(without(puzzle, cell)) for cell in clue_cells(puzzle))


def test_extra_clues() -> None:
    (plain,) = puzzles(Spec(6, 6, 7), 1, seed=5)
    (more,) = puzzles(Spec(6, 6, 7), 1, seed=5, extra=3)
    assert more.clues == plain.clues + 3
    assert more.to_json()["extra"] == 3


def test_large_ones() -> None:
    (puzzle,) = puzzles(Spec(12, 12, 28), 1, seed=6)
    assert puzzle.layout.shape == (12, 12)
    assert unique_by_pysat(puzzle.board)


@pytest.mark.parametrize(
    ("spec", "wanted", "extra", "problem"),
    [
        (Spec(4, 4, 0), None, 0, "needs at least 1 mine and 1 safe cell, not 0 mines in 16 cells"),
        (Spec(4, 4, 16), None, 0, "not 16 mines in 16"),
        (Spec(60, 60, 700), None, 0, "at most 2,500 cells"),
        (Spec(4, 4, 4), GradeBounds(Grade.TOTAL), 0, "cannot have grade 'total'"),
        (Spec(4, 4, 4), None, -1, "extra must be a whole number from 0 to 16, not -1"),
    ],
)
def test_nonsense_is_refused(
    spec: Spec, wanted: GradeBounds | None, extra: int, problem: str
) -> None:
    with pytest.raises(InputError, match=problem):
        puzzles(spec, 1, difficulty=wanted, extra=extra)


def test_effort_in_vain_is_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("csp_mines.generation.puzzles.EFFORT", 0)
    wanted = read_difficulty("search")
    with pytest.raises(NotFound, match="none of 20 layouts of 2×2 with 1 mine "):
        list(puzzles(Spec(2, 2, 1), 1, difficulty=wanted))


@pytest.mark.once
def test_a_single_extra_clue_is_counted_as_one() -> None:
    told = "none of 5,000 layouts of 2×2 with 1 mine makes a puzzle with grade .* and 1 extra clue$"
    with pytest.raises(NotFound, match=told):
        list(puzzles(Spec(2, 2, 1), 1, extra=1))
