"""Read and write problems, which are constraints over named cells, in JSON or OPB."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike, fspath
from typing import BinaryIO

from csp_mines import arguments
from csp_mines.errors import ProblemSyntaxError
from csp_mines.formats.named_problem import NamedProblem
from csp_mines.formats.problem_json import read_json, write_json
from csp_mines.formats.problem_opb import read_opb, write_opb
from csp_mines.formats.reading import load

READERS: dict[str, Callable[[str, str], NamedProblem]] = {"json": read_json, "opb": read_opb}
WRITERS: dict[str, Callable[[NamedProblem], str]] = {"json": write_json, "opb": write_opb}


def parse_problem(text: str, format: str | None = None, *, source: str = "<text>") -> NamedProblem:
    """Read a problem from text.

    Parameters:
        text: the text of the problem.
        format: `json` or `opb`. By default, text that begins with `{` or `[` is JSON, and all other
            text is OPB.
        source: the name of the text in messages.

    Raises ProblemSyntaxError if the text is not a problem, UnknownName for an unknown format.

    >>> csp_mines.parse_problem("+1 x1 +1 x2 = 1;")
    <NamedProblem of 2 cells and 1 constraint>
    """
    given = arguments.text(text, "text").removeprefix("\ufeff")
    if format is None:
        format = "json" if given.lstrip()[:1] in ("{", "[") else "opb"
    read = arguments.looked_up("problem format", format, READERS)
    if not given.strip():
        raise ProblemSyntaxError("the text is empty; expected a problem", source=source)
    return read(given, source)


def read_problem(path: str | PathLike[str] | BinaryIO, format: str | None = None) -> NamedProblem:
    """Read a problem from a file, gzipped or not.

    Parameters:
        path: the name of the file, or an open binary file.
        format: as in `parse_problem`.

    Raises ProblemSyntaxError if the file is not a problem, FileError if the file cannot be read,
    BoardError if the file has more than 64 MB or damaged gzip data, UnknownName for an unknown
    format.

    >>> csp_mines.read_problem("examples/problems/nonogram-line.opb").labels[0]
    'line 4'
    """
    data = load(path)
    source = "<stdin>" if hasattr(path, "read") else fspath(path)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise ProblemSyntaxError(
            "expected text in UTF-8, but the file has other bytes", source=source
        ) from None
    return parse_problem(text, format, source=source)


def write_problem(problem: NamedProblem, format: str) -> str:
    """Return the text of a problem in JSON or OPB.

    Parameters:
        problem: what `parse_problem` or `read_problem` returned.
        format: `json` or `opb`.

    Raises Unsupported if OPB cannot express the problem, UnknownName for an unknown format.

    >>> problem = csp_mines.parse_problem("+1 x1 +1 x2 = 1;")
    >>> csp_mines.write_problem(problem, "opb").splitlines()[-1]
    '+1 x1 +1 x2 = 1 ;'
    """
    arguments.instance(problem, NamedProblem, "problem")
    return arguments.looked_up("problem format", format, WRITERS)(problem)
