"""Make certificates of puzzles: every step names the clues that prove one cell.

`puzzle_checker` checks certificates with independent code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy.typing as npt

from csp_mines.analysis.clue_sets import Cores
from csp_mines.analysis.grades import Grade, grade_board
from csp_mines.board import CLEAR, MARKED, Board, Cell
from csp_mines.constraints import Frontier
from csp_mines.errors import BoardError
from csp_mines.generation.puzzle_checker import PUZZLE_FORMAT
from csp_mines.generation.puzzle_grades import PuzzleGrade, grade_puzzle
from csp_mines.layout import Layout

MOST_COMPARED = 12  # at most this many proofs are compared if no clue alone proves a cell


@dataclass(frozen=True)
class PuzzleStep:
    """One step: a hidden `cell`, and the `clues` that prove this cell safe or a mine, given the
    cells of all earlier steps. Every clue is needed. `mine` says whether the cell is a mine.
    `total` says whether the proof also needs the number of mines. `grade` is the grade of the cell
    in the puzzle before the first step.

    >>> puzzle = csp_mines.Board.parse("?1?\\n???\\n0?1")
    >>> step = csp_mines.certify_puzzle(puzzle).steps[0]
    >>> step.cell, step.mine, step.clues
    ((1, 0), False, ((2, 0),))
    """

    cell: Cell
    mine: bool
    clues: tuple[Cell, ...]
    total: bool
    grade: Grade

    def to_json(self) -> dict[str, Any]:
        """Return the document `{"cell": [r, c], "mine": …, "clues": [[r, c], …], "total": …,
        "grade": …}`."""
        clues = [list(cell) for cell in self.clues]
        return asdict(self) | {"cell": list(self.cell), "clues": clues}


@dataclass(frozen=True)
class PuzzleCertificate:
    """A puzzle (`board`), its only solution (`layout`), and a proof of every hidden cell (`steps`).
    `grade` is the hardest grade of a cell.

    >>> puzzle = csp_mines.Board.parse("?1?\\n???\\n0?1")
    >>> certificate = csp_mines.certify_puzzle(puzzle)
    >>> f"{certificate.grade}", len(certificate.steps)
    ('single', 6)
    """

    board: Board
    layout: Layout
    grade: Grade | None
    steps: tuple[PuzzleStep, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the certificate as a JSON document, which `puzzle_checker.check_puzzle`
        accepts."""
        return {
            "format": PUZZLE_FORMAT,
            **self.layout.to_json(),
            "told_total": self.board.mines is not None,
            "codes": self.board.codes.tolist(),
            "grade": self.grade,
            "steps": [step.to_json() for step in self.steps],
        }


def certify_puzzle(puzzle: Board | npt.ArrayLike | PuzzleGrade) -> PuzzleCertificate:
    """Return the certificate of a puzzle with one solution.

    Parameters:
        puzzle: the puzzle, an array of its codes, or the result of `grade_puzzle`.

    Raises BoardError if the puzzle has several solutions, or optimistic or cautious clues;
    Unsupported if a proof needs the total while too many hidden cells are beside clues;
    BackendUnavailable if no engine can find smallest sets of clues; and what `grade_puzzle` raises.

    >>> puzzle = csp_mines.Board.parse("?1?\\n???\\n0?1")
    >>> [step.cell for step in csp_mines.certify_puzzle(puzzle).steps][:2]
    [(1, 0), (1, 1)]
    """
    graded = puzzle if isinstance(puzzle, PuzzleGrade) else grade_puzzle(puzzle)
    board = graded.board
    if not graded.unique:
        raise BoardError(
            f"the puzzle has {graded.solutions:,} solutions; a certificate needs exactly one"
        )
    if not board.clues.truthful:
        raise BoardError(
            f"a certificate needs exact or silent clues, but this puzzle has {board.clues.name} "
            "clues"
        )
    (layout,) = graded.layouts
    grades = grade_board(Frontier.of(board)).grades
    return PuzzleCertificate(board, layout, graded.grade, tuple(_steps(board, layout, grades)))


def _steps(board: Board, layout: Layout, grades: Mapping[Cell, Grade]) -> Iterator[PuzzleStep]:
    """Yield a step for every hidden cell. As long as single clues prove cells, these cells are
    next. Otherwise the next step proves one cell, which `_easiest` chooses."""
    left = set(grades)
    while left:
        frontier = Frontier.of(board)
        proved = _by_single_clues(frontier) or [_easiest(frontier, layout, grades, left)]
        for cell, clues, total in proved:
            yield PuzzleStep(cell, bool(layout.mines[cell]), clues, total, grades[cell])
        cells = [cell for cell, _, _ in proved]
        left -= set(cells)
        board = board.replace({cell: MARKED if layout.mines[cell] else CLEAR for cell in cells})


# The cell, the clues of its proof, and whether the proof needs the total.
_Proof = tuple[Cell, tuple[Cell, ...], bool]


def _by_single_clues(frontier: Frontier) -> list[_Proof]:
    """Return a proof of every cell that one clue alone proves."""
    found: dict[Cell, _Proof] = {}
    for statement in frontier.statements:
        constraint = statement.constraint
        if constraint.high <= 0 or constraint.low >= len(constraint.cells):
            for cell in map(frontier.cell, constraint.cells):
                found.setdefault(cell, (cell, (statement.cell,), False))
    return list(found.values())


def _easiest(
    frontier: Frontier, layout: Layout, grades: Mapping[Cell, Grade], left: set[Cell]
) -> _Proof:
    """Choose a cell of the easiest grade that occurs in `left`, and return its proof. The first
    `MOST_COMPARED` cells of this grade are compared. The function chooses the cell whose proof
    needs the fewest clues; the total counts as one more clue."""
    easiest = min(grades[cell].rank for cell in left)
    cells = sorted(cell for cell in left if grades[cell].rank == easiest)[:MOST_COMPARED]
    cores = Cores(frontier)
    proofs = []
    for cell in cells:
        core = cores.proof(frontier.number(cell), mine=bool(layout.mines[cell]))
        assert core is not None  # every cell has a proof, because the puzzle has one solution
        proofs.append((len(core), cell, frontier.clues(core.statements), core.total))
    _, cell, clues, total = min(proofs)
    return cell, clues, total
