"""Options that several commands share, and reading the boards they name."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict

import typer

from csp_mines import defaults
from csp_mines.errors import FileError, InputError
from csp_mines.names import CLUE_MODEL_NAMES, MOVE_RULES, listed

if TYPE_CHECKING:
    from csp_mines.board import Board
    from csp_mines.formats import Contents, Part


def file_name(text: str | Path) -> Path:
    """The file that an option names. An empty name would mean the current directory."""
    if not str(text).strip():
        raise typer.BadParameter("the name of a file is empty")
    return Path(text)


def seconds(text: str | float) -> float:
    """A time limit. In no time nothing is found out."""
    try:
        limit = float(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is no number of seconds") from None
    if not limit > 0:  # not a number is no limit either
        raise typer.BadParameter(f"it has to be more than 0 seconds, not {text}")
    return limit


MAX_MEMORY_GIB = defaults.MAX_MEMORY / (1 << 30)

Boards = Annotated[
    list[str],
    typer.Argument(
        metavar="BOARD...",
        help="Board files, - for standard input, or lines, links, IDs; each may have several.",
    ),
]
OneBoard = Annotated[
    str,
    typer.Argument(
        metavar="BOARD", help="A board file, - for standard input, or a line, link or ID."
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        "-f",
        metavar="NAME",
        help="The notation of the board: see 'csp-mines formats'. By default the one whose marks "
        "the text bears, or the one reading that makes sense.",
    ),
]
Backend = Annotated[
    str,
    typer.Option(
        "--backend",
        "-b",
        metavar="NAME[:OPTION]",
        help="The engine that deduces; see 'csp-mines backends'.",
    ),
]
MoveRule = Annotated[
    str,
    typer.Option(
        "--move",
        metavar="RULE",
        help=f"How to choose a guess: {listed(MOVE_RULES[1:])} by the chance to win, "
        f"{MOVE_RULES[0]} by the risk alone.",
    ),
]
Counter = Annotated[
    str | None,
    typer.Option(
        "--counter",
        metavar="NAME",
        help="Another engine to count with. By default the backend, or native if it cannot count.",
    ),
]
Mines = Annotated[
    int | None,
    typer.Option("--mines", "-m", metavar="N", help="Mines on the whole board, marked ones too."),
]
Density = Annotated[
    str | None,
    typer.Option(
        "--density", "-d", metavar="P", help="Chance of a mine at a cell, instead of a total."
    ),
]
Clues = Annotated[
    str | None,
    typer.Option("--clues", metavar="MODEL", help=f"What clues mean: {listed(CLUE_MODEL_NAMES)}."),
]
IgnoreMarks = Annotated[
    bool, typer.Option("--ignore-marks", help="Treat marked cells (M, C) as hidden.")
]
NoTotal = Annotated[
    bool, typer.Option("--no-total", help="Conclude nothing from the number of mines.")
]
MaxStates = Annotated[
    int,
    typer.Option(
        "--max-states",
        metavar="N",
        min=1,
        max=defaults.MAX_STATES,
        show_default=False,
        help="Stop counting past this many states. By default only memory is bounded.",
    ),
]
MaxMemory = Annotated[
    float,
    typer.Option(
        "--max-memory",
        metavar="GIB",
        min=0.001,
        help="Stop counting past this much memory, in GiB.",
    ),
]
TimeLimit = Annotated[
    float | None,
    typer.Option(
        "--time-limit",
        metavar="SECONDS",
        parser=seconds,
        help="Give up after this long. By default one count may take 60 s, deduction any time.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Machine output: JSON on standard output.")]
Seed = Annotated[int, typer.Option("--seed", metavar="N", help="Repeat the same random choices.")]
Picture = Annotated[
    Path | None,
    typer.Option(
        "--picture", metavar="FILE", parser=file_name, help="Draw it too, as .svg or .png."
    ),
]
Theme = Annotated[
    str, typer.Option("--theme", metavar="NAME", help="Colours of the picture: light or dark.")
]


def read_board(
    name: str,
    format: str | None = None,
    *,
    mines: int | None = None,
    density: str | None = None,
    clues: str | None = None,
    ignore_marks: bool = False,
) -> Board:
    """The one board that a command's arguments describe. Raises BoardError, FileError."""
    header: HeaderOptions = {
        "mines": mines, "density": density, "clues": clues, "ignore_marks": ignore_marks,
    }  # fmt: skip
    found, _ = interpret_argument(name, format)
    return board_with(found, source_of(name), header)


class Limits(TypedDict):
    """How far `analyze` may go in counting."""

    max_states: int
    max_memory: int  # bytes


def limits(max_states: int, max_memory_gib: float) -> Limits:
    return {"max_states": max_states, "max_memory": round(max_memory_gib * (1 << 30))}


class HeaderOptions(TypedDict):
    """What options say of every board of a command."""

    mines: int | None
    density: str | None
    clues: str | None
    ignore_marks: bool


def board_with(found: Contents, source: str, header: HeaderOptions) -> Board:
    """The board that was read, with what the options say of it. Raises BoardError."""
    from csp_mines.formats import board_of

    board = board_of(found, source)
    tell_reading(source, found)
    board = board.told(mines=header["mines"], density=header["density"], clues=header["clues"])
    return board.without_marks() if header["ignore_marks"] else board


def parts_of(name: str, format: str | None = None) -> list[Part]:
    """The boards of an argument, not read yet. Raises BoardError, FileError, UnknownName."""
    from csp_mines.formats import split

    return split(_loaded(name, format), format, source=source_of(name))


def interpret_argument(
    name: str, format: str | None = None, *, layout: bool = False
) -> tuple[Contents, str | bytes]:
    """What an argument says, which has one board; and the text or bytes that it was read from.
    Raises BoardError, FileError, UnknownName."""
    from csp_mines.formats import interpret

    data = _loaded(name, format)
    return interpret(data, format, source=source_of(name), layout=layout), data


def _loaded(name: str, format: str | None) -> str | bytes:
    """What an argument stands for: a file by its name, - for standard input, a line, a link or an
    ID for itself."""
    from csp_mines.formats import load

    if not name.strip():
        raise InputError("a board is a file, - for standard input, or a line, link or ID, not ''")
    try:
        return load(sys.stdin.buffer if name == "-" else name)
    except FileError:
        if not _is_text(name, format):
            raise
        return name


def _is_text(name: str, format: str | None) -> bool:
    """Whether an argument that names no file is itself a board: several lines, or one that some
    notation takes for its own."""
    from csp_mines.formats import all_notations
    from csp_mines.formats.notation import Text

    if "\n" in name or (format is not None and not Path(name).suffix):
        return True
    return any(notation.recognise(Text.of(name, "")) for notation in all_notations().values())


def source_of(name: str) -> str:
    """What errors call an argument: its file, or the beginning of what it says."""
    if name == "-":
        return "<stdin>"
    first = name.split("\n", 1)[0]
    return first if len(first) <= 100 and first == name else first[:60] + "…"


def tell_reading(source: str, found: Contents) -> None:
    """Says on standard error how a text was read, where the reader had to decide."""
    if found.note:
        tell(f"{source}: read as {found.notation}: {found.note}")


def tell(note: str) -> None:
    """A remark on standard error."""
    from csp_mines.cli.console import err

    err().print(note, style="dim")
