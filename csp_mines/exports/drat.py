"""DRAT proofs that a cell is safe or a mine. Any DRAT checker can check these proofs.

Each proof belongs to a file of clauses. The clauses state the constraints of the board and the
opposite of the verdict on the cell. The proof derives the empty clause from these clauses, so the
opposite is impossible.
"""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy.typing as npt

from csp_mines.analysis.analyze import analyze
from csp_mines.backend import Deadline
from csp_mines.board import Board, Cell, as_board
from csp_mines.clues import ClueModel
from csp_mines.errors import Disagreement, InputError, OutOfTime
from csp_mines.explanation.explain import Verdict
from csp_mines.exports.clauses import clause_engine
from csp_mines.exports.dimacs import DEFAULT_ENCODING, text_of
from csp_mines.exports.model import Assumption, model_of
from csp_mines.files import write_whole
from csp_mines.words import cell_name, plural, typed_cell


@dataclass(frozen=True, repr=False)
class DratProof:
    """A verdict on a cell, with a proof. `cnf` is the text of a DIMACS file with the constraints of
    the board and the opposite of the verdict. `drat` is the text of a proof that this file has no
    solution. `uses_total` says whether the file contains the total.

    >>> proof = csp_mines.drat_proof(csp_mines.Board.parse("1?"), (0, 1))
    >>> proof.verdict, proof.drat
    (<Verdict.MINE: 'mine'>, '0\\n')
    """

    cell: Cell
    verdict: Verdict
    uses_total: bool
    cnf: str
    drat: str

    def __repr__(self) -> str:
        """Return a text such as `<DratProof (0,2) safe: 12 lines>`."""
        lines = plural(self.drat.count("\n"), "line")
        return f"<DratProof {cell_name(self.cell)} {self.verdict}: {lines}>"

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the proof to `path`, and the clauses to the path that `clauses_beside` returns.
        Each file is written as a whole or not at all. Return the path of the clauses. Raises
        FileError if a file cannot be written, InputError if `path` ends with `.cnf` or has no file
        name."""
        clauses = clauses_beside(path)
        write_whole(clauses, self.cnf)
        write_whole(Path(path), self.drat)
        return clauses


def clauses_beside(path: str | PathLike[str]) -> Path:
    """Return the path for the clauses of the proof at `path`: the same path with the suffix `.cnf`
    instead of its own suffix. Raises InputError if `path` ends with `.cnf` or has no file name."""
    proof = Path(path)
    if not proof.name or proof.suffix == ".cnf":
        raise InputError(
            "give the proof a file name that does not end with .cnf, such as cell.drat, instead of "
            f"{str(path)!r}: the clauses get the same name with the suffix .cnf"
        )
    return proof.with_suffix(".cnf")


def drat_proof(
    board: Board | npt.ArrayLike,
    cell: Cell,
    *,
    mines: int | None = None,
    clues: str | ClueModel | None = None,
    use_total: bool = True,
    encoding: str = DEFAULT_ENCODING,
    seconds: float | None = None,
) -> DratProof:
    """Prove a hidden cell safe or a mine, in a form that other programs can check.

    Parameters:
        board: a board, or an array of integers. Marked mines are trusted.
        cell: the hidden cell, as `(row, col)`.
        mines: the total number of mines. By default the board's own number.
        clues: the clue model. By default the board's own.
        use_total: whether the total may be used. It is used only if the clues do not suffice.
        encoding: how sums are written as clauses, as in `export`.
        seconds: the time limit for the analysis, as in `analyze`, and for each search for a proof.
            There are up to two searches: without the total and, if needed, with the total.

    Raises what `analyze` and `export` raise, InputError if the cell is undecided, BoardError if
    `cell` is not a hidden cell of the board, OutOfTime at the time limit, and Disagreement if the
    clauses do not prove what the analysis proves.

    >>> csp_mines.drat_proof(csp_mines.Board.parse("1?"), (0, 1))
    <DratProof (0,1) mine: 1 line>
    """
    board = as_board(board).told(mines=mines, clues=clues)
    cell = board.require_hidden(cell)
    analysis = analyze(board, use_total=use_total, seconds=seconds)
    if cell not in analysis.safe | analysis.mines:
        if not analysis.complete and seconds is not None:
            raise OutOfTime(seconds)
        raise InputError(
            f"cell {typed_cell(cell)} is undecided: it is a mine in some layouts that fit and safe "
            "in others, so there is nothing to prove"
        )
    verdict = Verdict.MINE if cell in analysis.mines else Verdict.SAFE
    for with_total in (False, True)[: 1 + (use_total and board.mines is not None)]:
        told = board if with_total else board.without_total()
        texts = _refuted(told, cell, verdict, encoding, seconds)
        if texts is not None:
            return DratProof(cell, verdict, with_total, *texts)
    proved = "a mine" if verdict is Verdict.MINE else "safe"
    raise Disagreement(
        f"{analysis.backend} proves that cell {typed_cell(cell)} is {proved}, but the clauses of "
        "the board do not prove this"
    )


def _refuted(
    board: Board, cell: Cell, verdict: Verdict, encoding: str, seconds: float | None
) -> tuple[str, str] | None:
    """Return two texts: the clauses of the board with the opposite of the verdict, and the proof
    that these clauses have no solution. Return None if the clauses have a solution."""
    opposite = Assumption.SAFE if verdict is Verdict.MINE else Assumption.MINE
    model = model_of(board, assume={cell: opposite})
    encoded = clause_engine().encode(model, encoding)
    lines = clause_engine().refute(encoded, Deadline(seconds))
    if lines is None:
        return None
    return text_of(model, encoded, encoding), "\n".join(lines) + "\n"
