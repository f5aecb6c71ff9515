"""Options that several commands share, and reading the boards they name."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from csp_mines.errors import FileError

if TYPE_CHECKING:
    from csp_mines.board import Board


def file_name(text: str | Path) -> Path:
    """The file that an option names. An empty name would mean the current directory."""
    if not str(text).strip():
        raise typer.BadParameter("the name of a file is empty")
    return Path(text)


Boards = Annotated[
    list[str], typer.Argument(metavar="BOARD...", help="Board files, or - for standard input.")
]
OneBoard = Annotated[
    str, typer.Argument(metavar="BOARD", help="A board file, or - for standard input.")
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        "-f",
        metavar="NAME",
        help="The text format of the board: canonical, minesweepr, zig, mine, sgt, madewokherd, "
        "board or rutgers. By default canonical, or what the first line unmistakably says.",
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
    typer.Option(
        "--clues", metavar="MODEL", help="What clues mean: exact, silent, optimistic or cautious."
    ),
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
        help="Stop counting past this many states (about 2 kB each).",
    ),
]
TimeLimit = Annotated[
    float | None,
    typer.Option(
        "--time-limit",
        metavar="SECONDS",
        min=0.0,
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
    """The board that a command's arguments describe. Raises BoardError, FileError."""
    from csp_mines.board import Board
    from csp_mines.formats.text import decode, parse

    source = "<stdin>" if name == "-" else name
    board = parse(decode(_bytes(name), source), format, source=source)
    if mines is not None or density is not None:
        board = Board(board.codes, mines=mines, density=density, clues=board.clues)
    if clues is not None:
        board = Board(board.codes, mines=board.mines, density=board.density, clues=clues)
    return board.without_marks() if ignore_marks else board


def each_board(
    names: list[str], format: str | None, **header: object
) -> Iterator[tuple[str, Board]]:
    """Every named board with its name, read when it is its turn."""
    for name in names:
        yield name, read_board(name, format, **header)  # type: ignore[arg-type]


def _bytes(name: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except (OSError, ValueError) as error:
        raise FileError.of(name, error) from None
