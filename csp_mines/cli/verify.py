"""`csp-mines verify`: whether certificates of no-guess games hold."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from csp_mines.cli import options
from csp_mines.words import plural


def verify(
    certificates: Annotated[
        list[str],
        typer.Argument(metavar="FILE...", help="Certificates, one a line; - for standard input."),
    ],
    json: options.Json = False,
) -> int:
    """Check the certificates that 'generate --certificate' writes, with a checker of their own.

    csp-mines verify games.jsonl

    Exit status 0: every one holds. 1: some do not; the step that fails is named.
    """
    from csp_mines.cli.console import err, out, show_json
    from csp_mines.generation.certificates import verify as checked

    right = wrong = steps = 0
    for where, certificate in _each(certificates):
        found = checked(certificate, where)
        right, wrong = right + (found.error is None), wrong + (found.error is not None)
        steps += found.steps
        if json:
            show_json(found.to_json())
        elif found.error is not None:
            err().print(f"{where}: {found.error}", style="red")
    if not json:
        hold = plural(right + wrong, "certificate holds", "certificates hold")
        out().print(f"{right:,} of {hold}, {plural(steps, 'step')}")
    return 1 if wrong else 0


def _each(names: list[str]) -> Iterator[tuple[str, Any]]:
    """Every certificate and where it stands. Raises InputError, BoardSyntaxError."""
    import json

    from csp_mines.errors import BoardSyntaxError, InputError

    found = 0
    for name in names:
        source = "<stdin>" if name == "-" else name
        for number, line in enumerate(_text(name, source).splitlines(), 1):
            if not line.strip():
                continue
            try:
                yield f"{source}:{number}", json.loads(line)
            except (json.JSONDecodeError, RecursionError):
                problem = "this line is no JSON"
                raise BoardSyntaxError(problem, source=source, line=number) from None
            found += 1
    if not found:
        raise InputError(f"{', '.join(names)}: no certificate in there")


def _text(name: str, source: str) -> str:
    from csp_mines.errors import FileError
    from csp_mines.formats.reading import load

    try:
        return load(sys.stdin.buffer if name == "-" else name).decode("utf-8")
    except UnicodeDecodeError:
        raise FileError(f"{source}: no UTF-8 text") from None
    except OSError as error:
        raise FileError.of(name, error) from None
