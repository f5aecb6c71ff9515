"""The file in which `assist` keeps its session: the boards of the game, one line each.

Each entry appends a line and syncs the file, so that a killed session can be continued. A last line
that was written only in part is ignored. Only one process at a time uses the file."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from csp_mines.errors import BoardError

if TYPE_CHECKING:
    from csp_mines.board import Board

__all__ = ["SessionFile", "state_folder"]


def state_folder() -> Path:
    """Return the folder for program state: $XDG_STATE_HOME, or ~/.local/state."""
    base = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(base) / "csp-mines"


class SessionFile:
    """The session's file, locked for this process. It is not `available` if another process uses it
    or if it cannot be written; `problem` says which."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problem = ""
        self.spoilt = 0
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            # A line that is not UTF-8 is not a board either, and `boards` skips it.
            self._file = path.open("a+", encoding="utf-8", errors="replace")
            _lock(self._file.fileno())
        except BlockingIOError:
            self.problem = "another assist is running; this session is not kept"
        except OSError as error:
            self.problem = (
                f"{path}: {(error.strerror or str(error)).lower()}; this session is not kept"
            )

    @property
    def available(self) -> bool:
        return not self.problem

    def boards(self) -> list[Board]:
        """Return the boards of the unfinished session, oldest first; empty if the last session
        ended. Unreadable lines are skipped and counted in `spoilt`."""
        from csp_mines.board import Board

        if not self.available:
            return []
        self._file.seek(0)
        lines = self._file.read().split("\n")[:-1]
        boards = []
        for line in lines:
            with suppress(BoardError):
                boards.append(Board.parse(line, "line"))
        self.spoilt = len(lines) - len(boards)
        return boards

    def rewrite(self, boards: tuple[Board, ...]) -> None:
        """Replace the boards in the file."""
        if self.available:
            self._file.seek(0)
            self._file.truncate()
            for board in boards:
                self._file.write(board.to_line() + "\n")
            self._sync()

    def append(self, board: Board) -> None:
        if self.available:
            self._file.write(board.to_line() + "\n")
            self._sync()

    def end(self) -> None:
        """Empty the file, so that the next session begins a new game."""
        self.rewrite(())

    def _sync(self) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())


def _lock(number: int) -> None:
    """Lock the file for this process. Raises BlockingIOError if another process has locked it."""
    try:
        import fcntl
    except ImportError:  # not POSIX: no locks, so two sessions may share the file
        return
    fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
