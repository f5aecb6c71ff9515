"""How commands write text files: as a whole or not at all. Only a file of certificates grows line
by line. `keep_input` refuses an output file that would overwrite an input."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

from csp_mines.errors import CspMinesError, FileError, InputError


def keep_input(option: str, written: Path | None, read: str | Path | None) -> None:
    """Raise InputError if `written` and `read` are the same file, because the command would
    overwrite its input. Either may be None. `option` is the option that names `written`."""
    if written is not None and read is not None and same_file(written, read):
        raise InputError(
            f"{option} would overwrite {written}, which this command reads; name another file"
        )


def same_file(written: Path, read: str | Path) -> bool:
    """Whether `written` and `read` name the same file; links are followed. `-` as `read` names the
    file that standard input comes from."""
    try:
        source = os.fstat(sys.stdin.fileno()) if str(read) == "-" else os.stat(read)
        return os.path.samestat(source, os.stat(written))
    except (OSError, ValueError):  # no such file, or `read` is the text of a board
        return os.path.abspath(read) == os.path.abspath(written)


def write_whole(path: Path, text: str) -> None:
    """Write a text to a file, as `written_whole` does. Raises FileError if the file cannot be
    written."""
    with written_whole(path) as file:
        file.write(text)


def write_csv(path: Path, names: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write a CSV file, a line of column names and then the rows, as `written_whole` does. Raises
    FileError if the file cannot be written."""
    from csv import DictWriter

    with written_whole(path) as file:
        writer = DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


@contextmanager
def written_whole(path: Path) -> Iterator[TextIO]:
    """Yield a new file to write. When the `with` block ends, the new file replaces the file at
    `path`. If the block raises an error, the new file is deleted and the old file stays as it is.

    If `path` is a link, the file at the end of the link is replaced. A device or a pipe is written
    directly. Raises FileError if the file cannot be written."""
    try:
        place = Path(os.path.realpath(path))
        if place.name and place.exists() and not place.is_file():
            with path.open("w", encoding="utf-8") as file:
                yield file
            return
        new, number = _unused_name(place)
        try:
            with os.fdopen(number, "w", encoding="utf-8") as file:
                yield file
            if place.exists():
                new.chmod(place.stat().st_mode & 0o777)
            new.replace(place)
        except BaseException:
            with suppress(OSError):
                new.unlink()
            raise
    except CspMinesError:
        raise  # an error of the block; some of these errors are ValueErrors
    except (OSError, ValueError) as error:  # ValueError: the path is not a valid file name
        raise FileError.of(path, error) from None


def _unused_name(place: Path) -> tuple[Path, int]:
    """Create a file with an unused name beside `place`. Return its path and its descriptor."""
    for attempt in range(1000):
        new = place.with_name(f".{place.name[:200]}.{os.getpid()}.{attempt}.part")
        with suppress(FileExistsError):
            return new, os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    raise FileExistsError(
        "the folder has too many temporary files; delete those whose names end in .part"
    )


@contextmanager
def proof_file(path: Path | None) -> Iterator[Callable[[Callable[[], Any]], None]]:
    """Open a file for certificates, and yield a function `write`. A call `write(make)` adds one
    line to the file: the certificate that `make()` returns. The first line replaces the old
    contents of the file. If `path` is None, `write` does nothing and does not call `make`."""
    import json

    if path is None:
        yield lambda make: None
        return
    with path.open("a", encoding="utf-8") as proofs:
        is_new = True

        def write(make: Callable[[], Any]) -> None:
            nonlocal is_new
            line = json.dumps(make().to_json())
            if is_new:
                proofs.truncate(0)
                is_new = False
            proofs.write(line + "\n")
            proofs.flush()

        yield write
