"""A journal: results written as they come, in a file that a kill at any moment cannot spoil.

The file is JSON lines. The first line is a header that says what is being written, so that nobody
goes on with something else; each further line is one entry. Entries are appended whole; a last
line torn by a kill is dropped when the journal is opened again. `finish` replaces the file in one
step by the entries in their final order, so that an interrupted and resumed journal ends with the
same bytes as an undisturbed one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from csp_mines.errors import CspMinesError

__all__ = ["Journal", "JournalError"]

Entry = dict[str, Any]


class JournalError(CspMinesError):
    """A journal that cannot be opened, read or written, or that belongs to something else."""


class Journal:
    """The journal at `path`. `entries` is what it held when it was opened."""

    def __init__(self, path: Path, header: Mapping[str, Any], *, resume: bool = False) -> None:
        """Starts a journal, or goes on with one when `resume` and there is one.

        Raises JournalError when the file exists and `resume` is off, or has another header, or
        cannot be opened."""
        self.path = path
        self.entries: list[Entry] = []
        self._header = _line(header)
        try:
            self._file = self._reopened() if resume and path.exists() else self._created()
        except FileExistsError:
            raise JournalError(f"{path} exists; go on with it by --resume") from None
        except OSError as error:
            raise _cannot("open", path, error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def add(self, entries: Iterable[Entry]) -> None:
        """Appends entries; they survive whatever happens to this process. Raises JournalError."""
        try:
            self._file.write(b"".join(map(_line, entries)))
            self._file.flush()
        except OSError as error:
            with suppress(OSError):  # closing tries to write the same again
                self._file.close()
            raise _cannot("write", self.path, error) from error

    def finish(self, entries: Iterable[Entry]) -> None:
        """Replaces the file by one that has these entries. Raises JournalError."""
        fresh = self.path.with_name(self.path.name + ".part")
        try:
            with fresh.open("wb") as file:
                file.writelines([self._header, *map(_line, entries)])
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(self.path)
            self._file.close()
        except OSError as error:
            raise _cannot("write", self.path, error) from error

    def _created(self) -> BinaryIO:
        file = self.path.open("xb")
        file.write(self._header)
        file.flush()
        return file

    def _reopened(self) -> BinaryIO:
        content = self.path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        if not whole and self._header.startswith(content):  # killed within the header
            self.path.write_bytes(self._header)
            return self.path.open("ab")
        lines = whole.splitlines(keepends=True)
        self._compare(lines[0] if lines else content)
        self.entries = [self._entry(number, line) for number, line in enumerate(lines[1:], start=2)]
        os.truncate(self.path, len(whole))
        return self.path.open("ab")

    def _compare(self, line: bytes) -> None:
        theirs, ours = _parsed(line), json.loads(self._header)
        if theirs == ours:
            return
        if theirs is None or theirs.keys() != ours.keys():
            raise JournalError(f"{self.path} holds something else; give another file")
        key = next(key for key in ours if theirs[key] != ours[key])
        raise JournalError(
            f"{self.path} belongs to another run: {key} is {json.dumps(theirs[key])} there, "
            f"{json.dumps(ours[key])} here"
        )

    def _entry(self, number: int, line: bytes) -> Entry:
        entry = _parsed(line)
        if entry is None:
            raise JournalError(f"{self.path}:{number}: not a line of a journal: {line[:60]!r}")
        return entry


def _line(entry: Mapping[str, Any]) -> bytes:
    return json.dumps(entry, separators=(",", ":")).encode() + b"\n"


def _parsed(line: bytes) -> Entry | None:
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _cannot(what: str, path: Path, error: OSError) -> JournalError:
    return JournalError(f"cannot {what} {path}: {error.strerror or error}")
