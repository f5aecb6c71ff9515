"""The file in which `assist` keeps its session: the boards of the game, one line each.

It is appended to and synced with every entry, so that a killed session goes on where it was; a last
line that was torn is left out. One process at a time has it."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from csp_mines.board import Board

__all__ = ["SessionFile", "state_folder"]


def state_folder() -> Path:
    """Where programs keep their state: $XDG_STATE_HOME, or ~/.local/state."""
    base = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(base) / "csp-mines"


class SessionFile:
    """Open for this process alone, or not `available`: taken by another, or not writable."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problem = ""
        self.spoilt = 0
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            # What is no UTF-8 is no board either, and `boards` leaves it out.
            self._file = path.open("a+", encoding="utf-8", errors="replace")
            _lock(self._file.fileno())
        except BlockingIOError:
            self.problem = "another assist is running; this one is not kept"
        except OSError as error:
            self.problem = f"{path}: {(error.strerror or str(error)).lower()}; this is not kept"

    @property
    def available(self) -> bool:
        return not self.problem

    def boards(self) -> list[Board]:
        """The boards of the session that was left, oldest first; none when it ended. Lines that
        are no boards are left out, and counted in `spoilt`."""
        from csp_mines.board import Board
        from csp_mines.errors import BoardError

        if not self.available:
            return []
        self._file.seek(0)
        lines = self._file.read().split("\n")[:-1]
        found = []
        for line in lines:
            with suppress(BoardError):
                found.append(Board.parse(line, "line"))
        self.spoilt = len(lines) - len(found)
        return found

    def rewrite(self, boards: tuple[Board, ...]) -> None:
        """These boards and no others."""
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
        """The session is over: nothing is left to go on with."""
        self.rewrite(())

    def _sync(self) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())


def _lock(number: int) -> None:
    """Raises BlockingIOError when another process has the file."""
    try:
        import fcntl
    except ImportError:  # no POSIX: sessions are not told apart
        return
    fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
