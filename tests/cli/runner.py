"""Runs a command line in this process and catches what it writes."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from csp_mines.cli import run as run_command

__all__ = ["Result", "run"]


@dataclass(frozen=True)
class Result:
    status: int
    out: str
    err: str


def run(*arguments: str | Path, stdin: str = "") -> Result:
    """`csp-mines` with these arguments and this standard input."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), _stdin(stdin):
        status = run_command([str(argument) for argument in arguments])
    return Result(status, out.getvalue(), err.getvalue())


@contextlib.contextmanager
def _stdin(text: str) -> Iterator[None]:
    before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(text.encode()), "utf-8")
    try:
        yield
    finally:
        sys.stdin = before
