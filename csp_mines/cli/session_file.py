"""The file in which `assist` keeps its session: the boards of the game, as a SQLite database.

Each entry is one transaction, so that a killed session can be continued. Only one process at a time
uses the file; SQLite locks it on every system."""

from __future__ import annotations

import os
import sqlite3
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Self

import typer

from csp_mines.errors import BoardError, FileError

if TYPE_CHECKING:
    from csp_mines.board import Board

_TABLE = "CREATE TABLE IF NOT EXISTS boards (number INTEGER PRIMARY KEY, line TEXT NOT NULL)"
_READ = ("SELECT line FROM boards ORDER BY number",)
_ADD = "INSERT INTO boards (line) VALUES (?)"


def state_folder() -> Path:
    """Return the folder where the program keeps its state. It is in $XDG_STATE_HOME if that is
    set. Otherwise, it is the usual folder for the data of a program on Windows and macOS, and is in
    ~/.local/state on other systems."""
    base = os.environ.get("XDG_STATE_HOME")
    if not base and sys.platform in ("win32", "darwin"):
        return Path(typer.get_app_dir("csp-mines"))
    return Path(base or Path.home() / ".local" / "state") / "csp-mines"


class SessionFile:
    """The file of the session, locked for this process until the `with` block ends. If another
    process uses the file, or if the file is damaged or cannot be written, nothing is kept, and
    `problem` says why. `unreadable` is the number of boards that `boards` could not read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problem = ""
        self.unreadable = 0
        self._connection: sqlite3.Connection | None = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path, timeout=0)
            # The lock stays after each transaction, until the connection is closed.
            self._connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._connection.execute("BEGIN EXCLUSIVE")
            self._connection.execute(_TABLE)
            self._connection.commit()
        except (OSError, sqlite3.Error) as error:
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY:
                self.problem = "another assist is running; this session is not kept"
            else:
                self.problem = f"{path}: {_reason(error)}; this session is not kept"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        if self._connection is not None:
            self._connection.close()

    def boards(self) -> list[Board]:
        """Return the boards of the unfinished session, oldest first. The list is empty if the last
        session has ended, or if there is a `problem`. Boards that cannot be read are left out and
        counted in `unreadable`. Raises FileError if the database cannot be read."""
        from csp_mines.board import Board

        boards = []
        for (line,) in self._do(_READ):
            try:
                boards.append(Board.parse(line, "line"))
            except BoardError:
                self.unreadable += 1
        return boards

    def rewrite(self, boards: tuple[Board, ...]) -> None:
        """Replace all boards in the file by the given boards."""
        self._do(("DELETE FROM boards",), *((_ADD, board.to_line()) for board in boards))

    def append(self, board: Board) -> None:
        """Add a board to the file."""
        self._do((_ADD, board.to_line()))

    def end(self) -> None:
        """Empty the file, so that the next session begins a new game."""
        self.rewrite(())

    def _do(self, *commands: tuple[str, ...]) -> list[tuple[str]]:
        """Run SQL commands, each with its values, as one transaction. Return the rows of the last
        command. If there is a `problem`, do nothing and return no rows. Raises FileError if a
        command fails."""
        rows: list[tuple[str]] = []
        if self._connection is None or self.problem:
            return rows
        try:
            with self._connection:
                for command, *values in commands:
                    rows = self._connection.execute(command, values).fetchall()
        except sqlite3.Error as error:
            lost = "" if commands == (_READ,) else "; this change is not kept"
            raise FileError(f"{self.path}: {_reason(error)}{lost}") from None
        return rows


def _reason(error: OSError | sqlite3.Error) -> str:
    """Return the reason why the file cannot be used, as text."""
    if getattr(error, "sqlite_errorcode", None) in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        return "the file is damaged; delete it"
    return (getattr(error, "strerror", None) or str(error)).lower()
