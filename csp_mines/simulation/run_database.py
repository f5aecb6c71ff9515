"""The SQLite databases of runs and of reviews: open, lock and check them, and explain their errors.
Errors of SQLite become RunFileError. The database of a run has these tables:

| table | one row for | columns |
|---|---|---|
| `runs` | the run | `run`, `plan` as JSON, `checksum` |
| `batches` | a batch of games | `batch`, `run`, `setup`, `agent`, `games`, `seconds`, `checksum` |
| `games` | a game of an agent | `run`, the fields of `Outcome`, `batch` |

A batch is some games of one agent on one setup; the column `games` has their number. The key of the
table `games` is `run`, `setup`, `game`, `agent`. The table of reviews is in `reviews/store.py`.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from csp_mines.errors import RunFileError
from csp_mines.simulation.outcomes import COLUMNS


class Kind(NamedTuple):
    """A kind of database. `words` is the name of the kind in messages. `application` is the number
    that the file has as SQLite's `application_id`. `tables` has the statements that create the
    tables."""

    words: str
    application: int
    tables: tuple[str, ...]


# Seconds to wait for a lock. Two runs that start at the same moment both lock the file while they
# read it; without waiting, both could give up.
LOCK_SECONDS = 0.2
DAMAGED_HEADER = "unsupported file format"  # SQLite has this message, but no error code for it
# The first bytes of a journal of SQLite, of one overwritten with zeros, and of an empty one.
JOURNAL_STARTS = (b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", bytes(8), b"")

_TYPES = {int: "INTEGER", bool: "INTEGER", float: "REAL", str: "TEXT"}
_TABLES = (
    "CREATE TABLE runs (run INTEGER PRIMARY KEY, plan TEXT NOT NULL, checksum INTEGER NOT NULL)",
    "CREATE TABLE batches (batch INTEGER PRIMARY KEY, run INTEGER NOT NULL, "
    "setup INTEGER NOT NULL, agent TEXT NOT NULL, games INTEGER NOT NULL, seconds REAL NOT NULL, "
    "checksum INTEGER NOT NULL)",
    "CREATE TABLE games (run INTEGER NOT NULL, "
    + "".join(f"{name} {_TYPES[kind]} NOT NULL, " for name, kind in COLUMNS.items())
    + "batch INTEGER NOT NULL, PRIMARY KEY (run, setup, game, agent)) WITHOUT ROWID",
)
RUN = Kind("the file of a run", 0x43534D52, _TABLES)  # "CSMR"


def require_place(path: Path) -> None:
    """Raise RunFileError if a database cannot be at `path`. The folder of `path` must exist. A file
    at `path` must be a regular file: at a pipe, SQLite would wait for ever. SQLite also writes a
    journal, a second file whose name ends in `-journal`. If a file of this name exists, it must be
    a journal and not a link, because SQLite would overwrite any other file."""
    if not path.name or "\0" in str(path):
        raise RunFileError(f"{str(path)!r} is not the name of a file; give another name")
    try:
        if not path.parent.is_dir():
            raise RunFileError(f"cannot open {path}: there is no folder {path.parent}")
        if exists(path) and not path.is_file():
            raise RunFileError(f"{path} is not a regular file; give another name")
        journal = Path(os.path.realpath(path) + "-journal")
        if journal.is_symlink() or (journal.exists() and not _is_journal(journal)):
            raise RunFileError(
                f"SQLite needs the name {journal} for itself; move or rename the file of this name"
            )
    except OSError as error:
        raise RunFileError(f"cannot open {path}: {error.strerror}") from error


def exists(path: Path) -> bool:
    """Return whether there is a file or a folder at the path. Raises OSError if the system cannot
    tell, for example for a link to itself."""
    try:
        path.stat()
    except FileNotFoundError:
        return False
    return True


def _is_journal(path: Path) -> bool:
    with suppress(OSError):
        if path.is_file():
            with path.open("rb") as file:
                return file.read(8) in JOURNAL_STARTS
    return False


@contextmanager
def opened(path: Path, mode: str, kind: Kind = RUN) -> Iterator[sqlite3.Connection]:
    """Connect to the database at `path`, in a `mode` of SQLite such as `rw`. If the body of the
    `with` statement raises an error, the connection is closed; otherwise it stays open. Errors of
    SQLite become RunFileError. Transactions begin only with an explicit BEGIN."""
    name = f"{path.absolute().as_uri()}?mode={mode}"
    with explained(path, "open", kind), ExitStack() as stack:
        connection = sqlite3.connect(name, timeout=LOCK_SECONDS, isolation_level=None, uri=True)
        stack.enter_context(closing(connection))
        yield connection
        stack.pop_all()


@contextmanager
def written(path: Path, kind: Kind = RUN) -> Iterator[tuple[sqlite3.Connection, bool]]:
    """Connect to the database at `path`, and lock it until the connection is closed. Make the
    database if the file is missing or empty. Yield the connection, and whether the database is new.
    The body of the `with` statement is one transaction. Otherwise, this is like `opened`.

    Raises RunFileError if the file is in use, or is not a database of this kind."""
    require_place(path)
    with opened(path, "rwc", kind) as connection, connection:
        _lock(path, connection)
        new = path.stat().st_size == 0
        if new:
            _make_tables(connection, kind)
        else:
            require_ours(path, connection, kind)
        yield connection, new


def _lock(path: Path, connection: sqlite3.Connection) -> None:
    """Begin a transaction, and lock the database until the connection is closed. If this fails,
    raises RunFileError if another process is reading the database; for any other reason, raises the
    error of SQLite."""
    try:
        connection.execute("BEGIN EXCLUSIVE")
        # This PRAGMA must come after BEGIN. Otherwise two runs that start together could both keep
        # their read locks, and then neither could write.
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    except sqlite3.OperationalError as error:
        if _code(error) == sqlite3.SQLITE_BUSY and _is_readable(connection):
            raise RunFileError(
                f"{path} is being read by another process; try again when that process has ended"
            ) from None
        raise


def _is_readable(connection: sqlite3.Connection) -> bool:
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        return False
    return True


def _make_tables(connection: sqlite3.Connection, kind: Kind) -> None:
    """Create the tables of `kind` in an empty database, and set its `application_id`."""
    connection.execute(f"PRAGMA application_id = {kind.application}")
    for table in kind.tables:
        connection.execute(table)


def require_ours(path: Path, connection: sqlite3.Connection, kind: Kind = RUN) -> None:
    """Raise RunFileError unless the file at `path` is a database of this kind, with the tables that
    this version of csp-mines makes."""
    if not path.stat().st_size:
        raise RunFileError(f"{path} is empty: no run has been written there")
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if application != kind.application:
        raise _foreign(path, _described(path, kind))
    schema = {sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master")}
    if schema != set(kind.tables):
        raise _foreign(path, f"{kind.words} of another version of csp-mines")


def _foreign(path: Path, what: str) -> RunFileError:
    return RunFileError(f"{path} is {what}; give another file")


@contextmanager
def explained(path: Path, action: str, kind: Kind = RUN) -> Iterator[None]:
    """Turn errors of SQLite in the body of the `with` statement into RunFileError. `action` says
    what the body does with the file, for example `read`."""
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:
        code = _code(error)
        if code == sqlite3.SQLITE_BUSY:
            raise RunFileError(f"{path} is being written by another run") from None
        if code == sqlite3.SQLITE_NOTADB:
            raise _foreign(path, _described(path, kind)) from None
        if code == sqlite3.SQLITE_CORRUPT or str(error) == DAMAGED_HEADER:
            raise damaged(path, f"SQLite says: {error}") from error
        raise RunFileError(f"cannot {action} {path}: {error}") from error


def _code(error: sqlite3.Error | UnicodeDecodeError) -> int:
    """Return the primary error code of SQLite. An error that Python itself raises, for example for
    a text that is not UTF-8, has no code; for this error, return the code of a damaged file."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF


def _described(path: Path, kind: Kind) -> str:
    """Describe a file that is not a database of this kind, as in `not the file of a run`. This
    function opens and closes the file, which releases every lock of this process on the file.
    Therefore the caller must raise an error afterwards, and must not use the database any more."""
    with suppress(OSError), path.open("rb") as file:
        if file.read(18).startswith(b'{"kind":"csp-mines'):
            return "a journal of JSON lines, which csp-mines wrote before it used SQLite"
    return f"not {kind.words}"


def damaged(path: Path, problem: str) -> RunFileError:
    """Return the error for a file that was changed or damaged after csp-mines wrote it. `problem`
    says what is wrong."""
    return RunFileError(
        f"{path} is damaged: {problem}; restore the file from a copy, or delete the file and "
        "repeat the command that wrote it"
    )
