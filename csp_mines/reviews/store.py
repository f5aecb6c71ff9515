"""The file in which reviews of many games are kept: a SQLite database with one row for each review.

`review_many` writes the reviews of each batch when a worker has finished the batch. A run that is
stopped therefore loses only the reviews of unfinished batches. `Settings.key` makes the keys.
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
    """Reviews in a file, each with a key. If the path is None, `find` returns None, and `add` does
    nothing. Use a store in a `with` statement: the statement opens the file or makes a new file.
    Until the statement ends, other processes cannot use the file.

    Raises RunFileError if the file cannot be used, is damaged or is not a file of reviews."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._stack = ExitStack()
        self._connection: sqlite3.Connection | None = None

    def __enter__(self) -> Self:
        if self._path is None:
            return self
        with database.written(self._path, REVIEWS) as (connection, _):
            self._stack.callback(connection.close)
        self._connection = connection
        return self

    def __exit__(self, *failure: object) -> None:
        self._stack.close()

    def find(self, key: str) -> dict[str, Any] | None:
        """Return the review with this key, or None if the store has no such review."""
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
        """Write reviews to the file. `documents` are pairs of a key and a review. A review in the
        file with the same key is replaced."""
        if self._connection is None or self._path is None:
            return
        rows = [(key, zlib.compress(json.dumps(document).encode())) for key, document in documents]
        with database.explained(self._path, "write", REVIEWS):
            self._connection.execute("BEGIN")
            self._connection.executemany("INSERT OR REPLACE INTO reviews VALUES (?, ?)", rows)
            self._connection.execute("COMMIT")
