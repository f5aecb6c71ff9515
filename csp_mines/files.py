"""Files that are written as a whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Literal

from csp_mines.errors import CspMinesError, FileError


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a text or bytes to a file, as `written_whole` does. Raises FileError if the file cannot
    be written."""
    with written_whole(path, "w" if isinstance(content, str) else "wb") as file:
        file.write(content)


@contextmanager
def written_whole(path: Path, mode: Literal["w", "wb"] = "w") -> Iterator[IO[Any]]:
    """Yield a new file to write, in UTF-8 or, with the mode `wb`, in bytes. When the `with` block
    ends, the new file replaces the file at `path`. If the block raises an error, the new file is
    deleted and the old file stays as it is.

    If `path` is a link, the file at the end of the link is replaced. A device or a pipe is written
    directly. Raises FileError if the file cannot be written."""
    encoding = "utf-8" if mode == "w" else None
    try:
        place = Path(os.path.realpath(path))
        if place.name and place.exists() and not place.is_file():
            with path.open(mode, encoding=encoding) as file:
                yield file
            return
        new, number = _unused_name(place)
        try:
            with os.fdopen(number, mode, encoding=encoding) as file:
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
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)  # for Windows
    for attempt in range(1000):
        new = place.with_name(f".{place.name[:200]}.{os.getpid()}.{attempt}.part")
        with suppress(FileExistsError):
            return new, os.open(new, flags, 0o666)
    raise FileExistsError(
        "the folder has too many temporary files; delete those whose names end in .part"
    )
