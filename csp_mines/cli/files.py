"""How commands write text files: as a whole, as `csp_mines.files` does. Only a file of certificates
grows line by line. `keep_input` refuses an output file that would overwrite an input."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from csp_mines.errors import InputError
from csp_mines.files import write_whole as write_whole
from csp_mines.files import written_whole


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


def write_csv(path: Path, names: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write a CSV file, a line of column names and then the rows, as `written_whole` does. Raises
    FileError if the file cannot be written."""
    from csv import DictWriter

    with written_whole(path) as file:
        writer = DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


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
