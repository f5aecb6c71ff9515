"""The JSON document about a board that no layout fits. It takes the place of an analysis."""

from __future__ import annotations

import time
from typing import Any

from csp_mines.analysis.conflict import doubtful_marks
from csp_mines.analysis.contract import Status, board_header
from csp_mines.board import Board
from csp_mines.errors import Contradiction


def contradiction_json(
    board: Board,
    error: Contradiction,
    backend: str | None = None,
    *,
    since: float | None = None,
    name: str | None = None,
) -> dict[str, Any]:
    """Return the document that commands print with `--json` for a board that no layout fits.

    `error` says that no layout fits, and `backend` is the name of the engine that raised it, or
    None for a command that uses several engines. The field `conflict` is null if no conflict was
    found. The field `marks` has the marked cells that the conflict depends on. `since` is a moment
    of `time.perf_counter`. The field `seconds` is the time from `since` until the conflict was
    found, or null without `since`. If `name` is given, the document begins with the field `board`,
    which has this name."""
    conflict = error.conflict
    marks = [] if conflict is None else doubtful_marks(board, conflict)
    return {
        **board_header(board, backend, name),
        "status": Status.CONTRADICTION,
        "conflict": None if conflict is None else conflict.to_json(),
        "marks": [list(cell) for cell in marks],
        "seconds": None if since is None else time.perf_counter() - since,
    }
