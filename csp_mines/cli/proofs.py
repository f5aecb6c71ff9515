"""The file that `--certificate` names: one certificate in each line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def proof_file(path: Path | None) -> Iterator[Callable[[Callable[[], Any]], None]]:
    """Open the file and yield a function. The function calls its argument to make a certificate,
    and writes that certificate as one line. The first line replaces the old contents of the file.
    If `path` is None, the function does nothing."""
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
