"""The options that several commands share, and functions that read the board that an argument
names.

The argument is a file, `-` for standard input, a screenshot, a line, a link or an ID."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from csp_mines import defaults
from csp_mines.cli.console import err
from csp_mines.cli.groups import argument, option
from csp_mines.errors import FileError, InputError, NoBoardInPicture
from csp_mines.names import CLUE_MODEL_NAMES, MOVE_RULES, listed

if TYPE_CHECKING:
    from csp_mines.board import Board
    from csp_mines.formats import Contents, Part


def seconds(text: str | float) -> float:
    """Return the number of seconds in a text. Raises BadParameter if the text is not a number above
    0."""
    try:
        limit = float(text)
    except ValueError:
        raise typer.BadParameter(f"needs a number of seconds, not {text!r}") from None
    if not limit > 0:  # written so that NaN is refused, too
        raise typer.BadParameter(f"needs more than 0 seconds, not {text}")
    return limit


_BOARDS = argument(
    "BOARD...",
    "Board files or screenshots, - for standard input, or lines, links, IDs. A file may "
    "hold several boards.",
)
Boards = Annotated[list[str], _BOARDS]
MaybeBoards = Annotated[list[str] | None, _BOARDS]
OneBoard = Annotated[
    str,
    argument("BOARD", "A board file or a screenshot, - for standard input, or a line, link or ID."),
]
Format = Annotated[
    str | None,
    option(
        "The notation of the board; see 'csp-mines formats'. By default recognised from the text.",
        "-f",
    ),
]
Backend = Annotated[
    str, option("The engine to use; see 'csp-mines backends'.", "-b", metavar="NAME[:OPTION]")
]
MoveRule = Annotated[
    str,
    option(
        f"How to choose a guess: {listed(MOVE_RULES[1:])} take the best chance to win, "
        f"{MOVE_RULES[0]} the lowest risk.",
        metavar="RULE",
    ),
]
Counter = Annotated[
    str | None,
    option(
        "The engine that counts. By default the backend, or native if the backend cannot count.",
    ),
]
Mines = Annotated[int | None, option("Total mines on the board, including marked ones.", "-m")]
Density = Annotated[
    str | None, option("Chance of a mine at each cell, instead of --mines.", "-d", metavar="P")
]
Clues = Annotated[
    str | None, option(f"What clues mean: {listed(CLUE_MODEL_NAMES)}.", metavar="MODEL")
]
IgnoreMarks = Annotated[
    bool, option("Treat cells with M as hidden; also cells with C, unless the clues are silent.")
]
NoTotal = Annotated[bool, option("Do not use the total number of mines.")]
TimeLimit = Annotated[
    float | None,
    option(
        "Give up after this time. By default a count may take 60 s; deduction has no limit.",
        metavar="SECONDS",
        parser=seconds,
    ),
]
Json = Annotated[bool, option("Print JSON instead of text.")]
Seed = Annotated[int, option("The same seed repeats the same random choices.")]
Theme = Annotated[str, option("Colours of the picture: light or dark.")]


@dataclass(frozen=True)
class Header:
    """The options that change what a board says about its mines, its clues and its marks."""

    mines: Mines = None
    density: Density = None
    clues: Clues = None
    ignore_marks: IgnoreMarks = False

    def board(self, contents: Contents, source: str) -> Board:
        """Return the board in `contents`, with the changes that the options ask for. If the text
        may have another meaning, say on standard error how it was read. Raises InputError if
        `contents` has no board, or if an option has a wrong value."""
        from csp_mines.formats import board_of

        board = board_of(contents, source)
        tell_reading(source, contents)
        return self.applied(board)

    def applied(self, board: Board) -> Board:
        """Return the board with the changes that the options ask for. Raises InputError if an
        option has a wrong value."""
        board = board.told(mines=self.mines, density=self.density, clues=self.clues)
        return board.without_marks() if self.ignore_marks else board

    def read(self, name: str, format: str | None = None) -> Board:
        """Return the board that an argument names, with the changes that the options ask for.
        Raises InputError if the argument does not name one board, or if an option has a wrong
        value, FileError if the file cannot be read."""
        contents, _ = interpret_argument(name, format)
        return self.board(contents, source_of(name))


@dataclass(frozen=True)
class Limits:
    """The options that limit how many states and how much memory a count may use."""

    max_states: Annotated[
        int,
        option(
            "Stop counting beyond this many states. By default only memory and time limit a count.",
            min=1,
            max=defaults.MAX_STATES,
            show_default=False,
        ),
    ] = defaults.MAX_STATES
    max_memory: Annotated[
        float, option("Stop counting beyond this much memory, in GiB.", metavar="GIB", min=0.001)
    ] = defaults.MAX_MEMORY / (1 << 30)

    @property
    def in_bytes(self) -> dict[str, Any]:
        """The limits as arguments of the library, which takes memory in bytes."""
        return {"max_states": self.max_states, "max_memory": round(self.max_memory * (1 << 30))}


@dataclass(frozen=True)
class Drawn:
    """The options for a picture that a command draws in addition to its output."""

    picture: Annotated[Path | None, option("Also draw the result to this .svg or .png file.")] = (
        None
    )
    theme: Theme = "light"


def parts_of(name: str, format: str | None = None, *, flags: bool = False) -> list[Part]:
    """Return a part, to be read later, for each board or layout that an argument names. If `flags`
    is true, the flags of a screenshot become marks; otherwise flagged cells are hidden. Raises
    InputError or FileError if the argument cannot be read, UnknownName for an unknown format."""
    from csp_mines.formats import split

    return split(_loaded(name, format, flags=flags), format, source=source_of(name))


def interpret_argument(
    name: str, format: str | None = None, *, layout: bool = False
) -> tuple[Contents, str | bytes]:
    """Read the one board or layout that an argument names. Return its contents, and the text or
    bytes from which they were read. If `layout` is true, a text that may be a board or a layout is
    read as a layout. Raises InputError if the argument does not name one board or layout, FileError
    if the file cannot be read, UnknownName for an unknown format."""
    from csp_mines.formats import interpret

    data = _loaded(name, format)
    return interpret(data, format, source=source_of(name), layout=layout), data


def data_of(name: str) -> bytes:
    """Return the bytes of the file that an argument names, or of standard input if the argument is
    `-`. Gzipped bytes are unpacked. Raises FileError if the file cannot be read, BoardError if it
    is too large or its gzip data is damaged."""
    from csp_mines.formats import load

    return load(sys.stdin.buffer if name == "-" else name)


def _loaded(name: str, format: str | None, *, flags: bool = False) -> str | bytes:
    """Return the data of the board that an argument names: the bytes of a file, or of standard
    input if the argument is `-`. A line, link or ID is returned as it is. A screenshot becomes the
    text of its board; `flags` is explained at `parts_of`. Raises InputError for an empty argument,
    an unknown link, a screenshot with a `format`, or a file that is too large, FileError if the
    file cannot be read, NoBoardInPicture for a picture without a board."""
    from csp_mines.formats import is_picture

    if not name.strip():
        raise InputError(
            "a board must be a file, - for standard input, or a line, link or ID, not ''"
        )
    try:
        data = data_of(name)
    except FileError:
        if _is_text(name, format):
            return name
        if "://" in name:
            raise _unknown_link(name) from None
        raise
    if not is_picture(data):
        return data
    if format is not None:
        raise InputError("--format is only for text: leave it out for a screenshot")
    board = from_picture(data, name)
    return str(board if flags else board.without_marks())


def from_picture(data: bytes, name: str) -> Board:
    """Return the board that a screenshot shows, and print its size and its unsure cells on standard
    error. `name` is the argument that names the screenshot. Raises NoBoardInPicture if the
    screenshot shows no board."""
    from csp_mines.screenshots import read_picture

    try:
        reading = read_picture(data)
    except NoBoardInPicture as error:
        raise NoBoardInPicture(f"{source_of(name)}: {error}") from None
    tell(f"{source_of(name)}: {reading.note}")
    return reading.board


def _unknown_link(name: str) -> InputError:
    """Return the error for a link that no notation recognises."""
    from csp_mines.formats.layout_link import PAGE as LAYOUTS
    from csp_mines.formats.position_link import PAGE as POSITIONS

    return InputError(
        f"{source_of(name)}: expected a link that holds the board itself, as those of {POSITIONS} "
        f"and {LAYOUTS} do. csp-mines loads nothing from the network. From another site, copy the "
        "board as text, or save it as a file"
    )


def _is_text(name: str, format: str | None) -> bool:
    """Whether an argument that names no file is itself the text of a board. This is so if the
    argument has several lines, if a notation recognises it, or if `format` is given and the
    argument has no ending such as `.txt`."""
    several_lines = "\n" in name
    return several_lines or (format is not None and not Path(name).suffix) or is_recognised(name)


def is_recognised(text: str) -> bool:
    """Whether at least one notation recognises a text."""
    from csp_mines.formats import all_notations
    from csp_mines.formats.notation import Text

    return any(notation.recognise(Text.of(text, "")) for notation in all_notations().values())


def source_of(name: str) -> str:
    """Return the name of an argument for error messages: `<stdin>`, the file name, or the beginning
    of the text."""
    if name == "-":
        return "<stdin>"
    first = name.split("\n", 1)[0]
    return first if len(first) <= 100 and first == name else first[:60] + "…"


def tell_reading(source: str, contents: Contents) -> None:
    """Say on standard error how a text was read, if the text may have another meaning."""
    if contents.note:
        tell(f"{source}: read as {contents.notation}: {contents.note}")


def tell(note: str) -> None:
    """Print a remark on standard error."""
    err().print(note, style="dim")
