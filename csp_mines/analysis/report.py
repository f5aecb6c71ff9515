"""Analyses as plain data: what `solve --json` prints, and the sentences around a rendered board."""

from __future__ import annotations

import sys
from fractions import Fraction
from typing import Any

import numpy as np

from csp_mines.analysis.analyze import Analysis
from csp_mines.analysis.conflict import contradiction_json
from csp_mines.board import HIDDEN, Board, Cell
from csp_mines.errors import Conflict

__all__ = [
    "analysis_report",
    "contradiction_report",
    "digits",
    "fractions",
    "headline",
    "spelled",
]


def headline(name: str, found: Analysis) -> str:
    """`corner.txt: 4×4, 3 mines, exact clues, progress`."""
    board = found.board
    prior = "mines unknown"
    if board.mines is not None:
        prior = f"{board.mines} mine{'s' * (board.mines != 1)}"
    elif board.density is not None:
        prior = f"density {float(board.density):g}"
    return f"{name}: {board.rows}×{board.cols}, {prior}, {board.clues.name} clues: {found.status}"


def analysis_report(
    found: Analysis, seconds: float, *, counting: bool = True, exact: bool = False
) -> dict[str, Any]:
    """The analysis as `solve --json` gives it; without counting, what needs it is null."""
    move = found.move if counting else None
    report = {
        **_header(found.board, found.backend),
        "complete": found.complete,
        "status": str(found.status),
        "safe": _cells(found.safe),
        "certain_mines": _cells(found.mines),
        "probabilities": _table(found.probabilities) if counting else None,
        "solutions": digits(found.solutions) if counting else None,
        "log_solutions": found.log_solutions if counting else None,
        "move": move and {"cell": list(move.cell), "risk": move.risk, "reason": move.reason},
        "seconds": seconds,
    }
    if exact and counting:
        report["fractions"] = [
            [
                spelled(found.probability((row, col))) if code == HIDDEN else None
                for col, code in enumerate(codes)
            ]
            for row, codes in enumerate(found.board.codes.tolist())
        ]
    return report


def contradiction_report(
    board: Board, backend: str, conflict: Conflict | None, seconds: float
) -> dict[str, Any]:
    """What `solve --json` gives when no layout fits."""
    return {
        **_header(board, backend),
        **contradiction_json(board, conflict),
        "seconds": seconds,
    }


def digits(number: int) -> str:
    """All decimal digits, however many; Python by itself refuses more than 4,300."""
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        return str(number)
    finally:
        sys.set_int_max_str_digits(limit)


def spelled(fraction: Fraction) -> str:
    """`3/4`, or a whole number."""
    whole = fraction.denominator == 1
    return digits(fraction.numerator) + ("" if whole else f"/{digits(fraction.denominator)}")


def fractions(found: Analysis) -> dict[Fraction, list[Cell]]:
    """The hidden cells by their exact probability, lowest first."""
    groups: dict[Fraction, list[Cell]] = {}
    for cell in found.board.cells(HIDDEN):
        groups.setdefault(found.probability(cell), []).append(cell)
    return dict(sorted(groups.items()))


def _header(board: Board, backend: str) -> dict[str, Any]:
    return {
        "rows": board.rows,
        "cols": board.cols,
        "mines": board.mines,
        "density": None if board.density is None else float(board.density),
        "clues": board.clues.name,
        "backend": backend,
    }


def _cells(cells: frozenset[Cell]) -> list[list[int]]:
    return [list(cell) for cell in sorted(cells)]


def _table(probabilities: np.ndarray) -> list[list[float | None]]:
    table = probabilities.astype(object)
    table[np.isnan(probabilities)] = None
    rows: list[list[float | None]] = table.tolist()
    return rows
