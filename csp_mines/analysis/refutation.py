"""What machines are told of a board that no layout fits."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from csp_mines.analysis.conflict import doubtful_marks
from csp_mines.analysis.contract import Status, board_header
from csp_mines.board import Board
from csp_mines.errors import Contradiction

__all__ = ["Refutation"]


@dataclass(frozen=True)
class Refutation:
    """That no layout fits a board: what machines are told of a contradiction. `backend` noticed it,
    where one alone was asked."""

    board: Board
    error: Contradiction
    backend: str | None = None

    def to_json(self, *, since: float | None = None, name: str | None = None) -> dict[str, Any]:
        """As every command gives it: `conflict` is null where it was not to be had, and `marks` are
        those that it rests on. `seconds` are those from `since` (a `time.perf_counter`) until the
        conflict was found; `name` is put first, as `board`."""
        conflict = self.error.conflict
        marks = [] if conflict is None else doubtful_marks(self.board, conflict)
        return {
            **({} if name is None else {"board": name}),
            **board_header(self.board, self.backend),
            "status": Status.CONTRADICTION,
            "conflict": None if conflict is None else conflict.to_json(),
            "marks": [list(cell) for cell in marks],
            "seconds": None if since is None else time.perf_counter() - since,
        }
