"""Make certificates of no-guess games: openings in order, each with clues that prove its cell safe.

`verify` checks certificates of games and puzzles. The reader of a certificate need not trust the
code that made the certificate: `checker.py` and `puzzle_checker.py` check the proofs with
independent code."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from csp_mines.analysis.clue_sets import Cores
from csp_mines.analysis.grades import Grade, as_grade, grade_board
from csp_mines.board import HIDDEN, Board, Cell
from csp_mines.constraints import Frontier
from csp_mines.errors import BadCertificate, BoardError
from csp_mines.generation.checker import FORMAT, Checked, check
from csp_mines.generation.deduction import Deduced, solve_by_deduction
from csp_mines.generation.puzzle_checker import PUZZLE_FORMAT, check_puzzle
from csp_mines.layout import Layout, as_layout


@dataclass(frozen=True)
class CertifiedCell:
    """One opening: a cell, and the clues that prove the cell safe. No clue can be left out. `total`
    says whether the proof also needs the total. `grade` is the grade of the round that opens the
    cell (see `csp_mines.generation.deduction`).

    >>> layout = csp_mines.Layout([[False, False, True, False]])
    >>> [move] = csp_mines.certify(layout, (0, 0)).moves
    >>> move.cell, move.clues, move.total
    ((0, 3), ((0, 1),), True)
    """

    cell: Cell
    clues: tuple[Cell, ...]
    total: bool
    grade: Grade

    def to_json(self) -> dict[str, Any]:
        """Return the document `{"open": [r, c], "clues": [[r, c], …], "total": …, "grade": …}`."""
        return {
            "open": list(self.cell),
            "clues": [list(cell) for cell in self.clues],
            "total": self.total,
            "grade": self.grade,
        }


@dataclass(frozen=True)
class Certificate:
    """A game that is won without a guess from the cell `first`. `moves` are the openings after the
    first one, each with its proof. `grade` is the hardest grade of a move, or None without moves.

    >>> layout = csp_mines.Layout([[False, False, True, False]])
    >>> certificate = csp_mines.certify(layout, (0, 0))
    >>> certificate.grade, len(certificate.moves)
    (<Grade.TOTAL: 'total'>, 1)
    """

    layout: Layout
    first: Cell
    grade: Grade | None
    moves: tuple[CertifiedCell, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the certificate as a JSON document, which `checker.check` accepts."""
        return {
            "format": FORMAT,
            **self.layout.to_json(),
            "first": list(self.first),
            "grade": self.grade,
            "moves": [move.to_json() for move in self.moves],
        }


def certify(
    layout: Layout | npt.ArrayLike, first: Cell, *, hardest: Grade | str = Grade.TOTAL
) -> Certificate:
    """Return the certificate of the no-guess game on a layout.

    Parameters:
        layout: a layout, or a grid of truth values.
        first: the cell that the game begins with.
        hardest: the hardest grade that a deduction may have.

    Raises BoardError for an invalid layout, if `first` is a mine or not on the board, and if
    deduction gets stuck. Raises UnknownName for an unknown grade, TooWide if a position is too wide
    to count, Unsupported if the search for a proof with the total is too wide, and
    BackendUnavailable if no installed package offers an engine that finds minimal sets of clues.

    >>> layout = csp_mines.Layout([[False, False, True, False]])
    >>> [move.cell for move in csp_mines.certify(layout, (0, 0)).moves]
    [(0, 3)]
    """
    layout = as_layout(layout)
    most = as_grade(hardest, "hardest")
    deduced = solve_by_deduction(layout, first, hardest=most)
    if not deduced.won:
        label = layout.geometry.label(deduced.first)
        limit = "" if most is Grade.TOTAL else f" if no deduction may be harder than {most}"
        raise BoardError(f"this layout cannot be won from {label} without a guess{limit}")
    return Certificate(layout, deduced.first, deduced.grade, tuple(proved_openings(deduced)))


def verify(certificate: Any, where: str) -> Checked:
    """Check the certificate of a game or a puzzle, given as its JSON value. `where` says where the
    certificate was found, and is copied into the result. If the certificate is wrong, the result
    has the error; BadCertificate is not raised.

    The module `checker` or `puzzle_checker` checks the proofs with independent code. These modules
    cannot tell how hard a proof is to find. So this function also grades the layout or the puzzle
    again, and compares the grade of the game or the grades of all steps of the puzzle. Raises
    TooWide if a position is too wide to grade."""
    puzzle = isinstance(certificate, dict) and certificate.get("format") == PUZZLE_FORMAT
    try:
        steps = check_puzzle(certificate) if puzzle else check(certificate)
        (_regrade_puzzle if puzzle else _regrade)(certificate)
    except BadCertificate as error:
        return Checked(where, error=error)
    return Checked(where, steps)


def _regrade(certificate: dict[str, Any]) -> None:
    grid = certificate.get("grid")
    header = [] if grid is None else [f"grid: {grid}"]
    layout = Layout.parse("\n".join([*header, *certificate["layout"]]), "layout")
    deduced = solve_by_deduction(layout, tuple(certificate["first"]))
    if deduced.grade != certificate["grade"]:
        said = f"the certificate says grade {certificate['grade']!r}"
        raise BadCertificate(f"{said}, but its layout has grade {deduced.grade}")


def _regrade_puzzle(certificate: dict[str, Any]) -> None:
    mines = certificate["mines"] if certificate["told_total"] else None
    board = Board(certificate["codes"], mines=mines, geometry=certificate.get("grid", "square"))
    grades = grade_board(Frontier.of(board)).grades
    for number, step in enumerate(certificate["steps"], 1):
        grade = grades[tuple(step["cell"])]
        if grade != step["grade"]:
            said = f"the certificate says grade {step['grade']!r}"
            raise BadCertificate(f"{said}, but the cell has grade {grade}", number)


def proved_openings(deduced: Deduced) -> Iterator[CertifiedCell]:
    """Yield the openings of a game after its first opening, in order. Each opening is proved from
    the board just before it. Cells that a flood opened are left out."""
    for round_, game in deduced.replayed():
        for cell in round_.cells:
            if game.shown(cell) == HIDDEN:
                yield _proof(Frontier.of(game.board), cell, round_.grade)
                game.open(cell)


def _proof(frontier: Frontier, cell: Cell, grade: Grade) -> CertifiedCell:
    core = Cores(frontier).proof(frontier.number(cell), mine=False)
    assert core is not None  # an engine proved the cell
    return CertifiedCell(cell, frontier.clues(core.statements), core.total, grade)
