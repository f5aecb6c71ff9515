"""`csp-mines verify`: whether certificates of no-guess games hold."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from csp_mines.cli import options
from csp_mines.words import plural

if TYPE_CHECKING:
    from csp_mines.errors import CspMinesError


def verify(
    certificates: Annotated[
        list[str],
        typer.Argument(metavar="FILE...", help="Certificates, one a line; - for standard input."),
    ],
    json: options.Json = False,
) -> int:
    """Check the certificates that 'generate --certificate' writes, with a checker of their own.

    csp-mines verify games.jsonl

    Exit status 0: every one holds. 1: some do not; the step that fails is named. 2: a file or a
    line of it cannot be read; the others are checked all the same.
    """
    from csp_mines.cli.console import err, out, show_json
    from csp_mines.errors import InputError
    from csp_mines.generation.certificates import verify as checked

    right = wrong = steps = status = 0
    for where, certificate, problem in _each(certificates):
        if problem is not None:
            status = max(status, _tell(where, problem, json=json))
            continue
        found = checked(certificate, where)
        right, wrong = right + (found.error is None), wrong + (found.error is not None)
        steps += found.steps
        if json:
            show_json(found.to_json())
        elif found.error is not None:
            err().print(f"{where}: {found.error}", style="red")
    if not right + wrong + status:
        raise InputError(f"{', '.join(certificates)}: no certificate in there")
    if not json and right + wrong:
        hold = plural(right + wrong, "certificate holds", "certificates hold")
        out().print(f"{right:,} of {hold}, {plural(steps, 'step')}")
    return max(status, 1 if wrong else 0)


def _tell(where: str, problem: CspMinesError, *, json: bool) -> int:
    """Says that something cannot be read. Gives the exit status."""
    from csp_mines.cli import tell_error
    from csp_mines.cli.console import show_json
    from csp_mines.errors import BadCertificate
    from csp_mines.generation.checker import Checked

    if json:
        show_json(Checked(where, error=BadCertificate(str(problem))).to_json())
    return tell_error(problem)


def _each(names: list[str]) -> Iterator[tuple[str, Any, CspMinesError | None]]:
    """Every certificate, where it stands, and why it cannot be read if so."""
    from csp_mines.errors import BoardSyntaxError, CspMinesError
    from csp_mines.formats.json_text import from_json

    for name in names:
        source = "<stdin>" if name == "-" else name
        try:
            lines = _text(name, source).splitlines()
        except CspMinesError as error:
            yield source, None, error
            continue
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            where = f"{source}:{number}"
            try:
                yield where, from_json(line), None
            except ValueError as error:
                problem = f"this line is no JSON: {getattr(error, 'msg', error)}"
                yield where, None, BoardSyntaxError(problem, source=source, line=number)


def _text(name: str, source: str) -> str:
    """Raises BoardError, FileError."""
    from csp_mines.errors import FileError
    from csp_mines.formats import load

    try:
        return load(sys.stdin.buffer if name == "-" else name).decode("utf-8")
    except UnicodeDecodeError:
        raise FileError(f"{source}: no UTF-8 text") from None
