"""The file in which reviews of many games are kept: a SQLite database with one row for each review.

A review is written as soon as it is ready, so a run that is stopped loses no finished review. The
key of a review comes from the path and the contents of the game file and from the settings.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from csp_mines.simulation import run_database as database

_TABLE = "CREATE TABLE reviews (key TEXT PRIMARY KEY, document BLOB NOT NULL) WITHOUT ROWID"
REVIEWS = database.Kind("a file of reviews", 0x43534D56, (_TABLE,))  # "CSMV"


class Store:
    """Reviews by their keys. Without a path, nothing is kept. Use a store in a `with` statement.
    During this statement, other processes cannot use the file.

    Raises RunFileError if the file cannot be used or is not a file of reviews."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._stack = ExitStack()
        self._connection: sqlite3.Connection | None = None

    def __enter__(self) -> Self:
        if self._path is None:
            return self
        database.require_place(self._path)
        fresh = not database.exists(self._path) or self._path.stat().st_size == 0
        with database.opened(self._path, "rwc", REVIEWS) as connection:
            self._stack.callback(connection.close)
            if not fresh:
                database.require_ours(self._path, connection, REVIEWS)
            database.lock(self._path, connection)
            if fresh:
                database.make_tables(connection, REVIEWS)
            connection.execute("COMMIT")
        self._connection = connection
        return self

    def __exit__(self, *failure: object) -> None:
        self._stack.close()

    def find(self, key: str) -> dict[str, Any] | None:
        """Return the review with this key, or None if the store has none."""
        if self._connection is None or self._path is None:
            return None
        with database.explained(self._path, "read", REVIEWS):
            query = "SELECT document FROM reviews WHERE key = ?"
            row = self._connection.execute(query, (key,)).fetchone()
        if row is None:
            return None
        try:
            document: dict[str, Any] = json.loads(zlib.decompress(row[0]))
        except (zlib.error, ValueError, TypeError) as error:
            raise database.damaged(self._path, f"a review cannot be read ({error})") from None
        return document

    def add(self, documents: Iterable[tuple[str, dict[str, Any]]]) -> None:
        """Keep reviews. Each of the `documents` is a key and the review with this key."""
        if self._connection is None or self._path is None:
            return
        rows = [(key, zlib.compress(json.dumps(document).encode())) for key, document in documents]
        with database.explained(self._path, "write", REVIEWS):
            self._connection.execute("BEGIN")
            self._connection.executemany("INSERT OR REPLACE INTO reviews VALUES (?, ?)", rows)
            self._connection.execute("COMMIT")
