"""A journal: results written as they come, in a file that a kill at any moment cannot spoil.

The file is JSON lines. The first line is a header that says what is being written, so that nobody
goes on with something else; each further line is one entry. Every line ends with a checksum of
itself and all lines before it (`"crc"`), so that a line that was changed, lost, repeated, moved or
taken from elsewhere is found; only lines missing at the end are not, and those are written again.

A journal has one writer: the file is locked while it is open, and whoever comes second is refused.
Entries are appended whole; a last line torn by a kill is dropped when the journal is opened again.
`finish` replaces the file in one step by the entries in their final order, so that an interrupted
and resumed journal ends with the same bytes as an undisturbed one.

A journal may be far larger than the memory: entries are read and written one by one, and the place
of an entry, the number of bytes before its line, stands for it until the end.
"""

from __future__ import annotations

import json
import os
import re
import stat
import sys
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Self

from csp_mines.errors import JournalError, JournalExists

if sys.platform != "win32":  # where two writers are not kept apart
    from fcntl import LOCK_EX, LOCK_NB, LOCK_SH, flock

__all__ = ["Journal", "JournalError", "JournalExists"]

Entry = Mapping[str, Any]

START_SECONDS = 0.5  # a file that is empty for longer belongs to no run
SYNC_SECONDS = 5.0  # a power cut loses no more than this; a kill loses nothing
LONGEST_LINE = 1 << 20  # far beyond any entry: a bound on what a file that is no journal can cost

_APPEND = os.O_RDWR | os.O_APPEND | getattr(os, "O_BINARY", 0)
_CREATE = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_CHECKSUM = b',"crc":"'
_CHECKED = re.compile(rb'(\{.+)%b([0-9a-f]{8})"\}\n' % _CHECKSUM, re.DOTALL)


class Journal:
    """The journal at `path`."""

    def __init__(
        self,
        path: Path,
        header: Entry,
        read: Callable[[Entry, int], object],
        *,
        resume: bool = False,
    ) -> None:
        """Starts a journal, or goes on with one when `resume` and there is one. `read` is then
        given each entry and its place, and raises ValueError for one that cannot be.

        Raises JournalExists when the file exists and `resume` is off, JournalError when another
        writer has it, when it has another header or a spoilt line, or cannot be opened."""
        self.path = path
        self._read = read
        self._header, self._sum = _line(header, 0)
        self._header_sum = self._sum
        self._end = len(self._header)
        self._synced = time.monotonic()
        self._dirty = False
        try:
            # A link to a journal stays one: what is replaced in the end is what it leads to.
            self._place = Path(os.path.realpath(path))
            there = _exists(path)
            if there and not path.is_file():  # to open a pipe would be to wait
                raise JournalError(f"{path} is no regular file")
            self._file = self._reopened() if resume and there else self._created()
        except FileExistsError:
            _require_no_writer(path)
            raise JournalExists(path) from None
        except (OSError, ValueError) as error:  # ValueError: a name with a NUL
            raise _cannot("open", path, error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def add(self, entries: Iterable[Entry]) -> list[int]:
        """Appends entries; they survive whatever happens to this process, and all but those of the
        last seconds whatever happens to the machine. Returns their places. Raises JournalError."""
        checksum, end = self._sum, self._end
        lines, places = [], []
        for entry in entries:
            line, checksum = _line(entry, checksum)
            lines.append(line)
            places.append(end)
            end += len(line)
        try:
            self._file.write(b"".join(lines))
            self._file.flush()
            self._dirty = True
            if time.monotonic() - self._synced >= SYNC_SECONDS:
                self._sync()
        except OSError as error:
            with suppress(OSError):  # closing tries to write the same again
                self._file.close()
            raise _cannot("write", self.path, error) from error
        self._sum, self._end = checksum, end
        return places

    def finish(self, places: Iterable[int]) -> None:
        """Replaces the file by one that has the entries of these places, in this order, and closes
        it. Raises JournalError."""
        try:
            part = os.fdopen(os.open(self._part, _CREATE, 0o666), "wb")
        except FileExistsError:
            raise _in_the_way(self._part) from None
        except OSError as error:
            raise _cannot("write", self._part, error) from error
        try:
            with part:
                _lock(part, self._part)
                self._write_all(part, places)
                os.replace(self._part, self._place)
        except BaseException as error:
            with suppress(OSError):
                self._part.unlink()
            if isinstance(error, OSError):
                raise _cannot("write", self.path, error) from error
            raise
        _sync_folder(self._place)
        self._file.close()

    def close(self) -> None:
        """Lets the file go, as it is. Raises JournalError."""
        if self._file.closed:
            return
        try:
            if self._dirty:
                self._sync()
            self._file.close()
        except OSError as error:
            raise _cannot("write", self.path, error) from error

    @property
    def _part(self) -> Path:
        """What `finish` writes before it takes the journal's place."""
        return self._place.with_name(self._place.name + ".part")

    def _write_all(self, file: BinaryIO, places: Iterable[int]) -> None:
        file.write(self._header)
        checksum = self._header_sum
        with _reader(self._file) as lines:
            for place in places:
                lines.seek(place)
                text = lines.readline().rpartition(_CHECKSUM)[0]
                line, checksum = _with_checksum(text, checksum)
                file.write(line)
        file.flush()
        os.fsync(file.fileno())

    def _sync(self) -> None:
        os.fsync(self._file.fileno())
        self._synced = time.monotonic()
        self._dirty = False

    def _created(self) -> BinaryIO:
        file = os.fdopen(os.open(self._place, _CREATE | os.O_APPEND, 0o666), "wb")
        with _closed_on_failure(file):
            _lock(file, self.path)
            try:
                self._clear_part()  # not before the file is ours: another run may be writing it
            except BaseException:
                self._place.unlink()
                raise
            self._begin(file)
        return file

    def _begin(self, file: BinaryIO) -> None:
        file.write(self._header)
        file.flush()
        os.fsync(file.fileno())
        _sync_folder(self._place)

    def _reopened(self) -> BinaryIO:
        file = self._locked()
        with _closed_on_failure(file):
            self._clear_part()
            whole = self._load(_reader(file))
            os.ftruncate(file.fileno(), whole)
            if whole:
                self._end = whole
            else:  # killed within the header
                self._begin(file)
        return file

    def _locked(self) -> BinaryIO:
        """The file that is there, locked. Between opening and locking it may be finished by
        another run, which puts another file into its place."""
        while True:
            file = os.fdopen(os.open(self.path, _APPEND), "ab")
            try:
                _lock(file, self.path)
                if os.path.samestat(os.fstat(file.fileno()), os.stat(self.path)):
                    return file
            except BaseException:
                file.close()
                raise
            file.close()

    def _clear_part(self) -> None:
        """Takes away what a kill within `finish` left behind, and nothing else."""
        try:
            with os.fdopen(os.open(self._part, os.O_RDONLY | _NO_FOLLOW), "rb") as file:
                ours = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
                ours = ours and self._header.startswith(file.read(len(self._header)))
                _lock(file, self._part)
        except FileNotFoundError:
            return
        except OSError:  # a link, or not ours to read
            ours = False
        if not ours:
            raise _in_the_way(self._part)
        self._part.unlink()

    def _load(self, file: BinaryIO) -> int:
        """Reads the entries; the length of what is whole. Raises JournalError."""
        with file:
            whole = self._load_header(file.readline(LONGEST_LINE))
            number = 1
            while whole and (line := file.readline(LONGEST_LINE)).endswith(b"\n"):
                number += 1
                self._take(number, whole, line)
                whole += len(line)
            if whole and len(line) == LONGEST_LINE:
                raise self._spoilt(number + 1, f"not a line of a journal: {line[:60]!r}…")
        return whole

    def _load_header(self, line: bytes) -> int:
        if line == self._header:
            return len(line)
        if not line.endswith(b"\n") and self._header.startswith(line):
            return 0
        theirs, ours = _parsed(line), json.loads(self._header)
        if theirs is None or theirs.get("kind") != ours["kind"]:
            raise JournalError(f"{self.path} holds something else; give another file")
        if "crc" not in theirs:
            raise JournalError(
                f"{self.path} was written by an earlier version, without checksums, so that "
                "nothing vouches for what it holds; give another file"
            )
        key = next((key for key in ours if theirs.get(key) != ours[key]), "crc")
        if _sum_of(line, 0) is None or key == "crc":
            raise self._spoilt(1, f"the checksum is not that of the line: {line[:60]!r}…")
        raise JournalError(
            f"{self.path} belongs to another run: {key} is {json.dumps(theirs.get(key))} there, "
            f"{json.dumps(ours[key])} here"
        )

    def _take(self, number: int, place: int, line: bytes) -> None:
        checksum = _sum_of(line, self._sum)
        if checksum is None:
            if _parsed(line) is None:
                raise self._spoilt(number, f"not a line of a journal: {line[:60]!r}")
            raise self._spoilt(
                number, f"changed, or out of place: the checksum is another: {line[:60]!r}…"
            )
        entry = _parsed(line)
        if entry is None or entry.pop("crc") is None:
            raise self._spoilt(number, f"not a line of a journal: {line[:60]!r}")
        try:
            self._read(entry, place)
        except ValueError as error:
            raise self._spoilt(number, str(error)) from None
        self._sum = checksum

    def _spoilt(self, number: int, problem: str) -> JournalError:
        return JournalError(f"{self.path}:{number}: {problem}{_advice(number)}")


_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


def _line(entry: Entry, before: int) -> tuple[bytes, int]:
    """An entry as its line, and the checksum of all lines up to it, after those that have the
    checksum `before`. The checksum is a CRC-32 of every byte but its own digits."""
    return _with_checksum(_encode(entry)[:-1].encode(), before)


def _with_checksum(text: bytes, before: int) -> tuple[bytes, int]:
    """The line that begins with `text`: all of an entry but its last brace."""
    line = b'%b%b%08x"}\n' % (text, _CHECKSUM, zlib.crc32(text, before))
    return line, zlib.crc32(line, before)


def _sum_of(line: bytes, before: int) -> int | None:
    """The checksum of all lines up to this one, None when the line does not say the right one."""
    match = _CHECKED.fullmatch(line)
    if match is None or int(match[2], 16) != zlib.crc32(match[1], before):
        return None
    return zlib.crc32(line, before)


def _parsed(line: bytes) -> dict[str, Any] | None:
    """None for a line that is no object, or that says a key twice."""
    try:
        value = _decode(line.decode())
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a key twice")
    return made


_decode = json.JSONDecoder(object_pairs_hook=_once).decode


def _reader(file: BinaryIO) -> BinaryIO:
    """The same file from its beginning, whatever has become of its name."""
    os.lseek(file.fileno(), 0, os.SEEK_SET)
    return os.fdopen(os.dup(file.fileno()), "rb")


@contextmanager
def _closed_on_failure(file: BinaryIO) -> Iterator[None]:
    try:
        yield
    except BaseException:
        with suppress(OSError):  # closing tries to write the same again
            file.close()
        raise


def _exists(path: Path) -> bool:
    """Whether there is a file. Raises OSError where nobody can tell, as for a link to itself."""
    try:
        path.stat()
    except FileNotFoundError:
        return False
    return True


def _lock(file: BinaryIO, path: Path, *, shared: bool = False) -> None:
    if sys.platform == "win32":
        return
    try:
        flock(file.fileno(), (LOCK_SH if shared else LOCK_EX) | LOCK_NB)
    except BlockingIOError:
        raise JournalError(f"{path} is being written by another run") from None


def _require_no_writer(path: Path) -> None:
    """Raises JournalError when another run is writing the file, or is about to: a run makes the
    file, locks it and then writes to it."""
    begin = time.monotonic()
    with suppress(OSError), path.open("rb") as file:  # one that cannot be read is just there
        while _is_empty(file) and time.monotonic() - begin < START_SECONDS:
            time.sleep(0.01)  # without a lock, which would keep the other run from its file
        _lock(file, path, shared=True)


def _is_empty(file: BinaryIO) -> bool:
    return os.fstat(file.fileno()).st_size == 0


def _sync_folder(path: Path) -> None:
    """Makes sure that a name survives a power cut, where folders can be synchronised."""
    with suppress(OSError):
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _advice(number: int) -> str:
    return f"; to go on, keep the lines before it (head -n {number - 1})" if number > 1 else ""


def _in_the_way(path: Path) -> JournalError:
    return JournalError(f"{path} is in the way, and not ours to replace: move it away")


def _cannot(what: str, path: Path, error: OSError | ValueError) -> JournalError:
    return JournalError(f"cannot {what} {path}: {getattr(error, 'strerror', None) or error}")
