"""The conflict of a board that no layout fits: a minimal set of clues that cannot hold together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from csp_mines.board import MARKED, Board, Cell
from csp_mines.cores import Cores
from csp_mines.errors import BoardError
from csp_mines.wording import cell_name, few, joined

if TYPE_CHECKING:
    from csp_mines.constraints import Frontier

__all__ = ["Conflict", "all_mines", "doubtful_marks", "find_conflict"]


@dataclass(frozen=True)
class Conflict:
    """Clues, each with what it shows, and the mines on the whole board where that number is part of
    it. All of it together cannot hold; take any one away and the rest can."""

    clues: tuple[tuple[Cell, int], ...]
    mines: int | None = None

    @property
    def text(self) -> str:
        """`(0,1)=1, (0,2)=3 and 10 mines in all cannot hold together`."""
        return f"{joined(self.parts)} cannot hold{' together' if len(self.parts) > 1 else ''}"

    @property
    def parts(self) -> list[str]:
        """`(0,1)=1`, `(0,2)=3`, `10 mines in all`; of very many clues only the first."""
        parts = few((f"{cell_name(cell)}={shown}" for cell, shown in self.clues), "more clues")
        if self.mines is not None:
            parts.append(f"{self.mines} mines in all" if self.mines != 1 else "1 mine in all")
        return parts

    def __str__(self) -> str:
        return self.text

    def to_json(self) -> list[dict[str, Any]]:
        """One object a clue, `{"cell": [r, c], "clue": k}`, and `{"mines": M}` where it is part."""
        clues: list[dict[str, Any]] = [
            {"cell": list(cell), "clue": shown} for cell, shown in self.clues
        ]
        return clues if self.mines is None else [*clues, {"mines": self.mines}]


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


def all_mines(frontier: Frontier) -> int | None:
    """The mines on the whole board, marked and opened ones included, or None when unknown."""
    unseen = frontier.problem.mines
    return None if unseen is None else unseen + frontier.board.known_mines
