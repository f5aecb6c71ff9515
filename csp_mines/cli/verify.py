"""`csp-mines verify`: check the certificates of no-guess games and puzzles."""

from __future__ import annotations

from collections.abc import Iterator
from json import JSONDecodeError
from typing import Annotated, Any

from csp_mines.cli import options
from csp_mines.cli.console import err, out, show_json
from csp_mines.cli.groups import argument
from csp_mines.errors import BadCertificate, BoardSyntaxError, CspMinesError, FileError, InputError
from csp_mines.words import plural


def verify(
    certificates: Annotated[
        list[str], argument("FILE...", "Files with one certificate per line; - for standard input.")
    ],
    json: options.Json = False,
) -> int:
    """Check the certificates that 'generate' and 'grade --puzzle' write with --certificate.

    csp-mines verify games.jsonl

    The proofs are checked by code that is independent of the engines. Exit status 0: every
    certificate holds. 1: a certificate is wrong; the error names the step at fault, if there is
    one. 2: a file has no certificate, or a file or a line cannot be read; the other certificates
    are still checked.
    """
    from csp_mines.generation.certificates import verify as checked

    right = wrong = steps = status = 0
    for where, certificate, problem in _each(certificates):
        if problem is not None:
            status = max(status, _tell(where, problem, json=json))
            continue
        result = checked(certificate, where)
        right, wrong = right + (result.error is None), wrong + (result.error is not None)
        steps += result.steps
        if json:
            show_json(result.to_json())
        elif result.error is not None:
            err().print(f"{where}: {result.error}", style="red")
    if not json and right + wrong:
        hold = plural(right + wrong, "certificate holds", "certificates hold")
        out().print(f"{right:,} of {hold}, {plural(steps, 'step')}")
    return max(status, 1 if wrong else 0)


def _tell(where: str, problem: CspMinesError, *, json: bool) -> int:
    """Report the error `problem`: the file or the line `where` cannot be read, or the file has no
    certificates. If `json` is true, also print the error as a line of JSON. Return the exit
    status."""
    from csp_mines.cli import tell_error
    from csp_mines.generation.checker import Checked

    if json:
        show_json(Checked(where, error=BadCertificate(str(problem))).to_json())
    return tell_error(problem)


def _each(names: list[str]) -> Iterator[tuple[str, Any, CspMinesError | None]]:
    """Yield `(place, value, None)` for every certificate, where `value` is its JSON value and
    `place` is a text such as `games.jsonl:3`. Yield `(place, None, error)` for every file or line
    that cannot be read, and for every file without certificates. Skip blank lines."""
    from csp_mines.formats.json_text import from_json

    for name in names:
        source = options.source_of(name)
        try:
            lines = options.data_of(name).decode().splitlines()
        except UnicodeDecodeError:
            yield source, None, FileError(f"{source}: not UTF-8 text")
            continue
        except CspMinesError as error:
            yield source, None, error
            continue
        if not any(line.strip() for line in lines):
            yield source, None, InputError(f"{source}: no certificates found; give one per line")
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            where = f"{source}:{number}"
            try:
                yield where, from_json(line), None
            except JSONDecodeError as error:
                problem = f"this line is not JSON: {error.msg}"
                yield where, None, BoardSyntaxError(problem, source=source, line=number)
