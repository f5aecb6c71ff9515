"""Let a command handle several boards or layouts, one after another. If one board has an error, the
error is reported, and the next board follows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from csp_mines.cli import options
from csp_mines.cli.console import out, show_json
from csp_mines.errors import BackendUnavailable, CspMinesError, MissingLibrary, UnknownName

if TYPE_CHECKING:
    from csp_mines.board import Board
    from csp_mines.formats import Part


def for_each(
    names: list[str],
    format: str | None,
    treat: Callable[[str, Part], int],
    *,
    json: bool = False,
    flags: bool = False,
) -> int:
    """Call `treat(name, part)` for every board or layout in the arguments `names`, and return the
    highest exit status. An argument is a file, `-` for standard input, a line, a link or an ID.

    `part` has the board, not parsed yet. `name` is the argument, such as `a.txt`; if the argument
    has several boards, `name` also has a number, such as `a.txt: board 2`. `format` is the value of
    --format. `flags` says whether the flags of a screenshot become marks.

    An error of one board is reported, and the next board follows. If `json` is true, the error is
    also printed as JSON. The error is raised instead if there is only one board in all, or if the
    error concerns the whole command, such as a missing engine."""
    status = 0
    for name in names:
        try:
            parts = options.parts_of(name, format, flags=flags)
        except CspMinesError as error:
            status = max(status, _tell(name, name, error, alone=len(names) == 1, json=json))
            continue
        alone = len(names) == len(parts) == 1
        for part in parts:
            numbered = name if part.number is None else f"{name}: board {part.number}"
            try:
                status = max(status, treat(numbered, part))
            except CspMinesError as error:
                status = max(status, _tell(numbered, name, error, alone=alone, json=json))
    return status


def for_each_board(
    names: list[str],
    format: str | None,
    header: options.Header,
    treat: Callable[[str, Board], int],
    *,
    json: bool = False,
) -> int:
    """Do what `for_each` does, but call `treat(name, board)` with the parsed board, to which the
    options of `header` were applied. A blank line separates the answers, unless `json` is true.
    Also raises BoardError for an invalid --density."""
    from csp_mines.board import as_density

    if header.density is not None:
        as_density(header.density)  # an invalid density is an error of the command, not of a board

    begun = False

    def read(name: str, part: Part) -> int:
        nonlocal begun
        board = header.board(part.contents(), part.name)
        if begun and not json:
            out().print()
        begun = True
        return treat(name, board)

    return for_each(names, format, read, json=json)


def _tell(numbered: str, name: str, error: CspMinesError, *, alone: bool, json: bool) -> int:
    """Report the error of a board on standard error and return the exit status. If `json` is true,
    also print a line of JSON in place of the answer for this board. If `alone` is true, or if the
    error concerns the whole command, raise the error instead. `numbered` is the name of the board,
    and `name` is the argument that has the board."""
    from csp_mines.cli import message_of, tell_error

    if alone or isinstance(error, BackendUnavailable | MissingLibrary | UnknownName):
        raise error
    if json:
        show_json({"board": numbered, "status": "error", "error": message_of(error)})
    named = str(error).startswith(options.source_of(name))
    return tell_error(error, "" if named else numbered)
