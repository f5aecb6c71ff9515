"""Analyses as plain data: what `solve --json` prints, and the sentences around a rendered board."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from csp_mines.analysis.conflict import contradiction_json
from csp_mines.analysis.contract import Analysis, board_header
from csp_mines.board import HIDDEN, Board, Cell
from csp_mines.errors import Conflict

__all__ = [
    "contradiction_report",
    "fractions",
    "headline",
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


def contradiction_report(
    board: Board, backend: str, conflict: Conflict | None, seconds: float
) -> dict[str, Any]:
    """What `solve --json` gives when no layout fits."""
    return {
        **board_header(board, backend),
        **contradiction_json(board, conflict),
        "seconds": seconds,
    }


def fractions(found: Analysis) -> dict[Fraction, list[Cell]]:
    """The hidden cells by their exact probability, lowest first."""
    groups: dict[Fraction, list[Cell]] = {}
    for cell in found.board.cells(HIDDEN):
        groups.setdefault(found.probability(cell), []).append(cell)
    return dict(sorted(groups.items()))
