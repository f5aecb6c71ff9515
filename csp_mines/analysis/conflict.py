"""The conflict of a board that no layout fits: a minimal set of clues that cannot hold together."""

from __future__ import annotations

from typing import Any

from csp_mines.analysis.clue_sets import Cores
from csp_mines.board import MARKED, Board, Cell
from csp_mines.constraints import Frontier
from csp_mines.errors import BoardError, Conflict

__all__ = ["all_mines", "contradiction_json", "doubtful_marks", "find_conflict"]


def find_conflict(frontier: Frontier) -> Conflict:
    """A minimal conflict, and a smallest where that is affordable; the total is part of it only
    when the clues alone can hold. Raises BoardError when there is none."""
    core = Cores(frontier).conflict()
    if core is None:
        raise BoardError("the board does not contradict itself")
    clues = ((cell, frontier.board[cell]) for cell in frontier.clues(core.statements))
    return Conflict(tuple(clues), all_mines(frontier) if core.total else None)


def doubtful_marks(board: Board, conflict: Conflict) -> list[Cell]:
    """The marked mines that a conflict rests on, sorted: those beside its clues, or all of them
    when it needs the total."""
    beside = {cell for clue, _ in conflict.clues for cell in board.neighbours(clue)}
    return [cell for cell in board.cells(MARKED) if cell in beside or conflict.mines is not None]


def contradiction_json(board: Board, conflict: Conflict | None) -> dict[str, Any]:
    """`{"status": "contradiction", "conflict": …, "marks": …}`; null for a conflict that was not
    to be had."""
    return {
        "status": "contradiction",
        "conflict": None if conflict is None else conflict.to_json(),
        "marks": []
        if conflict is None
        else [list(cell) for cell in doubtful_marks(board, conflict)],
    }


def all_mines(frontier: Frontier) -> int | None:
    """The mines on the whole board, marked and opened ones included, or None when unknown."""
    unseen = frontier.problem.mines
    return None if unseen is None else unseen + frontier.board.known_mines
